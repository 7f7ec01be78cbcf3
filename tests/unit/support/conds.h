/* SPDX-License-Identifier: GPL-2.0 */
/* Conditions of functions that tests name in the text itself. */
#ifndef GOPROBE_TEST_CONDS_H
#define GOPROBE_TEST_CONDS_H

#include "compile/cond.h"

/*
 * Programs "shapes" of the newest toolchain, of the oldest one if that is before 1.17 (else NULL),
 * and a stripped one. Rows are about @row_bin, which is @newest at first. Memory of plans is @mem.
 */
extern struct gobin *newest, *oldest, *stripped, *row_bin;
extern struct arena mem;
/* Set-up and tear-down of groups that use these. */
int conds_open(void **state);
int conds_close(void **state);

/*
 * Compile "main.Ints if a > 5" for that function of @bin; fails the test on an error.
 * 0, or -1 with an error. All that is made lives in @mem.
 */
int conds_compile(struct gobin *bin, const char *text, struct arena *mem,
		  struct filter_pair *ret, struct diag *d);

#endif
