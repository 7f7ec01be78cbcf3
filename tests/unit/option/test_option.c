// SPDX-License-Identifier: GPL-2.0
/* The table of options: its rows, the values that they take, and exclusions. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option/option.h"
#include "rows.h"

/* --- the table -------------------------------------------------------------------- */

static void check_row(const struct option_row *row)
{
	bool is_number = row->kind <= OPTION_CHOICE;

	assert_true(row->field.size && row->field.offset + row->field.size <=
		    sizeof(struct options));
	assert_int_equal(!row->arg, row->kind == OPTION_FLAG);
	assert_int_equal(!row->choices,
			 row->kind != OPTION_CHOICE && row->kind != OPTION_FORMAT &&
			 row->kind != OPTION_WEIGHT);
	assert_true(!row->commands == !row->help);
	assert_true(is_number || (!row->key && !row->recorded && !row->initial));
	assert_true(!row->recorded || row->key);
	assert_true(row->kind != OPTION_FLAG || row->field.size == sizeof(bool));
	/* Where text is 80 columns wide, and begins in column 26. */
	for (const char *s = row->help; s && *s; s += strcspn(s, "\n"), s += *s == '\n')
		assert_true(strcspn(s, "\n") <= 64);
}

TEST(rows_are_whole_and_unique, "rows are whole and unique")
{
	assert_true(option_number <= OPTION_ROWS_MAX);
	for (size_t i = 0; i < option_number; i++) {
		const struct option_row *a = &option_rows[i];

		check_row(a);
		for (size_t k = 0; k < i; k++) {
			const struct option_row *b = &option_rows[k];

			assert_true(!a->key || a->key != b->key);
			if (!(a->commands & b->commands) || !a->name || !b->name)
				continue;
			assert_string_not_equal(a->name, b->name);
			assert_true(!a->letter || a->letter != b->letter);
		}
	}
}

/* libgoprobe's enum has no option without a row. */
TEST(programs_have_all_options, "programs have all options")
{
	for (unsigned int key = GOPROBE_OPTION_DEPTH; key <= GOPROBE_OPTION_TRAPLESS; key++)
		assert_non_null(option_of_key(key));
	assert_null(option_of_key(0));
	assert_null(option_of_key(GOPROBE_OPTION_TRAPLESS + 1));
}

/* --- values ----------------------------------------------------------------------- */

