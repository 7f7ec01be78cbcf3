// SPDX-License-Identifier: GPL-2.0
/* Numbers that traced programs count themselves: adding them up. */
#include <linux/compiler.h>
#include <linux/mm.h>

#include "stats/remote.h"

void gp_remote_init(struct gp_remote *remote)
{
	spin_lock_init(&remote->lock);
	INIT_LIST_HEAD(&remote->counters);
}

/* The counter begins with 0. */
void gp_remote_add(struct gp_remote *remote, struct gp_remote_counter *counter)
{
	spin_lock(&remote->lock);
	list_add(&counter->node, &remote->counters);
	spin_unlock(&remote->lock);
}

static u64 gp_remote_sum(const struct gp_remote_counter *counter)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < counter->npages; i++)
		n += READ_ONCE(*(u64 *)(page_address(counter->pages[i]) + counter->offset));
	return n;
}

/* Nobody counts it any more: what it has stays part of the number. */
void gp_remote_del(struct gp_remote *remote, struct gp_remote_counter *counter)
{
	spin_lock(&remote->lock);
	remote->past += gp_remote_sum(counter);
	list_del(&counter->node);
	spin_unlock(&remote->lock);
}

/* What all programs have counted so far. */
u64 gp_remote_read(struct gp_remote *remote)
{
	const struct gp_remote_counter *counter;
	u64 n;

	spin_lock(&remote->lock);
	n = remote->past;
	list_for_each_entry(counter, &remote->counters, node)
		n += gp_remote_sum(counter);
	spin_unlock(&remote->lock);
	return n;
}
