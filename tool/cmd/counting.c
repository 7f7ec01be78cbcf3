// SPDX-License-Identifier: GPL-2.0
/* Common code of commands that let the kernel count, and print at intervals. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/writing.h"
#include "cmd/counting.h"
#include "cmd/cmd.h"
#include "output/screen.h"

/* Those of the module and of signals, and all but those of processes. */
#define FDS (2 + COUNTING_OWN + 1)

int counting_set_up(struct counting *c, struct diag *d)
{
	struct session *t = &c->tracing;

	/* There are no records: the smallest rings will do. */
	c->o->ring_bytes = 64U << 10;
	c->o->signals = true;
	return session_open(t, c->o, d) || session_plan(t, d) ||
	       session_arm(t, d) ? -1 : 0;
}

int counting_name_files(struct counting *c, struct diag *d)
{
	const struct plan *p = c->tracing.plan;

	c->files = calloc(p->nfiles + 1, sizeof(*c->files));
	if (!c->files)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < p->nfiles; i++)
		symbols_init(&c->files[i], p->files[i].bin, gobin_path(p->files[i].bin));
	return 0;
}

struct symbols *counting_file(const struct counting *c, const struct plan_func *pf)
{
	size_t i = 0;

	while (c->files[i].bin != pf->bin)
		i++;
	return &c->files[i];
}

int counting_open(struct counting *c, struct diag *d)
{
	int fd = open(c->o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0)
		return diag_errno(d, errno, "can't write to %s", c->o->output);
	c->fd = fd;
	screen_open(fd);
	return 0;
}

int counting_close(struct counting *c, struct diag *d)
{
	int err = c->fd == STDOUT_FILENO ? 0 : writing_close(c->fd);

	c->fd = STDOUT_FILENO;
	return err ? diag_errno(d, -err, "can't write to %s", c->o->output) : 0;
}

int counting_write(struct counting *c, const struct buf *b, struct diag *d)
{
	int ret = writing_buf(c->fd, b, d);

	c->broken = ret > 0;
	return ret < 0 ? -1 : 0;
}

int counting_replace(struct counting *c, const struct buf *b, struct diag *d)
{
	const char *path = c->o->output;
	char *new = NULL;
	struct stat st;
	int fd, err;

	/* A pipe or a device is written to, and what is behind a link. */
	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		return counting_open(c, d) || counting_write(c, b, d) || counting_close(c, d) ?
		       -1 : 0;
	if (asprintf(&new, "%s.%d.new", path, getpid()) < 0)
		return diag_set(d, "out of memory");
	fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	err = fd < 0 ? diag_errno(d, errno, "can't write %s", new) : writing_buf(fd, b, d);
	if (fd >= 0 && writing_close(fd) && !err)
		err = diag_errno(d, EIO, "can't write %s", new);
	if (!err && rename(new, path))
		err = diag_errno(d, errno, "can't replace %s", path);
	if (err && fd >= 0)
		unlink(new);
	free(new);
	return err ? -1 : 0;
}

/* Until @until, or a process, a signal or the module has something to say. */
static void await(struct counting *c, struct pollfd *fds, uint64_t until)
{
	/* A process that can't be waited for is looked at now and then. */
	uint64_t t = clock_now(CLOCK_MONOTONIC), most = t + 1000000000ULL;
	size_t n = 2;

	until = until < most ? until : most;
	fds[0] = (struct pollfd){ .fd = c->tracing.interrupt.fd, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = client_fd(c->tracing.client), .events = POLLIN };
	for (size_t i = 0; c->cmd->input && i < COUNTING_OWN; i++)
		fds[n++] = (struct pollfd){ .fd = c->own[i], .events = POLLIN };
	if (c->server)
		httpserver_poll(c->server, &fds[n++]);
	poll(fds, n + target_poll(&c->tracing.target, fds + n),
	     until > t ? (until - t + 999999) / 1000000 : 0);
}

/* There are no records: the module says something when it has ended the session. */
static int look(struct counting *c, struct diag *d)
{
	uint64_t stats[__GOPROBE_STAT_MAX];

	if (!client_ready(c->tracing.client))
		return 0;
	if (client_get_stats(c->tracing.client, stats, d))
		return -1;
	c->hits = stats[GOPROBE_STAT_BROKEN];
	return 0;
}

