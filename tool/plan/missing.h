/* SPDX-License-Identifier: GPL-2.0 */
/* Patterns and places of which nothing is traced, beside others that are. */
#ifndef GOPROBE_PLAN_MISSING_H
#define GOPROBE_PLAN_MISSING_H

#include "base/buf.h"
#include "base/diag.h"
#include "gobin/gobin.h"
#include "plan/plan.h"

struct choice;

/*
 * Which specs nothing was added of, and why: plan.missing. 0; -1 with @d set if that is all of them
 * (@d has the reason of the first one, plan.missing those of the others), if one of them changes
 * calls, or without memory.
 */
int missing_find(struct choice *c, struct gobin **bins, size_t nbins, struct diag *d);

/* "1 pattern traces nothing: 'main.typo'", with its line's end; nothing, if all trace something. */
void missing_put(const struct plan *p, struct buf *b);
/* The member "not_traced" of a JSON object, after another one; nothing, if all trace something. */
void missing_json(const struct plan *p, struct buf *b);

#endif
