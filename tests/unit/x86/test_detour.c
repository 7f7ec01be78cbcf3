// SPDX-License-Identifier: GPL-2.0
/* Detours: where they are possible, and what their code does, executed by this processor. */
#include "detour.h"

#include <stdlib.h>
#include <string.h>

/* --- where they are possible ---------------------------------------------------------- */

struct find_case {
	const char *name;
	const char *branch;
	const char *cold;
	uint64_t place;
	const char *want;	/* NULL: it is possible */
	uint8_t shape;
	uint8_t cold_len;
};

#define SHORT GP_DETOUR_SHORT
#define NO_CHECK "it is not entered through the branch of a stack check"
#define NO_SPACE "the first instruction of its cold block has no space for a jump"

static const struct find_case cases[] = {
	{ "a long branch", "0f 86 00 01 00 00", "", 0, NULL, GP_DETOUR_LONG },
	{ "a long branch whose last byte is on the next page", "0f 86 00 01 00 00", "", 4096 - 5,
	  NULL, GP_DETOUR_LONG },
	{ "a long branch that would change on two pages", "0f 86 00 01 00 00", "", 4096 - 4,
	  "its stack check is on two pages" },
	{ "a long branch backwards", "0f 86 00 ff ff ff", "", 0, NO_CHECK },
	{ "half of a long branch", "0f 86 00 01 00", "", 0, NO_CHECK },
	{ "another long branch", "0f 84 00 01 00 00", "", 0, NO_CHECK },
	{ "a short branch to a call", "76 20", "e8 10 00 00 00 eb f0", 0, NULL, SHORT, 5 },
	{ "a short branch backwards", "76 f0", "e8 10 00 00 00 eb f0", 0, NO_CHECK },
	{ "a short branch to itself", "76 00", "e8 10 00 00 00 eb f0", 0, NO_CHECK },
	{ "another short branch", "77 20", "e8 10 00 00 00 eb f0", 0, NO_CHECK },
	{ "half of a short branch", "76", "e8 10 00 00 00 eb f0", 0, NO_CHECK },
	{ "half of a call", "76 20", "e8 10 00 00", 0, NO_SPACE },
	{ "mov [rsp+8], rax", "76 20", "48 89 44 24 08 90 90 90 90", 0, NULL, SHORT, 5 },
	{ "mov [rsp+8], r9b", "76 20", "44 88 4c 24 08 90 90 90 90", 0, NULL, SHORT, 5 },
	{ "mov [rsp+256], eax", "76 20", "89 84 24 00 01 00 00 90 90", 0, NULL, SHORT, 7 },
	{ "mov [rsp+256], rax", "76 20", "48 89 84 24 00 01 00 00 90", 0, NULL, SHORT, 8 },
	{ "movsd [rsp+8], xmm0", "76 20", "f2 0f 11 44 24 08 90 90 90", 0, NULL, SHORT, 6 },
	{ "mov [rsp+8], eax has four bytes", "76 20", "89 44 24 08 90 90 90 90 90", 0, NO_SPACE },
	{ "movsd [rsp+256], xmm8 has ten", "76 20", "f2 44 0f 11 84 24 00 01 00", 0, NO_SPACE },
	{ "mov [rax+8], rax", "76 20", "48 89 40 08 90 90 90 90 90", 0, NO_SPACE },
	{ "mov [rsp+rax+8], rax", "76 20", "48 89 44 04 08 90 90 90 90", 0, NO_SPACE },
	{ "mov rax, [rsp+8]", "76 20", "48 8b 44 24 08 90 90 90 90", 0, NO_SPACE },
	{ "lock", "76 20", "f0 48 89 44 24 08 90 90 90", 0, NO_SPACE },
	{ "few bytes to look at", "76 20", "48 89 44 24 08", 0, NO_SPACE },
	{ "the cold block on the next page", "76 20", "e8 10 00 00 00 eb f0", 4096 - 34,
	  "its stack check and its cold block are on different pages" },
	{ "the last byte that changes on the next page", "76 20", "e8 10 00 00 00 eb f0", 4096 - 38,
	  "its stack check and its cold block are on different pages" },
	{ "all on one page", "76 20", "e8 10 00 00 00 eb f0", 4096 - 39, NULL, SHORT, 5 },
};

