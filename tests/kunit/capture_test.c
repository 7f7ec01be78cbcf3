// SPDX-License-Identifier: GPL-2.0
/*
 * Capture: what follows the frame in the record is what is in memory, within every
 * budget, and nothing else.
 */
#include "capture_world.h"

/* ---- references ---- */

struct ref_case {
	const char *claim;
	u16 kind;
	u64 word[2];		/* rax, rdx */
	u32 limit;		/* of strings and elements */
	u32 element;		/* size of the type that is referred to */
	u32 chunks;
	u64 address;		/* of the first chunk */
	u32 size;
	u16 status;
};

#define LEN_MAX	BIT_ULL(47)

static const struct ref_case ref_cases[] = {
	{ "a pointer", GOPROBE_REF_POINTER, { A + 8 }, 0, 20, 1, A + 8, 20, 0 },
	{ "a nil pointer", GOPROBE_REF_POINTER, { 0 }, 0, 20, 0 },
	{ "a pointer to nothing at all", GOPROBE_REF_POINTER, { A }, 0, 0, 0 },
	{ "a wild pointer", GOPROBE_REF_POINTER, { 8 }, 0, 8, 1, 8, 0, FAULT },
	{ "a pointer into the kernel", GOPROBE_REF_POINTER, { -4096UL }, 0, 8, 1,
	  -4096UL, 0, FAULT },
	{ "a pointer whose end wraps", GOPROBE_REF_POINTER, { -8UL }, 0, 64, 1, -8UL, 0, FAULT },
	{ "an object across the end of memory", GOPROBE_REF_POINTER, { A + A_SIZE - 5 }, 0, 64, 1,
	  A + A_SIZE - 5, 5, FAULT },
	{ "a string", GOPROBE_REF_STRING, { A, 5 }, 100, 8, 1, A, 5, 0 },
	{ "a string of a multiple of 8", GOPROBE_REF_STRING, { A, 16 }, 100, 8, 1, A, 16, 0 },
	{ "a string as long as the limit", GOPROBE_REF_STRING, { A, 100 }, 100, 8, 1, A, 100, 0 },
	{ "a longer string is cut", GOPROBE_REF_STRING, { A, 101 }, 100, 8, 1, A, 100, 0 },
	{ "a string cut to nothing", GOPROBE_REF_STRING, { A, 101 }, 0, 8, 1, A, 0, 0 },
	{ "an empty string", GOPROBE_REF_STRING, { A, 0 }, 100, 8, 0 },
	{ "a string at nil", GOPROBE_REF_STRING, { 0, 5 }, 100, 8, 0 },
	{ "the longest that can be", GOPROBE_REF_STRING, { A, LEN_MAX }, 100, 8, 1, A, 100, 0 },
	{ "one longer", GOPROBE_REF_STRING, { A, LEN_MAX + 1 }, 100, 8, 1, A, 0, BAD },
	{ "a string of length -1", GOPROBE_REF_STRING, { A, -1ULL }, 100, 8, 1, A, 0, BAD },
	{ "a string across the end of memory", GOPROBE_REF_STRING, { A + A_SIZE - 11, 50 },
	  100, 8, 1, A + A_SIZE - 11, 11, FAULT },
	{ "a slice", GOPROBE_REF_SLICE, { A, 3 }, 100, 12, 1, A, 36, 0 },
	{ "a slice as long as the limit", GOPROBE_REF_SLICE, { A, 100 }, 100, 12, 1, A, 1200, 0 },
	{ "a longer slice is cut", GOPROBE_REF_SLICE, { A, 101 }, 100, 12, 1, A, 1200, 0 },
	{ "a slice cut to nothing", GOPROBE_REF_SLICE, { A, 5 }, 0, 12, 0 },
	{ "an empty slice", GOPROBE_REF_SLICE, { A, 0 }, 100, 12, 0 },
	{ "a nil slice", GOPROBE_REF_SLICE, { 0, 3 }, 100, 12, 0 },
	{ "a slice of nothings", GOPROBE_REF_SLICE, { A, 1000 }, 100, 0, 0 },
	{ "a slice of length -1", GOPROBE_REF_SLICE, { A, -1ULL }, 100, 12, 1, A, 0, BAD },
	{ "one longer than can be", GOPROBE_REF_SLICE, { A, LEN_MAX + 1 }, 100, 12, 1, A, 0, BAD },
	{ "the type word of an itab", GOPROBE_REF_IFACE, { A + 16 }, 0, 8, 1, A + 24, 8, 0 },
	{ "a nil interface", GOPROBE_REF_IFACE, { 0, A }, 0, 8, 0 },
	{ "a wild itab", GOPROBE_REF_IFACE, { 64 }, 0, 8, 1, 72, 0, FAULT },
	{ "an itab whose type word is not all there", GOPROBE_REF_IFACE, { A + A_SIZE - 11 }, 0, 8,
	  1, A + A_SIZE - 3, 3, FAULT },
	{ "an empty interface of an unknown type", GOPROBE_REF_EFACE, { A, A }, 0, 8, 0 },
	{ "a nil empty interface", GOPROBE_REF_EFACE, { 0, A }, 0, 8, 0 },
	{ "a closure of unknown code", GOPROBE_REF_FUNC, { A + 16 }, 0, 8, 1, A + 16, 8, 0 },
	{ "a nil func", GOPROBE_REF_FUNC, { 0 }, 0, 8, 0 },
	{ "a wild func", GOPROBE_REF_FUNC, { 64 }, 0, 8, 1, 64, 0, FAULT },
	{ "a func across the end of memory", GOPROBE_REF_FUNC, { A + A_SIZE - 3 }, 0, 8, 1,
	  A + A_SIZE - 3, 3, FAULT },
};

