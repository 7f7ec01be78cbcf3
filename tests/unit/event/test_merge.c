// SPDX-License-Identifier: GPL-2.0
/* Merge of the records of all CPUs in order of time. */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/merge.h"
#include "event/record.h"
#include "rows.h"

#define ALL UINT64_MAX

static void add_sized(struct merge *m, uint32_t cpu, uint64_t time, size_t size)
{
	uint64_t words[64] = { 0 };
	struct goprobe_record h = { .words = size / 8, .time = time, .tid = cpu };

	memcpy(words, &h, sizeof(h));
	assert_int_equal(merge_add(m, cpu, (uint8_t *)words, size), 0);
}

static void add(struct merge *m, uint32_t cpu, uint64_t time)
{
	add_sized(m, cpu, time, sizeof(struct goprobe_record));
}

/* "cpu:time cpu:time ..." of what can be had until @until. */
static const char *take(struct merge *m, uint64_t until)
{
	static char text[4096];
	const uint8_t *p;
	size_t len;

	text[0] = 0;
	while ((p = merge_next(m, until, &len))) {
		struct goprobe_record h;

		memcpy(&h, p, sizeof(h));
		assert_int_equal(len, h.words * 8);
		assert_int_equal((uintptr_t)p % 8, 0);
		sprintf(text + strlen(text), "%s%u:%lu", text[0] ? " " : "", h.tid,
			(unsigned long)h.time);
	}
	return text;
}

struct one {
	uint32_t cpu;
	uint64_t time;
};

static struct row {
	const char *claim;
	struct one in[8];
	uint64_t until;
	const char *out, *rest;
} cases[] = {
	{ "nothing gives nothing", { { 0 } }, ALL, "", "" },
	{ "one CPU keeps its order", { { 0, 1 }, { 0, 2 }, { 0, 3 } }, ALL, "0:1 0:2 0:3", "" },
	{ "two CPUs are merged", { { 0, 1 }, { 0, 4 }, { 1, 2 }, { 1, 3 } }, ALL,
	  "0:1 1:2 1:3 0:4", "" },
	{ "what is younger than the limit waits", { { 0, 1 }, { 0, 5 }, { 1, 3 }, { 1, 4 } }, 3,
	  "0:1 1:3", "1:4 0:5" },
	{ "the limit itself is old enough", { { 0, 3 } }, 3, "0:3", "" },
	{ "of the same age, the lower CPU is first", { { 1, 5 }, { 0, 5 } }, ALL, "0:5 1:5", "" },
	{ "a CPU's order wins over its times", { { 0, 9 }, { 0, 2 }, { 1, 5 } }, ALL,
	  "1:5 0:9 0:2", "" },
	{ "what stands behind a young record waits with it", { { 0, 9 }, { 0, 2 } }, 5, "",
	  "0:9 0:2" },
	{ "CPU numbers may be large", { { 4000, 2 }, { 7, 1 } }, ALL, "7:1 4000:2", "" },
};

ROWS(test_row, cases)
{
	const struct row *row = *state;
	struct merge *m = merge_new();

	for (size_t k = 0; k < N(row->in) && row->in[k].time; k++)
		add(m, row->in[k].cpu, row->in[k].time);
	assert_string_equal(take(m, row->until), row->out);
	assert_string_equal(take(m, ALL), row->rest);
	assert_int_equal(merge_pending(m), 0);
	merge_free(m);
}

TEST(test_passes, "a later pass brings what came before a record held back")
{
	struct merge *m = merge_new();

	add(m, 0, 10);
	add(m, 1, 30);
	assert_string_equal(take(m, 20), "0:10");
	/* The next pass brings what came before the record held back. */
	add(m, 0, 25);
	assert_string_equal(take(m, 40), "0:25 1:30");
	add(m, 1, 50);
	assert_int_equal(merge_pending(m), sizeof(struct goprobe_record));
	assert_string_equal(take(m, 40), "");
	assert_string_equal(take(m, ALL), "1:50");
	merge_free(m);
}

size_t __sanitizer_get_current_allocated_bytes(void);
#pragma weak __sanitizer_get_current_allocated_bytes

