// SPDX-License-Identifier: GPL-2.0
/*
 * Dynamic types: the values of interfaces and of funcs, which are followed as soon
 * as it is known what the type's or the code's address stands for.
 */
#include "capture_world.h"

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

/* Load; from then on LINKED stands for @type. */
static void capture_dynamic(struct kunit *test, u32 type, u32 flags)
{
	must_load(test);
	make_dynamic(test, LINKED, type, flags);
	capture_again(test);
}

static void the_value_of_an_interface_follows_its_type(struct kunit *test)
{
	u32 type = make_iface(test, GOPROBE_REF_IFACE, 24);

	must_load(test);
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

	capture_dynamic(test, type, 0);
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

	capture_dynamic(test, type, 0);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
	w->types[type].size = 8;
	capture_dynamic(test, type, 0);
	KUNIT_EXPECT_EQ(test, nchunks(), 1U);
	w->regs.dx = 0;
	capture_again(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
}

static void of_a_direct_value_what_it_refers_to_follows(struct kunit *test)
{
	u32 word = make_iface(test, GOPROBE_REF_EFACE, 8), object = add_type(16);

	add_ref(word, 0, GOPROBE_REF_POINTER, object);
	capture_dynamic(test, word, GOPROBE_DYNAMIC_F_DIRECT);
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
	add_array(word, 0, object, GOPROBE_COUNT_N, 0, 1);
	add_ref(word, 0, GOPROBE_REF_FUNC, 0);
	must_load(test);
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
	capture_dynamic(test, type, 0);
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

	must_load(test);
	make_dynamic(test, LINKED, type, 0);
	w->regs.ax = A + A_SIZE - 9;
	capture_again(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_chunk(test, 0, A + A_SIZE - 1, ITAB, 1, FAULT);
	/* No space for the type word: none for the value. */
	w->regs.ax = ITAB_AT;
	w->w.objects = 0;
	capture_dynamic(test, type, 0);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
	expect_budget(test, true);
	w->w.objects = 1;
	capture_dynamic(test, type, 0);
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
	must_load(test);
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
	must_load(test);
	KUNIT_EXPECT_EQ(test, run(test, GP_RECORD_MAX), -EAGAIN);
	KUNIT_EXPECT_EQ(test, w->faultin.address, A + 4);
}

static void a_direct_value_is_on_the_level_of_its_interface(struct kunit *test)
{
	u32 word = make_iface(test, GOPROBE_REF_EFACE, 8), node = add_type(16), i;

	/* As a chain of contexts: each holds the next one in an interface. */
	w->refs[0].flags = GOPROBE_REF_F_SAME_LEVEL;
	add_ref(node, 0, GOPROBE_REF_EFACE, 0);
	last_ref()->flags = GOPROBE_REF_F_SAME_LEVEL;
	add_ref(word, 0, GOPROBE_REF_POINTER, node);
	for (i = 0; i < 4; i++) {
		poke(VALUE_AT + 16 * i, LINKED + BIAS);
		poke(VALUE_AT + 16 * i + 8, VALUE_AT + 16 * (i + 1));
	}
	capture_dynamic(test, word, GOPROBE_DYNAMIC_F_DIRECT);
	KUNIT_ASSERT_EQ(test, nchunks(), 5U);
	for (i = 0; i < 5; i++) {
		expect_chunk(test, i, VALUE_AT + 16 * i, node, 16, 0);
		expect_level(test, i, 0);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(the_value_of_an_interface_follows_its_type),
	KUNIT_CASE(the_value_of_an_empty_interface_follows),
	KUNIT_CASE(a_value_of_no_size_and_a_nil_one_have_no_chunk),
	KUNIT_CASE(of_a_direct_value_what_it_refers_to_follows),
	KUNIT_CASE(what_may_be_in_a_direct_word),
	KUNIT_CASE(the_type_word_of_an_itab_is_copied_once),
	KUNIT_CASE(without_the_type_word_there_is_no_value),
	KUNIT_CASE(a_closure_is_of_the_type_of_its_code),
	KUNIT_CASE(an_absent_closure_is_asked_for),
	KUNIT_CASE(a_direct_value_is_on_the_level_of_its_interface),
	{}
};

static struct kunit_suite suite = {
	.name = "dynamic",
	.init = capture_init,
	.exit = capture_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Dynamic types: KUnit suite");
