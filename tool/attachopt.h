/* SPDX-License-Identifier: GPL-2.0 */
/* The options and arguments of goprobectl attach. */
#ifndef GOPROBE_ATTACHOPT_H
#define GOPROBE_ATTACHOPT_H

#include "cmd.h"
#include "limitopt.h"
#include "maxload.h"
#include "plan.h"
#include "targetopt.h"

/**
 * struct attachopt - what a run of attach was asked for
 * @what: what is traced
 * @plan: limits of what is captured
 * @bytes_given: --bytes is among them
 * @format: output format
 * @output: argument of --output, or NULL
 * @record: argument of --record, or NULL
 * @duration: ns, or 0
 * @events: lines to print, or 0
 * @ring_bytes: memory for each CPU, or 0
 * @lossless: the program waits rather than that records are lost
 * @pretty: values in lines, not in one
 * @held: calls that can be held at once; 0: not said
 * @quiet: no header and no summary
 * @strict: losses are a failure
 * @limit: how much is traced
 * @load: how much of the program's time that may take
 */
struct attachopt {
	struct targetopt what;
	struct plan_options plan;
	bool bytes_given;
	const struct out_format *format;
	const char *output;
	const char *record;
	uint64_t duration;
	uint64_t events;
	uint32_t ring_bytes;
	uint32_t held;
	bool lossless;
	bool pretty;
	bool quiet;
	bool strict;
	struct limitopt limit;
	struct maxload load;
};

/* Text of --help. */
extern const char attachopt_help[];

/*
 * Fill @a, which is all zero, with what @argv says, or with defaults; @argv outlives
 * it and is cut at "--". CMD_DONE; else CMD_HELP, or CMD_* with a sentence.
 */
int attachopt_parse(struct attachopt *a, int argc, char **argv, struct diag *d);
void attachopt_fini(struct attachopt *a);

#endif
