/* SPDX-License-Identifier: GPL-2.0 */
/* Assemble a record's frame and walk its references, as a verified plan says. */
#ifndef GP_CAPTURE_H
#define GP_CAPTURE_H

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/types.h>
#include <goprobe.h>

#include "usercopy.h"

struct gp_faultin;

/* Sizes that follow the header or a chunk are padded to this. */
#define GP_RECORD_ALIGN	8

/* Limits of one plan; see struct goprobe_limits. */
#define GP_FRAME_MAX	4096
#define GP_RECORD_MAX	(24U << 10)
#define GP_PIECES_MAX	512

/* Longer than any Go object can be: such a length is not one. */
#define GP_LEN_MAX	BIT_ULL(47)

/**
 * struct gp_piece - a verified goprobe_piece
 * @source: enum goprobe_source
 * @from: offset in struct pt_regs, or index of the float register
 * @size: bytes
 * @frame: where to, in the frame
 * @offset: where from, relative to the SP at entry
 */
struct gp_piece {
	u16 source;
	u16 from;
	u32 size;
	u32 frame;
	s32 offset;
};

/**
 * struct gp_plan - a verified plan
 * @w: as user space gave it
 * @id: session plan id
 * @frame_bytes: the frame, padded
 * @quick: gp_capture_quick() can do it
 * @quick_refs: number of strings that it follows
 * @quick_bytes: the room it needs at most
 * @float_mask: float registers that the pieces name
 * @types: the session's types; never change while the plan lives
 * @refs: the session's references, likewise
 * @frame_refs: the frame's
 * @npieces: number of @pieces
 * @pieces: verified pieces
 */
struct gp_plan {
	struct goprobe_plan w;
	u32 id;
	u32 frame_bytes;
	bool quick;
	u32 quick_refs;
	u32 quick_bytes;
	u16 float_mask;
	const struct goprobe_type *types;
	const struct goprobe_ref *refs;
	const struct goprobe_ref *frame_refs;
	u32 npieces;
	struct gp_piece pieces[];
};

/**
 * struct gp_capture - one capture under way
 * @plan: what to capture
 * @regs: the target's registers
 * @sp: SP at function entry
 * @to: where the frame begins; room for the frame is there
 * @room: bytes at @to, frame included
 * @used: bytes written
 * @objects: chunks that may still be added
 * @flags: GOPROBE_RECORD_F_*
 * @faultin: what this hit has learnt about absent memory
 */
struct gp_capture {
	const struct gp_plan *plan;
	const struct pt_regs *regs;
	unsigned long sp;
	u8 *to;
	u32 room;
	u32 used;
	u32 objects;
	u16 flags;
	struct gp_faultin *faultin;
};

int gp_capture_run(struct gp_capture *c);
void gp_capture_prepare(struct gp_plan *plan);

static __always_inline u64 gp_load(const u8 *at)
{
	u64 word;

	memcpy(&word, at, sizeof(word));
	return word;
}

#define GP_CAPTURE_NOT_QUICK	U32_MAX

/**
 * gp_capture_quick() - capture what most functions have, in line
 * @plan: a quick one: whole integer registers, one after the other, and strings
 * @regs: the target's registers
 * @to: where the frame begins
 * @room: bytes at @to
 *
 * Writes what gp_capture_run() would write, in less than half the instructions
 * (docs/performance.md): gp_capture_prepare() has found that the plan can't run
 * into its own budgets.
 *
 * Return: bytes written; or GP_CAPTURE_NOT_QUICK, and then
 * gp_capture_run() begins anew.
 */
static __always_inline u32 gp_capture_quick(const struct gp_plan *plan,
					    const struct pt_regs *regs, u8 *to,
					    u32 room)
{
	struct goprobe_chunk *chunk = (void *)(to + plan->frame_bytes);
	const struct goprobe_ref *ref = plan->frame_refs;
	const struct gp_piece *p = plan->pieces;
	u32 nrefs;
	u8 *at;

	if (unlikely(room < plan->quick_bytes))
		return GP_CAPTURE_NOT_QUICK;
	for (at = to; at < (u8 *)chunk; at += 8, p++)
		memcpy(at, (const u8 *)regs + p->from, 8);
	for (nrefs = plan->quick_refs; nrefs; nrefs--, ref++) {
		u64 address = gp_load(to + ref->offset);
		u64 len = gp_load(to + ref->offset + 8);
		u8 *bytes = (u8 *)(chunk + 1);

		if (!address || !len)
			continue;
		if (unlikely(len > plan->w.string_limit)) {
			if (len > GP_LEN_MAX)
				return GP_CAPTURE_NOT_QUICK;
			len = plan->w.string_limit;
		}
		/* The padding first: the last word may be written over. */
		memset(bytes + ALIGN_DOWN(len - 1, GP_RECORD_ALIGN), 0, GP_RECORD_ALIGN);
		if (unlikely(gp_user_copy(bytes, address, len)))
			return GP_CAPTURE_NOT_QUICK;
		chunk->address = address;
		chunk->type = GOPROBE_TYPE_BYTES;
		chunk->size = len;
		chunk->status = GOPROBE_CHUNK_OK;
		chunk = (void *)(bytes + ALIGN(len, GP_RECORD_ALIGN));
	}
	return (u8 *)chunk - to;
}

#endif
