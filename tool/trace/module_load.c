// SPDX-License-Identifier: GPL-2.0
/*
 * Loading the module, by modprobe. The kernel does not do so by itself when its
 * netlink family is looked up, as anybody may do that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/module_load.h"

static bool may_load(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &header, data) &&
	       data[0].effective & 1U << CAP_SYS_MODULE;
}

const char *modload_remedy(const char *complaint)
{
	static const struct {
		const char *part, *remedy;
	} known[] = {
		{ "not found in directory",
		  "install it for this kernel: make install, or make dkms" },
		{ "Key was rejected", "sign it with a key that this machine knows, as DKMS does" },
		{ "Operation not permitted",
		  "with Secure Boot or lockdown it must be signed, as DKMS does; dmesg says more" },
		{ "Exec format error", "build it again for this kernel; dmesg says more" },
		{ "install command", "the configuration in modprobe.d forbids it" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(complaint, known[i].part))
			return known[i].remedy;
	return "dmesg may say more";
}

/* Its first line, without its own name, of what is read from @fd. */
static void read_complaint(int fd, char *to, size_t size)
{
	char rest[256], name[] = "modprobe: ";
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, len < size - 1 ? to + len : rest,
			 len < size - 1 ? size - 1 - len : sizeof(rest))) > 0 ||
	       (n < 0 && errno == EINTR))
		if (n > 0 && len < size - 1)
			len += n;
	to[len] = 0;
	to[strcspn(to, "\n")] = 0;
	if (!strncmp(to, name, strlen(name)))
		memmove(to, to + strlen(name), strlen(to + strlen(name)) + 1);
}

static int spawn(const char *path, int out, pid_t *pid)
{
	static char *const argv[] = { "modprobe", "goprobe", NULL };
	static char *const envp[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, out, 2);

	int err = posix_spawn(pid, path, &actions, &attr, argv, envp);

	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return err;
}

/* Wait for it to end; *@status as waitpid() has it. Returns an errno. */
static int run(char *complaint, size_t size, int *status)
{
	/* By absolute paths: whose PATH it is does not matter. */
	static const char *const paths[] = { "/sbin/modprobe", "/usr/sbin/modprobe" };
	int ends[2], err = ENOENT;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	for (size_t i = 0; err == ENOENT && i < sizeof(paths) / sizeof(paths[0]); i++)
		err = spawn(paths[i], ends[1], &pid);
	close(ends[1]);
	if (!err) {
		read_complaint(ends[0], complaint, size);
		while (waitpid(pid, status, 0) < 0 && !err)
			err = errno == EINTR ? 0 : errno;
	}
	close(ends[0]);
	return err;
}

int modload(struct diag *d)
{
	char complaint[512] = "";
	int status = 0, err;

	if (!may_load()) {
		diag_set(d, "the goprobe module is not loaded");
		diag_hint(d, "run goprobectl as root, which loads it, or: sudo modprobe goprobe");
		return -1;
	}
	err = run(complaint, sizeof(complaint), &status);
	if (err) {
		diag_errno(d, err, "the goprobe module is not loaded, and modprobe can't be run");
		diag_hint(d, "install the package kmod, or load goprobe.ko with insmod");
		return -1;
	}
	if (status) {
		diag_set(d, "the goprobe module is not loaded, and modprobe can't load it: %s",
			 complaint[0] ? complaint : "it does not say why");
		diag_hint(d, "%s", modload_remedy(complaint));
		return -1;
	}
	fprintf(stderr, "goprobectl: loaded the module goprobe\n");
	return 0;
}
