// SPDX-License-Identifier: GPL-2.0
/*
 * Feeding the socket: the reader pulls.
 *
 * A pass (one GOPROBE_CMD_READ dump) hands out what was stamped before it began.
 * It looks at the clock first (timeline.h), waits for records that are being written,
 * and looks at the heads after: so every record with that time or an older one is in
 * this pass or an earlier one, and every younger one in a later pass.
 *
 * Lending: a reader whose buffer is large gets its records right out of the ring. The
 * message refers to the ring's pages and has only its head in memory of its own; times
 * are written into the ring. Usually the reader has copied a message when the next one
 * is asked for (netlink_recvmsg()); but if a READY was before it in the queue, it has
 * not: then the next one is copied into its message. See ring.h.
 *
 * Waking: a handler that sees the reader waiting sends GOPROBE_CMD_READY through
 * a work item. It looks at @armed without a barrier, so a wake-up can be missed
 * when both sides move at once; the reader reads about once a second anyway.
 *
 * Waiting for room (GOPROBE_SESSION_F_LOSSLESS): handlers wait in task context,
 * where on kernels before 6.12 whoever registers or unregisters a uprobe at
 * the same place waits for them, and on later ones whoever waits for RCU tasks trace. So
 * they wait for a bounded time, and a session that ends wakes them first.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "control/netlink.h"
#include "gfp.h"
#include "session/session.h"
#include "session/stream.h"

/* How long the first record may wait for company. */
#define GP_STREAM_SOON_MS	10

/*
 * Memory of one message of a dump: fits the largest record, and is what the
 * kernel itself uses for readers with large buffers (netlink_dump()).
 */
#define GP_STREAM_SKB	SKB_WITH_OVERHEAD(32768)

/* Less than this is copied: a page that is lent costs about as much as 64 bytes. */
#define GP_STREAM_LEND_MIN SZ_4K

/* Bytes of records in a message of GOPROBE_LARGE_BYTES; its head takes less than 64. */
#define GP_STREAM_LEND_MAX (GOPROBE_LARGE_BYTES - 64)

/**
 * struct gp_pass - one pass over the rings
 * @s: the session
 * @line: when it began, and the one before
 * @cpu: where it is; nr_cpu_ids when the rings are done
 * @done: the last message has been written
 * @end: for each CPU, where the pass ends
 */
struct gp_pass {
	struct gp_session *s;
	struct gp_timeline line;
	u32 cpu;
	bool done;
	unsigned long end[];
};

/* Of our own: the names of the kernel's differ, and 7.3 complains of the old ones. */
static struct workqueue_struct *gp_stream_wq;

static void gp_stream_send_ready(struct work_struct *work)
{
	struct gp_session *s = container_of(to_delayed_work(work),
					    struct gp_session, ready);
	struct sk_buff *skb = NULL;

	/* The port of a socket that is being closed may be another's already. */
	if (!sock_flag(s->sk, SOCK_DEAD))
		skb = genlmsg_new(0, GFP_KERNEL);
	atomic_set(&s->armed, GP_STREAM_READING);
	if (!skb)
		return;
	if (!genlmsg_put(skb, 0, 0, &gp_netlink_family, 0, GOPROBE_CMD_READY)) {
		nlmsg_free(skb);
		return;
	}
	/* If its buffer is full, it has enough to wake up for. */
	genlmsg_unicast(&init_net, skb, s->portid);
}

/**
 * gp_stream_wake() - tell the reader
 * @s: the session
 * @wake: when
 *
 * Context: a handler, preemption on; does not sleep.
 */
void gp_stream_wake(struct gp_session *s, enum gp_stream_wake wake)
{
	if (wake == GP_STREAM_WAKE_NOW) {
		if (atomic_xchg(&s->armed, GP_STREAM_READING) != GP_STREAM_READING)
			mod_delayed_work(gp_stream_wq, &s->ready, 0);
	} else if (atomic_cmpxchg(&s->armed, GP_STREAM_WAITING, GP_STREAM_SOON) ==
		   GP_STREAM_WAITING) {
		queue_delayed_work(gp_stream_wq, &s->ready,
				   msecs_to_jiffies(GP_STREAM_SOON_MS));
	}
}

