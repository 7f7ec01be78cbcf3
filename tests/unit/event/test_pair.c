// SPDX-License-Identifier: GPL-2.0
/* Pairing of returns with calls, and calls that ended otherwise. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/pair.h"
#include "rows.h"

/*
 * A step: kind ('c'all, 'r'eturn, 't'ail jump, 'l'osses known after a pass),
 * function, depth, goroutine, process, thread; 's'ystem stack: upper case.
 * Times count from 1. 'b': a program begins in the process. 'p'anic with the text @fn,
 * 'v' recovered by a frame of @depth, 'x': nobody has, 'g'oexit.
 */
struct step {
	char kind;
	char fn;
	unsigned int depth, goid, tgid, tid;
	int when;	/* how much later than its report */
};

/*
 * Events: "f=3" f returned after 3, "!f" unwound, "!f:a" by the panic a, "!f:-" by one
 * that was not seen, "!f:Goexit", "?f" doubtful, "f=?" call not seen, "-f" dropped with
 * its process.
 */
static struct row {
	const char *claim;
	struct step in[12];
	const char *out;
	unsigned int open;
} cases[] = {
	{ "a return ends its call", { { 'c', 'f', 10 }, { 'r', 'f', 10 } }, "f=1", 0 },
	{ "calls nest", { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'r', 'g', 20 }, { 'r', 'f', 10 } },
	  "g=1 f=3", 0 },
	{ "recursion is distinguished by depth",
	  { { 'c', 'f', 10 }, { 'c', 'f', 20 }, { 'c', 'f', 30 }, { 'r', 'f', 30 },
	    { 'r', 'f', 20 }, { 'r', 'f', 10 } }, "f=1 f=3 f=5", 0 },
	{ "goroutines are apart",
	  { { 'c', 'f', 10, 1 }, { 'c', 'f', 10, 2 }, { 'r', 'f', 10, 1 }, { 'r', 'f', 10, 2 } },
	  "f=2 f=2", 0 },
	{ "processes are apart",
	  { { 'c', 'f', 10, 1, 1 }, { 'c', 'f', 10, 1, 2 }, { 'r', 'f', 10, 1, 1 } }, "f=2", 1 },
	{ "threads do not matter",
	  { { 'c', 'f', 10, 1, 1, 7 }, { 'r', 'f', 10, 1, 1, 8 } }, "f=1", 0 },
	{ "a return without a call is not paired", { { 'r', 'f', 10 } }, "f=?", 0 },
	{ "a return at another depth is not paired",
	  { { 'c', 'f', 20 }, { 'r', 'f', 30 } }, "f=?", 1 },
	{ "a recovered panic: what is deeper than the return was left",
	  { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'c', 'h', 30 }, { 'r', 'f', 10 } },
	  "!h !g f=3", 0 },
	{ "a call at a depth that was left",
	  { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'c', 'h', 30 }, { 'c', 'k', 20 },
	    { 'r', 'k', 20 }, { 'r', 'f', 10 } }, "!h !g k=1 f=5", 0 },
	{ "a call at the same depth: the one before it was left",
	  { { 'c', 'f', 10 }, { 'c', 'f', 10 }, { 'r', 'f', 10 } }, "!f f=1", 0 },
	{ "a deferred call during a panic is deeper than what panicked",
	  { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'c', 'd', 90 }, { 'r', 'd', 90 },
	    { 'r', 'f', 10 } }, "d=1 !g f=4", 0 },
	{ "a tail jump ends the call, and what it jumps to is another one",
	  { { 'c', 'w', 10 }, { 't', 'w', 10 }, { 'c', 'f', 10 }, { 'r', 'f', 10 } },
	  "w=1 f=1", 0 },
	{ "a return of another function at the same depth is not paired",
	  { { 'c', 'w', 10 }, { 'r', 'f', 10 } }, "!w f=?", 0 },
	{ "what never returns stays open", { { 'c', 'f', 10 }, { 'c', 'g', 20 } }, "", 2 },
	{ "after losses, what seems unwound is doubtful",
	  { { 'l' }, { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'l', 0, 5 }, { 'r', 'f', 10 } },
	  "?g f=2", 0 },
	{ "losses of the pass that the call came in count",
	  { { 'l', 0, 5 }, { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'r', 'f', 10 } }, "?g f=2", 0 },
	{ "losses of before do not count",
	  { { 'l', 0, 5 }, { 'l', 0, 5 }, { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'r', 'f', 10 } },
	  "!g f=2", 0 },
	{ "a system stack is the thread's: it does not end a goroutine's calls",
	  { { 'c', 'f', 90, 1 }, { 'C', 'g', 10, 1 }, { 'R', 'g', 10, 1 }, { 'r', 'f', 90, 1 } },
	  "g=1 f=3", 0 },
	{ "a panic ends the calls down to the frame that recovers, at once",
	  { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'c', 'h', 30 }, { 'p', 'a', 40 },
	    { 'v', 0, 15 }, { 'r', 'f', 10 } }, "!h:a !g:a f=5", 0 },
	{ "and those that a later record proves to be over",
	  { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'p', 'a', 40 }, { 'r', 'f', 10 } },
	  "!g:a f=3", 0 },
	{ "deferred calls return meanwhile, and end nothing",
	  { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'p', 'a', 40 }, { 'c', 'd', 60 },
	    { 'r', 'd', 60 }, { 'v', 0, 15 }, { 'r', 'f', 10 } }, "d=1 !g:a f=6", 0 },
	{ "a panic that is raised and recovered during another ends its own calls only",
	  { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'p', 'a', 40 }, { 'c', 'd', 60 },
	    { 'c', 'h', 70 }, { 'p', 'b', 80 }, { 'v', 0, 65 }, { 'r', 'd', 60 }, { 'v', 0, 15 },
	    { 'r', 'f', 10 } }, "!h:b d=4 !g:a f=9", 0 },
	{ "also if what recovered it is not seen",
	  { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'p', 'a', 40 }, { 'c', 'h', 70 },
	    { 'p', 'b', 80 }, { 'v', 0, 65 }, { 'v', 0, 15 }, { 'r', 'f', 10 } },
	  "!h:b !g:a f=7", 0 },
	{ "a panic that takes the place of another ends the calls of both",
	  { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'p', 'a', 40 }, { 'c', 'h', 70 },
	    { 'p', 'b', 80 }, { 'v', 0, 15 }, { 'r', 'f', 10 } }, "!h:b !g:b f=6", 0 },
	{ "a panic that is over ends nothing that comes later",
	  { { 'c', 'f', 10 }, { 'p', 'a', 40 }, { 'v', 0, 15 }, { 'c', 'g', 20 },
	    { 'c', 'h', 30 }, { 'r', 'g', 20 }, { 'r', 'f', 10 } }, "!h g=2 f=6", 0 },
	{ "nor does one whose recovery was lost, once a record shows that",
	  { { 'c', 'f', 10 }, { 'p', 'a', 40 }, { 'c', 'g', 20 }, { 'c', 'h', 30 },
	    { 'r', 'g', 20 }, { 'r', 'f', 10 } }, "!h g=2 f=5", 0 },
	{ "a recovery proves a panic that was not seen",
	  { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'v', 0, 15 }, { 'r', 'f', 10 } },
	  "!g:- f=3", 0 },
	{ "nobody recovers: all calls of the goroutine, and of no other",
	  { { 'c', 'f', 10, 1 }, { 'c', 'f', 10, 2 }, { 'c', 'g', 20, 1 }, { 'p', 'a', 40, 1 },
	    { 'x', 0, 0, 1 } }, "!g:a !f:a", 1 },
	{ "Goexit ends all calls at once; deferred ones are new",
	  { { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'g' }, { 'c', 'd', 40 }, { 'r', 'd', 40 } },
	  "!g:Goexit !f:Goexit d=1", 0 },
	{ "so it does during a panic",
	  { { 'c', 'f', 10 }, { 'p', 'a', 40 }, { 'c', 'd', 60 }, { 'g' } },
	  "!d:Goexit !f:Goexit", 0 },
	{ "a panic during Goexit ends what was called since",
	  { { 'c', 'f', 10 }, { 'g' }, { 'c', 'd', 40 }, { 'p', 'a', 60 }, { 'v', 0, 5 } },
	  "!f:Goexit !d:a", 0 },
	{ "a panic outside of any call is nobody's",
	  { { 'p', 'a', 40 }, { 'c', 'f', 10 }, { 'c', 'g', 20 }, { 'r', 'f', 10 } },
	  "!g f=2", 0 },
	{ "of a process that executes another program nothing is left open",
	  { { 'c', 'f', 10, 1, 1 }, { 'c', 'g', 20, 1, 1 }, { 'c', 'h', 10, 2, 1 },
	    { 'b', 0, 0, 1, 1 }, { 'c', 'f', 10, 1, 1 }, { 'r', 'g', 20, 1, 1 },
	    { 'r', 'f', 10, 1, 1 }, { 'r', 'h', 10, 2, 1 } },
	  "-h -g -f g=? f=2 h=?", 0 },
	{ "so is it with a process id that is used again, and its threads; no others",
	  { { 'C', 'f', 10, 1, 1, 7 }, { 'c', 'f', 10, 1, 4097 }, { 'c', 'f', 10, 1, 2 },
	    { 'b', 0, 0, 1, 1 }, { 'R', 'f', 10, 1, 1, 7 }, { 'r', 'f', 10, 1, 4097 },
	    { 'r', 'f', 10, 1, 2 } },
	  "-f f=? f=4 f=4", 0 },
	{ "a panic of the previous program does not belong to the new one",
	  { { 'c', 'f', 10 }, { 'p', 'a', 40 }, { 'b' }, { 'c', 'f', 10 }, { 'c', 'g', 20 },
	    { 'r', 'f', 10 } }, "-f !g f=2", 0 },
	{ "system stacks of two threads are apart",
	  { { 'C', 'f', 10, 1, 1, 7 }, { 'C', 'f', 10, 1, 1, 8 }, { 'R', 'f', 10, 1, 1, 7 } },
	  "f=2", 1 },
};

