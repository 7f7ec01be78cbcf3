// SPDX-License-Identifier: GPL-2.0
/* Detours that time calls: where they are possible, and what this processor executes. */
#include "rows.h"
#include "detour.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the detours of epilogues lie whose POP stays; in no CPU's numbers. */
#define POP_CODE (0x5d000000UL + DETOUR_STRIDE / 2)

enum { RSP = 4, RBP = 5, RDX = 2, R14 = 14, R15 = 15 };

struct exit_case {
	const char *name;
	const char *code;
	uint64_t place;
	const char *want;	/* NULL: it is possible */
	uint8_t shape;
	uint32_t frame;
};

#define NO_EPILOGUE "it ends without an epilogue that a jump can replace"
#define EXIT GP_DETOUR_EXIT
#define EXIT_POP GP_DETOUR_EXIT_POP

static const struct exit_case exits[] = {
	{ "add rsp, 136; pop", "48 81 c4 88 00 00 00 5d c3", 0, NULL, EXIT, 144 },
	{ "add rsp, 64; pop", "48 83 c4 40 5d c3", 0, NULL, EXIT_POP, 72 },
	{ "sub rsp, -128; pop", "48 83 ec 80 5d c3", 0, NULL, EXIT_POP, 136 },
	{ "mov rbp, [rsp+56]; add rsp, 64", "48 8b 6c 24 38 48 83 c4 40 c3", 0, NULL, EXIT, 64 },
	{ "mov rbp, [rsp+128]; add rsp, 136", "48 8b ac 24 80 00 00 00 48 81 c4 88 00 00 00 c3", 0,
	  NULL, EXIT, 136 },
	{ "add rsp, 64; pop; nop", "48 83 c4 40 5d 90 c3", 0, NULL, EXIT_POP, 72 },
	{ "add rsp, 136; pop; two nops", "48 81 c4 88 00 00 00 5d 90 90 c3", 0, NULL, EXIT, 144 },
	{ "mov rbp, [rsp+56]; add rsp, 64; nop", "48 8b 6c 24 38 48 83 c4 40 90 c3", 0, NULL, EXIT,
	  64 },
	{ "the RET behind a NOP is cut off", "48 83 c4 40 5d 90", 0, NO_EPILOGUE },
	{ "nops that are too many", "48 83 c4 40 5d 90 90 90 90 90 90 90 90 90 90 90 c3", 0,
	  NO_EPILOGUE },
	{ "the RET is cut off", "48 83 c4 40 5d", 0, NO_EPILOGUE },
	{ "the POP is cut off", "48 83 c4 40", 0, NO_EPILOGUE },
	{ "no frame", "5d c3", 0, NO_EPILOGUE },
	{ "only a RET", "c3", 0, NO_EPILOGUE },
	{ "another register is popped", "48 83 c4 40 5b c3", 0, NO_EPILOGUE },
	{ "a frame of less than nothing", "48 83 c4 c0 5d c3", 0, NO_EPILOGUE },
	{ "sub rsp, 64", "48 83 ec 40 5d c3", 0, NO_EPILOGUE },
	{ "a jump in place of the RET", "48 83 c4 40 5d eb", 0, NO_EPILOGUE },
	{ "rbp is restored from elsewhere", "48 8b 6c 24 30 48 83 c4 40 c3", 0, NO_EPILOGUE },
	{ "rbp is restored twice", "48 8b 6c 24 38 48 83 c4 40 5d c3", 0, NO_EPILOGUE },
	{ "an epilogue on two pages", "48 83 c4 40 5d c3", 4096 - 4,
	  "an epilogue of it is on two pages" },
	{ "an epilogue whose RET is on the next page", "48 83 c4 40 5d c3", 4096 - 5, NULL,
	  EXIT_POP, 72 },
};

static void test_find_exit(void **state)
{
	const struct exit_case *c = *state;
	uint8_t code[20], *heap;
	size_t n = detour_parse(c->code, code);
	struct gp_detour_site site;
	const char *why;

	heap = malloc(n);
	memcpy(heap, code, n);
	why = gp_detour_find_exit(heap, (uint32_t)n, c->place, &site);
	if (c->want) {
		assert_non_null(why);
		assert_string_equal(why, c->want);
		assert_int_equal(site.shape, GP_DETOUR_NONE);
	} else {
		assert_null(why);
		assert_int_equal(site.shape, c->shape);
		assert_int_equal(site.frame, c->frame);
		assert_int_equal(site.branch_len, n - 1);
	}
	free(heap);
}

