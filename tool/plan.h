/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From functions and options to what the module is told: points, capture plans
 * and the type table; and the way back, from a record's id to names and types.
 * Does no I/O but through gobin.
 */
#ifndef GOPROBE_PLAN_H
#define GOPROBE_PLAN_H

#include <goprobe.h>

#include "gobin.h"

/**
 * struct plan_options - limits of what is captured
 * @string_limit: bytes of a string
 * @elements: elements of a slice
 * @objects: chunks of a record
 * @bytes: bytes of a record's chunks
 * @depth: references followed in a row (strings and slices count)
 * @no_return: entries only
 */
struct plan_options {
	uint32_t string_limit;
	uint32_t elements;
	uint32_t objects;
	uint32_t bytes;
	uint32_t depth;
	bool no_return;
};

extern const struct plan_options plan_defaults;	/* 256, 64, 128, 8192, 3 */

/**
 * struct plan_value - an argument or a result in a frame
 * @name: "x", "_", "~r0"
 * @type: its type
 * @offset: where it is in the frame
 * @stack: it was passed on the stack
 * @unavailable: why it is not in the frame (static string), or NULL
 */
struct plan_value {
	const char *name;
	const struct gotype *type;
	uint32_t offset;
	bool stack;
	const char *unavailable;
};

struct plan_frame {
	const struct plan_value *values;
	size_t nvalues;
	uint32_t size;		/* bytes in the record, before padding to 8 */
	uint32_t plan;		/* index in plan.plans, or GOPROBE_NO_PLAN */
	const char *unavailable; /* no values at all, because ... ; or NULL */
};

/* How a function's entry is probed; see docs/design.md. */
enum plan_entry {
	PLAN_ENTRY_NONE,	/* it is not: see plan_func.refused */
	PLAN_ENTRY_CHECK,	/* at the branch of the stack check */
	PLAN_ENTRY_PUSH,	/* at a PUSH that the kernel emulates */
	PLAN_ENTRY_NOP,		/* at a NOP */
	PLAN_ENTRY_FIRST,	/* at the first instruction, single-stepped */
};

/**
 * struct plan_func - a function that is traced
 * @bin: binary
 * @fn: function
 * @sig: its signature
 * @id: index in plan.funcs; goprobe_point.id of all its points
 * @call: arguments
 * @ret: results
 * @entry: how its entry is probed
 * @nrets: RET instructions
 * @ntails: jumps out of it
 * @refused: why it can't be probed (static string), or NULL
 */
struct plan_func {
	struct gobin *bin;
	const struct gofunc *fn;
	const struct gosig *sig;
	uint32_t id;
	struct plan_frame call;
	struct plan_frame ret;
	enum plan_entry entry;
	uint32_t nrets;
	uint32_t ntails;
	const char *refused;
};

/* The points of one binary, in the order they are to be added. */
struct plan_points {
	struct gobin *bin;
	struct goprobe_point *v;
	size_t n;
};

/**
 * struct plan - all that is to be traced
 * @funcs: by id
 * @types: wire type table; index is the session type id
 * @gotypes: for each wire type, the Go type it stands for, or NULL (frames)
 * @refs: references of @types
 * @plans: wire plans; index is the session plan id; goprobe_plan.piece counts
 *	from the start of @pieces
 * @pieces: pieces of @plans
 * @files: points by binary
 */
struct plan {
	struct plan_func **funcs;
	size_t nfuncs;
	struct goprobe_type *types;
	const struct gotype **gotypes;
	size_t ntypes;
	struct goprobe_ref *refs;
	size_t nrefs;
	struct goprobe_plan *plans;
	size_t nplans;
	struct goprobe_piece *pieces;
	size_t npieces;
	struct plan_points *files;
	size_t nfiles;
	void *priv;
};

struct plan *plan_new(const struct plan_options *opt);
void plan_free(struct plan *p);

/*
 * Session type id of objects of type @t (what the references to slices' elements
 * name), or UINT32_MAX if nothing refers to such objects. A type's id is higher
 * than those of the types it refers to, but for cycles.
 */
uint32_t plan_wire_type(const struct plan *p, const struct gotype *t);

/*
 * Look at one function without adding it: how it would be probed. *@info is
 * filled (no frames); a function that can't be probed has @refused set.
 */
void plan_survey(struct gobin *bin, const struct gofunc *fn,
		 struct plan_func *info);

/*
 * Add a function. Returns 0, or -1 with @d set if it can't be probed
 * (inlined away, no entry that can be proven, runtime code that must not be).
 */
int plan_add(struct plan *p, struct gobin *bin, const struct gofunc *fn,
	     struct diag *d);

#endif
