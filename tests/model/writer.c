// SPDX-License-Identifier: GPL-2.0
/* What changes code: the module, the kernel's uprobes, fork(), a debugger. */
#include <string.h>

#include "model.h"

unsigned int writer_branch_bytes(void)
{
	return shape == GP_DETOUR_SHORT ? 1 : shape == GP_DETOUR_EXIT_POP ? POP : GP_DETOUR_JUMP;
}

void writer_write(struct state *s, unsigned int at, uint8_t code)
{
	s->now[at] = code;
	s->seen[at] |= (uint8_t)(1U << code);
}

static bool is_code(const struct state *s, unsigned int at, unsigned int n, uint8_t code)
{
	for (unsigned int i = 0; i < n; i++)
		if (s->now[at + i] != code)
			return false;
	return true;
}

/* --- uprobes ------------------------------------------------------------------------------- */

/* A consumer wants the breakpoint: it is written over whatever is there. */
static void uprobe_set(struct state *s)
{
	if (s->now[0] != GP_STEP_INT3)
		writer_write(s, 0, GP_STEP_INT3);
}

/* No consumer wants it any more: a breakpoint becomes the file's byte, whatever is behind it. */
static void uprobe_clear(struct state *s)
{
	if (s->now[0] == GP_STEP_INT3)
		writer_write(s, 0, GP_STEP_FILE);
}

static void others_place(struct state s)
{
	s.flags |= OTHERS;
	uprobe_set(&s);
	states_reach(&s);
}

static void others_remove(struct state s)
{
	s.flags &= (uint8_t)~OTHERS;
	/* Our consumer wants the breakpoint in the parent, but not in its child. */
	if (s.flags & CHILD || !(s.flags & OURS))
		uprobe_clear(&s);
	states_reach(&s);
}

static void we_remove(struct state s)
{
	s.flags &= (uint8_t)~OURS;
	if (!(s.flags & OTHERS))
		uprobe_clear(&s);
	states_reach(&s);
}

/* --- the module ---------------------------------------------------------------------------- */

static bool has_cold(void)
{
	return shape == GP_DETOUR_SHORT;
}

static void sync_all(struct state *s)
{
	for (int i = 0; i < BYTES; i++)
		s->seen[i] = (uint8_t)(1U << s->now[i]);
}

/* Do all bytes have what the steps are for? */
static bool is_done(const struct state *s)
{
	unsigned int n = writer_branch_bytes();
	uint8_t cold = s->flags & CHANGES_COLD ? s->goal : s->cold;

	if (has_cold() && !is_code(s, COLD, GP_DETOUR_JUMP, cold))
		return false;
	if (s->phase == ARM)
		return is_code(s, 0, n, GP_STEP_JUMP);
	return s->phase == RESTORE || (s->now[0] == GP_STEP_INT3 &&
				       is_code(s, 1, n - 1, GP_STEP_FILE));
}

static void next_step(struct state s, const struct ops *ops)
{
	const struct op *op = &ops->v[s.step];

	switch (op->kind) {
	case OP_SYNC:
		sync_all(&s);
		break;
	case OP_LOCK:
		s.flags |= LOCKED;
		break;
	case OP_UNLOCK:
		if (!is_done(&s))
			bad = "the steps have another result";
		s.flags &= (uint8_t)~LOCKED;
		break;
	default:
		writer_write(&s, op->at, op->at >= COLD && op->code == GP_STEP_JUMP ? s.goal :
			     op->code);
	}
	s.step++;
	states_reach(&s);
}

static void finish(struct state s)
{
	if (s.flags & CHANGES_COLD)
		s.cold = s.goal;
	s.flags &= (uint8_t)~(CHANGES_COLD | ARMED | LOCKED);
	if (s.phase == ARM)
		s.flags |= ARMED;
	s.phase = REST;
	s.step = 0;
	s.goal = GP_STEP_FILE;
	states_reach(&s);
}

static void begin(struct state s, enum phase next, bool changes_cold, uint8_t goal)
{
	s.phase = (uint8_t)next;
	s.step = 0;
	s.goal = changes_cold ? goal : GP_STEP_FILE;
	if (changes_cold)
		s.flags |= CHANGES_COLD;
	if (next == ARM)
		s.flags &= (uint8_t)~NO_DETOUR;
	states_reach(&s);
}

