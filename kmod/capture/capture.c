// SPDX-License-Identifier: GPL-2.0
/*
 * Assembly of a record's frame, as a verified plan describes it; walk.c follows the references.
 *
 * Context: the hitting task, preemption off, page faults disabled. The plan bounds all work,
 * whatever the target's memory holds.
 *
 * Leaf: includes nothing that does I/O. KUnit replaces gp_user_copy().
 */
#include <linux/errno.h>
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

/* The byte at @address cannot be read. Return: the status, or -EAGAIN to bring its page in. */
noinline int gp_capture_absent(struct gp_capture *c, unsigned long address)
{
	u16 verdict = gp_faultin_verdict(c->faultin, address);

	if (verdict != GOPROBE_CHUNK_OK)
		return verdict;
	c->faultin->address = address;
	return -EAGAIN;
}

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
	if (unlikely(err) || !plan->w.depth || !plan->frame->nrefs)
		return err;
	return gp_walk_run(c);
}
