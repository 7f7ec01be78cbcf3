// SPDX-License-Identifier: GPL-2.0
/* What values the options of a trace take. */
#include <string.h>

#include "base/argument.h"
#include "base/exit_code.h"
#include "libgoprobe/option_value.h"
#include "plan/plan.h"

/* How a value is written on the command line. */
enum form {
	FORM_FLAG,	/* it is there */
	FORM_NUMBER,
	FORM_SIZE,	/* 64k */
	FORM_TIME,	/* 5s */
	FORM_SHARE,	/* 1/100 */
};

/*
 * Of each option: its name on the command line and in sentences for programs, the least and the
 * most, and what to write. To a program 0 is also what is not set, where that is not a value.
 */
static const struct row {
	const char *option;
	const char *name;
	enum form form;
	bool unset;
	uint64_t least;
	uint64_t most;
	const char *wanted;
} rows[OPTVALUE_NUMBER] = {
#define FLAG(option, name) { option, name, FORM_FLAG, false, 0, 1, NULL }
	[GOPROBE_OPTION_DEPTH] = { "--depth", "the depth", FORM_NUMBER, false, 0,
				   PLAN_DEPTH_MAX, "0 to 31 references" },
	[GOPROBE_OPTION_STRING_LIMIT] = { "--string-limit", "the limit of strings", FORM_NUMBER,
					  false, 0, PLAN_BYTES_MAX, "0 to 16384 bytes" },
	[GOPROBE_OPTION_ELEMENTS] = { "--elements", "the number of elements", FORM_NUMBER, false,
				      0, PLAN_BYTES_MAX, "0 to 16384 elements" },
	[GOPROBE_OPTION_OBJECTS] = { "--objects", "the number of objects", FORM_NUMBER, false, 0,
				     PLAN_OBJECTS_MAX, "0 to 1024 objects" },
	[GOPROBE_OPTION_BYTES] = { "--bytes", "the number of bytes", FORM_NUMBER, false, 0,
				   PLAN_BYTES_MAX, "0 to 16384 bytes" },
	[GOPROBE_OPTION_HELD] = { "--held", "the number of held calls", FORM_NUMBER, true, 1,
				  1 << 20, "a number from 1 to 1048576" },
	[GOPROBE_OPTION_RING_BYTES] = { "--buffer", "the memory of a CPU", FORM_SIZE, false,
					64U << 10, 64U << 20, "a size: 64k to 64m" },
	[GOPROBE_OPTION_LOSSLESS] = FLAG("--lossless", "losslessness"),
	[GOPROBE_OPTION_NO_RETURN] = FLAG("--no-return", "leaving out returns"),
	[GOPROBE_OPTION_DURATION_NS] = { "--duration", "the duration", FORM_TIME, true, 1,
					 INT64_MAX, "a time: 5s, 200ms, 1m" },
	[GOPROBE_OPTION_EVENTS] = { "--events", "the number of events", FORM_NUMBER, true, 1,
				    UINT64_MAX, "a number from 1 on" },
	[GOPROBE_OPTION_SIGNALS] = FLAG(NULL, "the end by signals"),
	[GOPROBE_OPTION_QUIET] = FLAG("--quiet", "quiet"),
	[GOPROBE_OPTION_PRETTY] = FLAG("--pretty", "values in lines"),
	[GOPROBE_OPTION_SAMPLE] = { "--sample", "the sample", FORM_SHARE, true, 1, 1000000000,
				    "1/N, N from 1 to 1000000000: 1/100 is every hundredth" },
	[GOPROBE_OPTION_SAMPLE_BY] = { "--sample-by", "what is sampled", FORM_NUMBER, false, 0,
				       GOPROBE_SAMPLE_ROOT, NULL },
	[GOPROBE_OPTION_RATE] = { "--rate", "the rate", FORM_NUMBER, true, 1, 1000000,
				  "a number from 1 to 1000000" },
	[GOPROBE_OPTION_TIMES] = { "--times", "the number of times", FORM_NUMBER, true, 1,
				   1000000000, "a number from 1 to 1000000000" },
	[GOPROBE_OPTION_MAX_LOAD] = { "--max-load", "the load", FORM_NUMBER, true, 1, 1000000,
				      "off, or percent of one processor's time, 1 to 1000000" },
	[GOPROBE_OPTION_INLINED] = FLAG("--inlined", "what was inlined"),
	[GOPROBE_OPTION_REGISTERS] = FLAG("--registers", "registers"),
	[GOPROBE_OPTION_SPLIT] = FLAG("--split", "dividing time"),
	[GOPROBE_OPTION_DRY_RUN] = FLAG("--dry-run", "a dry run"),
#undef FLAG
};

_Static_assert(PLAN_DEPTH_MAX == 31 && PLAN_OBJECTS_MAX == 1024 && PLAN_BYTES_MAX == 16384,
	       "rows[] says so");

static bool read_value(const struct row *r, const char *arg, uint64_t *ret)
{
	switch (r->form) {
	case FORM_NUMBER:
		return argument_number(arg, r->least, r->most, ret);
	case FORM_SIZE:
		return argument_size(arg, ret);
	case FORM_TIME:
		return argument_duration(arg, ret);
	case FORM_SHARE:
		return !strncmp(arg, "1/", 2) &&
		       argument_number(arg + 2, r->least, r->most, ret);
	case FORM_FLAG:
		break;
	}
	*ret = 1;
	return true;
}

int optvalue_parse(enum goprobe_option option, const char *arg, uint64_t *ret, struct diag *d)
{
	const struct row *r = &rows[option];

	if (read_value(r, arg, ret) && *ret >= r->least && *ret <= r->most)
		return CMD_DONE;
	return argument_fail(r->option, arg, r->wanted, d);
}

int optvalue_check(unsigned int option, uint64_t value, struct diag *d)
{
	const struct row *r = option < OPTVALUE_NUMBER ? &rows[option] : NULL;

	if (!r || !r->name)
		return diag_set(d, "there is no option %u", option);
	if ((value >= r->least && value <= r->most) || (r->unset && !value))
		return 0;
	if (option == GOPROBE_OPTION_MAX_LOAD && value == GOPROBE_LOAD_ANY)
		return 0;
	return diag_set(d, "%s is from %llu to %llu, not %llu", r->name,
			(unsigned long long)(r->unset ? 0 : r->least),
			(unsigned long long)r->most, (unsigned long long)value);
}
