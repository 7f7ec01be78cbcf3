/* SPDX-License-Identifier: GPL-2.0 */
/* Verified plans, in the form that handlers use. */
#ifndef GP_PLAN_H
#define GP_PLAN_H

#include <linux/sizes.h>
#include <linux/types.h>
#include <goprobe.h>

#include "capture/op.h"

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

/* The most bytes that a program may copy: bounds its run time. */
#define GP_COPIES_MAX	SZ_64K

/* The most bytes that one operation of a filter compares. */
#define GP_BYTES_MAX	4096

/* Words of a frame on the fast path: the number of integer registers that hold arguments. */
#define GP_QUICK_WORDS	16

/* GOPROBE_OP_UNDER and _ROOT of a program: each may visit 4096 calls with preemption off. */
#define GP_UNDERS_MAX	16

/* Counters for GOPROBE_OP_NUMBER in a filter. */
#define GP_NUMBERS	2

/* Bits of a periodic GOPROBE_OP_QUOTA's count, which shares a word with the period's number. */
#define GP_QUOTA_BITS	24
#define GP_QUOTA_MAX	((1ULL << GP_QUOTA_BITS) - 1)

/**
 * struct gp_piece - a verified goprobe_piece
 * @source: enum goprobe_source
 * @from: offset in struct pt_regs, or index of the float register
 * @size: bytes
 * @frame: destination in the frame
 * @offset: source, relative to the SP at entry or to the file's load address
 */
struct gp_piece {
	u16 source;
	u16 from;
	u16 size;
	u16 frame;
	u64 offset;
};

/**
 * struct gp_plan - a verified plan
 * @w: as user space sent it
 * @id: session plan id
 * @frame_bytes: size of the frame, padded
 * @quick: gp_capture_quick() can run it
 * @quick_words: for @quick: words of the frame
 * @quick_from: ... offsets of these registers in struct pt_regs, up to the end of the array
 * @quick_refs: ... number of strings to follow
 * @quick_bytes: ... the most bytes that it writes
 * @record_bytes: size of the largest record that it makes
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