/* Bytes of memory in use, with or without AddressSanitizer's allocator. */
static size_t allocated(void)
{
	struct mallinfo2 info;

	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

/* Bytes held at a time, and how much more may be in use for each CPU. */
#define HELD (8U << 20)
#define SLACK (512U << 10)

/* A reader that is slow again and again, for any CPU: what it has seen is given back. */
TEST(test_memory, "memory use stays within the held records, with any late CPU")
{
	enum { CPUS = 8, WORDS = 4096 };
	size_t begin = allocated(), most = 0, len, n = 0, last = 0;
	static uint64_t words[WORDS];
	struct goprobe_record h = { .words = 64 };
	struct merge *m = merge_new();
	uint64_t time = 0;

	for (uint32_t round = 0; round < 3 * CPUS; round++) {
		const uint8_t *p;

		h.tid = round % CPUS;
		while (merge_pending(m) < HELD) {
			for (size_t at = 0; at < WORDS; at += h.words) {
				h.time = ++time;
				memcpy(words + at, &h, sizeof(h));
			}
			assert_int_equal(merge_add(m, h.tid, (uint8_t *)words, sizeof(words)), 0);
		}
		if (allocated() - begin > most)
			most = allocated() - begin;
		/* Some is left, so that no queue is ever as good as new. */
		while ((p = merge_next(m, time - 100, &len))) {
			memcpy(&h, p, sizeof(h));
			assert_int_equal(h.time, ++last);
			n++;
		}
		assert_int_equal(n + 100, time);
	}
	assert_in_range(most, HELD, HELD + CPUS * SLACK);
	merge_free(m);
}

/* More bytes at once than a block holds, before and behind others. */
TEST(test_much_at_once, "what comes at once may be long")
{
	enum { WORDS = 1 << 20, EACH = 128 };
	uint64_t *words = calloc(WORDS, sizeof(*words));
	struct goprobe_record h = { .words = EACH, .tid = 3 };
	struct merge *m = merge_new();
	uint64_t last = 0;
	const uint8_t *p;
	size_t len;

	for (int round = 0; round < 2; round++) {
		add(m, 3, ++h.time);
		if (round)
			assert_non_null(merge_next(m, ALL, &len));
		for (size_t at = 0; at < WORDS; at += EACH) {
			h.time++;
			memcpy(words + at, &h, sizeof(h));
		}
		assert_int_equal(merge_add(m, 3, (uint8_t *)words, WORDS * sizeof(*words)), 0);
		add(m, 3, ++h.time);
		last += round;
		while ((p = merge_next(m, ALL, &len))) {
			struct goprobe_record got;

			memcpy(&got, p, sizeof(got));
			assert_int_equal(got.time, ++last);
		}
		assert_int_equal(last, h.time);
	}
	free(words);
	merge_free(m);
}

TEST(test_sizes, "records differ in size")
{
	struct merge *m = merge_new();

	add_sized(m, 0, 1, 64);
	add_sized(m, 0, 2, 512);
	add_sized(m, 0, 3, 56);
	assert_string_equal(take(m, ALL), "0:1 0:2 0:3");
	merge_free(m);
}

/* Bytes that are no records are dropped and reported; those before them are kept. */
TEST(test_nonsense, "bytes that are no records are dropped and reported")
{
	uint64_t words[32] = { 0 };
	struct goprobe_record h = { .words = sizeof(h) / 8, .time = 1 };
	struct merge *m = merge_new();

	memcpy(words, &h, sizeof(h));
	assert_int_equal(merge_add(m, 0, (uint8_t *)words, 128), 128 - sizeof(h));
	assert_string_equal(take(m, ALL), "0:1");
	h.words = 512;
	memcpy(words, &h, sizeof(h));
	assert_int_equal(merge_add(m, 0, (uint8_t *)words, 128), 128);
	assert_string_equal(take(m, ALL), "");
	assert_int_equal(merge_add(m, 0, (uint8_t *)words, 0), 0);
	merge_free(m);
}

/* Many records of many CPUs, in passes: none lost, none twice, in order. */
TEST(test_many, "of many records none is lost, none comes twice, all are in order")
{
	enum { CPUS = 13, ROUNDS = 200, EACH = 50 };
	uint64_t time[CPUS] = { 0 }, last = 0;
	struct merge *m = merge_new();
	size_t taken = 0, len;
	const uint8_t *p;

	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t least = ALL;

		for (int cpu = 0; cpu < CPUS; cpu++) {
			for (int i = 0; i < EACH; i++)
				add(m, cpu, time[cpu] += 1 + rand() % 10);
			least = time[cpu] < least ? time[cpu] : least;
		}
		while ((p = merge_next(m, round == ROUNDS - 1 ? ALL : least, &len))) {
			struct goprobe_record h;

			memcpy(&h, p, sizeof(h));
			assert_true(h.time >= last);
			last = h.time;
			taken++;
		}
	}
	assert_int_equal(taken, CPUS * ROUNDS * EACH);
	merge_free(m);
}
