/* SPDX-License-Identifier: GPL-2.0 */
/* Paired hits: calls that are remembered, and their ends. */
#ifndef GP_PAIR_H
#define GP_PAIR_H

#include <linux/ptrace.h>

#include "hit/filter.h"
#include "stats/calls.h"

struct gp_probe;
struct gp_session;

int gp_pair_call(const struct gp_probe *probe, const struct pt_regs *regs);
bool gp_pair_try_call(const struct gp_probe *probe, const struct pt_regs *regs);
bool gp_pair_try_end(const struct gp_probe *probe, const struct pt_regs *regs);
int gp_pair_end(const struct gp_probe *probe, const struct pt_regs *regs);
void gp_pair_unwind(struct gp_session *s, struct gp_calls_key key, u32 least, bool written);

#endif