static void ref_desc(const struct ref_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(ref, ref_cases, ref_desc);

static void one_reference(struct kunit *test)
{
	const struct ref_case *c = test->param_value;
	bool typed = c->kind == GOPROBE_REF_POINTER || c->kind == GOPROBE_REF_SLICE;
	u32 type, i;

	for (i = 0; i < A_SIZE; i++)
		arena[i] = i % 253 + 1;
	frame_of_three(c->word[0], c->word[1], c->word[1]);
	type = add_type(c->element);
	add_ref(0, 0, c->kind, typed ? type : 0);
	w->w.string_limit = c->limit;
	w->w.elements = c->limit;
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), c->chunks);
	expect_budget(test, false);
	if (!c->chunks)
		return;
	if (c->kind == GOPROBE_REF_STRING)
		type = BYTES;
	if (c->kind == GOPROBE_REF_IFACE)
		type = ITAB;
	if (c->kind == GOPROBE_REF_FUNC)
		type = CODE;
	expect_chunk(test, 0, c->address, type, c->size, c->status);
	KUNIT_EXPECT_EQ(test, w->used, 24 + HDR + ALIGN(c->size, 8));
	KUNIT_EXPECT_EQ(test, (u32)chunk(0)->level, 1U);
}

/* rax points to a list of @n nodes of {value, next}, 32 bytes apart. */
static u32 make_list(u32 n)
{
	u32 node = add_type(16), i;

	add_ref(0, 0, GOPROBE_REF_POINTER, node);
	add_ref(node, 8, GOPROBE_REF_POINTER, node);
	for (i = 0; i < n; i++) {
		poke(A + 32 * i, 1000 + i);
		poke(A + 32 * i + 8, i + 1 < n ? A + 32 * (i + 1) : 0);
	}
	w->regs.ax = A;
	return node;
}

static void as_many_references_are_followed_as_depth_says(struct kunit *test)
{
	u32 depth, i, node = make_list(5);

	for (depth = 0; depth < 8; depth++) {
		w->w.depth = depth;
		capture(test);
		KUNIT_ASSERT_EQ(test, nchunks(), min(depth, 5U));
		for (i = 0; i < min(depth, 5U); i++)
			expect_chunk(test, i, A + 32 * i, node, 16, 0);
		expect_budget(test, false);
	}
}

static void depth_0_reads_no_memory(struct kunit *test)
{
	make_list(1);
	w->w.depth = 0;
	copies = 0;
	capture(test);
	KUNIT_EXPECT_EQ(test, copies, 0U);
}

static void cycles_end(struct kunit *test)
{
	u32 n, node = make_list(5), i;

	w->w.depth = 255;
	for (n = 1; n <= 5; n++) {
		/* The @n th node points back to the first. */
		make_list(0);
		poke(A + 32 * (n - 1) + 8, A);
		w->ntypes = 2;
		w->nrefs = 2;
		w->types[0].nrefs = 1;
		w->types[1].nrefs = 1;
		capture(test);
		KUNIT_ASSERT_EQ(test, nchunks(), n);
		for (i = 0; i < n; i++)
			expect_chunk(test, i, A + 32 * i, node, 16, 0);
		expect_budget(test, false);
		poke(A + 32 * (n - 1) + 8, n < 5 ? A + 32 * n : 0);
	}
}

static void an_object_is_copied_once_but_as_each_type_it_is_seen_as(struct kunit *test)
{
	u32 one = add_type(16), other = add_type(16);

	frame_of_three(A, A, A);
	add_ref(0, 0, GOPROBE_REF_POINTER, one);
	add_ref(0, 8, GOPROBE_REF_POINTER, one);
	add_ref(0, 16, GOPROBE_REF_POINTER, other);
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_chunk(test, 0, A, one, 16, 0);
	expect_chunk(test, 1, A, other, 16, 0);
}