/* Can a thread that is on this CPU, for now, write any record? */
static bool gp_stream_has_room(const struct gp_session *s)
{
	const struct gp_ring *ring = READ_ONCE(s->rings[raw_smp_processor_id()]);

	/* More than one, so that nobody wakes up for each. */
	return !ring || gp_ring_room(ring) >= ring->size / 2;
}

/* Somebody has waited in vain: nobody does any more, until there is room again in that ring. */
static void gp_stream_stall(struct gp_session *s, const struct gp_ring *ring)
{
	WRITE_ONCE(s->stalled, ring->cpu + 1);
	/* The room is seen, or the reader sees who has stalled: gp_stream_made_room(). */
	smp_mb();
	if (gp_ring_room(ring) >= ring->size / 2)
		WRITE_ONCE(s->stalled, 0);
}

/**
 * gp_stream_wait_for_room() - wait until the reader has made room
 * @s: the session
 * @patience: for how long at most, in jiffies; not 0
 *
 * Context: a handler, preemption on.
 *
 * Return: what is left of @patience; 0 if it is no use to wait once more. So it is when the session
 * is ending: then nobody makes room, and who ends it waits for this thread.
 */
u32 gp_stream_wait_for_room(struct gp_session *s, u32 patience)
{
	u64 began = ktime_get_ns();
	struct gp_ring *ring;
	long left;

	/* Nobody else may come to do so. */
	gp_stream_tell(s);
	left = wait_event_killable_timeout(s->room,
					   gp_stream_has_room(s) || !READ_ONCE(s->running),
					   patience);
	preempt_disable();
	ring = READ_ONCE(s->rings[smp_processor_id()]);
	if (ring) {
		/* Who had waited before was too impatient to say so. */
		if (!left && patience == GP_STREAM_PATIENCE)
			gp_stream_stall(s, ring);
		ring->stat[GOPROBE_STAT_WAITS]++;
		ring->stat[GOPROBE_STAT_WAIT_NS] += ktime_get_ns() - began;
	}
	preempt_enable();
	if (left <= 0 || !READ_ONCE(s->running))
		return 0;
	/* Room that was there at once, and has been taken by others, is waited for as well. */
	return min_t(u32, left, patience - 1);
}

/* Tell the reader now, whatever it believes. Context: a task. */
void gp_stream_tell(struct gp_session *s)
{
	atomic_set(&s->armed, GP_STREAM_READING);
	mod_delayed_work(gp_stream_wq, &s->ready, 0);
}

/* Do a session's other work on the same queue. */
void gp_stream_queue(struct delayed_work *work, u32 ms)
{
	queue_delayed_work(gp_stream_wq, work, msecs_to_jiffies(ms));
}

void gp_stream_wake_waiters(struct gp_session *s)
{
	wake_up_all(&s->room);
}

void gp_stream_open(struct gp_session *s)
{
	init_waitqueue_head(&s->room);
	gp_clock_init(&s->clock);
	gp_timeline_begin(&s->line, &s->clock);
	atomic_set(&s->armed, GP_STREAM_READING);
	INIT_DELAYED_WORK(&s->ready, gp_stream_send_ready);
}

/* No handler can run for the session any more. */
void gp_stream_close(struct gp_session *s)
{
	cancel_delayed_work_sync(&s->ready);
}

static struct gp_pass *gp_pass_new(struct gp_session *s)
{
	struct gp_pass *pass;
	u32 cpu;

	pass = kvzalloc(struct_size(pass, end, nr_cpu_ids), GP_GFP_CHARGED);
	if (!pass)
		return NULL;
	pass->s = s;
	mutex_lock(&s->read_lock);
	gp_timeline_extend(&s->line, &s->clock);
	pass->line = s->line;
	mutex_unlock(&s->read_lock);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		const struct gp_ring *ring = READ_ONCE(s->rings[cpu]);

		if (!ring)
			continue;
		gp_ring_settle(ring);
		pass->end[cpu] = gp_ring_end(ring);
	}
	return pass;
}

/*
 * There is no place for a sentence here before 6.8: so gp_stream_read() refuses,
 * if there is no pass.
 */
int gp_stream_read_start(struct netlink_callback *cb)
{
	struct gp_session *s;
	struct gp_pass *pass;

	if (gp_netlink_may(cb->skb, NULL))
		return 0;
	s = gp_session_get(NETLINK_CB(cb->skb).sk);
	if (!s)
		return 0;
	pass = gp_pass_new(s);
	if (!pass) {
		gp_session_put(s);
		pass = ERR_PTR(-ENOMEM);
	}
	cb->min_dump_alloc = GP_STREAM_SKB;
	cb->args[0] = (long)pass;
	return 0;
}

