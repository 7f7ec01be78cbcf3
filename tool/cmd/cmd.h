/* SPDX-License-Identifier: GPL-2.0 */
/* Commands, and what they share: their command lines and their help. */
#ifndef GOPROBE_CMD_CMD_H
#define GOPROBE_CMD_CMD_H

#include "option/option.h"
#include "version.h"

/* The arguments that follow the options of a command. */
enum cmd_operands {
	CMD_NO_OPERANDS,
	CMD_TEXTS,		/* the command reads them */
	CMD_WORDS,		/* all arguments, options too: the command reads them */
	CMD_RECORDING,		/* a file, then patterns: options.specs */
	CMD_SPECS,		/* patterns with all that can follow them: options.specs */
	CMD_CONDITIONS,		/* patterns with conditions; with --by signatures, too */
};

/* What a command needs, which --help says. */
enum cmd_needs {
	CMD_NEEDS_MODULE,	/* and root */
	CMD_NEEDS_PROCESS,	/* to look at a process */
	CMD_NEEDS_NOTHING,
};

/* A command. */
struct cmd {
	const char *name;	/* its name */
	const char *summary;	/* what it does, for the list of commands */
	enum command command;	/* its options, in option/table.c */
	const char *about;	/* text of --help: the usage, an empty line, and what it does */
	const char *examples;	/* between these two */
	enum cmd_operands operands;	/* the arguments that follow the options */
	enum cmd_needs needs;	/* rights, and the module */
	/* The message when there are none, but for patterns; NULL: they are optional. */
	const char *missing;
	bool places;		/* patterns can be places in the code */
	bool edits;		/* patterns can change calls */
	/*
	 * Does it; stores in @o what it likes. Returns an exit code; an error is in the diag, for
	 * main.c to print.
	 */
	int (*run)(struct options *o, struct diag *d);
};

#define CMD_EXTERN(upper, lower) extern const struct cmd cmd_##lower;
COMMANDS(CMD_EXTERN)

/*
 * Read the arguments of @cmd into @o, which options_init() has begun. argv[0] is its name. Cuts
 * @argv at "--". CMD_DONE, CMD_HELP, or another CMD_* with a message.
 */
int cmd_parse(const struct cmd *cmd, struct options *o, int argc, char **argv, struct diag *d);
/* The first part of cmd_parse(): options alone. The rest is in @o->operands, unread. */
int cmd_parse_options(const struct cmd *cmd, struct options *o, int argc, char **argv,
		      struct diag *d);
/* Does it have a target, and one only? CMD_DONE, or CMD_USAGE with a message. */
int cmd_check_target(const struct cmd *cmd, const struct options *o, struct diag *d);
/* Read the arguments and run the command. Returns as cmd_parse() or its run() does. */
int cmd_execute(const struct cmd *cmd, int argc, char **argv, struct diag *d);
/* The text of --help. */
void cmd_help(const struct cmd *cmd, struct buf *b);

#endif
