/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common code of the suites of a session's objects: a session, with files and breakpoints of
 * the test.
 *
 * Included by suites only, each of which compiles the files under test into itself.
 */
#ifndef OBJECTS_WORLD_H
#define OBJECTS_WORLD_H

#include <linux/netlink.h>
#include <linux/workqueue.h>

#include "handler_world.h"

#include "../../kmod/control/objects.c"
#include "../../kmod/control/points.c"
#include "../../kmod/control/points_del.c"

static struct netlink_ext_ack extack;
static u32 refused_point;	/* the breakpoint with that number can't be set, counted from 1 */
static u32 nadded;

struct gp_file *gp_file_open(struct file *file, const struct goprobe_runtime *rt,
			     struct gp_reads *reads, const char **why)
{
	return ERR_PTR(-EBADF);
}

struct gp_reading *gp_file_read_points(const struct gp_file *f, const struct goprobe_point *points,
				       u32 n, struct gp_reads *reads, const char **why)
{
	return NULL;
}

void gp_reading_put(struct gp_reading *r)
{
}

void gp_file_close(struct gp_file *f)
{
	kfree(f);
}

int gp_file_check_point(const struct gp_file *f, const struct gp_reading *code, u32 i,
			const struct goprobe_point *point, const char **why)
{
	return 0;
}

const struct gp_reading_part *gp_file_cold_part(const struct gp_reading *code, u32 i)
{
	static const struct gp_reading_part none;

	return &none;
}

static void sweep_work(struct work_struct *work)
{
	struct gp_sweep_job *job = container_of(work, struct gp_sweep_job, work);

	job->fn(NULL, job->arg);
}

void gp_sweep_run(struct gp_inode *inode, gp_sweep_fn fn, void *arg)
{
	fn(NULL, arg);
}

void gp_sweep_queue(struct gp_sweep_job *job, struct gp_inode *inode, gp_sweep_fn fn, void *arg)
{
	job->fn = fn;
	job->arg = arg;
	INIT_WORK(&job->work, sweep_work);
	schedule_work(&job->work);
}

void gp_sweep_wait(struct gp_sweep_job *job)
{
	if (job->fn)
		flush_work(&job->work);
	job->fn = NULL;
}

int gp_probe_add(struct gp_probe *probe, const struct goprobe_point *wire, struct gp_sweep *sweep)
{
	if (++nadded != refused_point)
		return 0;
	kfree(probe);
	return -EEXIST;
}

void gp_probe_del(struct gp_probe *probe, struct gp_sweep *sweep)
{
	kfree(probe);
}

void gp_reap(struct gp_session *session)
{
}

void gp_stream_wake_waiters(struct gp_session *session)
{
}

static u32 nguarded;

void gp_breaker_start(struct gp_session *session)
{
	nguarded++;
}

int gp_trapless_plan(struct gp_probe *probe, const struct goprobe_point *p, const u8 *cold,
		     u32 cold_len)
{
	return 0;
}

void gp_trapless_start(struct gp_session *session)
{
}

void gp_trapless_prepare(struct gp_session *session, u32 file, const struct goprobe_point *p, u32 n)
{
}

void gp_trapless_pause(struct gp_session *session)
{
}

int gp_refuse_stopped(const struct gp_session *session, struct netlink_ext_ack *ack)
{
	return gp_refuse(ack, -ESHUTDOWN, "stopped");
}

int gp_refuse(struct netlink_ext_ack *ack, int err, const char *why)
{
	ack->_msg = why;
	return err;
}

#endif
