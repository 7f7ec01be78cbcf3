/* SPDX-License-Identifier: GPL-2.0 */
/* Which hits count: a verified filter, as handlers use it. */
#ifndef GP_FILTER_H
#define GP_FILTER_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <goprobe.h>

#include "plan.h"

struct gp_probe;
struct gp_tallies;

/* See struct goprobe_limits. */
#define GP_FILTERS_MAX	(64U << 10)

#define GP_FILTER_TESTS	4

/**
 * struct gp_test - is an integer register's number in a range?
 * @from: offset of the register in struct pt_regs
 * @shift: of the word, to get rid of what is not the number's
 * @want: whether it should be
 * @low: where the range begins, as much to the left
 * @span: how long it is, modulo 2^64, so that it can be one of signed numbers as well
 */
struct gp_test {
	u16 from;
	u8 shift;
	bool want;
	u64 low;
	u64 span;
};

/**
 * struct gp_filter - a verified filter
 * @ntests: number of @test, if these are all there is to it; 0: the program is run
 * @test: the program, if it is so simple: all must hold
 * @number: hits that have come to GOPROBE_OP_NUMBER
 * @ends: it is for the ends of calls only
 * @under: it has GOPROBE_OP_UNDER, which looks at open calls
 * @nops: number of @ops
 * @ops: the program; the value of GOPROBE_OP_UNDER is a struct gp_tally
 */
struct gp_filter {
	u32 ntests;
	struct gp_test test[GP_FILTER_TESTS];
	atomic64_t number;
	bool ends;
	bool under;
	u32 nops;
	struct gp_op ops[];
};

enum gp_verdict {
	GP_VERDICT_PASSES,
	GP_VERDICT_REJECTS,
	GP_VERDICT_UNDECIDED,
};

struct gp_filter *gp_filter_new(const struct goprobe_filter *w, const struct goprobe_op *ops,
				struct gp_tallies *tallies);
void gp_filter_free(struct gp_filter *filter);
enum gp_verdict gp_filter_run(const struct gp_probe *probe, const struct pt_regs *regs,
			      u64 duration);

/* Do all tests hold? */
static __always_inline bool gp_filter_test(const struct gp_filter *filter,
					   const struct pt_regs *regs)
{
	const struct gp_test *t = filter->test, *end = t + filter->ntests;

	do {
		u64 word = *(const u64 *)((const u8 *)regs + t->from);

		if (((word << t->shift) - t->low <= t->span) != t->want)
			return false;
	} while (unlikely(++t < end));
	return true;
}

#endif
