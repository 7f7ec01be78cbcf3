// SPDX-License-Identifier: GPL-2.0
/*
 * Goroutine notifications: hits on runtime functions that update states, the goroutine set or open
 * calls, and write no record. The words of their filter's key are the notification. The g pointers
 * come from the untrusted program; unknown ones are ignored.
 *
 * Context of all: a handler, preemption on.
 */
#include <linux/sched.h>

#include "hit/filter.h"
#include "hit/hit.h"
#include "hit/notify.h"
#include "hit/pair.h"
#include "ring/clock.h"
#include "session/session.h"
#include "stats/calls.h"
#include "stats/goroutine_set.h"
#include "stats/keys.h"
#include "stats/states.h"

/* Most words of a notification. */
#define GP_NOTIFY_WORDS	8

/* Return of all functions below: false if the words are no valid notification. */

/*
 * Pairs of a g and a state: a switch from one goroutine to another changes both. No pair is no
 * notification.
 */
static bool gp_notify_states(struct gp_calls *calls, const struct gp_key *key, u64 now)
{
	u64 process = gp_arch_process(current, current->mm);
	u32 i, n = gp_states_number(calls->states);

	if (key->n % 2)
		return false;
	for (i = 0; i < key->n; i += 2)
		if (key->word[i + 1] >= n)
			return false;
	for (i = 0; i < key->n; i += 2)
		gp_calls_state(calls, process, key->word[i], key->word[i + 1], now);
	return true;
}

static bool gp_notify_join(struct gp_session *s, const struct gp_key *key)
{
	u64 process = gp_arch_process(current, current->mm);

	if (key->n != 1)
		return false;
	if (gp_goroutine_set_join(s->members, process, key->word[0]) == -ENOSPC)
		gp_hit_no_space(s, GOPROBE_STAT_SET_FULL);
	return true;
}

static bool gp_notify_part(struct gp_session *s, const struct gp_key *key)
{
	if (key->n != 1)
		return false;
	gp_goroutine_set_part(s->members, gp_arch_process(current, current->mm), key->word[0]);
	return true;
}

static bool gp_notify_unwind(struct gp_session *s, const struct gp_key *key)
{
	struct gp_calls_key who = { .process = gp_arch_process(current, current->mm) };

	if (key->n != 4)
		return false;
	who.g = key->word[0];
	who.goid = key->word[1];
	/* A g is a multiple of 8. A depth beyond any stack ends no call. */
	if (!(who.g & 7) && key->word[2] >> 3 < U32_MAX)
		gp_pair_unwind(s, who, (key->word[2] >> 3) + 1, key->word[3]);
	return true;
}

static bool gp_notify_all(const struct gp_probe *probe, const struct gp_key *key, u64 now)
{
	switch (probe->action) {
	case GOPROBE_ACTION_STATE:
		return gp_notify_states(probe->session->calls, key, now);
	case GOPROBE_ACTION_SET_ADD:
		return gp_notify_join(probe->session, key);
	case GOPROBE_ACTION_SET_REMOVE:
		return gp_notify_part(probe->session, key);
	default:
		return gp_notify_unwind(probe->session, key);
	}
}

/* Whether the hit counts. The set of goroutines is kept even before recording starts. */
static bool gp_notify_matters(const struct gp_probe *probe, const struct pt_regs *regs)
{
	if (probe->action != GOPROBE_ACTION_SET_ADD && probe->action != GOPROBE_ACTION_SET_REMOVE)
		return gp_hit_matters(probe, regs);
	return gp_session_wants_current(probe->session) && !gp_arch_skips(probe->skip, regs);
}

/**
 * gp_notify() - handle a goroutine notification
 * @probe: its filter makes a key
 * @regs: the target's registers
 *
 * Return: the handler's return value.
 */
int gp_notify(const struct gp_probe *probe, const struct pt_regs *regs)
{
	struct gp_key key GP_UNINITIALIZED;
	enum gp_verdict verdict;
	u64 now = 0;

	/* First, so that the time after it does not count as the previous state's. */
	if (probe->action == GOPROBE_ACTION_STATE)
		now = gp_clock_read(&probe->session->calls->clock);
	if (!gp_notify_matters(probe, regs))
		return gp_hit_does_not_matter(probe, regs);
	key.n = 0;
	key.space = GP_NOTIFY_WORDS;
	verdict = gp_filter_run(probe, regs, 0, &key);
	if (verdict == GP_VERDICT_PASSES && !gp_notify_all(probe, &key, now))
		verdict = GP_VERDICT_UNDECIDED;
	/* A hit without a notification does not count as rejected by a condition. */
	if (verdict != GP_VERDICT_UNDECIDED)
		gp_hit_stat(probe->session, GOPROBE_STAT_NOTIFIED);
	else
		gp_hit_rejected(probe, verdict);
	return 0;
}
