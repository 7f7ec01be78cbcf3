// SPDX-License-Identifier: GPL-2.0
/*
 * Assembly of a record's frame, as a verified plan describes it; walk.c follows the references.
 *
 * Context: the hitting task, preemption off, page faults disabled. The plan bounds all work,
 * whatever the target's memory holds.
 *
 * Leaf: includes nothing that does I/O. KUnit replaces gp_user_copy().
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "arch/arch.h"
#include "arch/usercopy.h"
#include "capture/capture.h"
#include "capture/faultin.h"
#include "capture/program.h"
#include "capture/types.h"
#include "capture/walk.h"

/* For longer frames memset() is faster, although it is a call. */
#define GP_CAPTURE_CLEAR_WORDS	128

/* A piece of the stack or of static data. */
static noinline int gp_capture_memory(struct gp_capture *c, const struct gp_piece *p)
{
	u64 base = p->source == GOPROBE_FROM_STACK ? c->sp : c->bias;
	u8 *to = c->to + p->frame;
	u32 size = p->size;
	int status;

	status = gp_capture_copy(c, to, base + p->offset, &size);
	if (status < 0)
		return status;
	if (unlikely(status != GOPROBE_CHUNK_OK)) {
		memset(to + size, 0, p->size - size);
		c->flags |= GOPROBE_RECORD_F_FAULT;
	}
	return 0;
}

/* A separate function: float registers are rare, and their buffer is large. */
static noinline void gp_capture_floats(struct gp_capture *c)
{
	struct gp_float_regs floats GP_UNINITIALIZED;
	const struct gp_plan *plan = c->plan;
	u32 i;

	gp_arch_float_regs(&floats, plan->float_mask);
	for (i = 0; i < plan->npieces; i++) {
		const struct gp_piece *p = &plan->pieces[i];

		if (p->source == GOPROBE_FROM_FLOAT_REG)
			memcpy(c->to + p->frame, floats.reg[p->from], p->size);
	}
}

static __always_inline void gp_capture_clear(u8 *frame, u32 bytes)
{
	u64 *word = (u64 *)frame;

	if (unlikely(bytes > GP_CAPTURE_CLEAR_WORDS)) {
		memset(frame, 0, bytes);
		return;
	}
	/* WRITE_ONCE() keeps the compiler from turning the loop into a memset(). */
	for (; bytes; bytes -= sizeof(*word))
		WRITE_ONCE(*word++, 0);
}

static __always_inline int gp_capture_frame(struct gp_capture *c)
{
	const struct gp_plan *plan = c->plan;
	const struct gp_piece *p = plan->pieces, *end = p + plan->npieces;
	int err;

	gp_capture_clear(c->to, plan->frame_bytes);
	for (; p < end; p++) {
		if (p->source == GOPROBE_FROM_INT_REG) {
			gp_copy_low(c->to + p->frame,
				    (const u8 *)c->regs + p->from, p->size);
		} else if (p->source != GOPROBE_FROM_FLOAT_REG) {
			err = gp_capture_memory(c, p);
			if (err)
				return err;
		}
	}
	if (unlikely(plan->float_mask))
		gp_capture_floats(c);
	c->used = plan->frame_bytes;
	return 0;
}

/* Clear what is to be wiped in the objects of type @t at @object. The last one may be cut short. */
static void gp_capture_wipe_objects(const struct gp_type *t, u8 *object, u32 left)
{
	const struct goprobe_ref *const first = t->refs + t->nrefs, *const end = first + t->nwipes;
	const struct goprobe_ref *wipe;
	u32 each;

	for (; left; object += each, left -= each) {
		each = min(t->size, left);
		for (wipe = first; wipe < end && wipe->offset < each; wipe++)
			memset(object + wipe->offset, 0,
			       min(wipe->count_offset, each - wipe->offset));
	}
}

/* Clear what no reader may see, in the frame and in all chunks, also those past a full budget. */
static noinline void gp_capture_wipe(const struct gp_capture *c)
{
	const struct gp_plan *plan = c->plan;
	u8 *at = c->to + plan->frame_bytes, *const end = c->to + c->used;

	if (plan->frame->nwipes)
		gp_capture_wipe_objects(plan->frame, c->to, plan->frame->size);
	while (at < end) {
		const struct goprobe_chunk *chunk = (const void *)at;
		const struct gp_type *t = gp_types_find(plan->types, chunk->type);

		at += sizeof(*chunk);
		if (t && t->nwipes)
			gp_capture_wipe_objects(t, at, chunk->size);
		at += ALIGN(chunk->size, GP_RECORD_ALIGN);
	}
}

/**
 * gp_capture_run() - capture frame and chunks
 * @c: filled in by the caller
 *
 * Return: 0; -EAGAIN: bring c->faultin->address in, then run again; -ENOSPC: the ring has not
 * enough space.
 */
int gp_capture_run(struct gp_capture *c)
{
	const struct gp_plan *plan = c->plan;
	int err = gp_capture_frame(c);

	if (!err && plan->w.nops)
		err = gp_program_run(c);
	if (!err && plan->w.depth && plan->frame->nrefs)
		err = gp_walk_run(c);
	if (unlikely(READ_ONCE(plan->types->wipes)) && !err)
		gp_capture_wipe(c);
	return err;
}
