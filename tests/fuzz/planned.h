/* SPDX-License-Identifier: GPL-2.0 */
/* Invariants of every plan. */
#ifndef GOPROBE_FUZZ_PLANNED_H
#define GOPROBE_FUZZ_PLANNED_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"

/*
 * Finish @p, or see why it can't be. Its programs must be those that the module takes, whatever
 * they find in registers and memory, which are made of @seed; its JSON must be JSON.
 */
void planned_see(struct plan *p, uint32_t seed);
/* Registers, memory and the rest as @seed has it; the result is to be freed. */
struct machine *planned_machine(uint32_t seed);

#endif
