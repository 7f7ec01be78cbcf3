// SPDX-License-Identifier: GPL-2.0
/*
 * The trust gate: each sentence it can refuse with, values on both sides of each
 * limit, sums that overflow; and that what is right passes.
 */
#include <kunit/test.h>

#include "../../kmod/arch/x86.c"
#include "../../kmod/types.c"
#include "../../kmod/verify.c"

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
};

static const struct world good = {
	.rt = {
		.g_reg = 14, .g_tls = -8, .g_stack_lo = 0, .g_stack_hi = 8,
		.g_goid = 152, .g_m = 48, .m_curg = 192,
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

static void world_make(struct world *w, const struct row *row)
{
	u32 i;

	*w = good;
	for (i = 0; i < ARRAY_SIZE(row->changes) && row->changes[i].size; i++)
		memcpy((u8 *)w + row->changes[i].at, &row->changes[i].to,
		       row->changes[i].size);
}

static void row_desc(const struct row *row, char *desc)
{
	strscpy(desc, row->claim, KUNIT_PARAM_DESC_SIZE);
}

static void expect(struct kunit *test, const struct row *row, const char *why)
{
	KUNIT_EXPECT_STREQ(test, why ?: "accepted", row->why ?: "accepted");
}

#define RT_PAD		"padding of the runtime description is not 0"
#define RT_REG		"g_reg is not an integer register"
#define RT_TLS		"g_tls is not a multiple of 8"
#define RT_OFFSET	"an offset of the runtime description is not a multiple of 8 below 4096"

static const struct row runtime_rows[] = {
	{ "a right one passes", NULL, {} },
	{ "g only in TLS", NULL, { SET(rt.g_reg, GOPROBE_REG_NONE) } },
	{ "the last integer register", NULL, { SET(rt.g_reg, 15) } },
	{ "one past the integer registers", RT_REG, { SET(rt.g_reg, 16) } },
	{ "a float register", RT_REG, { SET(rt.g_reg, 17) } },
	{ "almost none", RT_REG, { SET(rt.g_reg, 0xfe) } },
	{ "first padding byte", RT_PAD, { SET(rt.pad[0], 1) } },
	{ "second padding byte", RT_PAD, { SET(rt.pad[1], 1) } },
	{ "third padding byte", RT_PAD, { SET(rt.pad[2], 1) } },
	{ "last padding", RT_PAD, { SET(rt.pad2, 1U << 31) } },
	{ "TLS offset not aligned", RT_TLS, { SET(rt.g_tls, -4) } },
	{ "TLS offset far below", NULL, { SET(rt.g_tls, S32_MIN) } },
	{ "TLS offset far above", NULL, { SET(rt.g_tls, S32_MAX - 7) } },
	{ "stack.lo at the last place", NULL, { SET(rt.g_stack_lo, 4088) } },
	{ "stack.lo past it", RT_OFFSET, { SET(rt.g_stack_lo, 4096) } },
	{ "stack.lo not aligned", RT_OFFSET, { SET(rt.g_stack_lo, 4) } },
	{ "stack.lo so large that adding wraps", RT_OFFSET,
	  { SET(rt.g_stack_lo, U32_MAX - 7) } },
	{ "stack.hi past", RT_OFFSET, { SET(rt.g_stack_hi, 4096) } },
	{ "stack.hi not aligned", RT_OFFSET, { SET(rt.g_stack_hi, 9) } },
	{ "goid past", RT_OFFSET, { SET(rt.g_goid, 4096) } },
	{ "goid not aligned", RT_OFFSET, { SET(rt.g_goid, 1) } },
	{ "m past", RT_OFFSET, { SET(rt.g_m, 4096) } },
	{ "m not aligned", RT_OFFSET, { SET(rt.g_m, 2) } },
	{ "curg past", RT_OFFSET, { SET(rt.m_curg, 4096) } },
	{ "curg not aligned", RT_OFFSET, { SET(rt.m_curg, 4) } },
	{ "all at the last place", NULL,
	  { SET(rt.g_stack_hi, 4088), SET(rt.g_goid, 4088), SET(rt.g_m, 4088),
	    SET(rt.m_curg, 4088) } },
};

KUNIT_ARRAY_PARAM(runtime, runtime_rows, row_desc);

static void runtime_descriptions(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct world w;

	world_make(&w, row);
	expect(test, row, gp_verify_runtime(&w.rt));
}

#define T_LARGE		"a type is larger than 65535 bytes"
#define T_REFS		"a type's references lie outside the message"
#define T_ORDER		"a type's references are not in rising order"
#define T_SAME		"a type has more than 4 references at one place"
#define R_KIND		"a reference has an unknown kind"
#define R_PAD		"padding of a reference is not 0"
#define R_OUTSIDE	"a reference lies outside its type"
#define R_ALIGN		"a reference's offset is not a multiple of 8"
#define T_NONE		"a message brings no types"
#define R_FLAGS		"a reference has unknown flags"
#define R_TYPE		"a reference names a type that can't come to exist"
#define R_SHIFT		"a reference holds too many elements in one object"
#define R_NO_COUNT	"a reference that is not counted has a count"
#define R_COUNT		"a reference has an unknown count"
#define R_COUNT_SIZE	"a reference's count is not 1, 2, 4 or 8 bytes"
#define R_COUNT_AT	"a reference's count lies outside its type"
#define R_NEEDLESS	"a reference that needs no type names one"

static const struct row types_rows[] = {
	{ "right ones pass", NULL, {} },
	{ "none at all", T_NONE, { SET(ntypes, 0), SET(nrefs, 0) } },
	{ "references, but no types", T_NONE, { SET(ntypes, 0) } },
	{ "the largest type", NULL, { SET(types[0].size, 65535) } },
	{ "a type one byte larger", T_LARGE, { SET(types[0].size, 65536) } },
	{ "the largest number", T_LARGE, { SET(types[0].size, U32_MAX) } },
	{ "the last type is looked at as well", T_LARGE, { SET(types[3].size, 65536) } },
	{ "what is behind the types is not", NULL, { SET(types[4].size, 65536) } },
	{ "references end where the message's do", NULL, { SET(types[1].ref, 2) } },
	{ "references begin past the end", T_REFS, { SET(types[1].ref, 4) } },
	{ "one reference too many", T_REFS, { SET(types[1].nrefs, 3) } },
	{ "no references at the end", NULL,
	  { SET(types[1].ref, 4), SET(types[1].nrefs, 0) } },
	{ "no references past the end", T_REFS,
	  { SET(types[1].ref, 5), SET(types[1].nrefs, 0) } },
	{ "more references than there are", T_REFS, { SET(types[0].nrefs, 5) } },
	{ "ref + nrefs wraps to 0", T_REFS, { SET(types[1].ref, U32_MAX) } },
	{ "ref + nrefs wraps into the table", T_REFS,
	  { SET(types[1].ref, U32_MAX), SET(types[1].nrefs, 3) } },
	{ "nrefs so large that ref + nrefs wraps", T_REFS,
	  { SET(types[1].nrefs, U32_MAX) } },
	{ "no references in the message", T_REFS, { SET(nrefs, 0) } },
	{ "two references at one place", NULL, { SET(refs[1].offset, 0) } },
	{ "four references at one place", NULL,
	  { SET(types[0].nrefs, 4), SET(refs[1].offset, 0) } },
	{ "five references at one place", T_SAME,
	  { SET(types[0].nrefs, 5), SET(refs[1].offset, 0), SET(nrefs, 5),
	    SET(refs[4].kind, GOPROBE_REF_FUNC) } },
	{ "five references at two places", NULL,
	  { SET(types[0].nrefs, 5), SET(refs[1].offset, 0), SET(nrefs, 5),
	    SET(refs[4].kind, GOPROBE_REF_FUNC), SET(refs[4].offset, 8) } },
	{ "references in falling order", T_ORDER,
	  { SET(refs[0].offset, 24), SET(refs[1].offset, 16) } },
	{ "one word further is in order", NULL, { SET(refs[1].offset, 8) } },
	{ "one byte further is not aligned", R_ALIGN, { SET(refs[1].offset, 1) } },
	{ "half a word further is not", R_ALIGN, { SET(refs[1].offset, 20) } },
	{ "the last reference is looked at as well", R_ALIGN,
	  { SET(types[2].size, 16), SET(refs[3].offset, 7) } },
	{ "kind 0", R_KIND, { SET(refs[0].kind, GOPROBE_REF_UNSPEC) } },
	{ "kind one past the last", R_KIND, { SET(refs[0].kind, __GOPROBE_REF_MAX) } },
	{ "kind 255", R_KIND, { SET(refs[0].kind, 255) } },
	{ "the one flag", NULL, { SET(refs[1].flags, GOPROBE_REF_F_SAME_LEVEL) } },
	{ "the next flag", R_FLAGS, { SET(refs[1].flags, 2) } },
	{ "first padding byte", R_PAD, { SET(refs[1].pad[0], 1) } },
	{ "second padding byte", R_PAD, { SET(refs[1].pad[1], 1) } },
	{ "third padding byte", R_PAD, { SET(refs[1].pad[2], 0x80) } },
	{ "a string at the end of its type", NULL,
	  { SET(types[0].nrefs, 1), SET(refs[0].offset, 48) } },
	{ "a string across the end", R_OUTSIDE,
	  { SET(types[0].nrefs, 1), SET(refs[0].offset, 49) } },
	{ "a slice at the end", NULL, { SET(refs[1].offset, 40) } },
	{ "a slice across the end", R_OUTSIDE, { SET(refs[1].offset, 41) } },
	{ "a pointer at the end", NULL, { SET(refs[2].offset, 16) } },
	{ "a pointer across the end", R_OUTSIDE, { SET(refs[2].offset, 17) } },
	{ "an interface at the end", NULL,
	  { SET(refs[2].kind, GOPROBE_REF_IFACE), SET(refs[2].type, 0),
	    SET(refs[2].offset, 8) } },
	{ "an interface across the end", R_OUTSIDE,
	  { SET(refs[2].kind, GOPROBE_REF_IFACE), SET(refs[2].type, 0),
	    SET(refs[2].offset, 9) } },
	{ "an offset so large that adding wraps", R_OUTSIDE,
	  { SET(refs[1].offset, U32_MAX - 3) } },
	{ "a type too small for any reference", R_OUTSIDE, { SET(types[1].size, 7) } },
	{ "a type of just a pointer", NULL, { SET(types[1].size, 8) } },
	{ "an empty interface at the end", NULL,
	  { SET(refs[2].kind, GOPROBE_REF_EFACE), SET(refs[2].type, 0),
	    SET(refs[2].offset, 8) } },
	{ "an empty interface across the end", R_OUTSIDE,
	  { SET(refs[2].kind, GOPROBE_REF_EFACE), SET(refs[2].type, 0),
	    SET(refs[2].offset, 9) } },
	{ "a func at the end", NULL,
	  { SET(refs[2].kind, GOPROBE_REF_FUNC), SET(refs[2].type, 0),
	    SET(refs[2].offset, 16) } },
	{ "a func across the end", R_OUTSIDE,
	  { SET(refs[2].kind, GOPROBE_REF_FUNC), SET(refs[2].type, 0),
	    SET(refs[2].offset, 17) } },
	{ "an array across the end", R_OUTSIDE, { SET(refs[3].offset, 1) } },
	{ "a pointer to its own type", NULL, { SET(refs[2].type, 1) } },
	{ "a pointer to a type that is yet to come", NULL, { SET(refs[2].type, 4) } },
	{ "a slice of a type that is yet to come", NULL, { SET(refs[1].type, 65535) } },
	{ "an array of a type that is yet to come", NULL, { SET(refs[3].type, 65535) } },
	{ "a pointer to a type that can't come", R_TYPE, { SET(refs[2].type, 65536) } },
	{ "a slice of a type that can't come", R_TYPE, { SET(refs[1].type, 65536) } },
	{ "an array of a type that can't come", R_TYPE, { SET(refs[3].type, 65536) } },
	{ "the largest type id", R_TYPE, { SET(refs[2].type, U32_MAX) } },
	{ "the id that stands for itabs", R_TYPE,
	  { SET(refs[2].type, GOPROBE_TYPE_ITAB) } },
	{ "objects of 2^15 elements", NULL, { SET(refs[1].elements_shift, 15) } },
	{ "objects of 2^16 elements", R_SHIFT, { SET(refs[1].elements_shift, 16) } },
	{ "arrays of 2^15 elements", NULL, { SET(refs[3].elements_shift, 15) } },
	{ "arrays of 2^255 elements", R_SHIFT, { SET(refs[3].elements_shift, 255) } },
	{ "a pointer to 2 elements", R_SHIFT, { SET(refs[2].elements_shift, 1) } },
	{ "a string of 2 elements", R_SHIFT, { SET(refs[0].elements_shift, 1) } },
	{ "a string with a count", R_NO_COUNT, { SET(refs[0].count, 1) } },
	{ "a slice with the size of a count", R_NO_COUNT, { SET(refs[1].count_size, 8) } },
	{ "a pointer with a count's offset", R_NO_COUNT, { SET(refs[2].count_offset, 8) } },
	{ "an array that is not counted", R_COUNT,
	  { SET(refs[3].count, GOPROBE_COUNT_NONE) } },
	{ "the last count", NULL, { SET(refs[3].count, GOPROBE_COUNT_MAX) } },
	{ "one past the last count", R_COUNT, { SET(refs[3].count, __GOPROBE_COUNT_MAX) } },
	{ "a count of 0 bytes", R_COUNT_SIZE, { SET(refs[3].count_size, 0) } },
	{ "a count of 1 byte", NULL, { SET(refs[3].count_size, 1) } },
	{ "a count of 3 bytes", R_COUNT_SIZE, { SET(refs[3].count_size, 3) } },
	{ "a count of 8 bytes", NULL,
	  { SET(refs[3].count_size, 8), SET(refs[3].count_offset, 0) } },
	{ "a count of 16 bytes", R_COUNT_SIZE, { SET(refs[3].count_size, 16) } },
	{ "a count across the end", R_COUNT_AT, { SET(refs[3].count_offset, 5) } },
	{ "a count whose end wraps", R_COUNT_AT, { SET(refs[3].count_offset, U32_MAX - 3) } },
	{ "a string with a type", R_NEEDLESS, { SET(refs[0].type, 1) } },
	{ "an interface with a type", R_NEEDLESS,
	  { SET(refs[2].kind, GOPROBE_REF_IFACE) } },
	{ "an empty interface with a type", R_NEEDLESS,
	  { SET(refs[2].kind, GOPROBE_REF_EFACE) } },
	{ "a func with a type", R_NEEDLESS, { SET(refs[2].kind, GOPROBE_REF_FUNC) } },
};

KUNIT_ARRAY_PARAM(types, types_rows, row_desc);

static void types_and_references(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct world w;

	world_make(&w, row);
	expect(test, row, gp_verify_types(w.types, w.ntypes, w.refs, w.nrefs));
}

/* The types of the world, loaded; they need not be right in all that is not asked for. */
static void world_load(struct kunit *test, struct world *w, struct gp_types *types)
{
	u32 i;

	memset(types, 0, sizeof(*types));
	for (i = 0; i < w->ntypes; i++)
		KUNIT_ASSERT_LE(test, w->types[i].ref + w->types[i].nrefs, (u32)N);
	KUNIT_ASSERT_EQ(test, gp_types_add(types, w->types, w->ntypes, w->refs, N), 0);
}

#define D_ADDRESS	"a dynamic type has no address"
#define D_FLAGS		"a dynamic type has unknown flags"
#define D_TYPE		"a dynamic type names a type that does not exist"
#define D_SIZE		"a direct type is not 8 bytes"
#define D_REF		"a direct type refers to other memory by more than one word"
#define DIRECT		SET(dynamic.flags, GOPROBE_DYNAMIC_F_DIRECT)
/* Type 2 with one reference, of that kind. */
#define WORD(k)		{ DIRECT, SET(dynamic.type, 2), SET(refs[3].kind, k) }

static const struct row dynamic_rows[] = {
	{ "a right one passes", NULL, {} },
	{ "no address", D_ADDRESS, { SET(dynamic.address, 0) } },
	{ "any other address", NULL, { SET(dynamic.address, U64_MAX) } },
	{ "the next flag", D_FLAGS, { SET(dynamic.flags, 2) } },
	{ "the last type", NULL, { SET(dynamic.type, 3) } },
	{ "past the last type", D_TYPE, { SET(dynamic.type, 4) } },
	{ "the largest type id", D_TYPE, { SET(dynamic.type, U32_MAX) } },
	{ "no types", D_TYPE, { SET(ntypes, 0), SET(dynamic.type, 0) } },
	{ "a direct word", NULL, { DIRECT, SET(dynamic.type, 2) } },
	{ "a direct word that refers to nothing", NULL,
	  { DIRECT, SET(dynamic.type, 2), SET(types[2].nrefs, 0) } },
	{ "a direct pointer", NULL, WORD(GOPROBE_REF_POINTER) },
	{ "a direct func", NULL, WORD(GOPROBE_REF_FUNC) },
	{ "a direct string", D_REF, WORD(GOPROBE_REF_STRING) },
	{ "a direct slice", D_REF, WORD(GOPROBE_REF_SLICE) },
	{ "a direct interface", D_REF, WORD(GOPROBE_REF_IFACE) },
	{ "a direct empty interface", D_REF, WORD(GOPROBE_REF_EFACE) },
	{ "direct, of 24 bytes", D_SIZE, { DIRECT } },
	{ "direct, of nothing", D_SIZE, { DIRECT, SET(dynamic.type, 3) } },
	{ "direct, of 7 bytes", D_SIZE,
	  { DIRECT, SET(dynamic.type, 2), SET(types[2].size, 7) } },
	{ "direct, of 9 bytes", D_SIZE,
	  { DIRECT, SET(dynamic.type, 2), SET(types[2].size, 9) } },
};

KUNIT_ARRAY_PARAM(dynamic, dynamic_rows, row_desc);

static void dynamic_types(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct gp_types types;
	struct world w;

	world_make(&w, row);
	world_load(test, &w, &types);
	expect(test, row, gp_verify_dynamic(&w.dynamic, &types));
	gp_types_fini(&types);
}

#define P_TYPE		"a plan names a type that does not exist"
#define P_FRAME		"a plan's frame is larger than 4096 bytes"
#define P_MANY		"a plan has more than 512 pieces"
#define P_PIECES	"a plan's pieces lie outside the message"
#define P_BYTES		"a plan's records can be larger than 24 KiB"
#define P_OBJECTS	"a plan allows more objects than a record can hold"
#define P_LIMIT		"a plan's limit of strings or elements is larger than a record"
#define P_DEPTH		"a plan's depth is larger than 255"
#define P_OPS		"a plan's operations lie outside the message"
#define P_MANY_OPS	"a plan has more than 1024 operations"
#define C_PAD		"padding of a piece is not 0"
#define C_OUTSIDE	"a piece lies outside its frame"
#define C_INT		"a piece names a register that is not an integer register"
#define C_INT_SIZE	"a piece of an integer register is not 1, 2, 4 or 8 bytes"
#define C_FLOAT		"a piece names a register that is not a float register"
#define C_FLOAT_SIZE	"a piece of a float register is not 4, 8 or 16 bytes"
#define C_FAR		"a piece is too far from the stack pointer"
#define C_SOURCE	"a piece has an unknown source"

/* What the frame of 64 bytes and one item leave of a record for chunks. */
#define BYTES		(24576 - 56 - 64 - 16)
/* Where the frame is of no interest to the program. */
#define NO_OPS		SET(plan.nops, 0)

static const struct row plan_rows[] = {
	{ "a right one passes", NULL, {} },
	{ "no pieces", NULL, { SET(plan.npieces, 0) } },
	{ "no budget, no depth", NULL,
	  { SET(plan.bytes, 0), SET(plan.objects, 0), SET(plan.string_limit, 0),
	    SET(plan.elements, 0), SET(plan.depth, 0) } },
	{ "the last type", NULL, { SET(plan.type, 3), SET(plan.npieces, 0), NO_OPS } },
	{ "past the last type", P_TYPE, { SET(plan.type, 4) } },
	{ "the largest type id", P_TYPE, { SET(plan.type, U32_MAX) } },
	{ "no types", P_TYPE, { SET(ntypes, 0) } },
	{ "the largest frame", NULL, { SET(types[0].size, 4096) } },
	{ "a frame one byte larger", P_FRAME, { SET(types[0].size, 4097) } },
	{ "513 pieces", P_MANY, { SET(plan.npieces, 513), SET(npieces, 1024) } },
	{ "2^32 - 1 pieces", P_MANY, { SET(plan.npieces, U32_MAX) } },
	{ "one piece more than there are", P_PIECES, { SET(plan.npieces, 4) } },
	{ "pieces shifted past the end", P_PIECES, { SET(plan.piece, 1) } },
	{ "the last piece only", NULL, { SET(plan.piece, 2), SET(plan.npieces, 1) } },
	{ "no pieces at the end", NULL, { SET(plan.piece, 3), SET(plan.npieces, 0) } },
	{ "no pieces past the end", P_PIECES,
	  { SET(plan.piece, 4), SET(plan.npieces, 0) } },
	{ "piece + npieces wraps to 0", P_PIECES,
	  { SET(plan.piece, U32_MAX), SET(plan.npieces, 1) } },
	{ "piece + npieces wraps into the table", P_PIECES,
	  { SET(plan.piece, U32_MAX - 1), SET(plan.npieces, 3) } },
	{ "the largest budget of bytes", NULL, { SET(plan.bytes, BYTES) } },
	{ "one byte more", P_BYTES, { SET(plan.bytes, BYTES + 1) } },
	{ "the frame counts padded", P_BYTES,
	  { SET(plan.bytes, BYTES), SET(types[0].size, 65) } },
	{ "with the largest frame", NULL,
	  { SET(types[0].size, 4096), SET(plan.bytes, 24576 - 56 - 16 - 4096) } },
	{ "one byte more with the largest frame", P_BYTES,
	  { SET(types[0].size, 4096), SET(plan.bytes, 24576 - 56 - 16 - 4095) } },
	{ "without an item there is more", NULL,
	  { SET(plan.bytes, BYTES + 16), NO_OPS } },
	{ "one byte more without an item", P_BYTES,
	  { SET(plan.bytes, BYTES + 17), NO_OPS } },
	{ "a budget that wraps when added to", P_BYTES, { SET(plan.bytes, U32_MAX) } },
	{ "the largest number of objects", NULL, { SET(plan.objects, 1536) } },
	{ "one object more", P_OBJECTS, { SET(plan.objects, 1537) } },
	{ "the longest string", NULL, { SET(plan.string_limit, 24576) } },
	{ "one byte longer", P_LIMIT, { SET(plan.string_limit, 24577) } },
	{ "the most elements", NULL, { SET(plan.elements, 24576) } },
	{ "one element more", P_LIMIT, { SET(plan.elements, 24577) } },
	{ "the largest depth", NULL, { SET(plan.depth, 255) } },
	{ "one deeper", P_DEPTH, { SET(plan.depth, 256) } },
	{ "one operation more than there are", P_OPS, { SET(plan.nops, 7) } },
	{ "operations shifted past the end", P_OPS, { SET(plan.op, 1) } },
	{ "the last operation only", NULL, { SET(plan.op, 5), SET(plan.nops, 1) } },
	{ "no operations at the end", NULL, { SET(plan.op, 6), NO_OPS } },
	{ "no operations past the end", P_OPS, { SET(plan.op, 7), NO_OPS } },
	{ "op + nops wraps to 0", P_OPS, { SET(plan.op, U32_MAX), SET(plan.nops, 1) } },
	{ "op + nops wraps into the table", P_OPS,
	  { SET(plan.op, U32_MAX - 1), SET(plan.nops, 3) } },
	{ "1025 operations", P_MANY_OPS, { SET(plan.nops, 1025), SET(nops, 2048) } },
	{ "2^32 - 1 operations", P_MANY_OPS, { SET(plan.nops, U32_MAX) } },
	{ "padding of a piece", C_PAD, { SET(pieces[1].pad, 1) } },
	{ "the last piece is looked at as well", C_PAD, { SET(pieces[2].pad, 0x100) } },
	{ "what is behind the pieces is not", NULL, { SET(pieces[3].pad, 1) } },
	{ "a piece of 0 bytes", C_OUTSIDE, { SET(pieces[2].size, 0) } },
	{ "a piece that ends one byte past the frame", C_OUTSIDE,
	  { SET(pieces[2].frame, 17) } },
	{ "a piece larger than the frame", C_OUTSIDE,
	  { SET(pieces[2].size, 65), SET(pieces[2].frame, 0) } },
	{ "a piece as large as the frame", NULL,
	  { SET(pieces[2].size, 64), SET(pieces[2].frame, 0) } },
	{ "frame + size wraps", C_OUTSIDE, { SET(pieces[2].frame, U32_MAX - 15) } },
	{ "size so large that adding wraps", C_OUTSIDE,
	  { SET(pieces[2].size, U32_MAX - 15) } },
	{ "a piece in the padding of the frame", C_OUTSIDE, { SET(types[0].size, 63) } },
	{ "a frame of 0 bytes has no pieces", C_OUTSIDE, { SET(plan.type, 3) } },
	{ "source 0", C_SOURCE, { SET(pieces[0].source, GOPROBE_FROM_UNSPEC) } },
	{ "source one past the last", C_SOURCE,
	  { SET(pieces[0].source, __GOPROBE_FROM_MAX) } },
	{ "source 255", C_SOURCE, { SET(pieces[0].source, 255) } },
	{ "the last integer register", NULL, { SET(pieces[0].reg, 15) } },
	{ "past the integer registers", C_INT, { SET(pieces[0].reg, 16) } },
	{ "a float register as an integer one", C_INT, { SET(pieces[0].reg, 17) } },
	{ "no register", C_INT, { SET(pieces[0].reg, GOPROBE_REG_NONE) } },
	{ "1 byte of an integer register", NULL, { SET(pieces[0].size, 1) } },
	{ "2 bytes of it", NULL, { SET(pieces[0].size, 2) } },
	{ "3 bytes of it", C_INT_SIZE, { SET(pieces[0].size, 3) } },
	{ "4 bytes of it", NULL, { SET(pieces[0].size, 4) } },
	{ "7 bytes of it", C_INT_SIZE, { SET(pieces[0].size, 7) } },
	{ "16 bytes of it", C_INT_SIZE, { SET(pieces[0].size, 16) } },
	{ "the last float register", NULL, { SET(pieces[1].reg, 32) } },
	{ "past the float registers", C_FLOAT, { SET(pieces[1].reg, 33) } },
	{ "an integer register as a float one", C_FLOAT, { SET(pieces[1].reg, 15) } },
	{ "2 bytes of a float register", C_FLOAT_SIZE, { SET(pieces[1].size, 2) } },
	{ "4 bytes of it", NULL, { SET(pieces[1].size, 4) } },
	{ "12 bytes of it", C_FLOAT_SIZE, { SET(pieces[1].size, 12) } },
	{ "16 bytes of it", NULL, { SET(pieces[1].size, 16) } },
	{ "32 bytes of it", C_FLOAT_SIZE, { SET(pieces[1].size, 32) } },
	{ "the lowest stack slot", NULL, { SET(pieces[2].offset, -4096) } },
	{ "one byte lower", C_FAR, { SET(pieces[2].offset, -4097) } },
	{ "the highest stack slot", NULL, { SET(pieces[2].offset, (1 << 20) - 1) } },
	{ "one byte higher", C_FAR, { SET(pieces[2].offset, 1 << 20) } },
	{ "the lowest number", C_FAR, { SET(pieces[2].offset, S32_MIN) } },
	{ "static data anywhere", NULL,
	  { SET(pieces[2].source, GOPROBE_FROM_STATIC), SET(pieces[2].address, U64_MAX) } },
	{ "static data beyond the frame", C_OUTSIDE,
	  { SET(pieces[2].source, GOPROBE_FROM_STATIC), SET(pieces[2].size, 49) } },
};

KUNIT_ARRAY_PARAM(plan, plan_rows, row_desc);

static void expect_plan(struct kunit *test, const struct row *row, struct world *w)
{
	struct gp_types types;

	world_load(test, w, &types);
	expect(test, row, gp_verify_plan(&w->plan, w->pieces, w->npieces, w->ops, w->nops,
					 &types));
	gp_types_fini(&types);
}

static void plans_and_pieces(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct world w;

	world_make(&w, row);
	expect_plan(test, row, &w);
}

/* What does not fit into the world of the table. */
static void a_plan_may_have_512_pieces(struct kunit *test)
{
	struct goprobe_piece *pieces = kunit_kzalloc(test, 512 * sizeof(*pieces), GFP_KERNEL);
	struct goprobe_plan plan = { .npieces = 512 };
	struct goprobe_type type = { .size = 4096 };
	struct gp_types types = {};
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, pieces);
	KUNIT_ASSERT_EQ(test, gp_types_add(&types, &type, 1, NULL, 0), 0);
	for (i = 0; i < 512; i++) {
		pieces[i].source = GOPROBE_FROM_STACK;
		pieces[i].size = 8;
		pieces[i].frame = 8 * i;
	}
	KUNIT_EXPECT_TRUE(test, !gp_verify_plan(&plan, pieces, 512, NULL, 0, &types));
	pieces[511].frame++;
	KUNIT_EXPECT_STREQ(test, gp_verify_plan(&plan, pieces, 512, NULL, 0, &types) ?:
			   "accepted", C_OUTSIDE);
	gp_types_fini(&types);
}

#define Q_CODE		"an operation has an unknown code"
#define Q_CLEAN		"a field that an operation does not use is not 0"
#define Q_REG		"an operation names a register above 15"
#define Q_INT		"an operation reads a register that is not an integer register"
#define Q_SIZE		"an operation's number is not 1, 2, 4 or 8 bytes"
#define Q_FRAME		"an operation lies outside its frame"
#define Q_SKIP		"an operation skips past the end of its program"
#define Q_STATUS	"an item fails for an unknown reason"

#define NO_PIECES	SET(plan.npieces, 0)

static const struct row op_rows[] = {
	{ "right ones pass", NULL, {} },
	{ "code 0", Q_CODE, { SET(ops[0].code, 0) } },
	{ "code one past the last", Q_CODE, { SET(ops[0].code, __GOPROBE_OP_MAX) } },
	{ "code 255", Q_CODE, { SET(ops[0].code, 255) } },
	{ "the last operation is looked at as well", Q_CODE, { SET(ops[5].code, 0) } },
	{ "what is behind the operations is not", NULL, { SET(ops[6].code, 255) } },
	{ "first padding", Q_CLEAN, { SET(ops[0].pad, 1) } },
	{ "last padding", Q_CLEAN, { SET(ops[0].pad2, 1) } },
	{ "REG has no size", Q_CLEAN, { SET(ops[0].size, 8) } },
	{ "REG has no offset", Q_CLEAN, { SET(ops[0].offset, 8) } },
	{ "REG has no value", Q_CLEAN, { SET(ops[0].value, 1) } },
	{ "TRY has no a", Q_CLEAN, { SET(ops[1].a, 1) } },
	{ "TRY has no b", Q_CLEAN, { SET(ops[1].b, 1) } },
	{ "TRY has no size", Q_CLEAN, { SET(ops[1].size, 1) } },
	{ "LOAD has no offset", Q_CLEAN, { SET(ops[2].offset, 1) } },
	{ "JEQ has no size", Q_CLEAN, { SET(ops[3].size, 1) } },
	{ "JEQ has no value", Q_CLEAN, { SET(ops[3].value, 1) } },
	{ "COPY has no a", Q_CLEAN, { SET(ops[4].a, 1) } },
	{ "STORE has no b", Q_CLEAN, { SET(ops[5].b, 1) } },
	{ "STORE has no value", Q_CLEAN, { SET(ops[5].value, 1) } },
	{ "END has nothing", NULL, { SET(ops[0].code, GOPROBE_OP_END), SET(ops[0].a, 0),
				     SET(ops[0].b, 0) } },
	{ "END has no a", Q_CLEAN, { SET(ops[0].code, GOPROBE_OP_END), SET(ops[0].b, 0) } },
	{ "IMM has no b", Q_CLEAN, { SET(ops[0].code, GOPROBE_OP_IMM) } },
	{ "JUMP has no a", Q_CLEAN, { SET(ops[3].code, GOPROBE_OP_JUMP), SET(ops[3].b, 0) } },
	{ "the last register as a", NULL, { SET(ops[0].a, 15) } },
	{ "one past it", Q_REG, { SET(ops[0].a, 16) } },
	{ "register 255 as a", Q_REG, { SET(ops[2].a, 255) } },
	{ "the last register as b", NULL, { SET(ops[2].b, 15) } },
	{ "one past it as b", Q_REG, { SET(ops[2].b, 16) } },
	{ "one past it in a jump", Q_REG, { SET(ops[3].b, 16) } },
	{ "one past it to copy from", Q_REG, { SET(ops[4].b, 16) } },
	{ "one past it to store", Q_REG, { SET(ops[5].a, 16) } },
	{ "the last integer register", NULL, { SET(ops[0].b, 15) } },
	{ "past the integer registers", Q_INT, { SET(ops[0].b, 16) } },
	{ "a float register", Q_INT, { SET(ops[0].b, 17) } },
	{ "load 1 byte", NULL, { SET(ops[2].size, 1) } },
	{ "load nothing", Q_SIZE, { SET(ops[2].size, 0) } },
	{ "load 3 bytes", Q_SIZE, { SET(ops[2].size, 3) } },
	{ "load 16 bytes", Q_SIZE, { SET(ops[2].size, 16) } },
	{ "load 2^31 bytes", Q_SIZE, { SET(ops[2].size, 1U << 31) } },
	{ "sign of 5 bytes", Q_SIZE,
	  { SET(ops[2].code, GOPROBE_OP_SIGN), SET(ops[2].value, 0), SET(ops[2].size, 5) } },
	{ "load from any place", NULL, { SET(ops[2].value, U64_MAX) } },
	{ "store 3 bytes", Q_SIZE, { SET(ops[5].size, 3), SET(ops[5].offset, 0) } },
	{ "store across the end of the frame", Q_FRAME, { SET(ops[5].offset, 61) } },
	{ "store far behind it", Q_FRAME, { SET(ops[5].offset, U32_MAX) } },
	{ "store 8 bytes at the end", NULL, { SET(ops[5].size, 8), SET(ops[5].offset, 56) } },
	{ "read the frame at its end", NULL,
	  { SET(ops[5].code, GOPROBE_OP_FRAME) } },
	{ "read across its end", Q_FRAME,
	  { SET(ops[5].code, GOPROBE_OP_FRAME), SET(ops[5].offset, 61) } },
	{ "copy nothing", Q_FRAME, { SET(ops[4].size, 0) } },
	{ "copy across the end of the frame", Q_FRAME, { SET(ops[4].offset, 41) } },
	{ "copy all of the frame", NULL, { SET(ops[4].size, 64), SET(ops[4].offset, 0) } },
	{ "copy more than the frame", Q_FRAME, { SET(ops[4].size, 65), SET(ops[4].offset, 0) } },
	{ "copy 2^32 - 1 bytes", Q_FRAME, { SET(ops[4].size, U32_MAX) } },
	{ "the frame counts without its padding", Q_FRAME, { SET(types[0].size, 63), NO_PIECES } },
	{ "skip to the end", NULL, { SET(ops[3].offset, 2) } },
	{ "skip past the end", Q_SKIP, { SET(ops[3].offset, 3) } },
	{ "skip 2^32 - 1", Q_SKIP, { SET(ops[3].offset, U32_MAX) } },
	{ "an item to the end", NULL, { SET(ops[1].offset, 4) } },
	{ "an item past the end", Q_SKIP, { SET(ops[1].offset, 5) } },
	{ "the end of the plan's operations counts", Q_SKIP, { SET(plan.nops, 4) } },
	{ "fail with a reason", NULL,
	  { SET(ops[1].code, GOPROBE_OP_FAIL), SET(ops[1].offset, 0), SET(ops[1].value, 1) } },
	{ "fail without one", Q_STATUS,
	  { SET(ops[1].code, GOPROBE_OP_FAIL), SET(ops[1].offset, 0), SET(ops[1].value, 0) } },
	{ "fail with the last one", NULL,
	  { SET(ops[1].code, GOPROBE_OP_FAIL), SET(ops[1].offset, 0),
	    SET(ops[1].value, GOPROBE_CHUNK_MAX) } },
	{ "fail with one past the last", Q_STATUS,
	  { SET(ops[1].code, GOPROBE_OP_FAIL), SET(ops[1].offset, 0),
	    SET(ops[1].value, __GOPROBE_CHUNK_MAX) } },
	{ "fail with 2^32 more", Q_STATUS,
	  { SET(ops[1].code, GOPROBE_OP_FAIL), SET(ops[1].offset, 0),
	    SET(ops[1].value, BIT_ULL(32) + 1) } },
};

KUNIT_ARRAY_PARAM(op, op_rows, row_desc);

static void operations(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct world w;

	world_make(&w, row);
	expect_plan(test, row, &w);
}

/* The most that a program may be, and may copy. */
static void programs_at_their_limits(struct kunit *test)
{
	struct goprobe_op *ops = kunit_kzalloc(test, 1024 * sizeof(*ops), GFP_KERNEL);
	struct goprobe_plan plan = { .nops = 1024 };
	struct goprobe_type type = { .size = 4096 };
	struct gp_types types = {};
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	KUNIT_ASSERT_EQ(test, gp_types_add(&types, &type, 1, NULL, 0), 0);
	for (i = 0; i < 1024; i++)
		ops[i] = (struct goprobe_op){ .code = GOPROBE_OP_COPY, .size = 64 };
	KUNIT_EXPECT_STREQ(test, gp_verify_plan(&plan, NULL, 0, ops, 1024, &types) ?:
			   "accepted", "accepted");
	ops[700].size++;
	KUNIT_EXPECT_STREQ(test, gp_verify_plan(&plan, NULL, 0, ops, 1024, &types) ?:
			   "accepted", "a program copies more than 64 KiB");
	/* 1,024 items that fail are 16 KiB. */
	for (i = 0; i < 1024; i++)
		ops[i] = (struct goprobe_op){ .code = GOPROBE_OP_TRY };
	plan.bytes = 24576 - 56 - 4096 - 16384;
	KUNIT_EXPECT_STREQ(test, gp_verify_plan(&plan, NULL, 0, ops, 1024, &types) ?:
			   "accepted", "accepted");
	plan.bytes++;
	KUNIT_EXPECT_STREQ(test, gp_verify_plan(&plan, NULL, 0, ops, 1024, &types) ?:
			   "accepted", P_BYTES);
	gp_types_fini(&types);
}

#define O_KIND		"a point has an unknown kind"
#define O_SKIP		"a point has an unknown condition to skip"
#define O_FLAGS		"a point has unknown flags"
#define O_PLAN		"a point names a plan that does not exist"
#define O_CODE		"a point does not say what its instruction is"
#define O_FAR		"a point's stack pointer is too far from the one at entry"

static const struct row point_rows[] = {
	{ "a right one passes", NULL, {} },
	{ "a return", NULL, { SET(point.kind, GOPROBE_POINT_RETURN) } },
	{ "a tail call", NULL, { SET(point.kind, GOPROBE_POINT_TAIL) } },
	{ "kind 0", O_KIND, { SET(point.kind, GOPROBE_POINT_UNSPEC) } },
	{ "kind one past the last", O_KIND, { SET(point.kind, __GOPROBE_POINT_MAX) } },
	{ "kind 255", O_KIND, { SET(point.kind, 255) } },
	{ "never skipped", NULL, { SET(point.skip, GOPROBE_SKIP_NEVER) } },
	{ "skip one past the last", O_SKIP, { SET(point.skip, __GOPROBE_SKIP_MAX) } },
	{ "the one flag", NULL, { SET(point.flags, GOPROBE_POINT_F_ABI0) } },
	{ "the next flag", O_FLAGS, { SET(point.flags, 2) } },
	{ "the highest flag beside the one", O_FLAGS, { SET(point.flags, 0x81) } },
	{ "no plan", NULL, { SET(point.plan, GOPROBE_NO_PLAN) } },
	{ "no plan when there are none", NULL,
	  { SET(point.plan, GOPROBE_NO_PLAN), SET(nplans, 0) } },
	{ "plan 0 when there are none", O_PLAN, { SET(nplans, 0) } },
	{ "past the last plan", O_PLAN, { SET(point.plan, 1) } },
	{ "almost no plan", O_PLAN, { SET(point.plan, GOPROBE_NO_PLAN - 1) } },
	{ "no code", O_CODE, { SET(point.code_len, 0) } },
	{ "one byte of code", NULL, { SET(point.code_len, 1) } },
	{ "all of the code", NULL, { SET(point.code_len, GOPROBE_CODE_MAX) } },
	{ "more code than there is room", O_CODE,
	  { SET(point.code_len, GOPROBE_CODE_MAX + 1) } },
	{ "the highest SP", NULL, { SET(point.sp_adjust, 1 << 20) } },
	{ "one byte higher", O_FAR, { SET(point.sp_adjust, (1 << 20) + 1) } },
	{ "the lowest SP", NULL, { SET(point.sp_adjust, -(1 << 20)) } },
	{ "one byte lower", O_FAR, { SET(point.sp_adjust, -(1 << 20) - 1) } },
	{ "the lowest number", O_FAR, { SET(point.sp_adjust, S32_MIN) } },
	{ "the processor has a say", "there is a breakpoint instruction already",
	  { SET(point.code[0], 0xcc) } },
	{ "any id", NULL, { SET(point.id, U32_MAX) } },
	{ "any offset: the file has the last word", NULL, { SET(point.offset, U64_MAX) } },
};

KUNIT_ARRAY_PARAM(point, point_rows, row_desc);

static void points(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct world w;

	world_make(&w, row);
	expect(test, row, gp_verify_point(&w.point, w.nplans));
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(runtime_descriptions, runtime_gen_params),
	KUNIT_CASE_PARAM(types_and_references, types_gen_params),
	KUNIT_CASE_PARAM(dynamic_types, dynamic_gen_params),
	KUNIT_CASE_PARAM(plans_and_pieces, plan_gen_params),
	KUNIT_CASE(a_plan_may_have_512_pieces),
	KUNIT_CASE_PARAM(operations, op_gen_params),
	KUNIT_CASE(programs_at_their_limits),
	KUNIT_CASE_PARAM(points, point_gen_params),
	{}
};

static struct kunit_suite suite = { .name = "verify", .test_cases = cases };

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Trust gate: KUnit suite");
