// SPDX-License-Identifier: GPL-2.0
/* Rights of the process on the machine, and other tracers there. */
#include <limits.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/module.h"
#include "host/rights.h"

/* The initial user namespace maps each id to itself. */
static bool in_user_namespace(const struct host *h)
{
	unsigned int first, outside, n;
	char map[128];

	return host_line(h, "/proc/self/uid_map", map, sizeof(map)) &&
	       sscanf(map, "%u %u %u", &first, &outside, &n) == 3 &&
	       (first || outside || n != UINT32_MAX);
}

/* What the link at @path names, "net:[4026531840]"; false if it can't be read. */
static bool read_namespace(const struct host *h, const char *path, char *out, size_t size)
{
	char full[PATH_MAX];
	ssize_t n;

	host_path(h, full, sizeof(full), "%s", path);
	n = readlink(full, out, size - 1);
	out[n < 0 ? 0 : n] = 0;
	return n > 0;
}

static void examine_capabilities(const struct host *h, struct findings *f)
{
	char status[4096];
	uint64_t effective = 0;

	host_read(h, "/proc/self/status", status, sizeof(status));

	const char *line = strstr(status, "\nCapEff:");

	if (line)
		effective = strtoull(line + strlen("\nCapEff:"), NULL, 16);
	if (in_user_namespace(h)) {
		findings_add(f, "rights", FINDING_FAIL,
			     "this is a user namespace, whose root has no rights outside");
		findings_remedy(f, "run goprobectl on the host, or in a privileged container");
	} else if (!(effective & 1ULL << CAP_SYS_ADMIN)) {
		findings_add(f, "rights", FINDING_FAIL, "goprobectl lacks CAP_SYS_ADMIN");
		findings_remedy(f, "run it as root, with sudo");
	} else if (!module_is_loaded(h) && !(effective & 1ULL << CAP_SYS_MODULE)) {
		findings_add(f, "rights", FINDING_FAIL,
			     "goprobectl lacks CAP_SYS_MODULE and can't load the module");
		findings_remedy(f, "load it on the host: modprobe goprobe");
	} else {
		findings_add(f, "rights", FINDING_OK, "CAP_SYS_ADMIN");
	}
}

static void examine_namespaces(const struct host *h, struct findings *f)
{
	/* A fixed number of the kernel: PROC_PID_INIT_INO. */
	static const char initial_pid[] = "pid:[4026531836]";
	char own[64], first[64];

	if (read_namespace(h, "/proc/self/ns/pid", own, sizeof(own)) && strcmp(own, initial_pid)) {
		findings_add(f, "namespaces", FINDING_WARN,
			     "process ids are a container's, so only its processes can be named");
		findings_remedy(f, "to trace others, run goprobectl on the host");
	} else if (read_namespace(h, "/proc/self/ns/net", own, sizeof(own)) &&
		   read_namespace(h, "/proc/1/ns/net", first, sizeof(first)) &&
		   strcmp(own, first)) {
		findings_add(f, "namespaces", FINDING_FAIL,
			     "the module can't be reached from this network namespace");
		findings_remedy(f, "sudo nsenter -t 1 -n goprobectl ...");
	} else {
		findings_add(f, "namespaces", FINDING_OK, "no container is in the way");
	}
}

void rights_examine(const struct host *h, struct findings *f)
{
	examine_capabilities(h, f);
	examine_namespaces(h, f);
}

void rights_examine_tracers(const struct host *h, struct findings *f)
{
	char events[4096];
	size_t n = 0;

	if (!host_read(h, "/sys/kernel/tracing/uprobe_events", events, sizeof(events)) &&
	    !host_read(h, "/sys/kernel/debug/tracing/uprobe_events", events, sizeof(events)))
		return;
	for (const char *at = events; (at = strchr(at, '\n')); at++)
		n++;
	if (!n) {
		findings_add(f, "tracers", FINDING_OK, "no uprobes in tracefs");
		return;
	}
	findings_add(f, "tracers", FINDING_WARN,
		     "others have uprobes in tracefs, the first: %.*s",
		     (int)strcspn(events, "\n"), events);
	findings_remedy(f, "both work; a hit at the same address costs more");
}
