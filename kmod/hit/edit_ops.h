/* SPDX-License-Identifier: GPL-2.0 */
/* Operations of edits: they collect changes, which are made when the program has ended. */
#ifndef GP_EDIT_OPS_H
#define GP_EDIT_OPS_H

#include <linux/types.h>
#include <goprobe.h>

#include "capture/plan.h"

/* Most operations of one edit that set, write or delay. */
#define GP_EDITS_MAX	32

/**
 * struct gp_edit_item - a register or memory to be changed
 * @code: GOPROBE_OP_SET, _SET_FLOAT or _WRITE
 * @size: bytes: 1, 2, 4 or 8
 * @to: offset in struct pt_regs; number of the float register; address
 * @value: the new value
 */
struct gp_edit_item {
	u8 code;
	u8 size;
	u64 to;
	u64 value;
};

/**
 * struct gp_edit - changes that an edit's program has collected
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
