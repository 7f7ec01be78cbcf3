// SPDX-License-Identifier: GPL-2.0
/* Options of how text looks, which all commands have. */
#include <string.h>
#include <unistd.h>

#include "base/argument.h"
#include "base/exit_code.h"
#include "cmd/screen_options.h"
#include "output/screen.h"

const char screenopt_help[] =
"How text looks, of all commands:\n"
"      --wide              whole lines on a terminal; else they are shortened to fit\n"
"      --full              whole paths there, and all frames of stacks\n"
"      --color WHEN        auto (on a terminal, unless NO_COLOR is set), always, never\n"
"      --time FORMAT       local, utc, iso, relative (seconds since the first line), delta\n"
"                          (seconds since the line before), epoch (seconds since 1970)\n";

/* The index of @s among @names, or @n. */
static size_t find(const char *s, const char *const *names, size_t n)
{
	size_t i = 0;

	while (i < n && strcmp(s, names[i]) != 0)
		i++;
	return i;
}

/* The value of option @name if argument @i is that one, and how many arguments it is; or NULL. */
static const char *value_of(const char *name, int argc, char **argv, int i, int *n)
{
	size_t len = strlen(name);

	if (strncmp(argv[i], name, len) != 0 || (argv[i][len] && argv[i][len] != '='))
		return NULL;
	*n = argv[i][len] ? 1 : 2;
	if (argv[i][len])
		return argv[i] + len + 1;
	return i + 1 < argc ? argv[i + 1] : "";
}

/* Argument @i, and perhaps the next: how many belong to such an option; -1 with a message. */
static int take(int argc, char **argv, int i, struct diag *d)
{
	const char *v;
	size_t which;
	int n = 0;

	if (strcmp(argv[i], "--wide") == 0) {
		screen.wide = true;
		return 1;
	}
	if (strcmp(argv[i], "--full") == 0) {
		screen.full = true;
		return 1;
	}
	v = value_of("--color", argc, argv, i, &n);
	if (v) {
		which = find(v, screen_colors, SCREEN_COLORS);
		screen.color = (enum screen_color)which;
		if (which < SCREEN_COLORS)
			return n;
		argument_fail("--color", v, "auto, always or never", d);
		return -1;
	}
	v = value_of("--time", argc, argv, i, &n);
	if (v) {
		which = find(v, screen_times, SCREEN_TIMES);
		screen.time = (enum screen_time)which;
		if (which < SCREEN_TIMES)
			return n;
		argument_fail("--time", v, "local, utc, iso, relative, delta or epoch", d);
		return -1;
	}
	return 0;
}

int screenopt_take(int *argc, char **argv, struct diag *d)
{
	int to = 0, i = 0, n;

	while (i < *argc && strcmp(argv[i], "--") != 0) {
		n = take(*argc, argv, i, d);
		if (n < 0)
			return CMD_USAGE;
		if (n)
			i += n;
		else
			argv[to++] = argv[i++];
	}
	while (i < *argc)
		argv[to++] = argv[i++];
	argv[to] = NULL;
	*argc = to;
	screen_open(STDOUT_FILENO);
	return CMD_DONE;
}
