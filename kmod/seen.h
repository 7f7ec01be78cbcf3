/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which objects a walk has copied already: a hash table over the chunks of the
 * record that is being written. One for each CPU; a hit uses it with preemption
 * off. A walk begins with a new generation, so nothing has to be cleared.
 */
#ifndef GP_SEEN_H
#define GP_SEEN_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/string.h>
#include <linux/types.h>
#include <goprobe.h>

/* Twice the chunks with something in them that fit in a record. */
#define GP_SEEN_BITS	11
#define GP_SEEN_SLOTS	BIT(GP_SEEN_BITS)

/*
 * What is not found in so many steps counts as not seen: addresses that the target has
 * made to collide are copied once more, which the budgets bound.
 */
#define GP_SEEN_STEPS	16

/* Chunks begin at multiples of this. */
#define GP_SEEN_UNIT	8

/**
 * struct gp_seen - the objects of one walk
 * @generation: of this walk
 * @slot: generation in the upper half, place of the chunk in the lower one
 */
struct gp_seen {
	u16 generation;
	u32 slot[GP_SEEN_SLOTS];
};

extern struct gp_seen __percpu *gp_seen;

int gp_seen_init(void);
void gp_seen_fini(void);

static inline void gp_seen_begin(struct gp_seen *seen)
{
	if (likely(++seen->generation))
		return;
	memset(seen->slot, 0, sizeof(seen->slot));
	seen->generation = 1;
}

/*
 * The chunk at @to that has at least @size bytes of the object of @type at @address,
 * or all that can be had of it, or NULL; then *@slot is where to note it, or NULL.
 */
static __always_inline struct goprobe_chunk *
gp_seen_find(struct gp_seen *seen, u8 *to, u64 address, u32 type, u32 size, u32 **slot)
{
	u32 at = hash_64(address ^ (u64)type << 32, GP_SEEN_BITS), step;

	for (step = 0; step < GP_SEEN_STEPS; step++) {
		struct goprobe_chunk *chunk;
		u32 found = seen->slot[at];

		*slot = &seen->slot[at];
		if (found >> 16 != seen->generation)
			return NULL;
		chunk = (void *)(to + (found & 0xffff) * GP_SEEN_UNIT);
		if (chunk->address == address && chunk->type == type &&
		    (chunk->size >= size || chunk->status))
			return chunk;
		at = (at + 1) % GP_SEEN_SLOTS;
	}
	*slot = NULL;
	return NULL;
}

/* Note the chunk that begins @offset bytes into the frame. */
static __always_inline void gp_seen_note(const struct gp_seen *seen, u32 *slot,
					 u32 offset)
{
	if (likely(slot))
		*slot = (u32)seen->generation << 16 | offset / GP_SEEN_UNIT;
}

#endif
