// SPDX-License-Identifier: GPL-2.0
/* The trust gate of filters: what is for them, what is for plans, and their limits. */
#include "verify_world.h"

#define F_NONE		"a filter has no operations"
#define F_MANY		"a filter has more than 1024 operations"
#define F_OUTSIDE	"a filter's operations lie outside the message"
#define F_PLANS		"a filter has an operation that is for plans"
#define F_CLEAN		"a field that an operation does not use is not 0"
#define F_REG		"an operation names a register above 15"
#define F_INT		"an operation names a register that is not an integer register"
#define F_FLOAT		"an operation names a register that is not a float register"
#define F_FLOAT_SIZE	"an operation's float is not 4 or 8 bytes"
#define F_SIZE		"an operation's number is not 1, 2, 4 or 8 bytes"
#define F_SKIP		"an operation skips past the end of its program"
#define F_TASK		"an operation reads an unknown property of a task"
#define F_ID		"an operation names an id of more than 32 bits"
#define F_HASH	"a key's hash covers more than 4096 bytes"
#define F_SAME		"an operation of a filter compares more than 4096 bytes"
#define F_STATUS	"an item fails for an unknown reason"
#define F_UNDERS	"a filter has more than 16 operations that look at open calls"
#define F_CAUSE		"a filter rejects for an unknown reason"
#define F_COUNTER	"a filter has two counters of hits, 0 and 1"
#define F_QUOTA		"the quota of a period is more than 16777215"
#define F_QUOTAS	"a filter has two quotas of one kind"
#define F_SP		"an edit sets the stack pointer"
#define F_NS		"a delay is not between 1 ns and 1 s"
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
	{ "padding", F_CLEAN, { SET(ops[0].pad, 1) } },
	{ "an integer register that does not exist", F_INT, { SET(ops[0].b, 16) } },
	{ "a float register", NULL,
	  { SET(ops[0].code, GOPROBE_OP_FLOAT), SET(ops[0].b, 17), SET(ops[0].size, 8) } },
	{ "a float register that does not exist", F_FLOAT,
	  { SET(ops[0].code, GOPROBE_OP_FLOAT), SET(ops[0].size, 8) } },
	{ "a float of 1 byte", F_FLOAT_SIZE,
	  { SET(ops[0].code, GOPROBE_OP_FLOAT), SET(ops[0].b, 17), SET(ops[0].size, 1) } },
	{ "FAIL", NULL, { SET(ops[0].code, GOPROBE_OP_FAIL), SET(ops[0].a, 0), SET(ops[0].b, 0),
			  SET(ops[0].value, GOPROBE_CHUNK_NIL) } },
	{ "FAIL for nothing", F_STATUS,
	  { SET(ops[0].code, GOPROBE_OP_FAIL), SET(ops[0].a, 0), SET(ops[0].b, 0) } },
	{ "REJECT", NULL,
	  { SET(ops[0].code, GOPROBE_OP_REJECT), SET(ops[0].a, 0), SET(ops[0].b, 0) } },
	{ "REJECT has no a", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_REJECT), SET(ops[0].b, 0) } },
	{ "REJECT: the last cause, muted", NULL,
	  { SET(ops[0].code, GOPROBE_OP_REJECT), SET(ops[0].a, 0), SET(ops[0].b, 0),
	    SET(ops[0].value, GOPROBE_REJECT_MAX | GOPROBE_REJECT_F_MUTED) } },
	{ "REJECT: one past it", F_CAUSE,
	  { SET(ops[0].code, GOPROBE_OP_REJECT), SET(ops[0].a, 0), SET(ops[0].b, 0),
	    SET(ops[0].value, __GOPROBE_REJECT_MAX) } },
	{ "REJECT: one past it, muted", F_CAUSE,
	  { SET(ops[0].code, GOPROBE_OP_REJECT), SET(ops[0].a, 0), SET(ops[0].b, 0),
	    SET(ops[0].value, __GOPROBE_REJECT_MAX | GOPROBE_REJECT_F_MUTED) } },
	{ "REJECT: another flag", F_CAUSE,
	  { SET(ops[0].code, GOPROBE_OP_REJECT), SET(ops[0].a, 0), SET(ops[0].b, 0),
	    SET(ops[0].value, GOPROBE_REJECT_F_MUTED << 1) } },
	{ "REJECT: 2^32 more", F_CAUSE,
	  { SET(ops[0].code, GOPROBE_OP_REJECT), SET(ops[0].a, 0), SET(ops[0].b, 0),
	    SET(ops[0].value, BIT_ULL(32)) } },
	{ "QUOTA: any number", NULL, { SET(ops[0].code, GOPROBE_OP_QUOTA), SET(ops[0].b, 0),
				       SET(ops[0].value, U64_MAX) } },
	{ "QUOTA: the most of the longest period", NULL,
	  { SET(ops[0].code, GOPROBE_OP_QUOTA), SET(ops[0].b, 0), SET(ops[0].value, (1 << 24) - 1),
	    SET(ops[0].offset, U32_MAX) } },
	{ "QUOTA: one more of a period", F_QUOTA,
	  { SET(ops[0].code, GOPROBE_OP_QUOTA), SET(ops[0].b, 0), SET(ops[0].value, 1 << 24),
	    SET(ops[0].offset, 1) } },
	{ "QUOTA has no b", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_QUOTA) } },
	{ "QUOTA in a register that does not exist", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_QUOTA), SET(ops[0].b, 0), SET(ops[0].a, 16) } },
	{ "ROOT", NULL, { SET(ops[0].code, GOPROBE_OP_ROOT), SET(ops[0].b, 0) } },
	{ "ROOT has no value", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_ROOT), SET(ops[0].b, 0),
					  SET(ops[0].value, 1) } },
	{ "ROOT has no offset", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_ROOT), SET(ops[0].b, 0),
					   SET(ops[0].offset, 1) } },
	{ "TASK: the last", NULL, { SET(ops[0].code, GOPROBE_OP_TASK), SET(ops[0].b, 0),
				    SET(ops[0].value, GOPROBE_TASK_MAX) } },
	{ "TASK: one past it", F_TASK, { SET(ops[0].code, GOPROBE_OP_TASK), SET(ops[0].b, 0),
					 SET(ops[0].value, __GOPROBE_TASK_MAX) } },
	{ "TASK: 2^32 more", F_TASK, { SET(ops[0].code, GOPROBE_OP_TASK), SET(ops[0].b, 0),
				       SET(ops[0].value, BIT_ULL(32)) } },
	{ "TASK has no b", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_TASK) } },
	{ "DURATION", NULL, { SET(ops[0].code, GOPROBE_OP_DURATION), SET(ops[0].b, 0) } },
	{ "DURATION has no value", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_DURATION),
					      SET(ops[0].b, 0), SET(ops[0].value, 1) } },
	{ "DURATION in a register that does not exist", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_DURATION), SET(ops[0].b, 0), SET(ops[0].a, 16) } },
	{ "NUMBER", NULL, { SET(ops[0].code, GOPROBE_OP_NUMBER), SET(ops[0].b, 0) } },
	{ "NUMBER: the other counter", NULL, { SET(ops[0].code, GOPROBE_OP_NUMBER),
					       SET(ops[0].b, 0), SET(ops[0].value, 1) } },
	{ "NUMBER: a third counter", F_COUNTER, { SET(ops[0].code, GOPROBE_OP_NUMBER),
						  SET(ops[0].b, 0), SET(ops[0].value, 2) } },
	{ "NUMBER: 2^32 more", F_COUNTER, { SET(ops[0].code, GOPROBE_OP_NUMBER), SET(ops[0].b, 0),
					    SET(ops[0].value, BIT_ULL(32)) } },
	{ "NUMBER has no size", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_NUMBER), SET(ops[0].b, 0),
					   SET(ops[0].size, 8) } },
	{ "UNDER: the highest id", NULL, { SET(ops[0].code, GOPROBE_OP_UNDER), SET(ops[0].b, 0),
					   SET(ops[0].value, U32_MAX) } },
	{ "UNDER: one past it", F_ID, { SET(ops[0].code, GOPROBE_OP_UNDER), SET(ops[0].b, 0),
					SET(ops[0].value, BIT_ULL(32)) } },
	{ "UNDER has no offset", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_UNDER), SET(ops[0].b, 0),
					    SET(ops[0].offset, 1) } },
	{ "SAME: 4096 bytes", NULL, { SET(ops[0].code, GOPROBE_OP_SAME), SET(ops[0].size, 4096),
				      SET(ops[0].value, 15) } },
	{ "SAME: 4097 bytes", F_SAME,
	  { SET(ops[0].code, GOPROBE_OP_SAME), SET(ops[0].size, 4097) } },
	{ "SAME: 2^32 - 1 bytes", F_SAME,
	  { SET(ops[0].code, GOPROBE_OP_SAME), SET(ops[0].size, U32_MAX) } },
	{ "SAME: 2^16 more than fit", F_SAME,
	  { SET(ops[0].code, GOPROBE_OP_SAME), SET(ops[0].size, 65536 + 8) } },
	{ "SAME: nothing", NULL, { SET(ops[0].code, GOPROBE_OP_SAME) } },
	{ "SAME: a length in a register that does not exist", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_SAME), SET(ops[0].value, 16) } },
	{ "SAME: a length in register 2^32", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_SAME), SET(ops[0].value, BIT_ULL(32)) } },
	{ "SAME: the address in a register that does not exist", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_SAME), SET(ops[0].b, 16) } },
	{ "SAME has no offset", F_CLEAN,
	  { SET(ops[0].code, GOPROBE_OP_SAME), SET(ops[0].offset, 1) } },
	{ "KEY", NULL, { SET(ops[0].code, GOPROBE_OP_KEY), SET(ops[0].b, 0) } },
	{ "KEY has no b", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_KEY) } },
	{ "KEY has no size", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_KEY), SET(ops[0].b, 0),
					SET(ops[0].size, 8) } },
	{ "KEY has no value", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_KEY), SET(ops[0].b, 0),
					 SET(ops[0].value, 1) } },
	{ "KEY of a register that does not exist", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_KEY), SET(ops[0].b, 0), SET(ops[0].a, 16) } },
	{ "KEY_BYTES: 4096", NULL,
	  { SET(ops[0].code, GOPROBE_OP_KEY_BYTES), SET(ops[0].size, 4096) } },
	{ "KEY_BYTES: none", NULL, { SET(ops[0].code, GOPROBE_OP_KEY_BYTES) } },
	{ "KEY_BYTES: 4097", F_SAME,
	  { SET(ops[0].code, GOPROBE_OP_KEY_BYTES), SET(ops[0].size, 4097) } },
	{ "KEY_BYTES: 2^32 - 1", F_SAME,
	  { SET(ops[0].code, GOPROBE_OP_KEY_BYTES), SET(ops[0].size, U32_MAX) } },
	{ "KEY_BYTES: a length in a register that does not exist", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_KEY_BYTES), SET(ops[0].b, 16) } },
	{ "KEY_BYTES: the address in a register that does not exist", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_KEY_BYTES), SET(ops[0].a, 255) } },
	{ "KEY_BYTES: a hash of 4096 bytes", NULL,
	  { SET(ops[0].code, GOPROBE_OP_KEY_BYTES), SET(ops[0].value, 4096) } },
	{ "KEY_BYTES: a hash of 4097 bytes", F_HASH,
	  { SET(ops[0].code, GOPROBE_OP_KEY_BYTES), SET(ops[0].value, 4097) } },
	{ "KEY_BYTES: a hash of 2^64 - 1 bytes", F_HASH,
	  { SET(ops[0].code, GOPROBE_OP_KEY_BYTES), SET(ops[0].value, U64_MAX) } },
	{ "KEY_BYTES has no offset", F_CLEAN,
	  { SET(ops[0].code, GOPROBE_OP_KEY_BYTES), SET(ops[0].offset, 1) } },
	{ "KEY_STACK", NULL, { SET(ops[0].code, GOPROBE_OP_KEY_STACK), SET(ops[0].a, 0),
			       SET(ops[0].b, 0), SET(ops[0].value, 16) } },
	{ "KEY_STACK of any number of functions", NULL,
	  { SET(ops[0].code, GOPROBE_OP_KEY_STACK), SET(ops[0].a, 0), SET(ops[0].b, 0),
	    SET(ops[0].value, U64_MAX) } },
	{ "KEY_STACK has no a", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_KEY_STACK),
					   SET(ops[0].b, 0) } },
	{ "KEY_STACK has no b", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_KEY_STACK),
					   SET(ops[0].a, 0) } },
	{ "KEY_STACK has no size", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_KEY_STACK),
					      SET(ops[0].a, 0), SET(ops[0].b, 0),
					      SET(ops[0].size, 8) } },
	{ "VALUE", NULL, { SET(ops[0].code, GOPROBE_OP_VALUE), SET(ops[0].b, 0) } },
	{ "SVALUE of the last register", NULL,
	  { SET(ops[0].code, GOPROBE_OP_SVALUE), SET(ops[0].b, 0), SET(ops[0].a, 15) } },
	{ "BUCKET", NULL, { SET(ops[0].code, GOPROBE_OP_BUCKET), SET(ops[0].b, 0) } },
	{ "VALUE has no b", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_VALUE) } },
	{ "SVALUE has no size", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_SVALUE), SET(ops[0].b, 0),
					   SET(ops[0].size, 8) } },
	{ "BUCKET has no value", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_BUCKET), SET(ops[0].b, 0),
					    SET(ops[0].value, 1) } },
	{ "VALUE of a register that does not exist", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_VALUE), SET(ops[0].b, 0), SET(ops[0].a, 16) } },
	{ "BUCKET of a register that does not exist", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_BUCKET), SET(ops[0].b, 0), SET(ops[0].a, 255) } },
	{ "SET", NULL, { SET(ops[0].code, GOPROBE_OP_SET) } },
	{ "SET: the stack pointer", F_SP, { SET(ops[0].code, GOPROBE_OP_SET), SET(ops[0].b, 7) } },
	{ "SET: the return address", F_INT,
	  { SET(ops[0].code, GOPROBE_OP_SET), SET(ops[0].b, 16) } },
	{ "SET: from a register that does not exist", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_SET), SET(ops[0].a, 16) } },
	{ "SET has no size", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_SET), SET(ops[0].size, 8) } },
	{ "SET_FLOAT", NULL, { SET(ops[0].code, GOPROBE_OP_SET_FLOAT), SET(ops[0].b, 17),
			       SET(ops[0].size, 8) } },
	{ "SET_FLOAT: an integer register", F_FLOAT,
	  { SET(ops[0].code, GOPROBE_OP_SET_FLOAT), SET(ops[0].size, 8) } },
	{ "SET_FLOAT: two bytes", F_FLOAT_SIZE,
	  { SET(ops[0].code, GOPROBE_OP_SET_FLOAT), SET(ops[0].b, 17), SET(ops[0].size, 2) } },
	{ "WRITE", NULL, { SET(ops[0].code, GOPROBE_OP_WRITE), SET(ops[0].size, 4),
			   SET(ops[0].value, -8ULL) } },
	{ "WRITE: three bytes", F_SIZE,
	  { SET(ops[0].code, GOPROBE_OP_WRITE), SET(ops[0].size, 3) } },
	{ "WRITE: to the address in a register that does not exist", F_REG,
	  { SET(ops[0].code, GOPROBE_OP_WRITE), SET(ops[0].size, 4), SET(ops[0].b, 16) } },
	{ "WRITE has no offset", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_WRITE),
					    SET(ops[0].size, 4), SET(ops[0].offset, 8) } },
	{ "DELAY: a second", NULL, { SET(ops[0].code, GOPROBE_OP_DELAY), SET(ops[0].b, 0),
				     SET(ops[0].a, 0), SET(ops[0].value, 1000000000) } },
	{ "DELAY: a ns more", F_NS, { SET(ops[0].code, GOPROBE_OP_DELAY), SET(ops[0].b, 0),
				      SET(ops[0].a, 0), SET(ops[0].value, 1000000001) } },
	{ "DELAY: 2^32 s more", F_NS, { SET(ops[0].code, GOPROBE_OP_DELAY), SET(ops[0].b, 0),
					SET(ops[0].a, 0), SET(ops[0].value, U64_MAX) } },
	{ "DELAY: nothing", F_NS,
	  { SET(ops[0].code, GOPROBE_OP_DELAY), SET(ops[0].b, 0), SET(ops[0].a, 0) } },
	{ "DELAY has no a", F_CLEAN, { SET(ops[0].code, GOPROBE_OP_DELAY), SET(ops[0].b, 0),
				       SET(ops[0].value, 1) } },
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
	op.value = 0;
	op.code = GOPROBE_OP_SAME;
	op.size = 64;
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
