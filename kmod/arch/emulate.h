/* SPDX-License-Identifier: GPL-2.0 */
/* Who executes the instruction under a breakpoint. */
#ifndef GP_EXECUTE_H
#define GP_EXECUTE_H

#include <linux/types.h>
#include <goprobe.h>

#include "arch/step.h"

struct pt_regs;
struct task_struct;

enum gp_executor {
	GP_EXECUTOR_KERNEL,	/* it emulates, or single-steps */
	GP_EXECUTOR_HANDLER,
	GP_EXECUTOR_SELF_TEST,
};

/**
 * struct gp_execute - how the instruction of one point is executed
 * @by: enum gp_executor
 * @offset: where in its page
 * @step: the instruction, for GP_EXECUTOR_HANDLER
 * @tester: for GP_EXECUTOR_SELF_TEST: whose test it is, never dereferenced
 * @left: ... rounds that it has left
 * @count: ... what the first instruction has to count from in the next one
 * @skips: ... rounds in which it is skipped, the next one's bit first
 */
struct gp_execute {
	u8 by;
	u16 offset;
	struct gp_step step;
	const struct task_struct *tester;
	u32 left;
	u32 count;
	u32 skips;
};

u64 gp_execute_abilities(void);
void gp_execute_init(struct gp_execute *e, const struct goprobe_point *point);
void gp_execute_hit(struct gp_execute *e, struct pt_regs *regs);

#endif
