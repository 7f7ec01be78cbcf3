// SPDX-License-Identifier: GPL-2.0
/*
 * Verifier: accepts or rejects what user space sends. Pure: numbers in, a verdict out. Accepted
 * input can give wrong values, but never harms the kernel or the target: every index is in its
 * table, every piece in its frame, every reference in its object, every record within its limit.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "arch/arch.h"
#include "capture/goroutine.h"
#include "capture/plan.h"
#include "capture/types.h"
#include "control/verify.h"
#include "hit/edit_ops.h"

/* An object to which a reference leads is one chunk at most. */
#define GP_TYPE_SIZE_MAX	U16_MAX

/*
 * Most references at one offset of a type; offsets are 8 bytes apart. Bounds the references of a
 * record, which are followed with preemption off.
 */
#define GP_REFS_SAME	4

#define GP_SHIFT_MAX	15

static bool gp_verify_span(u32 offset)
{
	return offset % 8 == 0 && offset <= GP_RUNTIME_SPAN - 8;
}

const char *gp_verify_runtime(const struct goprobe_runtime *rt)
{
	if (rt->pad[0] || rt->pad[1] || rt->pad[2])
		return "padding of the runtime description is not 0";
	if (rt->g_reg != GOPROBE_REG_NONE && gp_arch_int_reg(rt->g_reg) < 0)
		return "g_reg is not an integer register";
	if (rt->g_tls % 8)
		return "g_tls is not a multiple of 8";
	if (!gp_verify_span(rt->g_stack_lo) || !gp_verify_span(rt->g_stack_hi) ||
	    !gp_verify_span(rt->g_goid) || !gp_verify_span(rt->g_m) ||
	    !gp_verify_span(rt->m_curg) || !gp_verify_span(rt->m_procid))
		return "an offset of the runtime description is not a multiple of 8 below 4096";
	return NULL;
}

/* Bytes that a reference reads at its offset. */
static u32 gp_ref_size(u8 kind)
{
	switch (kind) {
	case GOPROBE_REF_POINTER:
	case GOPROBE_REF_FUNC:
	case GOPROBE_REF_ARRAY:
		return 8;
	case GOPROBE_REF_STRING:
	case GOPROBE_REF_IFACE:
	case GOPROBE_REF_EFACE:
		return 16;
	case GOPROBE_REF_SLICE:
		return 24;
	}
	return 0;
}

/* Whether it is a size of a number in memory: 1, 2, 4 or 8. */
static bool gp_is_word_size(u32 size)
{
	return size <= 8 && is_power_of_2(size);
}

static const char *gp_verify_count(const struct goprobe_ref *ref, u32 size)
{
	if (ref->kind != GOPROBE_REF_ARRAY) {
		if (ref->count || ref->count_size || ref->count_offset)
			return "a reference that is no array has a count";
		return NULL;
	}
	if (ref->count == GOPROBE_COUNT_NONE || ref->count >= __GOPROBE_COUNT_MAX)
		return "a reference has an unknown count";
	if (!gp_is_word_size(ref->count_size))
		return "a reference's count is not 1, 2, 4 or 8 bytes";
	if (ref->count == GOPROBE_COUNT_FLAGS_LOG2 && ref->count_size != 2)
		return "a reference's count with flags is not 2 bytes";
	if (ref->count_size > size || ref->count_offset > size - ref->count_size)
		return "a reference's count lies outside its type";
	return NULL;
}

static const char *gp_verify_ref(const struct goprobe_ref *ref, u32 size)
{
	bool objects = ref->kind == GOPROBE_REF_SLICE || ref->kind == GOPROBE_REF_ARRAY;
	u32 need = gp_ref_size(ref->kind);

	if (!need)
		return "a reference has an unknown kind";
	if (ref->flags & ~GOPROBE_REF_F_ALL)
		return "a reference has unknown flags";
	if (ref->pad[0] || ref->pad[1] || ref->pad[2])
		return "padding of a reference is not 0";
	if (need > size || ref->offset > size - need)
		return "a reference lies outside its type";
	if (ref->offset % 8)
		return "a reference's offset is not a multiple of 8";
	if (objects || ref->kind == GOPROBE_REF_POINTER) {
		if (ref->type >= GP_TYPES_MAX)
			return "a reference names a type id above the limit of types";
	} else if (ref->type) {
		return "a reference that needs no type names one";
	}
	if (ref->elements_shift > (objects ? GP_SHIFT_MAX : 0))
		return "a reference holds too many elements in one object";
	return gp_verify_count(ref, size);
}

