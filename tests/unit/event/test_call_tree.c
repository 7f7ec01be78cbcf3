// SPDX-License-Identifier: GPL-2.0
/* Trees of calls: structure, durations, and omitted calls. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/call_tree.h"
#include "rows.h"

/*
 * A step: 'c'all, 'r'eturn, 't'ail jump, 'u'nwound (of the call entered at step
 * @depth), 'g'o (of goroutine @depth), 'b': a program begins, 'e'nd; capitals: on a system
 * stack. A step takes 1 ns, the first one happens at 1.
 */
struct step {
	char kind;
	char fn;
	unsigned int depth, goid, tgid, tid;
};

/*
 * The trees as they come: function, "@goroutine" where it changes ("@goroutine<parent"
 * if a go statement is known), "=duration/self", or how it ended: "!" unwound after,
 * "?" not seen, "~" open; "+N": below it beyond the limit of levels; calls below in
 * parentheses. "-N": left out of the tree.
 */
static struct row {
	const char *claim;
	struct step in[20];
	const char *out;
	struct calltree_limits limits;
} cases[] = {
	{ "a call alone", { { 'c', 'f', 10, 1 }, { 'r', 'f', 10, 1 } }, "f@1=1/1" },
	{ "calls nest; self is what is not spent below",
	  { { 'c', 'f', 10, 1 }, { 'c', 'g', 20, 1 }, { 'r', 'g', 20, 1 }, { 'c', 'h', 20, 1 },
	    { 'c', 'k', 30, 1 }, { 'r', 'k', 30, 1 }, { 'r', 'h', 20, 1 }, { 'r', 'f', 10, 1 } },
	  "f@1=7/3(g=1/1 h=3/2(k=1/1))" },
	{ "a tree comes when its first call has returned, others when theirs have",
	  { { 'c', 'f', 10, 1 }, { 'c', 'f', 10, 2 }, { 'r', 'f', 10, 2 }, { 'r', 'f', 10, 1 } },
	  "f@2=1/1 f@1=3/3" },
	{ "goroutines interleave, and each has its own calls",
	  { { 'c', 'f', 10, 1 }, { 'c', 'f', 10, 2 }, { 'c', 'g', 20, 1 }, { 'c', 'h', 20, 2 },
	    { 'r', 'g', 20, 1 }, { 'r', 'h', 20, 2 }, { 'r', 'f', 10, 1 }, { 'r', 'f', 10, 2 } },
	  "f@1=6/4(g=2/2) f@2=6/4(h=2/2)" },
	{ "recursion is distinguished by depth",
	  { { 'c', 'f', 10, 1 }, { 'c', 'f', 20, 1 }, { 'c', 'f', 30, 1 }, { 'r', 'f', 30, 1 },
	    { 'r', 'f', 20, 1 }, { 'r', 'f', 10, 1 } }, "f@1=5/2(f=3/2(f=1/1))" },
	{ "processes with the same goroutine ids are apart",
	  { { 'c', 'f', 10, 1, 1 }, { 'c', 'g', 20, 1, 2 }, { 'r', 'g', 20, 1, 2 },
	    { 'r', 'f', 10, 1, 1 } }, "g@1=1/1 f@1=3/3" },
	{ "a thread's system stack is apart from the goroutine's",
	  { { 'c', 'f', 90, 1, 1, 5 }, { 'C', 'g', 10, 1, 1, 5 }, { 'R', 'g', 10, 1, 1, 5 },
	    { 'r', 'f', 90, 1, 1, 5 } }, "g@1=1/1 f@1=3/3" },
	{ "a goroutine's first call is below the call that started it; self knows nothing of it",
	  { { 'c', 'f', 10, 1 }, { 'g', 0, 7, 1 }, { 'c', 'w', 10, 7 }, { 'r', 'w', 10, 7 },
	    { 'r', 'f', 10, 1 } }, "f@1=4/4(w@7<1=1/1)" },
	{ "it is the call that was open then, not the one that is open when it begins",
	  { { 'c', 'f', 10, 1 }, { 'g', 0, 7, 1 }, { 'c', 'g', 20, 1 }, { 'c', 'w', 10, 7 },
	    { 'r', 'g', 20, 1 }, { 'r', 'w', 10, 7 }, { 'r', 'f', 10, 1 } },
	  "f@1=6/4(g=2/2 w@7<1=2/2)" },
	{ "a tree waits for the calls of what it started",
	  { { 'c', 'f', 10, 1 }, { 'g', 0, 7, 1 }, { 'c', 'w', 10, 7 }, { 'r', 'f', 10, 1 },
	    { 'r', 'w', 10, 7 } }, "f@1=3/3(w@7<1=2/2)" },
	{ "what its goroutine calls meanwhile is not of it",
	  { { 'c', 'f', 10, 1 }, { 'g', 0, 7, 1 }, { 'c', 'w', 10, 7 }, { 'r', 'f', 10, 1 },
	    { 'c', 'k', 10, 1 }, { 'r', 'k', 10, 1 }, { 'r', 'w', 10, 7 } },
	  "k@1=1/1 f@1=3/3(w@7<1=4/4)" },
	{ "a goroutine that begins after that has its own tree, which names its creator",
	  { { 'c', 'f', 10, 1 }, { 'g', 0, 7, 1 }, { 'r', 'f', 10, 1 }, { 'c', 'w', 10, 7 },
	    { 'r', 'w', 10, 7 } }, "f@1=2/2 w@7<1=1/1" },
	{ "so has one that was started outside of any call",
	  { { 'g', 0, 7, 1 }, { 'c', 'w', 10, 7 }, { 'r', 'w', 10, 7 } }, "w@7<1=1/1" },
	{ "goroutines start goroutines; each call of one is below what started it",
	  { { 'c', 'f', 10, 1 }, { 'g', 0, 7, 1 }, { 'c', 'v', 10, 7 }, { 'g', 0, 8, 7 },
	    { 'c', 'w', 10, 8 }, { 'r', 'w', 10, 8 }, { 'c', 'x', 10, 8 }, { 'r', 'x', 10, 8 },
	    { 'r', 'v', 10, 7 }, { 'r', 'f', 10, 1 } },
	  "f@1=9/9(v@7<1=6/6(w@8<7=1/1 x@8<7=1/1))" },
	{ "a goroutine that is started on a system stack is started by the goroutine",
	  { { 'c', 'f', 90, 1 }, { 'G', 0, 7, 1 }, { 'c', 'w', 10, 7 }, { 'r', 'w', 10, 7 },
	    { 'r', 'f', 90, 1 } }, "f@1=4/4(w@7<1=1/1)" },
	{ "an id that is used again is another goroutine",
	  { { 'g', 0, 7, 1 }, { 'c', 'w', 10, 7 }, { 'g', 0, 7, 2 }, { 'c', 'v', 20, 7 },
	    { 'r', 'v', 20, 7 } }, "w@7<1? v@7<2=1/1" },
	{ "a call that panicked is shown with the calls below",
	  { { 'c', 'f', 10, 1 }, { 'c', 'g', 20, 1 }, { 'c', 'h', 30, 1 }, { 'u', 'h', 3, 1 },
	    { 'u', 'g', 2, 1 }, { 'r', 'f', 10, 1 } }, "f@1=5/2(g!3/2(h!1/1))" },
	{ "a tail jump ends a call; what it jumps to is the next one",
	  { { 'c', 'f', 10, 1 }, { 'c', 'w', 20, 1 }, { 't', 'w', 20, 1 }, { 'c', 'x', 20, 1 },
	    { 'r', 'x', 20, 1 }, { 'r', 'f', 10, 1 } }, "f@1=5/3(w=1/1 x=1/1)" },
	{ "a return that was lost: the end was not seen, and self is not known",
	  { { 'c', 'f', 10, 1 }, { 'c', 'g', 20, 1 }, { 'r', 'f', 10, 1 } }, "f@1=2/?(g?)" },
	{ "a return that was lost, and a call at its place",
	  { { 'c', 'f', 10, 1 }, { 'c', 'g', 20, 1 }, { 'c', 'h', 20, 1 }, { 'r', 'h', 20, 1 },
	    { 'r', 'f', 10, 1 } }, "f@1=4/?(g? h=1/1)" },
	{ "a return of another function at the same depth",
	  { { 'c', 'f', 10, 1 }, { 'r', 'g', 10, 1 } }, "f@1?" },
	{ "a call that was lost: its return is of no call",
	  { { 'c', 'f', 10, 1 }, { 'r', 'g', 20, 1 }, { 'r', 'f', 10, 1 } }, "f@1=2/2" },
	{ "what is open at the end is shown, in the order it began",
	  { { 'c', 'f', 10, 2 }, { 'c', 'f', 10, 1 }, { 'c', 'g', 20, 1 }, { 'r', 'g', 20, 1 },
	    { 'c', 'h', 20, 1 }, { 'e' } }, "f@2~ f@1~(g=1/1 h~)" },
	{ "beyond the limit of levels calls are counted where they are below",
	  { { 'c', 'f', 10, 1 }, { 'c', 'g', 20, 1 }, { 'c', 'h', 30, 1 }, { 'c', 'k', 40, 1 },
	    { 'r', 'k', 40, 1 }, { 'r', 'h', 30, 1 }, { 'r', 'g', 20, 1 }, { 'r', 'f', 10, 1 } },
	  "f@1=7/2(g=5/2+2)", { .levels = 2 } },
	{ "so are those of goroutines that were started there",
	  { { 'c', 'f', 10, 1 }, { 'c', 'g', 20, 1 }, { 'g', 0, 7, 1 }, { 'c', 'w', 10, 7 },
	    { 'r', 'w', 10, 7 }, { 'r', 'g', 20, 1 }, { 'r', 'f', 10, 1 } },
	  "f@1=6/2+2", { .levels = 1 } },
	{ "a full tree leaves out more calls, and counts them; the next one is whole",
	  { { 'c', 'f', 10, 1 }, { 'c', 'g', 20, 1 }, { 'r', 'g', 20, 1 }, { 'c', 'h', 20, 1 },
	    { 'c', 'k', 30, 1 }, { 'r', 'k', 30, 1 }, { 'r', 'h', 20, 1 }, { 'r', 'f', 10, 1 },
	    { 'c', 'h', 10, 1 }, { 'c', 'k', 20, 1 }, { 'r', 'k', 20, 1 }, { 'r', 'h', 10, 1 } },
	  "f@1=7/3(g=1/1)-2 h@1=3/2(k=1/1)", { .calls = 2 } },
	{ "what a call that was left out starts has its own tree",
	  { { 'c', 'f', 10, 1 }, { 'c', 'g', 20, 1 }, { 'g', 0, 7, 1 }, { 'c', 'w', 10, 7 },
	    { 'r', 'w', 10, 7 }, { 'r', 'g', 20, 1 }, { 'r', 'f', 10, 1 } },
	  "w@7<1=1/1 f@1=6/2-1", { .calls = 1 } },
	{ "when all trees together are full, the coldest is printed unfinished, and others begin",
	  { { 'c', 'f', 10, 1 }, { 'c', 'f', 10, 2 }, { 'c', 'g', 20, 2 }, { 'r', 'g', 20, 2 },
	    { 'r', 'f', 10, 2 }, { 'r', 'f', 10, 1 }, { 'c', 'f', 10, 2 }, { 'r', 'f', 10, 2 } },
	  "f@1~ f@2=3/2-1 f@2=1/1", { .all = 1 } },
	{ "processes that were killed do not fill it for good",
	  { { 'c', 'f', 10, 1, 1 }, { 'c', 'g', 20, 1, 1 }, { 'c', 'f', 10, 1, 2 },
	    { 'c', 'g', 20, 1, 2 }, { 'c', 'f', 10, 1, 3 }, { 'c', 'g', 20, 1, 3 },
	    { 'r', 'g', 20, 1, 3 }, { 'r', 'f', 10, 1, 3 }, { 'e' } },
	  "f@1~(g~) f@1=3/2(g=1/1) f@1~(g~)", { .all = 4 } },
	{ "nor the calls that can be open",
	  { { 'c', 'f', 10, 1, 1 }, { 'c', 'g', 20, 1, 1 }, { 'c', 'f', 10, 1, 2 },
	    { 'c', 'g', 20, 1, 2 }, { 'c', 'f', 10, 1, 3 }, { 'c', 'g', 20, 1, 3 },
	    { 'r', 'g', 20, 1, 3 }, { 'r', 'f', 10, 1, 3 }, { 'e' } },
	  "f@1~(g~) f@1=3/2(g=1/1) f@1~(g~)", { .open = 4 } },
	{ "what is in use stays, however long ago it began; also by what it has started",
	  { { 'c', 'f', 10, 1 }, { 'g', 0, 7, 1 }, { 'c', 'k', 10, 2 }, { 'c', 'w', 10, 7 },
	    { 'r', 'w', 10, 7 }, { 'c', 'h', 10, 3 }, { 'r', 'h', 10, 3 }, { 'r', 'f', 10, 1 } },
	  "k@2~ h@3=1/1 f@1=7/7(w@7<1=1/1)", { .all = 3 } },
	{ "nothing is left of a tree that was printed unfinished: its returns belong to no call",
	  { { 'c', 'f', 10, 1 }, { 'c', 'g', 20, 1 }, { 'c', 'h', 10, 2 }, { 'c', 'k', 20, 2 },
	    { 'r', 'g', 20, 1 }, { 'c', 'g', 20, 1 }, { 'r', 'g', 20, 1 }, { 'r', 'f', 10, 1 },
	    { 'e' } },
	  "f@1~(g~) h@2~(k~) g@1=1/1", { .open = 2 } },
	{ "beyond the limit of open calls one is left out, and all others are right",
	  { { 'c', 'f', 10, 1 }, { 'c', 'g', 20, 1 }, { 'c', 'h', 30, 1 }, { 'r', 'h', 30, 1 },
	    { 'r', 'g', 20, 1 }, { 'r', 'f', 10, 1 } },
	  "f@1=5/2(g=3/3)", { .open = 2 } },
	{ "when another program begins in a process, its trees alone are printed unfinished",
	  { { 'c', 'f', 10, 1, 1 }, { 'c', 'g', 20, 1, 1 }, { 'c', 'h', 10, 2, 1 },
	    { 'c', 'f', 10, 1, 4097 }, { 'b', 0, 0, 0, 1 }, { 'c', 'k', 20, 1, 1 },
	    { 'r', 'k', 20, 1, 1 }, { 'r', 'f', 10, 1, 1 }, { 'r', 'f', 10, 1, 4097 } },
	  "h@2~ f@1~(g~) k@1=1/1 f@1=5/5" },
	{ "goroutines that have not been heard of are forgotten when there are too many",
	  { { 'c', 'f', 10, 1 }, { 'g', 0, 7, 1 }, { 'g', 0, 8, 1 }, { 'c', 'w', 10, 7 },
	    { 'r', 'w', 10, 7 }, { 'c', 'v', 10, 8 }, { 'r', 'v', 10, 8 }, { 'r', 'f', 10, 1 } },
	  "w@7=1/1 v@8=1/1 f@1=7/7", { .goroutines = 1 } },
};

