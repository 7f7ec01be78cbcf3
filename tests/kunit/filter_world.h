/* SPDX-License-Identifier: GPL-2.0 */
/* Common code of the suites of filters: one filter of the world of hits, made as a client's is. */
#ifndef FILTER_WORLD_H
#define FILTER_WORLD_H

#include "handler_world.h"
#include "held.h"

#define FILTER_OPS	64

static struct goprobe_op filter_ops[FILTER_OPS];
static u32 nfilter_ops;
static struct gp_filter *filter;
static struct gp_edit collected;
static struct gp_key key = { .space = GP_KEY_WORDS };	/* that the filter has made last */

static inline void filter_op(struct goprobe_op o)
{
	filter_ops[nfilter_ops++] = o;
}

#define F(name, ...) filter_op((struct goprobe_op){ .code = GOPROBE_OP_##name, ##__VA_ARGS__ })

static inline void unload_filter(void)
{
	if (filter)
		gp_filter_free(filter);
	filter = NULL;
	probes[0].filter = NULL;
}

/* The next program begins. */
static inline void filter_clear(void)
{
	unload_filter();
	nfilter_ops = 0;
	memset(filter_ops, 0, sizeof(filter_ops));
}

/* As the session does with what a client sends. */
static inline void filter_load(struct kunit *test)
{
	const struct goprobe_filter w = { .nops = nfilter_ops };

	KUNIT_ASSERT_STREQ(test, gp_verify_filter(&w, filter_ops, nfilter_ops) ?: "accepted",
			   "accepted");
	unload_filter();
	filter = gp_filter_new(&w, filter_ops, &s.tallies);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(filter));
	probes[0].filter = filter;
}

/* It passes if r1 is that. */
static inline void only_if(struct kunit *test, u64 value)
{
	F(JEQ_I, .a = 1, .offset = 1, .value = value);
	F(REJECT);
	filter_load(test);
}

static inline int filter_init(struct kunit *test)
{
	int err = handler_init(test);

	filter = NULL;
	filter_clear();
	if (!err)
		make(GP_WAY_GENERAL, 0);
	return err;
}

static inline void filter_exit(struct kunit *test)
{
	filter_clear();
	handler_exit(test);
}

/* The filter changes nothing, with any verdict. */
static inline enum gp_verdict verdict(struct kunit *test, u64 duration)
{
	struct pt_regs regs = w->regs;
	int depth = preempt_count();
	enum gp_verdict ret;

	probes[0].filter = filter;
	probes[0].edit = filter;
	/* Edits only collect here: what comes of that is edit_test.c's. */
	ret = filter->edits ? gp_filter_run_edit(&probes[0], &w->regs, &collected) :
			      gp_filter_run(&probes[0], &w->regs, duration, &key);
	KUNIT_EXPECT_EQ(test, preempt_count(), depth);
	KUNIT_EXPECT_TRUE(test, !pagefault_disabled() && !windows && !wrong);
	KUNIT_EXPECT_EQ(test, memcmp(&regs, &w->regs, sizeof(regs)), 0);
	return ret;
}

#define EXPECT_PASSES(test) \
	KUNIT_EXPECT_EQ(test, (u32)verdict(test, 0), (u32)GP_VERDICT_PASSES)
#define EXPECT_REJECTS(test) \
	KUNIT_EXPECT_EQ(test, (u32)verdict(test, 0), (u32)GP_VERDICT_REJECTS)
#define EXPECT_UNDECIDED(test) \
	KUNIT_EXPECT_EQ(test, (u32)verdict(test, 0), (u32)GP_VERDICT_UNDECIDED)

/* On one CPU counter 1 gives numbers in order. A case has a thread of its own. */
static inline void stay_on_cpu(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
}

/* How many hits have a number of counter 1. */
static inline u64 numbered(void)
{
	u64 n = atomic64_read(&filter->number[1]);
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct gp_number_block *block = per_cpu_ptr(filter->block, cpu);

		n -= block->end - block->last;
	}
	return n;
}

/* Pending records of a session. */
#define HELD 8U

static inline int held_init(struct kunit *test)
{
	int err = filter_init(test);

	if (err)
		return err;
	s.calls->held = gp_pending_new(HELD, w->plan->record_bytes + sizeof(u64));
	/* All on one CPU: what is written together is in one ring. */
	set_cpus_allowed_ptr(current, cpumask_of(0));
	return s.calls->held ? 0 : -ENOMEM;
}

static inline void held_exit(struct kunit *test)
{
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	filter_exit(test);
}

/* How many calls are open, of all goroutines. */
static inline u32 open_calls(void)
{
	const struct gp_call *call;
	u32 i, n = 0;

	for (i = 0; i < s.calls->nstacks; i++) {
		call = s.calls->stacks[i].top;
		for (; call; call = call == &s.calls->stacks[i].first ? NULL : call->below)
			n++;
	}
	return n;
}

#endif
