/* SPDX-License-Identifier: GPL-2.0 */
/* Tables whose rows are test cases. */
#ifndef GOPROBE_TEST_ROWS_H
#define GOPROBE_TEST_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct diag;

#define N(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Append to @tests a case of @func for each row of a table, which is the case's
 * state. A row begins with its claim, a const char *. Return: behind the last one.
 */
#define ROWS(tests, rows, func) \
	rows_append(tests, rows, sizeof(rows), sizeof((rows)[0]), func)
struct CMUnitTest *rows_append(struct CMUnitTest *tests, const void *rows, size_t bytes,
			       size_t row_bytes, CMUnitTestFunction func);

/* @d says @message of part @at of @text, with @hint ("(none)": without). NULL: not checked. */
void rows_expect_diag(const struct diag *d, const char *message, const char *text, const char *at,
		      const char *hint);

#endif
