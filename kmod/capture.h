/* SPDX-License-Identifier: GPL-2.0 */
/* Assemble a record's frame and walk its references, as a verified plan says. */
#ifndef GP_CAPTURE_H
#define GP_CAPTURE_H

#include <linux/types.h>
#include <goprobe.h>

struct gp_faultin;
struct pt_regs;

/* Sizes that follow the header or a chunk are padded to this. */
#define GP_RECORD_ALIGN	8

/* Limits of one plan; see struct goprobe_limits. */
#define GP_FRAME_MAX	4096
#define GP_RECORD_MAX	(24U << 10)
#define GP_PIECES_MAX	512

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
 * @float_mask: float registers that the pieces name
 * @types: the session's types; never change while the plan lives
 * @refs: the session's references, likewise
 * @npieces: number of @pieces
 * @pieces: verified pieces
 */
struct gp_plan {
	struct goprobe_plan w;
	u32 id;
	u32 frame_bytes;
	u16 float_mask;
	const struct goprobe_type *types;
	const struct goprobe_ref *refs;
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

#endif
