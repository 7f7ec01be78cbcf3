// SPDX-License-Identifier: GPL-2.0
/* Filters that conditions add to the points of a plan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "compile/group_by.h"
#include "plan/plan.h"
#include "plan/select.h"
#include "rows.h"

#define RECORD GOPROBE_ACTION_RECORD
#define COUNT GOPROBE_ACTION_COUNT
#define TIME GOPROBE_ACTION_TIME

/* "call time jump paired held 1", what is the same again is "..." */
static void show_point(FILE *f, const struct goprobe_point *p)
{
	static const char *const kinds[] = {
		[GOPROBE_POINT_CALL] = "call", [GOPROBE_POINT_RETURN] = "return",
		[GOPROBE_POINT_TAIL] = "tail",
	};
	static const char *const actions[] = { "", " count", " time" };

	fprintf(f, "%u %s%s%s%s%s%s", p->id, kinds[p->kind], actions[p->action],
		p->flags & GOPROBE_POINT_F_JUMP ? " jump" : "",
		p->flags & GOPROBE_POINT_F_PAIRED ? " paired" : "",
		p->flags & GOPROBE_POINT_F_UNWOUND ? " held unwound" :
		p->flags & GOPROBE_POINT_F_PENDING ? " held" : "",
		p->flags & GOPROBE_POINT_F_KEYED ? " keyed" : "");
	if (p->filter)
		fprintf(f, " %u", p->filter);
	fputs("; ", f);
}

static bool same(const struct goprobe_point *a, const struct goprobe_point *b)
{
	return a->id == b->id && a->kind == b->kind && a->action == b->action &&
	       a->flags == b->flags && a->filter == b->filter;
}

static void show(FILE *f, const struct plan *p)
{
	const struct plan_points *points = &p->files[0];

	for (size_t i = 0; i < points->n; i++)
		if (!i || !same(&points->v[i - 1], &points->v[i]))
			show_point(f, &points->v[i]);
	for (size_t i = 0; i < p->nfilters; i++) {
		const struct goprobe_filter *filter = &p->filters[i];

		assert_true(filter->nops && filter->op + filter->nops <= p->nfilter_ops);
		for (uint32_t k = 0; k < filter->nops; k++)
			if (p->filter_ops[filter->op + k].code == GOPROBE_OP_UNDER)
				fprintf(f, "%zu under %d; ", i + 1,
					(int)p->filter_ops[filter->op + k].value);
	}
	fprintf(f, "%zu filters", p->nfilters);
}

/* 0, or -1 and @d; the specs live as long as the plan is made. */
static int make_said(struct gobin *bin, const struct plan_options *opt, const char *const *texts,
		     const struct group_by_exprs *by, struct plan **p, struct arena *mem,
		     struct buf *skipped, struct diag *d)
{
	struct plan_options with_by = opt ? *opt : plan_defaults;
	struct spec *specs;
	size_t n = 0;
	int err;

	with_by.by = by;
	while (texts[n])
		n++;
	if (select_specs_parse((char **)(uintptr_t)texts, n, &specs, d))
		return -1;
	*p = plan_new(&with_by);
	assert_non_null(*p);
	err = select_functions(*p, &bin, 1, specs, n, mem, skipped, d) || plan_finish(*p, d);
	select_specs_free(specs, n);
	return err ? -1 : 0;
}

static int make_by(struct gobin *bin, const struct plan_options *opt, const char *const *texts,
		   const struct group_by_exprs *by, struct plan **p, struct arena *mem,
		   struct diag *d)
{
	struct buf skipped = { 0 };
	int err = make_said(bin, opt, texts, by, p, mem, &skipped, d);

	buf_fini(&skipped);
	return err;
}

static int make(struct gobin *bin, const struct plan_options *opt, const char *const *texts,
		struct plan **p, struct arena *mem, struct diag *d)
{
	return make_by(bin, opt, texts, NULL, p, mem, d);
}

