/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load bias of processes: run-time address minus link-time address. Each record
 * has the run-time address of a point, and the point's link-time address is known.
 * Pure.
 */
#ifndef GOPROBE_PLAN_LOAD_BIAS_H
#define GOPROBE_PLAN_LOAD_BIAS_H

#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

#include "plan/plan.h"

struct bias;

struct bias *bias_new(const struct plan *p);
void bias_free(struct bias *b);
/* The bias of the process and binary that @h comes from; false if it is unknown. */
bool bias_of(struct bias *b, const struct goprobe_record *h, uint64_t *ret);

#endif
