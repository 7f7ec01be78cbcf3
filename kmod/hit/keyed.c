// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that are counted and timed by key, or that have a value. They are also counted and timed
 * without a key. So totals are right even if the table of keys is full.
 *
 * Context of all: a handler, preemption on.
 */
#include <linux/preempt.h>
#include <linux/smp.h>

#include "hit/filter.h"
#include "hit/hit.h"
#include "hit/keyed.h"
#include "hit/reject.h"
#include "ring/ring.h"
#include "session/session.h"
#include "stats/calls.h"
#include "stats/keys.h"
#include "stats/states.h"
#include "stats/tally.h"

/* Begin to make a hit's key. */
void gp_keyed_begin(const struct gp_probe *probe, struct gp_key *key)
{
	key->n = 0;
	key->space = gp_keys_words(probe->session->keys);
	key->bucket = U32_MAX;
	key->value = 0;
}

/* Make the hit's key. Return: whether the hit passes; if not, it has been counted. */
static bool gp_keyed_make(const struct gp_probe *probe, const struct pt_regs *regs, u64 duration,
			  struct gp_key *key)
{
	enum gp_verdict verdict;

	gp_keyed_begin(probe, key);
	verdict = gp_filter_run(probe, regs, duration, key);
	if (verdict == GP_VERDICT_PASSES)
		return true;
	gp_reject_hit(probe, regs, verdict);
	return false;
}

/*
 * Count a hit without a key, in addition to its own counter. Where there is no ring, it is not
 * counted here: gp_hit_stat() would count it as another hit.
 */
static noinline void gp_keyed_no_key(struct gp_session *s)
{
	struct gp_ring *ring;

	preempt_disable();
	ring = READ_ONCE(s->rings[smp_processor_id()]);
	if (ring)
		ring->stat[GOPROBE_STAT_NO_KEY]++;
	preempt_enable();
}

static u32 gp_keyed_find(const struct gp_probe *probe, const struct gp_key *key)
{
	u32 number = gp_keys_find(probe->session->keys, probe->id, key);

	if (!number)
		gp_keyed_no_key(probe->session);
	return number;
}

/* Whether the hit has a key: with a value, no words are no key. */
static bool gp_keyed_has_key(const struct gp_probe *probe, const struct gp_key *key)
{
	return key->n || !probe->filter->valued;
}

/* Add a hit's value to its id, and to key @number, unless that is 0. */
static void gp_keyed_value(const struct gp_probe *probe, const struct gp_key *key, u32 number)
{
	struct gp_value v = probe->filter->is_signed ? gp_tally_signed(key->value) :
						       gp_tally_unsigned(key->value);

	if (key->bucket != U32_MAX)
		v.bucket = key->bucket;
	gp_tally_value(probe->tally, v);
	if (number)
		gp_keys_value(probe->session->keys, number, v);
}

/* Count a hit that passes, with its key. */
void gp_keyed_add(const struct gp_probe *probe, const struct gp_key *key)
{
	u32 number;

	gp_tally_hit(probe->tally);
	number = gp_keyed_has_key(probe, key) ? gp_keyed_find(probe, key) : 0;
	if (probe->filter->valued)
		gp_keyed_value(probe, key, number);
	else if (number)
		gp_keys_hit(probe->session->keys, number);
}

/**
 * gp_keyed_count() - count a hit
 * @probe: its filter makes a key or a value
 * @regs: the target's registers
 *
 * Return: the handler's return value.
 */
int gp_keyed_count(const struct gp_probe *probe, const struct pt_regs *regs)
{
	struct gp_key key GP_UNINITIALIZED;

	if (!gp_hit_matters(probe, regs))
		return gp_hit_does_not_matter(probe, regs);
	if (gp_keyed_make(probe, regs, 0, &key))
		gp_keyed_add(probe, &key);
	return 0;
}

/**
 * gp_keyed_enter() - remember a call, and its key
 * @probe: its filter makes a key
 * @regs: the target's registers
 *
 * Return: the handler's return value.
 */
int gp_keyed_enter(const struct gp_probe *probe, const struct pt_regs *regs)
{
	struct gp_session *s = probe->session;
	struct gp_key key GP_UNINITIALIZED;
	struct gp_own_g own;

	if (!gp_hit_matters(probe, regs))
		return gp_hit_does_not_matter(probe, regs);
	if (!gp_keyed_make(probe, regs, 0, &key))
		return 0;
	if (!gp_hit_await_g(probe, regs, &own)) {
		gp_hit_stat(s, GOPROBE_STAT_NO_GOROUTINE);
		return 0;
	}
	if (gp_calls_open(s->calls, gp_hit_key(&own), gp_calls_depth(own.depth), probe->tally,
			  gp_keyed_find(probe, &key)) == GP_CALLS_KEPT)
		gp_tally_call(probe->tally);
	else
		gp_hit_no_space(s, GOPROBE_STAT_NO_SPACE);
	return 0;
}

/**
 * gp_keyed_end() - time a call by key at its end
 * @probe: the probe that was hit
 * @regs: the target's registers
 * @call: the call
 * @duration: ns
 * @split: its time by state, or NULL
 *
 * Return: 0.
 */
int gp_keyed_end(const struct gp_probe *probe, const struct pt_regs *regs,
		 const struct gp_call *call, u64 duration, const struct gp_split *split)
{
	struct gp_key key GP_UNINITIALIZED;
	u32 number = call->data;

	if (probe->filter && !gp_keyed_make(probe, regs, duration, &key))
		return 0;
	if (probe->filter && probe->filter->keyed && gp_keyed_has_key(probe, &key))
		number = gp_keyed_find(probe, &key);
	if (probe->filter && probe->filter->valued) {
		gp_keyed_value(probe, &key, number);
		return 0;
	}
	gp_tally_return(probe->tally, duration);
	if (number)
		gp_keys_value(probe->session->keys, number, gp_tally_unsigned(duration));
	if (split)
		gp_tally_split(probe->tally, split->n, split->ns);
	if (split && number)
		gp_keys_split(probe->session->keys, number, split->n, split->ns);
	return 0;
}
