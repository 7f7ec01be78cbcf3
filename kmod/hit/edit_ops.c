// SPDX-License-Identifier: GPL-2.0
/* Operations of edits: they collect changes, which are made when the program has ended. */
#include <linux/bug.h>
#include <linux/minmax.h>

#include "arch/usercopy.h"
#include "hit/edit_ops.h"

/**
 * gp_edit_collect() - collect the change of an operation
 * @edit: collected changes; the verifier has checked that they fit
 * @op: sets, writes or delays
 * @r: the program's registers
 *
 * Return: enum goprobe_chunk_status.
 */
int gp_edit_collect(struct gp_edit *edit, const struct gp_op *op, const u64 *r)
{
	struct gp_edit_item *item;
	u64 base, at;

	/* objects.c rejects such operations in filters that are no edits. */
	if (WARN_ON_ONCE(!edit) || edit->n >= GP_EDITS_MAX)
		return GOPROBE_CHUNK_BAD;
	if (op->code == GOPROBE_OP_DELAY) {
		edit->delay = min(edit->delay + op->value, GOPROBE_DELAY_NS_MAX);
		return GOPROBE_CHUNK_OK;
	}
	item = &edit->item[edit->n];
	*item = (struct gp_edit_item){
		.code = op->code, .size = op->size, .to = op->b, .value = r[op->a],
	};
	if (op->code == GOPROBE_OP_WRITE) {
		base = r[op->b];
		at = base + op->value;
		if (min(base, at) < GP_NIL_END)
			return GOPROBE_CHUNK_NIL;
		item->to = at;
	}
	edit->n++;
	return GOPROBE_CHUNK_OK;
}
