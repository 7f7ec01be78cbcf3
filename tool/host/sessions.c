// SPDX-License-Identifier: GPL-2.0
/* Traces of others on a machine: is the process of each at work? */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/sessions.h"

/* The state of a process as /proc/PID/stat has it, or 0 if it has exited. */
static char state_of(const struct host *h, uint32_t pid)
{
	char path[32], stat[256];
	const char *name;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	if (!host_line(h, path, stat, sizeof(stat)))
		return 0;
	/* The name may have parentheses. */
	name = strrchr(stat, ')');
	return !name || name[1] != ' ' || strchr("ZX", name[2]) ? 0 : name[2];
}

void sessions_examine(const struct host *h, const uint32_t *owners, size_t n, struct findings *f)
{
	if (!n) {
		findings_add(f, "sessions", FINDING_OK, "no trace runs");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		char state = state_of(h, owners[i]);

		if (state && state != 'T' && state != 't')
			continue;
		findings_add(f, "sessions", FINDING_WARN, "a trace runs, of process %" PRIu32 ", which %s",
			     owners[i], state ? "is stopped" : "has exited");
		if (state)
			findings_remedy(f, "kill -CONT %" PRIu32 ", or kill -KILL, which ends the trace; see docs/recovery.md",
					owners[i]);
		else
			findings_remedy(f, "another process has its descriptor, anon_inode:[goprobe] in /proc/PID/fd: end that; see docs/recovery.md");
		return;
	}
	findings_add(f, "sessions", FINDING_OK, "%zu trace%s of process %" PRIu32, n,
		     n == 1 ? " runs," : "s run, the first", owners[0]);
}
