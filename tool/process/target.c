// SPDX-License-Identifier: GPL-2.0
/* Targets of a trace: pids, a file or a command become binaries and processes. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/safe_open.h"
#include "process/containers.h"
#include "process/procmem.h"
#include "process/programs.h"
#include "process/target.h"

static bool same_file(int a, int b)
{
	struct stat sa, sb;

	return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* Open the binary behind @fd unless it is one we have. @fd stays the caller's. */
static int add_binary(struct target *t, int fd, const char *path, pid_t pid, struct diag *d)
{
	for (size_t i = 0; i < t->nbins; i++)
		if (same_file(gobin_fd(t->bins[i]), fd))
			return 0;

	struct gobin **bins = realloc(t->bins, (t->nbins + 1) * sizeof(*bins));

	if (!bins)
		return diag_set(d, "out of memory");
	t->bins = bins;
	if (gobin_open_in(fd, path, pid, &bins[t->nbins], d))
		return -1;
	t->nbins++;
	return 0;
}

static void read_name(struct target_process *p)
{
	char path[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", p->pid);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(p->name, sizeof(p->name), f))
		p->name[0] = 0;
	p->name[strcspn(p->name, "\n")] = 0;
	fclose(f);
}

static int add_process(struct target *t, pid_t pid, struct diag *d)
{
	for (size_t i = 0; i < t->nprocesses; i++)
		if (t->processes[i].pid == pid)
			return 0;

	struct target_process *v = realloc(t->processes, (t->nprocesses + 1) * sizeof(*v));

	if (!v)
		return diag_set(d, "out of memory");
	t->processes = v;
	v[t->nprocesses++] = (struct target_process){
		.pid = pid,
		.pidfd = syscall(SYS_pidfd_open, pid, 0),
	};
	read_name(&v[t->nprocesses - 1]);
	return 0;
}

/* --- processes ------------------------------------------------------- */

/* The process a thread belongs to; 0 if there is no such thread. */
static pid_t process_of(pid_t tid)
{
	char path[64], line[256];
	pid_t pid = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);

	FILE *f = fopen(path, "re");

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f) && sscanf(line, "Tgid: %d", &pid) != 1)
		;
	fclose(f);
	return pid;
}

static int open_executable(pid_t pid, char real[PATH_MAX], struct diag *d)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	process_executable(pid, real);

	/* The link itself: it leads to deleted files and into containers. */
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == EACCES || errno == EPERM) {
		diag_set(d, "permission denied reading process %d", pid);
		diag_hint(d, "run goprobectl as root");
		return -1;
	}
	if (errno == ENOENT)
		return diag_set(d, "process %d has no executable: it is a kernel thread or has ended",
				pid);
	return diag_errno(d, errno, "can't open the executable of process %d", pid);
}

struct loaded {
	struct target *t;
	pid_t pid;
};

static void add_if_go(void *ctx, int fd, const char *path)
{
	const struct loaded *l = ctx;
	struct diag not_go = { 0 };

	add_binary(l->t, fd, path, l->pid, &not_go);
	diag_fini(&not_go);
}

/* What it executes, or else the Go libraries that it has loaded. */
static int add_binaries(struct target *t, pid_t pid, int fd, const char *path, struct diag *d)
{
	struct loaded l = { t, pid };
	size_t before = t->nbins;
	int err = add_binary(t, fd, path, pid, d);

	if (err)
		procmem_each_file(pid, add_if_go, &l);
	if (err && t->nbins > before) {
		diag_fini(d);
		err = 0;
	}
	return err;
}

/* A process itself, not a thread. */
static int check_process(pid_t pid, struct diag *d)
{
	pid_t process = process_of(pid);

	if (!process)
		return diag_set(d, "no process %d", pid);
	if (process == pid)
		return 0;
	diag_set(d, "%d is a thread of process %d", pid, process);
	diag_hint(d, "all threads of a process are traced: -p %d", process);
	return -1;
}

static int add_pid(struct target *t, pid_t pid, struct diag *d)
{
	char path[PATH_MAX];

	if (check_process(pid, d))
		return -1;
	/* Before the executable: should the pid be reused, the two differ. */
	if (add_process(t, pid, d))
		return -1;

	int fd = open_executable(pid, path, d);

	if (fd < 0)
		return -1;

	int err = add_binaries(t, pid, fd, path, d);

	close(fd);
	if (err && !d->hint)
		diag_hint(d, "it is what process %d runs", pid);
	return err;
}

