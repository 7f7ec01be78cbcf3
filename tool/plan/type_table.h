/* SPDX-License-Identifier: GPL-2.0 */
/* The type table of a plan: where the module finds references in types. Pure. */
#ifndef GOPROBE_PLAN_TYPE_TABLE_H
#define GOPROBE_PLAN_TYPE_TABLE_H

#include "base/arena.h"
#include "base/hmap.h"
#include "plan/plan.h"
#include "plan/reference.h"

/*
 * Types and references of a session before it runs, and ever; the module allows
 * 64 Ki and 256 Ki.
 */
#define TYPE_TABLE_MAX 40960U
#define TYPE_TABLE_REFS_MAX 163840U
#define TYPE_TABLE_LEARN_MAX 61440U
#define TYPE_TABLE_LEARN_REFS_MAX 245760U
/* A wire type, wanted or made. */
struct wiretype {
	const struct gotype *t;	/* Go type */
	struct gobin *bin;	/* the binary it is of */
	enum wire_role role;	/* what of that type it is */
	uint32_t id;		/* session type id, or TYPE_TABLE_NONE: not made */
	/*
	 * References followed from a frame to the nearest such object; the type is good for those
	 * that are as far away or farther.
	 */
	uint32_t level;
	bool final;		/* it has been handed out, and does not change any more */
	struct wiretype *next;	/* of the same queue */
};

#define TYPE_TABLE_NONE UINT32_MAX

/* Types wait in the order they were asked for, by level. */
struct type_table_queue {
	struct wiretype *first;
	struct wiretype **last;
};

struct type_table;

/*
 * What an interface of type @t holds may be @level references from a frame; with
 * NULL: what a function has captured.
 */
typedef int (*type_table_seen_fn)(void *ctx, struct gobin *bin, const struct gotype *t,
				  uint32_t level);

/* Makes plan.types, plan.gotypes and plan.refs. */
struct type_table {
	struct plan *plan;	/* where they go */
	struct arena *mem;	/* for what is needed on the way */
	uint32_t depth;		/* references followed: what is farther away needs no type */
	size_t most;		/* types to make; what is beyond is not followed */
	size_t most_refs;	/* references to make; further ones are not followed */
	type_table_seen_fn seen; /* called for each interface and function; it may add types */
	void *seen_ctx;		/* its first argument */
	struct hmap known;	/* wire types by Go type and role */
	/* Types of frames that were not handed out, by a hash of what is in them. */
	struct hmap frames;
	/* Types that wait for being made, by level. */
	struct type_table_queue queues[PLAN_DEPTH_MAX + 1];
	/* What each reference of plan.refs leads to, until it is settled. */
	const struct wiretype **targets;
	size_t types_cap;	/* capacity of plan.types and plan.gotypes */
	size_t refs_cap;	/* capacity of plan.refs and @targets */
	size_t settled;		/* types of the plan whose references are settled */
	struct reference refs;	/* those of the type at hand */
};

void type_table_init(struct type_table *w, struct plan *p, struct arena *mem, uint32_t depth);
void type_table_fini(struct type_table *w);

/**
 * type_table_frame() - the wire type of a frame
 * @w: types so far
 * @bin: binary that the values are of
 * @values: what is in the frame; those that are unavailable are not
 * @n: their number
 * @size: of the frame
 * @texts: only strings and errors are followed
 * @ret: session type id
 *
 * Frames that look alike share a type. What it refers to is made by
 * type_table_make().
 *
 * Return: 0, or -1 without memory.
 */
int type_table_frame(struct type_table *w, struct gobin *bin, const struct plan_value *values,
		     size_t n, uint32_t size, bool texts, uint32_t *ret);

/*
 * The wire type of what @role says of @t, for objects that are @level references
 * away. NULL without memory, or if there are no such objects.
 */
struct wiretype *type_table_want(struct type_table *w, struct gobin *bin, const struct gotype *t,
				 enum wire_role role, uint32_t level);

/*
 * Make all types that are wanted, nearest first, and those that they refer to.
 * Then they are not changed any more. 0, or -1 without memory.
 */
int type_table_make(struct type_table *w);

#endif
