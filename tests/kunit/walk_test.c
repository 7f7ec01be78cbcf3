// SPDX-License-Identifier: GPL-2.0
/*
 * The walk: counted references, levels, each object once. What one reference leads to
 * is in capture_test.c, types that only the running program has are in
 * dynamic_test.c.
 */
#include "capture_world.h"

#define SAME	GOPROBE_REF_F_SAME_LEVEL

/* ---- counted references ---- */

struct count_case {
	const char *claim;
	u8 count;
	u8 size;		/* of the number */
	u64 n;
	u32 elements;
	u8 shift;
	u32 objects;		/* that are copied; 0: no chunk */
	u16 status;
};

#define C_N	GOPROBE_COUNT_N
#define C_PLUS	GOPROBE_COUNT_PLUS_1
#define C_LOG2	GOPROBE_COUNT_LOG2
#define C_FLAGS	GOPROBE_COUNT_FLAGS_LOG2
#define FULL	8
#define LOG(l)	((l) << 8)
#define C_IF_0	GOPROBE_COUNT_IF_0

static const struct count_case count_cases[] = {
	{ "n", C_N, 8, 3, 100, 0, 3 },
	{ "none", C_N, 8, 0, 100, 0, 0 },
	{ "as many as are wanted", C_N, 8, 100, 100, 0, 100 },
	{ "one more", C_N, 8, 101, 100, 0, 100 },
	{ "none are wanted", C_N, 8, 3, 0, 0, 0 },
	{ "n of 4 bytes", C_N, 4, 0x700000005, 100, 0, 5 },
	{ "n of 2 bytes", C_N, 2, 0x70006, 100, 0, 6 },
	{ "n of 1 byte", C_N, 1, 0x107, 100, 0, 7 },
	{ "the most that can be", C_N, 8, BIT_ULL(47), 100, 0, 100 },
	{ "one more than can be", C_N, 8, BIT_ULL(47) + 1, 100, 0, 0, BAD },
	{ "n of -1", C_N, 8, -1ULL, 100, 0, 0, BAD },
	{ "a mask of 0", C_PLUS, 8, 0, 100, 0, 1 },
	{ "a mask of 7", C_PLUS, 8, 7, 100, 0, 8 },
	{ "a mask of 1 byte, all ones", C_PLUS, 1, 0xff, 1000, 0, 256 },
	{ "a mask of 8 bytes, all ones", C_PLUS, 8, -1ULL, 100, 0, 0, BAD },
	{ "1 << 0", C_LOG2, 1, 0, 100, 0, 1 },
	{ "1 << 5", C_LOG2, 1, 5, 100, 0, 32 },
	{ "1 << 47", C_LOG2, 1, 47, 100, 0, 100 },
	{ "1 << 48", C_LOG2, 1, 48, 100, 0, 0, BAD },
	{ "1 << 64", C_LOG2, 1, 64, 100, 0, 0, BAD },
	{ "1 << -1", C_LOG2, 8, -1ULL, 100, 0, 0, BAD },
	{ "half of 1 << 0", C_FLAGS, 2, LOG(0), 100, 0, 1 },
	{ "half of 1 << 1", C_FLAGS, 2, LOG(1), 100, 0, 1 },
	{ "half of 1 << 4", C_FLAGS, 2, LOG(4), 100, 0, 8 },
	{ "half of 1 << 4, whatever the other flags", C_FLAGS, 2, 0xf7 | LOG(4), 100, 0, 8 },
	{ "half of 1 << 48", C_FLAGS, 2, LOG(48), 100, 0, 100 },
	{ "half of 1 << 49", C_FLAGS, 2, LOG(49), 100, 0, 0, BAD },
	{ "all of 1 << 0", C_FLAGS, 2, FULL | LOG(0), 100, 0, 1 },
	{ "all of 1 << 1", C_FLAGS, 2, FULL | LOG(1), 100, 0, 2 },
	{ "all of 1 << 4", C_FLAGS, 2, FULL | LOG(4), 100, 0, 16 },
	{ "all of 1 << 4, whatever the other flags", C_FLAGS, 2, 0xff | LOG(4), 100, 0, 16 },
	{ "all of 1 << 4, whatever is behind it", C_FLAGS, 2, 0xff0000 | FULL | LOG(4), 100, 0,
	  16 },
	{ "all of 1 << 47", C_FLAGS, 2, FULL | LOG(47), 100, 0, 100 },
	{ "all of 1 << 48", C_FLAGS, 2, FULL | LOG(48), 100, 0, 0, BAD },
	{ "all of 1 << 255", C_FLAGS, 2, FULL | LOG(255), 100, 0, 0, BAD },
	{ "one if n is 0", C_IF_0, 8, 0, 100, 0, 1 },
	{ "none if n is 1", C_IF_0, 8, 1, 100, 0, 0 },
	{ "one if the byte is 0", C_IF_0, 1, 0xff00, 100, 0, 1 },
	{ "objects of 8 elements", C_N, 8, 100, 100, 3, 12 },
	{ "objects of more elements than are wanted", C_N, 8, 100, 7, 3, 1 },
	{ "none of 8 elements are wanted", C_N, 8, 100, 0, 3, 0 },
};

