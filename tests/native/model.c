// SPDX-License-Identifier: GPL-2.0
/*
 * Every interleaving of the steps that change code (steps.h) with threads at every place.
 *
 * A processor may have read any value that a byte had since the last sync, each part of an
 * instruction for itself: more than processors do. The kernel's breakpoint comes and goes as
 * uprobes place and remove it, and a thread may stay anywhere for as long as it likes: it is
 * interrupted there, and returns late. A child of fork() has the same bytes, and a thread at one of
 * these places. Debuggers are not part of it: a process that has one keeps its breakpoints.
 *
 * Nothing bad is reached with the steps as they are. Without any of them, or with any two
 * exchanged, something is; but two steps between the same syncs that write different parts may
 * change places.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include "steps.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define THREADS 3
#define STEPS_MAX 16
/* States are few: this is for a model that was made wrong. */
#define STATES_MAX (1U << 22)

/* Where a thread is. GO: its call goes on; GROW: its stack grows first. */
enum place {
	AWAY,
	BRANCH_GO,
	BRANCH_GROW,
	TRAPPED_GO,		/* in the kernel, by the branch's breakpoint */
	TRAPPED_GROW,
	COLD_GO,		/* at the cold block, by a jump that all calls take */
	COLD_GROW,
	COLD_TRAPPED_GO,	/* in the kernel, by the cold block's breakpoint */
	COLD_TRAPPED_GROW,
	PLACES,
};

/* What the writer does, or did last. */
enum phase {
	UNPROBED,
	PROBED,
	ARMING,
	ARMED,
	DISARMING,
	RESTORING,
	PHASES,
};

/*
 * struct state - all of it in one word's worth of bytes
 * now: the code of each part that is in memory; seen: a bit for each that a processor may have read
 */
struct state {
	uint8_t phase, step, cold;	/* cold: the cold block is a jump */
	uint8_t first[2], tail[2];
	uint8_t seen_first[2], seen_tail[2];
	uint8_t thread[THREADS];
};

struct table {
	struct gp_step v[STEPS_MAX];
	unsigned int n;
};

static struct table tables[3];	/* arm, disarm, restore */
static bool is_short;
static struct state *states;
static uint32_t *slots;
static uint32_t nstates;
static const char *bad;

static uint32_t hash(const struct state *s)
{
	const uint8_t *p = (const uint8_t *)s;
	uint64_t h = 1469598103934665603ULL;

	for (size_t i = 0; i < sizeof(*s); i++)
		h = (h ^ p[i]) * 1099511628211ULL;
	return (uint32_t)(h ^ h >> 32);
}

/* Threads are alike: they are kept in order. */
static void reach(struct state s)
{
	uint32_t at;

	for (int i = 1; i < THREADS; i++)
		for (int k = i; k && s.thread[k] < s.thread[k - 1]; k--) {
			uint8_t t = s.thread[k];

			s.thread[k] = s.thread[k - 1];
			s.thread[k - 1] = t;
		}
	for (at = hash(&s) % (2 * STATES_MAX); slots[at]; at = (at + 1) % (2 * STATES_MAX))
		if (!memcmp(&states[slots[at] - 1], &s, sizeof(s)))
			return;
	if (nstates == STATES_MAX) {
		fprintf(stderr, "model: more than %u states\n", STATES_MAX);
		exit(2);
	}
	states[nstates++] = s;
	slots[at] = nstates;
}

/* --- the writer ----------------------------------------------------------------------------- */

static void write_first(struct state *s, int part, uint8_t code)
{
	s->first[part] = code;
	s->seen_first[part] |= (uint8_t)(1U << code);
}

static void sync_all(struct state *s)
{
	for (int part = 0; part < 2; part++) {
		s->seen_first[part] = (uint8_t)(1U << s->first[part]);
		s->seen_tail[part] = (uint8_t)(1U << s->tail[part]);
	}
}

/* Has the step anything to write? Of a short branch only the first byte changes. */
static bool writes(const struct state *s, const struct gp_step *step)
{
	if (step->part == GP_STEP_BRANCH)
		return !is_short || step->kind == GP_STEP_FIRST;
	return is_short && s->cold != (s->phase == ARMING);
}

static void take_step(struct state *s, const struct gp_step *step)
{
	if (step->kind == GP_STEP_SYNC) {
		sync_all(s);
	} else if (writes(s, step)) {
		if (step->kind == GP_STEP_FIRST) {
			write_first(s, step->part, step->code);
		} else {
			s->tail[step->part] = step->code;
			s->seen_tail[step->part] |= (uint8_t)(1U << step->code);
		}
	}
	s->step++;
}

static bool is_now(const struct state *s, int part, uint8_t first, uint8_t tail)
{
	return s->first[part] == first && s->tail[part] == tail;
}

