// SPDX-License-Identifier: GPL-2.0
/* The memory that control groups leave to a process, on a machine that is a tree of files. */
#include "rows.h"
#include "tree.h"

#include <string.h>

#include "process/control_group.h"

#define MOUNTS(lines) { "/proc/self/mountinfo", lines }
#define MOUNT MOUNTS("24 1 0:20 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
#define PROC(group) { "/proc/12/cgroup", group }
#define MAX(path, bytes) { "/sys/fs/cgroup" path "/memory.max", bytes "\n" }
#define NOW(path, bytes) { "/sys/fs/cgroup" path "/memory.current", bytes "\n" }
#define STAT(path, lines) { "/sys/fs/cgroup" path "/memory.stat", lines }
#define OLD "/sys/fs/cgroup/memory/docker/1/memory."

static const struct row {
	const char *claim;
	struct tree_file files[9];
	const char *group;	/* NULL: no limit */
	uint64_t left;
} rows[] = {
	{ "its own limit", { MOUNT, PROC("0::/a\n"),
	    MAX("/a", "1000"), NOW("/a", "400"), STAT("/a", "anon 400\n") },
	  "/sys/fs/cgroup/a", 600 },
	{ "files make way",
	  { MOUNT, PROC("0::/a\n"),
	    MAX("/a", "1000"), NOW("/a", "990"),
	    STAT("/a", "anon 90\nfile 900\ninactive_file 600\nactive_file 300\n") },
	  "/sys/fs/cgroup/a", 910 },
	{ "more files than it is charged for",
	  { MOUNT, PROC("0::/a\n"),
	    MAX("/a", "1000"), NOW("/a", "10"), STAT("/a", "inactive_file 600\n") },
	  "/sys/fs/cgroup/a", 1000 },
	{ "over its limit", { MOUNT, PROC("0::/a\n"),
	    MAX("/a", "1000"), NOW("/a", "1001"), STAT("/a", "anon 1\n") },
	  "/sys/fs/cgroup/a", 0 },
	{ "the group above has less",
	  { MOUNT, PROC("0::/a/b\n"),
	    MAX("/a", "1000"), NOW("/a", "900"), MAX("/a/b", "600"), NOW("/a/b", "400") },
	  "/sys/fs/cgroup/a", 100 },
	{ "the group above has more",
	  { MOUNT, PROC("0::/a/b\n"),
	    MAX("/a", "1000"), NOW("/a", "500"), MAX("/a/b", "600"), NOW("/a/b", "400") },
	  "/sys/fs/cgroup/a/b", 200 },
	{ "a group above without a limit",
	  { MOUNT, PROC("0::/a/b\n"),
	    MAX("/a", "max"), NOW("/a", "500"), MAX("/a/b", "600"), NOW("/a/b", "400") },
	  "/sys/fs/cgroup/a/b", 200 },
	{ "no limit", { MOUNT, PROC("0::/a\n"), MAX("/a", "max"), NOW("/a", "500") }, NULL, 0 },
	{ "the root has none", { MOUNT, PROC("0::/\n") }, NULL, 0 },
	{ "nothing is mounted", { MOUNTS("24 1 0:20 / /sys rw - sysfs s rw\n"), PROC("0::/a\n") },
	  NULL, 0 },
	{ "no such process", { MOUNT }, NULL, 0 },
	{ "a mount of a part, with a space in its name",
	  { MOUNTS("24 1 0:20 /a /x\\040y rw - cgroup2 c rw\n"), PROC("0::/a/b\n"),
	    { "/x y/b/memory.max", "100\n" }, { "/x y/b/memory.current", "30\n" } },
	  "/x y/b", 70 },
	{ "version 1, and version 2 without memory beside it",
	  { MOUNTS("24 1 0:20 / /sys/fs/cgroup/unified rw - cgroup2 c rw\n"
		   "25 1 0:21 / /sys/fs/cgroup/cpu rw - cgroup v1 rw,cpu,cpuacct\n"
		   "26 1 0:22 / /sys/fs/cgroup/memory rw - cgroup v1 rw,memory\n"),
	    PROC("12:cpu,cpuacct:/docker/1\n11:memory:/docker/1\n0::/docker/1\n"),
	    { "/sys/fs/cgroup/unified/docker/1/cgroup.procs", "" },
	    { OLD "limit_in_bytes", "1000\n" }, { OLD "usage_in_bytes", "900\n" },
	    { OLD "stat", "inactive_file 1\ntotal_inactive_file 100\ntotal_active_file 50\n" } },
	  "/sys/fs/cgroup/memory/docker/1", 250 },
	{ "lines that are none", { MOUNT, PROC("\n0\n0:\n::\n0::/a\n"),
	    MAX("/a", "x"), NOW("/a", "1") },
	  NULL, 0 },
};

TEST(left, "what the limits of a process leave")
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct host h = { .root = tree_root };
		struct control_group_memory m;

		tree_make(rows[i].files);
		if (control_group_memory(&h, 12, &m) != !!rows[i].group)
			fail_msg("%s: %s", rows[i].claim, m.group);
		if (rows[i].group) {
			if (strcmp(m.group, rows[i].group) || m.left != rows[i].left)
				fail_msg("%s: %s has %llu left", rows[i].claim, m.group,
					 (unsigned long long)m.left);
		}
		tree_remove();
	}
}
