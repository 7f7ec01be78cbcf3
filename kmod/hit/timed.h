/* SPDX-License-Identifier: GPL-2.0 */
/* Timed calls that may begin or end without a trap. */
#ifndef GP_TIMED_H
#define GP_TIMED_H

struct gp_jump;
struct gp_probe;
struct pt_regs;

/* A hit of a breakpoint. Return: the handler's return value. */
int gp_timed_hit(const struct gp_probe *probe, const struct pt_regs *regs);
/*
 * A hit of a landing: the detour leaves the rest to the handler. @regs have SP as the detour has
 * it. Return: the handler's return value.
 */
int gp_timed_land(const struct gp_jump *j, struct pt_regs *regs);

#endif