/* Calls that are reported after a panic has ended them. */
static struct row late[] = {
	{ "a panic whose call is reported later", { { 'p', 'a', 40 }, { 'c', 'f', 10, .when = -2 },
	  { 'c', 'g', 20, .when = -3 }, { 'v', 0, 5 } }, "!g:a !f:a", 0 },
	{ "of two panics the younger one", { { 'p', 'a', 40 }, { 'p', 'b', 60 },
	  { 'c', 'f', 10, .when = -3 }, { 'c', 'g', 50, .when = -3 }, { 'v', 0, 5 } },
	  "!g:b !f:b", 0 },
	{ "a panic that was recovered below, and one whose call is reported later",
	  { { 'p', 'a', 40 }, { 'p', 'b', 60 }, { 'c', 'g', 50, .when = -3 }, { 'v', 0, 45 },
	    { 'c', 'f', 10, .when = -5 }, { 'v', 0, 5 } }, "!g:b !f:a", 0 },
	{ "a panic without a report leaves nothing",
	  { { 'p', 'a', 40 }, { 'v', 0, 5 }, { 'c', 'f', 10 }, { 'r', 'f', 10 } }, "f=1", 0 },
	{ "a call that is made after it was recovered is not its", { { 'p', 'a', 40 },
	  { 'v', 0, 5 }, { 'c', 'f', 10 }, { 'v', 0, 5 } }, "!f:-", 0 },
};