static struct value_row {
	const char *claim;
	enum command command;
	const char *option;
	const char *arg;
	uint64_t want;
	const char *hint;
} value_rows[] = {
	{ "the most", COMMAND_ATTACH, "depth", "31", 31, NULL },
	{ "more", COMMAND_ATTACH, "depth", "32", 0, "it takes 0 to 31 references" },
	{ "more objects", COMMAND_ATTACH, "objects", "1025", 0, "it takes 0 to 1024 objects" },
	{ "another command's option", COMMAND_GRAPH, "depth", "0", 0, "it takes 1 to 1000 levels" },
	{ "a size", COMMAND_ATTACH, "buffer", "64k", 65536, NULL },
	{ "too small a size", COMMAND_ATTACH, "buffer", "63k", 0, "it takes a size: 64k to 64m" },
	{ "too large a size", COMMAND_GRAPH, "buffer", "65m", 0, "it takes a size: 64k to 64m" },
	{ "a time", COMMAND_ATTACH, "duration", "5s", 5000000000, NULL },
	{ "no time", COMMAND_ATTACH, "duration", "0s", 0, "it takes a time: 5s, 200ms, 1m" },
	{ "too short a time", COMMAND_COUNT, "interval", "10us", 0,
	  "it takes a time from 1ms on: 5s, 200ms" },
	{ "no number", COMMAND_ATTACH, "events", "0", 0, "it takes a number from 1 on" },
	{ "too many", COMMAND_ATTACH, "held", "1048577", 0, "it takes a number from 1 to 1048576" },
	{ "open calls that are timed", COMMAND_LATENCY, "held", "1048576", 1048576, NULL },
	{ "and too few", COMMAND_TOP, "held", "1023", 0, "it takes a number from 1024 to 1048576" },
	{ "pending calls of trees", COMMAND_GRAPH, "held", "5", 5, NULL },
	{ "a share", COMMAND_ATTACH, "sample", "1/7", 7, NULL },
	{ "no share", COMMAND_ATTACH, "sample", "7", 0,
	  "it takes 1/N, N from 1 to 1000000000: 1/100 is every hundredth" },
	{ "a flag", COMMAND_ATTACH, "split", NULL, 1, NULL },
	{ "any load", COMMAND_COUNT, "max-load", "off", UINT64_MAX, NULL },
	{ "the most load", COMMAND_COUNT, "max-load", "1000000", 1000000, NULL },
	{ "no load", COMMAND_COUNT, "max-load", "0", 0,
	  "it takes off, or percent of one processor's time, 1 to 1000000" },
	{ "a load with a sign", COMMAND_COUNT, "max-load", "50%", 0,
	  "it takes off, or percent of one processor's time, 1 to 1000000" },
	{ "too much load", COMMAND_ATTACH, "max-load", "1000001", 0,
	  "it takes off, or percent of one processor's time, 1 to 1000000" },
	{ "a choice", COMMAND_STACK, "format", "pprof", OPTION_PPROF, NULL },
	{ "none of two", COMMAND_LIST, "format", "yaml", 0, "it takes text or json" },
	{ "none of five", COMMAND_STACK, "format", "yaml", 0,
	  "it takes text, json, folded, pprof or flamegraph" },
	{ "a word", COMMAND_ATTACH, "format", "otlp", OPTION_OTLP, NULL },
	{ "a line with fields", COMMAND_ATTACH, "format", "{func} x", OPTION_TEMPLATE, NULL },
	{ "neither", COMMAND_ATTACH, "format", "yaml", 0,
	  "it takes text, json, chrome, otlp or timeline, or a text with fields: '{time} {func}'" },
	{ "neither, of a recording", COMMAND_REPLAY, "format", "yaml", 0,
	  "it takes text, json, folded, flamegraph, chrome, otlp or timeline, or a text with fields: '{time} {func}'"
	},
	{ "a choice that begins later", COMMAND_GRAPH, "sample-by", "goroutine",
	  PLAN_SAMPLE_GOROUTINE, NULL },
};

ROWS(test_value, value_rows)
{
	const struct value_row *c = *state;
	const struct option_row *row = option_find(c->command, c->option);
	struct diag d = { 0 };
	struct options o;
	int code;

	options_init(&o, c->command);
	assert_non_null(row);
	assert_false(option_given(&o, row));
	code = option_parse(&o, row, c->arg, &d);
	assert_int_equal(code, c->hint ? CMD_USAGE : CMD_DONE);
	assert_int_equal(option_given(&o, row), !c->hint);
	if (c->hint) {
		assert_string_equal(d.hint, c->hint);
	} else {
		assert_int_equal(option_value(&o, row), c->want);
		if (row->key)
			assert_int_equal(option_set(&o, row->key, c->want, &d), 0);
	}
	diag_fini(&d);
	options_fini(&o);
}

TEST(defaults_are_those_of_the_command, "defaults are those of the command")
{
	struct options o;

	options_init(&o, COMMAND_GRAPH);
	assert_int_equal(o.levels, 50);
	assert_int_equal(o.plan.limits.by, PLAN_SAMPLE_ROOT);
	assert_int_equal(o.plan.depth, plan_defaults.depth);
	options_init(&o, COMMAND_WATCH);
	assert_int_equal(o.interval, 1000000000);
	options_init(&o, COMMAND_COUNT);
	assert_int_equal(o.interval, 0);
	assert_int_equal(o.keys, 4096);
}