static void count_desc(const struct count_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(count, count_cases, count_desc);

static void counted_references(struct kunit *test)
{
	const struct count_case *c = test->param_value;
	u32 element = add_type(16);

	frame_of_three(A, c->n, 0);
	add_array(0, 0, element, c->count, 8, c->size);
	last_ref()->elements_shift = c->shift;
	w->w.elements = c->elements;
	capture(test);
	expect_budget(test, false);
	KUNIT_ASSERT_EQ(test, nchunks(), (u32)!!(c->objects || c->status));
	if (nchunks())
		expect_chunk(test, 0, A, element, 16 * c->objects, c->status);

	w->regs.ax = 0;
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
}

static void a_shift_holds_for_slices_too(struct kunit *test)
{
	u32 element = add_type(16);

	frame_of_three(A, 50, 50);
	add_ref(0, 0, GOPROBE_REF_SLICE, element);
	last_ref()->elements_shift = 3;
	w->w.elements = 33;
	capture(test);
	expect_chunk(test, 0, A, element, 4 * 16, 0);
}

/* Elements of an array that the record has, each a string of 8 bytes, and strings. */
static void elements_of(struct kunit *test, u32 *elements, u32 *strings)
{
	u32 i;

	*elements = 0;
	*strings = 0;
	for (i = 0; i < nchunks(); i++) {
		const struct goprobe_chunk *c = chunk(i);

		if (c->type == BYTES)
			++*strings;
		else
			*elements = c->size / 16;
	}
}

static void more_elements_never_give_less(struct kunit *test)
{
	static const u32 wanted[] = { 10, 64, 65, 100, 128, 200, 255, 400, 1000 };
	u32 element = add_type(16), elements, strings, before = 0, i;

	add_ref(element, 0, GOPROBE_REF_STRING, 0);
	for (i = 0; i < 1000; i++) {
		poke(A + i * 16, A + 0x7000 + i % 64 * 8);
		poke(A + i * 16 + 8, 8);
	}
	frame_of_three(A, 1000, 1000);
	add_ref(0, 0, GOPROBE_REF_SLICE, element);
	/* For 150 of them. */
	w->w.bytes = HDR + 150 * (16 + HDR + 8);
	w->w.objects = 1000;
	w->w.depth = 2;
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		w->w.elements = wanted[i];
		capture(test);
		elements_of(test, &elements, &strings);
		expect_budget(test, wanted[i] > 150);
		KUNIT_EXPECT_EQ(test, elements, strings);
		KUNIT_EXPECT_EQ(test, strings, wanted[i] > 150 ? strings : wanted[i]);
		KUNIT_EXPECT_GE(test, strings + strings / 8, before);
		before = max(before, strings);
	}
	/* An object that does not fit with the fewest is cut as usual. */
	w->w.bytes = HDR + 100 * 16;
	capture(test);
	elements_of(test, &elements, &strings);
	expect_budget(test, true);
	KUNIT_EXPECT_EQ(test, elements, 64U);
	KUNIT_EXPECT_GT(test, strings, 10U);
}

static void one_place_may_be_two_things_by_their_counts(struct kunit *test)
{
	u32 group = add_type(16), table = add_type(8);

	/* As the directory of a map: n pointers, or one group if n is 0. */
	frame_of_three(A, 2, 0);
	add_array(0, 0, group, C_IF_0, 8, 8);
	add_array(0, 0, table, C_N, 8, 8);
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_chunk(test, 0, A, table, 16, 0);
	w->regs.dx = 0;
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_chunk(test, 0, A, group, 16, 0);
}

