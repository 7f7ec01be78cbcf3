/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What compiled expressions come to in a process that runs on meanwhile: a record
 * is made of its memory as the module would make one. Nothing is stopped, so values
 * that change together may be read apart.
 */
#ifndef GOPROBE_GLOBALS_H
#define GOPROBE_GLOBALS_H

#include "arena.h"
#include "plan.h"
#include "record.h"
#include "value.h"

/* Reads exactly @len bytes at run-time address @at; false if they can't be had. */
typedef bool (*globals_read_fn)(void *ctx, uint64_t at, void *to, size_t len);

/**
 * struct globals - a process and the record that is made of it
 * @bin: its binary
 * @bias: run-time address less link-time address
 * @read: reads its memory
 * @read_ctx: first argument of @read
 * @limits: of what is copied
 * @mem: the record's bytes, until the next one
 * @env: what values need to know of the program; its context is this struct
 * @frame: bytes of the frame
 * @rec: the record
 */
struct globals {
	struct gobin *bin;
	uint64_t bias;
	globals_read_fn read;
	void *read_ctx;
	struct plan_options limits;
	struct arena mem;
	struct value_env env;
	uint8_t frame[PLAN_FRAME_MAX] __attribute__((aligned(8)));
	struct record rec;
};

/* @bin, @bias, @read, @read_ctx and @limits are set; the rest is zero. */
void globals_init(struct globals *g);
void globals_fini(struct globals *g);

/*
 * Make g->rec: what was captured, and what it refers to. What was compiled for a
 * function's registers or stack is not there. 0, or -1 without memory.
 */
int globals_take(struct globals *g, const struct plan_capture *c);

/* Part of globals: append to g->rec what the values of @c refer to. */
int globals_walk(struct globals *g, const struct plan_capture *c);
/* Part of globals: one chunk more, if there is room. */
void globals_chunk(struct globals *g, const struct record_chunk *chunk);

#endif
