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
 * @is_constant: the value is @constant
 * @constant: see @is_constant
 * @divisor: the value is the remainder of a division of the source by this; 0: it is the source
 * @is_signed: cut-off bits are replaced by the sign; the division is signed
 * @mask: its loads, by number
 */
struct gp_symbol {
	struct gp_test t;
	bool known;
	bool is_constant;
	bool is_signed;
	u64 constant;
	u64 divisor;
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

	if (!x.known || x.divisor || x.t.shift || x.t.loads == GP_TEST_LOADS || s->nloads == 64 ||
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
	if (!x.known || x.divisor || x.t.shift > shift)
		return false;
	x.t.shift = shift;
	x.is_signed = op->code == GOPROBE_OP_SIGN;
	s->r[op->a] = x;
	return true;
}

/* A division by a constant. Its remainder does not depend on the divisor's sign. */
static bool gp_simplify_divide(struct gp_simplify *s, const struct gp_op *op)
{
	bool is_signed = op->code == GOPROBE_OP_SMOD;
	struct gp_symbol *x = &s->r[op->a];
	u64 by = s->r[op->b].constant;

	if (!x->known || x->divisor || (x->t.shift && is_signed != x->is_signed) ||
	    !s->r[op->b].is_constant)
		return false;
	x->divisor = is_signed && (s64)by < 0 ? -by : by;
	x->is_signed = is_signed;
	/* The remainder of a division by 1 is always 0: no condition. */
	return x->divisor > 1;
}

/* The number that gives 1, modulo 2^64, if @odd is multiplied by it. */
static u64 gp_test_inverse(u64 odd)
{
	u64 n = odd;
	u32 i;

	/* odd * odd is 1 modulo 8: three bits are right, and each round doubles them. */
	for (i = 0; i < 5; i++)
		n *= 2 - odd * n;
	return n;
}

/* Is the number a multiple of @odd? Multiplied by the inverse, only multiples become small. */
static void gp_test_multiple(struct gp_test *t, u64 odd, bool is_signed)
{
	u64 most = div64_u64((is_signed ? (u64)S64_MAX : U64_MAX) >> t->shift, odd);

	t->mul = gp_test_inverse(odd);
	t->low = is_signed ? -most << t->shift : 0;
	t->span = (is_signed ? 2 * most : most) << t->shift;
}

/*
 * Convert a comparison of a remainder to tests: with 0, or with any number if the divisor is a
 * power of 2 and nothing is signed. Return: the number of tests, at most two; 0: none can be made.
 */
static u32 gp_simplify_remainder(const struct gp_symbol *x, const struct gp_op *op,
				 struct gp_test t[2])
{
	u32 twos = __ffs64(x->divisor), bits = 64 - x->t.shift, n = 0;
	bool equal = op->code == GOPROBE_OP_JEQ_I;
	u64 odd = x->divisor >> twos;

