/* SPDX-License-Identifier: GPL-2.0 */
/* What a command is to main.c, and what commands share in reading options. */
#ifndef GOPROBE_CMD_CMD_H
#define GOPROBE_CMD_CMD_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/exit_code.h"
#include "output/format.h"
#include "trace/overload.h"
#include "version.h"

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
extern const struct cmd cmd_replay;
extern const struct cmd cmd_watch;
extern const struct cmd cmd_read;
extern const struct cmd cmd_write;
extern const struct cmd cmd_list;
extern const struct cmd cmd_info;

/* After getopt_long() has returned '?' or ':': CMD_USAGE, with a sentence. */
int cmd_bad_option(char **argv, int got, const struct option *options, struct diag *d);
/* The argument of --format: CMD_DONE, or CMD_USAGE with a sentence. */
int cmd_parse_format(const char *s, const struct out_format **ret, struct diag *d);

/* Not that of any other option. */
enum { MAXLOAD_OPT = 2048 };

#define MAXLOAD_ROW	{ "max-load", required_argument, NULL, MAXLOAD_OPT }
#define MAXLOAD_HELP \
	"      --max-load PERCENT  end when breakpoints take more of a processor's time, or off;\n" \
	"                          default 50 for each processor that there is\n"

/* The argument of --max-load: CMD_DONE, or CMD_USAGE with a message. */
int cmd_parse_max_load(struct maxload *m, const char *arg, struct diag *d);

#endif