static void a_shorter_look_at_the_same_place_does_not_hide_a_longer_one(struct kunit *test)
{
	u32 node = add_type(8);

	/* A pointer to the first element and, behind it, the slice; and the other way. */
	w->types[0].size = 32;
	w->w.npieces = 4;
	w->pieces[1] = (struct goprobe_piece){ GOPROBE_FROM_INT_REG, 0, 0, 8, 8, 0 };
	w->pieces[2] = (struct goprobe_piece){ GOPROBE_FROM_INT_REG, 1, 0, 8, 16, 0 };
	w->pieces[3] = (struct goprobe_piece){ GOPROBE_FROM_INT_REG, 1, 0, 8, 24, 0 };
	w->regs.ax = A;
	w->regs.dx = 3;
	add_ref(0, 0, GOPROBE_REF_POINTER, node);
	add_ref(0, 8, GOPROBE_REF_SLICE, node);
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_chunk(test, 0, A, node, 8, 0);
	expect_chunk(test, 1, A, node, 24, 0);

	w->nrefs = 0;
	w->types[0].nrefs = 0;
	w->pieces[3] = w->pieces[0];
	w->pieces[3].frame = 24;
	w->pieces[1] = w->pieces[2];
	w->pieces[1].frame = 8;
	add_ref(0, 0, GOPROBE_REF_SLICE, node);
	add_ref(0, 24, GOPROBE_REF_POINTER, node);
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_chunk(test, 0, A, node, 24, 0);
}

/* rax, rdx, rcx is a slice of three {id, name string, next *item} in A. */
static u32 make_items(void)
{
	u32 item = add_type(32), i;

	frame_of_three(A, 3, 4);
	add_ref(0, 0, GOPROBE_REF_SLICE, item);
	add_ref(item, 8, GOPROBE_REF_STRING, 0);
	add_ref(item, 24, GOPROBE_REF_POINTER, item);
	for (i = 0; i < 3; i++) {
		poke(A + 32 * i, 70 + i);
		poke(A + 32 * i + 8, A + 0x1000 + 64 * i);
		poke(A + 32 * i + 16, 3 + 7 * i);
		poke(A + 32 * i + 24, i ? 0 : A + 0x3000);
		memset(arena + 0x1000 + 64 * i, 'a' + i, 64);
	}
	poke(A + 0x3000, 99);
	return item;
}

static void what_is_in_a_slice_is_followed_breadth_first(struct kunit *test)
{
	u32 item = make_items();

	w->w.depth = 3;
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 5U);
	expect_chunk(test, 0, A, item, 96, 0);
	expect_chunk(test, 1, A + 0x1000, BYTES, 3, 0);
	expect_chunk(test, 2, A + 0x3000, item, 32, 0);
	expect_chunk(test, 3, A + 0x1040, BYTES, 10, 0);
	expect_chunk(test, 4, A + 0x1080, BYTES, 17, 0);
}

static void of_a_slice_that_breaks_off_only_whole_objects_are_followed(struct kunit *test)
{
	u32 item = make_items();

	/* The second item lacks its last byte: its string is not believed. */
	regions[0].size = 63;
	regions[1] = (struct region){ A + 0x1000, 0x1000, HERE, arena + 0x1000 };
	nregions = 2;
	w->w.depth = 2;
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 3U);
	expect_chunk(test, 0, A, item, 63, FAULT);
	expect_chunk(test, 1, A + 0x1000, BYTES, 3, 0);
	expect_chunk(test, 2, A + 0x3000, item, 0, FAULT);
}

/* ---- budgets ---- */

static void no_more_objects_than_the_budget_has(struct kunit *test)
{
	u32 objects;

	make_list(6);
	w->w.depth = 100;
	for (objects = 0; objects < 9; objects++) {
		w->w.objects = objects;
		capture(test);
		KUNIT_EXPECT_EQ(test, nchunks(), min(objects, 6U));
		expect_budget(test, objects < 6);
	}
}

static void no_more_bytes_than_the_budget_has(struct kunit *test)
{
	u32 bytes, size, i;
	const struct goprobe_chunk *c;

	make_items();
	w->w.depth = 3;
	for (bytes = 0; bytes <= 300; bytes++) {
		w->w.bytes = bytes;
		capture(test);
		size = w->used - frame_bytes();
		KUNIT_EXPECT_LE(test, size, bytes);
		/* The slice, the three strings and an item. */
		expect_budget(test, bytes < HDR + 96 + HDR + 8 + HDR + 32 + HDR + 16 + HDR + 24);
		for (i = 0; (c = chunk(i)); i++) {
			KUNIT_EXPECT_EQ(test, (u32)c->status, 0U);
			/* Objects are cut between, not within. */
			KUNIT_EXPECT_TRUE(test, c->type == BYTES || c->size % 32 == 0);
		}
	}
}

