// SPDX-License-Identifier: GPL-2.0
/* Set of the objects that a walk has copied: its memory. */
#include <linux/errno.h>
#include <linux/percpu.h>

#include "capture/visited.h"

struct gp_visited __percpu *gp_visited;

int gp_visited_init(void)
{
	gp_visited = alloc_percpu(struct gp_visited);
	return gp_visited ? 0 : -ENOMEM;
}

void gp_visited_fini(void)
{
	free_percpu(gp_visited);
}
