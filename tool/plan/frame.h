/* SPDX-License-Identifier: GPL-2.0 */
/* Frames: the contents of a function's records, and how the module assembles them. Pure. */
#ifndef GOPROBE_PLAN_FRAME_H
#define GOPROBE_PLAN_FRAME_H

#include "base/arena.h"
#include "base/hmap.h"
#include "plan/plan.h"
#include "plan/type_table.h"

/**
 * struct planframe - makes plan.plans, plan.pieces and plan.ops
 * @plan: where they go
 * @mem: for what lives as long as the plan
 * @types: types of frames
 * @opt: limits
 * @bytes: of the frame at hand: goprobe_plan.bytes
 * @depth: of the function at hand
 * @hidden: the user did not choose that function
 * @goroutine: records of calls of the function at hand describe their goroutine
 * @registers: records of the function at hand have the registers
 * @callers: most functions of the call stack in the frame at hand
 * @known: wire plans, by a hash of what is in them
 * @plans_cap: capacity of plan.plans
 * @pieces_cap: capacity of plan.pieces
 * @ops_cap: capacity of plan.ops
 */
struct planframe {
	struct plan *plan;
	struct arena *mem;
	struct wiretypes *types;
	struct plan_options opt;
	uint32_t bytes;
	uint32_t depth;
	bool hidden;
	bool goroutine;
	bool registers;
	uint32_t callers;
	struct hmap known;
	size_t plans_cap;
	size_t pieces_cap;
	size_t ops_cap;
};

void planframe_fini(struct planframe *f);

/*
 * Fill the frames of @pf, which has @bin, @fn and @sig: with what @req wants,
 * else with the whole signature. Returns 0, or -1 without memory.
 */
int planframe_build(struct planframe *f, struct plan_func *pf, bool abi0,
		    const struct plan_request *req);

#endif
