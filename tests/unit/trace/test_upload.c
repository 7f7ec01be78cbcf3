// SPDX-License-Identifier: GPL-2.0
/* Invalid answers of a module, without a module. */
#include <stdint.h>
#include <string.h>

#include "rows.h"
#include "trace/upload.h"

static bool go_on(void *ctx, size_t points, size_t all)
{
	(void)ctx;
	(void)points;
	(void)all;
	return true;
}

/* Then a message would have nothing in it, and there would be as much to send as before. */
TEST(batches_of_nothing_are_refused)
{
	struct plan plan = { .o = &plan_defaults };
	struct upload u = { .plan = &plan };
	struct diag d = { 0 };

	memset(&u.limits, 0xff, sizeof(u.limits));
	u.limits.batch = 0;
	assert_int_equal(upload_plan(&u, go_on, NULL, &d), -1);
	assert_string_equal(d.message, "the module takes nothing in a message: it is broken");
	upload_fini(&u);
	diag_fini(&d);
}