TEST(arguments_that_are_no_numbers, "arguments that are no numbers")
{
	const struct option_row *pid = option_find(COMMAND_READ, "pid");
	const struct option_row *file = option_find(COMMAND_READ, "binary");
	const struct option_row *files = option_find(COMMAND_REPLAY, "binary");
	struct diag d = { 0 };
	struct options o;

	options_init(&o, COMMAND_READ);
	assert_int_equal(option_parse(&o, pid, "12", &d), CMD_DONE);
	assert_int_equal(option_parse(&o, pid, "13", &d), CMD_USAGE);
	assert_string_equal(d.message, "--pid takes one process here");
	assert_int_equal(option_parse(&o, file, "a", &d), CMD_DONE);
	assert_int_equal(option_parse(&o, file, "b", &d), CMD_USAGE);
	assert_string_equal(d.message, "--binary can be given only once");
	options_fini(&o);
	options_init(&o, COMMAND_REPLAY);
	assert_int_equal(option_parse(&o, files, "a", &d), CMD_DONE);
	assert_int_equal(option_parse(&o, files, "b", &d), CMD_DONE);
	assert_int_equal(o.files.n, 2);
	assert_string_equal(o.files.v[1], "b");
	options_fini(&o);
	options_init(&o, COMMAND_ATTACH);
	pid = option_find(COMMAND_ATTACH, "pid");
	assert_int_equal(option_parse(&o, pid, "12,34", &d), CMD_DONE);
	assert_int_equal(option_parse(&o, pid, "56", &d), CMD_DONE);
	assert_int_equal(o.pids.n, 3);
	assert_int_equal(o.pids.v[2], 56);
	assert_int_equal(option_parse(&o, pid, "56,x", &d), CMD_USAGE);
	options_fini(&o);
	diag_fini(&d);
}

TEST(names_are_redacted, "names are redacted by the commands that show values")
{
	struct diag d = { 0 };
	struct options o, moved;

	for (int c = COMMAND_ATTACH; c <= COMMAND_WRITE; c++) {
		const struct option_row *names = option_find(c, "redact");
		const struct option_row *no = option_find(c, "no-redact");

		/* Commands that show no values have neither. */
		assert_int_equal(!names, !no);
		assert_int_equal(!names, c == COMMAND_TOP || c == COMMAND_REPLAY ||
				 c == COMMAND_RUN);
		if (!names)
			continue;
		options_init(&o, c);
		assert_int_equal(option_parse(&o, names, "email,zip", &d), CMD_DONE);
		assert_int_equal(option_parse(&o, names, "a.b", &d), CMD_USAGE);
		assert_string_equal(d.message, "'a.b' can't be redacted: it is no name");
		diag_fini(&d);
		assert_int_equal(option_parse(&o, names, "city", &d), CMD_DONE);
		assert_int_equal(exclusion_check(&o, &d), CMD_DONE);
		options_move(&moved, &o);
		options_fini(&o);
		assert_int_equal(moved.plan.secrets.n, 3);
		assert_true(secret_is_name(&moved.plan.secrets, "zip", NULL));
		assert_int_equal(option_parse(&moved, no, NULL, &d), CMD_DONE);
		assert_true(moved.plan.secrets.off);
		assert_int_equal(exclusion_check(&moved, &d), CMD_USAGE);
		assert_non_null(strstr(d.message, "choose one"));
		diag_fini(&d);
		options_fini(&moved);
	}
}

/* --- how much is traced ---------------------------------------------------------------------- */

#define SAMPLE_WANTS "it takes 1/N, N from 1 to 1000000000: 1/100 is every hundredth"

