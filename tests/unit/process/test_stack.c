// SPDX-License-Identifier: GPL-2.0
/* Unwinding of valid stacks, and of corrupt ones. */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "process/stack.h"
#include "rows.h"

#define LO 0x10000ULL
#define WORDS 512
#define HI (LO + WORDS * 8)
#define BIAS 0x400000ULL

/* Functions, by their link-time addresses: none is at others. */
enum { PARK = 0x10, RECV = 0x20, MAIN = 0x30, EXIT = 0x40, ASM = 0x50, ODD = 0x60, HUGE = 0x70 };

/**
 * struct world - a stack to be walked, and who asks for it
 * @words: the stack
 * @hole: word from which on nothing can be read
 * @asked: how often a function was asked for
 * @random: any address is of a function
 */
struct world {
	uint64_t words[WORDS];
	size_t hole;
	size_t asked;
	bool random;
};

static bool read_words(void *ctx, uint64_t at, void *to, size_t len)
{
	struct world *w = ctx;

	/* All that is asked for lies on the stack. */
	assert_true(at >= LO && at < HI && len <= HI - at && len >= 8 && at % 8 == 0);
	if (at + len > LO + w->hole * 8)
		return false;
	memcpy(to, (uint8_t *)w->words + (at - LO), len);
	return true;
}

static bool place(void *ctx, uint64_t vaddr, struct gobin_place *ret)
{
	static const struct {
		uint64_t vaddr;
		struct gobin_place place;
	} places[] = {
		{ PARK, { .depth = 24, .begun = true } }, { RECV, { .depth = 64, .begun = true } },
		{ MAIN, { .depth = 16, .begun = true } }, { EXIT, { .top = true } }, { ASM },
		{ ODD, { .depth = 12 } }, { HUGE, { .depth = 0xfffffff8 } },
	};
	struct world *w = ctx;

	w->asked++;
	if (w->random) {
		*ret = (struct gobin_place){ .depth = vaddr % 7 * 8, .top = vaddr % 101 == 0 };
		return true;
	}
	for (size_t i = 0; i < N(places); i++) {
		if (places[i].vaddr != vaddr)
			continue;
		*ret = places[i].place;
		return true;
	}
	return false;
}

/* A frame of @words words at @sp, which returns to @pc; SP behind it. */
static uint64_t push(struct world *w, uint64_t sp, size_t words, uint64_t pc)
{
	sp += words * 8;
	w->words[(sp - LO) / 8] = pc + BIAS;
	return sp + 8;
}

static enum stack_end walk(struct world *w, uint64_t pc, uint64_t sp, struct stack_frame *v,
			   size_t max, size_t *n)
{
	const struct gostack s = {
		.lo = LO, .hi = HI, .pc = pc + BIAS, .sp = sp, .bias = BIAS,
		.read = read_words, .place = place, .ctx = w,
	};

	return stack_walk(&s, v, max, n);
}

TEST(test_whole, "a stack up to the function that nobody has called")
{
	/* park, recv, main, exit */
	struct world w = { .hole = WORDS };
	struct stack_frame v[8];
	uint64_t sp = HI - 200;
	size_t n;

	sp = push(&w, sp, 3, RECV);
	sp = push(&w, sp, 8, ASM);
	sp = push(&w, sp, 0, MAIN);
	sp = push(&w, sp, 2, EXIT);
	assert_int_equal(walk(&w, PARK, HI - 200, v, N(v), &n), STACK_WHOLE);
	assert_int_equal(n, 5);
	assert_int_equal(v[0].pc, PARK);
	assert_int_equal(v[0].depth, 200 - 24);
	assert_int_equal(v[1].pc, RECV);
	assert_int_equal(v[1].depth, 200 - 32 - 64);
	assert_int_equal(v[2].pc, ASM);
	assert_int_equal(v[2].depth, 200 - 32 - 72);
	assert_int_equal(v[3].pc, MAIN);
	assert_int_equal(v[3].depth, 200 - 32 - 72 - 8 - 16);
	assert_int_equal(v[4].pc, EXIT);
	assert_true(v[0].begun && v[1].begun && !v[2].begun && v[3].begun && !v[4].begun);
	/* At most as many frames as fit. */
	assert_int_equal(walk(&w, PARK, HI - 200, v, 2, &n), STACK_CUT);
	assert_int_equal(n, 2);
	assert_int_equal(walk(&w, PARK, HI - 200, v, 5, &n), STACK_WHOLE);
	assert_int_equal(walk(&w, PARK, HI - 200, v, 0, &n), STACK_CUT);
	assert_int_equal(n, 0);
}

