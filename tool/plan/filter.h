/* SPDX-License-Identifier: GPL-2.0 */
/* The conditions of a plan: which hits of its points count. Part of plan. */
#ifndef GOPROBE_PLAN_FILTER_H
#define GOPROBE_PLAN_FILTER_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/hmap.h"
#include "compile/cond.h"
#include "plan/plan.h"

/**
 * struct planfilter_under - a function that calls are to be inside of
 * @bin: its binary
 * @fn: the function
 * @text: who asked for it first, for errors: all of the text
 * @e: and where in it
 * @next: the next one
 */
struct planfilter_under {
	struct gobin *bin;
	const struct gofunc *fn;
	const char *text;
	const struct expr *e;
	struct planfilter_under *next;
};

/**
 * struct planfilter - makes plan.filters and plan.filter_ops
 * @plan: where they go
 * @mem: for what lives as long as the plan
 * @stack: plan_options.stack
 * @creator: plan_options.creator
 * @stuck: plan_options.stuck
 * @limits: plan_options.limits
 * @split: plan_options.split
 * @known: filters, by a hash of their operations
 * @filters_cap: capacity of plan.filters
 * @ops_cap: capacity of plan.filter_ops
 * @unders: functions that under() names; until planfilter_settle() an operation
 *	GOPROBE_OP_UNDER has the address of one of these
 */
struct planfilter {
	struct plan *plan;
	struct arena *mem;
	uint32_t stack;
	bool creator;
	bool stuck;
	struct plan_limits limits;
	bool split;
	struct hmap known;
	size_t filters_cap;
	size_t ops_cap;
	struct planfilter_under *unders;
};

/**
 * struct planfilter_more - operations for a hit that passes: they make its key, or count it
 * @ops: operations
 * @nops: their number
 * @counts: they count it, so they can't be shared
 * @more: operations behind @ops that add the call stack to the key, or make a value
 * @nmore: their number
 */
struct planfilter_more {
	const struct goprobe_op *ops;
	size_t nops;
	bool counts;
	const struct goprobe_op *more;
	size_t nmore;
};

void planfilter_fini(struct planfilter *f);
/* The id of the filter that these operations are. -1 without memory. */
int planfilter_ops(struct planfilter *f, const struct goprobe_op *ops, size_t nops, uint32_t *id);

/* The id of the filter with these operations, an edit's; 0 if there are none. -1 without memory. */
int planfilter_add_edit(struct planfilter *f, const struct goprobe_op *ops, size_t nops,
			uint32_t *id);

/* What the points of @pf do, and when their hits count. 0, or -1 with @d set. */
int planfilter_decide(struct planfilter *f, struct plan_func *pf, const struct plan_request *req,
		      bool no_return, struct diag *d);
/* The id of @under's function is @id: in all operations that ask for it. */
void planfilter_settle(struct planfilter *f, const struct planfilter_under *under, uint32_t id);

#endif