/* Check a wipe, which is behind what wipes up to @*end clear. */
static const char *gp_verify_wipe(const struct goprobe_ref *wipe, u32 size, u32 *end)
{
	if (wipe->type || wipe->flags || wipe->count || wipe->count_size || wipe->elements_shift)
		return "a wipe has a type, flags or a count";
	if (wipe->pad[0] || wipe->pad[1] || wipe->pad[2])
		return "padding of a reference is not 0";
	if (!wipe->count_offset)
		return "a wipe clears nothing";
	if (wipe->offset > size || wipe->count_offset > size - wipe->offset)
		return "a wipe lies outside its type";
	if (wipe->offset < *end)
		return "a type's wipes overlap, or are not in rising order";
	*end = wipe->offset + wipe->count_offset;
	return NULL;
}

/* Check the references of one type of @size bytes. */
static const char *gp_verify_refs(const struct goprobe_ref *refs, u32 n, u32 size)
{
	u32 r, wiped = 0;
	const char *why;

	for (r = 0; r < n; r++) {
		if (refs[r].kind == GOPROBE_REF_WIPE) {
			why = gp_verify_wipe(&refs[r], size, &wiped);
			if (why)
				return why;
			continue;
		}
		if (wiped)
			return "a reference is behind a wipe of its type";
		if (r && refs[r].offset < refs[r - 1].offset)
			return "a type's references are not in rising order";
		if (r >= GP_REFS_SAME && refs[r].offset == refs[r - GP_REFS_SAME].offset)
			return "a type has more than " __stringify(GP_REFS_SAME)
			       " references at one place";
		why = gp_verify_ref(&refs[r], size);
		if (why)
			return why;
	}
	return NULL;
}

/* @refs are this message's. */
const char *gp_verify_types(const struct goprobe_type *types, u32 ntypes,
			    const struct goprobe_ref *refs, u32 nrefs)
{
	const char *why;
	u32 t;

	/* A message without types would take memory without counting towards a limit. */
	if (!ntypes)
		return "a message has no types";
	for (t = 0; t < ntypes; t++) {
		const struct goprobe_type *type = &types[t];

		if (type->size > GP_TYPE_SIZE_MAX)
			return "a type is larger than 65535 bytes";
		if (type->nrefs > nrefs || type->ref > nrefs - type->nrefs)
			return "a type's references lie outside the message";
		why = gp_verify_refs(refs + type->ref, type->nrefs, type->size);
		if (why)
			return why;
	}
	return NULL;
}

/*
 * The walk follows a direct type's references in the data word of an interface. They must not need
 * more than that word, nor be interfaces.
 */
static const char *gp_verify_direct(const struct gp_type *t)
{
	u32 i;

	if (t->size != 8)
		return "a direct type is not 8 bytes";
	for (i = 0; i < t->nrefs; i++)
		if (gp_ref_size(t->refs[i].kind) != 8)
			return "a direct type refers to other memory by more than one word";
	return NULL;
}

const char *gp_verify_dynamic(const struct goprobe_dynamic *d,
			      const struct gp_types *types)
{
	const struct gp_type *t = gp_types_find(types, d->type);

	if (!d->address)
		return "a dynamic type has no address";
	if (d->flags & ~GOPROBE_DYNAMIC_F_ALL)
		return "a dynamic type has unknown flags";
	if (!t)
		return "a dynamic type names a type that does not exist";
	return d->flags & GOPROBE_DYNAMIC_F_DIRECT ? gp_verify_direct(t) : NULL;
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
		if (!gp_is_word_size(p->size))
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
	case GOPROBE_FROM_STATIC:
		return NULL;
	}
	return "a piece has an unknown source";
}

