/* SPDX-License-Identifier: GPL-2.0 */
/* What commands have in common that let the kernel count, and print now and then. */
#ifndef GOPROBE_COUNTING_H
#define GOPROBE_COUNTING_H

#include "buf.h"
#include "tallyshow.h"
#include "tracing.h"

struct counting;

/**
 * struct counting - a run of such a command
 * @what: what is counted
 * @lists: what is shown of calls can be said
 * @interval: ns between two tables, or 0
 * @duration: ns, or 0
 * @quiet: no header and no summary
 * @tracing: the session that counts
 * @print: read what it has counted and print it; @end: this is the last time
 * @ctx: its first argument
 * @started: when it began, CLOCK_MONOTONIC, ns
 * @broken: nobody reads the output any more
 */
struct counting {
	struct targetopt what;
	bool lists;
	uint64_t interval;
	uint64_t duration;
	bool quiet;
	struct tracing tracing;
	int (*print)(void *ctx, const struct tallyshow_end *end, struct diag *d);
	void *ctx;
	uint64_t started;
	bool broken;
};

/* The part of --help that is about them, as far as they are not about the output. */
#define COUNTING_HELP \
	"\n" \
	TARGETOPT_HELP \
	"\n" \
	"When to end (Ctrl-C always does):\n" \
	"      --duration TIME     after TIME: 5s, 200ms, 1m\n" \
	"\n" \
	"Output:\n" \
	"  -i, --interval TIME     a table every TIME, not only at the end\n"
#define COUNTING_QUIET_HELP \
	"  -q, --quiet             no header and no summary\n"

enum { COUNTING_OPT_DURATION = 256, COUNTING_OPT_FREE };

/*
 * CMD_*; @options have pid (p), binary (b), interval (i), duration (COUNTING_OPT_DURATION), quiet
 * (q) and help (h); @own is told of every option, with c->ctx. A command's own short one is -o.
 */
int counting_parse(struct counting *c, int argc, char **argv, const struct option *options,
		   int (*own)(void *ctx, int opt, struct diag *d), struct diag *d);
/* Set the breakpoints. */
int counting_set_up(struct counting *c, const struct plan_options *options, struct diag *d);
/* Start, print, end: the command's exit code. @doing: "counting". */
int counting_run(struct counting *c, const char *doing, struct diag *d);
/* To standard output. 0, also if nobody reads it any more: then it ends soon. */
int counting_write(struct counting *c, const struct buf *b, struct diag *d);
void counting_fini(struct counting *c);

#endif