/* ---- levels ---- */

/* A list of @n nodes {name string, next *node}, 32 bytes apart; rax points to it. */
static u32 make_named_list(u32 n, u8 flags)
{
	u32 node = add_type(24), i;

	add_ref(0, 0, GOPROBE_REF_POINTER, node);
	add_ref(node, 0, GOPROBE_REF_STRING, 0);
	add_ref(node, 16, GOPROBE_REF_POINTER, node);
	last_ref()->flags = flags;
	for (i = 0; i < n; i++) {
		poke(A + 32 * i, A + 0x4000);
		poke(A + 32 * i + 8, 4);
		poke(A + 32 * i + 16, i + 1 < n ? A + 32 * (i + 1) : 0);
	}
	w->regs.ax = A;
	return node;
}

static void what_is_on_the_same_level_does_not_count(struct kunit *test)
{
	u32 node = make_named_list(5, SAME), i;

	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 5U);
	for (i = 0; i < 5; i++) {
		expect_chunk(test, i, A + 32 * i, node, 24, 0);
		expect_level(test, i, 1);
	}
	/* Their names are a level further. */
	w->w.depth = 2;
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 10U);
	expect_chunk(test, 1, A + 0x4000, BYTES, 4, 0);
	expect_level(test, 1, 2);
	expect_chunk(test, 2, A + 32, node, 24, 0);
	expect_level(test, 2, 1);
	w->w.depth = 0;
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
}

static void levels_count_the_references_that_were_followed(struct kunit *test)
{
	u32 i;

	make_named_list(5, 0);
	w->w.depth = 3;
	capture(test);
	/* node 1; name 2, node 2; name 3, node 3 */
	KUNIT_ASSERT_EQ(test, nchunks(), 5U);
	for (i = 0; i < 5; i++)
		expect_level(test, i, (i + 3) / 2);
}

static void the_frame_itself_can_be_of_the_same_level(struct kunit *test)
{
	make_named_list(2, SAME);
	w->refs[0].flags = SAME;
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 4U);
	expect_level(test, 0, 0);
	expect_level(test, 1, 1);	/* its name */
	expect_level(test, 2, 0);
}

static void a_circle_on_one_level_ends(struct kunit *test)
{
	make_named_list(7, SAME);
	poke(A + 32 * 6 + 16, A);
	w->w.depth = 1;
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 7U);
	expect_budget(test, false);
}

static void an_object_that_was_too_deep_is_followed_from_nearer(struct kunit *test)
{
	u32 leaf = add_type(8), target = add_type(16), step = add_type(8), list = add_type(24);

	/*
	 * Depth 2: rax -> step (1) -> target (2), whose leaf would be 3. rdx -> list
	 * (1) -> list (1) -> target, on the level of the list: 1, so its leaf is 2.
	 */
	frame_of_three(A, A + 0x100, 0);
	add_ref(0, 0, GOPROBE_REF_POINTER, step);
	add_ref(0, 8, GOPROBE_REF_POINTER, list);
	add_ref(step, 0, GOPROBE_REF_POINTER, target);
	add_ref(target, 8, GOPROBE_REF_POINTER, leaf);
	add_ref(list, 0, GOPROBE_REF_POINTER, list);
	last_ref()->flags = SAME;
	add_ref(list, 8, GOPROBE_REF_POINTER, target);
	last_ref()->flags = SAME;
	poke(A, A + 0x20);
	poke(A + 0x28, A + 0x40);
	poke(A + 0x108, A + 0x20);
	w->w.depth = 2;
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 4U);
	expect_chunk(test, 0, A, step, 8, 0);
	expect_chunk(test, 1, A + 0x100, list, 24, 0);
	expect_chunk(test, 2, A + 0x20, target, 16, 0);
	expect_level(test, 2, 1);
	expect_chunk(test, 3, A + 0x40, leaf, 8, 0);
	expect_level(test, 3, 2);
}

/* ---- types that are yet to come ---- */