/* A runtime.g, the slots, and what a landing finds in R12 and RDX. */
static struct {
	uint64_t lo, hi;
} g;

static struct landed {
	uint64_t n, end, ns;
} *landed;

static struct gp_detour_slot *slots;

static struct gp_detour timed_detour(const struct gp_detour_site *site)
{
	struct gp_detour d = {
		.branch = (uint64_t)(detour_memory + DETOUR_BRANCH),
		.code = (uint64_t)detour_memory +
			(site->shape == EXIT_POP ? POP_CODE : DETOUR_PAGE),
		.slots = (uint64_t)slots,
		.times = (uint64_t)detour_numbers(),
		.rate = 1ULL << 62 | detour_random() >> 2,
		.number = detour_random() % 512,
		.id = (uint32_t)detour_random(),
		.stack_hi = 8,
		.per_cpu = true,
	};

	d.landing = d.code + DETOUR_LANDING;
	return d;
}

/* A landing whose breakpoint leaves a note. */
static void make_landing(const struct gp_detour *d)
{
	uint8_t code[] = {
		0xf0, 0x48, 0xff, 0x05, 0, 0, 0, 0,	/* lock incq landed->n */
		0x4c, 0x89, 0x25, 0, 0, 0, 0,		/* mov %r12,landed->end */
		0x48, 0x89, 0x15, 0, 0, 0, 0,		/* mov %rdx,landed->ns */
	};
	static const uint8_t ends[] = { 8, 15, 22 };
	uint8_t *at = (uint8_t *)d->landing;

	for (uint32_t i = 0; i < N(ends); i++) {
		int32_t by = (int32_t)((uint8_t *)landed + 8 * i - (at + ends[i]));

		memcpy(code + ends[i] - 4, &by, sizeof(by));
	}
	memcpy(at, code, sizeof(code));
	gp_detour_emit_landing(at + sizeof(code));
}

static void patch(const struct gp_detour_site *site, const struct gp_detour *d)
{
	detour_patch(site, d);
	make_landing(d);
}

static uint64_t ticks(void)
{
	uint32_t low, high;

	asm volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high));
	return low | (uint64_t)high << 32;
}

/* Registers of a call; the stack has a frame of any size that ends at detour_next. */
static void set_registers(const struct gp_detour_site *site)
{
	detour_registers();
	detour_flags = detour_random() % 4 ? 0x202 : 0x202 | DETOUR_CF;
	detour_regs[R14] = (uint64_t)&g;
	for (size_t i = 0; i < N(detour_stack); i++)
		detour_stack[i] = detour_random();
	if (site->frame)
		detour_stack[site->frame / 8] = (uint64_t)detour_next;
}

/* What a function at its entry, or at its end, may lose. */
static void forget(struct detour_left *l, bool at_end)
{
	l->regs[R15] = 0;
	if (at_end)
		l->regs[RDX] = 0;
}

/* The depth of a call that has left @l. */
static uint64_t depth_of(const struct gp_detour_site *site, const struct detour_left *l)
{
	return g.hi - (l->regs[RSP] + site->frame);
}

/*
 * A call opens in its slot and goes on as without a detour; where the slot is taken it lands and
 * leaves the slot alone.
 */
