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

/* One decoded record; points into the caller's buffer. */
struct record {
	/* Header, copied; but @h.time of a call that was held is when it was made. */
	struct goprobe_record h;
	uint64_t written;		/* when it came into the ring */
	bool is_split;			/* of the end of a call: how its time divides is known */
	uint64_t split[__GOSTATES_MAX];	/* ns in each state */
	const uint8_t *frame;		/* the frame's bytes, or NULL */
	size_t frame_size;		/* their number */
	struct record_chunk chunks[RECORD_CHUNKS_MAX];	/* chunks in the order of the walk */
	size_t nchunks;			/* their number */
	struct goprobe_lost lost;	/* for GOPROBE_RECORD_LOST */
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