static void a_type_that_is_yet_to_come_is_followed_when_it_is_there(struct kunit *test)
{
	struct goprobe_type late[2] = { { 8, 0, 1 }, { 16, 0, 0 } };
	struct goprobe_ref ref = { .kind = GOPROBE_REF_POINTER, .type = 2 };

	add_ref(0, 0, GOPROBE_REF_POINTER, 1);
	w->regs.ax = A;
	poke(A, A + 0x100);
	w->w.depth = 2;
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
	expect_budget(test, false);
	KUNIT_ASSERT_EQ(test, gp_types_add(&w->table, late, 1, &ref, 1), 1);
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_chunk(test, 0, A, 1, 8, 0);
	KUNIT_ASSERT_EQ(test, gp_types_add(&w->table, late + 1, 1, NULL, 0), 2);
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_chunk(test, 1, A + 0x100, 2, 16, 0);
}

/* ---- each object once ---- */

static void many_objects_are_copied_once_each(struct kunit *test)
{
	u32 node = add_type(16), n = 700, i;

	add_ref(0, 0, GOPROBE_REF_POINTER, node);
	add_ref(node, 0, GOPROBE_REF_POINTER, node);
	last_ref()->flags = SAME;
	add_ref(node, 8, GOPROBE_REF_POINTER, node);
	last_ref()->flags = SAME;
	/* Each points to the next one and, at random, back or ahead. */
	for (i = 0; i < n; i++) {
		poke(A + 16 * i, A + 16 * ((i + 1) % n));
		poke(A + 16 * i + 8, A + 16 * ((i * 7919) % n));
	}
	w->regs.ax = A;
	w->w.bytes = 24000;
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), n);
	expect_budget(test, false);
}

static void a_record_full_of_the_smallest_objects_is_followed_to_its_end(struct kunit *test)
{
	u32 node = add_type(8), n, i;

	add_ref(0, 0, GOPROBE_REF_POINTER, node);
	add_ref(node, 0, GOPROBE_REF_POINTER, node);
	last_ref()->flags = SAME;
	for (i = 0; i < 2000; i++)
		poke(A + 8 * i, A + 8 * (i + 1));
	w->regs.ax = A;
	w->w.objects = GP_RECORD_MAX / HDR;
	w->w.bytes = GP_RECORD_MAX - sizeof(struct goprobe_record) - 8;
	n = w->w.bytes / (HDR + 8);
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), n);
	KUNIT_EXPECT_LE(test, n, (u32)GP_TODO_MAX);
	expect_chunk(test, n - 1, A + 8 * (n - 1), node, 8, 0);
	expect_budget(test, true);
}

static void a_walk_begins_with_nothing_seen(struct kunit *test)
{
	u32 generation;

	make_named_list(5, SAME);
	capture(test);
	/* The record of the last walk is still there, also when generations repeat. */
	for (generation = 0; generation <= 2 * U16_MAX; generation++) {
		w->used = 0;
		KUNIT_ASSERT_EQ(test, run_over(w->to, GP_RECORD_MAX), 0);
		KUNIT_ASSERT_EQ(test, nchunks(), 5U);
	}
}

static void addresses_that_collide_end_too(struct kunit *test)
{
	u32 byte = add_type(1), pointer = add_type(8), n = 0, at;
	const u32 place = hash_64(A ^ (u64)byte << 32, GP_VISITED_BITS);

	/* Pointers, twice the same, to bytes whose places are next to each other. */
	for (at = 0; at < A_SIZE && n < 40; at++) {
		u32 hash = hash_64((A + at) ^ (u64)byte << 32, GP_VISITED_BITS);

		if ((hash - place) % GP_VISITED_SLOTS >= 4)
			continue;
		poke(A + 0x4000 + 8 * n, A + at);
		n++;
	}
	KUNIT_ASSERT_EQ(test, n, 40U);
	memcpy(arena + 0x4000 + 8 * n, arena + 0x4000, 8 * n);
	frame_of_three(A + 0x4000, 2 * n, 2 * n);
	add_ref(0, 0, GOPROBE_REF_SLICE, pointer);
	add_ref(pointer, 0, GOPROBE_REF_POINTER, byte);
	w->w.depth = 2;
	capture(test);
	KUNIT_EXPECT_GE(test, nchunks(), 1 + n);
	KUNIT_EXPECT_LE(test, nchunks(), 1 + 2 * n);
	w->w.objects = 50;
	capture(test);
	KUNIT_EXPECT_LE(test, nchunks(), 50U);
}

