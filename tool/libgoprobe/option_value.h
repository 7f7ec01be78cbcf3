/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of a trace, and what values each takes: one table for the command line and for
 * libgoprobe's callers.
 */
#ifndef GOPROBE_LIBGOPROBE_OPTION_VALUE_H
#define GOPROBE_LIBGOPROBE_OPTION_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "libgoprobe/libgoprobe.h"

#define OPTVALUE_NUMBER (GOPROBE_OPTION_DRY_RUN + 1)

/**
 * struct optvalues - options that were given
 * @v: by enum goprobe_option: the value, or 0
 * @given: likewise: it was
 */
struct optvalues {
	uint64_t v[OPTVALUE_NUMBER];
	bool given[OPTVALUE_NUMBER];
};

/* What @arg says on the command line: CMD_DONE, or CMD_USAGE with a sentence. */
int optvalue_parse(enum goprobe_option option, const char *arg, uint64_t *ret, struct diag *d);
/* May a program give @option that value? 0, or -1 with a sentence. */
int optvalue_check(unsigned int option, uint64_t value, struct diag *d);

#endif