/* Fields that an operation uses, and their meaning. */
#define GP_USES_A	BIT(0)
#define GP_USES_B	BIT(1)
#define GP_USES_REG	BIT(2)	/* b: of the target */
#define GP_USES_SIZE	BIT(3)	/* of a number */
#define GP_USES_BYTES	BIT(4)	/* size: of anything */
#define GP_USES_FRAME	BIT(5)	/* offset and size: in the frame */
#define GP_USES_SKIP	BIT(6)	/* offset: operations */
#define GP_USES_VALUE	BIT(7)
#define GP_USES_STATUS	BIT(8)	/* value: why an item fails */
#define GP_USES_FLOAT	BIT(9)	/* b: of the target */
#define GP_USES_LENGTH	BIT(10)	/* value: register; size: bytes to compare */
#define GP_USES_TASK	BIT(11)	/* value: enum goprobe_task */
#define GP_USES_ID	BIT(12)	/* value: of points */
#define GP_USES_PERIOD	BIT(13)	/* offset: ms */
#define GP_USES_CAUSE	BIT(16)	/* value: enum goprobe_reject */
#define GP_USES_COUNTER	BIT(17)	/* value: of the filter */
#define GP_USES_NS	BIT(18)	/* value: a delay */
#define GP_USES_HASHED	BIT(20)	/* value: bytes to hash */
#define GP_USES_FIND	BIT(22)	/* value: elements of a search */

#define GP_USES_ANY_VALUE \
	(GP_USES_VALUE | GP_USES_STATUS | GP_USES_LENGTH | GP_USES_TASK | GP_USES_ID | \
	 GP_USES_CAUSE | GP_USES_COUNTER | GP_USES_NS | GP_USES_HASHED | GP_USES_FIND)

#define GP_PLANS_ONLY	BIT(14)
#define GP_FILTERS_ONLY	BIT(15)
#define GP_EDITS	BIT(19)	/* makes a filter an edit */
#define GP_KEYS		BIT(21)	/* makes a key or a value */
#define GP_EDITS_ONLY	(GP_EDITS | GP_FILTERS_ONLY)
#define GP_KEYS_ONLY	(GP_KEYS | GP_FILTERS_ONLY)

#define GP_USES_JUMP	(GP_USES_A | GP_USES_B | GP_USES_SKIP)
#define GP_USES_JUMP_I	(GP_USES_A | GP_USES_VALUE | GP_USES_SKIP)
#define GP_USES_AB	(GP_USES_A | GP_USES_B)