static void test_open(void **state)
{
	uint64_t lands = 0, opens = 0;

	if (!detour_has_rdpid || !detour_has_bmi2)
		skip();
	for (int round = 0; round < 3000; round++) {
		struct gp_detour_site site = detour_function(*state);
		struct gp_detour d = timed_detour(&site);
		bool taken = detour_random() & 1;
		struct gp_detour_slot *slot, before;
		uint64_t regs[16], depth, from, to;
		struct detour_left want, got;

		set_registers(&site);
		g.hi = (uint64_t)&lands + (detour_random() & 0x3ffffff8);
		memcpy(regs, detour_regs, sizeof(regs));
		want = detour_execute(regs);
		depth = depth_of(&site, &want);
		forget(&want, false);
		slot = &slots[gp_detour_slot_of((uint64_t)&g, depth)];
		memset(slots, 0, GP_DETOUR_SLOTS * sizeof(*slots));
		if (taken)
			*slot = (struct gp_detour_slot){ detour_random() | 1, 2, 3, 4, 5 };
		before = *slot;
		landed->n = 0;
		patch(&site, &d);
		from = ticks();
		got = detour_execute(regs);
		to = ticks();
		forget(&got, false);
		assert_memory_equal(&got, &want, sizeof(got));
		if (want.path != 1 || taken) {
			assert_memory_equal(slot, &before, sizeof(before));
			assert_int_equal(landed->n, want.path == 1);
			lands += landed->n;
			continue;
		}
		opens++;
		assert_int_equal(landed->n, 0);
		assert_int_equal(slot->g, (uint64_t)&g);
		assert_int_equal(slot->depth, (uint32_t)depth);
		assert_int_equal(slot->id, d.id);
		assert_in_range(slot->began, from, to);
		memset(slot, 0, sizeof(*slot));
		for (uint32_t i = 0; i < GP_DETOUR_SLOTS; i++)
			assert_int_equal(slots[i].g | slots[i].began | slots[i].depth, 0);
	}
	assert_in_range(lands, 500, 2500);
	assert_in_range(opens, 500, 2500);
}

/* The bucket of a duration: see GOPROBE_BUCKETS. */
static uint32_t bucket_of(uint64_t ns)
{
	uint32_t top = 63 - (uint32_t)__builtin_clzll(ns | 1);

	return ns < 4 ? (uint32_t)ns : 4 * (top - 1) + (ns >> (top - 2) & 3);
}

static uint64_t ns_of(uint64_t passed, uint64_t rate)
{
	return (uint64_t)((__uint128_t)(2 * passed) * rate >> 64);
}

/* What the one CPU that has closed a call has added; all is 0 afterwards but for min and max. */
static struct gp_detour_times take_times(void)
{
	struct gp_detour_times sum = { .sum = 0 }, *its;

	for (size_t cpu = 0; cpu < 256; cpu++) {
		its = (struct gp_detour_times *)(detour_numbers() + cpu * DETOUR_STRIDE);
		for (uint32_t i = 0; i < N(sum.bucket); i++)
			sum.bucket[i] += its->bucket[i];
		sum.sum += its->sum;
		memset(its, 0, offsetof(struct gp_detour_times, min));
	}
	return sum;
}

static void set_limits(uint64_t min, uint64_t max)
{
	for (size_t cpu = 0; cpu < 256; cpu++) {
		struct gp_detour_times *its = (void *)(detour_numbers() + cpu * DETOUR_STRIDE);

		its->min = min;
		its->max = max;
	}
}

/*
 * A call that its slot has ends there, and adds its duration; others, and those that are longer or
 * shorter than all before, or end before they begin, land.
 */
