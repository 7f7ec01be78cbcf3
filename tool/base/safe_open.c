// SPDX-License-Identifier: GPL-2.0
/* Safe opening of files at untrusted paths. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/safe_open.h"

#define CONFIGFS_MAGIC 0x62656570

/*
 * Files of the kernel's own file systems may claim to be regular. Reading one may have effects:
 * /proc/kmsg takes messages from those who wait for them.
 */
static bool holds_files(int fd)
{
	struct statfs fs;

	/* None of these fails. */
	if (fstatfs(fd, &fs))
		return true;
	switch ((unsigned long)fs.f_type) {
	case BINFMTFS_MAGIC:
	case BPF_FS_MAGIC:
	case CGROUP_SUPER_MAGIC:
	case CGROUP2_SUPER_MAGIC:
	case CONFIGFS_MAGIC:
	case DEBUGFS_MAGIC:
	case EFIVARFS_MAGIC:
	case NSFS_MAGIC:
	case PROC_SUPER_MAGIC:
	case PSTOREFS_MAGIC:
	case RDTGROUP_SUPER_MAGIC:
	case SECURITYFS_MAGIC:
	case SELINUX_MAGIC:
	case SMACK_MAGIC:
	case SYSFS_MAGIC:
	case TRACEFS_MAGIC:
	case XENFS_SUPER_MAGIC:
		return false;
	}
	return true;
}

/* Opens what @at, made with O_PATH, refers to: opening a device or a FIFO does things to it. */
static int open_at(int at)
{
	char self[64];
	struct stat st;

	if (fstat(at, &st))
		return -1;
	if (!S_ISREG(st.st_mode) || !holds_files(at)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", at);
	/* Do not wait until a lease on the file is broken. */
	return open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int safe_open(const char *path)
{
	int at = open(path, O_PATH | O_CLOEXEC), fd, err;

	if (at < 0)
		return -1;
	fd = open_at(at);
	err = errno;
	close(at);
	errno = err;
	return fd;
}
