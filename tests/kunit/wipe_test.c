// SPDX-License-Identifier: GPL-2.0
/* Wipes: no record has the bytes, whatever led to them, and however the walk ended. */
#include "capture_world.h"

/* What nobody may see: it is in memory, and in registers, wherever a wipe should be. */
#define SECRET	0x5ec2e75ec2e75ec2ULL

/* Whether a part of the record has a byte of it where it begins a word. */
static bool has_secret(void)
{
	u32 at;

	for (at = 0; at + 8 <= w->used; at++)
		if (gp_load(w->to + at) == SECRET)
			return true;
	return false;
}

/* @n objects of {1, SECRET, 2} from A on: a type of 24 bytes, whose middle is wiped. */
static u32 make_objects(u32 n)
{
	u32 type = add_type(24), i;

	for (i = 0; i < n; i++) {
		poke(A + 24 * i, 1);
		poke(A + 24 * i + 8, SECRET);
		poke(A + 24 * i + 16, 2);
	}
	return type;
}

/* As expect_chunk(), of objects from make_objects(), which end with @last bytes of one. */
static void expect_objects(struct kunit *test, u32 n, u32 type, u32 size, u16 status)
{
	const struct goprobe_chunk *c = chunk(n);
	const u8 *bytes = (const u8 *)(c + 1);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_EXPECT_EQ(test, c->type, type);
	KUNIT_EXPECT_EQ(test, (u32)c->size, size);
	KUNIT_EXPECT_EQ(test, (u32)c->status, (u32)status);
	for (i = 0; i < size; i++)
		KUNIT_EXPECT_EQ(test, (u32)bytes[i],
				i % 24 == 0 ? 1U : i % 24 == 16 ? 2U : 0U);
	KUNIT_EXPECT_FALSE(test, has_secret());
}

static void the_object_behind_a_pointer_is_wiped(struct kunit *test)
{
	u32 type = make_objects(1);

	add_ref(0, 0, GOPROBE_REF_POINTER, type);
	add_wipe(type, 8, 8);
	w->regs.ax = A;
	capture(test);
	expect_objects(test, 0, type, 24, 0);
	expect_budget(test, false);
}

static void each_element_of_a_slice_is_wiped(struct kunit *test)
{
	u32 type = make_objects(100);

	frame_of_three(A, 100, 100);
	add_ref(0, 0, GOPROBE_REF_SLICE, type);
	add_wipe(type, 8, 8);
	capture(test);
	expect_objects(test, 0, type, 100 * 24, 0);
}

static void only_the_bytes_of_a_wipe_are_cleared(struct kunit *test)
{
	u32 type = add_type(16), i;
	const u8 *bytes;

	for (i = 0; i < 16; i++)
		arena[i] = 0x80 + i;
	add_ref(0, 0, GOPROBE_REF_POINTER, type);
	add_wipe(type, 3, 2);
	add_wipe(type, 5, 1);
	add_wipe(type, 15, 1);
	w->regs.ax = A;
	capture(test);
	bytes = (const u8 *)(chunk(0) + 1);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, (u32)bytes[i],
				(i >= 3 && i < 6) || i == 15 ? 0U : 0x80 + i);
}

/* The frame is filled by a register, by the stack and by the program. */
static void a_frame_is_wiped_from_all_sources(struct kunit *test)
{
	const u64 *frame = (const u64 *)w->to;
	u32 depth;

	w->types[0].size = 40;
	w->w.npieces = 2;
	w->pieces[1] = (struct goprobe_piece){ GOPROBE_FROM_STACK, 0, 0, 16, 8, 8 };
	w->ops[0] = (struct goprobe_op){ .code = GOPROBE_OP_REG, .a = 1 };
	w->ops[1] = (struct goprobe_op){ .code = GOPROBE_OP_STORE, .a = 1, .size = 8,
					 .offset = 24 };
	w->ops[2] = (struct goprobe_op){ .code = GOPROBE_OP_FRAME, .a = 2, .size = 8,
					 .offset = 8 };
	w->ops[3] = (struct goprobe_op){ .code = GOPROBE_OP_STORE, .a = 2, .size = 8,
					 .offset = 32 };
	w->w.nops = 4;
	add_wipe(0, 0, 16);
	add_wipe(0, 24, 16);
	w->regs.ax = SECRET;
	w->sp = A;
	poke(A + 8, SECRET);
	poke(A + 16, 7);
	for (depth = 0; depth < 2; depth++) {
		w->w.depth = depth;
		capture(test);
		KUNIT_EXPECT_FALSE(test, has_secret());
		KUNIT_EXPECT_EQ(test, frame[2], 7ULL);
		KUNIT_EXPECT_EQ(test, w->used, 40U);
	}
}

/* The walk follows what a wiped word refers to before it is cleared. */
static void a_wiped_word_can_be_a_reference(struct kunit *test)
{
	u32 type = add_type(8);

	add_ref(0, 0, GOPROBE_REF_POINTER, type);
	add_wipe(0, 0, 8);
	poke(A, 5);
	w->regs.ax = A;
	capture(test);
	expect_chunk(test, 0, A, type, 8, 0);
	KUNIT_EXPECT_EQ(test, gp_load(w->to), 0ULL);
}

