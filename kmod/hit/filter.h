/* SPDX-License-Identifier: GPL-2.0 */
/* Verified filters, in the form that handlers use: which hits count. */
#ifndef GP_FILTER_H
#define GP_FILTER_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <goprobe.h>

#include "arch/usercopy.h"
#include "capture/plan.h"
#include "stats/remote.h"

struct gp_detour_note;
struct gp_edit;
struct gp_key;
struct gp_note_point;
struct gp_probe;

/* See struct goprobe_limits. */
#define GP_FILTERS_MAX	(64U << 10)

#define GP_FILTER_TESTS	8
#define GP_TEST_LOADS	3

/**
 * struct gp_test - a test whether a number is in a range
 * @from: offset in struct pt_regs of the register that has the number or its address
 * @shift: left shift of the word, which removes bits that are not the number's
 * @loads: words to load on the way: the next one is at @offset from the last
 * @want: result with which the test holds
 * @offset: see @loads
 * @mul: the shifted word is multiplied by this, modulo 2^64; 0: it is not
 * @low: start of the range, shifted like the word
 * @span: length of the range, modulo 2^64, so that the range can be of signed numbers
 */
struct gp_test {
	u16 from;
	u8 shift;
	u8 loads;
	bool want;
	s32 offset[GP_TEST_LOADS];
	u64 mul;
	u64 low;
	u64 span;
};

/**
 * struct gp_number_block - numbers that a CPU has taken for hits to come
 * @last: the last one that a hit has
 * @end: the last one of the block
 */
struct gp_number_block {
	u64 last;
	u64 end;
};

/**
 * struct gp_filter - a verified filter
 * @ntests: number of @test, if these are the whole filter and none multiplies; 0: run the program
 * @njumped: number of @test, if these are the whole filter: detours evaluate all of them
 * @first: there are tests, and the first one has no loads
 * @loads: a test has loads
 * @multiplies: a test multiplies
 * @test: a simple program as tests: all must hold
 * @rejected: hits that did not pass, by CPU; without ends of calls
 * @jumped: hits that did not pass and that programs counted themselves
 * @number: how many numbers GOPROBE_OP_NUMBER has given, or CPUs have taken, by counter
 * @block: of counter 1: the numbers that a CPU has taken, or NULL: the program does not use it
 * @taken: hits that reached GOPROBE_OP_QUOTA without a period, up to its limit
 * @period: for GOPROBE_OP_QUOTA with a period: the period's number and, in GP_QUOTA_BITS, its hits
 * @period_ns: length of a period
 * @ends: for the ends of calls only
 * @under: it has GOPROBE_OP_UNDER or _ROOT, which look at open calls
 * @roots: it has GOPROBE_OP_ROOT
 * @mutes: it has GOPROBE_REJECT_F_MUTED
 * @members: it has GOPROBE_OP_IN_SET
 * @keyed: it makes a key or a value
 * @valued: it makes a value
 * @is_signed: ... a signed one
 * @local: it needs nothing that a note does not have: integer registers and the goroutine's id
 * @registers: integer registers that it reads: bits, by offset in struct pt_regs / 8
 * @edits: it is an edit: it sets, writes or delays
 * @delay_ns: ... its longest delay
 * @sets: ... integer registers that it sets: bits, by offset in struct pt_regs / 8
 * @nops: number of @ops
 * @ops: the program; the value of GOPROBE_OP_UNDER is a struct gp_tally
 */
struct gp_filter {
	u32 ntests;
	u32 njumped;
	bool first;
	bool loads;
	bool multiplies;
	u64 __percpu *rejected;
	struct gp_test test[GP_FILTER_TESTS];
	atomic64_t number[GP_NUMBERS];
	struct gp_number_block __percpu *block;
	atomic64_t taken;
	atomic64_t period;
	u64 period_ns;
	bool ends;
	bool under;
	bool roots;
	bool mutes;
	bool members;
	bool keyed;
	bool valued;
	bool is_signed;
	bool local;
	u32 registers;
	bool edits;
	u32 delay_ns;
	u32 sets;
	struct gp_remote jumped;
	u32 nops;
	struct gp_op ops[];
};

enum gp_verdict {
	GP_VERDICT_PASSES,
	GP_VERDICT_REJECTS,
	GP_VERDICT_UNDECIDED,
	GP_VERDICT_RUN,		/* the program must run */
	GP_VERDICT_LIMITED,	/* rejected, as the following ones */
	GP_VERDICT_SAMPLED,
};

/* With a rejection: see GOPROBE_REJECT_F_MUTED. */
#define GP_VERDICT_F_MUTED	BIT(4)

enum gp_verdict gp_filter_run(const struct gp_probe *probe, const struct pt_regs *regs,
			      u64 duration, struct gp_key *key);
enum gp_verdict gp_filter_run_note(const struct gp_note_point *point,
				   const struct gp_detour_note *note, struct gp_key *key);
enum gp_verdict gp_filter_run_edit(const struct gp_probe *probe, const struct pt_regs *regs,
				   struct gp_edit *edit);

/* For tests that do not multiply. */
static __always_inline bool gp_test_is(const struct gp_test *t, u64 word)
{
	return ((word << t->shift) - t->low <= t->span) == t->want;
}

/* For tests without loads. */
static __always_inline bool gp_test_holds(const struct gp_test *t, const struct pt_regs *regs)
{
	return gp_test_is(t, *(const u64 *)((const u8 *)regs + t->from));
}

/* Load the word for a test. Return: false if the fast path cannot read it. */
static __always_inline bool gp_test_load(const struct gp_test *t, u64 *word)
{
	const s32 *offset = t->offset, *end = offset + t->loads;

	for (; offset < end; offset++) {
		u64 at = *word + *offset;

		if (unlikely(min(*word, at) < GP_NIL_END) || unlikely(!gp_user_load(word, at)))
			return false;
	}
	return true;
}

/* Evaluate all tests. Context: page faults disabled, if there are loads. */
static __always_inline enum gp_verdict gp_filter_try(const struct gp_filter *filter,
						     const struct pt_regs *regs)
{
	const struct gp_test *t = filter->test, *end = t + filter->ntests;

	do {
		u64 word = *(const u64 *)((const u8 *)regs + t->from);

		if (t->loads && unlikely(!gp_test_load(t, &word)))
			return GP_VERDICT_RUN;
		if (!gp_test_is(t, word))
			return GP_VERDICT_REJECTS;
	} while (++t < end);
	return GP_VERDICT_PASSES;
}

/**
 * gp_filter_test() - evaluate a filter by its tests
 * @filter: has tests
 * @regs: the target's registers
 *
 * Context: a handler, preemption on.
 *
 * Return: enum gp_verdict; GP_VERDICT_RUN: call gp_filter_run().
 */
static __always_inline enum gp_verdict gp_filter_test(const struct gp_filter *filter,
						      const struct pt_regs *regs)
{
	enum gp_verdict verdict;

	if (!filter->loads)
		return gp_filter_try(filter, regs);
	pagefault_disable();
	verdict = gp_filter_try(filter, regs);
	pagefault_enable();
	return verdict;
}

#endif
