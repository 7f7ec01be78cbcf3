/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What compiled expressions come to in a process that runs on meanwhile: a record
 * is made of its memory as the module would make one. Nothing is stopped, so values
 * that change together may be read apart.
 */
#ifndef GOPROBE_EVAL_EVAL_H
#define GOPROBE_EVAL_EVAL_H

#include "base/arena.h"
#include "event/record.h"
#include "lang/edit_parse.h"
#include "plan/plan.h"
#include "value/decode.h"

/* Reads exactly @len bytes at run-time address @at; false if they can't be had. */
typedef bool (*globals_read_fn)(void *ctx, uint64_t at, void *to, size_t len);

/* Values of one capture: a list, or both values of each part of an edit. */
#define GLOBALS_ITEMS_MAX (EXPR_LIST_MAX > 2 * EDITEXPR_MAX ? EXPR_LIST_MAX : 2 * EDITEXPR_MAX)

/**
 * struct globals - a process and the record that is made of it
 * @bin: its binary
 * @bias: run-time address less link-time address
 * @read: reads its memory
 * @read_ctx: first argument of @read
 * @limits: of what is copied
 * @mem: the record's bytes, until the next one
 * @env: what values need to know of the program; its context is this struct
 * @frame: bytes of the frame; behind it, while a program runs, chunks of items that failed
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
	uint8_t frame[PLAN_FRAME_MAX + GLOBALS_ITEMS_MAX * sizeof(struct goprobe_chunk)]
		__attribute__((aligned(8)));
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

/* What an edit has come to: the low @size bytes of @value belong to run-time address @at. */
struct globals_write {
	uint64_t at;
	uint64_t value;
	uint32_t size;
};

/* As the module allows in one edit. */
#define GLOBALS_WRITES_MAX 32

/*
 * Run an edit's program: @writes, for which there is room, gets what is to be written, and *@n
 * how many there are. Returns enum goprobe_chunk_status: why nothing is, or GOPROBE_CHUNK_OK.
 */
uint32_t globals_edit(struct globals *g, const struct goprobe_op *ops, size_t nops,
		      struct globals_write *writes, size_t *n);

/* Part of globals: the program of @c, into the frame. */
void globals_run(struct globals *g, const struct plan_capture *c);
/* Part of globals: item @item has failed with that status. */
void globals_missed(struct globals *g, uint64_t item, uint32_t status);
/* Part of globals: append to g->rec what the values of @c refer to. */
int globals_walk(struct globals *g, const struct plan_capture *c);
/* Part of globals: one chunk more, if there is room. */
void globals_chunk(struct globals *g, const struct record_chunk *chunk);

#endif
