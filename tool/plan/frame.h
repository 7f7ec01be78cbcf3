/* SPDX-License-Identifier: GPL-2.0 */
/* Frames: the contents of a function's records, and how the module assembles them. Pure. */
#ifndef GOPROBE_PLAN_FRAME_H
#define GOPROBE_PLAN_FRAME_H

#include "base/arena.h"
#include "base/hmap.h"
#include "plan/plan.h"
#include "plan/type_table.h"

/* Makes plan.plans, plan.pieces and plan.ops. */
struct planframe {
	struct plan *plan;	/* where they go */
	struct arena *mem;	/* for what lives as long as the plan */
	struct type_table *types;	/* types of frames */
	uint32_t bytes;	/* of the frame at hand: goprobe_plan.bytes */
	uint32_t depth;	/* of the function at hand */
	bool texts;	/* of the frame at hand only strings and errors are followed */
	bool goroutine;	/* records of calls of the function at hand describe their goroutine */
	bool registers;	/* records of the function at hand have the registers */
	uint32_t callers;	/* most functions of the call stack in the frame at hand */
	struct hmap known;	/* wire plans, by a hash of what is in them */
	size_t plans_cap;	/* capacity of plan.plans */
	size_t pieces_cap;	/* capacity of plan.pieces */
	size_t ops_cap;	/* capacity of plan.ops */
};

void plan_frame_fini(struct planframe *f);

/*
 * Fill the frames of @pf, which has @bin, @fn, @sig and @abi0: with what @req wants, else with the
 * whole signature. Returns 0, or -1 without memory.
 */
int plan_frame_build(struct planframe *f, struct plan_func *pf, const struct plan_request *req);

#endif