static struct row {
	const char *claim;
	const char *specs[4];
	uint8_t action;
	bool no_return;
	const char *points;	/* an error's message, if it has no ';' */
	struct plan_limits limits;
	enum plan_jumps jumps;
} cases[] = {
	{ "without a condition nothing changes", { "main.Ints" }, RECORD, false,
	  "0 call; 0 return; 0 filters" },
	{ "what is decided at the call", { "main.Ints if a > 5" }, RECORD, false,
	  "0 call paired 1; 0 return paired; 1 filters" },
	{ "without returns", { "main.Ints if a > 5" }, RECORD, true, "0 call 1; 1 filters" },
	{ "what is decided at the return", { "main.Ints if ~r0 > 5" }, RECORD, false,
	  "0 call paired held; 0 return paired 1; 1 filters" },
	{ "both", { "main.Ints if ~r0 > 5 && a > 6" }, RECORD, false,
	  "0 call paired held 1; 0 return paired 2; 2 filters" },
	{ "how long it took", { "main.Ints if duration > 1s" }, RECORD, false,
	  "0 call paired held; 0 return paired 1; 1 filters" },
	{ "what a panic ends", { "main.Ints if panicked" }, RECORD, false,
	  "0 call paired held unwound; 0 return paired 1; 1 filters" },
	{ "or what returns so", { "main.Ints if a > 5 && (panicked || ~r0 > 6)" }, RECORD, false,
	  "0 call paired held unwound 1; 0 return paired 2; 2 filters" },
	{ "what no panic ends", { "main.Ints if !panicked" }, RECORD, false,
	  "0 call paired held; 0 return paired; 0 filters" },
	{ "what a panic ends can't be counted", { "main.Ints if panicked" }, COUNT, true,
	  "calls of main.Ints that a panic ends can be shown, by attach, but not be counted or timed",
	},
	{ "nor timed", { "main.Ints if panicked || ~r0 > 5" }, TIME, false,
	  "calls of main.Ints that a panic ends can be shown, by attach, but not be counted or timed",
	},
	{ "what no panic ends can", { "main.Ints if !panicked" }, COUNT, true,
	  "0 return count; 0 filters" },
	{ "descendants of one goroutine", { "main.Ints if descendant(5)",
	  "main.Leaf if descendant(5)" },
	  RECORD, true, "0 call 1; 1 call 1; 1 filters" },
	{ "descendants of two: the second condition is left out",
	  { "main.Ints if descendant(5)", "main.Leaf if descendant(6)" }, RECORD, true,
	  "0 call 1; 1 filters" },
	{ "what returns decide needs returns", { "main.Ints if ~r0 > 5" }, RECORD, true,
	  "this condition is decided when main.Ints returns, and --no-return leaves that out" },
	{ "what always holds is no condition", { "main.Ints if e >= 0" }, RECORD, false,
	  "0 call; 0 return; 0 filters" },
	{ "the same condition of two functions is one", { "main.Ints if a > 5",
	  "main.Leaf if a > 5" },
	  RECORD, false,
	  "0 call paired 1; 0 return paired; 1 call paired 1; 1 return paired; 1 filters" },
	{ "what counts its hits is its own", { "main.Ints if n > 5", "main.Leaf if n > 5" },
	  RECORD, false,
	  "0 call paired 1; 0 return paired; 1 call paired 2; 1 return paired; 2 filters" },
	{ "calls are counted where they are made", { "main.Ints if a > 5" }, COUNT, true,
	  "0 call count 1; 1 filters" },
	{ "or where they end", { "main.Ints if ~r0 > 5" }, COUNT, true,
	  "0 return count 1; 1 filters" },
	{ "or timed, if both matter", { "main.Ints if ~r0 > 5 && a > 6" }, COUNT, true,
	  "0 call time 1; 0 return time 2; 2 filters" },
	{ "or how long they took", { "main.Ints if duration > 5ms" }, COUNT, true,
	  "0 call time; 0 return time 1; 1 filters" },
	{ "what is timed", { "main.Ints if a > 6 && ~r0 > 5" }, TIME, false,
	  "0 call time 1; 0 return time 2; 2 filters" },
	{ "the function around is followed", { "main.Ints if under(main.Leaf)" }, RECORD, false,
	  "0 call paired 1; 0 return paired; 1 call time; 1 return time; 1 under 1; 1 filters" },
	{ "two conditions about one", { "main.Ints if under(main.Leaf)",
	  "main.Floats if under(main.Leaf)" },
	  RECORD, true,
	  "0 call 1; 1 call 1; 2 call time; 2 return time; 1 under 2; 1 filters" },
	{ "a function around that is traced", { "main.Ints if under(main.Leaf)", "main.Leaf" },
	  RECORD, false,
	  "0 call paired 1; 0 return paired; 1 call paired; 1 return paired; "
	  "1 under 1; 1 filters" },
	{ "but without returns it is followed", { "main.Ints if under(main.Leaf)", "main.Leaf" },
	  RECORD, true,
	  "0 call 1; 1 call; 2 call time; 2 return time; 1 under 2; 1 filters" },
	{ "a function around that is timed", { "main.Ints if under(main.Leaf)", "main.Leaf" }, TIME,
	  false,
	  "0 call time 1; 0 return time; 1 call time; 1 return time; 1 under 1; 1 filters" },
	{ "a function around that is counted", { "main.Ints if under(main.Leaf)", "main.Leaf" },
	  COUNT, true,
	  "0 call count 1; 1 call count; 2 call time; 2 return time; 1 under 2; 1 filters" },
	{ "a function around with a condition", { "main.Ints if under(main.Leaf)",
	  "main.Leaf if a > 1" },
	  RECORD, false,
	  "main.Leaf is traced with a condition of its own, so not all of its calls are known" },
	{ "a function around itself", { "main.Leaf if under(main.Leaf)" }, RECORD, false,
	  "main.Leaf is traced with a condition of its own, so not all of its calls are known" },
	{ "a function around that is not there", { "main.Ints if under(main.Laef)" }, RECORD, false,
	  "no function of *" },
	{ "a condition that some functions lack", { "/^main.(Ints|Floats|Nothing)$/ if i > 5" },
	  RECORD, true, "0 call 1; 1 filters" },
	{ "a sample has a counter of each function", { "main.Ints", "main.Leaf" }, RECORD, false,
	  "0 call paired 1; 0 return paired; 1 call paired 2; 1 return paired; 2 filters",
	  { .sample = 10 } },
	{ "a sample of one is all", { "main.Ints" }, RECORD, false,
	  "0 call; 0 return; 0 filters", { .sample = 1 } },
	{ "goroutines need no counter", { "main.Ints", "main.Leaf" }, RECORD, false,
	  "0 call paired 1; 0 return paired; 1 call paired 1; 1 return paired; 1 filters",
	  { .sample = 10, .by = PLAN_SAMPLE_GOROUTINE } },
	{ "trees do", { "main.Ints", "main.Leaf" }, RECORD, false,
	  "0 call paired 1; 0 return paired; 1 call paired 2; 1 return paired; 2 filters",
	  { .sample = 10, .by = PLAN_SAMPLE_ROOT } },
	{ "a limit without returns", { "main.Ints" }, RECORD, true, "0 call 1; 1 filters",
	  { .times = 3 } },
	{ "a limit behind a condition", { "main.Ints if a > 5" }, RECORD, false,
	  "0 call paired 1; 0 return paired; 1 filters", { .rate = 3 } },
	{ "the same condition, and limits", { "main.Ints if a > 5", "main.Leaf if a > 5" }, RECORD,
	  false, "0 call paired 1; 0 return paired; 1 call paired 2; 1 return paired; 2 filters",
	  { .rate = 3 } },
	{ "what the return decides is counted there", { "main.Ints if ~r0 > 5" }, RECORD, false,
	  "0 call paired held; 0 return paired 1; 1 filters", { .times = 3 } },
	{ "but goroutines are known at the call", { "main.Ints if ~r0 > 5" }, RECORD, false,
	  "0 call paired held 1; 0 return paired 2; 2 filters",
	  { .sample = 3, .by = PLAN_SAMPLE_GOROUTINE } },
	{ "and trees cannot wait", { "main.Ints if ~r0 > 5" }, RECORD, false,
	  "the condition of main.Ints is decided when it returns, and whether a tree of calls is shown when it begins",
	  { .sample = 3, .by = PLAN_SAMPLE_ROOT } },
	{ "a function around that has a limit", { "main.Ints if under(main.Leaf)", "main.Leaf" },
	  RECORD, false,
	  "main.Leaf is traced with a limit of its own, so not all of its calls are known",
	  { .rate = 3 } },
	{ "one instruction alone can't be timed", { "main.Nothing" }, TIME, false,
	  "main.Nothing is one instruction alone, so a call and its return look the same" },
	{ "nor paired", { "main.Nothing if goid > 5" }, RECORD, false,
	  "main.Nothing is one instruction alone, so a call and its return look the same" },
	{ "nor counted by its durations", { "main.Nothing if duration > 1s" }, COUNT, true,
	  "main.Nothing is one instruction alone, so a call and its return look the same" },
	{ "nor followed", { "main.Ints if under(main.Nothing)" }, RECORD, false,
	  "main.Nothing is one instruction alone, so a call and its return look the same" },
	{ "nor followed, if it is traced", { "main.Ints if under(main.Nothing)", "main.Nothing" },
	  RECORD, false,
	  "main.Nothing is one instruction alone, so a call and its return look the same" },
	{ "but traced", { "main.Nothing" }, RECORD, false, "0 call; 0 return; 0 filters" },
	{ "and counted where it begins", { "main.Nothing if goid > 5" }, COUNT, true,
	  "0 call count 1; 1 filters" },
	{ "and shown without its return", { "main.Nothing if goid > 5" }, RECORD, true,
	  "0 call 1; 1 filters" },
	{ "of several it is left out", { "/^main.(Leaf|Nothing)$/" }, TIME, false,
	  "0 call time; 0 return time; 0 filters" },
	{ "a function around that has none", { "main.Ints if under(main.Leaf)" }, RECORD, false,
	  "0 call paired 1; 0 return paired; 1 call time; 1 return time; 1 under 1; 1 filters",
	  { .rate = 3 } },
	{ "what is timed may become jumps", { "main.Deep" }, TIME, false,
	  "0 call time jump; 0 return time jump; 0 filters", .jumps = PLAN_JUMPS_AUTO },
	{ "so may what is recorded", { "main.Deep" }, RECORD, false,
	  "0 call jump; 0 return jump; 0 filters", .jumps = PLAN_JUMPS_AUTO },
	{ "also if its return is not", { "main.Deep" }, RECORD, true, "0 call jump; 0 filters",
	  .jumps = PLAN_JUMPS_AUTO },
	{ "but not ends whose records are more than numbers", { "main.Strings" }, RECORD, false,
	  "0 call jump; 0 return; 0 filters", .jumps = PLAN_JUMPS_AUTO },
	{ "nor what has a condition", { "main.Deep if goid > 5" }, TIME, false,
	  "0 call time 1; 0 return time; 1 filters", .jumps = PLAN_JUMPS_AUTO },
	{ "nor what is recorded with one", { "main.Deep if n > 5" }, RECORD, false,
	  "0 call paired 1; 0 return paired; 1 filters", .jumps = PLAN_JUMPS_AUTO },
	{ "unless its return is not", { "main.Deep if n > 5" }, RECORD, true,
	  "0 call jump 1; 1 filters", .jumps = PLAN_JUMPS_AUTO },
	{ "nor a recorded function around", { "main.Ints if under(main.Deep)", "main.Deep" },
	  RECORD, false,
	  "0 call paired 1; 0 return paired; 1 call paired; 1 return paired; 1 under 1; 1 filters",
	  .jumps = PLAN_JUMPS_AUTO },
	{ "nor a function around", { "main.Ints if under(main.Deep)" }, TIME, false,
	  "0 call time 1; 0 return time; 1 call time; 1 return time; 1 under 1; 1 filters",
	  .jumps = PLAN_JUMPS_AUTO },
	{ "even if it is timed for itself", { "main.Ints if under(main.Deep)", "main.Deep" },
	  TIME, false,
	  "0 call time 1; 0 return time; 1 call time; 1 return time; 1 under 1; 1 filters",
	  .jumps = PLAN_JUMPS_AUTO },
};

