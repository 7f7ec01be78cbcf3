/* SPDX-License-Identifier: GPL-2.0 */
/* The conditions of a plan: which hits of its points count. Part of plan. */
#ifndef GOPROBE_PLAN_FILTER_H
#define GOPROBE_PLAN_FILTER_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/hmap.h"
#include "compile/cond.h"
#include "plan/plan.h"

/* A function that calls are to be inside of. */
struct plan_filter_under {
	struct gobin *bin;		/* its binary */
	const struct gofunc *fn;	/* the function */
	const char *text;		/* who asked for it first, for errors: all of the text */
	const struct expr *e;		/* and where in it */
	struct plan_filter_under *next;	/* the next one */
};

/* Makes plan.filters and plan.filter_ops. */
struct plan_filter {
	struct plan *plan;			/* where they go */
	struct arena *mem;			/* for what lives as long as the plan */
	struct hmap known;			/* filters, by a hash of their operations */
	size_t filters_cap;			/* capacity of plan.filters */
	size_t ops_cap;				/* capacity of plan.filter_ops */
	/*
	 * Functions that under() names; until plan_filter_settle() an operation GOPROBE_OP_UNDER
	 * has the address of one of these.
	 */
	struct plan_filter_under *unders;
};

/* Operations for a hit that passes: they make its key, or count it. */
struct plan_filter_more {
	const struct goprobe_op *ops;	/* operations */
	size_t nops;			/* their number */
	bool counts;			/* they count it, so they can't be shared */
	/* Operations behind @ops that add the call stack to the key, or make a value. */
	const struct goprobe_op *more;
	size_t nmore;			/* their number */
};

void plan_filter_fini(struct plan_filter *f);
/* The id of the filter that these operations are. -1 without memory. */
int plan_filter_ops(struct plan_filter *f, const struct goprobe_op *ops, size_t nops, uint32_t *id);

/* The id of the filter with these operations, an edit's; 0 if there are none. -1 without memory. */
int plan_filter_add_edit(struct plan_filter *f, const struct goprobe_op *ops, size_t nops,
			 uint32_t *id);

/* What the points of @pf do, and when their hits count. 0, or -1 with @d set. */
int plan_filter_decide(struct plan_filter *f, struct plan_func *pf, const struct plan_request *req,
		       bool no_return, struct diag *d);
/* The id of @under's function is @id: in all operations that ask for it. */
void plan_filter_settle(struct plan_filter *f, const struct plan_filter_under *under, uint32_t id);

#endif
