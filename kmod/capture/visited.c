// SPDX-License-Identifier: GPL-2.0
/* Which objects a walk has copied already: the memory for it. */
#include <linux/errno.h>
#include <linux/percpu.h>

#include "capture/visited.h"

struct gp_seen __percpu *gp_seen;

int gp_seen_init(void)
{
	gp_seen = alloc_percpu(struct gp_seen);
	return gp_seen ? 0 : -ENOMEM;
}

void gp_seen_fini(void)
{
	free_percpu(gp_seen);
}
