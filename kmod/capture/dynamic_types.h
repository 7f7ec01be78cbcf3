/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Map of one file's run-time type descriptors and closure code to types: a hash table by link-time
 * address, which grows while handlers read it.
 */
#ifndef GP_DYNAMIC_H
#define GP_DYNAMIC_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <goprobe.h>

struct gp_type;
struct gp_types;

/* See struct goprobe_limits. */
#define GP_DYNAMIC_MAX	(64U << 10)

/* Maximum distance of an address from its home slot; bounds a look-up. */
#define GP_DYNAMIC_STEPS	64

/*
 * The type of a value in the table. A value is a type and a flag in one word, so that both change
 * at once. The lowest bit is GOPROBE_DYNAMIC_F_DIRECT. 0: unknown.
 */
static inline const struct gp_type *gp_dynamic_type(unsigned long value)
{
	return (const struct gp_type *)(value & ~1UL);
}

static inline bool gp_dynamic_is_direct(unsigned long value)
{
	return value & 1;
}

/**
 * struct gp_dynamic_slot - a slot of the table
 * @address: key; 0: free; written once
 * @value: its type; written before @address; until then only the writer uses it
 */
struct gp_dynamic_slot {
	u64 address;
	unsigned long value;
};

/**
 * struct gp_dynamic_table - the table as readers see it
 * @rcu: frees the table
 * @bits: log2 of the number of @slot
 * @slot: open addressing with linear probing
 */
struct gp_dynamic_table {
	struct rcu_head rcu;
	u32 bits;
	struct gp_dynamic_slot slot[];
};

/**
 * struct gp_dynamic - the addresses of one file
 * @table: NULL: no addresses
 * @n: number of addresses; only the writer uses it
 */
struct gp_dynamic {
	struct gp_dynamic_table __rcu *table;
	u32 n;
};

/* The value of @address, or 0. Context: preemption off, or no writer. */
static inline unsigned long gp_dynamic_find(const struct gp_dynamic *d, u64 address)
{
	const struct gp_dynamic_table *table = rcu_dereference_sched(d->table);
	u32 at, step;

	if (!table)
		return 0;
	at = hash_64(address, table->bits);
	for (step = 0; step < GP_DYNAMIC_STEPS; step++) {
		const struct gp_dynamic_slot *slot = &table->slot[at];
		/* The value is read after the address. */
		u64 found = smp_load_acquire(&slot->address);

		/* This test comes first: nobody looks up address 0. */
		if (!found)
			return 0;
		if (found == address)
			return READ_ONCE(slot->value);
		at = (at + 1) & (BIT(table->bits) - 1);
	}
	return 0;
}

int gp_dynamic_add(struct gp_dynamic *d, const struct goprobe_dynamic *add, u32 n,
		   const struct gp_types *types);
void gp_dynamic_fini(struct gp_dynamic *d);

#endif