ROWS(test_row, cases)
{
	const struct row *row = *state;
	struct plan_options opt = plan_defaults;
	struct gobin *bin = bins_newest("");
	struct arena mem = { 0 };
	struct diag d = { 0 };
	struct plan *p = NULL;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	opt.action = row->action;
	opt.no_return = row->no_return;
	opt.limits = row->limits;
	opt.jumps = row->jumps;
	if (make(bin, &opt, row->specs, &p, &mem, &d))
		fputs(strncmp(d.message, "no function of", 14) ? d.message :
		      "no function of *", f);
	else
		show(f, p);
	fclose(f);
	assert_string_equal(text, row->points);
	free(text);
	diag_fini(&d);
	plan_free(p);
	arena_fini(&mem);
	gobin_free(bin);
}

/* A filter that makes a key is followed by "key", "stack" or "key stack"; and by "value". */
static struct keyed_row {
	const char *claim;
	const char *spec;
	const char *by;
	uint8_t action;
	const char *points;
	uint32_t stack;
	const char *value;
} keyed[] = {
	{ "counted by a parameter", "main.Ints", "a", COUNT, "0 call count 1 key; " },
	{ "by a result", "main.Ints", "~r0", COUNT, "0 return count 1 key; " },
	{ "by the goroutine", "main.Ints", "goid", COUNT, "0 call count 1 key; " },
	{ "with a condition at the call", "main.Ints if a > 5", "b", COUNT,
	  "0 call count 1 key; " },
	{ "by the goroutine, with a condition at the return", "main.Ints if ~r0 > 5", "goid",
	  COUNT, "0 return count 1 key; " },
	{ "by a result, with one at the return", "main.Ints if ~r0 > 5", "~r0", COUNT,
	  "0 return count 1 key; " },
	{ "by a parameter, with one at the return", "main.Ints if ~r0 > 5", "a", COUNT,
	  "0 call time keyed 1 key; 0 return time keyed 2; " },
	{ "by a result, with one at the call", "main.Ints if a > 5", "~r0", COUNT,
	  "0 call time keyed 1; 0 return time keyed 2 key; " },
	{ "by the goroutine, with the duration", "main.Ints if duration > 1s", "goid", COUNT,
	  "0 call time keyed; 0 return time keyed 1 key; " },
	{ "timed by a parameter", "main.Ints", "a", TIME,
	  "0 call time keyed 1 key; 0 return time keyed; " },
	{ "timed by the goroutine, also if jumps are wanted", "main.Deep", "goid", TIME,
	  "0 call time keyed 1 key; 0 return time keyed; " },
	{ "timed by a result", "main.Ints", "~r0", TIME,
	  "0 call time keyed; 0 return time keyed 1 key; " },
	{ "timed by the goroutine, with both conditions", "main.Ints if a > 5 && ~r0 > 5", "goid",
	  TIME, "0 call time keyed 1 key; 0 return time keyed 2; " },
	{ "what lacks it is left out", "/^main.(Ints|Floats|Nothing)$/", "i", COUNT,
	  "0 call count 1 key; " },
	{ "by stack", "main.Ints", NULL, COUNT, "0 call count 1 stack; ", 64 },
	{ "by stack, with a condition at the return", "main.Ints if ~r0 > 5", NULL, COUNT,
	  "0 return count 1 stack; ", 64 },
	{ "by a parameter and by stack", "main.Ints", "a", COUNT, "0 call count 1 key stack; ",
	  64 },
	{ "by a parameter and by stack, with a condition", "main.Ints if b > 5", "a", COUNT,
	  "0 call count 1 key stack; ", 64 },
	{ "by a result and by stack", "main.Ints", "~r0", COUNT, "0 return count 1 key stack; ",
	  64 },
	{ "by stack, with conditions at both sides", "main.Ints if a > 5 && ~r0 > 5", NULL, COUNT,
	  "0 call time keyed 1; 0 return time keyed 2 stack; ", 64 },
	{ "by a parameter and by stack, with a condition at the return", "main.Ints if ~r0 > 5",
	  "a", COUNT, "0 call time keyed 1 key stack; 0 return time keyed 2; ", 64 },
	{ "timed by stack", "main.Ints", NULL, TIME,
	  "0 call time keyed 1 stack; 0 return time keyed; ", 64 },
	{ "timed by stack, with a condition at the return", "main.Ints if ~r0 > 5", NULL, TIME,
	  "0 call time keyed 1 stack; 0 return time keyed 2; ", 64 },
	{ "timed by a result and by stack", "main.Ints", "~r0", TIME,
	  "0 call time keyed; 0 return time keyed 1 key stack; ", 64 },
	{ "a value of a parameter", "main.Ints", NULL, COUNT, "0 call count 1 value; ", 0, "a" },
	{ "of a result", "main.Ints", NULL, COUNT, "0 return count 1 value; ", 0, "~r0" },
	{ "of a parameter, by a parameter", "main.Ints", "b", COUNT,
	  "0 call count 1 key value; ", 0, "a" },
	{ "of a result, by the goroutine", "main.Ints", "goid", COUNT,
	  "0 return count 1 key value; ", 0, "~r0" },
	{ "of a result, by a parameter", "main.Ints", "b", COUNT,
	  "0 call time keyed 1 key; 0 return time keyed 2 value; ", 0, "~r0" },
	{ "of the goroutine, by a result", "main.Ints", "~r0", COUNT,
	  "0 return count 1 key value; ", 0, "goid" },
	{ "of the goroutine, by a parameter, with a condition at the return",
	  "main.Ints if ~r0 > 5", "a", COUNT,
	  "0 call time keyed 1 key; 0 return time keyed 2 value; ", 0, "goid" },
	{ "of a parameter, with a condition at the call", "main.Ints if b > 5", NULL, COUNT,
	  "0 call count 1 value; ", 0, "a" },
	{ "of a result, with a condition at the call", "main.Ints if a > 5", NULL, COUNT,
	  "0 call time keyed 1; 0 return time keyed 2 value; ", 0, "~r0" },
	{ "of a result, with one at the return", "main.Ints if ~r0 > 5", NULL, COUNT,
	  "0 return count 1 value; ", 0, "~r0" },
	{ "of a result, with the duration", "main.Ints if duration > 1s", NULL, COUNT,
	  "0 call time keyed; 0 return time keyed 1 value; ", 0, "~r0" },
	{ "of a result, of calls under a function", "main.Ints if under(main.Leaf)", NULL, COUNT,
	  "0 call time keyed 1; 0 return time keyed 2 value; 1 call time; 1 return time; ", 0,
	  "~r0" },
	{ "a function around has no stack", "main.Ints if under(main.Leaf)", NULL, TIME,
	  "0 call time keyed 1 stack; 0 return time keyed; 1 call time; 1 return time; ", 64 },
	{ "a function around has no key", "main.Ints if under(main.Leaf)", "a", TIME,
	  "0 call time keyed 1 key; 0 return time keyed; 1 call time; 1 return time; " },
};