/* The steps have been taken: is all as it should be? */
static bool is_done(const struct state *s)
{
	uint8_t tail = is_short ? GP_STEP_FILE : GP_STEP_JUMP;

	if (s->phase == ARMING)
		return is_now(s, GP_STEP_BRANCH, GP_STEP_JUMP, tail) &&
		       (!is_short || is_now(s, GP_STEP_COLD, GP_STEP_JUMP, GP_STEP_JUMP));
	return is_now(s, GP_STEP_BRANCH, GP_STEP_INT3, GP_STEP_FILE) &&
	       (s->phase == DISARMING || is_now(s, GP_STEP_COLD, GP_STEP_FILE, GP_STEP_FILE));
}

static void finish(struct state *s)
{
	if (!is_done(s))
		bad = "the steps have another result";
	if (s->phase == ARMING)
		s->cold = is_short;
	else if (s->phase == RESTORING)
		s->cold = 0;
	s->phase = s->phase == ARMING ? ARMED : PROBED;
	s->step = 0;
}

static const struct table *table_of(const struct state *s)
{
	return s->phase == ARMING ? &tables[0] : s->phase == DISARMING ? &tables[1] :
	       s->phase == RESTORING ? &tables[2] : NULL;
}

static void go_to(struct state s, enum phase phase)
{
	s.phase = phase;
	reach(s);
}

/* No thread is at the cold block: the module has looked. */
static bool is_quiet(const struct state *s)
{
	for (int i = 0; i < THREADS; i++)
		if (s->thread[i] >= COLD_GO)
			return false;
	return true;
}

static void next_of_writer(const struct state *from)
{
	const struct table *t = table_of(from);
	struct state s = *from;

	if (t) {
		if (s.step < t->n)
			take_step(&s, &t->v[s.step]);
		else
			finish(&s);
		reach(s);
	} else if (s.phase == UNPROBED) {
		write_first(&s, GP_STEP_BRANCH, GP_STEP_INT3);
		go_to(s, PROBED);
	} else if (s.phase == PROBED) {
		go_to(s, ARMING);
		if (s.cold && is_quiet(&s))
			go_to(s, RESTORING);
		write_first(&s, GP_STEP_BRANCH, GP_STEP_FILE);
		go_to(s, UNPROBED);
	} else {
		go_to(s, DISARMING);
	}
}

/* --- threads --------------------------------------------------------------------------------- */

static void move(const struct state *from, int thread, enum place to)
{
	struct state s = *from;

	s.thread[thread] = (uint8_t)to;
	reach(s);
}

static const char mixed_branch[] =
	"a thread executes the first byte of a branch and a jump's others";
static const char mixed_jump[] =
	"a thread executes the first byte of a jump and a branch's others";
static const char mixed_cold[] =
	"a thread executes the first byte of a cold block and a jump's others";
static const char mixed_back[] =
	"a thread executes the first byte of a jump and a cold block's others";

/* A thread executes what its processor has read of the branch: one of all that it may have. */
static void at_branch(const struct state *s, int i, bool grows)
{
	uint8_t first = s->seen_first[GP_STEP_BRANCH], tail = s->seen_tail[GP_STEP_BRANCH];

	if (first & 1U << GP_STEP_INT3)
		move(s, i, grows ? TRAPPED_GROW : TRAPPED_GO);
	/* A short branch has one byte behind the first, which stays. */
	if (first & 1U << GP_STEP_FILE) {
		if (!is_short && tail & 1U << GP_STEP_JUMP)
			bad = mixed_branch;
		move(s, i, grows ? COLD_GROW : AWAY);
	}
	if (first & 1U << GP_STEP_JUMP) {
		if (!is_short && tail & 1U << GP_STEP_FILE)
			bad = mixed_jump;
		/* A long one leads to the detour, which does what the branch does. */
		move(s, i, !is_short ? AWAY : grows ? COLD_GROW : COLD_GO);
	}
}

static void at_cold(const struct state *s, int i, bool grows)
{
	uint8_t first = s->seen_first[GP_STEP_COLD], tail = s->seen_tail[GP_STEP_COLD];

	if (first & 1U << GP_STEP_INT3)
		move(s, i, grows ? COLD_TRAPPED_GROW : COLD_TRAPPED_GO);
	if (first & 1U << GP_STEP_FILE) {
		if (tail & 1U << GP_STEP_JUMP)
			bad = mixed_cold;
		if (!grows)
			bad = "a call whose stack is large enough executes the cold block";
		move(s, i, AWAY);
	}
	if (first & 1U << GP_STEP_JUMP) {
		if (tail & 1U << GP_STEP_FILE)
			bad = mixed_back;
		move(s, i, AWAY);
	}
}

/* The kernel has a breakpoint at the branch, and emulates; or looks at memory, and goes back. */
static void in_trap(const struct state *s, int i, bool grows)
{
	if (s->phase != UNPROBED)
		move(s, i, grows ? COLD_GROW : AWAY);
	else if (s->first[GP_STEP_BRANCH] == GP_STEP_INT3)
		bad = "a thread is at a breakpoint of nobody's";
	else
		move(s, i, grows ? BRANCH_GROW : BRANCH_GO);
}

