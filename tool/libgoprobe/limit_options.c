// SPDX-License-Identifier: GPL-2.0
/* The options that say how much is traced. */
#include <string.h>

#include "base/argument.h"
#include "libgoprobe/limit_options.h"
#include "libgoprobe/option_value.h"

static const char *const samples[] = {
	[PLAN_SAMPLE_CALL] = "call",
	[PLAN_SAMPLE_GOROUTINE] = "goroutine",
	[PLAN_SAMPLE_ROOT] = "root",
};

#define SAMPLES (sizeof(samples) / sizeof(*samples))

/* @option's number is @arg. */
static int parse_number(enum goprobe_option option, const char *arg, uint64_t *ret,
			struct diag *d)
{
	uint64_t n;
	int code = optvalue_parse(option, arg, &n, d);

	if (!code)
		*ret = n;
	return code;
}

static int parse_by(struct limitopt *l, const char *arg, struct diag *d)
{
	for (size_t i = l->trees ? PLAN_SAMPLE_GOROUTINE : 0; i < SAMPLES; i++) {
		if (strcmp(arg, samples[i]) != 0)
			continue;
		l->limits.by = (enum plan_sample)i;
		l->by_given = true;
		return CMD_DONE;
	}
	return argument_fail("--sample-by", arg, l->trees ? "goroutine or root" :
						 "call, goroutine or root", d);
}

int limitopt_option(struct limitopt *l, int opt, const char *arg, struct diag *d)
{
	switch (opt) {
	case LIMITOPT_SAMPLE:
		return parse_number(GOPROBE_OPTION_SAMPLE, arg, &l->limits.sample, d);
	case LIMITOPT_SAMPLE_BY:
		return parse_by(l, arg, d);
	case LIMITOPT_RATE:
		return parse_number(GOPROBE_OPTION_RATE, arg, &l->limits.rate, d);
	case LIMITOPT_TIMES:
		return parse_number(GOPROBE_OPTION_TIMES, arg, &l->limits.times, d);
	}
	return CMD_DONE;
}

/* A function that begins one tree is called in others: its breakpoints can't leave. */
static int check_roots(const struct limitopt *l, bool no_return, struct diag *d)
{
	if (no_return)
		diag_set(d, "--sample-by root needs to see calls end, and --no-return leaves that out");
	else if (l->limits.times)
		diag_set(d, "--times takes breakpoints away that the trees of --sample-by root need");
	else
		return CMD_DONE;
	return CMD_USAGE;
}

int limitopt_end(struct limitopt *l, bool no_return, struct diag *d)
{
	bool roots = l->limits.by == PLAN_SAMPLE_ROOT;

	if (l->by_given && !l->limits.sample && !(roots && l->limits.rate)) {
		diag_set(d, "--sample-by %s does not say how many", samples[l->limits.by]);
		diag_hint(d, "--sample 1/N does: 1/100 is every hundredth");
		return CMD_USAGE;
	}
	if (l->trees && !l->by_given) {
		l->limits.by = PLAN_SAMPLE_ROOT;
		roots = true;
	}
	if (l->trees && !roots && l->limits.rate) {
		diag_set(d, "--rate is about trees of calls, and --sample-by goroutine about goroutines: choose one");
		return CMD_USAGE;
	}
	return roots ? check_roots(l, no_return, d) : CMD_DONE;
}
