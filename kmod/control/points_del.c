// SPDX-License-Identifier: GPL-2.0
/* Removal of a session's points. */
#include <linux/bsearch.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "control/points_del.h"
#include "control/refuse.h"
#include "control/request.h"
#include "control/trapless.h"
#include "session/file.h"
#include "session/probe.h"
#include "session/session.h"
#include "session/stream.h"

static void gp_points_sweep_file(struct gp_sweep *sweep, void *arg)
{
	struct gp_file *f = arg;
	struct gp_probe *probe, *next;

	list_for_each_entry_safe(probe, next, &f->leaving, dead) {
		list_del(&probe->dead);
		gp_probe_del(probe, sweep);
		cond_resched();
	}
}

static int gp_points_compare(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/**
 * gp_points_del_some() - remove breakpoints
 * @s: the session
 * @ids: of the points, in rising order; NULL: all
 * @n: number of @ids
 *
 * A wait for handlers of one file does not delay the other files. When it returns, no handler can
 * run for these points.
 */
static void gp_points_del_some(struct gp_session *s, const u32 *ids, u32 n)
{
	u32 kept = 0, i;

	gp_trapless_pause(s);
	for (i = 0; i < s->objects.nfiles; i++)
		INIT_LIST_HEAD(&s->objects.files[i]->leaving);
	mutex_lock(&s->lock);
	for (i = 0; i < s->objects.nprobes; i++) {
		struct gp_probe *probe = s->objects.probes[i];

		if (!ids || bsearch(&probe->id, ids, n, sizeof(u32), gp_points_compare)) {
			list_add_tail(&probe->dead, &s->objects.files[probe->file]->leaving);
			WRITE_ONCE(probe->leaving, true);
		} else {
			s->objects.probes[kept++] = probe;
		}
		cond_resched();
	}
	s->objects.nprobes = kept;
	mutex_unlock(&s->lock);
	/* Before 6.12 each removal waits for its handlers: end all delays at once. */
	gp_stream_wake_waiters(s);
	for (i = 0; i < s->objects.nfiles; i++)
		if (!list_empty(&s->objects.files[i]->leaving))
			gp_sweep_queue(&s->objects.files[i]->sweep, s->objects.files[i]->inode,
				       gp_points_sweep_file, s->objects.files[i]);
	for (i = 0; i < s->objects.nfiles; i++)
		gp_sweep_wait(&s->objects.files[i]->sweep);
}

/* Remove every breakpoint. When it returns, no handler can run for the session. */
void gp_points_del_all(struct gp_session *s)
{
	gp_points_del_some(s, NULL, 0);
}

/**
 * gp_points_del() - remove the breakpoints with some ids
 * @s: the session
 * @r: the ids
 * @extack: gets the error message
 *
 * When it returns, no handler can run for these points.
 *
 * Return: number of points that are left, or -ENOMEM.
 */
int gp_points_del(struct gp_session *s, const struct gp_request *r, struct netlink_ext_ack *extack)
{
	u32 *sorted = kmemdup(r->ids, r->nids * sizeof(*r->ids), GFP_KERNEL);

	if (!sorted)
		return gp_refuse(extack, -ENOMEM, "out of memory");
	sort(sorted, r->nids, sizeof(*sorted), gp_points_compare, NULL);
	gp_points_del_some(s, sorted, r->nids);
	kfree(sorted);
	return s->objects.nprobes;
}
