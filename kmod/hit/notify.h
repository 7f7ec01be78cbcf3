/* SPDX-License-Identifier: GPL-2.0 */
/* Hits that tell of goroutines: GOPROBE_ACTION_STATE, _JOIN, _PART and _UNWIND. */
#ifndef GP_TOLD_H
#define GP_TOLD_H

#include <linux/ptrace.h>

struct gp_probe;

int gp_told(const struct gp_probe *probe, const struct pt_regs *regs);

#endif