static const u32 gp_op_uses[] = {
	[GOPROBE_OP_IMM] = GP_USES_A | GP_USES_VALUE,
	[GOPROBE_OP_REG] = GP_USES_A | GP_USES_REG,
	[GOPROBE_OP_FRAME] = GP_USES_A | GP_USES_SIZE | GP_USES_FRAME | GP_PLANS_ONLY,
	[GOPROBE_OP_SP] = GP_USES_A | GP_USES_VALUE,
	[GOPROBE_OP_STATIC] = GP_USES_A | GP_USES_VALUE,
	[GOPROBE_OP_LOAD] = GP_USES_A | GP_USES_B | GP_USES_SIZE | GP_USES_VALUE,
	[GOPROBE_OP_FLOAT] = GP_USES_A | GP_USES_FLOAT | GP_USES_SIZE,
	[GOPROBE_OP_SIGN] = GP_USES_AB | GP_USES_SIZE,
	[GOPROBE_OP_LOW] = GP_USES_AB | GP_USES_SIZE,
	[GOPROBE_OP_ORDER] = GP_USES_AB | GP_USES_SIZE | GP_USES_SKIP,
	[GOPROBE_OP_MOVE] = GP_USES_AB,
	[GOPROBE_OP_ADD] = GP_USES_AB,
	[GOPROBE_OP_SUB] = GP_USES_AB,
	[GOPROBE_OP_MUL] = GP_USES_AB,
	[GOPROBE_OP_DIV] = GP_USES_AB,
	[GOPROBE_OP_MOD] = GP_USES_AB,
	[GOPROBE_OP_SDIV] = GP_USES_AB,
	[GOPROBE_OP_SMOD] = GP_USES_AB,
	[GOPROBE_OP_AND] = GP_USES_AB,
	[GOPROBE_OP_OR] = GP_USES_AB,
	[GOPROBE_OP_XOR] = GP_USES_AB,
	[GOPROBE_OP_SHL] = GP_USES_AB,
	[GOPROBE_OP_SHR] = GP_USES_AB,
	[GOPROBE_OP_SAR] = GP_USES_AB,
	[GOPROBE_OP_ADD_I] = GP_USES_A | GP_USES_VALUE,
	[GOPROBE_OP_MUL_I] = GP_USES_A | GP_USES_VALUE,
	[GOPROBE_OP_JUMP] = GP_USES_SKIP,
	[GOPROBE_OP_JEQ] = GP_USES_JUMP,
	[GOPROBE_OP_JNE] = GP_USES_JUMP,
	[GOPROBE_OP_JLT] = GP_USES_JUMP,
	[GOPROBE_OP_JGE] = GP_USES_JUMP,
	[GOPROBE_OP_JSLT] = GP_USES_JUMP,
	[GOPROBE_OP_JSGE] = GP_USES_JUMP,
	[GOPROBE_OP_JEQ_I] = GP_USES_JUMP_I,
	[GOPROBE_OP_JNE_I] = GP_USES_JUMP_I,
	[GOPROBE_OP_JLT_I] = GP_USES_JUMP_I,
	[GOPROBE_OP_JGE_I] = GP_USES_JUMP_I,
	[GOPROBE_OP_JSLT_I] = GP_USES_JUMP_I,
	[GOPROBE_OP_JSGE_I] = GP_USES_JUMP_I,
	[GOPROBE_OP_TRY] = GP_USES_SKIP | GP_USES_VALUE | GP_PLANS_ONLY,
	[GOPROBE_OP_FAIL] = GP_USES_STATUS,
	[GOPROBE_OP_STORE] = GP_USES_A | GP_USES_SIZE | GP_USES_FRAME | GP_PLANS_ONLY,
	[GOPROBE_OP_COPY] = GP_USES_B | GP_USES_BYTES | GP_USES_FRAME | GP_USES_VALUE |
			    GP_PLANS_ONLY,
	[GOPROBE_OP_END] = 0,
	[GOPROBE_OP_REJECT] = GP_USES_CAUSE | GP_FILTERS_ONLY,
	[GOPROBE_OP_TASK] = GP_USES_A | GP_USES_TASK | GP_FILTERS_ONLY,
	[GOPROBE_OP_DURATION] = GP_USES_A | GP_FILTERS_ONLY,
	[GOPROBE_OP_NUMBER] = GP_USES_A | GP_USES_COUNTER | GP_FILTERS_ONLY,
	[GOPROBE_OP_UNDER] = GP_USES_A | GP_USES_ID | GP_FILTERS_ONLY,
	[GOPROBE_OP_SAME] = GP_USES_AB | GP_USES_BYTES | GP_USES_LENGTH | GP_FILTERS_ONLY,
	[GOPROBE_OP_KEY] = GP_USES_A | GP_KEYS_ONLY,
	[GOPROBE_OP_KEY_BYTES] = GP_USES_AB | GP_USES_BYTES | GP_USES_HASHED | GP_KEYS_ONLY,
	[GOPROBE_OP_KEY_STACK] = GP_USES_VALUE | GP_KEYS_ONLY,
	[GOPROBE_OP_VALUE] = GP_USES_A | GP_KEYS_ONLY,
	[GOPROBE_OP_SVALUE] = GP_USES_A | GP_KEYS_ONLY,
	[GOPROBE_OP_BUCKET] = GP_USES_A | GP_KEYS_ONLY,
	[GOPROBE_OP_QUOTA] = GP_USES_A | GP_USES_PERIOD | GP_USES_VALUE | GP_FILTERS_ONLY,
	[GOPROBE_OP_ROOT] = GP_USES_A | GP_FILTERS_ONLY,
	[GOPROBE_OP_IN_SET] = GP_USES_AB | GP_FILTERS_ONLY,
	[GOPROBE_OP_SET] = GP_USES_A | GP_USES_REG | GP_EDITS_ONLY,
	[GOPROBE_OP_SET_FLOAT] = GP_USES_A | GP_USES_FLOAT | GP_USES_SIZE | GP_EDITS_ONLY,
	[GOPROBE_OP_WRITE] = GP_USES_AB | GP_USES_SIZE | GP_USES_VALUE | GP_EDITS_ONLY,
	[GOPROBE_OP_DELAY] = GP_USES_NS | GP_EDITS_ONLY,
	[GOPROBE_OP_MATCH] = GP_USES_AB | GP_USES_BYTES | GP_USES_SKIP | GP_USES_VALUE |
			     GP_FILTERS_ONLY,
	[GOPROBE_OP_FIND] = GP_USES_AB | GP_USES_BYTES | GP_USES_SKIP | GP_USES_FIND |
			    GP_FILTERS_ONLY,
	[GOPROBE_OP_DATA] = GP_USES_VALUE | GP_FILTERS_ONLY,
};