static struct opt_row {
	const char *claim;
	bool trees;
	bool no_return;
	const char *opts;	/* "sample=1/3 rate=5" */
	const char *why;	/* NULL: accepted */
	const char *hint;
	struct plan_limits limits;
} opt_rows[] = {
	{ "none", false, false, "", NULL, NULL, { 0 } },
	{ "a sample is of calls", false, false, "sample=1/100", NULL, NULL, { .sample = 100 } },
	{ "of calls, said", false, true, "sample=1/100 sample-by=call", NULL, NULL,
	  { .sample = 100 } },
	{ "of goroutines", false, true, "sample-by=goroutine sample=1/7", NULL, NULL,
	  { .sample = 7, .by = PLAN_SAMPLE_GOROUTINE } },
	{ "of trees", false, false, "sample=1/7 sample-by=root", NULL, NULL,
	  { .sample = 7, .by = PLAN_SAMPLE_ROOT } },
	{ "the last counts", false, false, "sample=1/7 sample-by=root sample=1/8 sample-by=call",
	  NULL, NULL, { .sample = 8 } },
	{ "all limits", false, false, "sample=1/1000000000 rate=1000000 times=1000000000", NULL,
	  NULL, { .sample = 1000000000, .rate = 1000000, .times = 1000000000 } },
	{ "a rate of trees", false, false, "sample-by=root rate=5", NULL, NULL,
	  { .rate = 5, .by = PLAN_SAMPLE_ROOT } },
	{ "where trees are shown they are sampled", true, false, "sample=1/5", NULL, NULL,
	  { .sample = 5, .by = PLAN_SAMPLE_ROOT } },
	{ "and limited", true, false, "rate=5", NULL, NULL,
	  { .rate = 5, .by = PLAN_SAMPLE_ROOT } },
	{ "or goroutines are", true, false, "sample=1/5 sample-by=goroutine", NULL, NULL,
	  { .sample = 5, .by = PLAN_SAMPLE_GOROUTINE } },
	{ "a sample without 1/", false, false, "sample=100", "'100' is no value for --sample",
	  SAMPLE_WANTS, { 0 } },
	{ "a sample of none", false, false, "sample=1/0", "'1/0' is no value for --sample",
	  SAMPLE_WANTS, { 0 } },
	{ "two of three", false, false, "sample=2/3", "'2/3' is no value for --sample",
	  SAMPLE_WANTS, { 0 } },
	{ "percent", false, false, "sample=1%", "'1%' is no value for --sample", SAMPLE_WANTS,
	  { 0 } },
	{ "too many", false, false, "sample=1/1000000001",
	  "'1/1000000001' is no value for --sample", SAMPLE_WANTS, { 0 } },
	{ "nothing", false, false, "sample=", "'' is no value for --sample", SAMPLE_WANTS, { 0 } },
	{ "less than nothing", false, false, "sample=1/-5", "'1/-5' is no value for --sample",
	  SAMPLE_WANTS, { 0 } },
	{ "a sample of something else", false, false, "sample=1/5 sample-by=thread",
	  "'thread' is no value for --sample-by", "it takes call, goroutine or root", { 0 } },
	{ "calls where trees are shown", true, false, "sample=1/5 sample-by=call",
	  "'call' is no value for --sample-by", "it takes goroutine or root", { 0 } },
	{ "a sample of what, without how many", false, false, "sample-by=goroutine",
	  "--sample-by goroutine does not say how many",
	  "--sample 1/N does: 1/100 is every hundredth", { 0 } },
	{ "a sample of trees without N", false, false, "sample-by=root",
	  "--sample-by root does not say how many",
	  "--sample 1/N does: 1/100 is every hundredth", { 0 } },
	{ "a rate is not of goroutines", false, false, "sample-by=goroutine rate=5",
	  "--sample-by goroutine does not say how many",
	  "--sample 1/N does: 1/100 is every hundredth", { 0 } },
	{ "trees of goroutines at a rate", true, false, "sample=1/4 sample-by=goroutine rate=5",
	  "--rate is about trees of calls, and --sample-by goroutine about goroutines: choose one",
	  NULL, { 0 } },
	{ "trees without returns", false, true, "sample=1/7 sample-by=root",
	  "--sample-by root needs to see calls end, and --no-return leaves that out", NULL, { 0 } },
	{ "trees that lose their breakpoints", false, false, "sample=1/7 sample-by=root times=3",
	  "--times removes breakpoints that the trees of --sample-by root need", NULL, { 0 } },
	{ "no rate", false, false, "rate=0", "'0' is no value for --rate",
	  "it takes a number from 1 to 1000000", { 0 } },
	{ "a rate of time", false, false, "rate=5/s", "'5/s' is no value for --rate",
	  "it takes a number from 1 to 1000000", { 0 } },
	{ "too high a rate", false, false, "rate=1000001", "'1000001' is no value for --rate",
	  "it takes a number from 1 to 1000000", { 0 } },
	{ "no times", false, false, "times=0", "'0' is no value for --times",
	  "it takes a number from 1 to 1000000000", { 0 } },
	{ "too many times", false, false, "times=1000000001",
	  "'1000000001' is no value for --times", "it takes a number from 1 to 1000000000", { 0 } },
};

