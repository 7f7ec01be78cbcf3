// SPDX-License-Identifier: GPL-2.0
/* All states that can be reached. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define STATES_MAX (1U << 23)
#define SLOTS (2 * STATES_MAX)

static struct state *states;
/* Where each was reached from. */
static uint32_t *from;
/* Indices plus one. */
static uint32_t *slots;
static uint32_t nstates, at;

const char *bad;

void states_init(void)
{
	states = calloc(STATES_MAX, sizeof(*states));
	from = calloc(STATES_MAX, sizeof(*from));
	slots = calloc(SLOTS, sizeof(*slots));
	if (!states || !from || !slots) {
		fprintf(stderr, "model: no memory\n");
		exit(2);
	}
}

static uint32_t slot_of(const struct state *s)
{
	uint64_t word[4], h = 0;

	_Static_assert(sizeof(*s) == sizeof(word), "all of it is hashed");
	memcpy(word, s, sizeof(word));
	for (int i = 0; i < 4; i++) {
		h = (h ^ word[i]) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	return (uint32_t)h % SLOTS;
}

/* Threads are alike: they are kept in order. */
static void sort_threads(struct state *s)
{
	for (int i = 1; i < THREADS; i++)
		for (int k = i; k && s->thread[k] < s->thread[k - 1]; k--) {
			uint8_t t = s->thread[k];

			s->thread[k] = s->thread[k - 1];
			s->thread[k - 1] = t;
		}
}

void states_reach(const struct state *state)
{
	struct state s = *state;
	uint32_t slot;

	sort_threads(&s);
	for (slot = slot_of(&s); slots[slot]; slot = (slot + 1) % SLOTS)
		if (!memcmp(&states[slots[slot] - 1], &s, sizeof(s)))
			return;
	if (nstates == STATES_MAX) {
		fprintf(stderr, "model: more than %u states\n", STATES_MAX);
		exit(2);
	}
	states[nstates] = s;
	from[nstates] = at;
	slots[slot] = ++nstates;
}

/* The table is large, but most orders that are bad are found soon. */
static void forget_all(void)
{
	if (nstates > STATES_MAX / 64)
		memset(slots, 0, SLOTS * sizeof(*slots));
	else
		for (uint32_t i = 0; i < nstates; i++)
			for (uint32_t slot = slot_of(&states[i]); slots[slot];
			     slot = (slot + 1) % SLOTS)
				slots[slot] = 0;
}

const char *states_explore(const struct state *first)
{
	forget_all();
	nstates = 0;
	at = 0;
	bad = NULL;
	states_reach(first);
	for (at = 0; at < nstates && !bad; at++) {
		const struct state s = states[at];

		writer_next(&s);
		others_next(&s);
		for (int i = 0; i < THREADS; i++)
			threads_next(&s, i);
		if (bad)
			break;
	}
	return bad;
}

uint32_t states_number(void)
{
	return nstates;
}

static void print_bytes(const struct state *s)
{
	static const char code[] = "IJFK";

	for (int i = 0; i < BYTES; i++) {
		printf("%s%c", i == COLD ? " " : "", code[s->now[i]]);
		if (s->seen[i] != 1U << s->now[i])
			printf("(%x)", s->seen[i]);
	}
}

static void print_state(const struct state *s)
{
	printf("# phase %u:%u flags %02x cold %u goal %u debugger %u:%u  ", s->phase, s->step,
	       s->flags, s->cold, s->goal, s->debugger, s->saved);
	print_bytes(s);
	printf("  threads %02x %02x %02x\n", s->thread[0], s->thread[1], s->thread[2]);
}

void states_print_bad(void)
{
	uint32_t path[256], n = 0;

	for (uint32_t i = at; n < 256; i = from[i]) {
		path[n++] = i;
		if (!i)
			break;
	}
	while (n--)
		print_state(&states[path[n]]);
	printf("# %s\n", bad);
}
