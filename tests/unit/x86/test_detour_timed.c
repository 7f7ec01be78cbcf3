// SPDX-License-Identifier: GPL-2.0
/* Detours that time calls: where they are possible, and what this processor executes. */
#include "detour.h"

#include <stdlib.h>
#include <string.h>

ROWS(test_find_exit, detour_exits)
{
	const struct detour_exit *c = *state;
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

static struct gp_detour_slot *slots;

static struct gp_detour timed_detour(const struct gp_detour_site *site)
{
	struct gp_detour d = detour_at(site);

	d.slots = (uint64_t)slots;
	d.times = (uint64_t)detour_numbers(0);
	d.rate = 1ULL << 62 | detour_random() >> 2;
	d.id = (uint32_t)detour_random();
	return d;
}

/* What a function at its entry, or at its end, may lose. */
static void forget(struct detour_left *l, bool at_end)
{
	l->regs[DETOUR_R15] = 0;
	if (at_end)
		l->regs[DETOUR_RDX] = 0;
}

/*
 * A call opens in its slot and goes on as without a detour; where the slot is taken it lands and
 * leaves the slot alone.
 */
FORMS(test_open, 0, DETOUR_SHAPES, "a call opens in its slot, or lands")
{
	uint64_t lands = 0, opens = 0;

	if (!detour_has_rdpid || !detour_has_bmi2)
		skip();
	for (int round = 0; round < 3000; round++) {
		struct gp_detour_site site = detour_function((size_t)*state);
		struct gp_detour d = timed_detour(&site);
		bool taken = detour_random() & 1;
		struct gp_detour_slot *slot, before;
		uint64_t regs[16], depth, from, to;
		struct detour_left want, got;

		detour_registers(&site, &d);
		memcpy(regs, detour_regs, sizeof(regs));
		want = detour_execute(regs);
		depth = detour_depth(&site, &want);
		forget(&want, false);
		slot = &slots[gp_detour_slot_of((uint64_t)&detour_g, depth)];
		memset(slots, 0, GP_DETOUR_SLOTS * sizeof(*slots));
		if (taken)
			*slot = (struct gp_detour_slot){ detour_random() | 1, 2, 3, 4, 5 };
		before = *slot;
		detour_landed->n = 0;
		detour_patch(&site, &d);
		from = detour_ticks();
		got = detour_execute(regs);
		to = detour_ticks();
		forget(&got, false);
		assert_memory_equal(&got, &want, sizeof(got));
		if (want.path != 1 || taken) {
			assert_memory_equal(slot, &before, sizeof(before));
			assert_int_equal(detour_landed->n, want.path == 1);
			lands += detour_landed->n;
			continue;
		}
		opens++;
		assert_int_equal(detour_landed->n, 0);
		assert_int_equal(slot->g, (uint64_t)&detour_g);
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

	for (long place = 0; place < detour_nplaces; place++) {
		its = (struct gp_detour_times *)detour_numbers(place);
		for (uint32_t i = 0; i < N(sum.bucket); i++)
			sum.bucket[i] += its->bucket[i];
		sum.sum += its->sum;
		memset(its, 0, offsetof(struct gp_detour_times, min));
	}
	return sum;
}

static void set_limits(uint64_t min, uint64_t max)
{
	for (long place = 0; place < detour_nplaces; place++) {
		struct gp_detour_times *its = (void *)detour_numbers(place);

		its->min = min;
		its->max = max;
	}
}

/*
 * A call that its slot has ends there, and adds its duration, also one of 0 ns; others, and those
 * that are longer or shorter than all before, or end before they begin, land.
 */
FORMS(test_close, DETOUR_SHAPES, DETOUR_FORMS, "a call ends and adds its duration, or lands")
{
	uint64_t ends = 0, unknown = 0, extreme = 0, shortest = 0;

	if (!detour_has_rdpid || !detour_has_bmi2)
		skip();
	take_times();
	for (int round = 0; round < 1000; round++) {
		uint64_t regs[16], depth, from, to, other = detour_random() % 7;
		struct gp_detour_slot *slot, before;
		struct gp_detour_times times;
		struct gp_detour_site site = detour_function((size_t)*state);
		struct gp_detour d = timed_detour(&site);
		struct detour_left want, got;
		uint64_t before_now = detour_random() >> (34 + detour_random() % 26);
		uint32_t buckets = 0;

		/* A tick is so much shorter: a patch takes some us, and more under load. */
		d.rate >>= detour_random() % 24;
		detour_registers(&site, &d);
		memcpy(regs, detour_regs, sizeof(regs));
		want = detour_execute(regs);
		depth = detour_depth(&site, &want);
		forget(&want, true);
		assert_int_equal(want.path, 1);
		memset(slots, 0, GP_DETOUR_SLOTS * sizeof(*slots));
		slot = &slots[gp_detour_slot_of((uint64_t)&detour_g, depth)];
		from = detour_ticks();
		*slot = (struct gp_detour_slot){
			.g = (uint64_t)&detour_g + (other == 0 ? 512 : 0),
			.depth = (uint32_t)depth + (other == 1 ? 8 : 0),
			.id = d.id + (other == 6), .began = from - before_now,
		};
		/* As if the CPU where it began were ahead. */
		if (other == 5)
			slot->began = from + before_now + (1ULL << 33);
		before = *slot;
		set_limits(other == 2 ? UINT64_MAX : 0,
			   other == 3 ? 0 : GP_DETOUR_LONGEST);
		detour_landed->n = 0;
		detour_patch(&site, &d);
		got = detour_execute(regs);
		to = detour_ticks();
		forget(&got, true);
		assert_memory_equal(&got, &want, sizeof(got));
		times = take_times();
		for (uint32_t i = 0; i < N(times.bucket); i++)
			buckets += (uint32_t)times.bucket[i];
		if (other < 2 || other == 6) {
			unknown++;
			assert_memory_equal(slot, &before, sizeof(before));
			assert_int_equal(detour_landed->end, 2 * d.number + GP_DETOUR_END_UNKNOWN);
		} else {
			assert_int_equal(slot->g, 0);
		}
		/* One that takes 0 ns is not longer than all of 0 ns. */
		if (other == 3 && !detour_landed->n)
			other = 4;
		assert_int_equal(detour_landed->n, other != 4);
		assert_int_equal(buckets, other == 4);
		if (other == 2 || other == 3 || other == 5) {
			extreme++;
			assert_int_equal(detour_landed->end, 2 * d.number + GP_DETOUR_END_EXTREME);
			times.sum = gp_detour_ns(detour_landed->ns, d.rate);
		} else if (other == 4) {
			ends++;
			shortest += times.sum < 4;
			assert_int_equal(times.bucket[bucket_of(times.sum)], 1);
		}
		if (other == 5)
			assert_int_equal(times.sum, 0);
		else if (other >= 2 && other < 5)
			assert_in_range(times.sum, ns_of(before_now, d.rate),
					ns_of(before_now + to - from, d.rate));
	}
	assert_in_range(ends, 70, 400);
	assert_in_range(shortest, 10, 400);
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
TEST(test_timed_bits, "each bit of a detour is checked, and each of its numbers")
{
	uint8_t code[GP_DETOUR_MAX];

	for (size_t form = 0; form < DETOUR_FORMS; form++) {
		struct gp_detour_site site = detour_function(form);
		struct gp_detour d, other;
		uint32_t len;

		if (site.shape == GP_DETOUR_NONE)
			continue;
		d = timed_detour(&site);
		len = detour_exact(&site, &d, code);
		for (size_t n = 0; n < (site.frame ? N(numbers_of) : 6); n++)
			detour_matters(&site, &d, code, len, numbers_of[n]);
		other = d;
		other.slots = 0;
		assert_false(gp_detour_check(&site, &other, code, len));
		DETOUR_NOT_MADE(&site, &d, landing, 0);
		DETOUR_NOT_MADE(&site, &d, cpu_shift, 0);
		DETOUR_NOT_MADE(&site, &d, cpu_shift, GP_DETOUR_CPU_SHIFT_MIN - 1);
		DETOUR_NOT_MADE(&site, &d, cpu_shift, GP_DETOUR_CPU_SHIFT_MAX + 1);
		DETOUR_NOT_MADE(&site, &d, ntests, 1);
		DETOUR_NOT_MADE(&site, &d, slots, d.slots + (1ULL << 32));
	}
}

/* A jump whose last byte is the POP leads to where that says, and nowhere else. */
TEST(test_pop_stays, "a jump that keeps a POP as its last byte leads there alone")
{
	uint8_t code[16], branch[GP_DETOUR_JUMP], cold[GP_DETOUR_JUMP];
	uint32_t n = (uint32_t)detour_parse("48 83 c4 40 5d c3", code);
	struct gp_detour_site site;
	struct gp_detour d;

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
TEST(test_slots, "open calls of a goroutine have slots of their own")
{
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
	(void)state;
	slots = (struct gp_detour_slot *)(detour_memory + DETOUR_STRIDE / 4);
	return 0;
}

AROUND_ALL(set_up, NULL)