/* It waits for the lock, which is held during all steps. The kernel has no breakpoint there. */
static void in_cold_trap(const struct state *s, int i, bool grows)
{
	if (table_of(s))
		return;
	if (s->first[GP_STEP_COLD] == GP_STEP_INT3)
		bad = "a thread is at a breakpoint in a cold block, of nobody's";
	/* The exception serialises: this processor has read nothing of it that is old. */
	if (s->first[GP_STEP_COLD] == GP_STEP_FILE && !grows)
		bad = "a call whose stack is large enough goes on at the cold block";
	move(s, i, AWAY);
}

static void next_of_thread(const struct state *s, int i)
{
	switch (s->thread[i]) {
	case AWAY:
		move(s, i, BRANCH_GO);
		move(s, i, BRANCH_GROW);
		break;
	case BRANCH_GO:
	case BRANCH_GROW:
		at_branch(s, i, s->thread[i] == BRANCH_GROW);
		break;
	case TRAPPED_GO:
	case TRAPPED_GROW:
		in_trap(s, i, s->thread[i] == TRAPPED_GROW);
		break;
	case COLD_GO:
	case COLD_GROW:
		at_cold(s, i, s->thread[i] == COLD_GROW);
		break;
	default:
		in_cold_trap(s, i, s->thread[i] == COLD_TRAPPED_GROW);
	}
}

/* --- all states ------------------------------------------------------------------------------ */

/* Return: what is bad, or NULL. */
static const char *explore(void)
{
	struct state s;

	memset(slots, 0, 2 * STATES_MAX * sizeof(*slots));
	memset(&s, 0, sizeof(s));
	nstates = 0;
	bad = NULL;
	for (int part = 0; part < 2; part++) {
		s.first[part] = GP_STEP_FILE;
		s.tail[part] = GP_STEP_FILE;
	}
	sync_all(&s);
	reach(s);
	for (uint32_t at = 0; at < nstates && !bad; at++) {
		next_of_writer(&states[at]);
		for (int i = 0; i < THREADS; i++) {
			s = states[at];
			next_of_thread(&s, i);
		}
	}
	return bad;
}

/* Both kinds of places. */
static const char *explore_both(uint64_t *n)
{
	const char *why = NULL;

	for (int kind = 0; kind < 2 && !why; kind++) {
		is_short = kind;
		why = explore();
		*n += nstates;
	}
	return why;
}

static void copy(struct table *t, const struct gp_step *v, size_t n)
{
	memcpy(t->v, v, n * sizeof(*v));
	t->n = (unsigned int)n;
}

static const char *const names[] = { "arm", "disarm", "restore" };

static void reset(void)
{
	copy(&tables[0], gp_steps_arm, N(gp_steps_arm));
	copy(&tables[1], gp_steps_disarm, N(gp_steps_disarm));
	copy(&tables[2], gp_steps_restore, N(gp_steps_restore));
}

static bool same(const struct gp_step *a, const struct gp_step *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Two steps between the same syncs that write different parts. */
static bool may_change_places(const struct table *t, unsigned int a, unsigned int b)
{
	for (unsigned int i = a; i <= b; i++)
		if (t->v[i].kind == GP_STEP_SYNC)
			return false;
	return t->v[a].part != t->v[b].part;
}

static unsigned int passed, failed;

static void verdict(bool ok, const char *what)
{
	printf("%s %s\n", ok ? "ok" : "not ok", what);
	*(ok ? &passed : &failed) += 1;
}

static void leave_out(unsigned int k, unsigned int i)
{
	struct table *t = &tables[k];
	uint64_t n = 0;
	const char *why;
	char text[200];

	memmove(&t->v[i], &t->v[i + 1], (t->n - i - 1) * sizeof(t->v[0]));
	t->n--;
	why = explore_both(&n);
	snprintf(text, sizeof(text), "without %s:%u: %s", names[k], i,
		 why ? why : "nothing is found");
	verdict(why, text);
	reset();
}

static void exchange(unsigned int k, unsigned int a, unsigned int b)
{
	struct table *t = &tables[k];
	struct gp_step step = t->v[a];
	uint64_t n = 0;
	const char *why;
	char text[200];

	if (same(&t->v[a], &t->v[b]) || may_change_places(t, a, b))
		return;
	t->v[a] = t->v[b];
	t->v[b] = step;
	why = explore_both(&n);
	snprintf(text, sizeof(text), "with %s:%u and %u exchanged: %s", names[k], a, b,
		 why ? why : "nothing is found");
	verdict(why, text);
	reset();
}

int main(void)
{
	uint64_t n = 0;
	const char *why;
	char text[200];

	states = calloc(STATES_MAX, sizeof(*states));
	slots = calloc(2 * STATES_MAX, sizeof(*slots));
	if (!states || !slots)
		return 2;
	reset();
	why = explore_both(&n);
	snprintf(text, sizeof(text), "no interleaving of %u threads is bad%s%s (%llu states)",
		 THREADS, why ? ": " : "", why ? why : "", (unsigned long long)n);
	verdict(!why, text);
	for (unsigned int k = 0; k < N(tables); k++)
		for (unsigned int a = 0; a < tables[k].n; a++) {
			leave_out(k, a);
			for (unsigned int b = a + 1; b < tables[k].n; b++)
				exchange(k, a, b);
		}
	printf("%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
