/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the runtime that are traced for what they tell of others: their hits
 * are no events. All that differs between releases is in golayout.h.
 */
#ifndef GOPROBE_HIDDEN_H
#define GOPROBE_HIDDEN_H

#include <stdbool.h>
#include <stdint.h>

#include "plan.h"
#include "record.h"

/**
 * struct hidden_go - a goroutine was made, as PLAN_ROLE_GO tells
 * @goid: its id
 * @pc: run-time address behind the call of the go statement
 */
struct hidden_go {
	uint64_t goid;
	uint64_t pc;
};

/*
 * Add those of @role in all binaries. What a binary does not have, what can't be
 * probed and what is traced for its own sake already is left out. 0, or -1 without
 * memory.
 */
int hidden_add(struct plan *p, struct gobin *const *bins, size_t nbins, enum plan_role role,
	       struct diag *d);
/* What the record of a function of PLAN_ROLE_GO tells; false: nothing. */
bool hidden_go(const struct record *r, struct hidden_go *ret);
/* How many of the plan's functions, and of their points, are hidden. */
size_t hidden_count(const struct plan *p, size_t *points);

#endif
