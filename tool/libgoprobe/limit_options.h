/* SPDX-License-Identifier: GPL-2.0 */
/* The options that say how much is traced, and how much load that may be. */
#ifndef GOPROBE_LIBGOPROBE_LIMIT_OPTIONS_H
#define GOPROBE_LIBGOPROBE_LIMIT_OPTIONS_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/exit_code.h"
#include "plan/plan.h"

/**
 * struct limitopt - what was asked for
 * @limits: --sample, --sample-by, --rate, --times
 * @by_given: --sample-by was
 * @trees: whole trees are shown: what is sampled is trees or goroutines
 */
struct limitopt {
	struct plan_limits limits;
	bool by_given;
	bool trees;
};

/* Not those of any command. */
enum { LIMITOPT_SAMPLE = 1024, LIMITOPT_SAMPLE_BY, LIMITOPT_RATE, LIMITOPT_TIMES };

/* For getopt_long(). */
#define LIMITOPT_ROW_SAMPLE	{ "sample", required_argument, NULL, LIMITOPT_SAMPLE }
#define LIMITOPT_ROW_BY		{ "sample-by", required_argument, NULL, LIMITOPT_SAMPLE_BY }
#define LIMITOPT_ROW_RATE	{ "rate", required_argument, NULL, LIMITOPT_RATE }
#define LIMITOPT_ROW_TIMES	{ "times", required_argument, NULL, LIMITOPT_TIMES }

/* One of them, with its argument: CMD_DONE, or CMD_USAGE with a sentence. */
int limitopt_option(struct limitopt *l, int opt, const char *arg, struct diag *d);
/* After the options; @no_return: ends of calls are not traced. CMD_* as above. */
int limitopt_end(struct limitopt *l, bool no_return, struct diag *d);

#endif
