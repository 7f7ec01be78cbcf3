// SPDX-License-Identifier: GPL-2.0
/* The quick way: which plans take it, and that it makes no difference to the record. */
#include "random_world.h"

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
	{ "as many words as registers", 128, { NONE, NONE }, 100, 0, 0, 0, true },
	{ "more words than registers", 136, { NONE, NONE }, 100, 0, 0, 0, false },
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
			.source = GOPROBE_FROM_INT_REG, .reg = i % 16, .size = 8,
			.frame = 8 * i,
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
	must_load(test);
	KUNIT_EXPECT_EQ(test, w->plan->quick, c->quick);
	if (!c->quick)
		return;
	w->pieces[0].size = 4;
	must_load(test);
	KUNIT_EXPECT_FALSE(test, w->plan->quick);
	w->pieces[0] = (struct goprobe_piece){ GOPROBE_FROM_STACK, 0, 0, 8, 0, 8 };
	must_load(test);
	KUNIT_EXPECT_FALSE(test, w->plan->quick);
	w->pieces[0] = w->pieces[1];
	must_load(test);
	KUNIT_EXPECT_FALSE(test, w->plan->quick);
}

static void only_strings_are_followed_in_the_quick_way(struct kunit *test)
{
	u16 kind;

	for (kind = 1; kind <= GOPROBE_REF_FUNC; kind++) {
		words_from_registers(24);
		add_ref(0, 0, kind, 0);
		if (kind == GOPROBE_REF_ARRAY) {
			w->refs[0].count = GOPROBE_COUNT_N;
			w->refs[0].count_size = 8;
		}
		must_load(test);
		KUNIT_EXPECT_EQ(test, w->plan->quick, kind == GOPROBE_REF_STRING);
		w->refs[0].flags = GOPROBE_REF_F_SAME_LEVEL;
		must_load(test);
		KUNIT_EXPECT_FALSE(test, w->plan->quick);
	}
}

static void the_quick_way_writes_what_the_general_way_writes(struct kunit *test)
{
	u32 n, i, at, quick = 0, declined = 0;

	random_state = 1181783497276652981ULL;
	for (n = 0; n < 3000; n++) {
		u32 space;
		long used;

		words_from_registers(8 * (1 + rnd(PIECES - 1)));
		for (at = 8 * rnd(3); at + 16 <= w->types[0].size; at += 8 + 8 * rnd(4))
			add_ref(0, at, GOPROBE_REF_STRING, 0);
		w->w.string_limit = 1 + rnd(rnd(2) ? 40 : 600);
		w->w.objects = 1000;
		w->w.bytes = 20000;
		w->w.depth = 1 + rnd(2);
		random_memory();
		must_load(test);
		KUNIT_ASSERT_TRUE(test, w->plan->quick);
		for (i = 0; rnd(2) && i < nregions; i++)
			regions[i].state = HERE;
		space = rnd(3) ? GP_RECORD_MAX : rnd(3000);
		memset(w->again, 0x5a, TO_SIZE);
		used = gp_capture_quick(w->plan, &w->regs, w->again, space);
		KUNIT_ASSERT_TRUE(test, !memchr_inv(w->again + space, 0x5a, TO_SIZE - space));
		if (used == GP_CAPTURE_NOT_QUICK) {
			declined++;
			continue;
		}
		quick++;
		KUNIT_ASSERT_EQ(test, run_once(w->to, space, 0xa5), 0);
		KUNIT_ASSERT_EQ(test, used, (long)w->used);
		KUNIT_ASSERT_EQ(test, (u32)w->flags, 0U);
		KUNIT_ASSERT_EQ(test, memcmp(w->to, w->again, used), 0);
	}
	KUNIT_EXPECT_GT(test, quick, 500U);
	KUNIT_EXPECT_GT(test, declined, 500U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(plans_without_surprises_are_quick, quick_gen_params),
	KUNIT_CASE(only_strings_are_followed_in_the_quick_way),
	KUNIT_CASE(the_quick_way_writes_what_the_general_way_writes),
	{}
};

static struct kunit_suite suite = {
	.name = "quick",
	.init = capture_init,
	.exit = capture_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Quick captures: KUnit suite");
