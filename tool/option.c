// SPDX-License-Identifier: GPL-2.0
/* What commands share in reading options. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd.h"
#include "near.h"

static int unknown_option(const char *text, const struct option *options, struct diag *d)
{
	struct near near;

	diag_set(d, "unknown option '%s'", text);
	if (strncmp(text, "--", 2) != 0)
		return CMD_USAGE;

	char *name = strndup(text + 2, strcspn(text + 2, "="));

	if (!name)
		return CMD_USAGE;
	near_init(&near, name);
	for (; options->name; options++)
		near_offer(&near, options->name);
	if (near.n)
		diag_hint(d, "did you mean '--%s'?", near.name[0]);
	free(name);
	return CMD_USAGE;
}

int cmd_bad_option(char **argv, int got, const struct option *options, struct diag *d)
{
	const char *text = argv[optind - 1];
	char letter[] = { '-', optopt, 0 };
	const struct option *o = options;

	/* optopt is a letter, or the value of a long option that is known. */
	while (o->name && o->val != optopt)
		o++;
	if (got == ':') {
		if (strncmp(text, "--", 2) != 0)
			diag_set(d, "option '%s' needs a value", letter);
		else
			diag_set(d, "option '%s' needs a value", text);
		return CMD_USAGE;
	}
	if (!optopt)
		return unknown_option(text, options, d);
	if (o->name && strncmp(text, "--", 2) == 0) {
		diag_set(d, "option '--%s' takes no value", o->name);
		return CMD_USAGE;
	}
	return unknown_option(letter, options, d);
}

int cmd_bad_value(const char *option, const char *value, const char *wanted, struct diag *d)
{
	diag_set(d, "'%s' is no value for %s", value, option);
	diag_hint(d, "it takes %s", wanted);
	return CMD_USAGE;
}

int cmd_parse_format(const char *s, const struct out_format **ret, struct diag *d)
{
	*ret = out_format_find(s);
	return *ret ? CMD_DONE : cmd_bad_value("--format", s, "text or json", d);
}

bool cmd_parse_duration(const char *s, uint64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "m", 60e9 },
		{ "h", 3600e9 },
	};
	char *end;
	double v;

	if (*s < '0' || *s > '9')
		return false;
	v = strtod(s, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit) != 0)
			continue;
		v *= units[i].ns;
		if (!(v >= 1 && v < 1e18))
			return false;
		*ns = v;
		return true;
	}
	return false;
}

bool cmd_parse_number(const char *s, uint64_t least, uint64_t most, uint64_t *ret)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*ret = strtoull(s, &end, 10);
	return !errno && !*end && *ret >= least && *ret <= most;
}

bool cmd_parse_size(const char *s, uint64_t *bytes)
{
	static const char units[] = "kmg";
	char *end;
	int shift = 0;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*bytes = strtoull(s, &end, 10);
	if (*end) {
		char lower[] = { *end | 0x20, 0 };
		const char *unit = strstr(units, lower);

		if (!unit)
			return false;
		shift = 10 * (unit - units + 1);
		end++;
		/* "64KiB" and "64kB" mean what they say in this trade. */
		if (strcasecmp(end, "ib") == 0 || strcasecmp(end, "b") == 0)
			end += strlen(end);
	}
	if (errno || *end || *bytes > UINT64_MAX >> shift)
		return false;
	*bytes <<= shift;
	return true;
}
