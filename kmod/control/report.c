// SPDX-License-Identifier: GPL-2.0
/*
 * GOPROBE_CMD_TALLIES, _KEYS and _OPEN: reports of a session's counts, times and open calls. Dumps:
 * the first continues by id, the others by slot of a table, so that meanwhile points and keys may
 * be added, and calls may end.
 */
#include <linux/mutex.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "control/message.h"
#include "control/refuse.h"
#include "control/report.h"
#include "control/sessions.h"
#include "session/jumps.h"
#include "session/reap.h"
#include "session/session.h"
#include "session/stream.h"
#include "stats/calls.h"
#include "stats/keys.h"
#include "stats/pending.h"

/* Memory of one message: fits several with all their buckets, and the largest record. */
#define GP_REPORT_SKB	SKB_WITH_OVERHEAD(32768)

/*
 * Position of the dump, an id or a slot, and in a slot as in struct gp_calls_at: kept in the
 * callback's args between messages.
 */
struct gp_report_at {
	unsigned long id;
	long reaped;
	long below;
};

int gp_report_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = GP_REPORT_SKB;
	return 0;
}

/* Add tallies to a message, from at->id on; moves at->id. */
static void gp_report_put(struct sk_buff *skb, struct gp_session *s,
			  struct gp_report_at *at, u64 bucket[GOPROBE_BUCKETS])
{
	struct nlattr *nla = nla_reserve(skb, GOPROBE_A_TALLIES, 0);
	u64 states[GOPROBE_STATES_MAX];
	struct goprobe_tally head;
	struct gp_tally *tally;

	while (nla && (tally = xa_find(&s->tallies.ids, &at->id, U32_MAX, XA_PRESENT))) {
		u32 size, more;

		gp_tally_read(tally, at->id, &head, bucket);
		head.nstates = tally->states ? s->limits.states : 0;
		if (head.nstates)
			gp_tally_read_states(tally, head.nstates, states);
		size = head.nbuckets * sizeof(*bucket);
		more = head.nstates * sizeof(*states);
		if (skb_tailroom(skb) < sizeof(head) + size + more)
			break;
		nla_append(skb, sizeof(head), &head);
		nla_append(skb, size, bucket + head.first);
		nla_append(skb, more, states);
		nla->nla_len += sizeof(head) + size + more;
		at->id++;
	}
}

static int gp_report_fill(struct sk_buff *skb, struct netlink_callback *cb,
			  struct gp_session *s, struct gp_report_at *at)
{
	u64 *bucket = kmalloc_array(GOPROBE_BUCKETS, sizeof(*bucket), GFP_KERNEL);
	void *hdr;

	if (!bucket)
		return gp_refuse(cb->extack, -ENOMEM, "out of memory");
	if (!at->reaped) {
		gp_reap(s);
		gp_jumps_count_open(s);
		gp_stream_drain_ready(s);
	}
	at->reaped = true;
	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &gp_message_family, NLM_F_MULTI, GOPROBE_CMD_TALLIES);
	if (hdr && xa_find(&s->tallies.ids, &at->id, U32_MAX, XA_PRESENT)) {
		gp_report_put(skb, s, at, bucket);
		genlmsg_end(skb, hdr);
	} else if (hdr) {
		genlmsg_cancel(skb, hdr);
	}
	kfree(bucket);
	return skb->len;
}

/* Add keys to a message, from slot at->id on; moves at->id. */
static void gp_report_put_keys(struct sk_buff *skb, const struct gp_keys *keys,
			       struct gp_report_at *at, u64 bucket[GOPROBE_BUCKETS])
{
	struct nlattr *nla = nla_reserve(skb, GOPROBE_A_KEY_STATS, 0);
	u64 states[GOPROBE_STATES_MAX];
	struct goprobe_key_stats head;

	for (; nla && at->id < gp_keys_number(keys); at->id++) {
		const u64 *key = gp_keys_read(keys, at->id + 1, &head, bucket);
		u32 size, more;

		/* There can be half a million slots, most of them empty. */
		if (at->id % 1024 == 0)
			cond_resched();
		if (!key)
			continue;
		if (head.tally.nstates)
			gp_keys_read_states(keys, at->id + 1, states);
		size = head.tally.nbuckets * sizeof(*bucket);
		more = head.tally.nstates * sizeof(*states);
		if (skb_tailroom(skb) < sizeof(head) + head.key_bytes + size + more)
			break;
		nla_append(skb, sizeof(head), &head);
		nla_append(skb, head.key_bytes, key);
		nla_append(skb, size, bucket + head.tally.first);
		nla_append(skb, more, states);
		nla->nla_len += sizeof(head) + head.key_bytes + size + more;
	}
}