int gp_stream_read_done(struct netlink_callback *cb)
{
	struct gp_pass *pass = (struct gp_pass *)cb->args[0];

	if (!IS_ERR_OR_NULL(pass)) {
		gp_session_put(pass->s);
		kvfree(pass);
	}
	return 0;
}

static void *gp_stream_begin(struct sk_buff *skb, struct netlink_callback *cb)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &gp_netlink_family, NLM_F_MULTI, GOPROBE_CMD_READ);
}

/* There is more room in @ring. */
static void gp_stream_made_room(struct gp_session *s, const struct gp_ring *ring)
{
	/* Who is going to wait sees the room, or is seen; so is who has waited in vain. */
	if (wq_has_sleeper(&s->room))
		wake_up_all(&s->room);
	if (READ_ONCE(s->stalled) == ring->cpu + 1)
		WRITE_ONCE(s->stalled, 0);
}

static void gp_stream_take_back(struct gp_session *s)
{
	u32 cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct gp_ring *ring = READ_ONCE(s->rings[cpu]);

		if (ring && gp_ring_take_back(ring))
			gp_stream_made_room(s, ring);
	}
}

/*
 * A message of one CPU's records that are lent. Return: whether it was made; it is then
 * the only one in @skb.
 */
static bool gp_stream_lend_records(struct sk_buff *skb, struct netlink_callback *cb,
				   struct gp_pass *pass, struct gp_ring *ring)
{
	unsigned long *end = &pass->end[ring->cpu];
	u32 all, size = 0;
	struct nlmsghdr *nlh;
	struct nlattr *nla;
	bool younger = false;
	void *hdr;

	if (gp_ring_take_back(ring))
		gp_stream_made_room(pass->s, ring);
	all = min3(*end - ring->told, (unsigned long)GP_STREAM_LEND_MAX,
		   (unsigned long)gp_ring_lendable(ring));
	if (!pass->s->large || skb->len || all < GP_STREAM_LEND_MIN)
		return false;
	nlh = nlmsg_hdr(skb);
	hdr = gp_stream_begin(skb, cb);
	if (hdr && !nla_put_u32(skb, GOPROBE_A_CPU, ring->cpu) && skb_tailroom(skb) >= NLA_HDRLEN)
		size = gp_timeline_tell(&pass->line, gp_ring_first(ring), all, &younger);
	if (younger)
		*end = ring->told + size;
	if (!size) {
		genlmsg_cancel(skb, hdr);
		return false;
	}
	nla = skb_put(skb, NLA_HDRLEN);
	nla->nla_type = GOPROBE_A_RECORDS;
	nla->nla_len = nla_attr_size(size);
	genlmsg_end(skb, hdr);
	nlh->nlmsg_len += size;
	gp_ring_lend(ring, skb, size);
	return true;
}

/* Records of one CPU in one message. Return: false if there was no room. */
static bool gp_stream_put_records(struct sk_buff *skb, struct netlink_callback *cb,
				  struct gp_pass *pass, struct gp_ring *ring)
{
	unsigned long *end = &pass->end[ring->cpu];
	u32 all, room, size;
	struct nlattr *nla;
	bool younger;
	void *hdr;

	hdr = gp_stream_begin(skb, cb);
	if (!hdr)
		return false;
	if (nla_put_u32(skb, GOPROBE_A_CPU, ring->cpu))
		goto full;
	if (skb_tailroom(skb) < NLA_HDRLEN + NLA_ALIGNTO)
		goto full;
	room = min_t(u32, skb_tailroom(skb), U16_MAX) - NLA_HDRLEN;
	all = min_t(unsigned long, *end - ring->told, round_down(room, 8));
	nla = nla_reserve(skb, GOPROBE_A_RECORDS, all);
	memcpy(nla_data(nla), gp_ring_first(ring), all);
	size = gp_timeline_tell(&pass->line, nla_data(nla), all, &younger);
	if (younger)
		*end = ring->told + size;
	if (!size)
		goto full;
	skb_trim(skb, skb->len - (all - size));
	nla->nla_len = nla_attr_size(size);
	genlmsg_end(skb, hdr);
	if (gp_ring_consume(ring, size))
		gp_stream_made_room(pass->s, ring);
	return true;

full:
	genlmsg_cancel(skb, hdr);
	return *end == ring->told;
}