static int parse(struct options *o, const char *opts, struct diag *d)
{
	char *text = strdup(opts), *next = text, *one;
	int code = CMD_DONE;

	while (!code && (one = strsep(&next, " ")) && *one) {
		char *value = strchr(one, '=');

		*value++ = 0;
		code = option_parse(o, option_find(o->command, one), value, d);
	}
	free(text);
	return code ? code : exclusion_check(o, d);
}

ROWS(test_opt, opt_rows)
{
	const struct opt_row *row = *state;
	struct diag d = { 0 };
	struct options o;
	int code;

	options_init(&o, row->trees ? COMMAND_GRAPH : COMMAND_ATTACH);
	o.plan.no_return = row->no_return;
	code = parse(&o, row->opts, &d);
	assert_int_equal(code, row->why ? CMD_USAGE : CMD_DONE);
	if (row->why) {
		assert_string_equal(d.message, row->why);
		assert_int_equal(!d.hint, !row->hint);
		if (row->hint)
			assert_string_equal(d.hint, row->hint);
	} else {
		assert_int_equal(o.plan.limits.by, row->limits.by);
		assert_int_equal(o.plan.limits.sample, row->limits.sample);
		assert_int_equal(o.plan.limits.rate, row->limits.rate);
		assert_int_equal(o.plan.limits.times, row->limits.times);
	}
	diag_fini(&d);
	options_fini(&o);
}

/* --- exclusions ------------------------------------------------------------------- */

TEST(exclusions, "options that exclude each other")
{
	static const struct {
		enum command command;
		const char *options[4];
		const char *why;
	} rows[] = {
		{ COMMAND_ATTACH, { "record", "x", "format", "text" },
		  "--record prints no events, so --format means nothing" },
		{ COMMAND_ATTACH, { "record", "x", "output", "y" },
		  "--record prints no events, so --output means nothing" },
		{ COMMAND_ATTACH, { "record", "x", "times", "1" },
		  "--times needs to look at each record, and --record does not" },
		{ COMMAND_ATTACH, { "split", NULL, "no-return", NULL },
		  "--split divides durations, and --no-return leaves them out" },
		{ COMMAND_STACK, { "format", "pprof", "interval", "1s" },
		  "a profile is written once, at the end, so -i means nothing" },
		{ COMMAND_STACK, { "format", "folded", "interval", "1s" }, NULL },
		{ COMMAND_GRAPH, { "format", "chrome", "output", "http://a:4318" },
		  "only -o otlp can be sent to a URL" },
		{ COMMAND_COUNT, { "format", "json", "output", "https://a" },
		  "only -o otlp can be sent to a URL" },
		{ COMMAND_GRAPH, { "format", "otlp", "output", "https://a:b@c/" },
		  "messages would show the user name and the password of the URL" },
		{ COMMAND_REPLAY, { "format", "otlp", "output", "https://a/@b" }, NULL },
		{ COMMAND_ATTACH, { "format", "otlp", "output", "http://a:4318" }, NULL },
	};

	for (size_t i = 0; i < N(rows); i++) {
		struct diag d = { 0 };
		struct options o;

		options_init(&o, rows[i].command);
		for (size_t k = 0; k < 4; k += 2)
			assert_int_equal(option_parse(&o, option_find(o.command,
								      rows[i].options[k]),
						      rows[i].options[k + 1], &d), CMD_DONE);
		assert_int_equal(exclusion_check(&o, &d), rows[i].why ? CMD_USAGE : CMD_DONE);
		if (rows[i].why)
			assert_string_equal(d.message, rows[i].why);
		diag_fini(&d);
		options_fini(&o);
	}
}
