// SPDX-License-Identifier: GPL-2.0
/*
 * Capture: what is in the record is what is in memory, within every budget, and
 * nothing else.
 */
#include "capture_world.h"

/* ---- the frame ---- */

struct int_case {
	const char *claim;
	u8 reg;
	u32 size;
	u64 want;
};

static const struct int_case int_cases[] = {
	{ "8 bytes of rax", 0, 8, 0x8877665544332211 },
	{ "4 bytes of rax", 0, 4, 0x44332211 },
	{ "2 bytes of rax", 0, 2, 0x2211 },
	{ "1 byte of rax", 0, 1, 0x11 },
	{ "rdx", 1, 8, 0xd0 },
	{ "rbx", 3, 8, 0xb0 },
	{ "r15", 15, 8, 0xf15 },
};

static void int_desc(const struct int_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(int, int_cases, int_desc);

static void integer_registers_of_each_width(struct kunit *test)
{
	const struct int_case *c = test->param_value;
	u64 got[2];

	w->regs.ax = 0x8877665544332211;
	w->regs.dx = 0xd0;
	w->regs.bx = 0xb0;
	w->regs.r15 = 0xf15;
	w->types[0].size = 16;
	w->pieces[0].reg = c->reg;
	w->pieces[0].size = c->size;
	w->pieces[0].frame = 8;
	capture(test);
	memcpy(got, w->to, sizeof(got));
	KUNIT_EXPECT_EQ(test, got[0], 0ULL);
	KUNIT_EXPECT_EQ(test, got[1], c->want);
	KUNIT_EXPECT_EQ(test, w->used, 16U);
	KUNIT_EXPECT_EQ(test, (u32)w->flags, 0U);
}

static void float_registers_of_each_width_and_no_more_than_needed(struct kunit *test)
{
	static const u8 want[40] = {
		/* 4 bytes of xmm1 at 2, 8 of xmm15 at 8, 16 of xmm0 at 17 */
		0, 0, 16, 17, 18, 19, 0, 0, 240, 241, 242, 243, 244, 245, 246, 247,
		0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	};

	w->types[0].size = 33;
	w->pieces[0] = (struct goprobe_piece){ GOPROBE_FROM_FLOAT_REG, 18, 0, 4, 2, 0 };
	w->pieces[1] = (struct goprobe_piece){ GOPROBE_FROM_FLOAT_REG, 32, 0, 8, 8, 0 };
	w->pieces[2] = (struct goprobe_piece){ GOPROBE_FROM_FLOAT_REG, 17, 0, 16, 17, 0 };
	w->w.npieces = 3;
	capture(test);
	KUNIT_EXPECT_EQ(test, w->used, 40U);
	KUNIT_EXPECT_EQ(test, memcmp(w->to, want, 40), 0);
	KUNIT_EXPECT_EQ(test, (u32)float_mask, 1U << 1 | 1U << 15 | 1U << 0);

	float_mask = 0xffff;
	w->pieces[0] = (struct goprobe_piece){ GOPROBE_FROM_INT_REG, 0, 0, 8, 0, 0 };
	w->w.npieces = 1;
	capture(test);
	KUNIT_EXPECT_EQ(test, (u32)float_mask, 0xffffU);	/* they were not read */
}

static void stack_slots_count_from_the_sp_at_entry(struct kunit *test)
{
	w->sp = A + 0x2000;
	poke(w->sp + 8, 0x1111);
	poke(w->sp - 16, 0x2222);
	w->types[0].size = 13;
	w->pieces[0] = (struct goprobe_piece){ GOPROBE_FROM_STACK, 0, 0, 8, 0, 8 };
	w->pieces[1] = (struct goprobe_piece){ GOPROBE_FROM_STACK, 0, 0, 5, 8, -16 };
	w->w.npieces = 2;
	capture(test);
	KUNIT_EXPECT_EQ(test, gp_load(w->to), 0x1111ULL);
	KUNIT_EXPECT_EQ(test, gp_load(w->to + 8), 0x2222ULL);
	KUNIT_EXPECT_EQ(test, w->used, 16U);
	KUNIT_EXPECT_EQ(test, (u32)w->flags, 0U);
}

static void what_of_the_stack_cannot_be_read_is_zero_and_flagged(struct kunit *test)
{
	u32 have;

	/* The slot of 16 bytes begins @have bytes before the end of memory. */
	for (have = 0; have <= 16; have++) {
		memset(arena + A_SIZE - 16, 0x77, 16);
		w->sp = A + A_SIZE - have;
		w->types[0].size = 24;
		w->pieces[0] = (struct goprobe_piece){ GOPROBE_FROM_STACK, 0, 0, 16, 0, 0 };
		w->pieces[1] = (struct goprobe_piece){ GOPROBE_FROM_INT_REG, 0, 0, 8, 16, 0 };
		w->w.npieces = 2;
		w->regs.ax = 0x4242;
		capture(test);
		KUNIT_EXPECT_TRUE(test, !memchr_inv(w->to, 0x77, have));
		KUNIT_EXPECT_TRUE(test, !memchr_inv(w->to + have, 0, 16 - have));
		KUNIT_EXPECT_EQ(test, gp_load(w->to + 16), 0x4242ULL);
		KUNIT_EXPECT_EQ(test, (u32)w->flags,
				have < 16 ? (u32)GOPROBE_RECORD_F_FAULT : 0);
	}
}

static void what_no_piece_fills_is_zero(struct kunit *test)
{
	w->types[0].size = 4093;
	w->pieces[0].frame = 2000;
	w->regs.ax = ~0UL;
	capture(test);
	KUNIT_EXPECT_EQ(test, w->used, 4096U);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(w->to, 0, 2000));
	KUNIT_EXPECT_EQ(test, gp_load(w->to + 2000), ~0ULL);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(w->to + 2008, 0, 4096 - 2008));
}