static void show_key(FILE *f, const struct goprobe_op *ops, uint32_t nops)
{
	bool stack = ops[nops - 1].code == GOPROBE_OP_KEY_STACK, key = false, value = false;

	for (uint32_t i = 0; i < nops; i++) {
		key |= ops[i].code == GOPROBE_OP_KEY;
		value |= ops[i].code == GOPROBE_OP_SVALUE;
	}
	if (!key && !stack && !value)
		return;
	fseek(f, -2, SEEK_CUR);
	fprintf(f, "%s%s%s; ", key ? " key" : "", stack ? " stack" : "", value ? " value" : "");
}

static void show_keyed(FILE *f, const struct plan *p)
{
	const struct plan_points *points = &p->files[0];

	for (size_t i = 0; i < points->n; i++) {
		uint32_t id = points->v[i].filter;
		const struct goprobe_filter *filter = &p->filters[id ? id - 1 : 0];

		if (i && same(&points->v[i - 1], &points->v[i]))
			continue;
		show_point(f, &points->v[i]);
		if (id)
			show_key(f, &p->filter_ops[filter->op], filter->nops);
	}
}

ROWS(test_keyed, keyed)
{
	const struct keyed_row *row = *state;
	const char *const specs[] = { row->spec, NULL };
	struct plan_options opt = plan_defaults;
	struct gobin *bin = bins_newest("");
	struct group_by_exprs by = { .n = 0 };
	struct arena mem = { 0 };
	struct diag d = { 0 };
	struct plan *p;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	opt.action = row->action;
	opt.no_return = row->action == COUNT;
	opt.stack = row->stack;
	opt.jumps = PLAN_JUMPS_AUTO;
	if (row->by)
		assert_int_equal(group_by_parse(&by, row->by, &d), 0);
	if (row->value)
		assert_int_equal(group_by_parse_value(&by, row->value, &d), 0);
	if (make_by(bin, &opt, specs, row->by || row->value ? &by : NULL, &p, &mem, &d))
		fail_msg("%s", d.message);
	show_keyed(f, p);
	fclose(f);
	assert_string_equal(text, row->points);
	free(text);
	plan_free(p);
	group_by_fini(&by);
	arena_fini(&mem);
	gobin_free(bin);
}

