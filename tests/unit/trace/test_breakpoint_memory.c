// SPDX-License-Identifier: GPL-2.0
/* Breakpoints that would have the kernel kill a program, on a machine that is a tree of files. */
#include "rows.h"
#include "tree.h"

#include "trace/breakpoint_memory.h"

#define PAGES 100U

/* A command that has not begun, which @points breakpoints are for: one in each page. */
static void expect(const char *max, const char *want)
{
	const struct tree_file files[] = {
		{ "/proc/self/mountinfo", "24 1 0:20 / /sys/fs/cgroup rw - cgroup2 c rw\n" },
		{ "/proc/12/cgroup", "0::/shop\n" }, { "/proc/13/cgroup", "0::/shop\n" },
		{ "/sys/fs/cgroup/shop/memory.max", max },
		{ "/sys/fs/cgroup/shop/memory.current", "0\n" }, { NULL, NULL }
	};
	const struct host h = { .root = tree_root };
	struct goprobe_point points[2 * PAGES];
	struct plan_points file = { .v = points, .n = 2 * PAGES };
	struct plan plan = { .o = &plan_defaults, .files = &file, .nfiles = 1 };
	struct target_process processes[] = { { .pid = 12 }, { .pid = 13 } };
	struct session t = { .plan = &plan, .target = { .processes = processes, .nprocesses = 2,
							.command = true } };
	struct diag d = { 0 };

	for (size_t i = 0; i < 2 * PAGES; i++)
		points[i] = (struct goprobe_point){ .offset = 4096 * (i % PAGES) + i };
	assert_int_equal(breakpoint_memory_pages(&file), PAGES);
	tree_make(files);
	assert_int_equal(breakpoint_memory_check(&t, &h, &d), want ? -1 : 0);
	if (want)
		assert_string_equal(d.message, want);
	tree_remove();
	diag_fini(&d);
}

TEST(needs_less, "there is twice as much as two processes of a group need, or no limit")
{
	expect("1638400\n", NULL);
	expect("max\n", NULL);
}

TEST(needs_more, "there is less")
{
	expect("1638399\n", "process 12 could be killed: breakpoints take 0.8 MiB of its memory, and the limit of control group /sys/fs/cgroup/shop leaves 1.6 MiB");
}

TEST(no_points, "without points nothing is needed")
{
	struct plan_points file = { 0 };

	assert_int_equal(breakpoint_memory_pages(&file), 0);
}