static void what_is_there_already_needs_no_budget(struct kunit *test)
{
	u32 object = add_type(16);

	frame_of_three(A, A, A);
	add_ref(0, 0, GOPROBE_REF_POINTER, object);
	add_ref(0, 8, GOPROBE_REF_POINTER, object);
	w->w.objects = 1;
	w->w.bytes = HDR + 16;
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 1U);
	expect_budget(test, false);
}

static void memory_that_is_not_there_is_missed_once(struct kunit *test)
{
	u32 object = add_type(16);

	frame_of_three(0x5000, 0x5000, A + A_SIZE - 8);
	add_ref(0, 0, GOPROBE_REF_POINTER, object);
	add_ref(0, 8, GOPROBE_REF_POINTER, object);
	add_ref(0, 16, GOPROBE_REF_POINTER, object);
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_chunk(test, 0, 0x5000, object, 0, FAULT);
	expect_chunk(test, 1, A + A_SIZE - 8, object, 8, FAULT);
}

/* How often the walk of a slice of @n objects in A, two references deep, reads memory. */
static u32 copies_of_slice(struct kunit *test, u32 type, u32 n)
{
	frame_of_three(A, n, n);
	add_ref(0, 0, GOPROBE_REF_SLICE, type);
	w->w.depth = 2;
	must_load(test);
	copies = 0;
	KUNIT_ASSERT_EQ(test, run_once(w->to, GP_RECORD_MAX, 0), 0);
	return copies;
}

static void a_closure_that_is_not_there_is_asked_for_once(struct kunit *test)
{
	u32 func = add_type(8), i;

	add_ref(func, 0, GOPROBE_REF_FUNC, 0);
	for (i = 0; i < 200; i++)
		poke(A + 8 * i, 0x5000);
	/* The slice; the word, with its type; its chunk. */
	KUNIT_EXPECT_EQ(test, copies_of_slice(test, func, 200), 3U);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_chunk(test, 1, 0x5000, CODE, 0, FAULT);
}

static void a_walk_that_has_spent_its_budget_ends(struct kunit *test)
{
	u32 node = add_type(16), i;

	add_ref(node, 8, GOPROBE_REF_FUNC, 0);
	for (i = 0; i < 64; i++)
		poke(A + 16 * i + 8, A + 16 * i);
	w->w.objects = 4;
	/* More elements would have it look for how many fit. */
	w->w.elements = GOPROBE_ELEMENTS_ANY;
	KUNIT_EXPECT_LT(test, copies_of_slice(test, node, 64), 12U);
	KUNIT_EXPECT_EQ(test, nchunks(), 4U);
	expect_budget(test, true);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(counted_references, count_gen_params),
	KUNIT_CASE(a_shift_holds_for_slices_too),
	KUNIT_CASE(more_elements_never_give_less),
	KUNIT_CASE(one_place_may_be_two_things_by_their_counts),
	KUNIT_CASE(what_is_on_the_same_level_does_not_count),
	KUNIT_CASE(levels_count_the_references_that_were_followed),
	KUNIT_CASE(the_frame_itself_can_be_of_the_same_level),
	KUNIT_CASE(a_circle_on_one_level_ends),
	KUNIT_CASE(an_object_that_was_too_deep_is_followed_from_nearer),
	KUNIT_CASE(a_type_that_is_yet_to_come_is_followed_when_it_is_there),
	KUNIT_CASE(many_objects_are_copied_once_each),
	KUNIT_CASE(a_record_full_of_the_smallest_objects_is_followed_to_its_end),
	KUNIT_CASE(a_walk_begins_with_nothing_seen),
	KUNIT_CASE(addresses_that_collide_end_too),
	KUNIT_CASE(what_is_there_already_needs_no_budget),
	KUNIT_CASE(memory_that_is_not_there_is_missed_once),
	KUNIT_CASE(a_closure_that_is_not_there_is_asked_for_once),
	KUNIT_CASE(a_walk_that_has_spent_its_budget_ends),
	{}
};

static struct kunit_suite suite = {
	.name = "walk",
	.init = capture_init,
	.exit = capture_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Walk of references: KUnit suite");
