// SPDX-License-Identifier: GPL-2.0
/* Numbers that traced programs count themselves: adding them up. */
#include <linux/compiler.h>
#include <linux/mm.h>

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

/* The counter begins with 0. */
void gp_remote_add(struct gp_remote *remote, struct gp_remote_counter *counter)
{
	spin_lock(&remote->lock);
	list_add(&counter->node, &remote->counters);
	spin_unlock(&remote->lock);
}

static void gp_remote_sum(const struct gp_remote_counter *counter, u32 from, u32 n, u64 *to)
{
	const u64 *part;
	u32 page, i;

	for (page = 0; page < counter->npages; page++) {
		part = page_address(counter->pages[page]) + counter->offset;
		for (i = 0; i < n; i++)
			to[i] += READ_ONCE(part[from + i]);
	}
}

/* Nobody counts it any more: what it has stays part of the numbers. */
void gp_remote_del(struct gp_remote *remote, struct gp_remote_counter *counter)
{
	spin_lock(&remote->lock);
	gp_remote_sum(counter, 0, remote->n, remote->past);
	list_del(&counter->node);
	spin_unlock(&remote->lock);
}

void gp_remote_read_many(struct gp_remote *remote, u32 from, u32 n, u64 *to)
{
	const struct gp_remote_counter *counter;
	u32 i;

	spin_lock(&remote->lock);
	for (i = 0; i < n; i++)
		to[i] += remote->past[from + i];
	list_for_each_entry(counter, &remote->counters, node)
		gp_remote_sum(counter, from, n, to);
	spin_unlock(&remote->lock);
}

u64 gp_remote_read(struct gp_remote *remote)
{
	u64 n = 0;

	gp_remote_read_many(remote, 0, 1, &n);
	return n;
}
