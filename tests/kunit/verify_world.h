/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common code of the suites of the verifier: a valid example of everything that a client can
 * send, and rows that spoil a part of it.
 */
#ifndef VERIFY_WORLD_H
#define VERIFY_WORLD_H

#include <kunit/test.h>

#include "../../kmod/arch/x86.c"
#include "../../kmod/capture/types.c"
#include "../../kmod/control/verify.c"

#define N	8

/* Everything a client can send, right as it is; a row spoils some of it. */
struct world {
	struct goprobe_runtime rt;
	struct goprobe_type types[N];
	u32 ntypes;
	struct goprobe_ref refs[N];
	u32 nrefs;
	struct goprobe_dynamic dynamic;
	struct goprobe_plan plan;
	struct goprobe_piece pieces[N];
	u32 npieces;
	struct goprobe_op ops[N];
	u32 nops;
	struct goprobe_point point;
	u32 nplans;
	struct goprobe_filter filter;
	u32 nfilters;
};

static const struct world good = {
	.rt = {
		.g_reg = 14, .g_tls = -8, .g_stack_lo = 0, .g_stack_hi = 8,
		.g_goid = 152, .g_m = 48, .m_curg = 192, .m_procid = 72,
	},
	.types = { { 64, 0, 2 }, { 24, 2, 1 }, { 8, 3, 1 }, { 0, 0, 0 } },
	.ntypes = 4,
	.refs = {
		{ .offset = 0, .kind = GOPROBE_REF_STRING },
		{ .offset = 16, .kind = GOPROBE_REF_SLICE, .type = 1 },
		{ .offset = 0, .kind = GOPROBE_REF_POINTER, .type = 2 },
		{
			.offset = 0, .kind = GOPROBE_REF_ARRAY, .type = 1,
			.count = GOPROBE_COUNT_N, .count_size = 4, .count_offset = 4,
		},
	},
	.nrefs = 4,
	.dynamic = { .address = 0x4a0000, .type = 1 },
	.plan = {
		.type = 0, .piece = 0, .npieces = 3, .nops = 6, .string_limit = 256,
		.elements = 64, .objects = 128, .bytes = 8192, .depth = 3,
	},
	.pieces = {
		{ GOPROBE_FROM_INT_REG, 0, 0, 8, 0, 0, 0 },
		{ GOPROBE_FROM_FLOAT_REG, 17, 0, 8, 8, 0, 0 },
		{ GOPROBE_FROM_STACK, 0, 0, 48, 16, 8, 0 },
	},
	.npieces = 3,
	.ops = {
		{ .code = GOPROBE_OP_REG, .a = 1, .b = 3 },
		{ .code = GOPROBE_OP_TRY, .offset = 3, .value = 7 },
		{ .code = GOPROBE_OP_LOAD, .a = 2, .b = 1, .size = 8, .value = 16 },
		{ .code = GOPROBE_OP_JEQ, .a = 1, .b = 2, .offset = 1 },
		{ .code = GOPROBE_OP_COPY, .b = 2, .size = 24, .offset = 40 },
		{ .code = GOPROBE_OP_STORE, .a = 2, .size = 4, .offset = 60 },
	},
	.nops = 6,
	.point = {
		.offset = 0x1000, .id = 1, .plan = 0, .kind = GOPROBE_POINT_CALL,
		.skip = GOPROBE_SKIP_IF_BE, .flags = 0, .code_len = 2,
		.sp_adjust = 0, .code = { 0x76, 0x3b },
	},
	.nplans = 1,
	.filter = { .op = 0, .nops = 1 },
	.nfilters = 2,
};

/* One thing that is otherwise than in the good world. */
struct change {
	u16 at;
	u16 size;
	u64 to;
};

struct row {
	const char *claim;
	const char *why;	/* NULL: accepted */
	struct change changes[6];
};

#define SET(field, value) \
	{ offsetof(struct world, field), sizeof_field(struct world, field), (u64)(value) }

static inline void world_make(struct world *w, const struct row *row)
{
	u32 i;

	*w = good;
	for (i = 0; i < ARRAY_SIZE(row->changes) && row->changes[i].size; i++)
		memcpy((u8 *)w + row->changes[i].at, &row->changes[i].to,
		       row->changes[i].size);
}

static inline void row_desc(const struct row *row, char *desc)
{
	strscpy(desc, row->claim, KUNIT_PARAM_DESC_SIZE);
}

static inline void expect(struct kunit *test, const struct row *row, const char *why)
{
	KUNIT_EXPECT_STREQ(test, why ?: "accepted", row->why ?: "accepted");
}

/* The types of the world, loaded; they need not be right in all that is not asked for. */
static inline void world_load(struct kunit *test, struct world *w, struct gp_types *types)
{
	u32 i;

	memset(types, 0, sizeof(*types));
	for (i = 0; i < w->ntypes; i++)
		KUNIT_ASSERT_LE(test, w->types[i].ref + w->types[i].nrefs, (u32)N);
	KUNIT_ASSERT_EQ(test, gp_types_add(types, w->types, w->ntypes, w->refs, N), 0);
}

#endif
