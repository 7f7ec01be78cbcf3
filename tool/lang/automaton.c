// SPDX-License-Identifier: GPL-2.0
/*
 * Automatons of regular expressions: the subset construction. A state is a set of nodes that wait
 * for a byte, or for the end of the text.
 */
#include <string.h>

#include <goprobe.h>

#include "lang/automaton_parse.h"

/* Numbers of states are bytes. */
#define STATES_MAX 256

/* The construction under way. */
struct building {
	const struct automaton_nodes *nodes;	/* what is read */
	uint64_t (*states)[AUTOMATON_WORDS];	/* nodes of each state; the first two are final */
	uint32_t nstates;			/* their number */
	uint8_t class_of[256];			/* of each byte */
	uint32_t nclasses;			/* their number */
	uint8_t byte_of[256];			/* of each class one byte */
	bool full;				/* there were too many states */
};

/* Add the node @i, and those that follow without a byte, to @set. */
static void add(const struct building *b, int i, bool begin, bool end, uint64_t *set)
{
	const struct automaton_node *n;

	if (i < 0 || automaton_has(set, i))
		return;
	automaton_put(set, i);
	n = &b->nodes->v[i];
	if (n->kind == AUTOMATON_EMPTY || (n->kind == AUTOMATON_BEGIN && begin) ||
	    (n->kind == AUTOMATON_END && end)) {
		add(b, n->to[0], begin, end, set);
		add(b, n->to[1], begin, end, set);
	}
}

static bool accepts(const struct building *b, const uint64_t *set)
{
	/* It is the last node that was made. */
	return automaton_has(set, b->nodes->n - 1);
}

/* Nodes that do not wait say nothing of what follows. */
static bool keep_waiting(const struct building *b, uint64_t *set)
{
	bool waits = false;

	for (int i = 0; i < b->nodes->n; i++) {
		enum automaton_kind kind = b->nodes->v[i].kind;

		if (kind != AUTOMATON_BYTES && kind != AUTOMATON_END)
			set[i / 64] &= ~(1ULL << i % 64);
		else
			waits |= automaton_has(set, i);
	}
	return waits;
}

static uint8_t state_of(struct building *b, uint64_t *set)
{
	if (accepts(b, set))
		return GOPROBE_MATCH_YES;
	if (!keep_waiting(b, set))
		return GOPROBE_MATCH_NO;
	/* The first state is no other one: only there a text begins. */
	for (uint32_t i = GOPROBE_MATCH_START + 1; i < b->nstates; i++)
		if (!memcmp(b->states[i], set, sizeof(b->states[i])))
			return i;
	if (b->nstates == STATES_MAX) {
		b->full = true;
		return GOPROBE_MATCH_NO;
	}
	memcpy(b->states[b->nstates], set, sizeof(b->states[0]));
	return b->nstates++;
}

/* The state behind @from and @byte. A match can begin at each byte. */
static uint8_t next(struct building *b, uint32_t from, uint8_t byte)
{
	uint64_t set[AUTOMATON_WORDS] = { 0 };

	for (int i = 0; i < b->nodes->n; i++) {
		const struct automaton_node *n = &b->nodes->v[i];

		if (automaton_has(b->states[from], i) && n->kind == AUTOMATON_BYTES &&
		    automaton_has(n->set, byte))
			add(b, n->to[0], false, false, set);
	}
	add(b, b->nodes->first, false, false, set);
	return state_of(b, set);
}

static uint8_t at_end(const struct building *b, uint32_t from)
{
	uint64_t set[AUTOMATON_WORDS] = { 0 };

	for (int i = 0; i < b->nodes->n; i++)
		if (automaton_has(b->states[from], i) && b->nodes->v[i].kind == AUTOMATON_END)
			add(b, i, from == GOPROBE_MATCH_START, true, set);
	/* A match can begin here, too. */
	add(b, b->nodes->first, from == GOPROBE_MATCH_START, true, set);
	return accepts(b, set) ? GOPROBE_MATCH_YES : GOPROBE_MATCH_NO;
}

static bool alike(const struct automaton_nodes *nodes, unsigned int x, unsigned int y)
{
	for (int i = 0; i < nodes->n; i++)
		if (nodes->v[i].kind == AUTOMATON_BYTES &&
		    automaton_has(nodes->v[i].set, x) != automaton_has(nodes->v[i].set, y))
			return false;
	return true;
}

static void classify(struct building *b)
{
	for (unsigned int c = 0; c < 256; c++) {
		uint32_t k = 0;

		while (k < b->nclasses && !alike(b->nodes, b->byte_of[k], c))
			k++;
		if (k == b->nclasses)
			b->byte_of[b->nclasses++] = c;
		b->class_of[c] = k;
	}
}

/* NULL, or why not. */
static const char *build(struct building *b, uint8_t *bytes, struct automaton *ret)
{
	uint64_t first[AUTOMATON_WORDS] = { 0 };
	bool all;

	classify(b);
	ret->columns = b->nclasses + 1;
	ret->bytes = bytes;
	ret->n = 256;
	memcpy(bytes, b->class_of, 256);
	add(b, b->nodes->first, true, false, first);
	all = accepts(b, first);
	keep_waiting(b, first);
	memcpy(b->states[GOPROBE_MATCH_START], first, sizeof(first));
	b->nstates = GOPROBE_MATCH_START + 1;
	for (uint32_t s = GOPROBE_MATCH_START; s < b->nstates; s++) {
		if (ret->n + ret->columns > AUTOMATON_BYTES_MAX)
			return "it needs too many states: shorten it";
		for (uint32_t k = 0; k < b->nclasses; k++)
			bytes[ret->n++] = all ? GOPROBE_MATCH_YES : next(b, s, b->byte_of[k]);
		bytes[ret->n++] = all ? GOPROBE_MATCH_YES : at_end(b, s);
	}
	return b->full ? "it needs too many states: shorten it" : NULL;
}

static int make(struct arena *mem, const struct automaton_nodes *nodes, size_t n,
		struct automaton *ret, struct automaton_error *err)
{
	uint8_t *bytes = arena_alloc(mem, AUTOMATON_BYTES_MAX);
	struct building *b = arena_alloc(mem, sizeof(*b));
	const char *why = "out of memory";

	if (bytes && b) {
		*b = (struct building){ .nodes = nodes };
		b->states = arena_array(mem, STATES_MAX, sizeof(*b->states));
		why = b->states ? build(b, bytes, ret) : why;
	}
	*err = (struct automaton_error){ why, 0, n };
	return why ? -1 : 0;
}

int automaton_of_regex(struct arena *mem, const char *regex, size_t n, struct automaton *ret,
		       struct automaton_error *err)
{
	struct automaton_nodes nodes;

	return automaton_parse(mem, regex, n, false, &nodes, err) ? -1 :
	       make(mem, &nodes, n, ret, err);
}

int automaton_of_text(struct arena *mem, const char *s, size_t n, struct automaton *ret,
		      struct automaton_error *err)
{
	struct automaton_nodes nodes;

	return automaton_parse(mem, s, n, true, &nodes, err) ? -1 : make(mem, &nodes, n, ret, err);
}
