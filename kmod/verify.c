// SPDX-License-Identifier: GPL-2.0
/*
 * The trust gate: accept or refuse what user space sends. Pure: numbers in, a
 * verdict out. What has passed can give wrong values, never a harmed kernel or
 * target: every index is in its table, every piece in its frame, every reference in
 * its object, every record in its limit.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "arch/arch.h"
#include "capture.h"
#include "goroutine.h"
#include "verify.h"

/* An object that a reference leads to is one chunk at most. */
#define GP_TYPE_SIZE_MAX	U16_MAX

static bool gp_verify_span(u32 offset)
{
	return offset % 8 == 0 && offset <= GP_RUNTIME_SPAN - 8;
}

const char *gp_verify_runtime(const struct goprobe_runtime *rt)
{
	if (rt->pad[0] || rt->pad[1] || rt->pad[2] || rt->pad2)
		return "padding of the runtime description is not 0";
	if (rt->g_reg != GOPROBE_REG_NONE && gp_arch_int_reg(rt->g_reg) < 0)
		return "g_reg is not an integer register";
	if (rt->g_tls % 8)
		return "g_tls is not a multiple of 8";
	if (!gp_verify_span(rt->g_stack_lo) || !gp_verify_span(rt->g_stack_hi) ||
	    !gp_verify_span(rt->g_goid) || !gp_verify_span(rt->g_m) ||
	    !gp_verify_span(rt->m_curg))
		return "an offset of the runtime description is not a multiple of 8 below 4096";
	return NULL;
}

/* Bytes at its offset that a reference reads. */
static u32 gp_ref_size(u16 kind)
{
	switch (kind) {
	case GOPROBE_REF_POINTER:
		return 8;
	case GOPROBE_REF_STRING:
	case GOPROBE_REF_IFACE:
		return 16;
	case GOPROBE_REF_SLICE:
		return 24;
	}
	return 0;
}

static const char *gp_verify_ref(const struct goprobe_ref *ref, u32 size,
				 u32 ntypes)
{
	u32 need = gp_ref_size(ref->kind);

	if (!need)
		return "a reference has an unknown kind";
	if (ref->pad)
		return "padding of a reference is not 0";
	if (need > size || ref->offset > size - need)
		return "a reference lies outside its type";
	if (ref->kind == GOPROBE_REF_POINTER || ref->kind == GOPROBE_REF_SLICE) {
		if (ref->type >= ntypes)
			return "a reference names a type that does not exist";
	} else if (ref->type) {
		return "a reference that needs no type names one";
	}
	return NULL;
}

/*
 * @refs are this message's; @first_type is the session id that types[0] will
 * have, so that ids below @first_type + @ntypes may be named.
 */
const char *gp_verify_types(const struct goprobe_type *types, u32 ntypes,
			    u32 first_type, const struct goprobe_ref *refs,
			    u32 nrefs)
{
	const char *why;
	u32 t, r;

	for (t = 0; t < ntypes; t++) {
		const struct goprobe_type *type = &types[t];

		if (type->size > GP_TYPE_SIZE_MAX)
			return "a type is larger than 65535 bytes";
		if (type->nrefs > nrefs || type->ref > nrefs - type->nrefs)
			return "a type's references lie outside the message";
		for (r = type->ref; r < type->ref + type->nrefs; r++) {
			if (r > type->ref && refs[r].offset <= refs[r - 1].offset)
				return "a type's references are not in rising order";
			why = gp_verify_ref(&refs[r], type->size, first_type + ntypes);
			if (why)
				return why;
		}
	}
	return NULL;
}

static const char *gp_verify_piece(const struct goprobe_piece *p, u32 frame)
{
	if (p->pad)
		return "padding of a piece is not 0";
	if (!p->size || p->size > frame || p->frame > frame - p->size)
		return "a piece lies outside its frame";
	switch (p->source) {
	case GOPROBE_FROM_INT_REG:
		if (gp_arch_int_reg(p->reg) < 0)
			return "a piece names a register that is not an integer register";
		if (p->size > 8 || !is_power_of_2(p->size))
			return "a piece of an integer register is not 1, 2, 4 or 8 bytes";
		return NULL;
	case GOPROBE_FROM_FLOAT_REG:
		if (gp_arch_float_reg(p->reg) < 0)
			return "a piece names a register that is not a float register";
		if (p->size < 4 || p->size > 16 || !is_power_of_2(p->size))
			return "a piece of a float register is not 4, 8 or 16 bytes";
		return NULL;
	case GOPROBE_FROM_STACK:
		if (p->offset < -4096 || p->offset >= 1 << 20)
			return "a piece is too far from the stack pointer";
		return NULL;
	}
	return "a piece has an unknown source";
}

const char *gp_verify_plan(const struct goprobe_plan *plan,
			   const struct goprobe_piece *pieces, u32 npieces,
			   const struct goprobe_type *types, u32 ntypes)
{
	const char *why;
	u32 frame, i;

	if (plan->type >= ntypes)
		return "a plan names a type that does not exist";
	frame = types[plan->type].size;
	if (frame > GP_FRAME_MAX)
		return "a plan's frame is larger than 4096 bytes";
	if (plan->npieces > GP_PIECES_MAX)
		return "a plan has more than 512 pieces";
	if (plan->npieces > npieces || plan->piece > npieces - plan->npieces)
		return "a plan's pieces lie outside the message";
	if (plan->bytes > GP_RECORD_MAX - sizeof(struct goprobe_record) -
			  ALIGN(frame, GP_RECORD_ALIGN))
		return "a plan's records can be larger than 24 KiB";
	if (plan->objects > GP_RECORD_MAX / sizeof(struct goprobe_chunk))
		return "a plan allows more objects than a record can hold";
	if (plan->string_limit > GP_RECORD_MAX || plan->elements > GP_RECORD_MAX)
		return "a plan's limit of strings or elements is larger than a record";
	for (i = plan->piece; i < plan->piece + plan->npieces; i++) {
		why = gp_verify_piece(&pieces[i], frame);
		if (why)
			return why;
	}
	return NULL;
}

const char *gp_verify_point(const struct goprobe_point *point, u32 nplans)
{
	if (point->kind == GOPROBE_POINT_UNSPEC || point->kind >= __GOPROBE_POINT_MAX)
		return "a point has an unknown kind";
	if (point->skip >= __GOPROBE_SKIP_MAX)
		return "a point has an unknown condition to skip";
	if (point->flags & ~GOPROBE_POINT_F_ALL)
		return "a point has unknown flags";
	if (point->plan != GOPROBE_NO_PLAN && point->plan >= nplans)
		return "a point names a plan that does not exist";
	if (!point->code_len || point->code_len > GOPROBE_CODE_MAX)
		return "a point does not say what its instruction is";
	if (point->sp_adjust < -(1 << 20) || point->sp_adjust > 1 << 20)
		return "a point's stack pointer is too far from the one at entry";
	return gp_arch_refuses(point->code, point->code_len);
}
