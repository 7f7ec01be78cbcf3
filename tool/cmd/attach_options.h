/* SPDX-License-Identifier: GPL-2.0 */
/* The options and arguments of goprobectl attach. */
#ifndef GOPROBE_CMD_ATTACH_OPTIONS_H
#define GOPROBE_CMD_ATTACH_OPTIONS_H

#include "cmd/cmd.h"
#include "cmd/target_options.h"
#include "libgoprobe/limit_options.h"
#include "libgoprobe/option_value.h"
#include "trace/overload.h"

/**
 * struct attachopt - what a run of attach was asked for
 * @what: what is traced
 * @set: options of the trace, but for those of @limit and @load
 * @limit: how much is traced
 * @load: how much of the program's time that may take
 * @format: output format
 * @output: argument of --output, or NULL
 * @record: argument of --record, or NULL
 * @strict: losses are a failure
 */
struct attachopt {
	struct target_spec what;
	struct optvalues set;
	struct limitopt limit;
	struct maxload load;
	const struct out_format *format;
	const char *output;
	const char *record;
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
