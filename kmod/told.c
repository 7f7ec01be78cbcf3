// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that leave nothing but what the words of their filter's key say of goroutines. Which
 * goroutine a word means is the program's to say, so it can be none that we know: then there is
 * nothing to be told.
 *
 * Context of all: a handler, preemption on.
 */
#include <linux/sched.h>

#include "calls.h"
#include "clock.h"
#include "filter.h"
#include "hit.h"
#include "keys.h"
#include "session.h"
#include "states.h"
#include "told.h"

/* Words that a key may have here. */
#define GP_TOLD_WORDS	8

/*
 * Pairs of a g and a state: a switch from one goroutine to another tells of both. None is
 * nothing to be told. Return: false if that is no such pairs.
 */
static bool gp_told_states(struct gp_calls *calls, const struct gp_key *key, u64 now)
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

/**
 * gp_told() - a hit that tells of goroutines
 * @probe: whose; its filter makes a key
 * @regs: the target's registers
 *
 * Return: 0.
 */
int gp_told(const struct gp_probe *probe, const struct pt_regs *regs)
{
	struct gp_calls *calls = probe->session->calls;
	/* First, so that what comes after is not the state's before. */
	u64 now = gp_clock_read(&calls->clock);
	struct gp_key key GP_UNINITIALIZED;
	enum gp_verdict verdict;

	if (!gp_hit_matters(probe, regs))
		return gp_hit_does_not_matter(probe, regs);
	key.n = 0;
	key.room = GP_TOLD_WORDS;
	verdict = gp_filter_run(probe, regs, 0, &key);
	if (verdict == GP_VERDICT_PASSES && !gp_told_states(calls, &key, now))
		verdict = GP_VERDICT_UNDECIDED;
	if (verdict == GP_VERDICT_PASSES)
		gp_hit_stat(probe->session, GOPROBE_STAT_TOLD);
	else
		gp_hit_rejected(probe, verdict);
	return 0;
}