static void begin_arm(const struct state *s)
{
	if (s->now[0] != GP_STEP_INT3 ||
	    !is_code(s, 1, writer_branch_bytes() - 1, GP_STEP_FILE) ||
	    (has_cold() && !is_code(s, COLD, GP_DETOUR_JUMP, s->cold)) ||
	    (s->debugger && !rules.arms_debugged))
		return;
	if (!has_cold() || s->cold != GP_STEP_FILE)
		begin(*s, ARM, false, GP_STEP_FILE);
	/* The detour is another one if an earlier session made the cold block's. */
	if (has_cold() && s->cold != GP_STEP_JUMP)
		begin(*s, ARM, true, GP_STEP_JUMP);
	if (has_cold() && has_another && s->cold == GP_STEP_JUMP)
		begin(*s, ARM, true, CODE_ANOTHER);
}

static void look_at_threads(struct state s, enum phase phase)
{
	/* Who runs is interrupted, so that its registers are saved once. */
	sync_all(&s);
	s.phase = (uint8_t)phase;
	states_reach(&s);
}

/* All threads have been looked at, one after the other, while they went on. */
static void begin_restore(struct state s)
{
	for (int i = 0; i < THREADS; i++)
		s.thread[i] &= (uint8_t)~LOOKED_AT;
	if (is_code(&s, COLD, GP_DETOUR_JUMP, s.cold)) {
		begin(s, RESTORE, true, GP_STEP_FILE);
		return;
	}
	s.phase = REST;
	states_reach(&s);
}

/* Other code is written there, or it is unmapped. */
static void free_detours(struct state s)
{
	for (int i = 0; i < THREADS; i++) {
		uint8_t place = s.thread[i] & PLACE;

		s.thread[i] &= (uint8_t)~LOOKED_AT;
		if (place == DETOUR || place == DETOUR_ANOTHER)
			bad = "the memory of detours is used again, and a thread is in one";
		if (place == COLD_GO || place == COLD_TRAPPED_GO)
			bad = "the memory of detours is used again, and a thread is before one";
	}
	s.flags |= NO_DETOUR;
	s.phase = REST;
	states_reach(&s);
}

/* Does a thread show that it may be on its way to a detour, or, if @inside, in one? */
static bool is_near(uint8_t thread, bool inside)
{
	uint8_t place = thread & PLACE;

	if (thread & IN_SIGNAL)
		return !rules.looks_past_signals;
	if (place == COLD_TRAPPED_GO || place == COLD_TRAPPED_GROW)
		return !rules.looks_past_traps;
	return place == COLD_GO || place == COLD_GROW ||
	       (inside && (place == DETOUR || place == DETOUR_ANOTHER));
}

static void end_look(struct state s)
{
	for (int i = 0; i < THREADS; i++)
		s.thread[i] &= (uint8_t)~LOOKED_AT;
	s.phase = REST;
	states_reach(&s);
}

static void go_on_looking(const struct state *from)
{
	bool blind = from->phase == LOOK_RESTORE ? rules.restores_blindly : rules.frees_blindly;
	bool all = true;

	for (int i = 0; i < THREADS && !blind; i++) {
		struct state s = *from;

		if (s.thread[i] & LOOKED_AT)
			continue;
		all = false;
		if (is_near(s.thread[i], s.phase == LOOK_FREE)) {
			end_look(s);
			continue;
		}
		s.thread[i] |= LOOKED_AT;
		states_reach(&s);
	}
	if (!all)
		return;
	if (from->phase == LOOK_RESTORE)
		begin_restore(*from);
	else
		free_detours(*from);
}

static void begin_something(const struct state *s)
{
	if (s->flags & ARMED) {
		begin(*s, DISARM, false, GP_STEP_FILE);
		return;
	}
	if (s->cold != GP_STEP_FILE)
		look_at_threads(*s, LOOK_RESTORE);
	else if (!(s->flags & (NO_DETOUR | FORKED)))
		look_at_threads(*s, LOOK_FREE);
	if (s->flags & OURS) {
		begin_arm(s);
		we_remove(*s);
	} else {
		struct state next = *s;

		next.flags |= OURS;
		uprobe_set(&next);
		states_reach(&next);
	}
}

/* Do code and a debugger's breakpoint change without regard for each other? */
static bool is_careless(void)
{
	return rules.changed_under_debugger || rules.debugger_words;
}

/* In a child the module changes nothing; the kernel removes breakpoints that it inherited. */
static void next_of_child(const struct state *s)
{
	if (s->flags & OURS)
		we_remove(*s);
	if (rules.frees_of_child && !(s->flags & NO_DETOUR)) {
		if (s->flags & ARMED || s->cold != GP_STEP_FILE)
			bad = "a child's jump leads to memory that is used again";
		free_detours(*s);
	}
}