struct hostile {
	const char *what;
	uint64_t pc;
	uint64_t sp;
	size_t frames;		/* before it is given up */
};

/* Behind SP there is always: a frame of main that returns to 0xdead. */
static const struct hostile hostiles[] = {
	{ "SP below the stack", MAIN, LO - 8, 0 },
	{ "SP behind the stack", MAIN, HI, 0 },
	{ "SP far behind it", MAIN, UINT64_MAX - 7, 0 },
	{ "SP that is odd", MAIN, LO + 4, 0 },
	{ "no function", 0xdead, LO, 0 },
	{ "no function at 0", -BIAS, LO, 0 },
	{ "a frame of an odd size", ODD, LO, 0 },
	{ "a frame larger than the stack", HUGE, LO, 0 },
	{ "a frame that ends behind the stack", RECV, HI - 64, 0 },
	{ "a frame that ends at the stack's end", RECV, HI - 72, 1 },
	{ "a return to nowhere", MAIN, LO, 1 },
};

TEST(test_hostile, "places that can't be are not believed")
{
	for (size_t i = 0; i < N(hostiles); i++) {
		const struct hostile *h = &hostiles[i];
		struct world w = { .hole = WORDS };
		struct stack_frame v[8];
		size_t n;

		push(&w, LO, 2, 0xdead);
		if (walk(&w, h->pc, h->sp, v, N(v), &n) != STACK_BROKEN || n != h->frames)
			fail_msg("%s: %zu frames", h->what, n);
	}
}

TEST(test_bounds, "nor are stacks that can't be")
{
	struct world w = { .hole = WORDS };
	struct gostack s = {
		.lo = LO, .hi = HI, .pc = MAIN + BIAS, .sp = LO, .bias = BIAS,
		.read = read_words, .place = place, .ctx = &w,
	};
	struct stack_frame v[2];
	size_t n;

	for (int i = 0; i < 4; i++) {
		s.lo = i == 0 ? HI : i == 1 ? LO + 3 : LO;
		s.hi = i == 2 ? LO : i == 3 ? HI - 1 : HI;
		assert_int_equal(stack_walk(&s, v, N(v), &n), STACK_BROKEN);
		assert_int_equal(n, 0);
	}
	assert_int_equal(w.asked, 0);
}

/* Memory that is all one function's: the stack's end is the walk's. */
TEST(test_endless, "a stack without end ends where its memory does")
{
	struct stack_frame v[WORDS + 1];
	struct world w = { .hole = WORDS };
	size_t n;

	for (size_t i = 0; i < WORDS; i++)
		w.words[i] = ASM + BIAS;
	assert_int_equal(walk(&w, ASM, LO, v, N(v), &n), STACK_BROKEN);
	assert_int_equal(n, WORDS);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(v[i].depth, (WORDS - i) * 8);
	assert_int_equal(w.asked, WORDS);
	for (size_t i = 0; i < WORDS; i++)
		w.words[i] = MAIN + BIAS;
	assert_int_equal(walk(&w, MAIN, LO, v, N(v), &n), STACK_BROKEN);
	assert_int_equal(n, WORDS / 3);
}

/* Unreadable memory ends it, and nothing behind it is reported. */
TEST(test_unreadable, "memory that can't be read")
{
	struct stack_frame v[WORDS];
	struct world w = { .hole = 0 };
	size_t n;

	for (size_t i = 0; i < WORDS; i++)
		w.words[i] = ASM + BIAS;
	assert_int_equal(walk(&w, ASM, LO, v, N(v), &n), STACK_BROKEN);
	assert_int_equal(n, 1);
}

TEST(test_random, "random memory")
{
	struct stack_frame v[WORDS];

	srand(1);
	for (int round = 0; round < 2000; round++) {
		struct world w = { .hole = WORDS - rand() % 2 * (rand() % WORDS), .random = true };
		uint64_t last = HI - LO + 1;
		size_t n;

		for (size_t i = 0; i < WORDS; i++)
			w.words[i] = rand() % 3 ? (uint64_t)rand() << 20 ^ rand() :
						  LO + rand() % WORDS * 8;
		walk(&w, rand(), LO + rand() % WORDS * 8, v, 1 + rand() % WORDS, &n);
		assert_true(n <= WORDS);
		for (size_t i = 0; i < n; i++) {
			assert_true(v[i].depth < last && v[i].depth >= 8 && v[i].depth % 8 == 0);
			last = v[i].depth;
		}
	}
}