static_assert(ARRAY_SIZE(gp_op_uses) == __GOPROBE_OP_MAX);

static bool gp_op_is_clean(const struct goprobe_op *op, u32 uses)
{
	return (uses & GP_USES_A || !op->a) &&
	       (uses & (GP_USES_B | GP_USES_REG | GP_USES_FLOAT) || !op->b) &&
	       (uses & (GP_USES_SIZE | GP_USES_BYTES) || !op->size) &&
	       (uses & (GP_USES_FRAME | GP_USES_SKIP | GP_USES_PERIOD) || !op->offset) &&
	       (uses & GP_USES_ANY_VALUE || !op->value) &&
	       !op->pad && !op->pad2;
}

/* Check the value of an operation. */
static const char *gp_verify_op_value(const struct goprobe_op *op, u32 uses)
{
	if (uses & GP_USES_STATUS && (op->value == GOPROBE_CHUNK_OK ||
				      op->value >= __GOPROBE_CHUNK_MAX))
		return "an item fails for an unknown reason";
	if (uses & GP_USES_LENGTH && op->value >= GP_OP_REGS)
		return "an operation names a register above 15";
	if (uses & GP_USES_TASK && op->value >= __GOPROBE_TASK_MAX)
		return "an operation reads an unknown property of a task";
	if (uses & GP_USES_ID && op->value > U32_MAX)
		return "an operation names an id of more than 32 bits";
	if (uses & GP_USES_CAUSE &&
	    (op->value & ~(u64)GOPROBE_REJECT_F_MUTED) >= __GOPROBE_REJECT_MAX)
		return "a filter rejects for an unknown reason";
	if (uses & GP_USES_COUNTER && op->value >= GP_NUMBERS)
		return "a filter has two counters of hits, 0 and 1";
	if (uses & GP_USES_PERIOD && op->offset && op->value > GP_QUOTA_MAX)
		return "the quota of a period is more than 16777215";
	if (uses & GP_USES_NS && (!op->value || op->value > GOPROBE_DELAY_NS_MAX))
		return "a delay is not between 1 ns and 1 s";
	if (uses & GP_USES_HASHED && op->value > GP_BYTES_MAX)
		return "a key's hash covers more than " __stringify(GP_BYTES_MAX) " bytes";
	if (uses & GP_USES_FIND && op->value >= GOPROBE_FIND_F_STRING << 1)
		return "an operation searches with unknown flags";
	return NULL;
}

/*
 * Check one operation, with @left operations behind it, in a frame of @frame bytes. @reject:
 * GP_PLANS_ONLY or GP_FILTERS_ONLY: operations that are not allowed.
 */