/* The pid at *@list, which moves behind it; 0: no more. */
static pid_t next_pid(const char **list)
{
	char *end;
	long pid;

	if (**list < '0' || **list > '9')
		return 0;
	errno = 0;
	pid = strtol(*list, &end, 10);
	if (pid <= 0 || pid > INT_MAX || errno || (*end && *end != ','))
		return 0;
	*list = *end ? end + 1 : end;
	/* "12," names nothing after the comma. */
	return *end && !**list ? 0 : pid;
}

struct named {
	const char *name;
	struct target_pids pids;
};

static int append_pid(struct target_pids *to, pid_t pid)
{
	if (grow(&to->v, to->n + 1, &to->cap, sizeof(*to->v)))
		return -1;
	to->v[to->n++] = pid;
	return 0;
}

static int add_if_named(void *ctx, pid_t pid)
{
	struct named *named = ctx;
	char path[PATH_MAX], *base, *deleted;

	if (!process_executable(pid, path))
		return 0;
	base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	deleted = strstr(base, " (deleted)");
	if (deleted)
		*deleted = 0;
	return strcmp(base, named->name) ? 0 : append_pid(&named->pids, pid);
}

/* Processes that a message lists. */
#define NAMED_MOST 10

static int several_named(const struct named *named, struct diag *d)
{
	struct buf list = { 0 };

	for (size_t i = 0; i < named->pids.n && i < NAMED_MOST; i++)
		buf_number(&list, i ? "," : "", named->pids.v[i]);
	if (named->pids.n > NAMED_MOST)
		buf_str(&list, ",...");
	buf_char(&list, 0);
	diag_set(d, "%zu processes run a file called '%s'", named->pids.n, named->name);
	if (!list.failed)
		diag_hint(d, "choose of -p %s; -b FILE traces all that run FILE", list.p);
	buf_fini(&list);
	return -1;
}

/* The one process whose executable has this name. */
static int append_named(struct target_pids *to, const char *name, struct diag *d)
{
	struct named named = { .name = name };
	int err = 0;

	if (process_each(add_if_named, &named)) {
		err = diag_set(d, "out of memory");
	} else if (named.pids.n > 1) {
		err = several_named(&named, d);
	} else if (named.pids.n == 1) {
		err = append_pid(to, named.pids.v[0]) ? diag_set(d, "out of memory") : 0;
	} else {
		err = diag_set(d, "'%s' is not a process id, and no process runs a file of that name",
			       name);
		diag_hint(d, "'goprobectl ps' lists Go programs; -b FILE traces all processes that run FILE");
	}
	free(named.pids.v);
	return err;
}

int target_parse_pids(struct target_pids *to, const char *list, struct diag *d)
{
	const char *p = list, *at = list;
	pid_t pid;

	while ((pid = next_pid(&p))) {
		if (append_pid(to, pid))
			return diag_set(d, "out of memory");
		if (!*p)
			return 0;
		at = p;
	}
	if (at == list && *list && !strpbrk(list, ",/") && !isdigit((unsigned char)*list))
		return append_named(to, list, d);
	diag_set(d, "'%s' is not a process id", list);
	diag_span(d, list, at - list, strcspn(at, ","));
	diag_hint(d, "-p takes numbers, or the name of one program;"
		  " -b FILE traces all processes that run FILE");
	return -1;
}

int target_add_pids(struct target *t, const struct target_pids *pids, struct diag *d)
{
	for (size_t i = 0; i < pids->n; i++)
		if (add_pid(t, pids->v[i], d))
			return -1;
	return 0;
}

int target_limit_pids(struct target *t, const struct target_pids *pids, struct diag *d)
{
	for (size_t i = 0; i < pids->n; i++)
		if (check_process(pids->v[i], d) || add_process(t, pids->v[i], d))
			return -1;
	return 0;
}

/* --- a file ---------------------------------------------------------- */

struct older {
	const char *path;
	int fd;
	size_t n;
};

static int count_if_older(void *ctx, pid_t pid)
{
	char link[64], path[PATH_MAX], *deleted;
	struct older *older = ctx;
	int fd;

	if (!process_executable(pid, path))
		return 0;
	deleted = strstr(path, " (deleted)");
	if (deleted)
		*deleted = 0;
	if (strcmp(path, older->path))
		return 0;
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	older->n += fd >= 0 && !same_file(fd, older->fd);
	if (fd >= 0)
		close(fd);
	return 0;
}

