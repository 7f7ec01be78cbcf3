/* SPDX-License-Identifier: GPL-2.0 */
/* Surveys of functions and instructions: how they would be probed, or why they can't be. */
#ifndef GOPROBE_PLAN_SURVEY_H
#define GOPROBE_PLAN_SURVEY_H

#include "plan/place.h"
#include "plan/plan.h"
#include "x86/insn.h"

/*
 * Look at one function without adding it: how it would be probed. *@info is filled (no frames); a
 * function that can't be probed has @refused set.
 */
void plan_survey(struct gobin *bin, const struct gofunc *fn, struct plan_func *info);
/* The same with its points and epilogues; @scan is to be finished with insn_scan_fini(). */
void plan_survey_points(struct gobin *bin, const struct gofunc *fn,
			struct plan_func *info, struct insn_scan *scan);
/* Epilogues only with @exits. @untouched: its entry is where nothing has looked at an argument. */
void plan_survey_scan(struct gobin *bin, const struct gofunc *fn, bool exits, bool untouched,
		      struct plan_func *info, struct insn_scan *scan);

/* Look at one instruction without adding it. NULL, or why it can't be probed (static string). */
const char *plan_survey_at(const struct place *place, struct insn_point *ret);

/*
 * Call @each for all instructions of a function, as insn_each() does; @why: why the instruction
 * can't be probed, or NULL. NULL, or why no instruction of the function can be.
 */
const char *plan_survey_insns(struct gobin *bin, const struct gofunc *fn, insn_fn each, void *ctx);

#endif
