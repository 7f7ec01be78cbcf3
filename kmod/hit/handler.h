/* SPDX-License-Identifier: GPL-2.0 */
/* The hot path. */
#ifndef GP_HANDLER_H
#define GP_HANDLER_H

#include <linux/types.h>

struct gp_probe;
struct gp_ring;
struct gp_session;
struct gp_split;
struct pt_regs;

int gp_handler_record(const struct gp_probe *probe, const struct pt_regs *regs);
void gp_handler_record_late(const struct gp_probe *probe, const struct pt_regs *regs,
			    const struct gp_split *split, u32 patience);
int gp_handler_no_space(const struct gp_session *s, struct gp_ring *ring, bool patient);

#endif
