// SPDX-License-Identifier: GPL-2.0
/* Numbers that traced programs count themselves: adding them up. */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mm.h>

#include "arch/detour.h"
#include "stats/remote.h"

void gp_remote_init(struct gp_remote *remote)
{
	remote->first = 0;
	gp_remote_init_many(remote, &remote->first, 1);
}

void gp_remote_init_many(struct gp_remote *remote, u64 *past, u32 n)
{
	spin_lock_init(&remote->lock);
	INIT_LIST_HEAD(&remote->counters);
	remote->n = n;
	remote->past = past;
}

/* The counter begins with 0. If there are several numbers, the caller has made its @seen, all 0. */
void gp_remote_add(struct gp_remote *remote, struct gp_remote_counter *counter)
{
	if (remote->n == 1)
		counter->seen = &counter->first;
	counter->since = ktime_get_ns();
	spin_lock(&remote->lock);
	list_add(&counter->node, &remote->counters);
	spin_unlock(&remote->lock);
}

/*
 * How far can a program have counted number @i in @ns? A CPU takes more than 1 ns for a hit. Each
 * call that a program times itself has a slot meanwhile, and lands if it takes long.
 */
static u64 gp_remote_most(const struct gp_remote *remote, u32 i, u64 ns)
{
	return i && i == remote->n - 1 ? GP_DETOUR_SLOTS * (ns + GP_DETOUR_LONGEST) :
					 nr_cpu_ids * ns;
}

/* Look at a program's part of some numbers: its @seen is the result. */
static void gp_remote_look(const struct gp_remote *remote, struct gp_remote_counter *counter,
			   u32 from, u32 n)
{
	u64 passed = ktime_get_ns() - counter->since, part;
	const u64 *page;
	u32 i, k;

	for (i = from; i < from + n; i++) {
		part = 0;
		for (k = 0; k < counter->npages; k++) {
			page = page_address(counter->pages[k]) + counter->offset;
			part += READ_ONCE(page[i]);
		}
		if (part > counter->seen[i] && part <= gp_remote_most(remote, i, passed))
			counter->seen[i] = part;
	}
}

/* Nobody counts it any more: what it has stays part of the numbers. */
void gp_remote_del(struct gp_remote *remote, struct gp_remote_counter *counter)
{
	u32 i;

	spin_lock(&remote->lock);
	gp_remote_look(remote, counter, 0, remote->n);
	for (i = 0; i < remote->n; i++)
		remote->past[i] += counter->seen[i];
	list_del(&counter->node);
	spin_unlock(&remote->lock);
}

void gp_remote_read_many(struct gp_remote *remote, u32 from, u32 n, u64 *to)
{
	struct gp_remote_counter *counter;
	u32 i;

	spin_lock(&remote->lock);
	for (i = 0; i < n; i++)
		to[i] += remote->past[from + i];
	list_for_each_entry(counter, &remote->counters, node) {
		gp_remote_look(remote, counter, from, n);
		for (i = 0; i < n; i++)
			to[i] += counter->seen[from + i];
	}
	spin_unlock(&remote->lock);
}

u64 gp_remote_read(struct gp_remote *remote)
{
	u64 n = 0;

	gp_remote_read_many(remote, 0, 1, &n);
	return n;
}
