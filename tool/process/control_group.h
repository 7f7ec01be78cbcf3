/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups: their directories, and the memory that their limits leave. */
#ifndef GOPROBE_PROCESS_CONTROL_GROUP_H
#define GOPROBE_PROCESS_CONTROL_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "host/host.h"

/* Of the control groups of a process, the one that has the least memory left. */
struct control_group_memory {
	char group[PATH_MAX];	/* its directory, without the host's root */
	/*
	 * bytes that it can take until the kernel kills a process of it, if the files that it has
	 * in memory make way
	 */
	uint64_t left;
};

/* The directory of group @group of version 2, below one of its mounts: a descriptor, or -1. */
int control_group_open(const struct host *h, const char *group);
/* The memory that process @pid can still take; false: no limit, or it can't be read. */
bool control_group_memory(const struct host *h, pid_t pid, struct control_group_memory *ret);

#endif