/* The value is not kept until the return decides. */
TEST(test_late, "values that are known too early")
{
	static const struct { const char *spec, *by, *message; } late[] = {
		{ "main.Ints if ~r0 > 5", NULL,
		  "'a' is known when main.Ints is called, and its condition when it returns: a value can't wait for that",
		},
		{ "main.Ints", "~r0",
		  "'a' is known when main.Ints is called, and its --by when it returns: a value can't wait for that",
		},
	};

	for (size_t i = 0; i < N(late); i++) {
		const char *const specs[] = { late[i].spec, NULL };
		struct plan_options opt = plan_defaults;
		struct gobin *bin = bins_newest("");
		struct group_by_exprs by = { .n = 0 };
		struct arena mem = { 0 };
		struct plan *p = NULL;
		struct diag d = { 0 };

		opt.action = COUNT;
		opt.no_return = true;
		assert_int_equal(group_by_parse_value(&by, "a", &d), 0);
		if (late[i].by)
			assert_int_equal(group_by_parse(&by, late[i].by, &d), 0);
		assert_int_equal(make_by(bin, &opt, specs, &by, &p, &mem, &d), -1);
		assert_string_equal(d.message, late[i].message);
		assert_string_equal(d.hint, "'goprobectl attach' shows both sides of each call");
		diag_fini(&d);
		plan_free(p);
		group_by_fini(&by);
		arena_fini(&mem);
		gobin_free(bin);
	}
}