static const char *gp_verify_op(const struct goprobe_op *op, u32 left, u32 frame, u32 reject)
{
	u32 uses;

	if (op->code == GOPROBE_OP_UNSPEC || op->code >= __GOPROBE_OP_MAX)
		return "an operation has an unknown code";
	uses = gp_op_uses[op->code];
	if (uses & reject)
		return reject == GP_PLANS_ONLY ? "a filter has an operation that is for plans" :
						 "a plan has an operation that is for filters";
	if (!gp_op_is_clean(op, uses))
		return "a field that an operation does not use is not 0";
	if (op->a >= GP_OP_REGS || (uses & GP_USES_B && op->b >= GP_OP_REGS))
		return "an operation names a register above 15";
	if (uses & GP_USES_REG && gp_arch_int_reg(op->b) < 0)
		return "an operation names a register that is not an integer register";
	if (op->code == GOPROBE_OP_SET && op->b == GP_ARCH_SP)
		return "an edit sets the stack pointer";
	if (uses & GP_USES_FLOAT && gp_arch_float_reg(op->b) < 0)
		return "an operation names a register that is not a float register";
	if (uses & GP_USES_SIZE && !gp_is_word_size(op->size))
		return "an operation's number is not 1, 2, 4 or 8 bytes";
	if (uses & GP_USES_FRAME &&
	    (!op->size || op->size > frame || op->offset > frame - op->size))
		return "an operation lies outside its frame";
	if (uses & GP_USES_SKIP && op->offset > left)
		return "an operation skips past the end of its program";
	if ((op->code == GOPROBE_OP_ORDER || uses & GP_USES_FLOAT) && op->size < 4)
		return "an operation's float is not 4 or 8 bytes";
	if (uses & GP_USES_BYTES && !(uses & GP_USES_FRAME) && op->size > GP_BYTES_MAX)
		return "an operation of a filter compares more than " __stringify(GP_BYTES_MAX)
		       " bytes";
	return gp_verify_op_value(op, uses);
}

/* Check a program. *@tries: number of its items. */
static const char *gp_verify_program(const struct goprobe_op *ops, u32 n, u32 frame,
				     u32 reject, u32 *tries)
{
	u32 copies = 0, looks = 0, quotas[2] = { 0 }, i;
	const char *why;

	*tries = 0;
	for (i = 0; i < n; i++) {
		why = gp_verify_op(&ops[i], n - i - 1, frame, reject);
		if (why)
			return why;
		*tries += ops[i].code == GOPROBE_OP_TRY;
		looks += ops[i].code == GOPROBE_OP_UNDER || ops[i].code == GOPROBE_OP_ROOT;
		quotas[!!ops[i].offset] += ops[i].code == GOPROBE_OP_QUOTA;
		copies += gp_op_uses[ops[i].code] & GP_USES_BYTES ? ops[i].size : 0;
		copies += gp_op_uses[ops[i].code] & GP_USES_HASHED ? ops[i].value : 0;
		/* The key may be compared with each of the other elements, too. */
		copies += gp_op_uses[ops[i].code] & GP_USES_FIND ?
			  (GOPROBE_FIND_ELEMENTS - 1) * ops[i].size : 0;
	}
	if (looks > GP_UNDERS_MAX)
		return "a filter has more than " __stringify(GP_UNDERS_MAX)
		       " operations that look at open calls";
	if (max(quotas[0], quotas[1]) > 1)
		return "a filter has two quotas of one kind";
	return copies > GP_COPIES_MAX ? "a program copies more than 64 KiB" : NULL;
}

static const char *gp_verify_budgets(const struct goprobe_plan *plan, u32 frame,
				     u32 tries)
{
	u32 fixed = sizeof(struct goprobe_record) + ALIGN(frame, GP_RECORD_ALIGN) +
		    tries * sizeof(struct goprobe_chunk);

	if (fixed > GP_RECORD_MAX || plan->bytes > GP_RECORD_MAX - fixed)
		return "a plan's records can be larger than 24 KiB";
	if (plan->objects > GP_RECORD_MAX / sizeof(struct goprobe_chunk))
		return "a plan allows more objects than a record can hold";
	if (plan->string_limit > GP_RECORD_MAX || plan->elements > GP_RECORD_MAX)
		return "a plan's limit of strings or elements is larger than a record";
	if (plan->depth > GP_DEPTH_MAX)
		return "a plan's depth is larger than " __stringify(GP_DEPTH_MAX);
	return NULL;
}