static const struct calltree_limits plenty = {
	.levels = 100, .calls = 1000, .all = 10000, .bytes = 1 << 20, .open = 1000,
	.goroutines = 1000, .funcs = 128,
};

static uint64_t or(uint64_t v, uint64_t otherwise)
{
	return v ? v : otherwise;
}

static struct calltree *new_tree(const struct calltree_limits *l)
{
	struct calltree_limits all = plenty;

	all.levels = (uint32_t)or(l->levels, all.levels);
	all.calls = or(l->calls, all.calls);
	all.all = or(l->all, all.all);
	all.bytes = or(l->bytes, all.bytes);
	all.open = or(l->open, all.open);
	all.goroutines = or(l->goroutines, all.goroutines);

	struct calltree *t = calltree_new(&all);

	assert_non_null(t);
	return t;
}

static void say(char *text, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsprintf(text + strlen(text), fmt, ap);
	va_end(ap);
}

static void say_calls(char *text, const struct calltree_call *c)
{
	for (const struct calltree_call *first = c; c; c = c->next) {
		say(text, "%s%c", c == first ? "" : " ", (int)c->fn);
		if (!c->parent || c->started)
			say(text, "@%d", (int)c->who.goid);
		if (c->origin.known)
			say(text, "<%d", (int)c->origin.parent);
		if (c->end == CALLEND_RETURNED || c->end == CALLEND_TAIL ||
		    c->end == CALLEND_UNWOUND)
			say(text, "%c%d/", c->end == CALLEND_UNWOUND ? '!' : '=',
			    (int)c->duration);
		else
			say(text, c->end == CALLEND_OPEN ? "~" : "?");
		if (c->duration && c->vague)
			say(text, "?");
		else if (c->duration)
			say(text, "%d", (int)(c->duration - c->inner));
		if (c->below)
			say(text, "+%d", (int)c->below);
		if (!c->child)
			continue;
		say(text, "(");
		say_calls(text, c->child);
		say(text, ")");
	}
}

