/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Set of the objects that a walk has copied, and the queue of those whose references it has yet to
 * follow. The set is a hash table over the chunks of the current record. There is one for each
 * CPU; a hit uses it with preemption off. Each walk has a new mark, so nothing has to be cleared.
 */
#ifndef GP_VISITED_H
#define GP_VISITED_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/types.h>
#include <goprobe.h>

#include "capture/plan.h"

/* Twice the number of chunks with content that fit in a record. */
#define GP_VISITED_BITS	11
#define GP_VISITED_SLOTS	BIT(GP_VISITED_BITS)

/*
 * The longest probe sequence. An object that is not found in it counts as not visited: addresses
 * that the target makes collide are copied again, which the budgets bound.
 */
#define GP_VISITED_STEPS	16

/* Chunks begin at multiples of this. */
#define GP_VISITED_UNIT	8

/* A chunk of objects whose references the walk will follow. */
struct gp_todo {
	struct goprobe_chunk *chunk;
	const struct gp_type *type;
};

/* Only chunks of at least 8 bytes have references. */
#define GP_TODO_MAX	(GP_RECORD_MAX / (sizeof(struct goprobe_chunk) + 8))

/**
 * struct gp_visited - the objects of one walk
 * @mark: of this walk, in the upper half
 * @spare: used in place of a slot, for objects that are not found again
 * @slot: a walk's mark, and the place of the chunk in the lower half
 * @todo: chunks whose references will be followed, in order
 */
struct gp_visited {
	u32 mark;
	u32 spare;
	u32 slot[GP_VISITED_SLOTS];
	struct gp_todo todo[GP_TODO_MAX];
};

extern struct gp_visited __percpu *gp_visited;

int gp_visited_init(void);
void gp_visited_fini(void);

static inline void gp_visited_begin(struct gp_visited *visited)
{
	visited->mark += U16_MAX + 1;
	if (likely(visited->mark))
		return;
	memset(visited->slot, 0, sizeof(visited->slot));
	visited->mark = U16_MAX + 1;
}

/*
 * The chunk at @to with at least @size bytes of the object of @type at @address, or with all of
 * its readable bytes. NULL: not found, and *@slot is where to note it.
 */
static __always_inline struct goprobe_chunk *
gp_visited_find(struct gp_visited *visited, u8 *to, u64 address, u32 type, u32 size, u32 **slot)
{
	u32 at = hash_64(address ^ (u64)type << 32, GP_VISITED_BITS), step;

	for (step = 0; step < GP_VISITED_STEPS; step++) {
		struct goprobe_chunk *chunk;
		u32 place = visited->slot[at] - visited->mark;

		*slot = &visited->slot[at];
		/* The slot has another mark. */
		if (place > U16_MAX)
			return NULL;
		chunk = (void *)(to + place * GP_VISITED_UNIT);
		if (chunk->address == address && chunk->type == type &&
		    (chunk->size >= size || chunk->status))
			return chunk;
		at = (at + 1) % GP_VISITED_SLOTS;
	}
	*slot = &visited->spare;
	return NULL;
}

/* Note the chunk that begins @offset bytes into the frame. */
static __always_inline void gp_visited_note(const struct gp_visited *visited, u32 *slot,
					    u32 offset)
{
	*slot = visited->mark | offset / GP_VISITED_UNIT;
}

#endif