/* A jump to another function has no results: conditions on results are undecided there. */
TEST(test_tails, "jumps to other functions")
{
	static const char *const texts[][2] = {
		{ "/^main\\..*-fm$|^main\\..*Shape/ if ~r0 > 0.5" }, { "main.* if duration > 1s" },
	};
	struct gobin *bin = bins_newest("");

	for (size_t i = 0; i < N(texts); i++) {
		struct arena mem = { 0 };
		struct diag d = { 0 };
		struct plan *p = NULL;

		if (!make(bin, &plan_defaults, texts[i], &p, &mem, &d))
			for (size_t k = 0; k < p->files[0].n; k++) {
				const struct goprobe_point *pt = &p->files[0].v[k];
				const struct goprobe_filter *filter;

				if (pt->kind != GOPROBE_POINT_TAIL)
					continue;
				filter = &p->filters[pt->filter - 1];
				assert_int_equal(p->filter_ops[filter->op].code,
						 i ? GOPROBE_OP_DURATION : GOPROBE_OP_FAIL);
			}
		plan_free(p);
		diag_fini(&d);
		arena_fini(&mem);
	}
	gobin_free(bin);
}

/* Omitted functions are reported with the reason, also if all are omitted. */
TEST(test_left_out, "omitted functions are reported")
{
	static const struct {
		const char *spec;
		uint8_t action;
		const char *said;
	} rows[] = {
		{ "/^main.(Leaf|Nothing)$/", TIME,
		  "1 function or place left out: 1 one instruction alone, so a call and its return look the same",
		},
		{ "/^main.(Nothing)$/", TIME,
		  "no function that '/^main.(Nothing)$/' matches can be probed; 1 function or place left out: 1 one instruction alone, so a call and its return look the same",
		},
		{ "/^main.(Leaf|Ints)$/ if panicked", TIME,
		  "calls of main.Ints that a panic ends can be shown, by attach, but not be counted or timed; none of the 2 functions that match has the requested values; this is the first one's reason",
		},
	};
	struct gobin *bin = bins_newest("");

	for (size_t i = 0; i < N(rows); i++) {
		const char *const texts[] = { rows[i].spec, NULL };
		struct plan_options opt = plan_defaults;
		struct buf skipped = { 0 };
		struct arena mem = { 0 };
		struct diag d = { 0 };
		struct plan *p;

		opt.action = rows[i].action;
		if (make_said(bin, &opt, texts, NULL, &p, &mem, &skipped, &d)) {
			buf_str(&skipped, d.message);
			buf_str(&skipped, "; ");
			buf_str(&skipped, d.hint);
		}
		buf_char(&skipped, 0);
		assert_string_equal(skipped.p, rows[i].said);
		buf_fini(&skipped);
		diag_fini(&d);
		plan_free(p);
		arena_fini(&mem);
	}
	gobin_free(bin);
}

