// SPDX-License-Identifier: GPL-2.0
/* The trust gate of operations: each one by the fields that the protocol gives it. */
#include "verify_world.h"

#include "../op_fields.h"

#define O_CLEAN		"a field that an operation does not use is not 0"
#define O_PLANS		"a filter has an operation that is for plans"
#define O_FILTERS	"a plan has an operation that is for filters"
#define O_REG		"an operation names a register above 15"
#define O_INT		"an operation names a register that is not an integer register"
#define O_FLOAT		"an operation names a register that is not a float register"
#define O_FLOAT_SIZE	"an operation's float is not 4 or 8 bytes"
#define O_SIZE		"an operation's number is not 1, 2, 4 or 8 bytes"
#define O_FRAME		"an operation lies outside its frame"
#define O_SKIP		"an operation skips past the end of its program"
#define O_SAME		"an operation of a filter compares more than 4096 bytes"
#define O_STATUS	"an item fails for an unknown reason"
#define O_TASK		"an operation reads an unknown property of a task"
#define O_ID		"an operation names an id of more than 32 bits"
#define O_CAUSE		"a filter rejects for an unknown reason"
#define O_COUNTER	"a filter has two counters of hits, 0 and 1"
#define O_HASH		"a key's hash covers more than 4096 bytes"
#define O_FIND		"an operation searches with unknown flags"
#define O_NS		"a delay is not between 1 ns and 1 s"

#define FRAME		64

/* A field with a value. */
struct set {
	u32 with;		/* operations that have all of these fields */
	u32 without;		/* but none of these */
	struct {
		u16 at;
		u16 size;
		u64 to;
	} field;
	const char *why;	/* NULL: accepted */
};

#define TO(field, value) \
	{ offsetof(struct goprobe_op, field), sizeof_field(struct goprobe_op, field), (value) }

#define B_ANY		(OP_B | OP_B_TARGET | OP_B_FLOAT)
#define SIZE_ANY	(OP_SIZE_WORD | OP_SIZE_FLOAT | OP_SIZE_BYTES)
#define OFFSET_ANY	(OP_OFFSET_FRAME | OP_OFFSET_SKIP | OP_OFFSET_PERIOD)
#define VALUE_ANY \
	(OP_VALUE | OP_VALUE_ADDRESS | OP_VALUE_CAUSE | OP_VALUE_COUNTER | OP_VALUE_HASHED | \
	 OP_VALUE_FIND | OP_VALUE_ID | OP_VALUE_LENGTH | OP_VALUE_NS | OP_VALUE_STATUS | \
	 OP_VALUE_TASK)

static const struct set unused[] = {
	{ 0, 0, TO(pad, 1), O_CLEAN },
	{ 0, 0, TO(pad2, 1), O_CLEAN },
	{ 0, OP_A, TO(a, 1), O_CLEAN },
	{ 0, B_ANY, TO(b, 1), O_CLEAN },
	{ 0, SIZE_ANY, TO(size, 1), O_CLEAN },
	{ 0, OFFSET_ANY, TO(offset, 1), O_CLEAN },
	{ 0, VALUE_ANY, TO(value, 1), O_CLEAN },
	{ 0, VALUE_ANY, TO(value, BIT_ULL(63)), O_CLEAN },
};