static void test_close(void **state)
{
	const struct exit_case *c = *state;
	uint64_t ends = 0, unknown = 0, extreme = 0;

	if (!detour_has_rdpid || !detour_has_bmi2)
		skip();
	take_times();
	for (int round = 0; round < 1000; round++) {
		uint64_t regs[16], depth, from, to, other = detour_random() % 7;
		struct gp_detour_slot *slot, before;
		struct gp_detour_times times;
		struct gp_detour_site site;
		struct detour_left want, got;
		struct gp_detour d;
		size_t n = detour_parse(c->code, detour_memory + DETOUR_BRANCH);
		uint64_t before_now = detour_random() >> (30 + detour_random() % 26);
		uint32_t buckets = 0;

		assert_null(gp_detour_find_exit(detour_memory + DETOUR_BRANCH, (uint32_t)n, 0,
						&site));
		d = timed_detour(&site);
		set_registers(&site);
		g.hi = (uint64_t)&ends + (detour_random() & 0x3ffffff8);
		memcpy(regs, detour_regs, sizeof(regs));
		want = detour_execute(regs);
		depth = depth_of(&site, &want);
		forget(&want, true);
		assert_int_equal(want.path, 1);
		memset(slots, 0, GP_DETOUR_SLOTS * sizeof(*slots));
		slot = &slots[gp_detour_slot_of((uint64_t)&g, depth)];
		from = ticks();
		*slot = (struct gp_detour_slot){
			.g = (uint64_t)&g + (other == 0 ? 512 : 0),
			.depth = (uint32_t)depth + (other == 1 ? 8 : 0),
			.id = d.id + (other == 6), .began = from - before_now,
		};
		/* As if the CPU where it began were ahead. */
		if (other == 5)
			slot->began = from + before_now + (1ULL << 33);
		before = *slot;
		set_limits(other == 2 ? UINT64_MAX : 4,
			   other == 3 ? 4 : other == 5 ? 1ULL << 50 : UINT64_MAX);
		landed->n = 0;
		patch(&site, &d);
		got = detour_execute(regs);
		to = ticks();
		forget(&got, true);
		assert_memory_equal(&got, &want, sizeof(got));
		times = take_times();
		for (uint32_t i = 0; i < N(times.bucket); i++)
			buckets += (uint32_t)times.bucket[i];
		if (other < 2 || other == 6) {
			unknown++;
			assert_memory_equal(slot, &before, sizeof(before));
			assert_int_equal(landed->end, 2 * d.number + GP_DETOUR_END_UNKNOWN);
		} else {
			assert_int_equal(slot->g, 0);
		}
		assert_int_equal(landed->n, other != 4);
		assert_int_equal(buckets, other == 4);
		if (other == 2 || other == 3 || other == 5) {
			extreme++;
			assert_int_equal(landed->end, 2 * d.number + GP_DETOUR_END_EXTREME);
			times.sum = gp_detour_ns(landed->ns, d.rate);
		} else if (other == 4) {
			ends++;
			assert_int_equal(times.bucket[bucket_of(times.sum)], 1);
		}
		if (other == 5)
			assert_int_equal(times.sum, 0);
		else if (other >= 2 && other < 5)
			assert_in_range(times.sum, ns_of(before_now, d.rate),
					ns_of(before_now + to - from, d.rate));
	}
	assert_in_range(ends, 70, 400);
	assert_in_range(unknown, 200, 700);
	assert_in_range(extreme, 200, 700);
}

/* Numbers of a detour that are in its code: at entries the first six, at ends all. */
static const size_t numbers_of[] = {
	offsetof(struct gp_detour, id), offsetof(struct gp_detour, number),
	offsetof(struct gp_detour, slots),
	offsetof(struct gp_detour, landing), offsetof(struct gp_detour, stack_hi),
	offsetof(struct gp_detour, branch), offsetof(struct gp_detour, times),
	offsetof(struct gp_detour, rate),
};

/* Each bit of a detour that times is checked, and each number that it has. */
static void test_timed_bits(void **state)
{
	uint8_t code[GP_DETOUR_MAX];

	(void)state;
	for (size_t i = 0; i < DETOUR_SHAPES + N(exits); i++) {
		const struct exit_case *c = i < DETOUR_SHAPES ? NULL : &exits[i - DETOUR_SHAPES];
		struct gp_detour_site site;
		struct gp_detour d, other;
		uint32_t len;

		if (c && c->want)
			continue;
		if (!c)
			site = detour_function(&detour_shapes[i]);
		else
			gp_detour_find_exit(code, (uint32_t)detour_parse(c->code, code), 0, &site);
		d = timed_detour(&site);
		len = gp_detour_emit(&site, &d, code);
		assert_int_not_equal(len, 0);
		assert_true(gp_detour_check(&site, &d, code, len));
		for (uint32_t bit = 0; bit < 8 * len; bit++) {
			code[bit / 8] ^= 1U << bit % 8;
			assert_false(gp_detour_check(&site, &d, code, len));
			code[bit / 8] ^= 1U << bit % 8;
		}
		for (uint32_t n = 0; n < len; n++)
			assert_false(gp_detour_check(&site, &d, code, n));
		for (size_t n = 0; n < N(numbers_of); n++) {
			if (!c && n > 5)
				break;
			other = d;
			((uint8_t *)&other)[numbers_of[n]] ^= 8;
			assert_false(gp_detour_check(&site, &other, code, len));
		}
		other = d;
		other.slots = 0;
		assert_false(gp_detour_check(&site, &other, code, len));
		other = d;
		other.landing = 0;
		assert_int_equal(gp_detour_emit(&site, &other, code), 0);
		other = d;
		other.per_cpu = false;
		assert_int_equal(gp_detour_emit(&site, &other, code), 0);
		other = d;
		other.ntests = 1;
		assert_int_equal(gp_detour_emit(&site, &other, code), 0);
		other = d;
		other.slots += 1ULL << 32;
		assert_int_equal(gp_detour_emit(&site, &other, code), 0);
	}
}