static void say_trees(char *text, struct calltree *t)
{
	struct calltree_root *r;

	for (r = calltree_next(t); r; r = calltree_next(t)) {
		say(text, text[0] ? " " : "");
		say_calls(text, r->call);
		if (r->left)
			say(text, "-%d", (int)r->left);
		calltree_drop(r);
	}
}

static void run(struct calltree *t, const struct step *s, uint64_t time)
{
	const struct calltree_who who = {
		.tgid = s->tgid, .tid = s->tid, .goid = s->goid,
		.system = s->kind == 'C' || s->kind == 'R' || s->kind == 'G',
	};
	bool known;

	switch (s->kind) {
	case 'c':
	case 'C':
		calltree_enter(t, &who, s->fn, s->depth, time, NULL);
		break;
	case 'r':
	case 'R':
	case 't':
		calltree_leave(t, &who, s->fn, s->depth, &(struct calltree_leaving){
			.time = time, .end = s->kind == 't' ? CALLEND_TAIL : CALLEND_RETURNED,
		}, &known);
		break;
	case 'u':
		calltree_unwind(t, &who, s->fn, s->depth, time, CALLEND_UNWOUND);
		break;
	case 'g':
	case 'G':
		calltree_start(t, &who, s->depth, &(struct calltree_origin){
			.known = true, .parent = s->goid,
		});
		break;
	case 'b':
		calltree_begin(t, s->tgid);
		break;
	case 'e':
		calltree_finish(t);
		break;
	}
}