static void what_is_said_of_impossible_lengths_is_in_the_budget_too(struct kunit *test)
{
	frame_of_three(A, -1ULL, 0);
	add_ref(0, 0, GOPROBE_REF_STRING, 0);
	w->w.bytes = HDR;
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 1U);
	expect_budget(test, false);
	w->w.bytes = HDR - 1;
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
	expect_budget(test, true);
	w->w.bytes = HDR;
	w->w.objects = 0;
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
	expect_budget(test, true);
}

/* ---- absent memory ---- */

static void absent_memory_is_asked_for_and_then_read(struct kunit *test)
{
	make_list(2);
	w->w.depth = 2;
	/* The second node's last word is in another page. */
	regions[0].size = 40;
	regions[1] = (struct region){ A + 40, 0x1000, ABSENT, arena + 40 };
	nregions = 2;
	must_load(test);
	KUNIT_ASSERT_EQ(test, run(test, GP_RECORD_MAX), -EAGAIN);
	KUNIT_EXPECT_EQ(test, w->faultin.address, A + 40);
	regions[1].state = HERE;
	KUNIT_ASSERT_EQ(test, run(test, GP_RECORD_MAX), 0);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_chunk(test, 1, A + 32, 1, 16, 0);
}

static void absent_stack_is_asked_for(struct kunit *test)
{
	w->sp = A + 0x100;
	w->pieces[0] = (struct goprobe_piece){ GOPROBE_FROM_STACK, 0, 0, 8, 0, 8 };
	regions[0].state = ABSENT;
	must_load(test);
	KUNIT_EXPECT_EQ(test, run(test, GP_RECORD_MAX), -EAGAIN);
	KUNIT_EXPECT_EQ(test, w->faultin.address, A + 0x108);
}

static void memory_that_must_not_be_waited_for_says_so(struct kunit *test)
{
	make_list(2);
	w->w.depth = 2;
	regions[0].size = 37;
	regions[1] = (struct region){ A + 37, 0x1000, REMOTE, arena + 37 };
	nregions = 2;
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_chunk(test, 1, A + 32, 1, 5, REMOTE);
}

/* ---- space ---- */

static void a_part_is_not_written_if_all_does_not_fit(struct kunit *test)
{
	u32 space, used;

	make_items();
	w->w.depth = 3;
	capture(test);
	used = w->used;
	for (space = frame_bytes(); space < used; space++)
		KUNIT_EXPECT_EQ(test, run(test, space), -ENOSPC);
	for (; space < used + 32; space++) {
		KUNIT_EXPECT_EQ(test, run(test, space), 0);
		KUNIT_EXPECT_EQ(test, w->used, used);
	}
}

static void an_impossible_length_needs_space_too(struct kunit *test)
{
	u32 space;

	frame_of_three(A, -1ULL, 0);
	add_ref(0, 0, GOPROBE_REF_STRING, 0);
	capture(test);
	for (space = frame_bytes(); space < w->used; space++)
		KUNIT_EXPECT_EQ(test, run_once(w->again, space, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, run(test, frame_bytes() + HDR), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(one_reference, ref_gen_params),
	KUNIT_CASE(as_many_references_are_followed_as_depth_says),
	KUNIT_CASE(depth_0_reads_no_memory),
	KUNIT_CASE(cycles_end),
	KUNIT_CASE(an_object_is_copied_once_but_as_each_type_it_is_seen_as),
	KUNIT_CASE(a_shorter_look_at_the_same_place_does_not_hide_a_longer_one),
	KUNIT_CASE(what_is_in_a_slice_is_followed_breadth_first),
	KUNIT_CASE(of_a_slice_that_breaks_off_only_whole_objects_are_followed),
	KUNIT_CASE(no_more_objects_than_the_budget_has),
	KUNIT_CASE(no_more_bytes_than_the_budget_has),
	KUNIT_CASE(what_is_said_of_impossible_lengths_is_in_the_budget_too),
	KUNIT_CASE(absent_memory_is_asked_for_and_then_read),
	KUNIT_CASE(absent_stack_is_asked_for),
	KUNIT_CASE(memory_that_must_not_be_waited_for_says_so),
	KUNIT_CASE(a_part_is_not_written_if_all_does_not_fit),
	KUNIT_CASE(an_impossible_length_needs_space_too),
	{}
};

static struct kunit_suite suite = {
	.name = "capture",
	.init = capture_init,
	.exit = capture_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Capture: KUnit suite");