	if ((!equal && op->code != GOPROBE_OP_JNE_I) || twos > bits)
		return 0;
	if (op->value && (odd > 1 || x->is_signed || op->value >= x->divisor))
		return 0;
	/* A multiple of both: two tests, of which either may fail. */
	if (twos && odd > 1 && !equal)
		return 0;
	if (twos) {
		t[n] = x->t;
		t[n].want = equal;
		t[n].shift = 64 - twos;
		t[n++].low = op->value << (64 - twos);
	}
	if (odd > 1) {
		t[n] = x->t;
		t[n].want = equal;
		gp_test_multiple(&t[n++], odd, x->is_signed);
	}
	return n;
}

/*
 * Convert a jump over the next operation, which is a REJECT, to tests. Return: their number, at
 * most two; 0: none can be made.
 */
static u32 gp_simplify_test(struct gp_simplify *s, const struct gp_op *op, struct gp_test t[2])
{
	bool is_signed = op->code == GOPROBE_OP_JSLT_I || op->code == GOPROBE_OP_JSGE_I;
	bool any = op->code == GOPROBE_OP_JEQ_I || op->code == GOPROBE_OP_JNE_I;
	const struct gp_symbol *x = &s->r[op->a];

	/* Tests count rejected hits in one counter, and remember nothing. */
	if (!x->known || op->offset != 1 || op[1].code != GOPROBE_OP_REJECT ||
	    op[1].value != GOPROBE_REJECT_FILTERED)
		return 0;
	s->unseen &= ~x->mask;
	if (s->unseen)
		return 0;
	if (x->divisor)
		return gp_simplify_remainder(x, op, t);
	/* A cut number must be compared with the signedness with which it was cut. */
	if (x->t.shift && !any && is_signed != x->is_signed)
		return 0;
	*t = x->t;
	return gp_test_fits(op->value, t->shift, x->is_signed) &&
	       gp_test_range(op, t);
}

/* Execute an operation symbolically. Return: false if no test can use the result. */
static bool gp_simplify_step(struct gp_simplify *s, const struct gp_op *op)
{
	switch (op->code) {
	case GOPROBE_OP_REG:
		s->r[op->a] = (struct gp_symbol){ .known = true, .t.from = op->b };
		return true;
	case GOPROBE_OP_IMM:
		s->r[op->a] = (struct gp_symbol){ .is_constant = true, .constant = op->value };
		return true;
	case GOPROBE_OP_MOD:
	case GOPROBE_OP_SMOD:
		return gp_simplify_divide(s, op);
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

/* Add the tests. Return: false if there are too many. */
static bool gp_filter_add_tests(struct gp_filter *filter, const struct gp_test *t, u32 n)
{
	if (filter->njumped + n > GP_FILTER_TESTS)
		return false;
	for (; n; n--, t++) {
		filter->loads |= t->loads;
		filter->multiplies |= t->mul;
		filter->test[filter->njumped++] = *t;
	}
	return true;
}

/* Convert the program to tests, if it is only tests, one after the other. */
static void gp_filter_simplify(struct gp_filter *filter)
{
	const struct gp_op *op = filter->ops, *end = op + filter->nops;
	struct gp_simplify *s = kzalloc(sizeof(*s), GFP_KERNEL);
	struct gp_test t[2];
	u32 n;

	/* Without memory the filter runs as a program, which only costs more. */
	while (s && op < end) {
		if (gp_simplify_step(s, op)) {
			op++;
			continue;
		}
		n = end - op < 2 ? 0 : gp_simplify_test(s, op, t);
		if (!n || !gp_filter_add_tests(filter, t, n))
			break;
		op += 2;
	}
	/* A load behind the last test could fail, which the tests would not notice. */
	if (!s || op < end || s->unseen)
		filter->njumped = 0;
	filter->ntests = filter->multiplies ? 0 : filter->njumped;
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

/* Return: 0 or -ENOMEM. */
static int gp_filter_add_blocks(struct gp_filter *filter)
{
	if (!filter->block)
		filter->block = alloc_percpu_gfp(struct gp_number_block, GP_GFP_CHARGED);
	return filter->block ? 0 : -ENOMEM;
}

/* Prepare what the operation needs of the filter and of others. */
static int gp_filter_prepare(struct gp_filter *filter, struct gp_op *op,
			     struct gp_tallies *tallies)
{
	if (op->code == GOPROBE_OP_UNDER)
		return gp_filter_resolve(op, tallies);
	if (op->code == GOPROBE_OP_NUMBER && op->value)
		return gp_filter_add_blocks(filter);
	return 0;
}

/* Does a note have all that the operation needs? */
static bool gp_filter_is_local(const struct gp_op *op)
{
	switch (op->code) {
	case GOPROBE_OP_TASK:
		return op->value == GOPROBE_TASK_GOID;
	case GOPROBE_OP_NUMBER:
		/* Those of the other counter are in the order of hits. */
		return op->value;
	}
	return op->class & GP_OP_LOCAL;
}

/* Record what the operation, @w in the protocol, means for the whole filter. */
static void gp_filter_learn(struct gp_filter *filter, struct gp_op *op, const struct goprobe_op *w)
{
	filter->local &= gp_filter_is_local(op);
	if (op->code == GOPROBE_OP_REG)
		filter->registers |= BIT(op->b / 8);
	filter->ends |= op->code == GOPROBE_OP_DURATION;
	filter->keyed |= !!(op->class & GP_OP_KEY);
	filter->valued |= !!(op->class & GP_OP_VALUE);
	filter->is_signed |= op->code == GOPROBE_OP_SVALUE;
	filter->under |= op->code == GOPROBE_OP_UNDER || op->code == GOPROBE_OP_ROOT;
	filter->roots |= op->code == GOPROBE_OP_ROOT;
	filter->members |= op->code == GOPROBE_OP_IN_SET;
	filter->mutes |= op->code == GOPROBE_OP_REJECT && op->value & GOPROBE_REJECT_F_MUTED;
	filter->edits |= !!(op->class & GP_OP_EDIT);
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
	filter->local = true;
	for (i = 0; i < w->nops; i++) {
		struct gp_op *op = &filter->ops[i];
		int err;

		gp_op_load(op, &ops[w->op + i]);
		gp_filter_learn(filter, op, &ops[w->op + i]);
		err = gp_filter_prepare(filter, op, tallies);
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
	free_percpu(filter->block);
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
