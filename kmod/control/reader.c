// SPDX-License-Identifier: GPL-2.0
/*
 * GOPROBE_CMD_READ and _READY: delivery of records to a reader that pulls.
 *
 * A pass (one GOPROBE_CMD_READ dump) hands out records with stamps from before it began. It reads
 * the clock first (timeline.h), waits for unfinished records, and reads the heads afterwards. So
 * each record with that time or an older one is in this pass or an earlier one, and each younger
 * record is in a later pass.
 *
 * Lending: a reader with a large buffer gets its records directly from the ring. The message refers
 * to the ring's pages, and only its header is in its own memory; times are written into the ring.
 * Usually the reader has copied a message before it asks for the next one (netlink_recvmsg()).
 * If a READY was queued before the message, it has not; then the next records are copied into
 * their message. See ring.h.
 */
#include <linux/err.h>
#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "control/message.h"
#include "control/reader.h"
#include "control/refuse.h"
#include "control/sessions.h"
#include "gfp.h"
#include "session/session.h"
#include "session/stream.h"

/*
 * Memory of one message of a dump: fits the largest record; the kernel uses the same size for
 * readers with large buffers (netlink_dump()).
 */
#define GP_READER_SKB	SKB_WITH_OVERHEAD(32768)

/* Smaller parts are copied: lending a page costs about as much as copying 64 bytes. */
#define GP_READER_LEND_MIN SZ_4K

/* Bytes of records in a message of GOPROBE_LARGE_BYTES; its header takes less than 64. */
#define GP_READER_LEND_MAX (GOPROBE_LARGE_BYTES - 64)

/**
 * struct gp_pass - one pass over the rings
 * @s: the session
 * @line: times of its beginning, and of the previous pass
 * @ring: the current ring; gp_stream_nrings() when all are done
 * @done: the last message has been written
 * @end: end of the pass, for each ring
 */
struct gp_pass {
	struct gp_session *s;
	struct gp_timeline line;
	u32 ring;
	bool done;
	unsigned long end[];
};

/* @ring has more space: wake waiting hits. */
static void gp_reader_freed_space(struct gp_session *s, const struct gp_ring *ring)
{
	/* A hit that starts to wait either sees the space or is seen here; so is a stall. */
	if (wq_has_sleeper(&s->space))
		wake_up_all(&s->space);
	if (READ_ONCE(s->stalled) == ring->number + 1)
		WRITE_ONCE(s->stalled, 0);
}

static void gp_reader_take_back(struct gp_session *s)
{
	u32 i;

	for (i = 0; i < gp_stream_nrings(); i++) {
		struct gp_ring *ring = gp_stream_ring(s, i);

		if (ring && gp_ring_take_back(ring))
			gp_reader_freed_space(s, ring);
	}
}

static struct gp_pass *gp_pass_new(struct gp_session *s)
{
	struct gp_pass *pass;
	u32 i;

	pass = kvzalloc(struct_size(pass, end, gp_stream_nrings()), GP_GFP_CHARGED);
	if (!pass)
		return NULL;
	pass->s = s;
	mutex_lock(&s->read_lock);
	gp_timeline_extend(&s->line, &s->clock);
	pass->line = s->line;
	/* The notes need the space. */
	gp_reader_take_back(s);
	mutex_unlock(&s->read_lock);
	gp_stream_drain_pass(s, pass->line.to.ticks);
	for (i = 0; i < gp_stream_nrings(); i++) {
		const struct gp_ring *ring = gp_stream_ring(s, i);

		if (!ring)
			continue;
		gp_ring_settle(ring);
		pass->end[i] = gp_ring_end(ring);
	}
	return pass;
}

/*
 * Before 6.8 there is no way to report a message here. So gp_reader_dump() refuses if there is no
 * pass.
 */
int gp_reader_start(struct netlink_callback *cb)
{
	struct gp_session *s;
	struct gp_pass *pass;

	if (gp_refuse_unprivileged(cb->skb, NULL))
		return 0;
	s = gp_session_get(NETLINK_CB(cb->skb).sk);
	if (!s)
		return 0;
	pass = gp_pass_new(s);
	if (!pass) {
		gp_session_put(s);
		pass = ERR_PTR(-ENOMEM);
	}
	cb->min_dump_alloc = GP_READER_SKB;
	cb->args[0] = (long)pass;
	return 0;
}

int gp_reader_done(struct netlink_callback *cb)
{
	struct gp_pass *pass = (struct gp_pass *)cb->args[0];

	if (!IS_ERR_OR_NULL(pass)) {
		gp_session_put(pass->s);
		kvfree(pass);
	}
	return 0;
}

static void *gp_reader_begin(struct sk_buff *skb, struct netlink_callback *cb)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &gp_message_family, NLM_F_MULTI, GOPROBE_CMD_READ);
}

/*
 * Make a message of lent records of one ring. Return: whether it was made; it is then the only one
 * in @skb.
 */
static bool gp_reader_lend_records(struct sk_buff *skb, struct netlink_callback *cb,
				   struct gp_pass *pass, struct gp_ring *ring)
{
	unsigned long *end = &pass->end[ring->number];
	u32 all, size = 0;
	struct nlmsghdr *nlh;
	struct nlattr *nla;
	bool younger = false;
	void *hdr;