static const char *gp_verify_call_stack(const struct goprobe_plan *plan, u32 frame)
{
	if (!plan->nstack)
		return plan->stack ? "a plan has no call stack, but a place for it" : NULL;
	if (plan->stack % 8 || plan->stack > frame || frame - plan->stack < 8 ||
	    plan->nstack > (frame - plan->stack) / 8 - 1)
		return "a plan's call stack lies outside its frame";
	return NULL;
}

const char *gp_verify_plan(const struct goprobe_plan *plan,
			   const struct goprobe_piece *pieces, u32 npieces,
			   const struct goprobe_op *ops, u32 nops,
			   const struct gp_types *types)
{
	const struct gp_type *t = gp_types_find(types, plan->type);
	const char *why;
	u32 i, tries;

	if (!t)
		return "a plan names a type that does not exist";
	if (t->size > GP_FRAME_MAX)
		return "a plan's frame is larger than " __stringify(GP_FRAME_MAX) " bytes";
	if (plan->npieces > GP_PIECES_MAX)
		return "a plan has more than " __stringify(GP_PIECES_MAX) " pieces";
	if (plan->npieces > npieces || plan->piece > npieces - plan->npieces)
		return "a plan's pieces lie outside the message";
	if (plan->nops > GP_OPS_MAX)
		return "a plan has more than " __stringify(GP_OPS_MAX) " operations";
	if (plan->nops > nops || plan->op > nops - plan->nops)
		return "a plan's operations lie outside the message";
	for (i = plan->piece; i < plan->piece + plan->npieces; i++) {
		why = gp_verify_piece(&pieces[i], t->size);
		if (why)
			return why;
	}
	why = gp_verify_program(ops + plan->op, plan->nops, t->size, GP_FILTERS_ONLY,
				&tries);
	if (why)
		return why;
	why = gp_verify_call_stack(plan, t->size);
	return why ?: gp_verify_budgets(plan, t->size, tries);
}

/* An edit makes no key, no value, and uses no duration. */
static const char *gp_verify_edit(const struct goprobe_op *ops, u32 n)
{
	u32 edits = 0, others = 0, i;

	for (i = 0; i < n; i++) {
		u32 uses = gp_op_uses[ops[i].code];

		edits += !!(uses & GP_EDITS);
		others += uses & GP_KEYS || ops[i].code == GOPROBE_OP_DURATION;
	}
	if (edits > GP_EDITS_MAX)
		return "an edit sets, writes and delays more than " __stringify(GP_EDITS_MAX)
		       " times";
	return edits && others ? "an edit makes a key or a value, or uses a duration" : NULL;
}

/* @ops are this message's. */
const char *gp_verify_filter(const struct goprobe_filter *filter,
			     const struct goprobe_op *ops, u32 nops)
{
	const char *why;
	u32 tries;

	if (!filter->nops)
		return "a filter has no operations";
	if (filter->nops > GP_OPS_MAX)
		return "a filter has more than " __stringify(GP_OPS_MAX) " operations";
	if (filter->nops > nops || filter->op > nops - filter->nops)
		return "a filter's operations lie outside the message";
	why = gp_verify_program(ops + filter->op, filter->nops, 0, GP_PLANS_ONLY, &tries);
	return why ?: gp_verify_edit(ops + filter->op, filter->nops);
}

static_assert(sizeof(GOPROBE_SELF_TEST_CODE) == GOPROBE_SELF_TEST_SIZE + 1);
static_assert(GOPROBE_SELF_TEST_SIZE <= GOPROBE_CODE_MAX);

static const char *gp_verify_self_test(const struct goprobe_point *point)
{
	if (point->plan != GOPROBE_NO_PLAN || point->skip || point->action || point->filter ||
	    point->edit)
		return "a self-test has a plan, an action, a filter, an edit or a skip";
	if (point->code_len != GOPROBE_SELF_TEST_SIZE ||
	    memcmp(point->code, GOPROBE_SELF_TEST_CODE, GOPROBE_SELF_TEST_SIZE))
		return "a self-test's code is not GOPROBE_SELF_TEST_CODE";
	return NULL;
}

