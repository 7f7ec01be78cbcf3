// SPDX-License-Identifier: GPL-2.0
/* Tables whose rows are test cases. */
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
