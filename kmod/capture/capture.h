/* SPDX-License-Identifier: GPL-2.0 */
/* Assembly of a record's frame and the walk of its references, as a verified plan describes. */
#ifndef GP_CAPTURE_H
#define GP_CAPTURE_H

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/types.h>
#include <goprobe.h>

#include "arch/usercopy.h"
#include "capture/faultin.h"
#include "capture/plan.h"

struct gp_dynamic;
struct gp_visited;
struct gp_todo;

/* Bits of the longest length that a Go object can have; longer lengths are invalid. */
#define GP_LEN_BITS	47
#define GP_LEN_MAX	BIT_ULL(GP_LEN_BITS)

/**
 * struct gp_capture - a running capture
 * @plan: what to capture
 * @regs: the target's registers
 * @sp: SP at function entry
 * @bias: run-time addresses of the file minus its link-time addresses
 * @dynamic: the file's dynamic types
 * @to: start of the frame; @space covers the frame
 * @space: bytes available at @to
 * @faultin: what is known of absent memory in this hit
 * @visited: of this CPU
 * @used: bytes written
 * @at: where the walk writes next
 * @end: limit of @at, from the plan's budgets and @space
 * @now: the chunk whose references the walk follows; NULL: the frame
 * @next: the next object whose references will be followed
 * @last: behind the last such object
 * @objects: chunks that the walk may still add: the rest of the plan's budget
 * @elements: of one array: at most the plan's limit
 * @limit: the most that @used may be during the walk: the plan's budget
 * @depth: the plan's
 * @flags: GOPROBE_RECORD_F_*
 *
 * The caller sets the members up to @visited, and sets @flags to 0.
 */
struct gp_capture {
	const struct gp_plan *plan;
	const struct pt_regs *regs;
	unsigned long sp;
	u64 bias;
	const struct gp_dynamic *dynamic;
	u8 *to;
	u32 space;
	struct gp_faultin *faultin;
	struct gp_visited *visited;
	u32 used;
	u8 *at;
	u8 *end;
	const struct goprobe_chunk *now;
	const struct gp_todo *next;
	struct gp_todo *last;
	u32 objects;
	u32 elements;
	u32 limit;
	u32 depth;
	u16 flags;
};

int gp_capture_run(struct gp_capture *c);

/*
 * Copy from the target. Return: -EAGAIN if a page must be brought in first; else enum
 * goprobe_chunk_status, with the number of copied bytes in *@size.
 */
static __always_inline int gp_capture_copy(struct gp_capture *c, void *to,
					   unsigned long address, u32 *size)
{
	u32 left = gp_user_copy(to, address, *size);

	if (likely(!left))
		return GOPROBE_CHUNK_OK;
	*size -= left;
	return gp_faultin_ask(c->faultin, address + *size);
}

#define GP_CAPTURE_NOT_QUICK	(-1L)

/**
 * gp_capture_quick() - fast path of a capture, in line
 * @plan: a quick plan: whole integer registers, one after the other, and strings
 * @regs: the target's registers
 * @to: start of the frame
 * @space: bytes available at @to
 *
 * Writes what gp_capture_run() would write, with fewer instructions (docs/measurements.md):
 * gp_plan_new() has checked that the plan cannot exceed its own budgets.
 *
 * Return: bytes written; GP_CAPTURE_NOT_QUICK: run gp_capture_run() from the start.
 */
static __always_inline long gp_capture_quick(const struct gp_plan *plan,
					     const struct pt_regs *regs, u8 *to,
					     u32 space)
{
	struct goprobe_chunk *chunk = (void *)(to + plan->frame_bytes);
	const struct goprobe_ref *ref = plan->frame_refs;
	const u16 *from_end = plan->quick_from + GP_QUICK_WORDS;
	u32 nrefs;
	long i;

	if (unlikely(space < plan->quick_bytes))
		return GP_CAPTURE_NOT_QUICK;
	/* Indices count up to the end of both arrays, so that one register serves both. */
	for (i = -(long)plan->quick_words; i; i++)
		memcpy((u64 *)chunk + i, (const u8 *)regs + from_end[i], 8);
	for (nrefs = plan->quick_refs; nrefs; nrefs--, ref++) {
		u64 address = gp_load(to + ref->offset);
		u64 len = gp_load(to + ref->offset + 8);
		u8 *bytes = (u8 *)(chunk + 1);
		u64 *next;

		if (!address || !len)
			continue;
		if (unlikely(len > plan->w.string_limit)) {
			if (len > GP_LEN_MAX)
				return GP_CAPTURE_NOT_QUICK;
			len = plan->w.string_limit;
		}
		next = (u64 *)(bytes + ALIGN(len, GP_RECORD_ALIGN));
		/* Clear the padding first: the copy may overwrite a part of the last word. */
		next[-1] = 0;
		/* Write the header before the copy, so that no value lives across it. */
		chunk->address = address;
		chunk->type = GOPROBE_TYPE_BYTES;
		chunk->size = len;
		chunk->status = GOPROBE_CHUNK_OK;
		chunk->level = 1;
		if (unlikely(gp_user_copy(bytes, address, len)))
			return GP_CAPTURE_NOT_QUICK;
		chunk = (void *)next;
	}
	return (u8 *)chunk - to;
}

#endif