ROWS(test_row, cases)
{
	const struct row *row = *state;
	struct calltree *t = new_tree(&row->limits);
	char text[512] = "";

	for (size_t k = 0; k < N(row->in) && row->in[k].kind; k++) {
		run(t, &row->in[k], k + 1);
		say_trees(text, t);
	}
	assert_string_equal(text, row->out);
	calltree_free(t);
}

static const struct calltree_who one = { .tgid = 1, .tid = 1, .goid = 1 };
static const struct calltree_leaving returned = { .time = 3, .end = CALLEND_RETURNED };

TEST(test_left_by_name, "what is left out is counted by function")
{
	struct calltree *t = new_tree(&(struct calltree_limits){ .calls = 1 });
	bool known;

	assert_non_null(calltree_enter(t, &one, 'f', 10, 1, NULL));
	for (int i = 0; i < 3; i++) {
		assert_null(calltree_enter(t, &one, 'g', 20, 2, NULL));
		assert_null(calltree_leave(t, &one, 'g', 20, &returned, &known));
		assert_true(known);
	}
	assert_null(calltree_enter(t, &one, 200, 20, 4, NULL));
	assert_int_equal(calltree_left(t, 'f'), 0);
	assert_int_equal(calltree_left(t, 'g'), 3);
	assert_int_equal(calltree_left(t, 200), 0);
	calltree_free(t);
}

