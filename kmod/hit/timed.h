/* SPDX-License-Identifier: GPL-2.0 */
/* Hits that time calls, without the fast path. */
#ifndef GP_TIMED_H
#define GP_TIMED_H

#include <linux/types.h>

struct gp_jump;
struct gp_probe;
struct pt_regs;

/*
 * A hit of a breakpoint: g in TLS, absent memory, no goroutine, calls that ended otherwise, calls
 * in slots. @now: time of the hit in ticks, for a return. Return: the handler's return value.
 */
int gp_timed_hit(const struct gp_probe *probe, const struct pt_regs *regs, u64 now);
/* A hit of a landing: the detour leaves the rest to the handler. Return: its return value. */
int gp_timed_land(const struct gp_jump *j, const struct pt_regs *regs);

#endif