static struct goprobe_record record_of(const struct step *s, uint64_t time)
{
	struct goprobe_record h = {
		.kind = s->kind == 'c' || s->kind == 'C' ? GOPROBE_RECORD_CALL :
			s->kind == 't' ? GOPROBE_RECORD_TAIL : GOPROBE_RECORD_RETURN,
		.flags = s->kind < 'a' ? GOPROBE_RECORD_F_SYSTEM : 0,
		.id = s->fn,
		.tgid = s->tgid,
		.tid = s->tid,
		.time = time,
		.goid = s->goid,
		.depth = s->depth,
	};

	return h;
}

static void say(char *text, const char *fmt, ...)
{
	va_list ap;

	if (text[0])
		strcat(text, " ");
	va_start(ap, fmt);
	vsprintf(text + strlen(text), fmt, ap);
	va_end(ap);
}

static void say_dropped(void *ctx, const struct pair_call *c)
{
	say(ctx, "-%c", (int)c->id);
}

static void say_ended(char *text, const struct pair_call *c)
{
	say(text, "%c%c", c->doubtful ? '?' : '!', (int)c->id);
	if (c->end == CALLEND_GOEXIT)
		sprintf(text + strlen(text), ":Goexit");
	else if (c->end == CALLEND_PANIC)
		sprintf(text + strlen(text), ":%s", c->panic ? c->panic : "-");
}