/* Check the flags of paired, pending and timed points. */
static const char *gp_verify_pairing(const struct goprobe_point *point)
{
	bool paired = point->flags & GOPROBE_POINT_F_PAIRED;

	if (point->flags & GOPROBE_POINT_F_KEYED && point->action != GOPROBE_ACTION_TIME)
		return "a point is timed by key, but not timed";
	if (paired && point->action != GOPROBE_ACTION_RECORD)
		return "a point is paired, but leaves no record";
	if (paired && point->kind == GOPROBE_POINT_SELF_TEST)
		return "a self-test is paired";
	if (point->kind == GOPROBE_POINT_AT && (paired || point->action == GOPROBE_ACTION_TIME))
		return "a point that is neither a call nor an end is timed or paired";
	if (point->kind == GOPROBE_POINT_AT && point->skip != GOPROBE_SKIP_NEVER)
		return "a point has a skip condition, but is no call";
	if (point->flags & GOPROBE_POINT_F_PENDING &&
	    (!paired || point->kind != GOPROBE_POINT_CALL))
		return "a point is pending, but no paired call";
	if (point->flags & GOPROBE_POINT_F_SPLIT &&
	    (!paired || point->kind == GOPROBE_POINT_CALL))
		return "a point has times by state, but is no end of a paired call";
	if (point->flags & GOPROBE_POINT_F_UNWOUND && !(point->flags & GOPROBE_POINT_F_PENDING))
		return "a point is written when unwound, but not pending";
	return NULL;
}

static bool gp_verify_may_jump(const struct goprobe_point *point)
{
	if (point->action > GOPROBE_ACTION_TIME)
		return false;
	if (point->kind == GOPROBE_POINT_CALL)
		return point->skip == GOPROBE_SKIP_IF_BE;
	return point->kind == GOPROBE_POINT_RETURN && point->skip == GOPROBE_SKIP_NEVER &&
	       point->action != GOPROBE_ACTION_COUNT;
}

const char *gp_verify_point(const struct goprobe_point *point, u32 nplans, u32 nfilters)
{
	const char *why;

	if (point->kind == GOPROBE_POINT_UNSPEC || point->kind >= __GOPROBE_POINT_MAX)
		return "a point has an unknown kind";
	if (point->skip >= __GOPROBE_SKIP_MAX)
		return "a point has an unknown skip condition";
	if (point->flags & ~GOPROBE_POINT_F_ALL)
		return "a point has unknown flags";
	if (point->flags & GOPROBE_POINT_F_JUMP && !gp_verify_may_jump(point))
		return "a jump is neither at a stack check nor an end of recorded or timed calls";
	if (point->plan != GOPROBE_NO_PLAN && point->plan >= nplans)
		return "a point names a plan that does not exist";
	if (point->action >= __GOPROBE_ACTION_MAX)
		return "a point has an unknown action";
	if (point->action != GOPROBE_ACTION_RECORD && point->plan != GOPROBE_NO_PLAN)
		return "a point has a plan, but leaves no record";
	if (point->filter > nfilters)
		return "a point names a filter that does not exist";
	if (point->edit > nfilters)
		return "a point names an edit that does not exist";
	if (point->edit && point->action > GOPROBE_ACTION_COUNT)
		return "a point has an edit, but neither records nor counts";
	if (point->trap || point->pad[0] || point->pad[1] || point->pad2)
		return "padding of a point is not 0";
	why = gp_verify_pairing(point);
	if (why)
		return why;
	if (!point->code_len || point->code_len > GOPROBE_CODE_MAX)
		return "a point has no code of its instruction";
	if (point->sp_adjust < -(1 << 20) || point->sp_adjust > 1 << 20)
		return "a point's stack pointer is too far from the one at entry";
	if (point->kind == GOPROBE_POINT_SELF_TEST)
		return gp_verify_self_test(point);
	return gp_arch_refuses(point->code, point->code_len);
}