/* Processes whose executable was at @path but is not the file @fd. */
static size_t count_older(const char *path, int fd)
{
	struct older older = { .path = path, .fd = fd };

	process_each(count_if_older, &older);
	return older.n;
}

/* What is at @path, made with O_PATH, if that can be said at once; or -1. */
static int at_hand(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED };
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	return fd < 0 && errno == EINVAL ? open(path, O_PATH | O_CLOEXEC) : fd;
}

bool target_replaced(const struct target *t, const char *path)
{
	int fd = at_hand(path);
	struct statx now;
	struct stat st;
	int err;

	if (fd < 0)
		return false;
	err = statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &now);
	close(fd);
	if (err || !S_ISREG(now.stx_mode))
		return false;
	for (size_t i = 0; i < t->nbins; i++)
		if (fstat(gobin_fd(t->bins[i]), &st) ||
		    (st.st_ino == now.stx_ino &&
		     st.st_dev == makedev(now.stx_dev_major, now.stx_dev_minor)))
			return false;
	return true;
}

struct running {
	const struct target *t;
	struct target_pids pids;
};

static int add_if_running(void *ctx, pid_t pid)
{
	struct running *running = ctx;
	char link[64];
	int fd, err = 0;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && same_file(fd, gobin_fd(running->t->bins[0])))
		err = append_pid(&running->pids, pid);
	if (fd >= 0)
		close(fd);
	return err;
}

pid_t *target_running(const struct target *t, size_t *n)
{
	struct running running = { .t = t };

	process_each(add_if_running, &running);
	*n = running.pids.n;
	return running.pids.v;
}

/* The user's path; but a container may have something else there. */
static int open_file(const char *path, struct diag *d)
{
	int fd = safe_open(path);

	if (fd >= 0)
		return fd;
	if (errno == EISDIR)
		return diag_set(d, "%s is a directory", path);
	if (errno == EINVAL)
		return diag_set(d, "%s is not a regular file", path);
	return diag_errno(d, errno, "can't open %s", path);
}

int target_set_file(struct target *t, const char *path, size_t *older, struct diag *d)
{
	int fd = open_file(path, d);

	if (fd < 0)
		return -1;

	int err = add_binary(t, fd, path, 0, d);
	char *real = realpath(path, NULL);

	*older = !err && real ? count_older(real, fd) : 0;
	free(real);
	close(fd);
	return err;
}

/* --- a command ------------------------------------------------------- */

/* Find @name as a shell would. Returns a path to be freed, or NULL. */
static char *search(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return strdup(name);
	if (!path)
		path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	for (;;) {
		size_t n = strcspn(path, ":");
		char *file;

		if (asprintf(&file, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name) < 0)
			return NULL;

		struct stat st;

		if (access(file, X_OK) == 0 && stat(file, &st) == 0 && S_ISREG(st.st_mode))
			return file;
		free(file);
		if (!path[n])
			return NULL;
		path += n + 1;
	}
}

static bool is_socket(int fd)
{
	socklen_t len = sizeof(int);
	int type;

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len);
}

/*
 * In the child: of what exec closes the sockets, but for @go. It may wait for long, and a
 * session is as long there as its socket is: that of another trace that is freed meanwhile
 * would stay. Nothing but what may be called between fork() and exec() of a process with threads.
 */
static void close_sockets(int go)
{
	union {
		struct dirent64 align;
		char bytes[4096];
	} buf;
	int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t n;

	while (dir >= 0 && (n = getdents64(dir, &buf, sizeof(buf))) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *e = (const void *)(buf.bytes + at);
			int fd = 0;

			/* "." and ".." are 0, which is looked at. */
			for (const char *p = e->d_name; *p >= '0' && *p <= '9'; p++)
				fd = fd * 10 + *p - '0';
			if (fd != go && fcntl(fd, F_GETFD) == FD_CLOEXEC && is_socket(fd))
				close(fd);
			at += e->d_reclen;
		}
	}
	if (dir >= 0)
		close(dir);
}

