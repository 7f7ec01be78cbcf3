/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types that the module does not know yet show in the records: as dynamic types of
 * interfaces, and as code of closures. They are looked up, each once, and the next
 * record has their values. Pure but for gobin.
 */
#ifndef GOPROBE_LEARN_H
#define GOPROBE_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan.h"
#include "record.h"

/**
 * struct learn - what is to be learned
 * @plan: it grows
 * @efaces: for each type of the plan: does it contain an empty interface? 0: not
 *	looked yet, 1: no, 2: yes
 * @cap: room in @efaces
 * @pending: the plan has something new: plan_finish() is due
 */
struct learn {
	struct plan *plan;
	uint8_t *efaces;
	size_t cap;
	bool pending;
};

void learn_init(struct learn *l, struct plan *p);
void learn_fini(struct learn *l);
/*
 * Look at a record of a process in which @bin has been loaded @bias above its
 * link-time addresses. What there is no memory for is not learned.
 */
void learn_record(struct learn *l, const struct record *r, struct gobin *bin, uint64_t bias);

#endif
