// SPDX-License-Identifier: GPL-2.0
/* Descendants of a goroutine. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gobin/runtime_layout.h"
#include "process/kin.h"
#include "rows.h"

/* "goid<parent ..." */
static struct row {
	const char *claim, *all;
	unsigned int of;
	const char *found;
} cases[] = {
	{ "nobody", "", 5, "" },
	{ "a goroutine is not its own descendant", "5<1", 5, "" },
	{ "children", "7<5 8<5 9<1", 5, "7 8" },
	{ "their children", "7<5 8<7 9<8 10<9", 5, "7 8 9 10" },
	{ "in any order", "10<9 8<7 5<1 9<8 7<5 11<1", 5, "7 8 9 10" },
	{ "not those of others", "2<1 3<2 7<5 8<3", 5, "7" },
	{ "all descend from the first", "2<1 3<2 4<3 1<0", 1, "2 3 4" },
	{ "who has ended joins nobody", "8<7 9<8", 5, "" },
	{ "a parent may have the higher id", "7<20 8<7 20<5 9<30 30<1", 5, "7 8 20" },
	{ "nobody descends in a circle", "7<9 8<7 9<8 10<9 11<5", 5, "11" },
	{ "a circle with the one asked for", "5<9 7<5 9<7", 5, "7 9" },
	{ "nobody starts itself", "7<7 8<7 5<5", 5, "" },
	{ "twice the same", "7<5 7<5 8<7", 5, "7 7 8" },
};

ROWS(test_row, cases)
{
	const struct row *row = *state;
	struct kin_gor v[16];
	const char *s = row->all;
	char found[64] = "";
	size_t n = 0, len;
	int used;

	while (sscanf(s, " %lu<%lu%n", &v[n].goid, &v[n].parent, &used) == 2) {
		s += used;
		n++;
	}
	n = kin_descendants(v, n, row->of);
	for (size_t i = 0; i < n; i++) {
		len = strlen(found);
		snprintf(found + len, sizeof(found) - len, "%s%lu", i ? " " : "", v[i].goid);
	}
	assert_string_equal(found, row->found);
}

/* Debug information says where goid is, and anybody may have written that. */
TEST(test_far_goid, "goid is not where no runtime.g has it")
{
	const struct runtime_layout_g *l = &runtime_layout_get(27)->g;
	const struct procmem m = { .pid = getpid() };
	static uint64_t g[1024] = { [0x98 / 8] = 5 };
	struct goprobe_runtime rt = { .g_goid = 0x98 };
	struct kin_gor k;

	assert_true(kin_gor_read(&m, l, &rt, (uintptr_t)g, &k));
	assert_int_equal(k.goid, 5);
	rt.g_goid = l->parent + 8;
	assert_false(kin_gor_read(&m, l, &rt, (uintptr_t)g, &k));
	rt.g_goid = 4088;
	assert_false(kin_gor_read(&m, l, &rt, (uintptr_t)g, &k));
}