ROWS(test_find, cases)
{
	const struct find_case *c = *state;
	uint8_t branch[16], cold[16], *heap, *heap_cold;
	size_t n = detour_parse(c->branch, branch), ncold = detour_parse(c->cold, cold);
	struct gp_detour_site site;
	const char *why;

	/* On the heap, so that a read past the end is seen. */
	heap = malloc(n);
	memcpy(heap, branch, n);
	heap_cold = malloc(ncold ? ncold : 1);
	memcpy(heap_cold, cold, ncold);
	why = gp_detour_find(heap, (uint32_t)n, heap_cold, (uint32_t)ncold, c->place, &site);
	if (c->want) {
		assert_non_null(why);
		assert_string_equal(why, c->want);
		assert_int_equal(site.shape, GP_DETOUR_NONE);
	} else {
		assert_null(why);
		assert_int_equal(site.shape, c->shape);
		assert_int_equal(site.cold_len, c->cold_len);
	}
	free(heap);
	free(heap_cold);
}

/* --- what they do --------------------------------------------------------------------- */

/*
 * The function with its detour leaves everything as without; and counts if it goes on and all tests
 * hold.
 */
FORMS(test_execute, 0, DETOUR_SHAPES, "a function does the same with a detour, which counts")
{
	uint64_t hits = detour_counted(0), rejected = detour_counted(1);
	uint64_t passed = 0, failed = 0, lands = 0;

	detour_landed->n = 0;
	for (int round = 0; round < 3000; round++) {
		struct gp_detour_site site = detour_function((size_t)*state);
		struct gp_detour d = detour_of_tests(&site);
		uint64_t regs[16];
		struct detour_left want, got;
		bool pass = true;

		detour_registers(&site, &d);
		memcpy(regs, detour_regs, sizeof(regs));
		want = detour_execute(regs);
		detour_patch(&site, &d);
		got = detour_execute(regs);
		assert_memory_equal(&got, &want, sizeof(got));
		for (uint32_t i = 0; i < d.ntests; i++)
			pass &= detour_test_holds(&d.test[i], regs[d.test[i].reg]);
		assert_int_equal(want.path, !(detour_flags & (DETOUR_CF | DETOUR_ZF)) ? 1 :
				 site.cold_len && site.cold[0] == 0xe8 ? 3 : 2);
		if (want.path == 1) {
			passed += pass && !d.landing;
			lands += pass && d.landing;
			failed += !pass;
		}
		assert_int_equal(detour_counted(0) - hits, passed);
		assert_int_equal(detour_counted(1) - rejected, failed);
		assert_int_equal(detour_landed->n, lands);
	}
	assert_in_range(passed, 500, 2500);
	assert_in_range(lands, 20, 2500);
	assert_in_range(failed, 300, 2500);
}

/* --- what is refused ------------------------------------------------------------------ */

/* Where the tests are in the code, whose numbers may be any. */
static void find_tests(const struct gp_detour_site *site, const struct gp_detour *d, uint32_t len,
		       uint32_t *from, uint32_t *to)
{
	struct gp_detour bare = *d;
	uint8_t code[GP_DETOUR_MAX];
	uint32_t count = d->cpu_shift ? 27 : 13;

	bare.ntests = 0;
	bare.landing = 0;
	bare.hits = bare.rejected;
	*from = gp_detour_emit(site, &bare, code) - count;
	*to = len - count - (d->landing ? 18 : count);
	if (!d->ntests)
		*to = *from;
}

/* Each bit of the code matters, but for the numbers and registers of tests. */
FORMS(test_one_bit, 0, DETOUR_SHAPES, "each bit of a detour is checked")
{
	struct gp_detour_site site = detour_function((size_t)*state);

	for (int round = 0; round < 200; round++) {
		struct gp_detour d = detour_of_tests(&site);
		uint8_t code[GP_DETOUR_MAX];
		uint32_t len = gp_detour_emit(&site, &d, code), from, to;

		find_tests(&site, &d, len, &from, &to);
		for (uint32_t bit = 0; bit < 8 * len; bit++) {
			code[bit / 8] ^= 1U << bit % 8;
			if (gp_detour_check(&site, &d, code, len))
				assert_in_range(bit / 8, from, to - 1);
			code[bit / 8] ^= 1U << bit % 8;
		}
		for (uint32_t n = 0; n < len; n++)
			if (!d.ntests || n != len - (d.cpu_shift ? 27 : 13))
				assert_false(gp_detour_check(&site, &d, code, n));
	}
}

