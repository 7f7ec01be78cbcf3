// SPDX-License-Identifier: GPL-2.0
/*
 * Construction of filters from verified programs. Most programs are a few comparisons of arguments
 * with constants: these become tests, which handlers evaluate without the program
 * (gp_filter_test()).
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "capture/program.h"
#include "control/filter_build.h"
#include "gfp.h"
#include "hit/filter.h"
#include "stats/tally.h"

/* Convert a jump's condition to a range of shifted numbers. Return: false if it is empty. */
static bool gp_test_range(const struct gp_op *jump, struct gp_test *t)
{
	const u64 lowest = S64_MIN, highest = S64_MAX, unit = 1ULL << t->shift;
	u64 value = jump->value << t->shift, last = ~0ULL << t->shift;

	t->want = true;
	switch (jump->code) {
	case GOPROBE_OP_JNE_I:
		t->want = false;
		fallthrough;
	case GOPROBE_OP_JEQ_I:
		t->low = value;
		last = value;
		break;
	case GOPROBE_OP_JLT_I:
		t->low = 0;
		last = value - unit;
		if (!value)
			return false;
		break;
	case GOPROBE_OP_JGE_I:
		t->low = value;
		break;
	case GOPROBE_OP_JSLT_I:
		t->low = lowest;
		last = value - unit;
		if (value == lowest)
			return false;
		break;
	case GOPROBE_OP_JSGE_I:
		t->low = value;
		last = highest & last;
		break;
	default:
		return false;
	}
	t->span = last - t->low;
	return true;
}

/* Whether @value is the same after it is cut to the number's bits and extended again. */
static bool gp_test_fits(u64 value, u8 shift, bool is_signed)
{
	u64 cut = value << shift;

	return value == (is_signed ? (u64)((s64)cut >> shift) : cut >> shift);
}

/**
 * struct gp_symbol - symbolic value of a register
 * @t: its source, as for a test: from, shift, loads, offset
 * @known: @t is valid
 * @is_signed: cut-off bits are replaced by the sign
 * @mask: its loads, by number
 */
struct gp_symbol {
	struct gp_test t;
	bool known;
	bool is_signed;
	u64 mask;
};

/**
 * struct gp_simplify - symbolic execution of a program that may be a few tests
 * @r: registers
 * @nloads: loads so far
 * @unseen: loads that would fail earlier in the program than in the tests
 */
struct gp_simplify {
	struct gp_symbol r[GP_OP_REGS];
	u32 nloads;
	u64 unseen;
};

static bool gp_simplify_load(struct gp_simplify *s, const struct gp_op *op)
{
	struct gp_symbol x = s->r[op->b];
	s64 offset = op->value;

	if (!x.known || x.t.shift || x.t.loads == GP_TEST_LOADS || s->nloads == 64 ||
	    offset != (s32)offset)
		return false;
	x.t.offset[x.t.loads++] = offset;
	x.t.shift = 64 - 8 * op->size;
	x.is_signed = false;
	x.mask |= BIT_ULL(s->nloads);
	s->unseen |= BIT_ULL(s->nloads++);
	s->r[op->a] = x;
	return true;
}

static bool gp_simplify_cut(struct gp_simplify *s, const struct gp_op *op)
{
	struct gp_symbol x = s->r[op->b];
	u8 shift = 64 - 8 * op->size;

	/* A number that already has fewer bits stays the same, unless its sign starts to count. */
	if (!x.known || x.t.shift > shift)
		return false;
	x.t.shift = shift;
	x.is_signed = op->code == GOPROBE_OP_SIGN;
	s->r[op->a] = x;
	return true;
}

/* Convert a jump over the next operation, which is a REJECT, to a test. */
static bool gp_simplify_test(struct gp_simplify *s, const struct gp_op *op, struct gp_test *t)
{
	bool is_signed = op->code == GOPROBE_OP_JSLT_I || op->code == GOPROBE_OP_JSGE_I;
	bool any = op->code == GOPROBE_OP_JEQ_I || op->code == GOPROBE_OP_JNE_I;
	const struct gp_symbol *x = &s->r[op->a];

	/* Tests count rejected hits in one counter, and remember nothing. */
	if (!x->known || op->offset != 1 || op[1].code != GOPROBE_OP_REJECT ||
	    op[1].value != GOPROBE_REJECT_FILTERED)
		return false;
	/* A cut number must be compared with the signedness with which it was cut. */
	if (x->t.shift && !any && is_signed != x->is_signed)
		return false;
	*t = x->t;
	s->unseen &= ~x->mask;
	return !s->unseen && gp_test_fits(op->value, t->shift, x->is_signed) &&
	       gp_test_range(op, t);
}

