/* SPDX-License-Identifier: GPL-2.0 */
/* The options and arguments of goprobectl attach. */
#ifndef GOPROBE_ATTACHOPT_H
#define GOPROBE_ATTACHOPT_H

#include "cmd.h"
#include "plan.h"
#include "spec.h"

/**
 * struct attachopt - what a run of attach was asked for
 * @pids: arguments of -p
 * @npids: their number
 * @file: argument of -b, or NULL
 * @command: what follows "--", or NULL
 * @specs: what to trace
 * @nspecs: their number
 * @plan: limits of what is captured
 * @bytes_given: --bytes is among them
 * @format: output format
 * @output: argument of --output, or NULL
 * @duration: ns, or 0
 * @events: lines to print, or 0
 * @ring_bytes: memory for each CPU, or 0
 * @pretty: values in lines, not in one
 * @quiet: no header and no summary
 * @strict: losses are a failure
 */
struct attachopt {
	char **pids;
	size_t npids;
	const char *file;
	char **command;
	struct spec *specs;
	size_t nspecs;
	struct plan_options plan;
	bool bytes_given;
	const struct out_format *format;
	const char *output;
	uint64_t duration;
	uint64_t events;
	uint32_t ring_bytes;
	bool pretty;
	bool quiet;
	bool strict;
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
