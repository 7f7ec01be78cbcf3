// SPDX-License-Identifier: GPL-2.0
/*
 * Map of one file's run-time type descriptors and closure code to types.
 *
 * Locking: one writer at a time (the session's lock). Readers have preemption off, which RCU waits
 * for.
 *
 * The writer adds an address, or replaces its type, in place. It never removes an address. When
 * the table is full, a larger copy replaces it.
 */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "capture/dynamic_types.h"
#include "capture/types.h"
#include "gfp.h"

#define GP_DYNAMIC_BITS_MIN	6
/* Four times the size that GP_DYNAMIC_MAX needs: addresses that still collide are unusual. */
#define GP_DYNAMIC_BITS_MAX	19

static struct gp_dynamic_table *gp_dynamic_table(const struct gp_dynamic *d)
{
	return rcu_dereference_protected(d->table, true);
}

/*
 * The slot of @address, or a slot that is free for it; NULL if none is within the limit. A
 * free slot may be claimed for an address of @add.
 */
static struct gp_dynamic_slot *gp_dynamic_slot(struct gp_dynamic_table *table,
					       const struct goprobe_dynamic *add,
					       u64 address)
{
	u32 at = hash_64(address, table->bits), step;

	for (step = 0; step < GP_DYNAMIC_STEPS; step++) {
		struct gp_dynamic_slot *slot = &table->slot[at];
		u64 its = slot->address;

		if (!its && slot->value)
			its = add[slot->value - 1].address;
		if (!its || its == address)
			return slot;
		at = (at + 1) & (BIT(table->bits) - 1);
	}
	return NULL;
}

/* Copy a table. No slot of either table is claimed. */
static bool gp_dynamic_copy(struct gp_dynamic_table *to,
			    const struct gp_dynamic_table *from)
{
	u32 i;

	for (i = 0; from && i < BIT(from->bits); i++) {
		struct gp_dynamic_slot *slot;

		if (!from->slot[i].address)
			continue;
		slot = gp_dynamic_slot(to, NULL, from->slot[i].address);
		if (!slot)
			return false;
		*slot = from->slot[i];
	}
	return true;
}

/* Provide a table of at least 2^@bits slots. */
static int gp_dynamic_grow(struct gp_dynamic *d, u32 bits)
{
	struct gp_dynamic_table *old = gp_dynamic_table(d), *table;

	for (; bits <= GP_DYNAMIC_BITS_MAX; bits++) {
		table = kvzalloc(struct_size(table, slot, BIT(bits)), GP_GFP_CHARGED);
		if (!table)
			return -ENOMEM;
		table->bits = bits;
		if (gp_dynamic_copy(table, old)) {
			rcu_assign_pointer(d->table, table);
			if (old)
				kvfree_rcu(old, rcu);
			return 0;
		}
		kvfree(table);
	}
	return -E2BIG;
}

/* Make space for @more addresses at once. Return: 0, -ENOMEM or -E2BIG. */
static int gp_dynamic_reserve(struct gp_dynamic *d, u32 more)
{
	const struct gp_dynamic_table *table = gp_dynamic_table(d);
	u32 bits = max(ilog2(2 * (d->n + more) + 1) + 1, GP_DYNAMIC_BITS_MIN);

	if (table && table->bits >= bits)
		return 0;
	return gp_dynamic_grow(d, bits);
}

/*
 * Claim a slot for each address of @add that has none. The slot's value is then the number of the
 * entry in @add, from 1. Readers ignore the value of a slot without address.
 *
 * Return: false if an address has no slot within the limit. *@more: number of claimed slots.
 */
static bool gp_dynamic_claim(struct gp_dynamic_table *table,
			     const struct goprobe_dynamic *add, u32 n, u32 *more)
{
	u32 i;

	*more = 0;
	for (i = 0; i < n; i++) {
		struct gp_dynamic_slot *slot = gp_dynamic_slot(table, add, add[i].address);

		if (!slot)
			return false;
		if (slot->address || slot->value)
			continue;
		slot->value = i + 1;
		(*more)++;
	}
	return true;
}

static void gp_dynamic_unclaim(struct gp_dynamic_table *table,
			       const struct goprobe_dynamic *add, u32 n)
{
	u32 i;

	/* Backwards, so that each probe sequence is as it was when its slot was claimed. */
	for (i = n; i--;) {
		struct gp_dynamic_slot *slot = gp_dynamic_slot(table, add, add[i].address);

		if (slot && !slot->address && slot->value == i + 1)
			slot->value = 0;
	}
}

/* Claim or find a slot for each of @add. Return: 0; -ENOMEM or -E2BIG: no slot is claimed. */
static int gp_dynamic_claim_all(struct gp_dynamic *d, const struct goprobe_dynamic *add, u32 n)
{
	int err = gp_dynamic_reserve(d, n);
	u32 more;

	while (!err) {
		struct gp_dynamic_table *table = gp_dynamic_table(d);
		bool all = gp_dynamic_claim(table, add, n, &more);

		if (all && more <= GP_DYNAMIC_MAX - d->n) {
			d->n += more;
			return 0;
		}
		gp_dynamic_unclaim(table, add, n);
		err = all ? -E2BIG : gp_dynamic_grow(d, table->bits + 1);
	}
	return err;
}

/**
 * gp_dynamic_add() - set the types of addresses: all or none
 * @d: the file's addresses
 * @add: verified
 * @n: number of @add
 * @types: the session's; outlives @d
 *
 * Return: 0, -ENOMEM, or -E2BIG if there are more than GP_DYNAMIC_MAX.
 */
int gp_dynamic_add(struct gp_dynamic *d, const struct goprobe_dynamic *add, u32 n,
		   const struct gp_types *types)
{
	int err = gp_dynamic_claim_all(d, add, n);
	u32 i;

	for (i = 0; !err && i < n; i++) {
		struct gp_dynamic_slot *slot = gp_dynamic_slot(gp_dynamic_table(d), add,
							       add[i].address);

		WRITE_ONCE(slot->value, (unsigned long)gp_types_find(types, add[i].type) |
					(add[i].flags & GOPROBE_DYNAMIC_F_DIRECT));
		/* Readers see the value before the address. */
		smp_store_release(&slot->address, add[i].address);
	}
	return err;
}

/* No reader is left. */
void gp_dynamic_fini(struct gp_dynamic *d)
{
	kvfree(gp_dynamic_table(d));
}
