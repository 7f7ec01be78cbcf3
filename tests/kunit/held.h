/* SPDX-License-Identifier: GPL-2.0 */
/* Pending records that nobody has. */
#ifndef HELD_H
#define HELD_H

#include "../../kmod/stats/pending.h"

/* More than any suite has: a table that gives without end is found out. */
#define HELD_ENDLESS 100000U

/* Their number. All are taken, each with the one before it as its id, and given back. */
static inline u32 held_free(struct gp_pending *held)
{
	u32 n = 0, last = 0, number = gp_pending_take(held);

	for (; number && n < HELD_ENDLESS; n++) {
		gp_pending_at(held, number)->rec.id = last;
		last = number;
		number = gp_pending_take(held);
	}
	for (; last; last = number) {
		number = gp_pending_at(held, last)->rec.id;
		gp_pending_give(held, last);
	}
	return n;
}

#endif
