/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types that the module does not know yet show in the records: as dynamic types of
 * interfaces, and as code of closures. They are looked up, each once, and the next
 * record has their values. Pure but for gobin.
 */
#ifndef GOPROBE_PLAN_LEARN_H
#define GOPROBE_PLAN_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/record.h"
#include "plan/plan.h"

/* The plan has learned of what is at link-time address @vaddr: code if @func, else a type. */
typedef void (*learn_fn)(void *ctx, const struct gobin *bin, uint64_t vaddr, uint32_t level,
			      bool func);

/* What is to be learned. */
struct learn {
	struct plan *plan;	/* it grows */
	/*
	 * For each type of the plan: does it contain an empty interface? 0: not looked yet, 1: no,
	 * 2: yes.
	 */
	uint8_t *efaces;
	size_t cap;		/* capacity of @efaces */
	bool pending;		/* the plan has something new: plan_finish() is due */
	learn_fn learned;	/* called for each of these, or NULL */
	void *ctx;		/* its first argument */
};

void learn_init(struct learn *l, struct plan *p);
void learn_fini(struct learn *l);
/*
 * Look at a record of a process in which @bin has been loaded @bias above its
 * link-time addresses. What there is no memory for is not learned.
 */
void learn_record(struct learn *l, const struct record *r, struct gobin *bin, uint64_t bias);
/* Can records of the plan show anything? Else there is no need to look at them. */
bool learn_possible(const struct plan *p);

#endif
