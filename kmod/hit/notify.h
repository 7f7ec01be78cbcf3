/* SPDX-License-Identifier: GPL-2.0 */
/* Goroutine notifications: GOPROBE_ACTION_STATE, _SET_ADD, _SET_REMOVE and _UNWIND. */
#ifndef GP_NOTIFY_H
#define GP_NOTIFY_H

#include <linux/ptrace.h>

struct gp_probe;

int gp_notify(const struct gp_probe *probe, const struct pt_regs *regs);

#endif
