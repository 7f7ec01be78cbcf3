// SPDX-License-Identifier: GPL-2.0
/* Limits of a plan, and their messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libgoprobe.h"
#include "machine.h"
#include "plan/limit.h"
#include "rows.h"
#include "trace/call_quota.h"
#include "trace/overload.h"

/* --- operations ------------------------------------------------------------------- */

#define HITS 40

/*
 * What becomes of hits, by the letter: Passes, Limited, Sampled; in small letters if it is to be
 * remembered as muted. The setup is the machine's, but for what it has counted.
 */
static struct ops_row {
	const char *claim;
	struct plan_limits limits;
	bool later;	/* the condition is decided at the return */
	const char *setup;
	const char *call;	/* NULL: there are no operations */
	const char *ret;
} ops_rows[] = {
	{ "no limit", { 0 }, false, "", NULL, NULL },
	{ "one of one", { .sample = 1 }, false, "", NULL, NULL },
	{ "the first of three, and so on", { .sample = 3 }, false, "", "PSSPSSP", NULL },
	{ "a rate", { .rate = 3 }, false, "", "PPPLLL", NULL },
	{ "a total", { .times = 2 }, false, "", "PPLL", NULL },
	{ "a limit counts what the sample leaves", { .sample = 2, .times = 2 }, false, "",
	  "PSPSLSLS", NULL },
	{ "all three", { .sample = 2, .rate = 3, .times = 2 }, false, "", "PSPSLSLS", NULL },
	{ "at the return", { .sample = 2, .times = 2 }, true, "", NULL, "PSPSLSLS" },
	{ "outside of a tree every second begins one", { .sample = 2, .by = PLAN_SAMPLE_ROOT },
	  false, "root=0", "PsPsPs", NULL },
	{ "in one all pass", { .sample = 2, .by = PLAN_SAMPLE_ROOT }, false, "root=1", "PPPP",
	  NULL },
	{ "in a muted one none", { .sample = 2, .by = PLAN_SAMPLE_ROOT }, false, "root=2", "SSSS",
	  NULL },
	{ "a rate of trees", { .rate = 2, .by = PLAN_SAMPLE_ROOT }, false, "root=0",
	  "PPllll", NULL },
	{ "in one of them", { .rate = 2, .by = PLAN_SAMPLE_ROOT }, false, "root=1", "PPPPPP",
	  NULL },
	{ "in one too many", { .rate = 2, .by = PLAN_SAMPLE_ROOT }, false, "root=2", "LLLL",
	  NULL },
	{ "a sample and a rate of trees", { .sample = 2, .rate = 2, .by = PLAN_SAMPLE_ROOT },
	  false, "root=0", "PsPslsls", NULL },
};

static void run_ops(struct machine *m, const struct plan_filter_more *more, const char *want)
{
	static const char letters[] = {
		[MACHINE_PASSES] = 'P', [MACHINE_REJECTED] = 'R', [MACHINE_UNDECIDED] = 'U',
		[MACHINE_LIMITED] = 'L', [MACHINE_SAMPLED] = 'S',
	};
	char got[HITS + 1] = "";

	if (!want) {
		assert_int_equal(more->nops, 0);
		return;
	}
	assert_in_range(more->nops, 1, PLAN_LIMIT_OPS_MAX);
	for (size_t i = 0; want[i]; i++) {
		got[i] = letters[machine_filter(m, more->ops, more->nops)];
		got[i] |= m->muted ? 0x20 : 0;
	}
	assert_string_equal(got, want);
}

ROWS(test_ops, ops_rows)
{
	const struct ops_row *row = *state;
	struct goprobe_op ops[PLAN_LIMIT_OPS_MAX];
	struct plan_filter_more more;
	struct machine m;

	machine_set(&m, row->setup);
	more = plan_limit_call(&row->limits, row->later, ops);
	run_ops(&m, &more, row->call);
	assert_int_equal(more.counts, more.nops && row->limits.by != PLAN_SAMPLE_GOROUTINE);
	machine_set(&m, row->setup);
	more = plan_limit_return(&row->limits, row->later, ops);
	run_ops(&m, &more, row->ret);
	assert_int_equal(more.counts, more.nops != 0);
	/* The user's own "n" has another counter. */
	assert_int_equal(m.number, 0);
}

