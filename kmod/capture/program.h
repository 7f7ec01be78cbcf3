/* SPDX-License-Identifier: GPL-2.0 */
/* Run a verified program: of a plan, or a filter's. */
#ifndef GP_PROGRAM_H
#define GP_PROGRAM_H

#include <linux/types.h>

#include "capture/plan.h"

struct gp_capture;

/**
 * struct gp_program - a program under way
 * @c: the capture that it is part of; of a filter, where the target's state is
 * @r: registers
 * @end: behind the last operation
 * @item: number of the item that is being worked on
 * @resume: the operation behind the item's; NULL if there has been no item
 * @filters: it is a filter's: what fails ends it
 * @status: of a filter: why it can't tell, enum goprobe_chunk_status, or 0
 * @err: result
 */
struct gp_program {
	struct gp_capture *c;
	u64 r[GP_OP_REGS];
	const struct gp_op *end;
	u64 item;
	const struct gp_op *resume;
	bool filters;
	u8 status;
	int err;
};

int gp_program_run(struct gp_capture *c);
const struct gp_op *gp_program_go(struct gp_program *p, const struct gp_op *op);

#endif