static void a_frame_of_nothing_is_nothing(struct kunit *test)
{
	w->types[0].size = 0;
	w->w.npieces = 0;
	capture(test);
	KUNIT_EXPECT_EQ(test, w->used, 0U);
}

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
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
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
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
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

/* ---- room ---- */

static void without_room_for_all_there_is_none_for_a_part(struct kunit *test)
{
	u32 room, used;

	make_items();
	w->w.depth = 3;
	capture(test);
	used = w->used;
	for (room = frame_bytes(); room < used; room++)
		KUNIT_EXPECT_EQ(test, run(test, room), -ENOSPC);
	for (; room < used + 32; room++) {
		KUNIT_EXPECT_EQ(test, run(test, room), 0);
		KUNIT_EXPECT_EQ(test, w->used, used);
	}
}

static void an_impossible_length_needs_room_too(struct kunit *test)
{
	u32 room;

	frame_of_three(A, -1ULL, 0);
	add_ref(0, 0, GOPROBE_REF_STRING, 0);
	capture(test);
	for (room = frame_bytes(); room < w->used; room++)
		KUNIT_EXPECT_EQ(test, run_once(w->again, room, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, run(test, frame_bytes() + HDR), 0);
}

/* ---- anything ---- */

static u64 state;

/* Deterministic: the same sequence in each run. Below @n. */
static u32 rnd(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % n;
}

/* Mostly small; sometimes at a limit. */
static u32 rnd_size(u32 max)
{
	switch (rnd(8)) {
	case 0:
		return rnd(max + 1);
	case 1:
		return max - rnd(min(max, 9U) + 1);
	default:
		return rnd(min(max, 100U) + 1);
	}
}

static bool has_type(u8 kind)
{
	return kind == GOPROBE_REF_POINTER || kind == GOPROBE_REF_SLICE ||
	       kind == GOPROBE_REF_ARRAY;
}

static void random_ref(struct goprobe_ref *ref, u32 size)
{
	if (!rnd(4))
		ref->flags = GOPROBE_REF_F_SAME_LEVEL;
	if (ref->kind != GOPROBE_REF_ARRAY)
		return;
	ref->count = 1 + rnd(GOPROBE_COUNT_MAX);
	ref->count_size = 1 << rnd(4);
	ref->count_offset = rnd(size - min_t(u32, size, ref->count_size) + 1);
	ref->elements_shift = rnd(5);
}

static void random_tables(void)
{
	u32 t, r, offset;

	memset(w->types, 0, sizeof(w->types));
	w->nrefs = 0;
	w->ntypes = 1 + rnd(TYPES);
	for (t = 0; t < w->ntypes; t++) {
		struct goprobe_type *type = &w->types[t];

		type->size = rnd_size(rnd(4) ? 256 : t ? 65535 : 4096);
		type->ref = w->nrefs;
		if (rnd(2))
			type->size = ALIGN(type->size, 8) & 0xffff;
		offset = rnd(2) * 8;
		for (r = rnd(7); r && w->nrefs < REFS; r--) {
			u8 kind = 1 + rnd(GOPROBE_REF_MAX);

			if (offset + gp_ref_size(kind) > type->size)
				break;
			add_ref(t, offset, kind, has_type(kind) ? rnd(w->ntypes + 1) : 0);
			random_ref(&w->refs[w->nrefs - 1], type->size);
			offset += 8 * rnd(5);
		}
	}
}

static void random_plan(void)
{
	u32 frame, i;

	w->w = (struct goprobe_plan){
		.npieces = rnd(PIECES + 1), .string_limit = rnd_size(24576),
		.elements = rnd_size(24576),
		.objects = rnd(3) ? 1536 : rnd_size(1536),
		.bytes = rnd(3) ? 20000 : rnd_size(20000),
		.depth = rnd(8),
	};
	frame = w->types[0].size;
	if (!frame)
		w->w.npieces = 0;
	for (i = 0; i < w->w.npieces; i++) {
		struct goprobe_piece *p = &w->pieces[i];

		*p = (struct goprobe_piece){ .source = 1 + rnd(GOPROBE_FROM_MAX), .reg = rnd(16) };
		p->size = 8;
		if (p->source == GOPROBE_FROM_FLOAT_REG) {
			p->reg += 17;
			p->size = 4 << rnd(3);
		}
		if (p->source == GOPROBE_FROM_STACK) {
			p->size = 1 + rnd(frame);
			p->offset = rnd(4) ? 8 * (s32)rnd(16) : (s32)rnd(256) - 100;
		}
		if (p->source == GOPROBE_FROM_STATIC) {
			p->size = 1 + rnd(frame);
			p->address = A + rnd(A_SIZE) - w->bias;
		}
		if (p->size > frame)
			*p = (struct goprobe_piece){ .source = GOPROBE_FROM_INT_REG, .size = 1 };
		p->frame = rnd(frame - p->size + 1);
		if (rnd(4))
			p->frame &= ~7U;
	}
}

/* One that the verifier passes, with @left operations behind it. */
static void random_op(struct goprobe_op *op, u32 left, u32 frame)
{
	u16 uses;

	*op = (struct goprobe_op){ .code = 1 + rnd(GOPROBE_OP_MAX) };
	uses = gp_op_uses[op->code];
	if (uses & GP_USES_A)
		op->a = rnd(3);
	if (uses & (GP_USES_B | GP_USES_REG))
		op->b = rnd(3);
	if (uses & GP_USES_SIZE)
		op->size = 1 << rnd(4);
	if (uses & GP_USES_BYTES)
		op->size = 1 + rnd(rnd(2) ? 16 : 300);
	if (uses & GP_USES_FRAME)
		op->offset = rnd(frame > op->size ? frame - op->size + 1 : 1);
	if (uses & GP_USES_SKIP)
		op->offset = rnd(min(left, 8U) + 1);
	if (uses & GP_USES_VALUE)
		op->value = rnd(2) ? rnd(100) : A + rnd(A_SIZE) - w->bias * rnd(2);
	if (uses & GP_USES_STATUS)
		op->value = 1 + rnd(GOPROBE_CHUNK_MAX);
	if (op->code == GOPROBE_OP_END && left && rnd(4))
		op->code = GOPROBE_OP_IMM;
}

static void random_program(void)
{
	u32 i;

	w->w.nops = rnd(3) ? 0 : rnd(OPS);
	for (i = 0; i < w->w.nops; i++)
		random_op(&w->ops[i], w->w.nops - i - 1, w->types[0].size);
}

/* Some of the words in memory stand for types, some of them direct. */
static void random_dynamic(void)
{
	u32 i;

	for (i = rnd(3) * 200; i; i--) {
		struct goprobe_dynamic d = {
			.address = gp_load(arena + 8 * rnd(A_SIZE / 8)) - w->bias,
			.type = rnd(w->ntypes), .flags = rnd(2),
		};

		if (!gp_verify_dynamic(&d, &w->table))
			gp_dynamic_add(&w->dynamic, &d, 1, &w->table);
	}
}

static u64 random_word(void)
{
	switch (rnd(6)) {
	case 0:
		return rnd(40);				/* a small length */
	case 1:
		return rnd(3) ? rnd(20000) : (u64)rnd(U32_MAX) << rnd(33);
	case 2:
		return 0;
	default:
		return A - 64 + rnd(A_SIZE + 128);	/* a pointer */
	}
}

static void random_memory(void)
{
	u32 i, from = 0;

	for (i = 0; i < A_SIZE; i += 8)
		poke(A + i, random_word());
	for (i = 0; i < sizeof(w->regs); i += 8)
		*(u64 *)((u8 *)&w->regs + i) = random_word();
	w->sp = A + (rnd(A_SIZE) & ~7U);
	nregions = 1 + rnd(REGIONS);
	for (i = 0; i < nregions; i++) {
		static const u16 states[] = { HERE, HERE, HERE, ABSENT, FAULT, REMOTE };
		u32 size = i == nregions - 1 ? A_SIZE - from : rnd(A_SIZE - from);

		regions[i] = (struct region){ A + from, size, states[rnd(6)], arena + from };
		from += size;
	}
}

/* Items of the program that say that they have failed; *@at is moved behind them. */
static const char *decode_missed(u32 *at)
{
	u32 tries = 0, i;

	for (i = 0; i < w->w.nops; i++)
		tries += w->ops[i].code == GOPROBE_OP_TRY;
	for (; *at < w->used; *at += HDR) {
		const struct goprobe_chunk *c = (const void *)(w->to + *at);

		if (c->type != MISSED)
			return NULL;
		if (!tries--)
			return "more items have failed than there are";
		if (c->size || c->level || !c->status || c->status > GOPROBE_CHUNK_MAX)
			return "an item that has failed with something";
	}
	return NULL;
}

/* NULL if the chunk that begins there is right. */
static const char *decode_chunk(const struct goprobe_chunk *c, u32 left)
{
	u32 padded;

	if (left < HDR)
		return "a torn header";
	padded = ALIGN((u32)c->size, 8);
	if (left - HDR < padded)
		return "a torn chunk";
	if (memchr_inv((const u8 *)(c + 1) + c->size, 0, padded - c->size))
		return "padding that is not 0";
	if (c->type >= w->ntypes && c->type != BYTES && c->type != ITAB && c->type != CODE)
		return "a type that does not exist";
	if (c->status > BAD)
		return "a status that does not exist";
	if (c->level > w->w.depth)
		return "deeper than the plan allows";
	if (c->size && (c->address < A || c->address + c->size > A + A_SIZE ||
			memcmp(c + 1, arena + (c->address - A), c->size)))
		return "bytes that are not in memory";
	if (!c->status && c->type < w->ntypes && c->size % w->types[c->type].size)
		return "part of an object";
	return NULL;
}

/* NULL if what is in the record can be decoded and keeps to the plan. */
static const char *decode(void)
{
	u32 at = frame_bytes(), n = 0;
	const char *why = decode_missed(&at);

	if (!why && w->used > at + w->w.bytes)
		return "more bytes than the plan allows";
	for (; !why && at < w->used; n++) {
		const struct goprobe_chunk *c = (const void *)(w->to + at);

		why = decode_chunk(c, w->used - at);
		at += HDR + ALIGN((u32)c->size, 8);
	}
	if (!why && n > w->w.objects)
		return "more objects than the plan allows";
	return why;
}

/* Chunks of that type. */
static u32 nchunks_of(u32 type)
{
	u32 n = 0, i;

	for (i = 0; chunk(i); i++)
		n += chunk(i)->type == type;
	return n;
}

static void any_verified_plan_over_any_memory(struct kunit *test)
{
	u32 n, tries, plans = 0, whole = 0, chunks = 0, short_of_room = 0;
	u32 itabs = 0, codes = 0, missed = 0;

	state = 88172645463325252ULL;
	for (n = 0; n < 10000; n++) {
		u32 room;
		int err;

		w->bias = rnd(3) << 12;
		random_tables();
		random_plan();
		random_program();
		random_memory();
		if (load())
			continue;
		random_dynamic();
		plans++;
		room = rnd(3) ? GP_RECORD_MAX : frame_bytes() + rnd(2000);
		for (tries = 0; tries <= REGIONS; tries++) {
			err = run(test, room);
			if (err != -EAGAIN)
				break;
			KUNIT_ASSERT_NOT_NULL(test, region_of(w->faultin.address));
			KUNIT_ASSERT_EQ(test, (u32)region_of(w->faultin.address)->state,
					(u32)ABSENT);
			region_of(w->faultin.address)->state = HERE;
		}
		if (err) {
			KUNIT_ASSERT_EQ(test, err, -ENOSPC);
			KUNIT_ASSERT_LT(test, room, (u32)GP_RECORD_MAX);
			short_of_room++;
			continue;
		}
		KUNIT_ASSERT_STREQ(test, decode() ?: "right", "right");
		whole++;
		chunks += nchunks();
		itabs += nchunks_of(ITAB);
		codes += nchunks_of(CODE);
		missed += nchunks_of(MISSED);
	}
	/* It was not in vain. */
	KUNIT_EXPECT_GT(test, plans, 4000U);
	KUNIT_EXPECT_GT(test, whole, 3000U);
	KUNIT_EXPECT_GT(test, chunks, 3000U);
	KUNIT_EXPECT_GT(test, itabs, 100U);
	KUNIT_EXPECT_GT(test, codes, 100U);
	KUNIT_EXPECT_GT(test, missed, 100U);
	KUNIT_EXPECT_GT(test, short_of_room, 20U);
}

/* ---- the quick way ---- */

struct quick_case {
	const char *claim;
	u32 frame;		/* bytes; filled with registers */
	u32 string_at[2];	/* -1: none */
	u32 limit;
	u32 objects;
	u32 bytes;
	u32 depth;
	bool quick;
};

#define NONE	U32_MAX

static const struct quick_case quick_cases[] = {
	{ "words", 40, { NONE, NONE }, 100, 0, 0, 0, true },
	{ "a string", 16, { 0, NONE }, 100, 1, 16 + 104, 1, true },
	{ "two strings and a word", 40, { 0, 24 }, 16, 2, 64, 1, true },
	{ "a string that may not fit its budget", 16, { 0, NONE }, 100, 1, 16 + 103, 1, false },
	{ "two strings of which only one fits", 32, { 0, 16 }, 16, 2, 63, 1, false },
	{ "fewer objects than strings", 32, { 0, 16 }, 16, 1, 64, 1, false },
	{ "strings cut to nothing", 16, { 0, NONE }, 0, 1, 64, 1, false },
	{ "strings that are not followed", 16, { 0, NONE }, 0, 0, 0, 0, true },
	{ "part of a word", 20, { NONE, NONE }, 100, 0, 0, 0, false },
};

static void quick_desc(const struct quick_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(quick, quick_cases, quick_desc);

static void words_from_registers(u32 frame)
{
	u32 i;

	w->types[0] = (struct goprobe_type){ .size = frame };
	w->ntypes = 1;
	w->nrefs = 0;
	w->w.npieces = frame / 8;
	for (i = 0; i < frame / 8; i++)
		w->pieces[i] = (struct goprobe_piece){
			.source = GOPROBE_FROM_INT_REG, .reg = i, .size = 8, .frame = 8 * i,
		};
}

static void plans_without_surprises_are_quick(struct kunit *test)
{
	const struct quick_case *c = test->param_value;
	u32 i;

	words_from_registers(c->frame);
	for (i = 0; i < 2 && c->string_at[i] != NONE; i++)
		add_ref(0, c->string_at[i], GOPROBE_REF_STRING, 0);
	w->w.string_limit = c->limit;
	w->w.objects = c->objects;
	w->w.bytes = c->bytes;
	w->w.depth = c->depth;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	KUNIT_EXPECT_EQ(test, w->plan->quick, c->quick);
	if (!c->quick)
		return;
	w->pieces[0].size = 4;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	KUNIT_EXPECT_FALSE(test, w->plan->quick);
	w->pieces[0] = (struct goprobe_piece){ GOPROBE_FROM_STACK, 0, 0, 8, 0, 8 };
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	KUNIT_EXPECT_FALSE(test, w->plan->quick);
	w->pieces[0] = w->pieces[1];
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	KUNIT_EXPECT_FALSE(test, w->plan->quick);
}

static void only_strings_are_followed_in_the_quick_way(struct kunit *test)
{
	u16 kind;

	for (kind = 1; kind < __GOPROBE_REF_MAX; kind++) {
		words_from_registers(24);
		add_ref(0, 0, kind, 0);
		if (kind == GOPROBE_REF_ARRAY) {
			w->refs[0].count = GOPROBE_COUNT_N;
			w->refs[0].count_size = 8;
		}
		KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
		KUNIT_EXPECT_EQ(test, w->plan->quick, kind == GOPROBE_REF_STRING);
		w->refs[0].flags = GOPROBE_REF_F_SAME_LEVEL;
		KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
		KUNIT_EXPECT_FALSE(test, w->plan->quick);
	}
}

static void the_quick_way_writes_what_the_general_way_writes(struct kunit *test)
{
	u32 n, i, at, quick = 0, declined = 0;

	state = 1181783497276652981ULL;
	for (n = 0; n < 3000; n++) {
		u32 room, used;

		words_from_registers(8 * (1 + rnd(PIECES - 1)));
		for (at = 8 * rnd(3); at + 16 <= w->types[0].size; at += 8 + 8 * rnd(4))
			add_ref(0, at, GOPROBE_REF_STRING, 0);
		w->w.string_limit = 1 + rnd(rnd(2) ? 40 : 600);
		w->w.objects = 1000;
		w->w.bytes = 20000;
		w->w.depth = 1 + rnd(2);
		random_memory();
		KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
		KUNIT_ASSERT_TRUE(test, w->plan->quick);
		for (i = 0; rnd(2) && i < nregions; i++)
			regions[i].state = HERE;
		room = rnd(3) ? GP_RECORD_MAX : rnd(3000);
		memset(w->again, 0x5a, TO_SIZE);
		used = gp_capture_quick(w->plan, &w->regs, w->again, room);
		KUNIT_ASSERT_TRUE(test, !memchr_inv(w->again + room, 0x5a, TO_SIZE - room));
		if (used == GP_CAPTURE_NOT_QUICK) {
			declined++;
			continue;
		}
		quick++;
		KUNIT_ASSERT_EQ(test, run_once(w->to, room, 0xa5), 0);
		KUNIT_ASSERT_EQ(test, used, w->used);
		KUNIT_ASSERT_EQ(test, (u32)w->flags, 0U);
		KUNIT_ASSERT_EQ(test, memcmp(w->to, w->again, used), 0);
	}
	KUNIT_EXPECT_GT(test, quick, 500U);
	KUNIT_EXPECT_GT(test, declined, 500U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(integer_registers_of_each_width, int_gen_params),
	KUNIT_CASE(float_registers_of_each_width_and_no_more_than_needed),
	KUNIT_CASE(stack_slots_count_from_the_sp_at_entry),
	KUNIT_CASE(what_of_the_stack_cannot_be_read_is_zero_and_flagged),
	KUNIT_CASE(what_no_piece_fills_is_zero),
	KUNIT_CASE(a_frame_of_nothing_is_nothing),
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
	KUNIT_CASE(without_room_for_all_there_is_none_for_a_part),
	KUNIT_CASE(an_impossible_length_needs_room_too),
	KUNIT_CASE(any_verified_plan_over_any_memory),
	KUNIT_CASE_PARAM(plans_without_surprises_are_quick, quick_gen_params),
	KUNIT_CASE(only_strings_are_followed_in_the_quick_way),
	KUNIT_CASE(the_quick_way_writes_what_the_general_way_writes),
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
