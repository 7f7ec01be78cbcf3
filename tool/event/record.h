/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The decoder of records that the kernel sends. Pure, fuzzed; it trusts no length, no offset and
 * no id.
 */
#ifndef GOPROBE_EVENT_RECORD_H
#define GOPROBE_EVENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <goprobe.h>

#include "gobin/sched_state.h"

struct record_chunk {
	uint64_t address;
	uint32_t type;		/* session type id or GOPROBE_TYPE_* */
	uint32_t size;
	uint32_t status;	/* enum goprobe_chunk_status */
	uint32_t level;		/* references followed to get here */
	const uint8_t *data;	/* 8-aligned */
};

#define RECORD_CHUNKS_MAX 2048

/**
 * struct record - one decoded record; points into the caller's buffer
 * @h: header, copied; but @h.time of a call that was held is when it was made
 * @written: when it came into the ring
 * @is_split: of the end of a call: how its time divides is known
 * @split: ns in each state
 * @frame: the frame's bytes, or NULL
 * @frame_size: their number
 * @chunks: chunks in the order of the walk
 * @nchunks: their number
 * @lost: for GOPROBE_RECORD_LOST
 */
struct record {
	struct goprobe_record h;
	uint64_t written;
	bool is_split;
	uint64_t split[__GOSTATES_MAX];
	const uint8_t *frame;
	size_t frame_size;
	struct record_chunk chunks[RECORD_CHUNKS_MAX];
	size_t nchunks;
	struct goprobe_lost lost;
};

/*
 * Size and time of the record at @buf; false if its size is impossible. Of a call that was
 * held the time is that of its end: where the record belongs among the others.
 */
bool record_peek(const uint8_t *buf, size_t len, size_t *size, uint64_t *time);

/* Frame size of a session plan id, or -1 if there is no such plan. */
typedef int64_t (*record_frame_size_fn)(void *ctx, uint32_t plan);

/*
 * Decode the record at @buf of which @len bytes are there. Returns its size,
 * or -1 if it is malformed (@why says how: a static string).
 */
int64_t record_decode(const uint8_t *buf, size_t len,
		      record_frame_size_fn frame_size, void *ctx,
		      struct record *ret, const char **why);

#endif