/* In the child: wait for permission to start, run the command, report a failure. */
static void run(const char *path, char **argv, int go, int failed, const sigset_t *mask)
{
	char byte;

	close_sockets(go);
	/* End of file: goprobectl has given up or has died. */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execv(path, argv);

	int err = errno;

	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

static int start(struct target *t, const char *path, char **argv, const sigset_t *mask,
		 struct diag *d)
{
	int go[2], failed[2];

	/* Sockets can be written to without SIGPIPE, which a library leaves alone. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go))
		return diag_errno(d, errno, "can't make a pipe");
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return diag_errno(d, errno, "can't make a pipe");
	}

	pid_t pid = fork();

	if (!pid) {
		close(go[1]);
		close(failed[0]);
		run(path, argv, go[0], failed[1], mask);
	}
	close(go[0]);
	close(failed[1]);
	t->go = go[1];
	t->failed = failed[0];
	if (pid < 0) {
		close(t->go);
		close(t->failed);
		return diag_errno(d, errno, "can't start a process");
	}
	t->command = true;
	if (!add_process(t, pid, d))
		return 0;
	/* Not in the list, so target_fini() would not know it. */
	close(t->go);
	close(t->failed);
	t->command = false;
	waitpid(pid, NULL, 0);
	return -1;
}

int target_set_command(struct target *t, char **argv, const sigset_t *mask, struct diag *d)
{
	char *path = search(argv[0]);

	if (!path)
		return diag_set(d, "no command '%s' in PATH", argv[0]);

	int fd = open_file(path, d), err = -1;

	if (fd >= 0) {
		err = add_binary(t, fd, path, 0, d);
		close(fd);
	}
	if (!err && access(path, X_OK))
		err = diag_errno(d, errno, "can't run %s", path);
	if (!err)
		err = start(t, path, argv, mask, d);
	free(path);
	return err;
}

int target_release(struct target *t, struct diag *d)
{
	int err = 0;
	ssize_t n = send(t->go, "", 1, MSG_NOSIGNAL);

	close(t->go);
	t->go = -1;
	if (n != 1)
		return diag_set(d, "the command was killed before it began");
	/* The other end closes on exec. */
	do {
		n = read(t->failed, &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	close(t->failed);
	t->failed = -1;
	return n == sizeof(err) ? diag_errno(d, err, "can't run the command") : 0;
}

/* --- the end --------------------------------------------------------- */

static bool has_ended(const struct target_process *p)
{
	struct pollfd fd = { .fd = p->pidfd, .events = POLLIN };

	/* A pidfd also reports a process that nobody has waited for yet. */
	if (p->pidfd >= 0)
		return poll(&fd, 1, 0) == 1;
	return kill(p->pid, 0) && errno == ESRCH;
}

size_t target_poll(const struct target *t, struct pollfd *fds)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nprocesses; i++)
		if (!t->processes[i].ended && t->processes[i].pidfd >= 0)
			fds[n++] = (struct pollfd){ .fd = t->processes[i].pidfd,
						    .events = POLLIN };
	return n;
}

static bool command_ended(struct target *t)
{
	pid_t got = waitpid(t->processes[0].pid, &t->status, WNOHANG);

	/* A parent that ignores SIGCHLD, or has waited for it elsewhere, gets no status. */
	return got > 0 || (got < 0 && errno == ECHILD);
}

bool target_ended(struct target *t)
{
	bool all = t->nprocesses || t->follows;

	for (size_t i = 0; i < t->nprocesses; i++) {
		struct target_process *p = &t->processes[i];

		if (p->ended)
			continue;
		if (t->command)
			p->ended = command_ended(t);
		else
			p->ended = has_ended(p);
		all &= p->ended;
	}
	return all && (!t->follows || containers_removed(t->group));
}

int target_exit_status(const struct target *t)
{
	if (WIFSIGNALED(t->status))
		return 128 + WTERMSIG(t->status);
	return WEXITSTATUS(t->status);
}

void target_fini(struct target *t)
{
	if (t->command) {
		bool held = t->go >= 0;

		/*
		 * End of file ends a child that still waits, when we die; but not now, should
		 * a process that was forked meanwhile have it open, too.
		 */
		if (held) {
			if (!t->processes[0].ended)
				kill(t->processes[0].pid, SIGKILL);
			close(t->go);
		}
		if (t->failed >= 0)
			close(t->failed);
		if (held && !t->processes[0].ended)
			waitpid(t->processes[0].pid, NULL, 0);
	}
	for (size_t i = 0; i < t->nprocesses; i++)
		if (t->processes[i].pidfd >= 0)
			close(t->processes[i].pidfd);
	for (size_t i = 0; i < t->nbins; i++)
		gobin_free(t->bins[i]);
	free(t->processes);
	free(t->bins);
	memset(t, 0, sizeof(*t));
}
