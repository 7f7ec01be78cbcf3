// SPDX-License-Identifier: GPL-2.0
/* Outputs of unit tests as files. */
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"
#include "samples.h"

void sample_write(const char *name, const struct buf *b)
{
	const char *folder = getenv("GOPROBE_TEST_SAMPLES");
	char path[4096];
	FILE *f;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(b->p, 1, b->len, f), b->len);
	assert_int_equal(fclose(f), 0);
}
