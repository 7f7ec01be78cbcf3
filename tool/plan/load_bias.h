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

struct load_bias;

struct load_bias *load_bias_new(const struct plan *p);
void load_bias_free(struct load_bias *b);
/* The bias of the process and binary that @h comes from; false if it is unknown. */
bool load_bias_of(struct load_bias *b, const struct goprobe_record *h, uint64_t *ret);

#endif