/* Objects that are one level too deep for their references to be followed. */
static void objects_at_the_last_level_are_wiped(struct kunit *test)
{
	u32 type = make_objects(1);

	add_ref(0, 0, GOPROBE_REF_POINTER, type);
	add_ref(type, 16, GOPROBE_REF_POINTER, type);
	add_wipe(type, 8, 8);
	w->regs.ax = A;
	w->w.depth = 1;
	capture(test);
	expect_objects(test, 0, type, 24, 0);
}

/* The budget ends the walk behind the first objects, or in the midst of a slice. */
static void a_walk_that_ends_early_wipes(struct kunit *test)
{
	u32 type = make_objects(200), bytes;

	frame_of_three(A, 200, 200);
	add_ref(0, 0, GOPROBE_REF_SLICE, type);
	add_ref(0, 8, GOPROBE_REF_POINTER, type);
	add_wipe(type, 8, 8);
	for (bytes = HDR; bytes < 200 * 24 + 100; bytes += 56) {
		w->w.bytes = bytes;
		capture(test);
		KUNIT_EXPECT_FALSE(test, has_secret());
		if (nchunks())
			expect_objects(test, 0, type, chunk(0)->size, 0);
	}
	w->w.bytes = 20000;
	w->w.objects = 1;
	capture(test);
	expect_objects(test, 0, type, chunk(0)->size, 0);
	expect_budget(test, true);
}

/* Memory ends within an object: what was read of it is wiped. */
static void an_object_cut_short_is_wiped(struct kunit *test)
{
	u32 type = make_objects(1), left;

	frame_of_three(A, 2, 2);
	add_ref(0, 0, GOPROBE_REF_SLICE, type);
	add_wipe(type, 8, 8);
	for (left = 1; left < 24; left++) {
		regions[0].size = left;
		capture(test);
		expect_objects(test, 0, type, left, FAULT);
	}
}

/* A search for the number of elements that fit walks again and again. */
static void a_search_for_what_fits_wipes(struct kunit *test)
{
	u32 type = make_objects(400), word = add_type(8);

	frame_of_three(A, 400, 400);
	add_ref(0, 0, GOPROBE_REF_SLICE, type);
	add_ref(type, 0, GOPROBE_REF_POINTER, word);
	add_wipe(type, 8, 8);
	w->w.depth = 2;
	w->w.bytes = 4000;
	capture(test);
	KUNIT_EXPECT_FALSE(test, has_secret());
	expect_budget(test, true);
	KUNIT_EXPECT_GT(test, (u32)chunk(0)->size, 64 * 24U - 1);
}

static void what_an_interface_holds_is_wiped(struct kunit *test)
{
	u32 type = make_objects(1);

	frame_of_three(0x4a0000, A, 0);
	add_ref(0, 0, GOPROBE_REF_EFACE, 0);
	add_wipe(type, 8, 8);
	must_load(test);
	make_dynamic(test, 0x4a0000, type, 0);
	capture_again(test);
	expect_objects(test, 0, type, 24, 0);
}

/* Types that come when the plan is there already. */
static void a_type_that_comes_later_is_wiped(struct kunit *test)
{
	static const struct goprobe_type later = { .size = 24, .nrefs = 1 };
	static const struct goprobe_ref wipe = { .offset = 8, .count_offset = 8,
						 .kind = GOPROBE_REF_WIPE };
	u32 type = make_objects(1);

	frame_of_three(0x4a0000, A, 0);
	add_ref(0, 0, GOPROBE_REF_EFACE, 0);
	must_load(test);
	KUNIT_EXPECT_FALSE(test, w->table.wipes);
	KUNIT_ASSERT_STREQ(test, gp_verify_types(&later, 1, &wipe, 1) ?: "right", "right");
	KUNIT_ASSERT_EQ(test, gp_types_add(&w->table, &later, 1, &wipe, 1), (int)type + 1);
	make_dynamic(test, 0x4a0000, type + 1, 0);
	capture_again(test);
	expect_objects(test, 0, type + 1, 24, 0);
}

static void a_frame_that_is_wiped_is_not_quick(struct kunit *test)
{
	frame_of_three(SECRET, 0, 0);
	must_load(test);
	KUNIT_EXPECT_TRUE(test, w->plan->quick);
	add_wipe(0, 0, 8);
	for (w->w.depth = 0; w->w.depth < 2; w->w.depth++) {
		capture(test);
		KUNIT_EXPECT_FALSE(test, w->plan->quick);
		KUNIT_EXPECT_FALSE(test, has_secret());
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(the_object_behind_a_pointer_is_wiped),
	KUNIT_CASE(each_element_of_a_slice_is_wiped),
	KUNIT_CASE(only_the_bytes_of_a_wipe_are_cleared),
	KUNIT_CASE(a_frame_is_wiped_from_all_sources),
	KUNIT_CASE(a_wiped_word_can_be_a_reference),
	KUNIT_CASE(objects_at_the_last_level_are_wiped),
	KUNIT_CASE(a_walk_that_ends_early_wipes),
	KUNIT_CASE(an_object_cut_short_is_wiped),
	KUNIT_CASE(a_search_for_what_fits_wipes),
	KUNIT_CASE(what_an_interface_holds_is_wiped),
	KUNIT_CASE(a_type_that_comes_later_is_wiped),
	KUNIT_CASE(a_frame_that_is_wiped_is_not_quick),
	{}
};

static struct kunit_suite suite = {
	.name = "wipe",
	.init = capture_init,
	.exit = capture_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Wipes: KUnit suite");