/* Apply an event of the runtime; false: it is a call, or the end of one. */
static bool run_runtime(struct pair *p, const struct step *s, uint64_t time, char *text)
{
	struct goprobe_record h = record_of(s, time);
	char name[] = { s->fn, 0 };
	struct pair_call c;

	h.kind = GOPROBE_RECORD_CALL;
	switch (s->kind) {
	case 'b':
		pair_begin(p, s->tgid, say_dropped, text);
		return true;
	case 'p':
		while (pair_unwind(p, &h, &c))
			say_ended(text, &c);
		pair_panic(p, &h, strdup(name));
		return true;
	case 'v':
	case 'x':
		while (pair_abandon(p, &h, s->depth, CALLEND_PANIC, &c))
			say_ended(text, &c);
		return true;
	case 'g':
		while (pair_abandon(p, &h, 0, CALLEND_GOEXIT, &c))
			say_ended(text, &c);
		return true;
	}
	return false;
}

static void run(struct pair *p, const struct step *s, uint64_t time, char *text)
{
	struct goprobe_record h = record_of(s, time);
	struct pair_call c;
	char note[24];

	snprintf(note, sizeof(note), "%lu", (unsigned long)time);
	if (run_runtime(p, s, time, text))
		return;
	while (pair_unwind(p, &h, &c))
		say_ended(text, &c);
	if (h.kind == GOPROBE_RECORD_CALL) {
		assert_true(pair_enter(p, &h));
		pair_note(p, time);
		pair_text(p, strdup(note));
	} else if (pair_leave(p, &h, &c)) {
		assert_int_equal(c.dict, c.time);
		snprintf(note, sizeof(note), "%lu", (unsigned long)c.time);
		assert_string_equal(c.text, note);
		say(text, "%c=%lu", s->fn, (unsigned long)(time - c.time));
	} else {
		say(text, "%c=?", s->fn);
	}
}

static void check_row(const struct row *row, bool held)
{
	struct pair *p = pair_new(1000);
	char text[256] = "";
	uint64_t time = 1;

	if (held)
		pair_expect_held(p);
	for (size_t k = 0; k < N(row->in) && row->in[k].kind; k++) {
		if (row->in[k].kind == 'l')
			pair_losses(p, row->in[k].depth);
		else
			run(p, &row->in[k], time++ + row->in[k].when, text);
	}
	assert_string_equal(text, row->out);
	assert_int_equal(pair_open(p), row->open);
	pair_free(p);
}

/* Calls that are reported later do not affect the others. */
ROWS(test_row, cases)
{
	check_row(*state, false);
	check_row(*state, true);
}

ROWS(test_late, late)
{
	check_row(*state, true);
}

/* Panics of goroutines without calls take space as well, and are forgotten at the limit. */
TEST(test_many_panics, "panics of goroutines without calls")
{
	struct pair *p = pair_new(10);
	struct pair_call c;

	pair_expect_held(p);
	for (unsigned int i = 1; i <= 1000; i++) {
		struct step s = { 'c', 'f', 10, i, 4, 5 };
		struct goprobe_record h = record_of(&s, i);

		assert_false(pair_unwind(p, &h, &c));
		assert_true(pair_enter(p, &h));
		h.depth = 20;
		pair_panic(p, &h, strdup("a"));
		assert_in_range(pair_open(p), 1, 10);
	}
	assert_true(pair_evicted(p) > 900);
	pair_free(p);
}

/*
 * A goroutine that panics within panics, as deep as its stack is, takes limited space;
 * what is at work is the youngest.
 */
TEST(test_panics_within_panics, "panics within panics")
{
	struct pair *p = pair_new(1000);
	struct goprobe_record h = record_of(&(struct step){ 'c', 'f', 10, 1, 4, 5 }, 1);
	struct pair_call c;
	char text[20];

	assert_true(pair_enter(p, &h));
	for (unsigned int i = 2; i <= 100000; i++) {
		h.depth = 10 * i;
		h.time = i;
		snprintf(text, sizeof(text), "%u", i);
		pair_panic(p, &h, strdup(text));
	}
	assert_in_range(pair_thrown(p), 1, 100);
	/* A call that its deferred functions have made, and one more panic in that. */
	h.depth += 10;
	h.time++;
	assert_true(pair_enter(p, &h));
	h.depth += 10;
	h.time++;
	pair_panic(p, &h, strdup("last"));
	assert_in_range(pair_thrown(p), 1, 100);
	h.depth = 5;
	h.kind = GOPROBE_RECORD_RETURN;
	for (unsigned int i = 0; i < 2; i++) {
		assert_true(pair_unwind(p, &h, &c));
		assert_int_equal(c.end, CALLEND_PANIC);
		assert_string_equal(c.panic, "last");
	}
	assert_false(pair_unwind(p, &h, &c));
	assert_int_equal(pair_thrown(p), 0);
	pair_free(p);
}

