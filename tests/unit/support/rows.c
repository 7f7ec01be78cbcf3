// SPDX-License-Identifier: GPL-2.0
/* Tables whose rows are test cases. */
#include <string.h>

#include "base/diag.h"
#include "rows.h"

struct CMUnitTest *rows_append(struct CMUnitTest *tests, const void *rows, size_t bytes,
			       size_t row_bytes, CMUnitTestFunction func)
{
	const char *row = rows, *end = row + bytes;

	for (; row < end; row += row_bytes)
		*tests++ = (struct CMUnitTest){
			.name = *(const char *const *)row, .test_func = func,
			.initial_state = (void *)(uintptr_t)row,
		};
	return tests;
}

void rows_expect_diag(const struct diag *d, const char *message, const char *text, const char *at,
		      const char *hint)
{
	if (message)
		assert_string_equal(d->message, message);
	if (at) {
		assert_string_equal(d->text, text);
		assert_int_equal(d->len, strlen(at));
		assert_memory_equal(d->text + d->at, at, d->len);
	}
	if (hint)
		assert_string_equal(d->hint ? d->hint : "(none)", hint);
}
