// SPDX-License-Identifier: GPL-2.0
/* Common code of commands that let the kernel count, and print at intervals. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
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

_Static_assert(COUNTING_OWN + 1 <= RUN_OWN_FDS, "the server has one, too");

int counting_set_up(struct counting *c, struct diag *d)
{
	struct session *t = &c->run.session;

	/* There are no records: the smallest rings will do. */
	c->o->ring_bytes = 64U << 10;
	c->o->signals = true;
	return session_open(t, c->o, d) || session_plan(t, d) ||
	       session_arm(t, d) ? -1 : 0;
}

int counting_name_files(struct counting *c, struct diag *d)
{
	const struct plan *p = c->run.session.plan;

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

	c->run.unread = ret > 0;
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

/* --- the run ---------------------------------------------------------------- */

static struct counting *of(struct run *r)
{
	return (struct counting *)r;
}

/* A run_kind.started: when is the first table due? */
static int started(struct run *r, struct diag *d)
{
	const struct counting *c = of(r);

	(void)d;
	if (!c->looks)
		r->next = c->o->interval ? r->started + c->o->interval : UINT64_MAX;
	return 0;
}

/* A run_kind.poll. */
static size_t fill(struct run *r, struct pollfd *fds, int *ms)
{
	const struct counting *c = of(r);
	size_t n = 0;

	(void)ms;
	for (size_t i = 0; c->cmd->input && i < COUNTING_OWN; i++)
		fds[n++] = (struct pollfd){ .fd = c->own[i], .events = POLLIN };
	if (c->server)
		httpserver_poll(c->server, &fds[n++]);
	return n;
}

/* There are no records: the module says something when it has ended the session. */
static int look(struct run *r, struct diag *d)
{
	struct client *client = r->session.client;

	return client_ready(client) ? client_get_stats(client, r->stats, d) : 0;
}

/* A run_kind.step. */
static int step(struct run *r, struct diag *d)
{
	struct counting *c = of(r);
	uint64_t t = clock_now(CLOCK_MONOTONIC);
	int over = c->cmd->input ? c->cmd->input(c, d) : 0;

	if (over < 0 || look(r, d) || (c->server && httpserver_step(c->server, d)))
		return -1;
	if (over || run_broken(r))
		return 0;
	if (t < r->next)
		return 1;
	if (c->cmd->print(c, NULL, d))
		return -1;
	/* Skip the tables whose time has passed. */
	r->next += (t - r->next) / c->o->interval * c->o->interval + c->o->interval;
	return 1;
}

/* A run_kind.leave. */
static void leave(struct run *r)
{
	struct counting *c = of(r);

	/* The end may wait for the command, and serves nobody meanwhile. */
	httpserver_free(c->server);
	c->server = NULL;
	c->ending = true;
	/* The first line is no JSON: tables have none. */
	if (c->o->format == OPTION_JSON)
		r->json = &c->json;
	if (c->cmd->leave)
		c->cmd->leave(c);
}

/* A run_kind.last. */
static int last(struct run *r, struct diag *d)
{
	struct counting *c = of(r);

	return c->looks && !r->unread ? c->cmd->print(c, NULL, d) : 0;
}

/* A run_kind.print. */
static int print(struct run *r, struct diag *d)
{
	struct counting *c = of(r);
	const struct stats_print_end end = { .stats = r->stats, .ns = r->ns };

	if (r->unread || (c->json.len && counting_write(c, &c->json, d)))
		return r->unread ? 0 : -1;
	return c->cmd->print(c, &end, d);
}

static const struct run_kind kind = {
	.started = started, .poll = fill, .step = step, .leave = leave, .last = last,
	.print = print,
};

int counting_run(struct counting *c, const struct counting_cmd *cmd, struct options *o,
		 struct diag *d)
{
	c->cmd = cmd;
	c->o = o;
	c->fd = STDOUT_FILENO;
	c->run.kind = &kind;
	c->run.doing = cmd->doing;
	return cmd->set_up(c, d) ? CMD_FAILED : run_all(&c->run, d);
}

void counting_fini(struct counting *c)
{
	for (size_t i = 0; c->files && i < c->run.session.plan->nfiles; i++)
		symbols_fini(&c->files[i]);
	free(c->files);
	httpserver_free(c->server);
	if (c->fd != STDOUT_FILENO)
		close(c->fd);
	buf_fini(&c->json);
	run_fini(&c->run);
}
