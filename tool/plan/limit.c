// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of what is traced, as operations. First of a sample, then of a second, then of all: what
 * one leaves out the next does not count.
 */
#include "plan/limit.h"

/* What the operations use: conditions need no register any more. */
#define REG 1
#define REG_2 2
#define REG_SHIFT 3

/* The counter of which each processor takes a block of numbers. "n" in conditions has the other. */
#define COUNTER 1

#define SECOND_MS 1000

/* The finalizer of MurmurHash3, which makes every bit of an id matter for every bit of its hash. */
#define HASH_MUL 0xff51afd7ed558ccdULL
#define HASH_MUL_2 0xc4ceb9fe1a85ec53ULL
#define HASH_SHIFT 33

/* Operations under construction. */
struct making {
	const struct plan_limits *l;	/* the limits */
	struct plan_filter_more m;	/* what there is */
	struct goprobe_op *ops;	/* where they go */
	bool mute;		/* what is left out begins a tree, none of whose calls is shown */
};

static void op(struct making *k, struct goprobe_op o)
{
	k->ops[k->m.nops++] = o;
}

static void set(struct making *k, uint8_t code, uint8_t reg, uint64_t value)
{
	op(k, (struct goprobe_op){ .code = code, .a = reg, .value = value });
}

/* Go on if the register is @value, else the hit does not pass. */
static void only_if(struct making *k, uint8_t jump, uint64_t value, uint64_t cause)
{
	op(k, (struct goprobe_op){ .code = jump, .a = REG, .offset = 1, .value = value });
	op(k, (struct goprobe_op){ .code = GOPROBE_OP_REJECT, .value = cause });
}

static uint64_t cause(const struct making *k, uint64_t cause)
{
	return cause | (k->mute ? GOPROBE_REJECT_F_MUTED : 0);
}

/* One of each l->sample numbers. */
static void every(struct making *k)
{
	set(k, GOPROBE_OP_IMM, REG_2, k->l->sample);
	op(k, (struct goprobe_op){ .code = GOPROBE_OP_MOD, .a = REG, .b = REG_2 });
	only_if(k, GOPROBE_OP_JEQ_I, 0, cause(k, GOPROBE_REJECT_SAMPLED));
}

/* A multiplication, and its high bits into the low ones. */
static void mix(struct making *k, uint64_t factor)
{
	set(k, GOPROBE_OP_MUL_I, REG, factor);
	op(k, (struct goprobe_op){ .code = GOPROBE_OP_MOVE, .a = REG_2, .b = REG });
	op(k, (struct goprobe_op){ .code = GOPROBE_OP_SHR, .a = REG_2, .b = REG_SHIFT });
	op(k, (struct goprobe_op){ .code = GOPROBE_OP_XOR, .a = REG, .b = REG_2 });
}

/*
 * Goroutines that start one after the other are chosen independently of each other. The
 * finalizer's first step is left out: it does not change ids below 2^33.
 */
static void sample_goroutines(struct making *k)
{
	set(k, GOPROBE_OP_TASK, REG, GOPROBE_TASK_GOID);
	set(k, GOPROBE_OP_IMM, REG_SHIFT, HASH_SHIFT);
	mix(k, HASH_MUL);
	mix(k, HASH_MUL_2);
	every(k);
}

/* The first hit has number 1. */
static void sample_hits(struct making *k)
{
	set(k, GOPROBE_OP_NUMBER, REG, COUNTER);
	set(k, GOPROBE_OP_ADD_I, REG, -1ULL);
	every(k);
	k->m.counts = true;
}

static void quota(struct making *k, uint64_t most, uint32_t ms)
{
	set(k, GOPROBE_OP_QUOTA, REG, most);
	k->ops[k->m.nops - 1].offset = ms;
	only_if(k, GOPROBE_OP_JNE_I, 0, cause(k, GOPROBE_REJECT_LIMITED));
	k->m.counts = true;
}

/* An operation that counts the hits which reach it. */
static void count(struct making *k)
{
	if (k->l->sample > 1 && k->l->by != PLAN_SAMPLE_GOROUTINE)
		sample_hits(k);
	if (k->l->rate)
		quota(k, k->l->rate, SECOND_MS);
	if (k->l->times)
		quota(k, k->l->times, 0);
}

/* What is called in a tree that is shown passes; what begins one is counted. */
static void count_trees(struct making *k)
{
	size_t open;

	op(k, (struct goprobe_op){ .code = GOPROBE_OP_ROOT, .a = REG });
	open = k->m.nops;
	set(k, GOPROBE_OP_JEQ_I, REG, GOPROBE_ROOT_OPEN);
	only_if(k, GOPROBE_OP_JEQ_I, GOPROBE_ROOT_NONE,
		k->l->sample > 1 ? GOPROBE_REJECT_SAMPLED : GOPROBE_REJECT_LIMITED);
	k->mute = true;
	count(k);
	k->ops[open].offset = (uint32_t)(k->m.nops - open - 1);
}

bool plan_limit_any(const struct plan_limits *l)
{
	return l->sample > 1 || l->rate || l->times;
}

struct plan_filter_more plan_limit_call(const struct plan_limits *l, bool later,
					struct goprobe_op *ops)
{
	struct making k = { .l = l, .ops = ops, .m.ops = ops };

	if (!plan_limit_any(l))
		return k.m;
	if (l->by == PLAN_SAMPLE_ROOT) {
		count_trees(&k);
		return k.m;
	}
	if (l->sample > 1 && l->by == PLAN_SAMPLE_GOROUTINE)
		sample_goroutines(&k);
	if (!later)
		count(&k);
	return k.m;
}

struct plan_filter_more plan_limit_return(const struct plan_limits *l, bool later,
					  struct goprobe_op *ops)
{
	struct making k = { .l = l, .ops = ops, .m.ops = ops };

	if (later)
		count(&k);
	return k.m;
}
