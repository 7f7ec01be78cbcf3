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
#define DYNTYPES_MAX 4096U
#define DYNTYPES_LEARN_MAX 16384U

struct dyntype;
struct dyniface;

/* Makes plan_points.dynamic. */
struct dyntypes {
	struct plan *plan;		/* where they go */
	struct arena *mem;		/* for what lives as long as the plan */
	struct wiretypes *types;	/* what asks for them, and makes theirs */
	struct hmap packages;		/* of traced functions, by binary and path */
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
void dyntypes_init(struct dyntypes *d, struct plan *p, struct arena *mem, struct wiretypes *w);
void dyntypes_fini(struct dyntypes *d);

/*
 * A function called @name is traced: the types and closures of its package are
 * likely to be seen. 0, or -1 without memory.
 */
int dyntypes_package(struct dyntypes *d, const struct gobin *bin, const char *name);

/* After the last function, before wiretypes_make(). 0, or -1 without memory. */
int dyntypes_begin(struct dyntypes *d);

/* What dyntypes_add() found. */
enum dyntypes_added {
	DYNTYPES_NO_MEMORY = -1,
	DYNTYPES_KNOWN,		/* nothing new */
	DYNTYPES_NEW,		/* wiretypes_make() and dyntypes_settle() are due */
};

/*
 * The type whose descriptor is at link-time address @vaddr may be what an
 * interface holds whose value is @level references from a frame.
 */
enum dyntypes_added dyntypes_add(struct dyntypes *d, struct gobin *bin, uint64_t vaddr,
				 uint32_t level);
/* The same for a function with its code at @vaddr. */
enum dyntypes_added dyntypes_add_func(struct dyntypes *d, struct gobin *bin, uint64_t vaddr,
				      uint32_t level);
/* Give the plan what is pending and made. Returns 0, or -1 without memory. */
int dyntypes_settle(struct dyntypes *d);

#endif
