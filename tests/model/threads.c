// SPDX-License-Identifier: GPL-2.0
/* What threads execute, and what the kernel does with those that hit a breakpoint. */
#include "model.h"

static void move(const struct state *from, int i, enum place to)
{
	struct state s = *from;

	/* A thread that has been looked at stays so. */
	s.thread[i] = (uint8_t)(to | (s.thread[i] & LOOKED_AT));
	states_reach(&s);
}

/* May a processor have read any other code than @code in one of these bytes? */
static bool is_mixed(const struct state *s, unsigned int at, unsigned int n, uint8_t code)
{
	for (unsigned int i = 0; i < n; i++)
		if (s->seen[at + i] & ~(1U << code))
			return true;
	return false;
}

static void go_to_detour(const struct state *s, int i, enum place detour)
{
	if (s->flags & NO_DETOUR)
		bad = "a thread jumps to memory without a detour";
	move(s, i, detour);
}

/* The branch of the file, or the first instruction of the epilogue. */
static void go_on(const struct state *s, int i, bool grows)
{
	if (shape == GP_DETOUR_EXIT_POP)
		move(s, i, AT_POP);
	else
		move(s, i, grows && shape == GP_DETOUR_SHORT ? COLD_GROW : AWAY);
}

/* A thread executes what its processor has read: any of all that it may have. */
static void at_branch(const struct state *s, int i, bool grows)
{
	unsigned int n = writer_branch_bytes();
	uint8_t first = s->seen[0];

	if (first & 1U << GP_STEP_INT3)
		move(s, i, grows ? TRAPPED_GROW : TRAPPED_GO);
	if (first & 1U << GP_STEP_FILE) {
		if (is_mixed(s, 1, n - 1, GP_STEP_FILE))
			bad = "a thread executes the file's first byte and a jump's others";
		go_on(s, i, grows);
	}
	if (!(first & 1U << GP_STEP_JUMP))
		return;
	if (is_mixed(s, 1, n - 1, GP_STEP_JUMP))
		bad = "a thread executes a jump's first byte and the file's others";
	/* The POP is the jump's last byte. */
	if (shape == GP_DETOUR_EXIT_POP && is_mixed(s, POP, 1, GP_STEP_FILE))
		bad = "a thread executes a jump whose last byte is a breakpoint";
	if (shape == GP_DETOUR_SHORT)
		move(s, i, grows ? COLD_GROW : COLD_GO);
	else
		go_to_detour(s, i, DETOUR);
}

static void at_cold(const struct state *s, int i, bool grows)
{
	uint8_t first = s->seen[COLD];

	if (first & 1U << GP_STEP_INT3)
		move(s, i, grows ? COLD_TRAPPED_GROW : COLD_TRAPPED_GO);
	if (first & 1U << GP_STEP_FILE) {
		if (is_mixed(s, COLD + 1, GP_DETOUR_JUMP - 1, GP_STEP_FILE))
			bad = "a thread executes a cold block's first byte and a jump's others";
		if (!grows)
			bad = "a call whose stack is large enough executes the cold block";
		move(s, i, AWAY);
	}
	for (uint8_t code = GP_STEP_JUMP; code <= CODE_ANOTHER; code++) {
		if (code == GP_STEP_FILE || !(first & 1U << code))
			continue;
		if (is_mixed(s, COLD + 1, GP_DETOUR_JUMP - 1, code))
			bad = "a thread executes a jump's first byte and a cold block's others";
		go_to_detour(s, i, code == GP_STEP_JUMP ? DETOUR : DETOUR_ANOTHER);
	}
}

/* A uprobe is at the branch, and the kernel emulates; or it looks at memory, and goes back. */
static void in_trap(const struct state *s, int i, bool grows)
{
	if (s->flags & (OURS | OTHERS))
		go_on(s, i, grows);
	else if (s->now[0] != GP_STEP_INT3)
		move(s, i, grows ? BRANCH_GROW : BRANCH_GO);
	else if (s->debugger != 1)
		bad = "a thread is at a breakpoint of nobody's";
}

/* It waits for the lock. The kernel has no breakpoint there, so the thread looks at it again. */
static void in_cold_trap(const struct state *s, int i, bool grows)
{
	if (s->flags & LOCKED)
		return;
	if (s->now[COLD] != GP_STEP_INT3)
		move(s, i, grows ? COLD_GROW : COLD_GO);
	else if (s->debugger != COLD + 1)
		bad = "a thread is at a breakpoint in a cold block, of nobody's";
}

static void in_detour(const struct state *s, int i)
{
	if (s->flags & NO_DETOUR)
		bad = "a thread executes memory of a detour that is used again";
	move(s, i, AWAY);
}

/* A signal comes; that it returns late is that nothing else happens to the thread. */
static void take_signal(const struct state *from, int i)
{
	struct state s = *from;

	s.thread[i] |= IN_SIGNAL;
	states_reach(&s);
}

static void execute(const struct state *s, int i, enum place place)
{
	switch (place) {
	case AWAY:
		move(s, i, BRANCH_GO);
		if (shape == GP_DETOUR_SHORT || shape == GP_DETOUR_LONG)
			move(s, i, BRANCH_GROW);
		break;
	case BRANCH_GO:
	case BRANCH_GROW:
		at_branch(s, i, place == BRANCH_GROW);
		break;
	case TRAPPED_GO:
	case TRAPPED_GROW:
		in_trap(s, i, place == TRAPPED_GROW);
		break;
	case AT_POP:
		if (!(s->seen[POP] & ~(1U << GP_STEP_FILE)))
			move(s, i, AWAY);
		break;
	case DETOUR:
	case DETOUR_ANOTHER:
		in_detour(s, i);
		break;
	case COLD_GO:
	case COLD_GROW:
		at_cold(s, i, place == COLD_GROW);
		break;
	default:
		in_cold_trap(s, i, place == COLD_TRAPPED_GROW);
	}
}

void threads_next(const struct state *s, int i)
{
	enum place place = s->thread[i] & PLACE;

	if (s->thread[i] & IN_SIGNAL) {
		move(s, i, place);
		return;
	}
	execute(s, i, place);
	if (place != AWAY && place != TRAPPED_GO && place != TRAPPED_GROW &&
	    place != COLD_TRAPPED_GO && place != COLD_TRAPPED_GROW)
		take_signal(s, i);
}
