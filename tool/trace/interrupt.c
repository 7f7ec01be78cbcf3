// SPDX-License-Identifier: GPL-2.0
/* The signals that end tracing. */
#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "trace/interrupt.h"

void interrupt_none(struct interrupt *i, struct target *target)
{
	i->target = target;
	i->fd = -1;
	sigprocmask(SIG_BLOCK, NULL, &i->mask);
}

int interrupt_init(struct interrupt *i, struct target *target, struct diag *d)
{
	sigset_t set;

	i->target = target;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	i->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (i->fd < 0)
		return diag_errno(d, errno, "can't wait for signals");
	/* Blocked, not ignored: that would be inherited by the command. */
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, &i->mask);
	return 0;
}

void interrupt_fini(struct interrupt *i)
{
	if (i->target && i->fd >= 0)
		close(i->fd);
	i->target = NULL;
	i->fd = -1;
}

bool interrupt_came(struct interrupt *i)
{
	const struct target *t = i->target;
	struct signalfd_siginfo si;

	while (read(i->fd, &si, sizeof(si)) == sizeof(si)) {
		i->came = true;
		i->typed |= si.ssi_signo == SIGINT && si.ssi_code > 0;
		/* Ctrl-C reaches the command by itself, kill(1) does not. */
		if (t->command && t->go < 0 && !t->processes[0].ended && si.ssi_code <= 0)
			kill(t->processes[0].pid, si.ssi_signo);
	}
	if (i->came) {
		/* The next one ends goprobectl at once; the kernel cleans up. */
		sigset_t again = i->mask;

		sigaddset(&again, SIGPIPE);
		sigprocmask(SIG_SETMASK, &again, NULL);
	}
	return i->came;
}

bool interrupt_await_command(struct interrupt *i, int timeout_ms)
{
	uint64_t now, end = clock_now(CLOCK_MONOTONIC) + (uint64_t)timeout_ms * CLOCK_MS;
	struct target *t = i->target;

	while (t->command && !target_ended(t)) {
		struct pollfd fds[] = {
			{ .fd = i->fd, .events = POLLIN },
			{ .fd = t->processes[0].pidfd, .events = POLLIN },
		};

		int most = t->processes[0].pidfd >= 0 ? -1 : 100;

		now = clock_now(CLOCK_MONOTONIC);
		if (timeout_ms >= 0 && now >= end)
			return false;
		if (timeout_ms >= 0 && (most < 0 || (end - now) / CLOCK_MS < (uint64_t)most))
			most = (int)((end - now + CLOCK_MS - 1) / CLOCK_MS);
		poll(fds, 2, most);
		interrupt_came(i);
	}
	return true;
}
