// SPDX-License-Identifier: GPL-2.0
/*
 * GOPROBE_CMD_LIST: the sessions on this host and their points. A dump; it continues from one
 * session to the next by their numbers, so that sessions may begin and end meanwhile.
 *
 * Locking: the lock of the listed session, for each message: the session may get more points in
 * between. The session belongs to another client, and generic netlink's own locks are held, so the
 * wait for its lock is short.
 */
#include <linux/delay.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "capture/plan.h"
#include "control/list.h"
#include "control/message.h"
#include "control/refuse.h"
#include "control/sessions.h"
#include "session/file.h"
#include "session/probe.h"
#include "session/session.h"

/* Longest wait for a session; holders of its lock wait at most for memory. */
#define GP_LIST_WAIT_MS	500

/* Points in one message of GOPROBE_CMD_LIST. */
#define GP_LIST_POINTS	256

/* Memory of one message: fits the most processes and the longest path. */
#define GP_LIST_SKB	SKB_WITH_OVERHEAD(16384)

int gp_list_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = GP_LIST_SKB;
	return 0;
}

/* Position of the dump: kept in the callback's args between messages. */
struct gp_list_at {
	long session;
	long file;
	long probe;
};

static int gp_list_put_pids(struct sk_buff *skb, const struct gp_session *s)
{
	struct nlattr *nla;
	s32 *pids;
	u32 i;

	if (!s->npids)
		return 0;
	nla = nla_reserve(skb, GOPROBE_A_PIDS, s->npids * sizeof(*pids));
	if (!nla)
		return -EMSGSIZE;
	pids = nla_data(nla);
	for (i = 0; i < s->npids; i++)
		pids[i] = pid_vnr(s->pids[i]);
	return 0;
}

static int gp_list_put_path(struct sk_buff *skb, const struct gp_file *f)
{
	char *page = (char *)__get_free_page(GFP_KERNEL), *path;
	int err;

	if (!page)
		return -ENOMEM;
	path = d_path(&f->file->f_path, page, PAGE_SIZE);
	err = nla_put_string(skb, GOPROBE_A_PATH, IS_ERR(path) ? "?" : path);
	free_page((unsigned long)page);
	return err;
}

/* Add points of one file from at->probe on; moves at->probe. */
static int gp_list_put_points(struct sk_buff *skb, const struct gp_session *s,
			      struct gp_list_at *at)
{
	struct goprobe_point *points;
	u32 i, n = 0, space;
	struct nlattr *nla;

	for (i = at->probe; i < s->objects.nprobes && n < GP_LIST_POINTS; i++)
		n += s->objects.probes[i]->file == at->file;
	space = skb_tailroom(skb) > NLA_HDRLEN ? skb_tailroom(skb) - NLA_HDRLEN : 0;
	n = min_t(u32, n, space / sizeof(*points));
	if (!n && at->probe < s->objects.nprobes && space < sizeof(*points))
		return -EMSGSIZE;
	nla = nla_reserve(skb, GOPROBE_A_POINTS, n * sizeof(*points));
	if (!nla)
		return -EMSGSIZE;
	points = nla_data(nla);
	memset(points, 0, n * sizeof(*points));
	for (i = at->probe; n && i < s->objects.nprobes; i++) {
		const struct gp_probe *probe = s->objects.probes[i];

		if (probe->file != at->file)
			continue;
		points->offset = probe->offset;
		points->id = probe->id;
		points->plan = probe->plan ? probe->plan->id : GOPROBE_NO_PLAN;
		points->kind = probe->point_kind;
		points->skip = probe->skip;
		points->flags = probe->flags;
		points->sp_adjust = probe->sp_adjust;
		points->action = probe->action;
		points->trap = READ_ONCE(probe->trap);
		points++;
		n--;
	}
	at->probe = i;
	for (; i < s->objects.nprobes; i++)
		if (s->objects.probes[i]->file == at->file)
			return 0;
	at->probe = 0;
	at->file++;
	return 0;
}

static int gp_list_put(struct sk_buff *skb, struct netlink_callback *cb,
		       struct gp_session *s, struct gp_list_at *at)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				&gp_message_family, NLM_F_MULTI, GOPROBE_CMD_LIST);
	int err = -EMSGSIZE;

	if (!hdr || nla_put_u32(skb, GOPROBE_A_SESSION, s->id) ||
	    nla_put_u32(skb, GOPROBE_A_OWNER, s->owner) ||
	    gp_list_put_pids(skb, s) ||
	    (s->cgroup && nla_put_u32(skb, GOPROBE_A_FLAGS, GOPROBE_SESSION_F_CGROUP)))
		goto full;
	if (at->file >= s->objects.nfiles) {
		at->file++;	/* a session without files is listed once */
	} else {
		if (nla_put_u32(skb, GOPROBE_A_FILE, at->file))
			goto full;
		err = gp_list_put_path(skb, s->objects.files[at->file]);
		if (!err)
			err = gp_list_put_points(skb, s, at);
		if (err)
			goto full;
	}
	genlmsg_end(skb, hdr);
	return 0;

full:
	genlmsg_cancel(skb, hdr);
	return err;
}

static int gp_list_lock(struct gp_session *s, struct netlink_ext_ack *extack)
{
	u32 ms;

	for (ms = 0; ms < GP_LIST_WAIT_MS; ms++) {
		if (mutex_trylock(&s->lock))
			return 0;
		if (fatal_signal_pending(current))
			return -EINTR;
		usleep_range(1000, 2000);
	}
	return gp_refuse(extack, -EBUSY, "a session is busy; try again");
}

int gp_list_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct gp_list_at *at = (struct gp_list_at *)cb->args;
	struct gp_session *s;
	int err;

	BUILD_BUG_ON(sizeof(*at) > sizeof(cb->args));
	err = gp_refuse_unprivileged(cb->skb, cb->extack);
	if (err)
		return err;
	while (!err && (s = gp_session_get_from(at->session))) {
		if (s->id != at->session) {
			at->session = s->id;
			at->file = 0;
			at->probe = 0;
		}
		err = gp_list_lock(s, cb->extack);
		if (!err) {
			do {
				err = gp_list_put(skb, cb, s, at);
			} while (!err && at->file < s->objects.nfiles);
			mutex_unlock(&s->lock);
		}
		gp_session_put(s);
		if (!err) {
			at->session++;
			at->file = 0;
			at->probe = 0;
		}
	}
	/* A full message is no error unless it is empty. */
	if (skb->len || !err)
		return skb->len;
	return err == -ENOMEM ? gp_refuse(cb->extack, err, "out of memory") : err;
}
