/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What commands have in common that let the kernel count, or remember open calls, and print
 * that now and then.
 */
#ifndef GOPROBE_CMD_AGGREGATE_H
#define GOPROBE_CMD_AGGREGATE_H

#include <getopt.h>

#include "base/buf.h"
#include "cmd/cmd.h"
#include "cmd/target_options.h"
#include "gobin/symbolize.h"
#include "output/stats_print.h"
#include "trace/session.h"

struct counting;

/**
 * struct counting_cmd - what such a command has of its own
 * @doing: "counting"
 * @options: its options, but for those that all have: pid, binary, interval, duration, max-load,
 *	format, quiet and help; ends with zeros
 * @option: one of these, or 'o': --format. CMD_*
 * @check: do the options go together? CMD_*; or NULL
 * @set_up: place the breakpoints, with counting_set_up(); 0, or -1 with @d set
 * @print: read what has been counted and print it; @end: this is the last time
 */
struct counting_cmd {
	const char *doing;
	const struct option *options;
	int (*option)(struct counting *c, int opt, struct diag *d);
	int (*check)(const struct counting *c, struct diag *d);
	int (*set_up)(struct counting *c, struct diag *d);
	int (*print)(struct counting *c, const struct tallyshow_end *end, struct diag *d);
};

/**
 * struct counting - a run of such a command, which has this for its first member
 * @cmd: the command
 * @what: what is counted
 * @lists: what is shown of calls can be said
 * @looks: it is printed when it has begun and before it ends, too
 * @interval: ns between two tables, or 0
 * @duration: ns, or 0
 * @output: file to write to, or NULL: counting_open()
 * @fd: where output goes
 * @json: the output is JSON
 * @quiet: no header and no summary
 * @tracing: the session that counts
 * @files: what addresses mean, by file of the plan; or NULL: counting_name_files()
 * @ending: what is printed now is the last before the breakpoints are taken away
 * @started: when it began, CLOCK_MONOTONIC, ns
 * @broken: nobody reads the output any more
 * @hits: a second, when the module ended it because they took too much, or 0
 */
struct counting {
	const struct counting_cmd *cmd;
	struct target_spec what;
	bool lists;
	bool looks;
	uint64_t interval;
	uint64_t duration;
	const char *output;
	int fd;
	bool json;
	bool quiet;
	struct tracing tracing;
	struct symbols *files;
	bool ending;
	uint64_t started;
	bool broken;
	uint64_t hits;
};

/* The part of --help that is about them, as far as they are not about the output. */
#define COUNTING_HELP \
	"\n" \
	TARGETOPT_HELP \
	"\n" \
	"When to end (Ctrl-C always does):\n" \
	"      --duration TIME     after TIME: 5s, 200ms, 1m\n" \
	MAXLOAD_HELP \
	"\n" \
	"Output:\n" \
	"  -i, --interval TIME     a table every TIME, not only at the end\n"
#define COUNTING_QUIET_HELP \
	"  -q, --quiet             no header and no summary\n"

/* Values of a command's own options begin here. */
#define COUNTING_OPT_FREE 257

/*
 * All of it: options, breakpoints, counting and printing. @c: all zero but for what the command
 * sets by itself. Returns the command's exit code; counting_fini() is due.
 */
int counting_main(struct counting *c, const struct counting_cmd *cmd, int argc, char **argv,
		  struct diag *d);
/* Set the breakpoints. 0, or -1 with @d set. */
int counting_set_up(struct counting *c, const struct plan_options *options, struct diag *d);
/* Make @c->files, of the plan that counting_set_up() has made. 0, or -1 with @d set. */
int counting_name_files(struct counting *c, struct diag *d);
/* That of a function. */
struct symbols *counting_file(const struct counting *c, const struct plan_func *pf);
/* Make @c->output, which a command that is started does not get. 0, or -1 with @d set. */
int counting_open(struct counting *c, struct diag *d);
/* Is all there? It can't be written to any more. 0, or -1 with @d set. */
int counting_close(struct counting *c, struct diag *d);
/* To the output. 0, also if nobody reads it any more: then it ends soon. */
int counting_write(struct counting *c, const struct buf *b, struct diag *d);
void counting_fini(struct counting *c);

#endif
