// SPDX-License-Identifier: GPL-2.0
/* The trust gate of filters: what is for them, what is for plans, and their limits. */
#include "verify_world.h"

#define F_NONE		"a filter has no operations"
#define F_MANY		"a filter has more than 1024 operations"
#define F_OUTSIDE	"a filter's operations lie outside the message"
#define F_PLANS		"a filter has an operation that is for plans"
#define F_SKIP		"an operation skips past the end of its program"
#define F_UNDERS	"a filter has more than 16 operations that look at open calls"
#define F_QUOTA		"the quota of a period is more than 16777215"
#define F_QUOTAS	"a filter has two quotas of one kind"
#define F_SP		"an edit sets the stack pointer"
#define F_EDITS		"an edit sets, writes and delays more than 32 times"
#define F_KEY		"an edit makes a key or a value, or uses a duration"
#define F_CODE		"an operation has an unknown code"

/* The first operation comes from the good world: REG r1 = rbx. */
static const struct row filter_rows[] = {
	{ "a right one passes", NULL, {} },
	{ "no operations", F_NONE, { SET(filter.nops, 0) } },
	{ "no operations past the end", F_NONE, { SET(filter.nops, 0), SET(filter.op, 99) } },
	{ "1025 operations", F_MANY, { SET(filter.nops, 1025), SET(nops, 2048) } },
	{ "2^32 - 1 operations", F_MANY, { SET(filter.nops, U32_MAX) } },
	{ "one operation behind the last", F_OUTSIDE, { SET(filter.op, 6) } },
	{ "more operations than there are", F_OUTSIDE, { SET(filter.nops, 7) } },
	{ "op + nops wraps to 0", F_OUTSIDE, { SET(filter.op, U32_MAX) } },
	{ "op + nops wraps into the table", F_OUTSIDE,
	  { SET(filter.op, U32_MAX - 1), SET(filter.nops, 3) } },
	{ "an operation in the middle", NULL, { SET(filter.op, 2) } },
	{ "TRY", F_PLANS, { SET(filter.op, 1) } },
	{ "COPY", F_PLANS, { SET(filter.op, 4) } },
	{ "STORE", F_PLANS, { SET(filter.op, 5) } },
	{ "FRAME", F_PLANS, { SET(ops[0].code, GOPROBE_OP_FRAME) } },
	{ "the last operation is looked at as well", F_PLANS,
	  { SET(filter.op, 2), SET(filter.nops, 3) } },
	{ "a skip over the filter's end, within the message", F_SKIP, { SET(filter.op, 3) } },
	{ "code 0", F_CODE, { SET(ops[0].code, 0) } },
	{ "code one past the last", F_CODE, { SET(ops[0].code, __GOPROBE_OP_MAX) } },
	{ "code 255", F_CODE, { SET(ops[0].code, 255) } },
	{ "QUOTA: the most of the longest period", NULL,
	  { SET(ops[0].code, GOPROBE_OP_QUOTA), SET(ops[0].b, 0), SET(ops[0].value, (1 << 24) - 1),
	    SET(ops[0].offset, U32_MAX) } },
	{ "QUOTA: one more of a period", F_QUOTA,
	  { SET(ops[0].code, GOPROBE_OP_QUOTA), SET(ops[0].b, 0), SET(ops[0].value, 1 << 24),
	    SET(ops[0].offset, 1) } },
	{ "SET: the stack pointer", F_SP, { SET(ops[0].code, GOPROBE_OP_SET), SET(ops[0].b, 7) } },
};

KUNIT_ARRAY_PARAM(filter, filter_rows, row_desc);

static void filters(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct world w;

	world_make(&w, row);
	expect(test, row, gp_verify_filter(&w.filter, w.ops, w.nops));
}

/* The message about @n times the same operation. */
static const char *of_many(struct kunit *test, const struct goprobe_op *op, u32 n)
{
	struct goprobe_op *ops = kunit_kcalloc(test, n, sizeof(*ops), GFP_KERNEL);
	struct goprobe_filter filter = { .nops = n };
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	for (i = 0; i < n; i++)
		ops[i] = *op;
	return gp_verify_filter(&filter, ops, n) ?: "accepted";
}

static void filters_at_their_limits(struct kunit *test)
{
	struct goprobe_op op = { .code = GOPROBE_OP_NUMBER };

	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 1024), "accepted");
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 1025), F_MANY);
	op.code = GOPROBE_OP_UNDER;
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 16), "accepted");
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 17), F_UNDERS);
	op.code = GOPROBE_OP_ROOT;
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 16), "accepted");
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 17), F_UNDERS);
	op = (struct goprobe_op){ .code = GOPROBE_OP_QUOTA };
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 1), "accepted");
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 2), F_QUOTAS);
	op.offset = 1;
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 1), "accepted");
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 2), F_QUOTAS);
	op = (struct goprobe_op){ .code = GOPROBE_OP_SAME, .size = 4096 };
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 16), "accepted");
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 17), "a program copies more than 64 KiB");
	op = (struct goprobe_op){ .code = GOPROBE_OP_KEY_BYTES, .size = 4096 };
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 16), "accepted");
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 17), "a program copies more than 64 KiB");
	op.value = 4096;
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 8), "accepted");
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 9), "a program copies more than 64 KiB");
	op = (struct goprobe_op){ .code = GOPROBE_OP_FIND, .size = 4096 };
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 2), "accepted");
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 3), "a program copies more than 64 KiB");
	op = (struct goprobe_op){ .code = GOPROBE_OP_SAME, .size = 64 };
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 1024), "accepted");
	op.size = 65;
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 1024), "a program copies more than 64 KiB");
	op = (struct goprobe_op){ .code = GOPROBE_OP_SET };
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 32), "accepted");
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 33), F_EDITS);
	op = (struct goprobe_op){ .code = GOPROBE_OP_DELAY, .value = 1 };
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 32), "accepted");
	KUNIT_EXPECT_STREQ(test, of_many(test, &op, 33), F_EDITS);
}

static void edits_are_nothing_else(struct kunit *test)
{
	static const struct goprobe_op others[] = {
		{ .code = GOPROBE_OP_DURATION }, { .code = GOPROBE_OP_KEY },
		{ .code = GOPROBE_OP_KEY_BYTES, .size = 8 }, { .code = GOPROBE_OP_KEY_STACK },
		{ .code = GOPROBE_OP_VALUE }, { .code = GOPROBE_OP_SVALUE },
		{ .code = GOPROBE_OP_BUCKET },
	};
	const struct goprobe_filter filter = { .nops = 2 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		struct goprobe_op ops[2] = { others[i], { .code = GOPROBE_OP_SET } };

		KUNIT_EXPECT_STREQ(test, gp_verify_filter(&filter, ops, 2) ?: "accepted", F_KEY);
		ops[1] = (struct goprobe_op){ .code = GOPROBE_OP_END };
		KUNIT_EXPECT_STREQ(test, gp_verify_filter(&filter, ops, 2) ?: "accepted",
				   "accepted");
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(filters, filter_gen_params),
	KUNIT_CASE(filters_at_their_limits),
	KUNIT_CASE(edits_are_nothing_else),
	{}
};

static struct kunit_suite suite = { .name = "verify_filter", .test_cases = cases };

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Trust gate of filters: KUnit suite");