static int loop(struct counting *c, struct pollfd *fds, struct diag *d)
{
	uint64_t end = c->o->duration ? c->started + c->o->duration : UINT64_MAX;
	uint64_t next = c->o->interval ? c->started + c->o->interval : UINT64_MAX;
	struct target *target = &c->tracing.target;
	int over = 0;

	if (c->looks && c->cmd->print(c, NULL, d))
		return -1;
	while (!c->broken) {
		await(c, fds, next < end ? next : end);

		uint64_t t = clock_now(CLOCK_MONOTONIC);

		if (c->cmd->input)
			over = c->cmd->input(c, d);
		if (over < 0 || look(c, d) || (c->server && httpserver_step(c->server, d)))
			return -1;
		if (over || c->hits || target_ended(target) || t >= end ||
		    (interrupt_came(&c->tracing.interrupt) && !target->command))
			return 0;
		session_look(&c->tracing);
		if (t < next)
			continue;
		if (c->cmd->print(c, NULL, d))
			return -1;
		/* Skip the tables whose time has passed. */
		next += (t - next) / c->o->interval * c->o->interval + c->o->interval;
	}
	return 0;
}

static int say_broken(struct counting *c, struct diag *d)
{
	struct buf json = { 0 };
	int err;

	session_say_broken(&c->tracing, c->hits, c->o->format == OPTION_JSON ? &json : NULL);
	err = json.len ? counting_write(c, &json, d) : 0;
	buf_fini(&json);
	return err;
}

static int finish(struct counting *c, struct diag *d)
{
	uint64_t stats[__GOPROBE_STAT_MAX];
	struct stats_print_end end = { .stats = stats };

	c->ending = true;
	if (!c->cmd->input)
		session_say_end(&c->tracing);
	if (c->looks && !c->broken && c->cmd->print(c, NULL, d))
		return -1;
	if (!c->hits)
		session_say_ending(&c->tracing);
	/* From now on no hit counts. To take the breakpoints away takes longer. */
	end.ns = clock_now(CLOCK_MONOTONIC) - c->started;
	if (client_ask(c->tracing.client, GOPROBE_CMD_STOP, NULL, d))
		return -1;
	if (client_get_stats(c->tracing.client, stats, d))
		return -1;
	c->hits = stats[GOPROBE_STAT_BROKEN];
	return c->broken ? 0 : say_broken(c, d) || c->cmd->print(c, &end, d) ? -1 : 0;
}

static int run(struct counting *c, struct diag *d)
{
	struct target *target = &c->tracing.target;
	struct pollfd *fds = calloc(target->nprocesses + FDS, sizeof(*fds));
	int code, err = fds ? client_ask(c->tracing.client, GOPROBE_CMD_START, NULL, d) :
			      diag_set(d, "out of memory");

	c->started = clock_now(CLOCK_MONOTONIC);
	if (!err) {
		session_say_started(&c->tracing, c->cmd->doing, NULL);
		err = target->command ? target_release(target, d) : 0;
	}
	if (!err)
		err = loop(c, fds, d);
	/* The end may wait for the command, and serves nobody meanwhile. */
	httpserver_free(c->server);
	c->server = NULL;
	err = err || finish(c, d);
	free(fds);
	if (err)
		return CMD_FAILED;
	/* Whatever is left of the session goes before the command is waited for. */
	session_disarm(&c->tracing);
	session_await_command(&c->tracing);
	code = target->command ? target_exit_status(target) : CMD_DONE;
	if (!code && c->hits)
		return CMD_BROKEN;
	return !code && c->tracing.plan->nmissing ? CMD_FAILED : code;
}

int counting_run(struct counting *c, const struct counting_cmd *cmd, struct options *o,
		 struct diag *d)
{
	c->cmd = cmd;
	c->o = o;
	c->fd = STDOUT_FILENO;
	return cmd->set_up(c, d) ? CMD_FAILED : run(c, d);
}

void counting_fini(struct counting *c)
{
	for (size_t i = 0; c->files && i < c->tracing.plan->nfiles; i++)
		symbols_fini(&c->files[i]);
	free(c->files);
	httpserver_free(c->server);
	if (c->fd != STDOUT_FILENO)
		close(c->fd);
	session_fini(&c->tracing);
}
