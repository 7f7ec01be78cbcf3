/* SPDX-License-Identifier: GPL-2.0 */
/* Emulation of the instruction under a breakpoint. */
#ifndef GP_EMULATE_H
#define GP_EMULATE_H

#include <linux/types.h>
#include <goprobe.h>

#include "arch/step.h"

struct pt_regs;
struct task_struct;

enum gp_executor {
	GP_EXECUTOR_KERNEL,	/* emulates or single-steps */
	GP_EXECUTOR_HANDLER,
	GP_EXECUTOR_SELF_TEST,
};

/**
 * struct gp_emulate - how the instruction of one point is executed
 * @by: enum gp_executor
 * @offset: of the instruction, in its page
 * @step: the instruction, for GP_EXECUTOR_HANDLER
 * @tester: for GP_EXECUTOR_SELF_TEST: the testing thread, never dereferenced
 * @left: ... rounds left
 * @count: ... expected start value of the first instruction's register in the next round
 * @skips: ... rounds in which the instruction is skipped, the next round's bit first
 */
struct gp_emulate {
	u8 by;
	u16 offset;
	struct gp_step step;
	const struct task_struct *tester;
	u32 left;
	u32 count;
	u32 skips;
};

u64 gp_emulate_abilities(void);
void gp_emulate_init(struct gp_emulate *e, const struct goprobe_point *point);
void gp_emulate_hit(struct gp_emulate *e, struct pt_regs *regs);

#endif
