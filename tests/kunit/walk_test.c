// SPDX-License-Identifier: GPL-2.0
/*
 * The walk: each kind of reference leads where it says, as far as the plan says;
 * what run-time types stand for is followed as soon as it is known; each object
 * is copied once.
 */
#include "capture_world.h"

#define SAME	GOPROBE_REF_F_SAME_LEVEL

static void expect_level(struct kunit *test, u32 n, u32 level)
{
	KUNIT_ASSERT_NOT_NULL(test, chunk(n));
	KUNIT_EXPECT_EQ(test, (u32)chunk(n)->level, level);
}

static struct goprobe_ref *last_ref(void)
{
	return &w->refs[w->nrefs - 1];
}

static void add_array(u32 type, u32 offset, u32 to, u8 count, u32 count_offset,
		      u8 count_size)
{
	add_ref(type, offset, GOPROBE_REF_ARRAY, to);
	last_ref()->count = count;
	last_ref()->count_offset = count_offset;
	last_ref()->count_size = count_size;
}

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
#define C_LESS	GOPROBE_COUNT_LOG2_LESS
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
	{ "half of 1 << 0", C_LESS, 1, 0, 100, 0, 1 },
	{ "half of 1 << 1", C_LESS, 1, 1, 100, 0, 1 },
	{ "half of 1 << 4", C_LESS, 1, 4, 100, 0, 8 },
	{ "half of 1 << 48", C_LESS, 1, 48, 100, 0, 100 },
	{ "half of 1 << 49", C_LESS, 1, 49, 100, 0, 0, BAD },
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

/* ---- interfaces and funcs ---- */

/* Where the program's descriptors and its code are. */
#define LINKED	0x400000ULL
#define BIAS	0x550000000000ULL

#define ITAB_AT		(A + 0x100)
#define VALUE_AT	(A + 0x200)

/* rax, rdx are an interface of LINKED's type; rcx is free. Return: that type, loaded. */
static u32 make_iface(struct kunit *test, u8 kind, u32 size)
{
	u32 type = add_type(size);

	w->bias = BIAS;
	poke(ITAB_AT + 8, LINKED + BIAS);
	frame_of_three(kind == GOPROBE_REF_IFACE ? ITAB_AT : LINKED + BIAS, VALUE_AT, 0);
	add_ref(0, 0, kind, 0);
	return type;
}

static void the_value_of_an_interface_follows_its_type(struct kunit *test)
{
	u32 type = make_iface(test, GOPROBE_REF_IFACE, 24);

	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_chunk(test, 0, ITAB_AT + 8, ITAB, 8, 0);

	/* Learnt while running. */
	make_dynamic(test, LINKED, type, 0);
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_chunk(test, 0, ITAB_AT + 8, ITAB, 8, 0);
	expect_chunk(test, 1, VALUE_AT, type, 24, 0);
	expect_level(test, 0, 1);
	expect_level(test, 1, 1);
	expect_budget(test, false);
}

