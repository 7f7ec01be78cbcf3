/* SPDX-License-Identifier: GPL-2.0 */
/* Hits that have not passed their filter. */
#ifndef GP_REJECT_H
#define GP_REJECT_H

#include "hit/filter.h"

struct gp_probe;
struct pt_regs;

int gp_reject_call(const struct gp_probe *probe, const struct pt_regs *regs);
int gp_reject_hit(const struct gp_probe *probe, const struct pt_regs *regs,
		  enum gp_verdict verdict);

#endif
