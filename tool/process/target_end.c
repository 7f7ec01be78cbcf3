// SPDX-License-Identifier: GPL-2.0
/* Ends of processes in words: which one, and with which status. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "base/plain.h"
#include "process/target.h"

/* struct pidfd_info of linux/pidfd.h, as Linux 6.15 has it. */
struct pidfd_end {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11];
	int32_t status;
};

#define PIDFD_END _IOWR(0xff, 11, struct pidfd_end)
#define PIDFD_END_STATUS (1U << 3)

/* Its wait status, if that is known. */
static bool find_status(const struct target *t, const struct target_process *p, int *ret)
{
	struct pidfd_end end = { .mask = PIDFD_END_STATUS };

	*ret = t->status;
	if (t->command)
		return true;
	if (p->pidfd < 0 || ioctl(p->pidfd, PIDFD_END, &end) || !(end.mask & PIDFD_END_STATUS))
		return false;
	*ret = end.status;
	return true;
}

void target_put_ended(const struct target *t, struct buf *b)
{
	const struct target_process *p = t->processes;
	int status;

	for (size_t i = 0; i < t->nprocesses; i++)
		if (!p[i].ended)
			return;
	/* The others are not known. */
	if (t->follows)
		return;
	if (!t->nprocesses || (t->command && !t->status))
		return;
	if (t->nprocesses > 1) {
		buf_number(b, "all ", t->nprocesses);
		buf_str(b, " processes have ended");
		return;
	}
	buf_number(b, "process ", (uint64_t)p->pid);
	if (p->name[0] && !t->command) {
		buf_str(b, " (");
		plain_add(b, p->name);
		buf_char(b, ')');
	}
	buf_str(b, " has ended");
	if (!find_status(t, p, &status))
		return;
	if (WIFSIGNALED(status)) {
		buf_number(b, ", by signal ", (uint64_t)WTERMSIG(status));
		buf_str(b, " (");
		buf_str(b, strsignal(WTERMSIG(status)));
		buf_char(b, ')');
	} else {
		buf_number(b, ", with exit status ", (uint64_t)WEXITSTATUS(status));
	}
}
