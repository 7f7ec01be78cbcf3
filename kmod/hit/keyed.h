/* SPDX-License-Identifier: GPL-2.0 */
/* Hits that are counted and timed by key. */
#ifndef GP_KEYED_H
#define GP_KEYED_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct gp_call;
struct gp_key;
struct gp_probe;
struct gp_split;

int gp_keyed_count(const struct gp_probe *probe, const struct pt_regs *regs);
void gp_keyed_begin(const struct gp_probe *probe, struct gp_key *key);
void gp_keyed_add(const struct gp_probe *probe, const struct gp_key *key);
int gp_keyed_enter(const struct gp_probe *probe, const struct pt_regs *regs);
int gp_keyed_end(const struct gp_probe *probe, const struct pt_regs *regs,
		 const struct gp_call *call, u64 duration, const struct gp_split *split);

#endif