/* Texts are kept with calls, count, and go with their tree. */
TEST(test_texts, "texts are kept as long as their tree, and count")
{
	struct calltree *t = new_tree(&(struct calltree_limits){ .bytes = 10 });
	struct calltree_call *c = calltree_enter(t, &one, 'f', 10, 1, NULL);
	struct calltree_root *r;
	bool known;

	calltree_text(t, c, 0, "(x=1, y=22)", 11);
	assert_string_equal(c->text[0], "(x=1, y=22)");
	assert_null(calltree_enter(t, &one, 'g', 20, 2, NULL));
	c = calltree_leave(t, &one, 'f', 10, &returned, &known);
	assert_non_null(c);
	calltree_text(t, c, 1, "()", 2);
	r = calltree_next(t);
	assert_ptr_equal(r->call, c);
	assert_string_equal(c->text[1], "()");
	assert_int_equal(r->left, 1);
	calltree_drop(r);
	assert_null(calltree_next(t));
	assert_non_null(calltree_enter(t, &one, 'f', 10, 4, NULL));
	calltree_free(t);
}

/* What the caller knows of a goroutine counts if its beginning was not seen. */
TEST(test_origin, "the origin of a goroutine: what was observed comes first")
{
	const struct calltree_origin seen = { true, 1, 5, 6 }, created = { true, 2, 7, 8 };
	struct calltree_who other = one;
	struct calltree *t = new_tree(&plenty);
	struct calltree_call *c;

	other.goid = 7;
	calltree_start(t, &one, 7, &seen);
	c = calltree_enter(t, &other, 'f', 10, 1, &created);
	assert_memory_equal(&c->origin, &seen, sizeof(seen));
	c = calltree_enter(t, &one, 'f', 10, 1, &created);
	assert_memory_equal(&c->origin, &created, sizeof(created));
	calltree_free(t);
}