static const struct set limits[] = {
	{ OP_A, 0, TO(a, 15), NULL },
	{ OP_A, 0, TO(a, 16), O_REG },
	{ OP_A, 0, TO(a, 255), O_REG },
	{ OP_B, 0, TO(b, 15), NULL },
	{ OP_B, 0, TO(b, 16), O_REG },
	{ OP_B, 0, TO(b, 255), O_REG },
	{ OP_B_TARGET, 0, TO(b, 15), NULL },
	{ OP_B_TARGET, 0, TO(b, 16), O_INT },
	{ OP_B_TARGET, 0, TO(b, 17), O_INT },
	{ OP_B_FLOAT, 0, TO(b, 16), O_FLOAT },
	{ OP_B_FLOAT, 0, TO(b, 32), NULL },
	{ OP_B_FLOAT, 0, TO(b, 33), O_FLOAT },
	{ OP_SIZE_WORD, 0, TO(size, 0), O_SIZE },
	{ OP_SIZE_WORD, 0, TO(size, 1), NULL },
	{ OP_SIZE_WORD, 0, TO(size, 2), NULL },
	{ OP_SIZE_WORD, 0, TO(size, 3), O_SIZE },
	{ OP_SIZE_WORD, 0, TO(size, 4), NULL },
	{ OP_SIZE_WORD, 0, TO(size, 5), O_SIZE },
	{ OP_SIZE_WORD, 0, TO(size, 16), O_SIZE },
	{ OP_SIZE_WORD, 0, TO(size, BIT(31)), O_SIZE },
	{ OP_SIZE_FLOAT, 0, TO(size, 0), O_SIZE },
	{ OP_SIZE_FLOAT, 0, TO(size, 1), O_FLOAT_SIZE },
	{ OP_SIZE_FLOAT, 0, TO(size, 2), O_FLOAT_SIZE },
	{ OP_SIZE_FLOAT, 0, TO(size, 4), NULL },
	{ OP_SIZE_FLOAT, 0, TO(size, 16), O_SIZE },
	{ OP_SIZE_BYTES, OP_OFFSET_FRAME, TO(size, 0), NULL },
	{ OP_SIZE_BYTES, OP_OFFSET_FRAME, TO(size, 4096), NULL },
	{ OP_SIZE_BYTES, OP_OFFSET_FRAME, TO(size, 4097), O_SAME },
	{ OP_SIZE_BYTES, OP_OFFSET_FRAME, TO(size, 65536 + 8), O_SAME },
	{ OP_SIZE_BYTES, OP_OFFSET_FRAME, TO(size, U32_MAX), O_SAME },
	{ OP_SIZE_BYTES | OP_OFFSET_FRAME, 0, TO(size, 0), O_FRAME },
	{ OP_SIZE_BYTES | OP_OFFSET_FRAME, 0, TO(size, FRAME), NULL },
	{ OP_SIZE_BYTES | OP_OFFSET_FRAME, 0, TO(size, FRAME + 1), O_FRAME },
	{ OP_SIZE_BYTES | OP_OFFSET_FRAME, 0, TO(size, U32_MAX), O_FRAME },
	{ OP_OFFSET_FRAME, 0, TO(offset, FRAME - 8), NULL },
	{ OP_OFFSET_FRAME, 0, TO(offset, FRAME - 7), O_FRAME },
	{ OP_OFFSET_FRAME, 0, TO(offset, U32_MAX), O_FRAME },
	{ OP_OFFSET_SKIP, 0, TO(offset, 1), NULL },
	{ OP_OFFSET_SKIP, 0, TO(offset, 2), O_SKIP },
	{ OP_OFFSET_SKIP, 0, TO(offset, U32_MAX), O_SKIP },
	{ OP_OFFSET_PERIOD, 0, TO(offset, U32_MAX), NULL },
	{ OP_VALUE, 0, TO(value, U64_MAX), NULL },
	{ OP_VALUE_ADDRESS, 0, TO(value, U64_MAX), NULL },
	{ OP_VALUE_STATUS, 0, TO(value, 0), O_STATUS },
	{ OP_VALUE_STATUS, 0, TO(value, GOPROBE_CHUNK_MAX), NULL },
	{ OP_VALUE_STATUS, 0, TO(value, __GOPROBE_CHUNK_MAX), O_STATUS },
	{ OP_VALUE_STATUS, 0, TO(value, BIT_ULL(32) + 1), O_STATUS },
	{ OP_VALUE_LENGTH, 0, TO(value, 15), NULL },
	{ OP_VALUE_LENGTH, 0, TO(value, 16), O_REG },
	{ OP_VALUE_LENGTH, 0, TO(value, BIT_ULL(32)), O_REG },
	{ OP_VALUE_TASK, 0, TO(value, GOPROBE_TASK_MAX), NULL },
	{ OP_VALUE_TASK, 0, TO(value, __GOPROBE_TASK_MAX), O_TASK },
	{ OP_VALUE_TASK, 0, TO(value, BIT_ULL(32)), O_TASK },
	{ OP_VALUE_HASHED, 0, TO(value, 4096), NULL },
	{ OP_VALUE_HASHED, 0, TO(value, 4097), O_HASH },
	{ OP_VALUE_HASHED, 0, TO(value, U64_MAX), O_HASH },
	{ OP_VALUE_FIND, 0, TO(value, BIT_ULL(49) - 1), NULL },
	{ OP_VALUE_FIND, 0, TO(value, BIT_ULL(49)), O_FIND },
	{ OP_VALUE_FIND, 0, TO(value, U64_MAX), O_FIND },
	{ OP_VALUE_ID, 0, TO(value, U32_MAX), NULL },
	{ OP_VALUE_ID, 0, TO(value, BIT_ULL(32)), O_ID },
	{ OP_VALUE_COUNTER, 0, TO(value, 1), NULL },
	{ OP_VALUE_COUNTER, 0, TO(value, 2), O_COUNTER },
	{ OP_VALUE_COUNTER, 0, TO(value, BIT_ULL(32)), O_COUNTER },
	{ OP_VALUE_CAUSE, 0, TO(value, GOPROBE_REJECT_MAX | GOPROBE_REJECT_F_MUTED), NULL },
	{ OP_VALUE_CAUSE, 0, TO(value, __GOPROBE_REJECT_MAX), O_CAUSE },
	{ OP_VALUE_CAUSE, 0, TO(value, __GOPROBE_REJECT_MAX | GOPROBE_REJECT_F_MUTED), O_CAUSE },
	{ OP_VALUE_CAUSE, 0, TO(value, GOPROBE_REJECT_F_MUTED << 1), O_CAUSE },
	{ OP_VALUE_CAUSE, 0, TO(value, BIT_ULL(32)), O_CAUSE },
	{ OP_VALUE_NS, 0, TO(value, 0), O_NS },
	{ OP_VALUE_NS, 0, TO(value, 1000000000), NULL },
	{ OP_VALUE_NS, 0, TO(value, 1000000001), O_NS },
	{ OP_VALUE_NS, 0, TO(value, U64_MAX), O_NS },
};

