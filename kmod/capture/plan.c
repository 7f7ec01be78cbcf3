// SPDX-License-Identifier: GPL-2.0
/* Construction of plans for handlers from what user space sent and the verifier accepted. */
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "arch/arch.h"
#include "capture/plan.h"
#include "capture/types.h"
#include "gfp.h"

static void gp_plan_load_piece(struct gp_plan *plan, struct gp_piece *to,
			       const struct goprobe_piece *p)
{
	to->source = p->source;
	to->size = p->size;
	to->frame = p->frame;
	to->offset = p->source == GOPROBE_FROM_STATIC ? p->address : (s64)p->offset;
	if (p->source == GOPROBE_FROM_INT_REG)
		to->from = gp_arch_int_reg(p->reg);
	if (p->source == GOPROBE_FROM_FLOAT_REG) {
		to->from = gp_arch_float_reg(p->reg);
		plan->float_mask |= 1 << to->from;
	}
}

/* Convert a verified operation for execution. */
void gp_op_load(struct gp_op *to, const struct goprobe_op *op)
{
	*to = gp_op_of(op);
	if (op->code == GOPROBE_OP_REG || op->code == GOPROBE_OP_SET)
		to->b = gp_arch_int_reg(op->b);
	if (op->code == GOPROBE_OP_FLOAT || op->code == GOPROBE_OP_SET_FLOAT)
		to->b = gp_arch_float_reg(op->b);
}

/* Whether the pieces are whole integer registers that fill the frame one after the other. */
static bool gp_plan_is_words(const struct gp_plan *plan)
{
	u32 filled = 0, i;

	for (i = 0; i < plan->npieces; i++) {
		const struct gp_piece *p = &plan->pieces[i];

		if (p->source != GOPROBE_FROM_INT_REG || p->size != 8 ||
		    p->frame != filled)
			return false;
		filled += p->size;
	}
	return filled == plan->frame_bytes;
}

/* Decide whether gp_capture_quick() can run the plan. */
static void gp_plan_prepare_quick(struct gp_plan *plan)
{
	u32 nrefs = plan->w.depth ? plan->frame->nrefs : 0, i;
	u64 bytes;

	if (plan->w.nops || plan->w.nstack || plan->frame->nwipes ||
	    plan->npieces > GP_QUICK_WORDS || !gp_plan_is_words(plan))
		return;
	for (i = 0; i < nrefs; i++)
		if (plan->frame_refs[i].kind != GOPROBE_REF_STRING ||
		    plan->frame_refs[i].flags)
			return;
	bytes = nrefs * (sizeof(struct goprobe_chunk) +
			 (u64)ALIGN(plan->w.string_limit, GP_RECORD_ALIGN));
	if (nrefs > plan->w.objects || bytes > plan->w.bytes ||
	    (nrefs && !plan->w.string_limit))
		return;
	plan->quick = true;
	plan->quick_words = plan->npieces;
	for (i = 0; i < plan->npieces; i++)
		plan->quick_from[GP_QUICK_WORDS - plan->npieces + i] = plan->pieces[i].from;
	plan->quick_refs = nrefs;
	plan->quick_bytes = plan->frame_bytes + bytes;
}

/**
 * gp_plan_new() - make a plan
 * @w: verified
 * @pieces: its message's, verified
 * @ops: its message's, verified
 * @types: the session's; outlives the plan
 * @id: session plan id
 *
 * Return: the plan, or NULL if there is no memory.
 */
struct gp_plan *gp_plan_new(const struct goprobe_plan *w,
			    const struct goprobe_piece *pieces,
			    const struct goprobe_op *ops,
			    const struct gp_types *types, u32 id)
{
	struct gp_plan *plan;
	struct gp_op *copy;
	u32 i;

	plan = kvzalloc(struct_size(plan, pieces, w->npieces) + w->nops * sizeof(*copy),
			GP_GFP_CHARGED);
	if (!plan)
		return NULL;
	plan->w = *w;
	plan->id = id;
	plan->types = types;
	plan->frame = gp_types_find(types, w->type);
	plan->frame_refs = plan->frame->refs;
	plan->frame_bytes = ALIGN(plan->frame->size, GP_RECORD_ALIGN);
	plan->npieces = w->npieces;
	for (i = 0; i < w->npieces; i++)
		gp_plan_load_piece(plan, &plan->pieces[i], &pieces[w->piece + i]);
	copy = (struct gp_op *)&plan->pieces[w->npieces];
	plan->record_bytes = sizeof(struct goprobe_record) + plan->frame_bytes + w->bytes;
	for (i = 0; i < w->nops; i++) {
		gp_op_load(&copy[i], &ops[w->op + i]);
		if (copy[i].code == GOPROBE_OP_TRY)
			plan->record_bytes += sizeof(struct goprobe_chunk);
	}
	plan->ops = copy;
	gp_plan_prepare_quick(plan);
	return plan;
}

void gp_plan_free(struct gp_plan *plan)
{
	kvfree(plan);
}
