/* SPDX-License-Identifier: GPL-2.0 */
/* Chance, the same in each run, and memory of all kinds for the world of captures. */
#ifndef RANDOM_WORLD_H
#define RANDOM_WORLD_H

#include "capture_world.h"

static u64 random_state;

/* Deterministic: the same sequence in each run. Below @n. */
static inline u32 rnd(u32 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % n;
}

static inline u64 random_word(void)
{
	switch (rnd(6)) {
	case 0:
		return rnd(40);				/* a small length */
	case 1:
		return rnd(3) ? rnd(20000) : (u64)rnd(U32_MAX) << rnd(33);
	case 2:
		return 0;
	default:
		return A - 64 + rnd(A_SIZE + 128);	/* a pointer */
	}
}

static inline void random_memory(void)
{
	u32 i, from = 0;

	for (i = 0; i < A_SIZE; i += 8)
		poke(A + i, random_word());
	for (i = 0; i < sizeof(w->regs); i += 8)
		*(u64 *)((u8 *)&w->regs + i) = random_word();
	w->sp = A + (rnd(A_SIZE) & ~7U);
	nregions = 1 + rnd(REGIONS);
	for (i = 0; i < nregions; i++) {
		static const u16 states[] = { HERE, HERE, HERE, ABSENT, FAULT, REMOTE };
		u32 size = i == nregions - 1 ? A_SIZE - from : rnd(A_SIZE - from);

		regions[i] = (struct region){ A + from, size, states[rnd(6)], arena + from };
		from += size;
	}
}

#endif
