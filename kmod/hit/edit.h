/* SPDX-License-Identifier: GPL-2.0 */
/* Modification of the traced program: arguments, results, memory, delays. */
#ifndef GP_EDIT_H
#define GP_EDIT_H

#include <linux/types.h>

struct gp_probe;
struct pt_regs;

bool gp_edit_allowed(void);
int gp_edit_hit(const struct gp_probe *probe, struct pt_regs *regs);

#endif
