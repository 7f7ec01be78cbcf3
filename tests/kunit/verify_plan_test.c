// SPDX-License-Identifier: GPL-2.0
/* The trust gate of plans: their budgets, pieces and programs. */
#include "verify_world.h"

#define P_TYPE		"a plan names a type that does not exist"
#define P_FRAME		"a plan's frame is larger than 4096 bytes"
#define P_MANY		"a plan has more than 512 pieces"
#define P_PIECES	"a plan's pieces lie outside the message"
#define P_BYTES		"a plan's records can be larger than 24 KiB"
#define P_OBJECTS	"a plan allows more objects than a record can hold"
#define P_LIMIT		"a plan's limit of strings or elements is larger than a record"
#define P_DEPTH		"a plan's depth is larger than 255"
#define P_STACK		"a plan's call stack lies outside its frame"
#define P_NO_STACK	"a plan has no call stack, but a place for it"
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

/* The space for chunks in a record with a frame of 64 bytes and one item. */
#define BYTES		(24576 - 48 - 64 - 16)
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
	{ "a call stack that fills the frame", NULL, { SET(plan.nstack, 7) } },
	{ "a call stack at the end of the frame", NULL,
	  { SET(plan.stack, 48), SET(plan.nstack, 1) } },
	{ "a call stack one address too long", P_STACK, { SET(plan.nstack, 8) } },
	{ "a call stack that begins behind the frame", P_STACK,
	  { SET(plan.stack, 64), SET(plan.nstack, 1) } },
	{ "a call stack far behind the frame", P_STACK,
	  { SET(plan.stack, U32_MAX - 7), SET(plan.nstack, 1) } },
	{ "2^32 - 1 addresses", P_STACK, { SET(plan.nstack, U32_MAX) } },
	{ "a call stack between two words", P_STACK, { SET(plan.stack, 4), SET(plan.nstack, 1) } },
	{ "a place without a call stack", P_NO_STACK, { SET(plan.stack, 8) } },
	{ "the largest budget of bytes", NULL, { SET(plan.bytes, BYTES) } },
	{ "one byte more", P_BYTES, { SET(plan.bytes, BYTES + 1) } },
	{ "the frame counts padded", P_BYTES,
	  { SET(plan.bytes, BYTES), SET(types[0].size, 65) } },
	{ "with the largest frame", NULL,
	  { SET(types[0].size, 4096), SET(plan.bytes, 24576 - 48 - 16 - 4096) } },
	{ "one byte more with the largest frame", P_BYTES,
	  { SET(types[0].size, 4096), SET(plan.bytes, 24576 - 48 - 16 - 4095) } },
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

/* One type, as large as a frame can be. */
static void load_large(struct kunit *test, struct gp_types *types)
{
	struct goprobe_type type = { .size = 4096 };

	memset(types, 0, sizeof(*types));
	KUNIT_ASSERT_EQ(test, gp_types_add(types, &type, 1, NULL, 0), 0);
}

/* Cases that do not fit into the world of the table. */
static void a_plan_may_have_512_pieces(struct kunit *test)
{
	struct goprobe_piece *pieces = kunit_kzalloc(test, 512 * sizeof(*pieces), GFP_KERNEL);
	struct goprobe_plan plan = { .npieces = 512 };
	struct gp_types types;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, pieces);
	load_large(test, &types);
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
#define Q_FRAME		"an operation lies outside its frame"
#define Q_SKIP		"an operation skips past the end of its program"

#define NO_PIECES	SET(plan.npieces, 0)

static const struct row op_rows[] = {
	{ "right ones pass", NULL, {} },
	{ "code 0", Q_CODE, { SET(ops[0].code, 0) } },
	{ "code one past the last", Q_CODE, { SET(ops[0].code, __GOPROBE_OP_MAX) } },
	{ "code 255", Q_CODE, { SET(ops[0].code, 255) } },
	{ "the last operation is looked at as well", Q_CODE, { SET(ops[5].code, 0) } },
	{ "what is behind the operations is not", NULL, { SET(ops[6].code, 255) } },
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
	{ "the order of what is behind the program", Q_SKIP,
	  { SET(ops[0].code, GOPROBE_OP_ORDER), SET(ops[0].size, 8), SET(ops[0].offset, 6) } },
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
	struct gp_types types;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	load_large(test, &types);
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
	plan.bytes = 24576 - 48 - 4096 - 16384;
	KUNIT_EXPECT_STREQ(test, gp_verify_plan(&plan, NULL, 0, ops, 1024, &types) ?:
			   "accepted", "accepted");
	plan.bytes++;
	KUNIT_EXPECT_STREQ(test, gp_verify_plan(&plan, NULL, 0, ops, 1024, &types) ?:
			   "accepted", P_BYTES);
	gp_types_fini(&types);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(plans_and_pieces, plan_gen_params),
	KUNIT_CASE(a_plan_may_have_512_pieces),
	KUNIT_CASE_PARAM(operations, op_gen_params),
	KUNIT_CASE(programs_at_their_limits),
	{}
};

static struct kunit_suite suite = { .name = "verify_plan", .test_cases = cases };

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Trust gate of plans: KUnit suite");
