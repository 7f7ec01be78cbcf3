/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Complete enumeration of programs of up to four operations, and of plans, over the operands at
 * which a rule can change its verdict. What the verifier accepts must be within the limits that are
 * written out here a second time, on every path.
 */
#ifndef GOPROBE_PROVE_H
#define GOPROBE_PROVE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <goprobe.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

/* As of kmod/capture/plan.h, but for those that four operations can't reach there. */
#define GP_OP_REGS 16
#define GP_RECORD_ALIGN 8
#define GP_FRAME_MAX 4096
#define GP_RECORD_MAX (24U << 10)
#define GP_PIECES_MAX 2
#define GP_OPS_MAX 4
#define GP_DEPTH_MAX 255
#define GP_COPIES_MAX 8192
#define GP_BYTES_MAX 4096
#define GP_UNDERS_MAX 2
#define GP_NUMBERS 2
#define GP_QUOTA_MAX ((1ULL << 24) - 1)
#define GP_EDITS_MAX 2

struct gp_type {
	u32 size;
};

struct gp_types {
	u32 n;
	struct gp_type type;
};

/* rules.c: NULL: accepted. @left_out: the line of a rule, or 0. */
extern unsigned int left_out;
const char *rules_of_filter(const struct goprobe_op *ops, u32 n);
const char *rules_of_program(const struct goprobe_op *ops, u32 n, u32 frame);
const char *gp_verify_plan(const struct goprobe_plan *plan, const struct goprobe_piece *pieces,
			   u32 npieces, const struct goprobe_op *ops, u32 nops,
			   const struct gp_types *types);
const char *gp_verify_filter(const struct goprobe_filter *filter, const struct goprobe_op *ops,
			     u32 nops);

/* limits.c: what is wrong with what has been accepted, or NULL. @frame: UINT32_MAX: a filter. */
const char *limits_of_op(const struct goprobe_op *op, u32 left, u32 frame);
const char *limits_of_program(const struct goprobe_op *ops, u32 n, u32 frame);
const char *limits_of_piece(const struct goprobe_piece *p, u32 frame);
const char *limits_of_plan(const struct goprobe_plan *plan, u32 npieces, u32 nops,
			   const struct gp_types *types, u32 tries);

/* run.c: run an accepted program of a plan on all its paths; what is wrong, or NULL. */
const char *run_program(const struct goprobe_op *ops, u32 n, u32 frame);

#endif