TEST(test_held, "capacity for held calls")
{
	static const char *const held[] = { "main.Strings if err != nil", "main.Leaf", NULL };
	static const char *const lists[] = { "main.Refs(p.Value, t.Value) if ~r0 != nil", NULL };
	static const char *const none[] = { "main.Leaf if a > 1", NULL };
	struct plan_options opt = plan_defaults;
	struct gobin *bin = bins_newest("");
	struct arena mem = { 0 };
	struct diag d = { 0 };
	struct plan *p;

	assert_int_equal(make(bin, &opt, held, &p, &mem, &d), 0);
	/* A header, its time, a string, a slice and a string, what is behind them. */
	assert_int_equal(p->held_bytes, sizeof(struct goprobe_record) + 8 + 16 + 24 + 16 + 960);
	for (size_t i = 0; i < p->nplans; i++)
		assert_int_equal(p->plans[i].bytes, i == p->funcs[0]->call.plan ? 960 : 12288);
	plan_free(p);
	opt.held_bytes = 2000;
	opt.bytes = 100;
	assert_int_equal(make(bin, &opt, lists, &p, &mem, &d), 0);
	assert_int_equal(p->held_bytes, sizeof(struct goprobe_record) + 8 + 16 + 100 + 16);
	plan_free(p);
	assert_int_equal(make(bin, &opt, none, &p, &mem, &d), 0);
	assert_int_equal(p->held_bytes, 0);
	plan_free(p);
	arena_fini(&mem);
	gobin_free(bin);
}