/* The operation, with what every field must have. */
static struct goprobe_op right(u8 code)
{
	struct goprobe_op op = { .code = code };
	u32 has = op_fields[code];

	if (has & OP_B_FLOAT)
		op.b = 17;
	if (has & SIZE_ANY)
		op.size = 8;
	if (has & (OP_VALUE_STATUS | OP_VALUE_NS))
		op.value = 1;
	return op;
}

/* The message about the operation in front of another one, in a plan or in a filter. */
static const char *verdict(struct kunit *test, const struct goprobe_op *op, bool in_plan)
{
	static const struct goprobe_type type = { .size = FRAME };
	const struct goprobe_op ops[] = { *op, { .code = GOPROBE_OP_END } };
	const struct goprobe_filter filter = { .nops = 2 };
	const struct goprobe_plan plan = { .nops = 2 };
	struct gp_types types = {};
	const char *why;

	if (!in_plan)
		return gp_verify_filter(&filter, ops, 2) ?: "accepted";
	KUNIT_ASSERT_EQ(test, gp_types_add(&types, &type, 1, NULL, 0), 0);
	why = gp_verify_plan(&plan, NULL, 0, ops, 2, &types);
	gp_types_fini(&types);
	return why ?: "accepted";
}

static void expect_row(struct kunit *test, u8 code, const struct set *row)
{
	struct goprobe_op op = right(code);
	u32 has = op_fields[code];

	if ((has & row->with) != row->with || has & row->without)
		return;
	memcpy((u8 *)&op + row->field.at, &row->field.to, row->field.size);
	KUNIT_EXPECT_STREQ_MSG(test, verdict(test, &op, !(has & OP_FOR_FILTERS)),
			       row->why ?: "accepted", "operation %u, byte %u: %llx", code,
			       row->field.at, row->field.to);
}

static void expect_rows(struct kunit *test, const struct set *rows, u32 n)
{
	u32 code, i;

	for (code = 1; code < __GOPROBE_OP_MAX; code++)
		for (i = 0; i < n; i++)
			expect_row(test, code, &rows[i]);
}

static void each_is_for_what_it_is_for(struct kunit *test)
{
	u32 code;

	for (code = 1; code < __GOPROBE_OP_MAX; code++) {
		const struct goprobe_op op = right(code);
		u32 has = op_fields[code];

		KUNIT_EXPECT_STREQ_MSG(test, verdict(test, &op, true),
				       has & OP_FOR_FILTERS ? O_FILTERS : "accepted",
				       "operation %u", code);
		KUNIT_EXPECT_STREQ_MSG(test, verdict(test, &op, false),
				       has & OP_FOR_PLANS ? O_PLANS : "accepted",
				       "operation %u", code);
	}
}

static void an_unused_field_is_0(struct kunit *test)
{
	expect_rows(test, unused, ARRAY_SIZE(unused));
}

static void each_field_has_its_limits(struct kunit *test)
{
	expect_rows(test, limits, ARRAY_SIZE(limits));
}

static void each_class_is_as_the_verifier_sees_it(struct kunit *test)
{
	u32 code;

	for (code = 1; code < __GOPROBE_OP_MAX; code++) {
		u32 class = gp_op_class(code), uses = gp_op_uses[code];

		KUNIT_EXPECT_EQ_MSG(test, !(class & GP_OP_PLAIN), !!(uses & GP_FILTERS_ONLY),
				    "operation %u", code);
		KUNIT_EXPECT_EQ_MSG(test, !!(class & GP_OP_KEY), !!(uses & GP_KEYS),
				    "operation %u", code);
		KUNIT_EXPECT_EQ_MSG(test, !!(class & GP_OP_EDIT), !!(uses & GP_EDITS),
				    "operation %u", code);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(each_is_for_what_it_is_for),
	KUNIT_CASE(an_unused_field_is_0),
	KUNIT_CASE(each_field_has_its_limits),
	KUNIT_CASE(each_class_is_as_the_verifier_sees_it),
	{}
};

static struct kunit_suite suite = { .name = "verify_ops", .test_cases = cases };

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Trust gate of operations: KUnit suite");