void writer_next(const struct state *s)
{
	const struct ops *ops = &steps[s->phase][!!(s->flags & CHANGES_COLD)];

	/* Where a debugger has a breakpoint nothing changes: what is so if it does is a limit. */
	if (s->debugger && s->phase == REST && !is_careless()) {
		if (rules.arms_debugged && !(s->flags & (CHILD | ARMED)))
			begin_something(s);
		return;
	}
	if (s->flags & CHILD)
		next_of_child(s);
	else if (s->phase == REST)
		begin_something(s);
	else if (s->phase == LOOK_RESTORE || s->phase == LOOK_FREE)
		go_on_looking(s);
	else if (s->step < ops->n)
		next_step(*s, ops);
	else
		finish(*s);
}

/* --- others -------------------------------------------------------------------------------- */

static void debugger_reads(struct state s, unsigned int at)
{
	s.debugger = (uint8_t)(at + 1);
	s.saved = s.now[at];
	s.saved_tail = s.now[at + 1];
	if (!rules.debugger_words)
		writer_write(&s, at, GP_STEP_INT3);
	states_reach(&s);
}

static void debugger_writes_back(struct state s)
{
	unsigned int at = s.debugger - 1U;

	writer_write(&s, at, s.saved);
	for (unsigned int i = 1; i < (at ? GP_DETOUR_JUMP : writer_branch_bytes()); i++)
		if (rules.debugger_words)
			writer_write(&s, at + i, s.saved_tail);
	s.debugger = 0;
	s.saved = 0;
	s.saved_tail = 0;
	states_reach(&s);
}

static void next_of_debugger(const struct state *s)
{
	if (s->debugger) {
		debugger_writes_back(*s);
		return;
	}
	/* It changes nothing while the module is between a look and what follows. */
	if (s->phase != REST)
		return;
	debugger_reads(*s, 0);
	if (has_cold())
		debugger_reads(*s, COLD);
}

/* The thread is in fork(), or in a signal's handler that forks. */
static void fork_by(const struct state *s, int i)
{
	struct state parent = *s, child = *s;
	uint8_t place = s->thread[i] & PLACE;

	if (place != AWAY && !(s->thread[i] & IN_SIGNAL))
		return;
	if (s->now[0] != GP_STEP_JUMP && writer_branch_bytes() > 1 && s->now[1] == GP_STEP_JUMP &&
	    !rules.fork_over_breakpoint)
		return;
	parent.flags |= FORKED;
	states_reach(&parent);
	memset(child.thread, AWAY, sizeof(child.thread));
	child.thread[0] = s->thread[i] & (uint8_t)~LOOKED_AT;
	/* It has what there is. */
	child.flags &= OURS | OTHERS | NO_DETOUR;
	child.flags |= CHILD | (s->now[0] == GP_STEP_JUMP ? ARMED : 0);
	child.cold = s->now[COLD];
	child.phase = REST;
	child.step = 0;
	child.goal = GP_STEP_FILE;
	sync_all(&child);
	states_reach(&child);
}

/* Is the branch, or the cold block, other code than the file's? goprobe refuses such a process. */
static bool is_foreign(const struct state *s)
{
	return s->flags & ARMED || s->cold != GP_STEP_FILE || s->now[0] == GP_STEP_JUMP;
}

static void others_place_elsewhere(const struct state *from)
{
	struct state s = *from;

	if (rules.pop_breakpoint && shape == GP_DETOUR_EXIT_POP && s.now[POP] == GP_STEP_FILE) {
		writer_write(&s, POP, GP_STEP_INT3);
		states_reach(&s);
	}
	s = *from;
	if (rules.cold_breakpoint && has_cold() && s.now[COLD] != GP_STEP_INT3) {
		writer_write(&s, COLD, GP_STEP_INT3);
		states_reach(&s);
	}
}

void others_next(const struct state *s)
{
	/* They wait for the lock. */
	if (s->flags & LOCKED)
		return;
	next_of_debugger(s);
	if (s->debugger && !is_careless())
		return;
	others_place_elsewhere(s);
	if (s->flags & OTHERS)
		others_remove(*s);
	else if (!(s->flags & CHILD) || !is_foreign(s) || rules.child_traced)
		others_place(*s);
	for (int i = 0; i < THREADS; i++)
		fork_by(s, i);
}
