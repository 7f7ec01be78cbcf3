/* SPDX-License-Identifier: GPL-2.0 */
/* A verified plan, as handlers use it. */
#ifndef GP_PLAN_H
#define GP_PLAN_H

#include <linux/sizes.h>
#include <linux/types.h>
#include <goprobe.h>

struct gp_type;
struct gp_types;

/* Sizes that follow the header or a chunk are padded to this. */
#define GP_RECORD_ALIGN	8

/* Limits of one plan; see struct goprobe_limits. */
#define GP_FRAME_MAX	4096
#define GP_RECORD_MAX	(24U << 10)
#define GP_PIECES_MAX	512
#define GP_OPS_MAX	1024
#define GP_DEPTH_MAX	255

/* What a program may copy: it must not last. */
#define GP_COPIES_MAX	SZ_64K

/* No program has anything mapped there: such an address is nil and an offset. */
#define GP_NIL_END	4096

/* Bytes that an operation of a filter looks at. */
#define GP_BYTES_MAX	4096U

/* Words of a frame that can be captured quickly: as many as there are registers. */
#define GP_QUICK_WORDS	16

/* GOPROBE_OP_UNDER and _ROOT of a program: each may look at 4096 calls, with preemption off. */
#define GP_UNDERS_MAX	16

/* Counters of GOPROBE_OP_NUMBER that a filter has. */
#define GP_NUMBERS	2

/* A GOPROBE_OP_QUOTA of a period: it is counted beside the period's number, in one word. */
#define GP_QUOTA_BITS	24
#define GP_QUOTA_MAX	((1ULL << GP_QUOTA_BITS) - 1)

/* Registers of a program. */
#define GP_OP_REGS	16

/**
 * struct gp_piece - a verified goprobe_piece
 * @source: enum goprobe_source
 * @from: offset in struct pt_regs, or index of the float register
 * @size: bytes
 * @frame: where to, in the frame
 * @offset: where from, relative to the SP at entry or to where the file is loaded
 */
struct gp_piece {
	u16 source;
	u16 from;
	u16 size;
	u16 frame;
	u64 offset;
};

/**
 * struct gp_op - a verified goprobe_op
 * @code: enum goprobe_op_code
 * @a: register
 * @b: register; of GOPROBE_OP_REG and _SET the offset in struct pt_regs, of _FLOAT and
 *	_SET_FLOAT the float register's number
 * @size: bytes
 * @offset: in the frame; or operations to skip
 * @value: immediate
 */
struct gp_op {
	u8 code;
	u8 a;
	u8 b;
	u16 size;
	u16 offset;
	u64 value;
};

/**
 * struct gp_plan - a verified plan
 * @w: as user space gave it
 * @id: session plan id
 * @frame_bytes: the frame, padded
 * @quick: gp_capture_quick() can do it
 * @quick_words: number of words of the frame, then
 * @quick_from: offsets of these registers in struct pt_regs, up to the end of the array
 * @quick_refs: number of strings that it follows
 * @quick_bytes: the room it needs at most
 * @record_bytes: the largest record that it makes
 * @float_mask: float registers that the pieces name
 * @types: the session's
 * @frame: type of the frame
 * @frame_refs: its references
 * @ops: the program
 * @npieces: number of @pieces
 * @pieces: verified pieces
 */
struct gp_plan {
	struct goprobe_plan w;
	u32 id;
	u32 frame_bytes;
	bool quick;
	u16 quick_words;
	u16 quick_from[GP_QUICK_WORDS];
	u32 quick_refs;
	u32 quick_bytes;
	u32 record_bytes;
	u16 float_mask;
	const struct gp_types *types;
	const struct gp_type *frame;
	const struct goprobe_ref *frame_refs;
	const struct gp_op *ops;
	u32 npieces;
	struct gp_piece pieces[];
};

struct gp_plan *gp_plan_new(const struct goprobe_plan *w,
			    const struct goprobe_piece *pieces,
			    const struct goprobe_op *ops,
			    const struct gp_types *types, u32 id);
void gp_plan_free(struct gp_plan *plan);
void gp_op_load(struct gp_op *to, const struct goprobe_op *op);

#endif