TEST(test_details, "a call comes back as it was entered")
{
	struct step call = { 'c', 'f', 10, 3, 4, 5 }, back = { 'r', 'f', 10, 3, 4, 6 };
	struct goprobe_record h = record_of(&call, 77);
	struct pair *p = pair_new(10);
	struct pair_call c;

	pair_enter(p, &h);
	h = record_of(&back, 99);
	assert_true(pair_leave(p, &h, &c));
	assert_int_equal(c.tgid, 4);
	assert_int_equal(c.tid, 5);
	assert_int_equal(c.goid, 3);
	assert_int_equal(c.depth, 10);
	assert_int_equal(c.time, 77);
	pair_free(p);
}

/* Beyond the limit, the goroutine that was idle for longest is forgotten, and counted. */
TEST(test_limit, "beyond the limit the idlest goroutine is forgotten, and counted")
{
	struct pair *p = pair_new(10);
	struct goprobe_record h;
	struct pair_call c;

	for (unsigned int g = 1; g <= 5; g++) {
		for (unsigned int depth = 10; depth <= 20; depth += 10) {
			h = record_of(&(struct step){ 'c', 'f', depth, g }, g);
			pair_enter(p, &h);
		}
	}
	assert_int_equal(pair_evicted(p), 0);
	/* Goroutine 1 is heard of again, so goroutine 2 goes. */
	h = record_of(&(struct step){ 'c', 'f', 30, 1 }, 9);
	pair_enter(p, &h);
	assert_int_equal(pair_open(p), 9);
	assert_int_equal(pair_evicted(p), 2);
	h = record_of(&(struct step){ 'r', 'f', 20, 2 }, 10);
	assert_false(pair_unwind(p, &h, &c));
	assert_false(pair_leave(p, &h, &c));
	h = record_of(&(struct step){ 'r', 'f', 30, 1 }, 10);
	assert_true(pair_leave(p, &h, &c));
	pair_free(p);

	/* A single goroutine that is deeper than the limit. */
	p = pair_new(10);
	for (unsigned int depth = 1; depth <= 100; depth++) {
		h = record_of(&(struct step){ 'c', 'f', depth, 1 }, depth);
		assert_true(pair_enter(p, &h));
		assert_true(pair_open(p) <= 10);
	}
	assert_int_equal(pair_open(p) + pair_evicted(p), 100);
	pair_free(p);
}

/* Against a plain array of stacks, with many goroutines coming and going. */
TEST(test_many, "many goroutines, against a plain model")
{
	enum { GOROUTINES = 700, DEPTH = 40, STEPS = 300000 };
	static unsigned int height[GOROUTINES];
	static uint64_t entered[GOROUTINES][DEPTH];
	struct pair *p = pair_new(1 << 20);
	size_t open = 0;

	srand(1);
	for (uint64_t t = 1; t <= STEPS; t++) {
		unsigned int g = rand() % GOROUTINES;
		struct step s = { 0, 'f', 0, g };
		struct goprobe_record h;
		struct pair_call c;
		bool call = !height[g] || (height[g] < DEPTH && rand() % 2);

		s.kind = call ? 'c' : 'r';
		s.depth = 100 * (call ? height[g] + 1 : height[g]);
		h = record_of(&s, t);
		assert_false(pair_unwind(p, &h, &c));
		if (call) {
			entered[g][height[g]++] = t;
			assert_true(pair_enter(p, &h));
			open++;
		} else {
			assert_true(pair_leave(p, &h, &c));
			assert_int_equal(c.time, entered[g][--height[g]]);
			open--;
		}
		assert_int_equal(pair_open(p), open);
	}
	pair_free(p);
}
