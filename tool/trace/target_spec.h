/* SPDX-License-Identifier: GPL-2.0 */
/* Target specs: which processes to trace, and which of their functions. */
#ifndef GOPROBE_TRACE_TARGET_SPEC_H
#define GOPROBE_TRACE_TARGET_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "lang/spec.h"

/**
 * struct target_spec - what is to be traced
 * @pids: arguments of -p
 * @npids: their number
 * @file: argument of -b, or NULL
 * @command: what follows "--", or NULL
 * @specs: which functions, and what of them
 * @nspecs: their number
 * @edits: calls can be changed
 * @sigs: a signature can follow a pattern, even without a condition
 * @places: places in the code can be meant, too
 */
struct target_spec {
	char **pids;
	size_t npids;
	const char *file;
	char **command;
	struct spec *specs;
	size_t nspecs;
	bool edits;
	bool sigs;
	bool places;
};

#endif