/* Execute an operation symbolically. Return: false if no test can use the result. */
static bool gp_simplify_step(struct gp_simplify *s, const struct gp_op *op)
{
	switch (op->code) {
	case GOPROBE_OP_REG:
		s->r[op->a] = (struct gp_symbol){ .known = true, .t.from = op->b };
		return true;
	case GOPROBE_OP_MOVE:
		s->r[op->a] = s->r[op->b];
		return true;
	case GOPROBE_OP_LOAD:
		return gp_simplify_load(s, op);
	case GOPROBE_OP_SIGN:
	case GOPROBE_OP_LOW:
		return gp_simplify_cut(s, op);
	}
	return false;
}

/* Convert the program to tests, if it is only tests, one after the other. */
static void gp_filter_simplify(struct gp_filter *filter)
{
	const struct gp_op *op = filter->ops, *end = op + filter->nops;
	struct gp_simplify *s = kzalloc(sizeof(*s), GFP_KERNEL);
	u32 n = 0;

	/* Without memory the filter runs as a program, which only costs more. */
	while (s && op < end && n < GP_FILTER_TESTS) {
		if (gp_simplify_step(s, op)) {
			op++;
			continue;
		}
		if (end - op < 2 || !gp_simplify_test(s, op, &filter->test[n]))
			break;
		filter->loads |= filter->test[n].loads;
		n++;
		op += 2;
	}
	/* A load behind the last test could fail, which the tests would not notice. */
	if (s && op == end && !s->unseen)
		filter->ntests = n;
	filter->first = filter->ntests && !filter->test[0].loads;
	kfree(s);
}

/* Replace an operation's id by its tally, which identifies its open calls. */
static int gp_filter_resolve(struct gp_op *op, struct gp_tallies *tallies)
{
	int err = gp_tallies_add(tallies, op->value, false);

	if (!err)
		op->value = (unsigned long)gp_tallies_find(tallies, op->value);
	return err;
}

/* Record what the operation, @w in the protocol, means for the whole filter. */
static void gp_filter_learn(struct gp_filter *filter, struct gp_op *op, const struct goprobe_op *w)
{
	filter->ends |= op->code == GOPROBE_OP_DURATION;
	filter->keyed |= op->code >= GOPROBE_OP_KEY && op->code <= GOPROBE_OP_KEY_STACK;
	filter->under |= op->code == GOPROBE_OP_UNDER || op->code == GOPROBE_OP_ROOT;
	filter->roots |= op->code == GOPROBE_OP_ROOT;
	filter->members |= op->code == GOPROBE_OP_IN_SET;
	filter->mutes |= op->code == GOPROBE_OP_REJECT && op->value & GOPROBE_REJECT_F_MUTED;
	filter->edits |= op->code >= GOPROBE_OP_SET && op->code <= GOPROBE_OP_DELAY;
	if (op->code == GOPROBE_OP_DELAY)
		filter->delay_ns = min(filter->delay_ns + op->value, GOPROBE_DELAY_NS_MAX);
	if (op->code == GOPROBE_OP_SET)
		filter->sets |= BIT(op->b / 8);
	if (op->code != GOPROBE_OP_QUOTA || !w->offset)
		return;
	filter->period_ns = (u64)w->offset * NSEC_PER_MSEC;
	/* The operation's own member has 16 bits. */
	op->offset = 1;
}

/**
 * gp_filter_new() - make a filter
 * @w: verified
 * @ops: its message's, verified
 * @tallies: the session's; outlives the filter
 *
 * Return: the filter; an ERR_PTR() of -ENOMEM, or of -E2BIG: too many ids.
 */
struct gp_filter *gp_filter_new(const struct goprobe_filter *w, const struct goprobe_op *ops,
				struct gp_tallies *tallies)
{
	struct gp_filter *filter;
	u32 i;

	filter = kvzalloc(struct_size(filter, ops, w->nops), GP_GFP_CHARGED);
	if (!filter)
		return ERR_PTR(-ENOMEM);
	filter->rejected = alloc_percpu_gfp(u64, GP_GFP_CHARGED);
	if (!filter->rejected) {
		kvfree(filter);
		return ERR_PTR(-ENOMEM);
	}
	gp_remote_init(&filter->jumped);
	filter->nops = w->nops;
	for (i = 0; i < w->nops; i++) {
		struct gp_op *op = &filter->ops[i];
		int err;

		gp_op_load(op, &ops[w->op + i]);
		gp_filter_learn(filter, op, &ops[w->op + i]);
		if (op->code != GOPROBE_OP_UNDER)
			continue;
		err = gp_filter_resolve(op, tallies);
		if (err) {
			gp_filter_free(filter);
			return ERR_PTR(err);
		}
	}
	gp_filter_simplify(filter);
	return filter;
}

void gp_filter_free(struct gp_filter *filter)
{
	free_percpu(filter->rejected);
	kvfree(filter);
}

/* Hits of breakpoints that did not pass. */
u64 gp_filter_rejected(const struct gp_filter *filter)
{
	u64 n = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		n += READ_ONCE(*per_cpu_ptr(filter->rejected, cpu));
	return n;
}
