/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dynamic types that interfaces may hold, and closures that func values may be: the
 * module gets them in advance. Does no I/O but through gobin.
 */
#ifndef GOPROBE_PLAN_DYNAMIC_TYPE_H
#define GOPROBE_PLAN_DYNAMIC_TYPE_H

#include "base/arena.h"
#include "base/hmap.h"
#include "plan/plan.h"
#include "plan/type_table.h"

/* Of a session before it runs, and ever; the module allows 64 Ki for each file. */
#define DYNAMIC_TYPE_MAX 4096U
#define DYNAMIC_TYPE_LEARN_MAX 16384U

struct dyntype;
struct dyniface;

/* A traced function. */
struct dyntraced {
	const struct gobin *bin;	/* binary */
	uint64_t entry;		/* link-time address */
};

/* Makes plan_points.dynamic. */
struct dynamic_type {
	struct plan *plan;		/* where they go */
	struct arena *mem;		/* for what lives as long as the plan */
	struct type_table *types;	/* what asks for them, and makes theirs */
	struct hmap packages;		/* of traced functions, by binary and path */
	struct dyntraced *traced;	/* these functions, where they have code */
	size_t ntraced;			/* their number */
	size_t traced_cap;		/* capacity of @traced */
	struct hmap known;		/* by binary and address */
	/* Interface types whose dynamic types were looked for, or will be. */
	struct hmap ifaces;
	struct dyniface *waiting;	/* those in frames, until all functions are known */
	bool begun;			/* they are */
	struct dyntype *pending;	/* those that the plan does not have yet, in order */
	struct dyntype **last;		/* end of @pending */
	size_t n;			/* number of @known */
	size_t most;			/* limit of @n */
};

/* Becomes @w's listener. */
void dynamic_type_init(struct dynamic_type *d, struct plan *p, struct arena *mem,
		       struct type_table *w);
void dynamic_type_fini(struct dynamic_type *d);

/*
 * @fn is traced: the types and closures of its package are likely to be seen, and types that its
 * callers name. 0, or -1 without memory.
 */
int dynamic_type_trace(struct dynamic_type *d, const struct gobin *bin, const struct gofunc *fn);

/* After the last function, before type_table_make(). 0, or -1 without memory. */
int dynamic_type_begin(struct dynamic_type *d);

/* What dynamic_type_add() found. */
enum dynamic_type_added {
	DYNAMIC_TYPE_NO_MEMORY = -1,
	DYNAMIC_TYPE_KNOWN,		/* nothing new */
	DYNAMIC_TYPE_NEW,		/* type_table_make() and dynamic_type_settle() are due */
};

/*
 * The type whose descriptor is at link-time address @vaddr may be what an
 * interface holds whose value is @level references from a frame.
 */
enum dynamic_type_added dynamic_type_add(struct dynamic_type *d, struct gobin *bin, uint64_t vaddr,
					 uint32_t level);
/* The same for a function with its code at @vaddr. */
enum dynamic_type_added dynamic_type_add_func(struct dynamic_type *d, struct gobin *bin,
					      uint64_t vaddr, uint32_t level);
/* Give the plan what is pending and made. Returns 0, or -1 without memory. */
int dynamic_type_settle(struct dynamic_type *d);

#endif
