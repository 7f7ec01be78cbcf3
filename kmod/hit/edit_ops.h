/* SPDX-License-Identifier: GPL-2.0 */
/* Operations of edits: what a program collects, to be applied when it has passed. */
#ifndef GP_EDIT_OPS_H
#define GP_EDIT_OPS_H

#include <linux/types.h>
#include <goprobe.h>

#include "capture/plan.h"

/* Operations of one edit that set, write or delay. */
#define GP_EDITS_MAX	32

/**
 * struct gp_edit_item - something to be set or written
 * @code: GOPROBE_OP_SET, _SET_FLOAT or _WRITE
 * @size: bytes of it: 1, 2, 4 or 8
 * @to: offset in struct pt_regs; number of the float register; address
 * @value: what
 */
struct gp_edit_item {
	u8 code;
	u8 size;
	u64 to;
	u64 value;
};

/**
 * struct gp_edit - what an edit's program has come to
 * @n: number of @item
 * @delay: ns
 * @item: in the order of the program
 */
struct gp_edit {
	u32 n;
	u64 delay;
	struct gp_edit_item item[GP_EDITS_MAX];
};

int gp_edit_collect(struct gp_edit *edit, const struct gp_op *op, const u64 *r);

#endif