/* Anything may come in any order: nothing is kept for ever, nothing is counted twice. */
TEST(test_anything, "anything in any order")
{
	static const char kinds[] = "ccccrrrtuggCR";
	struct calltree *t = new_tree(&(struct calltree_limits){
		.levels = 4, .calls = 20, .all = 60, .open = 50, .goroutines = 5 });
	uint64_t calls = 0, kept = 0, left = 0;

	srand(2);
	for (uint64_t time = 1; time < 200000; time++) {
		struct step s = {
			.kind = time % 997 ? kinds[rand() % (sizeof(kinds) - 1)] : 'b',
			.fn = 'a' + rand() % 3,
			.goid = 1 + rand() % 12, .depth = 1 + rand() % 12, .tid = rand() % 2,
		};
		struct calltree_root *r;

		calls += s.kind == 'c' || s.kind == 'C';
		run(t, &s, time);
		for (r = calltree_next(t); r; r = calltree_next(t)) {
			assert_true(r->calls && r->calls <= 20);
			kept += r->calls;
			calltree_drop(r);
		}
	}
	calltree_finish(t);
	for (struct calltree_root *r = calltree_next(t); r; r = calltree_next(t)) {
		kept += r->calls;
		calltree_drop(r);
	}
	assert_true(calltree_cut(t));
	for (uint32_t fn = 'a'; fn <= 'c'; fn++)
		left += calltree_left(t, fn);
	assert_true(kept && left && kept + left <= calls);
	calltree_free(t);
}
