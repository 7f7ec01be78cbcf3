/* SPDX-License-Identifier: GPL-2.0 */
/* What a command is to main.c, and what commands share in reading options. */
#ifndef GOPROBE_CMD_H
#define GOPROBE_CMD_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "out.h"
#include "version.h"

/* Exit codes, and what a command's run() returns. */
enum cmd_exit {
	CMD_DONE = 0,
	CMD_FAILED = 1,
	CMD_USAGE = 2,
	CMD_LOST = 3,	/* records were lost, under --strict */
	CMD_BROKEN = 4,	/* ended by --max-load */
	CMD_HELP = -1,	/* not an exit code: print the help, then done */
};

/**
 * struct cmd - a command
 * @name: its name
 * @summary: what it does, for the list of commands
 * @help: text of --help
 * @run: does it; argv[0] is the command's name. Returns an exit code; an error
 *	is in the diag, for main.c to print.
 */
struct cmd {
	const char *name;
	const char *summary;
	const char *help;
	int (*run)(int argc, char **argv, struct diag *d);
};

extern const struct cmd cmd_attach;
extern const struct cmd cmd_count;
extern const struct cmd cmd_latency;
extern const struct cmd cmd_stack;
extern const struct cmd cmd_stuck;
extern const struct cmd cmd_graph;
extern const struct cmd cmd_plan;
extern const struct cmd cmd_replay;
extern const struct cmd cmd_watch;
extern const struct cmd cmd_read;
extern const struct cmd cmd_write;
extern const struct cmd cmd_list;
extern const struct cmd cmd_info;

/* After getopt_long() has returned '?' or ':': CMD_USAGE, with a sentence. */
int cmd_bad_option(char **argv, int got, const struct option *options, struct diag *d);
/* The value of an option can't be used: CMD_USAGE, with a sentence. */
int cmd_bad_value(const char *option, const char *value, const char *wanted, struct diag *d);

/* The argument of --format: CMD_DONE, or CMD_USAGE with a sentence. */
int cmd_parse_format(const char *s, const struct out_format **ret, struct diag *d);
/* "5s", "200ms", "1m", "1.5h", "3" (seconds); false if it is none, or 0. */
bool cmd_parse_duration(const char *s, uint64_t *ns);
/* "65536", "64k", "1m"; false if it is none. */
bool cmd_parse_size(const char *s, uint64_t *bytes);
/* A whole number from @least to @most. */
bool cmd_parse_number(const char *s, uint64_t least, uint64_t most, uint64_t *ret);

#endif
