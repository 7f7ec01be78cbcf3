// SPDX-License-Identifier: GPL-2.0
/*
 * What the run-time type descriptors and closures of one file stand for.
 *
 * Locking: one writer at a time (the session's lock). Readers have preemption
 * off, which RCU waits for.
 *
 * An address is added in place, or its type replaced in place, and nothing is ever
 * taken out; when there is no room, a larger copy takes the table's place.
 */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "dynamic.h"

#define GP_DYNAMIC_BITS_MIN	6
/* Four times the room that GP_DYNAMIC_MAX needs: addresses that still collide are odd. */
#define GP_DYNAMIC_BITS_MAX	19

static struct gp_dynamic_table *gp_dynamic_table(const struct gp_dynamic *d)
{
	return rcu_dereference_protected(d->table, true);
}

/* The slot of @address or the one for it; NULL if there is none near enough. */
static struct gp_dynamic_slot *gp_dynamic_slot(struct gp_dynamic_table *table,
					       u64 address)
{
	u32 at = hash_64(address, table->bits), step;

	for (step = 0; step < GP_DYNAMIC_STEPS; step++) {
		struct gp_dynamic_slot *slot = &table->slot[at];

		if (!slot->address || slot->address == address)
			return slot;
		at = (at + 1) & (BIT(table->bits) - 1);
	}
	return NULL;
}

static bool gp_dynamic_copy(struct gp_dynamic_table *to,
			    const struct gp_dynamic_table *from)
{
	u32 i;

	for (i = 0; from && i < BIT(from->bits); i++) {
		struct gp_dynamic_slot *slot;

		if (!from->slot[i].address)
			continue;
		slot = gp_dynamic_slot(to, from->slot[i].address);
		if (!slot)
			return false;
		*slot = from->slot[i];
	}
	return true;
}

/* Have a table of at least 2^@bits slots. */
static int gp_dynamic_grow(struct gp_dynamic *d, u32 bits)
{
	struct gp_dynamic_table *old = gp_dynamic_table(d), *table;

	for (; bits <= GP_DYNAMIC_BITS_MAX; bits++) {
		table = kvzalloc(struct_size(table, slot, BIT(bits)), GFP_KERNEL_ACCOUNT);
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

/* Make room for @more addresses at once. Return: 0, -ENOMEM or -E2BIG. */
int gp_dynamic_reserve(struct gp_dynamic *d, u32 more)
{
	const struct gp_dynamic_table *table = gp_dynamic_table(d);
	u32 bits = max(ilog2(2 * (d->n + more) + 1) + 1, GP_DYNAMIC_BITS_MIN);

	if (table && table->bits >= bits)
		return 0;
	return gp_dynamic_grow(d, bits);
}

/**
 * gp_dynamic_add() - tell what an address stands for, from now on
 * @d: the file's addresses
 * @address: not 0
 * @type: outlives @d
 * @direct: GOPROBE_DYNAMIC_F_DIRECT
 *
 * Return: 0, -ENOMEM, or -E2BIG if there are too many.
 */
int gp_dynamic_add(struct gp_dynamic *d, u64 address, const struct gp_type *type,
		   bool direct)
{
	struct gp_dynamic_slot *slot;
	int err = gp_dynamic_reserve(d, 1);

	while (!err) {
		slot = gp_dynamic_slot(gp_dynamic_table(d), address);
		if (slot)
			break;
		err = gp_dynamic_grow(d, gp_dynamic_table(d)->bits + 1);
	}
	if (err)
		return err;
	if (!slot->address && d->n == GP_DYNAMIC_MAX)
		return -E2BIG;
	d->n += !slot->address;
	WRITE_ONCE(slot->value, (unsigned long)type | direct);
	/* The value is seen before the address that it belongs to. */
	smp_store_release(&slot->address, address);
	return 0;
}

/* Nobody reads it any more. */
void gp_dynamic_fini(struct gp_dynamic *d)
{
	kvfree(gp_dynamic_table(d));
}
