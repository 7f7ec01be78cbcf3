// SPDX-License-Identifier: GPL-2.0
/* What binaries say of their modules. */
#include "rows.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bins.h"
#include "gobin/buildinfo.h"

TEST(binaries_say_what_they_were_built_from)
{
	struct bins_each e = BINS("shapes", "", "-stripped");

	while (bins_next(&e)) {
		char *modules = buildinfo_modules(gobin_file(e.bin));

		assert_non_null(modules);
		assert_memory_equal(modules, "path\t", 5);
		assert_non_null(strstr(modules, "shapes"));
		free(modules);
	}
}
