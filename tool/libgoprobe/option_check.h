/* SPDX-License-Identifier: GPL-2.0 */
/* Which options of a trace go together: for the command line and for libgoprobe's callers. */
#ifndef GOPROBE_LIBGOPROBE_OPTION_CHECK_H
#define GOPROBE_LIBGOPROBE_OPTION_CHECK_H

#include <stdbool.h>

#include "libgoprobe/limit_options.h"

/**
 * struct optcheck - what was asked for, as far as it matters to the rest
 * @limit: how much is traced
 * @no_return: calls only
 * @split: durations are divided
 * @pretty: long values in several lines
 * @record: events are not shown but recorded
 */
struct optcheck {
	struct limitopt *limit;
	bool no_return;
	bool split;
	bool pretty;
	bool record;
};

/* CMD_DONE, or CMD_USAGE with a sentence, that names options as goprobectl attach has them. */
int optcheck_together(const struct optcheck *c, struct diag *d);
/* What says how lines look has no place where none are printed: @option, or NULL. */
int optcheck_recorded(const char *option, struct diag *d);

#endif