static void the_value_of_an_empty_interface_follows(struct kunit *test)
{
	u32 type = make_iface(test, GOPROBE_REF_EFACE, 24);

	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	make_dynamic(test, LINKED, type, 0);
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_chunk(test, 0, VALUE_AT, type, 24, 0);
	expect_level(test, 0, 1);
	/* Where it is loaded matters. */
	w->bias++;
	capture_again(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
}

static void a_value_of_no_size_and_a_nil_one_have_no_chunk(struct kunit *test)
{
	u32 type = make_iface(test, GOPROBE_REF_EFACE, 0);

	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	make_dynamic(test, LINKED, type, 0);
	capture_again(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
	w->types[type].size = 8;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	make_dynamic(test, LINKED, type, 0);
	capture_again(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 1U);
	w->regs.dx = 0;
	capture_again(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
}

static void of_a_direct_value_what_it_refers_to_follows(struct kunit *test)
{
	u32 word = make_iface(test, GOPROBE_REF_EFACE, 8), object = add_type(16);

	add_ref(word, 0, GOPROBE_REF_POINTER, object);
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	make_dynamic(test, LINKED, word, GOPROBE_DYNAMIC_F_DIRECT);
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_chunk(test, 0, VALUE_AT, object, 16, 0);
	/* The word is part of the frame, so this is one reference away. */
	expect_level(test, 0, 1);
	w->regs.dx = 0;
	capture_again(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
}

static void what_may_be_in_a_direct_word(struct kunit *test)
{
	u32 word = make_iface(test, GOPROBE_REF_EFACE, 8), object = add_type(16);

	/* Counted by a byte of the pointer itself: odd, but within bounds. */
	add_array(word, 0, object, C_N, 0, 1);
	add_ref(word, 0, GOPROBE_REF_FUNC, 0);
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	make_dynamic(test, LINKED, word, GOPROBE_DYNAMIC_F_DIRECT);
	w->regs.dx = VALUE_AT + 2;
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_chunk(test, 0, VALUE_AT + 2, object, 32, 0);
	expect_chunk(test, 1, VALUE_AT + 2, CODE, 8, 0);
}

static void the_type_word_of_an_itab_is_copied_once(struct kunit *test)
{
	u32 type = make_iface(test, GOPROBE_REF_IFACE, 8), pair = add_type(16);
	u32 i;

	w->w.npieces = 3;
	w->types[0].nrefs = 0;
	w->nrefs = 0;
	add_ref(0, 0, GOPROBE_REF_SLICE, pair);
	add_ref(pair, 0, GOPROBE_REF_IFACE, 0);
	for (i = 0; i < 5; i++) {
		poke(A + 16 * i, ITAB_AT);
		poke(A + 16 * i + 8, VALUE_AT + 8 * i);
	}
	w->regs.ax = A;
	w->regs.dx = 5;
	w->w.depth = 2;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	make_dynamic(test, LINKED, type, 0);
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 7U);
	expect_chunk(test, 0, A, pair, 80, 0);
	expect_chunk(test, 1, ITAB_AT + 8, ITAB, 8, 0);
	for (i = 0; i < 5; i++) {
		expect_chunk(test, 2 + i, VALUE_AT + 8 * i, type, 8, 0);
		expect_level(test, 2 + i, 2);
	}
}

static void without_the_type_word_there_is_no_value(struct kunit *test)
{
	u32 type = make_iface(test, GOPROBE_REF_IFACE, 24);

	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	make_dynamic(test, LINKED, type, 0);
	w->regs.ax = A + A_SIZE - 9;
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_chunk(test, 0, A + A_SIZE - 1, ITAB, 1, FAULT);
	/* No room for the type word: none for the value. */
	w->regs.ax = ITAB_AT;
	w->w.objects = 0;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	make_dynamic(test, LINKED, type, 0);
	capture_again(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
	expect_budget(test, true);
	w->w.objects = 1;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	make_dynamic(test, LINKED, type, 0);
	capture_again(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 1U);
	expect_budget(test, true);
}

static void a_closure_is_of_the_type_of_its_code(struct kunit *test)
{
	u32 closure = add_type(24), object = add_type(8);

	w->bias = BIAS;
	w->regs.ax = VALUE_AT;
	poke(VALUE_AT, LINKED + BIAS);
	poke(VALUE_AT + 16, A);
	add_ref(0, 0, GOPROBE_REF_FUNC, 0);
	add_ref(closure, 16, GOPROBE_REF_POINTER, object);
	w->w.depth = 2;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_chunk(test, 0, VALUE_AT, CODE, 8, 0);

	make_dynamic(test, LINKED, closure, 0);
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_chunk(test, 0, VALUE_AT, closure, 24, 0);
	expect_chunk(test, 1, A, object, 8, 0);
	expect_level(test, 0, 1);
	expect_level(test, 1, 2);
}

static void an_absent_closure_is_asked_for(struct kunit *test)
{
	w->regs.ax = A + 4;
	add_ref(0, 0, GOPROBE_REF_FUNC, 0);
	regions[0].state = ABSENT;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	KUNIT_EXPECT_EQ(test, run(test, GP_RECORD_MAX), -EAGAIN);
	KUNIT_EXPECT_EQ(test, w->faultin.address, A + 4);
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

static void a_direct_value_is_on_the_level_of_its_interface(struct kunit *test)
{
	u32 word = make_iface(test, GOPROBE_REF_EFACE, 8), node = add_type(16), i;

	/* As a chain of contexts: each holds the next one in an interface. */
	w->refs[0].flags = SAME;
	add_ref(node, 0, GOPROBE_REF_EFACE, 0);
	last_ref()->flags = SAME;
	add_ref(word, 0, GOPROBE_REF_POINTER, node);
	for (i = 0; i < 4; i++) {
		poke(VALUE_AT + 16 * i, LINKED + BIAS);
		poke(VALUE_AT + 16 * i + 8, VALUE_AT + 16 * (i + 1));
	}
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	make_dynamic(test, LINKED, word, GOPROBE_DYNAMIC_F_DIRECT);
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 5U);
	for (i = 0; i < 5; i++) {
		expect_chunk(test, i, VALUE_AT + 16 * i, node, 16, 0);
		expect_level(test, i, 0);
	}
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
	const u32 place = hash_64(A ^ (u64)byte << 32, GP_SEEN_BITS);

	/* Pointers, twice the same, to bytes whose places are next to each other. */
	for (at = 0; at < A_SIZE && n < 40; at++) {
		u32 hash = hash_64((A + at) ^ (u64)byte << 32, GP_SEEN_BITS);

		if ((hash - place) % GP_SEEN_SLOTS >= 4)
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

static void a_closure_that_is_not_there_is_asked_for_once(struct kunit *test)
{
	u32 func = add_type(8), i;

	frame_of_three(A, 200, 200);
	add_ref(0, 0, GOPROBE_REF_SLICE, func);
	add_ref(func, 0, GOPROBE_REF_FUNC, 0);
	for (i = 0; i < 200; i++)
		poke(A + 8 * i, 0x5000);
	w->w.depth = 2;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	copies = 0;
	KUNIT_ASSERT_EQ(test, run_once(w->to, GP_RECORD_MAX, 0), 0);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_chunk(test, 1, 0x5000, CODE, 0, FAULT);
	/* The slice; the word, to tell its type; its chunk. */
	KUNIT_EXPECT_EQ(test, copies, 3U);
}

static void a_walk_that_has_spent_its_budget_ends(struct kunit *test)
{
	u32 node = add_type(16), i;

	frame_of_three(A, 300, 300);
	add_ref(0, 0, GOPROBE_REF_SLICE, node);
	add_ref(node, 8, GOPROBE_REF_FUNC, 0);
	for (i = 0; i < 300; i++)
		poke(A + 16 * i + 8, A + 16 * i);
	w->w.depth = 2;
	w->w.objects = 4;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	copies = 0;
	KUNIT_ASSERT_EQ(test, run_once(w->to, GP_RECORD_MAX, 0), 0);
	KUNIT_EXPECT_EQ(test, nchunks(), 4U);
	expect_budget(test, true);
	KUNIT_EXPECT_LT(test, copies, 12U);
}

/* ---- static data ---- */

static void static_data_is_where_the_file_is_loaded(struct kunit *test)
{
	w->bias = A - 0x1000;
	poke(A + 0x20, 0x1122334455667788);
	w->types[0].size = 16;
	w->w.npieces = 2;
	w->pieces[0] = (struct goprobe_piece){
		.source = GOPROBE_FROM_STATIC, .size = 8, .frame = 8, .address = 0x1020,
	};
	w->pieces[1] = (struct goprobe_piece){
		.source = GOPROBE_FROM_STATIC, .size = 8, .address = 0x1000 + A_SIZE - 4,
	};
	memset(arena + A_SIZE - 4, 0x77, 4);
	capture(test);
	KUNIT_EXPECT_EQ(test, gp_load(w->to), 0x77777777ULL);
	KUNIT_EXPECT_EQ(test, gp_load(w->to + 8), 0x1122334455667788ULL);
	KUNIT_EXPECT_EQ(test, (u32)w->flags, (u32)GOPROBE_RECORD_F_FAULT);
}

static void absent_static_data_is_asked_for(struct kunit *test)
{
	w->bias = A;
	w->pieces[0] = (struct goprobe_piece){
		.source = GOPROBE_FROM_STATIC, .size = 8, .address = 16,
	};
	regions[0].state = ABSENT;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	KUNIT_EXPECT_EQ(test, run(test, GP_RECORD_MAX), -EAGAIN);
	KUNIT_EXPECT_EQ(test, w->faultin.address, A + 16);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(counted_references, count_gen_params),
	KUNIT_CASE(a_shift_holds_for_slices_too),
	KUNIT_CASE(one_place_may_be_two_things_by_their_counts),
	KUNIT_CASE(the_value_of_an_interface_follows_its_type),
	KUNIT_CASE(the_value_of_an_empty_interface_follows),
	KUNIT_CASE(a_value_of_no_size_and_a_nil_one_have_no_chunk),
	KUNIT_CASE(of_a_direct_value_what_it_refers_to_follows),
	KUNIT_CASE(what_may_be_in_a_direct_word),
	KUNIT_CASE(the_type_word_of_an_itab_is_copied_once),
	KUNIT_CASE(without_the_type_word_there_is_no_value),
	KUNIT_CASE(a_closure_is_of_the_type_of_its_code),
	KUNIT_CASE(an_absent_closure_is_asked_for),
	KUNIT_CASE(what_is_on_the_same_level_does_not_count),
	KUNIT_CASE(levels_count_the_references_that_were_followed),
	KUNIT_CASE(the_frame_itself_can_be_of_the_same_level),
	KUNIT_CASE(a_circle_on_one_level_ends),
	KUNIT_CASE(a_direct_value_is_on_the_level_of_its_interface),
	KUNIT_CASE(an_object_that_was_too_deep_is_followed_from_nearer),
	KUNIT_CASE(a_type_that_is_yet_to_come_is_followed_when_it_is_there),
	KUNIT_CASE(many_objects_are_copied_once_each),
	KUNIT_CASE(a_walk_begins_with_nothing_seen),
	KUNIT_CASE(addresses_that_collide_end_too),
	KUNIT_CASE(what_is_there_already_needs_no_budget),
	KUNIT_CASE(memory_that_is_not_there_is_missed_once),
	KUNIT_CASE(a_closure_that_is_not_there_is_asked_for_once),
	KUNIT_CASE(a_walk_that_has_spent_its_budget_ends),
	KUNIT_CASE(static_data_is_where_the_file_is_loaded),
	KUNIT_CASE(absent_static_data_is_asked_for),
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
