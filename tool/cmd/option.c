// SPDX-License-Identifier: GPL-2.0
/* What commands share in reading options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "base/suggest.h"
#include "cmd/cmd.h"
#include "libgoprobe/option_value.h"

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

int cmd_parse_format(const char *s, const struct out_format **ret, struct diag *d)
{
	*ret = out_format_find(s);
	return *ret ? CMD_DONE : argument_fail("--format", s, "text or json", d);
}

int cmd_parse_max_load(struct maxload *m, const char *arg, struct diag *d)
{
	uint64_t n = 0;
	int code = CMD_DONE;

	m->off = strcmp(arg, "off") == 0;
	if (!m->off)
		code = optvalue_parse(GOPROBE_OPTION_MAX_LOAD, arg, &n, d);
	m->percent = (uint32_t)n;
	return code;
}
