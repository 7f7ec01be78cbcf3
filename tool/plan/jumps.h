/* SPDX-License-Identifier: GPL-2.0 */
/* Jumps of a plan: which points may become jumps, and which keep their trap. Part of plan. */
#ifndef GOPROBE_PLAN_JUMPS_H
#define GOPROBE_PLAN_JUMPS_H

#include "plan/plan.h"

/*
 * May the points of @pf become jumps where it is called, or where it returns, as far as the plan
 * goes? Whether the code allows it is in struct insn_scan.
 */
bool plan_jumps_at_entry(const struct plan *p, const struct plan_func *pf);
bool plan_jumps_at_ends(const struct plan *p, const struct plan_func *pf);

/*
 * The point of @bin does not become a jump: one at an epilogue, where a trap costs more, moves to
 * the RET. Then it is as without plan_options.jumps.
 */
void plan_jumps_keep_trap(struct gobin *bin, struct goprobe_point *pt);
/* Of all returns that record more than jumps can. After types are known. */
void plan_jumps_keep_at_ends(struct plan *p);

#endif