/* A jump whose last byte is the POP leads to where that says, and nowhere else. */
static void test_pop_stays(void **state)
{
	uint8_t code[16], branch[GP_DETOUR_JUMP], cold[GP_DETOUR_JUMP];
	uint32_t n = (uint32_t)detour_parse("48 83 c4 40 5d c3", code);
	struct gp_detour_site site;
	struct gp_detour d;

	(void)state;
	assert_null(gp_detour_find_exit(code, n, 0, &site));
	d = timed_detour(&site);
	d.code = d.branch + 5 + 0x5d000000;
	assert_true(gp_detour_jumps(&site, &d, branch, cold));
	assert_int_equal(branch[0], 0xe9);
	assert_int_equal(branch[4], 0x5d);
	d.code--;
	assert_false(gp_detour_jumps(&site, &d, branch, cold));
	d.code = d.branch + 5 + 0x5dffffff;
	assert_true(gp_detour_jumps(&site, &d, branch, cold));
	d.code++;
	assert_false(gp_detour_jumps(&site, &d, branch, cold));
}

/* No two calls that can be open at the same time are taken for each other, wherever g lies. */
static void test_slots(void **state)
{
	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t a = detour_random() & 0x7ffffffffff8, depth = detour_random() & 0x3ffffff8;
		uint64_t deeper = depth + 8 + detour_random() % 500 * 8;
		uint32_t slot = gp_detour_slot_of(a, depth);

		assert_in_range(slot, 0, GP_DETOUR_SLOTS - 1);
		/* Calls of a goroutine that are near each other have slots of their own. */
		assert_int_not_equal(slot, gp_detour_slot_of(a, deeper));
	}
}

static int set_up(void **state)
{
	if (detour_set_up(state))
		return -1;
	slots = (struct gp_detour_slot *)(detour_memory + DETOUR_STRIDE / 4);
	landed = (struct landed *)(detour_memory + DETOUR_STRIDE / 2);
	return 0;
}

#define SINGLE 3

int main(void)
{
	struct CMUnitTest tests[SINGLE + 2 * N(exits) + DETOUR_SHAPES] = {
		{ "each bit of a detour is checked, and each of its numbers", test_timed_bits },
		{ "a jump that keeps a POP as its last byte leads there alone", test_pop_stays },
		{ "open calls of a goroutine have slots of their own", test_slots },
	};
	struct CMUnitTest *t = tests + SINGLE + N(exits);
	static char names[DETOUR_SHAPES + N(exits)][100];
	size_t n = 0;

	ROWS(tests + SINGLE, exits, test_find_exit);
	for (size_t i = 0; i < DETOUR_SHAPES; i++) {
		sprintf(names[n], "%s: a call opens in its slot, or lands", detour_shapes[i].name);
		*t++ = (struct CMUnitTest){ names[n++], test_open, NULL, NULL,
					    (void *)&detour_shapes[i] };
	}
	for (size_t i = 0; i < N(exits); i++) {
		if (exits[i].want)
			continue;
		sprintf(names[n], "%s: a call ends and adds its duration, or lands", exits[i].name);
		*t++ = (struct CMUnitTest){ names[n++], test_close, NULL, NULL, (void *)&exits[i] };
	}
	return _cmocka_run_group_tests("detour_timed", tests, (size_t)(t - tests), set_up, NULL);
}
