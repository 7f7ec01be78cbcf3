/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The evaluation of compiled expressions in a running process: a record is made of its memory as
 * the module would make one. Nothing stops the process, so values that change together may be
 * read at different times.
 */
#ifndef GOPROBE_EVAL_EVAL_H
#define GOPROBE_EVAL_EVAL_H

#include "base/arena.h"
#include "base/hmap.h"
#include "event/record.h"
#include "lang/edit_parse.h"
#include "plan/plan.h"
#include "plan/reference.h"
#include "value/decode.h"

/* Reads exactly @len bytes at run-time address @at; false if they are not readable. */
typedef bool (*eval_read_fn)(void *ctx, uint64_t at, void *to, size_t len);

/* Values of one capture: a list, or both values of each part of an edit. */
#define EVAL_ITEMS_MAX (EXPR_LIST_MAX > 2 * EDIT_PARSE_MAX ? EXPR_LIST_MAX : 2 * EDIT_PARSE_MAX)

/* A type as the walk sees it. */
struct eval_type {
	const struct gotype *t;		/* Go type; NULL: a frame */
	enum wire_role role;		/* what of that type it is */
	uint32_t id;			/* record_chunk.type of its objects */
	uint32_t size;			/* bytes of one object; 0: it is never followed */
	struct goprobe_ref *refs;	/* references; NULL: not made yet */
	uint32_t nrefs;			/* their number */
};

/* The types of the objects that were found so far. */
struct eval_types {
	struct eval_type **v;		/* by id */
	size_t n;			/* their number */
	size_t cap;			/* capacity of @v */
	struct hmap known;		/* by Go type and role */
	struct arena mem;		/* types and references */
};

/**
 * struct eval - a process and the record that is made of it
 * @bin: its binary
 * @bias: run-time address less link-time address
 * @read: reads its memory
 * @read_ctx: first argument of @read
 * @limits: limits of the record
 * @mem: the record's bytes, until the next one
 * @types: types of objects that records have; they depend on @limits.secrets
 * @frame_type: the type of @frame
 * @refs: references of the type at hand
 * @env: callbacks for the text of values; their context is this struct
 * @frame: bytes of the frame; behind it, while a program runs, chunks of items that failed
 * @rec: the record
 */
struct eval {
	struct gobin *bin;
	uint64_t bias;
	eval_read_fn read;
	void *read_ctx;
	struct plan_options limits;
	struct arena mem;
	struct eval_types types;
	struct eval_type frame_type;
	struct reference refs;
	struct value_env env;
	uint8_t frame[PLAN_FRAME_MAX + EVAL_ITEMS_MAX * sizeof(struct goprobe_chunk)]
		__attribute__((aligned(8)));
	struct record rec;
};

/* @bin, @bias, @read, @read_ctx and @limits are set; the rest is zero. */
void eval_init(struct eval *g);
void eval_fini(struct eval *g);

/*
 * Make g->rec: the values, and the memory that they refer to. Pieces of registers and of the
 * stack are missing. 0, or -1 without memory.
 */
int eval_take(struct eval *g, const struct plan_capture *c);

/* A write that an edit asks for: the low @size bytes of @value to run-time address @at. */
struct eval_write {
	uint64_t at;
	uint64_t value;
	uint32_t size;
};

/* The limit of the module for one edit. */
#define EVAL_WRITES_MAX 32

/*
 * Run the program of an edit: fill @writes, of EVAL_WRITES_MAX, and set *@n to their number.
 * Returns enum goprobe_chunk_status: GOPROBE_CHUNK_OK, or why nothing can be written.
 */
uint32_t eval_edit(struct eval *g, const struct goprobe_op *ops, size_t nops,
		   struct eval_write *writes, size_t *n);

/* Part of eval: the program of @c, into the frame. */
void eval_run(struct eval *g, const struct plan_capture *c);
/* Part of eval: append to g->rec the memory that the values of @c refer to. */
int eval_walk(struct eval *g, const struct plan_capture *c);
/* Part of eval: append a chunk within the limit. */
static inline void eval_chunk(struct eval *g, const struct record_chunk *chunk)
{
	if (g->rec.nchunks < RECORD_CHUNKS_MAX)
		g->rec.chunks[g->rec.nchunks++] = *chunk;
}

/* Part of eval: item @item has failed with that status. */
static inline void eval_missed(struct eval *g, uint64_t item, uint32_t status)
{
	eval_chunk(g, &(struct record_chunk){
		.address = item, .type = GOPROBE_TYPE_MISSED, .status = status,
	});
}

/* Part of eval: what @role says of @t, with its references. NULL without memory. */
const struct eval_type *eval_type(struct eval *g, const struct gotype *t, enum wire_role role);
/* Part of eval: as eval_type(), of a type that a reference or chunk has the id of. */
const struct eval_type *eval_type_at(struct eval *g, uint32_t id);
/* Part of eval: set @g->frame_type. 0, or -1 without memory. */
int eval_type_frame(struct eval *g, const struct plan_capture *c);
void eval_types_fini(struct eval_types *types);

#endif
