// SPDX-License-Identifier: GPL-2.0
/* Surveys of functions and instructions: how they would be probed, or why they can't be. */
#include <string.h>

#include "gobin/function_code.h"
#include "gobin/noprobe.h"
#include "plan/survey.h"

static const char why_no_code[] = "its code is not in the file";
static const char why_no_sp[] = "the line table does not say how large its stack frame is there";
static const char why_in_tls[] = "its goroutine is not in a register";
static const char why_no_memory[] = "out of memory";

/* Jumps don't find g of calls that are to be timed. */
static void leave_untimed(struct insn_scan *scan)
{
	for (size_t i = 0; i < scan->nrets; i++)
		scan->exits[i] = (struct insn_exit){ .no_jump = why_in_tls };
	scan->no_time = scan->no_time ? scan->no_time : why_in_tls;
}

void plan_survey_scan(struct gobin *bin, const struct gofunc *fn, bool exits, bool untouched,
		      struct plan_func *info, struct insn_scan *scan)
{
	static const enum plan_entry kinds[] = {
		[INSN_ENTRY_NONE] = PLAN_ENTRY_NONE,
		[INSN_ENTRY_CHECK] = PLAN_ENTRY_CHECK,
		[INSN_ENTRY_PUSH] = PLAN_ENTRY_PUSH,
		[INSN_ENTRY_NOP] = PLAN_ENTRY_NOP,
		[INSN_ENTRY_JUMP] = PLAN_ENTRY_JUMP,
		[INSN_ENTRY_FIRST] = PLAN_ENTRY_FIRST,
	};
	struct insn_code code = function_code_of(bin, fn);

	code.exits = exits;
	code.untouched = untouched;
	memset(info, 0, sizeof(*info));
	memset(scan, 0, sizeof(*scan));
	info->bin = bin;
	info->fn = fn;
	info->refused = noprobe_reason(fn);
	if (info->refused)
		return;
	if (!code.bytes) {
		info->refused = why_no_code;
		return;
	}
	if (insn_scan(&code, scan)) {
		info->refused = why_no_memory;
		return;
	}
	info->refused = scan->refused;
	info->abi0 = fn->flags & GOFUNC_ABI0 || scan->abi0;
	/* A check that loads g puts it into its register; compiled code keeps it there. */
	info->in_tls = info->abi0 && (!scan->abi0 || fn->flags & GOFUNC_ASM ||
				      gobin_runtime(bin)->g_reg == GOPROBE_REG_NONE);
	if (exits && info->in_tls)
		leave_untimed(scan);
	info->entry = kinds[scan->entry];
	info->nrets = (uint32_t)scan->nrets;
	info->ntails = (uint32_t)scan->ntails;
}

void plan_survey_points(struct gobin *bin, const struct gofunc *fn,
			struct plan_func *info, struct insn_scan *scan)
{
	plan_survey_scan(bin, fn, true, false, info, scan);
}

void plan_survey(struct gobin *bin, const struct gofunc *fn, struct plan_func *info)
{
	struct insn_scan scan;

	plan_survey_scan(bin, fn, false, false, info, &scan);
	insn_scan_fini(&scan);
}

/* Where SP is there. NULL, or why that is unknown. */
static const char *survey_sp(struct gobin *bin, const struct gofunc *fn, uint64_t vaddr)
{
	int32_t sp;

	if (gobin_sp(bin, fn, vaddr, &sp))
		return why_no_sp;
	return sp < -INSN_FRAME_MAX || sp > INSN_FRAME_MAX ? insn_why_deep : NULL;
}

/* What @code needs to be looked at: NULL, or why it must not be probed. */
static const char *survey_code(struct gobin *bin, const struct gofunc *fn, struct insn_code *code)
{
	const char *why = noprobe_reason(fn);

	if (why)
		return why;
	*code = function_code_of(bin, fn);
	return code->bytes ? NULL : why_no_code;
}

const char *plan_survey_at(const struct place *place, struct insn_point *ret)
{
	const struct gofunc *fn = place->fn;
	struct insn_code code;
	const char *why = survey_code(place->bin, fn, &code);

	memset(ret, 0, sizeof(*ret));
	if (!why)
		why = insn_at(&code, place->vaddr - fn->entry, ret);
	return why ? why : survey_sp(place->bin, fn, place->vaddr);
}

struct each_insn {
	struct gobin *bin;
	const struct gofunc *fn;
	insn_fn each;
	void *ctx;
};

static int survey_insn(void *ctx, const struct insn_point *point, const char *why)
{
	const struct each_insn *e = ctx;

	return e->each(e->ctx, point,
		       why ? why : survey_sp(e->bin, e->fn, e->fn->entry + point->at));
}

const char *plan_survey_insns(struct gobin *bin, const struct gofunc *fn, insn_fn each, void *ctx)
{
	struct each_insn e = { bin, fn, each, ctx };
	struct insn_code code;
	const char *why = survey_code(bin, fn, &code);

	return why ? why : insn_each(&code, survey_insn, &e);
}
