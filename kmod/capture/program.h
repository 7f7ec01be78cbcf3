/* SPDX-License-Identifier: GPL-2.0 */
/* Interpreter of verified programs, of plans and of filters. Also compiled into goprobectl. */
#ifndef GP_PROGRAM_H
#define GP_PROGRAM_H

#include "capture/op.h"

struct gp_capture;

/**
 * struct gp_program - a running program
 * @c: its capture; for a filter, the target's state
 * @r: registers
 * @end: behind the last operation
 * @item: number of the current item
 * @resume: the operation behind the current item; NULL: there was no item yet
 * @filters: a filter's program: a failure ends it
 * @status: of a filter: why it is undecided, enum goprobe_chunk_status, or 0
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
const struct gp_op *gp_program_failed(struct gp_program *p, const struct gp_op *op, int status);

#endif