	if (gp_ring_take_back(ring))
		gp_reader_freed_space(pass->s, ring);
	all = min3(*end - ring->handed_out, (unsigned long)GP_READER_LEND_MAX,
		   (unsigned long)gp_ring_lendable(ring));
	if (!pass->s->large || skb->len || all < GP_READER_LEND_MIN)
		return false;
	nlh = nlmsg_hdr(skb);
	hdr = gp_reader_begin(skb, cb);
	if (hdr && !nla_put_u32(skb, GOPROBE_A_CPU, ring->number) &&
	    skb_tailroom(skb) >= NLA_HDRLEN)
		size = gp_timeline_convert(&pass->line, gp_ring_first(ring), all, &younger);
	if (younger)
		*end = ring->handed_out + size;
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

/* Add records of one ring to a message. Return: false if the message is full. */
static bool gp_reader_put_records(struct sk_buff *skb, struct netlink_callback *cb,
				  struct gp_pass *pass, struct gp_ring *ring)
{
	unsigned long *end = &pass->end[ring->number];
	u32 all, space, size;
	struct nlattr *nla;
	bool younger;
	void *hdr;

	hdr = gp_reader_begin(skb, cb);
	if (!hdr)
		return false;
	if (nla_put_u32(skb, GOPROBE_A_CPU, ring->number))
		goto full;
	if (skb_tailroom(skb) < NLA_HDRLEN + NLA_ALIGNTO)
		goto full;
	space = min_t(u32, skb_tailroom(skb), U16_MAX) - NLA_HDRLEN;
	all = min_t(unsigned long, *end - ring->handed_out, round_down(space, 8));
	nla = nla_reserve(skb, GOPROBE_A_RECORDS, all);
	memcpy(nla_data(nla), gp_ring_first(ring), all);
	size = gp_timeline_convert(&pass->line, nla_data(nla), all, &younger);
	if (younger)
		*end = ring->handed_out + size;
	if (!size)
		goto full;
	skb_trim(skb, skb->len - (all - size));
	nla->nla_len = nla_attr_size(size);
	genlmsg_end(skb, hdr);
	if (gp_ring_consume(ring, size))
		gp_reader_freed_space(pass->s, ring);
	return true;

full:
	genlmsg_cancel(skb, hdr);
	return *end == ring->handed_out;
}

/* Add losses that no record follows, which is known only at the end of the session. */
static bool gp_reader_put_losses(struct sk_buff *skb, struct netlink_callback *cb,
				 struct gp_pass *pass, struct gp_ring *ring)
{
	u8 losses[sizeof(struct goprobe_record) + sizeof(struct goprobe_lost)];
	void *hdr;
	u32 size;

	hdr = gp_reader_begin(skb, cb);
	if (!hdr ||
	    skb_tailroom(skb) < nla_total_size(sizeof(u32)) + nla_total_size(sizeof(losses)) ||
	    nla_put_u32(skb, GOPROBE_A_CPU, ring->number)) {
		genlmsg_cancel(skb, hdr);
		return false;
	}
	size = gp_ring_put_losses(ring, losses, sizeof(losses),
				  pass->line.to.ns);
	nla_put(skb, GOPROBE_A_RECORDS, size, losses);
	genlmsg_end(skb, hdr);
	return true;
}

static u64 gp_reader_backlog(const struct gp_session *s)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < gp_stream_nrings(); i++) {
		const struct gp_ring *ring = gp_stream_ring(s, i);

		if (ring)
			bytes += gp_ring_unread(ring);
	}
	return bytes;
}

static bool gp_reader_put_end(struct sk_buff *skb, struct netlink_callback *cb,
			      struct gp_pass *pass)
{
	void *hdr = gp_reader_begin(skb, cb);

	if (!hdr || nla_put_u64_64bit(skb, GOPROBE_A_TIME, pass->line.to.ns, GOPROBE_A_PAD) ||
	    nla_put_u64_64bit(skb, GOPROBE_A_BACKLOG, gp_reader_backlog(pass->s),
			      GOPROBE_A_PAD)) {
		genlmsg_cancel(skb, hdr);
		return false;
	}
	genlmsg_end(skb, hdr);
	return true;
}

/* Add as much of the pass as fits in one message buffer. */
static void gp_reader_fill(struct sk_buff *skb, struct netlink_callback *cb,
			   struct gp_pass *pass)
{
	struct gp_session *s = pass->s;
	bool quiet;

	/* Read before losses are checked. */
	quiet = smp_load_acquire(&s->quiet);
	for (; pass->ring < gp_stream_nrings(); pass->ring++) {
		struct gp_ring *ring = gp_stream_ring(s, pass->ring);

		while (ring && (long)(pass->end[pass->ring] - ring->handed_out) > 0)
			if (gp_reader_lend_records(skb, cb, pass, ring) ||
			    !gp_reader_put_records(skb, cb, pass, ring))
				return;
		if (ring && quiet && gp_ring_end(ring) == ring->handed_out &&
		    gp_ring_has_losses(ring) &&
		    !gp_reader_put_losses(skb, cb, pass, ring))
			return;
	}
	gp_reader_take_back(s);
	/* From now on the reader is notified of new records; set before the backlog is counted. */
	atomic_cmpxchg(&s->armed, GP_STREAM_READING, GP_STREAM_WAITING);
	pass->done = gp_reader_put_end(skb, cb, pass);
}

int gp_reader_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct gp_pass *pass = (struct gp_pass *)cb->args[0];
	int err;

	err = gp_refuse_unprivileged(cb->skb, cb->extack);
	if (err)
		return err;
	if (!pass)
		return gp_refuse(cb->extack, -ENOENT, GP_REFUSE_NO_SESSION);
	if (IS_ERR(pass))
		return gp_refuse(cb->extack, PTR_ERR(pass), "out of memory");
	if (pass->done)
		return 0;
	mutex_lock(&pass->s->read_lock);
	gp_reader_fill(skb, cb, pass);
	mutex_unlock(&pass->s->read_lock);
	return skb->len;
}