/* Calls that fail a test are counted, whatever is behind it. */
TEST(test_reject, "a test rejects to the counter of rejected calls alone")
{
	struct gp_detour_site site = detour_function(0);

	for (int round = 0; round < 200; round++) {
		struct gp_detour d = detour_of_tests(&site), other;
		uint8_t code[GP_DETOUR_MAX];
		uint32_t len = gp_detour_emit(&site, &d, code), from, to, by;

		if (!d.ntests)
			continue;
		find_tests(&site, &d, len, &from, &to);
		for (by = 0; by < len; by++) {
			memcpy(code + to - 4, &by, 4);
			assert_int_equal(gp_detour_check(&site, &d, code, len),
					 to + by == len - (d.cpu_shift ? 27 : 13));
		}
		by = len - (d.cpu_shift ? 27 : 13) - to;
		memcpy(code + to - 4, &by, 4);
		other = d;
		other.ntests--;
		assert_false(gp_detour_check(&site, &other, code, len));
	}
}

/* A detour that another one is taken for. */
TEST(test_landing, "a detour lands where it should, and each bit of a landing is checked")
{
	struct gp_detour_site site = detour_function(0);
	uint8_t code[GP_DETOUR_MAX], landing[GP_DETOUR_LANDING];
	struct gp_detour d = detour_of_tests(&site), other;
	uint32_t len;

	while (!d.landing)
		d = detour_of_tests(&site);
	len = gp_detour_emit(&site, &d, code);
	assert_true(gp_detour_check(&site, &d, code, len));
	other = d;
	other.landing += 16;
	assert_false(gp_detour_check(&site, &other, code, len));
	other.landing = 0;
	assert_false(gp_detour_check(&site, &other, code, len));
	gp_detour_emit_landing(landing);
	for (uint32_t bit = 0; bit < 8 * sizeof(landing); bit++) {
		landing[bit / 8] ^= 1U << bit % 8;
		assert_false(gp_detour_check_landing(landing));
		landing[bit / 8] ^= 1U << bit % 8;
	}
}

TEST(test_noise, "random bytes are no detour")
{
	struct gp_detour_site site = detour_function(0);
	struct gp_detour d = detour_of_tests(&site);

	for (int round = 0; round < 200000; round++) {
		uint32_t len = 1 + round % 64;
		uint8_t *code = malloc(len);

		for (uint32_t i = 0; i < len; i++)
			code[i] = (uint8_t)detour_random();
		assert_false(gp_detour_check(&site, &d, code, len));
		free(code);
	}
}

TEST(test_reach, "a detour that is out of reach, or tests a register it changes, is not made")
{
	struct gp_detour_site site = detour_function(1);
	uint8_t code[GP_DETOUR_MAX], branch[GP_DETOUR_JUMP], cold[GP_DETOUR_JUMP];
	const struct gp_detour near = {
		.branch = 0x100000000, .code = 0x140000000, .hits = 0x140010000,
		.rejected = 0x140010008,
	};
	struct gp_detour d = near;

	assert_int_not_equal(gp_detour_emit(&site, &d, code), 0);
	assert_true(gp_detour_jumps(&site, &d, branch, cold));
	d.code += 1ULL << 32;
	assert_int_equal(gp_detour_emit(&site, &d, code), 0);
	assert_false(gp_detour_jumps(&site, &d, branch, cold));
	d = near;
	d.hits += 1ULL << 32;
	assert_int_equal(gp_detour_emit(&site, &d, code), 0);
	for (uint8_t reg = 0; reg < 16; reg++) {
		d = near;
		d.ntests = 1;
		d.test[0] = (struct gp_detour_test){ .reg = reg, .want = true };
		assert_int_equal(!gp_detour_emit(&site, &d, code), reg == 12 || reg == 13);
	}
	d = near;
	d.landing = near.code + 0x1000;
	assert_int_equal(gp_detour_emit(&site, &d, code), 0);
	d.ntests = 1;
	assert_int_not_equal(gp_detour_emit(&site, &d, code), 0);
	d.landing += 1ULL << 32;
	assert_int_equal(gp_detour_emit(&site, &d, code), 0);
	d = near;
	d.ntests = GP_DETOUR_TESTS + 1;
	assert_int_equal(gp_detour_emit(&site, &d, code), 0);
	site.shape = GP_DETOUR_NONE;
	assert_int_equal(gp_detour_emit(&site, &near, code), 0);
}