/* One goroutine of N, with any pattern of ids, and always the same ones. */
TEST(test_goroutines, "goroutines by a hash of their ids")
{
	static const unsigned int steps[] = { 1, 2, 8, 100, 16, 1024 };
	const struct plan_limits limits = { .sample = 8, .by = PLAN_SAMPLE_GOROUTINE };
	struct goprobe_op ops[PLAN_LIMIT_OPS_MAX];
	struct plan_filter_more more = plan_limit_call(&limits, true, ops);
	struct machine m;

	assert_false(more.counts);
	machine_set(&m, "");
	for (size_t i = 0; i < N(steps); i++) {
		unsigned int passed = 0;

		for (unsigned int k = 0; k < 8000; k++) {
			m.task[GOPROBE_TASK_GOID] = 1 + (uint64_t)k * steps[i];
			enum machine_verdict first = machine_filter(&m, more.ops, more.nops);

			assert_true(first == MACHINE_PASSES || first == MACHINE_SAMPLED);
			assert_int_equal(machine_filter(&m, more.ops, more.nops), first);
			assert_false(m.muted);
			passed += first == MACHINE_PASSES;
		}
		assert_in_range(passed, 850, 1150);
	}
}

#define WINDOW 9
#define WINDOWS 12000U

/*
 * At 1/3 nine goroutines that start one after the other are all left out in 2.6 of 100 cases by
 * chance, and six or more of them are chosen in 4.2.
 */
TEST(test_neighbours, "goroutines that start together are chosen as by chance")
{
	const struct plan_limits limits = { .sample = 3, .by = PLAN_SAMPLE_GOROUTINE };
	struct goprobe_op ops[PLAN_LIMIT_OPS_MAX];
	struct plan_filter_more more = plan_limit_call(&limits, true, ops);
	unsigned int in_window = 0, none = 0, many = 0, all = 0;
	static bool chosen[WINDOWS + WINDOW];
	struct machine m;

	machine_set(&m, "");
	for (size_t i = 0; i < N(chosen); i++) {
		m.task[GOPROBE_TASK_GOID] = i + 1;
		chosen[i] = machine_filter(&m, more.ops, more.nops) == MACHINE_PASSES;
		all += chosen[i];
		in_window += chosen[i];
		if (i < WINDOW)
			continue;
		in_window -= chosen[i - WINDOW];
		none += !in_window;
		many += in_window >= 6;
	}
	assert_in_range(all, N(chosen) * 32 / 100, N(chosen) * 35 / 100);
	assert_in_range(none, WINDOWS * 18 / 1000, WINDOWS * 35 / 1000);
	assert_in_range(many, WINDOWS * 32 / 1000, WINDOWS * 53 / 1000);
}

/* --- the breaker ------------------------------------------------------------------ */

static struct load_row {
	const char *claim;
	uint64_t max_load;
	uint64_t hit_ns;
	unsigned int processors;
	struct goprobe_breaker want;
} load_rows[] = {
	{ "half of all processors", 0, 1500, 8, { 1500, 400 } },
	{ "of one", 0, 1500, 1, { 1500, 50 } },
	{ "if nobody knows how many there are", 0, 1500, 0, { 1500, 50 } },
	{ "what is said", 120, 1500, 8, { 1500, 120 } },
	{ "the most", 1000000, 1, 1, { 1, 1000000 } },
	{ "none", GOPROBE_LOAD_ANY, 1500, 8, { 0, 0 } },
	{ "nor if it is not known what a hit takes", 120, 0, 8, { 0, 0 } },
	{ "a hit that takes for ever", 1, UINT64_MAX, 8, { UINT32_MAX, 1 } },
};

