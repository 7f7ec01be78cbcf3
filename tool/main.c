// SPDX-License-Identifier: GPL-2.0
/*
 * goprobectl: the table of commands. The only file that prints errors and
 * decides on exit codes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "inherited.h"
#include "near.h"

static const char prog[] = "goprobectl";

static const struct cmd *const commands[] = {
	&cmd_attach, &cmd_count, &cmd_latency, &cmd_stack, &cmd_graph, &cmd_stuck, &cmd_replay,
	&cmd_watch, &cmd_read, &cmd_write, &cmd_list, &cmd_plan, &cmd_info,
};

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *to)
{
	fputs("Usage: goprobectl COMMAND [OPTION...] ...\n"
	      "\n"
	      "Watch the functions of running Go programs: calls, arguments, results.\n"
	      "\n", to);
	for (size_t i = 0; i < NCOMMANDS; i++)
		fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n"
	      "  goprobectl COMMAND --help    tells more, with examples\n"
	      "  goprobectl --version\n", to);
}

static const struct cmd *find(const char *name)
{
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int fail(struct diag *d, int code)
{
	diag_print(d, prog, stderr);
	diag_fini(d);
	return code;
}

static int unknown_command(const char *name)
{
	struct diag d = { 0 };
	struct near near;

	near_init(&near, name);
	for (size_t i = 0; i < NCOMMANDS; i++)
		near_offer(&near, commands[i]->name);

	char *hint = near_hint(&near);

	diag_set(&d, name[0] == '-' ? "unknown option '%s'" : "unknown command '%s'", name);
	diag_hint(&d, "%s", hint ? hint : "'goprobectl --help' lists the commands");
	free(hint);
	return fail(&d, CMD_USAGE);
}

/* Help that can't be written must not look like success. */
static int end_help(void)
{
	return fflush(stdout) || ferror(stdout) ? CMD_FAILED : CMD_DONE;
}

static int print_version(void)
{
	printf("goprobectl %s\n", GOPROBECTL_VERSION);
	return end_help();
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	struct diag d = { 0 };
	int code;

	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return print_version();
	code = cmd->run(argc, argv, &d);
	if (code == CMD_HELP) {
		fputs(cmd->help, stdout);
		return end_help();
	}
	if (code == CMD_USAGE && d.sentence && !d.hint && !d.text)
		diag_hint(&d, "'goprobectl %s --help' tells more", cmd->name);
	if (d.sentence)
		return fail(&d, code);
	return code;
}

int main(int argc, char **argv)
{
	struct diag d = { 0 };

	if (inherited_mend(&d))
		return fail(&d, CMD_FAILED);
	if (argc < 2) {
		print_help(stderr);
		return CMD_USAGE;
	}

	const char *name = argv[1];

	if (strcmp(name, "--version") == 0)
		return print_version();
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
	    (strcmp(name, "help") == 0 && argc < 3)) {
		print_help(stdout);
		return end_help();
	}
	if (strcmp(name, "help") == 0) {
		const struct cmd *about = find(argv[2]);

		if (!about)
			return unknown_command(argv[2]);
		fputs(about->help, stdout);
		return end_help();
	}

	const struct cmd *cmd = find(name);

	return cmd ? run(cmd, argc - 1, argv + 1) : unknown_command(name);
}