static int gp_report_fill_keys(struct sk_buff *skb, struct netlink_callback *cb,
			       struct gp_session *s, struct gp_report_at *at)
{
	u64 *bucket = kmalloc_array(GOPROBE_BUCKETS, sizeof(*bucket), GFP_KERNEL);
	void *hdr;

	if (!bucket)
		return gp_refuse(cb->extack, -ENOMEM, "out of memory");
	if (!at->reaped)
		gp_stream_drain_ready(s);
	at->reaped = true;
	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &gp_message_family, NLM_F_MULTI, GOPROBE_CMD_KEYS);
	if (hdr && s->keys && at->id < gp_keys_number(s->keys)) {
		gp_report_put_keys(skb, s->keys, at, bucket);
		genlmsg_end(skb, hdr);
	} else if (hdr) {
		genlmsg_cancel(skb, hdr);
	}
	kfree(bucket);
	return skb->len;
}

/**
 * struct gp_report_open - a message of open calls under construction
 * @skb: the message
 * @nla: its attribute
 * @s: the session
 * @now: ticks
 */
struct gp_report_open {
	struct sk_buff *skb;
	struct nlattr *nla;
	struct gp_session *s;
	u64 now;
};

/* The call's stack is locked. The record still belongs to the call. */
static bool gp_report_put_open(void *arg, const struct gp_stack *stack,
			       const struct gp_call *call)
{
	struct gp_report_open *o = arg;
	const struct gp_calls *calls = o->s->calls;
	const struct gp_pending_record *held = NULL;
	struct goprobe_open_call open = {
		.id = call->tally->id,
		.tgid = gp_reap_tgid(stack->process),
		.goid = stack->goid,
		.g = stack->g & ~GP_STACK_LOCKED,
		.depth = call->depth,
		.age = gp_clock_passed(&calls->clock, call->time, o->now),
	};

	if (call->tally->mutes)
		return true;
	if (call->data && call->tally->paired) {
		held = gp_pending_at(calls->held, call->data);
		open.record_bytes = held->rec.words * 8;
	}
	if (skb_tailroom(o->skb) < sizeof(open) + open.record_bytes)
		return false;
	nla_append(o->skb, sizeof(open), &open);
	if (held)
		nla_append(o->skb, open.record_bytes, held);
	o->nla->nla_len += sizeof(open) + open.record_bytes;
	return true;
}

static int gp_report_fill_open(struct sk_buff *skb, struct netlink_callback *cb,
			       struct gp_session *s, struct gp_report_at *at)
{
	struct gp_report_open o = { .skb = skb, .s = s };
	struct gp_calls_at calls_at = { .stack = at->id, .below = at->below };
	void *hdr;

	if (!s->calls || at->id >= s->calls->nstacks)
		return skb->len;
	if (!at->reaped)
		gp_reap(s);
	at->reaped = true;
	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &gp_message_family, NLM_F_MULTI, GOPROBE_CMD_OPEN_CALLS);
	if (hdr)
		o.nla = nla_reserve(skb, GOPROBE_A_OPEN_CALLS, 0);
	o.now = gp_clock_read(&s->calls->clock);
	if (o.nla)
		gp_calls_each(s->calls, &calls_at, gp_report_put_open, &o);
	at->id = calls_at.stack;
	at->below = calls_at.below;
	if (hdr)
		genlmsg_end(skb, hdr);
	return skb->len;
}

/* Make one message of a dump with @fill. */
static int gp_report_run(struct sk_buff *skb, struct netlink_callback *cb,
			 int (*fill)(struct sk_buff *skb, struct netlink_callback *cb,
				     struct gp_session *s, struct gp_report_at *at))
{
	struct gp_report_at *at = (struct gp_report_at *)cb->args;
	struct gp_session *s;
	int ret;

	BUILD_BUG_ON(sizeof(*at) > sizeof(cb->args));
	ret = gp_refuse_unprivileged(cb->skb, cb->extack);
	if (ret)
		return ret;
	s = gp_session_get(NETLINK_CB(cb->skb).sk);
	if (!s)
		return gp_refuse(cb->extack, -ENOENT, GP_REFUSE_NO_SESSION);
	ret = mutex_lock_killable(&s->lock);
	if (!ret) {
		ret = fill(skb, cb, s, at);
		mutex_unlock(&s->lock);
	}
	gp_session_put(s);
	return ret;
}

int gp_report_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return gp_report_run(skb, cb, gp_report_fill);
}

int gp_report_dump_open(struct sk_buff *skb, struct netlink_callback *cb)
{
	return gp_report_run(skb, cb, gp_report_fill_open);
}

int gp_report_dump_keys(struct sk_buff *skb, struct netlink_callback *cb)
{
	return gp_report_run(skb, cb, gp_report_fill_keys);
}