/* Losses that no record came after, which is only known once it is over. */
static bool gp_stream_put_losses(struct sk_buff *skb, struct netlink_callback *cb,
				 struct gp_pass *pass, struct gp_ring *ring)
{
	u8 losses[sizeof(struct goprobe_record) + sizeof(struct goprobe_lost)];
	void *hdr;
	u32 size;

	hdr = gp_stream_begin(skb, cb);
	if (!hdr ||
	    skb_tailroom(skb) < nla_total_size(sizeof(u32)) + nla_total_size(sizeof(losses)) ||
	    nla_put_u32(skb, GOPROBE_A_CPU, ring->cpu)) {
		genlmsg_cancel(skb, hdr);
		return false;
	}
	size = gp_ring_put_losses(ring, losses, sizeof(losses),
				  pass->line.to.ns);
	nla_put(skb, GOPROBE_A_RECORDS, size, losses);
	genlmsg_end(skb, hdr);
	return true;
}

static u64 gp_stream_backlog(const struct gp_session *s)
{
	u64 bytes = 0;
	u32 cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		const struct gp_ring *ring = READ_ONCE(s->rings[cpu]);

		if (ring)
			bytes += gp_ring_unread(ring);
	}
	return bytes;
}

static bool gp_stream_put_end(struct sk_buff *skb, struct netlink_callback *cb,
			      struct gp_pass *pass)
{
	void *hdr = gp_stream_begin(skb, cb);

	if (!hdr || nla_put_u64_64bit(skb, GOPROBE_A_TIME, pass->line.to.ns, GOPROBE_A_PAD) ||
	    nla_put_u64_64bit(skb, GOPROBE_A_BACKLOG, gp_stream_backlog(pass->s),
			      GOPROBE_A_PAD)) {
		genlmsg_cancel(skb, hdr);
		return false;
	}
	genlmsg_end(skb, hdr);
	return true;
}

/* As much of the pass as fits in one message buffer. */
static void gp_stream_fill(struct sk_buff *skb, struct netlink_callback *cb,
			   struct gp_pass *pass)
{
	struct gp_session *s = pass->s;
	bool quiet;

	/* Losses are looked at after. */
	quiet = smp_load_acquire(&s->quiet);
	for (; pass->cpu < nr_cpu_ids; pass->cpu++) {
		struct gp_ring *ring = READ_ONCE(s->rings[pass->cpu]);

		while (ring && (long)(pass->end[pass->cpu] - ring->told) > 0)
			if (gp_stream_lend_records(skb, cb, pass, ring) ||
			    !gp_stream_put_records(skb, cb, pass, ring))
				return;
		if (ring && quiet && gp_ring_end(ring) == ring->told &&
		    gp_ring_has_losses(ring) &&
		    !gp_stream_put_losses(skb, cb, pass, ring))
			return;
	}
	gp_stream_take_back(s);
	/* From now on the reader is told of new records; before it counts. */
	atomic_cmpxchg(&s->armed, GP_STREAM_READING, GP_STREAM_WAITING);
	pass->done = gp_stream_put_end(skb, cb, pass);
}

int gp_stream_read(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct gp_pass *pass = (struct gp_pass *)cb->args[0];
	int err;

	err = gp_netlink_may(cb->skb, cb->extack);
	if (err)
		return err;
	if (!pass)
		return gp_refuse(cb->extack, -ENOENT, GP_NETLINK_NO_SESSION);
	if (IS_ERR(pass))
		return gp_refuse(cb->extack, PTR_ERR(pass), "out of memory");
	if (pass->done)
		return 0;
	mutex_lock(&pass->s->read_lock);
	gp_stream_fill(skb, cb, pass);
	mutex_unlock(&pass->s->read_lock);
	return skb->len;
}

int gp_stream_init(void)
{
	gp_stream_wq = alloc_workqueue("goprobe-ready", WQ_UNBOUND, 0);
	return gp_stream_wq ? 0 : -ENOMEM;
}

/* No session is left. */
void gp_stream_fini(void)
{
	destroy_workqueue(gp_stream_wq);
}