ROWS(test_load, load_rows)
{
	const struct load_row *row = *state;
	struct goprobe_breaker b = overload_breaker(row->max_load, row->hit_ns, row->processors);

	assert_int_equal(b.hit_ns, row->want.hit_ns);
	assert_int_equal(b.percent, row->want.percent);
}

TEST(test_said, "what is said when it was too much")
{
	const struct goprobe_breaker b = { .hit_ns = 2500, .percent = 200 };
	static const char begins[] =
		"{\"kind\":\"broken\",\"hits_per_second\":1200000,\"percent\":300,";
	struct buf text = { 0 }, json = { 0 };

	assert_int_equal(overload_percent(&b, 400000), 100);
	overload_say(&b, 1200000, &text);
	buf_char(&text, 0);
	assert_string_equal(text.p,
			    "ended by --max-load: 1200000 hits a second take 300 % of a processor's time, more than 200 %; the breakpoints were removed and the program goes on; trace functions that are called less often, or allow more");
	buf_fini(&text);
	overload_say(&b, 800000, &text);
	buf_char(&text, 0);
	assert_string_equal(text.p,
			    "ended by --max-load: 800000 hits a second wait for each other: the programs spend more of a processor's time in the kernel than 200 %; the breakpoints were removed and the program goes on; trace functions that are called less often, or allow more");
	overload_json(&b, 1200000, &json);
	buf_char(&json, 0);
	assert_int_equal(strncmp(json.p, begins, sizeof(begins) - 1), 0);
	assert_non_null(strstr(json.p, ",\"max_percent\":200,\"hit_ns\":2500,\"text\":\"ended"));
	assert_string_equal(strstr(json.p, "or allow"), "or allow more\"}\n");
	buf_fini(&text);
	buf_fini(&json);
}

/* --- functions that have been seen so often --------------------------------------- */

TEST(test_times, "functions that have been seen so often")
{
	struct plan_func funcs[] = {
		{ .ends = true }, { .ends = false }, { .ends = true, .hidden = true },
		{ .ends = true, .around = true }, { .ends = true },
	}, *v[N(funcs)];
	struct plan p = { .funcs = v, .nfuncs = N(funcs) };
	struct call_quota t;

	for (size_t i = 0; i < N(funcs); i++)
		v[i] = &funcs[i];
	assert_int_equal(call_quota_init(&t, &p, 2), 0);
	assert_int_equal(t.left, 3);
	for (int i = 0; i < 9; i++) {
		call_quota_call(&t, 2);
		call_quota_end(&t, 3);
		call_quota_call(&t, 99);
		call_quota_end(&t, 99);
	}
	assert_int_equal(t.left, 3);
	/* Calls in each other end in any order. */
	call_quota_call(&t, 0);
	call_quota_call(&t, 0);
	assert_int_equal(t.ndone, 0);
	call_quota_end(&t, 0);
	assert_int_equal(t.ndone, 0);
	call_quota_end(&t, 0);
	assert_int_equal(t.ndone, 1);
	assert_int_equal(t.done[0], 0);
	/* Without returns calls are enough. */
	call_quota_call(&t, 1);
	call_quota_call(&t, 1);
	assert_int_equal(t.ndone, 2);
	assert_int_equal(t.done[1], 1);
	assert_int_equal(t.left, 1);
	t.ndone = 0;
	/* Once is enough. */
	call_quota_call(&t, 0);
	call_quota_end(&t, 0);
	assert_int_equal(t.ndone, 0);
	call_quota_call(&t, 4);
	call_quota_end(&t, 4);
	call_quota_call(&t, 4);
	call_quota_end(&t, 4);
	assert_int_equal(t.ndone, 1);
	assert_int_equal(t.done[0], 4);
	assert_int_equal(t.left, 0);
	call_quota_fini(&t);
}
