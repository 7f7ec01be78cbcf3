// SPDX-License-Identifier: GPL-2.0
/*
 * goprobectl: the table of commands. The only file that prints errors and
 * decides on exit codes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/writing.h"
#include "cmd/cmd.h"
#include "cmd/complete.h"
#include "cmd/stdfds.h"
#include "cmd/topic.h"
#include "trace/client.h"
#include "trace/module_load.h"

static const char prog[] = "goprobectl";

#define ADDRESS(upper, lower) &cmd_##lower,

static const struct cmd *const commands[] = { COMMANDS(ADDRESS) NULL };

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]) - 1)

static void put_help(struct buf *b)
{
	buf_str(b, "Usage: goprobectl COMMAND [OPTION...] ...\n"
		   "\n"
		   "Watch the functions of running Go programs: calls, arguments, results.\n"
		   "\n"
		   "  goprobectl ps                        which Go programs run here?\n"
		   "  goprobectl top -p shop               what is busy in one of them?\n"
		   "  goprobectl search -p shop checkout   which functions have a name like that?\n"
		   "  goprobectl attach -p shop 'cart.*'   who calls them, with which values?\n"
		   "\n");
	for (size_t i = 0; i < NCOMMANDS; i++) {
		buf_str(b, "  ");
		buf_str(b, commands[i]->name);
		buf_fill(b, ' ', 12 - strlen(commands[i]->name));
		buf_str(b, commands[i]->summary);
		buf_char(b, '\n');
	}
	option_help(COMMAND_ATTACH, OPTIONS_SCREEN, b);
	buf_str(b, "\n"
		   "  goprobectl COMMAND --help    shows more, with examples\n"
		   "  man goprobectl-COMMAND       explains all of it, with a session\n"
		   "  goprobectl help TOPIC        ");
	topic_names(31, b);
	buf_str(b, "\n  goprobectl --version\n");
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

/* What others call it. */
static const char *const called[][2] = {
	{ "trace", "attach" }, { "record", "attach --record FILE" }, { "report", "replay" },
	{ "profile", "stack" }, { "hist", "latency" },
	{ "print", "read" }, { "vars", "watch" }, { "set", "write" }, { "funcs", "list" },
	{ "status", "info" }, { "check", "doctor" }, { "find", "search" },
};

static int unknown_command(const char *name)
{
	struct diag d = { 0 };
	struct suggest near;

	suggest_init(&near, name);
	for (size_t i = 0; i < NCOMMANDS; i++)
		suggest_offer(&near, commands[i]->name);

	char *hint = suggest_hint(&near);

	diag_set(&d, name[0] == '-' ? "unknown option '%s'" : "unknown command '%s'", name);
	diag_hint(&d, "%s", hint ? hint : "'goprobectl --help' lists the commands");
	for (size_t i = 0; i < sizeof(called) / sizeof(*called); i++)
		if (strcmp(called[i][0], name) == 0)
			diag_hint(&d, "'goprobectl %s' does that", called[i][1]);
	free(hint);
	return fail(&d, CMD_USAGE);
}

/* Help that can't be written must not look like success. */
static int end_help(struct buf *b)
{
	struct diag d = { 0 };
	int err = writing_print(b, &d);

	buf_fini(b);
	return err ? fail(&d, CMD_FAILED) : CMD_DONE;
}

static int print_text(const char *text)
{
	struct buf b = { 0 };

	buf_str(&b, text);
	return end_help(&b);
}

static int print_help(const struct cmd *cmd)
{
	struct buf b = { 0 };

	cmd_help(cmd, &b);
	return end_help(&b);
}

static int print_version(void)
{
	return print_text("goprobectl " GOPROBECTL_VERSION "\n");
}

/* goprobectl complete WORD...: what the completions of shells run. */
static int print_candidates(int argc, char **argv)
{
	struct buf b = { 0 };

	complete(commands, argv, (size_t)argc, &b);
	return end_help(&b);
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	struct diag d = { 0 };
	int code;

	if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0))
		return print_version();
	code = cmd_execute(cmd, argc, argv, &d);
	if (code == CMD_HELP)
		return print_help(cmd);
	if (code == CMD_USAGE && d.message && !d.hint && !d.text)
		diag_hint(&d, "'goprobectl %s --help' shows more", cmd->name);
	if (d.message)
		return fail(&d, code);
	return code;
}

int main(int argc, char **argv)
{
	struct buf b = { 0 };
	struct diag d = { 0 };

	client_load = module_load;
	if (stdfds_fix(&d))
		return fail(&d, CMD_FAILED);
	if (argc < 2) {
		put_help(&b);
		fwrite(b.p, 1, b.len, stderr);
		buf_fini(&b);
		return CMD_USAGE;
	}

	const char *name = argv[1];

	if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0 ||
	    strcmp(name, "-V") == 0 || strcmp(name, "-v") == 0)
		return print_version();
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
	    (strcmp(name, "help") == 0 && argc < 3)) {
		put_help(&b);
		return end_help(&b);
	}
	if (strcmp(name, "help") == 0) {
		const struct cmd *about = find(argv[2]);

		if (about)
			return print_help(about);
		if (topic_put(argv[2], &b))
			return end_help(&b);
		return unknown_command(argv[2]);
	}

	if (strcmp(name, "complete") == 0)
		return print_candidates(argc - 2, argv + 2);

	const struct cmd *cmd = find(name);

	return cmd ? run(cmd, argc - 1, argv + 1) : unknown_command(name);
}
