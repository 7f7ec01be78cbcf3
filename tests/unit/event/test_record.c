// SPDX-License-Identifier: GPL-2.0
/* Decoding of records: no bytes outside of a record are read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/record.h"
#include "rows.h"

#define PLAN_SMALL	0	/* a frame of 12 bytes */
#define PLAN_EMPTY	1	/* a frame of 0 bytes */
#define PLAN_UNKNOWN	2

static int64_t frame_size(void *ctx, uint32_t plan)
{
	(void)ctx;
	return plan == PLAN_SMALL ? 12 : plan == PLAN_EMPTY ? 0 : -1;
}

/* A record under construction. */
struct bytes {
	uint64_t words[32768];
	size_t len;
};

static void add(struct bytes *b, const void *p, size_t len)
{
	memcpy((uint8_t *)b->words + b->len, p, len);
	b->len += len;
}

static void add_header(struct bytes *b, uint16_t kind, uint32_t plan)
{
	struct goprobe_record h = {
		.kind = kind, .id = 7, .plan = plan, .tgid = 1, .tid = 2, .time = 3, .goid = 4,
	};

	b->len = 0;
	add(b, &h, sizeof(h));
}

static void add_chunk(struct bytes *b, uint64_t address, uint32_t type, uint16_t size)
{
	static const uint8_t content[65536];
	struct goprobe_chunk c = { .address = address, .type = type, .size = size };

	add(b, &c, sizeof(c));
	add(b, content, (size + 7) & ~7);
}

static void set_words(struct bytes *b, uint16_t words)
{
	memcpy(b->words, &words, sizeof(words));
}

static void set_size(struct bytes *b, size_t size)
{
	set_words(b, size / 8);
}

static struct bytes bytes;
static struct record record;

static void small_call(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_CALL, PLAN_SMALL);
	add(b, "0123456789ab\0\0\0", 16);
	add_chunk(b, 0x1000, GOPROBE_TYPE_BYTES, 5);
	add_chunk(b, 0x2000, 3, 16);
}

static void empty_return(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_RETURN, PLAN_EMPTY);
}

static void no_plan(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_CALL, GOPROBE_NO_PLAN);
}

static void no_plan_values(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_CALL, GOPROBE_NO_PLAN);
	add(b, "12345678", 8);
}

static void tail(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_TAIL, GOPROBE_NO_PLAN);
}

static void tail_values(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_TAIL, GOPROBE_NO_PLAN);
	add(b, "12345678", 8);
}

static void lost(struct bytes *b)
{
	struct goprobe_lost l = { .cpu = 3, .cause = GOPROBE_LOST_RING_FULL, .count = 12 };

	add_header(b, GOPROBE_RECORD_LOST, GOPROBE_NO_PLAN);
	add(b, &l, sizeof(l));
}

static void lost_short(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_LOST, GOPROBE_NO_PLAN);
	add(b, "12345678", 8);
}

static void kind_0(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_UNSPEC, GOPROBE_NO_PLAN);
}

static void kind_99(struct bytes *b)
{
	add_header(b, 99, GOPROBE_NO_PLAN);
}

static void unknown_plan(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_CALL, PLAN_UNKNOWN);
	add(b, "12345678", 8);
}

static void frame_cut(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_CALL, PLAN_SMALL);
	add(b, "12345678", 8);
}

static void chunk_header_cut(struct bytes *b)
{
	small_call(b);
	add(b, "12345678", 8);
}

static void chunk_too_long(struct bytes *b)
{
	struct goprobe_chunk c = { .address = 1, .size = 9 };

	small_call(b);
	add(b, &c, sizeof(c));
	add(b, "12345678", 8);
}

static void chunk_longest(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_CALL, PLAN_EMPTY);
	add_chunk(b, 1, 0, UINT16_MAX);
}

static void chunks_most(struct bytes *b)
{
	add_header(b, GOPROBE_RECORD_CALL, PLAN_EMPTY);
	for (int i = 0; i < RECORD_CHUNKS_MAX; i++)
		add_chunk(b, i, 0, 0);
}

static void chunks_too_many(struct bytes *b)
{
	chunks_most(b);
	add_chunk(b, 1, 0, 0);
}

/* A call that was made @ago before its record, which has time 3; @plan: with a frame. */
static void add_held(struct bytes *b, uint16_t kind, uint32_t plan, uint64_t ago)
{
	uint16_t flags = GOPROBE_RECORD_F_PENDING;

	add_header(b, kind, plan);
	memcpy((uint8_t *)b->words + offsetof(struct goprobe_record, flags), &flags,
	       sizeof(flags));
	add(b, &ago, sizeof(ago));
}

static void held(struct bytes *b)
{
	add_held(b, GOPROBE_RECORD_CALL, PLAN_SMALL, 2);
	add(b, "0123456789ab\0\0\0", 16);
	add_chunk(b, 0x1000, GOPROBE_TYPE_BYTES, 5);
}

static void held_no_plan(struct bytes *b)
{
	add_held(b, GOPROBE_RECORD_CALL, GOPROBE_NO_PLAN, 2);
}

static void held_early(struct bytes *b)
{
	add_held(b, GOPROBE_RECORD_CALL, GOPROBE_NO_PLAN, 4);
}

static void held_return(struct bytes *b)
{
	add_held(b, GOPROBE_RECORD_RETURN, GOPROBE_NO_PLAN, 2);
}

static void held_frame_cut(struct bytes *b)
{
	add_held(b, GOPROBE_RECORD_CALL, PLAN_SMALL, 2);
	add(b, "12345678", 8);
}

static void held_cut(struct bytes *b)
{
	held_no_plan(b);
	b->len -= 8;
}

/* The end of a call, and @n numbers before its frame. */
static void add_split(struct bytes *b, uint8_t kind, uint32_t plan, size_t n, uint64_t each)
{
	add_header(b, kind, plan);
	((uint8_t *)b->words)[offsetof(struct goprobe_record, flags)] = GOPROBE_RECORD_F_SPLIT;
	while (n--)
		add(b, &each, sizeof(each));
}

static void split(struct bytes *b)
{
	add_split(b, GOPROBE_RECORD_RETURN, PLAN_SMALL, __GOSTATES_MAX, 7);
	add(b, "0123456789ab\0\0\0", 16);
	add_chunk(b, 0x1000, GOPROBE_TYPE_BYTES, 5);
}

static void split_tail(struct bytes *b)
{
	add_split(b, GOPROBE_RECORD_TAIL, GOPROBE_NO_PLAN, __GOSTATES_MAX, 7);
}

static void split_cut(struct bytes *b)
{
	add_split(b, GOPROBE_RECORD_RETURN, GOPROBE_NO_PLAN, __GOSTATES_MAX - 1, 7);
}

static void split_more(struct bytes *b)
{
	add_split(b, GOPROBE_RECORD_RETURN, GOPROBE_NO_PLAN, __GOSTATES_MAX + 1, 7);
}

static void split_call(struct bytes *b)
{
	add_split(b, GOPROBE_RECORD_CALL, GOPROBE_NO_PLAN, __GOSTATES_MAX, 7);
}

static void split_too_long(struct bytes *b)
{
	add_split(b, GOPROBE_RECORD_RETURN, GOPROBE_NO_PLAN, __GOSTATES_MAX, 1ULL << 62);
}

static void split_frame_cut(struct bytes *b)
{
	add_split(b, GOPROBE_RECORD_RETURN, PLAN_SMALL, __GOSTATES_MAX, 7);
	add(b, "12345678", 8);
}

struct row {
	const char *claim;
	void (*make)(struct bytes *b);
	const char *why;	/* NULL: well-formed */
	size_t frame, chunks;
};

static struct row cases[] = {
	{ "a call with a frame and two chunks", small_call, NULL, 12, 2 },
	{ "a call that was held", held, NULL, 12, 1 },
	{ "a call without a plan that was held", held_no_plan, NULL, 0, 0 },
	{ "a call from before time began", held_early, "impossible time of a call", 0, 0 },
	{ "a return that was held", held_return, "what was held is no call", 0, 0 },
	{ "a frame that is cut off behind a time", held_frame_cut, "frame is cut off", 0, 0 },
	{ "a held call without its time", held_cut, "the time of a call is cut off", 0, 0 },
	{ "a return whose time is divided", split, NULL, 12, 1 },
	{ "a tail jump whose time is", split_tail, NULL, 0, 0 },
	{ "less states than there are", split_cut, "the times of a call are cut off", 0, 0 },
	{ "more states than there are", split_more, "values without a plan", 0, 0 },
	{ "a call whose time is divided", split_call,
	  "what has its time divided is no end of a call", 0, 0 },
	{ "more time than there is", split_too_long, "impossible times of a call", 0, 0 },
	{ "a frame that is cut off behind times", split_frame_cut, "frame is cut off", 0, 0 },
	{ "a return with an empty frame", empty_return, NULL, 0, 0 },
	{ "a call without a plan", no_plan, NULL, 0, 0 },
	{ "a call without a plan has no values", no_plan_values, "values without a plan", 0, 0 },
	{ "a tail jump", tail, NULL, 0, 0 },
	{ "a tail jump has no values", tail_values, "a jump with values", 0, 0 },
	{ "a loss", lost, NULL, 0, 0 },
	{ "a loss of another size", lost_short, "impossible size of a loss", 0, 0 },
	{ "no kind", kind_0, "unknown kind of record", 0, 0 },
	{ "a kind from the future", kind_99, "unknown kind of record", 0, 0 },
	{ "a plan that was never made", unknown_plan, "unknown plan", 0, 0 },
	{ "a frame longer than its record", frame_cut, "frame is cut off", 0, 0 },
	{ "half a chunk header", chunk_header_cut, "chunk header is cut off", 0, 0 },
	{ "a chunk longer than its record", chunk_too_long, "chunk is longer than its record",
	  0, 0 },
	{ "the longest chunk", chunk_longest, NULL, 0, 1 },
	{ "as many chunks as fit", chunks_most, NULL, 0, RECORD_CHUNKS_MAX },
	{ "one chunk more", chunks_too_many, "too many chunks", 0, 0 },
};

ROWS(test_row, cases)
{
	const struct row *row = *state;
	const char *why = NULL;

	row->make(&bytes);
	set_size(&bytes, bytes.len);

	int64_t size = record_decode((uint8_t *)bytes.words, bytes.len, frame_size, NULL,
				     &record, &why);

	if (row->why) {
		assert_int_equal(size, -1);
		assert_string_equal(why, row->why);
		return;
	}
	assert_int_equal(size, bytes.len);
	assert_int_equal(record.frame_size, row->frame);
	assert_int_equal(record.nchunks, row->chunks);
	assert_int_equal(record.is_split, !!(record.h.flags & GOPROBE_RECORD_F_SPLIT));
	for (int i = 0; record.is_split && i < __GOSTATES_MAX; i++)
		assert_int_equal(record.split[i], 7);
	assert_int_equal(record.h.time, record.h.flags & GOPROBE_RECORD_F_PENDING ? 1 : 3);
}

TEST(test_sizes, "a record of another size, or cut off, is refused")
{
	static const uint16_t bad[] = { 0, 1, 5, 20, 1 << 12, 1 << 15, UINT16_MAX };
	const char *why;

	small_call(&bytes);
	for (size_t i = 0; i < N(bad); i++) {
		set_words(&bytes, bad[i]);
		assert_int_equal(record_decode((uint8_t *)bytes.words, bytes.len, frame_size, NULL,
					       &record, &why), -1);
	}
	set_size(&bytes, bytes.len);
	/* Cut off anywhere, it is refused. */
	for (size_t len = 0; len < bytes.len; len++)
		assert_int_equal(record_decode((uint8_t *)bytes.words, len, frame_size, NULL,
					       &record, &why), -1);
}

TEST(test_values, "what was decoded is what was sent")
{
	const char *why;

	small_call(&bytes);
	set_size(&bytes, bytes.len);
	record_decode((uint8_t *)bytes.words, bytes.len, frame_size, NULL, &record, &why);
	assert_int_equal(record.h.id, 7);
	assert_memory_equal(record.frame, "0123456789ab", 12);
	assert_int_equal(record.chunks[0].address, 0x1000);
	assert_int_equal(record.chunks[0].size, 5);
	assert_int_equal(record.chunks[1].type, 3);
	assert_int_equal((uintptr_t)record.chunks[1].data % 8, 0);

	lost(&bytes);
	set_size(&bytes, bytes.len);
	record_decode((uint8_t *)bytes.words, bytes.len, frame_size, NULL, &record, &why);
	assert_int_equal(record.lost.cpu, 3);
	assert_int_equal(record.lost.count, 12);
}

/* Decoded parts lie within the record, after any change of its bytes. */
TEST(test_damaged, "damaged records lead nowhere outside")
{
	srand(1);
	for (int round = 0; round < 200000; round++) {
		const char *why = NULL;

		cases[rand() % 14].make(&bytes);
		set_size(&bytes, bytes.len);
		for (int i = rand() % 4; i >= 0; i--)
			((uint8_t *)bytes.words)[rand() % bytes.len] = rand();

		/* A copy of its own, so that the sanitizer sees a step too far. */
		uint8_t *copy = malloc(bytes.len);

		memcpy(copy, bytes.words, bytes.len);

		int64_t size = record_decode(copy, bytes.len, frame_size, NULL, &record, &why);

		if (size < 0) {
			assert_non_null(why);
		} else {
			assert_true(size <= (int64_t)bytes.len);
			if (record.frame)
				assert_true(record.frame + record.frame_size <= copy + size);
			for (size_t i = 0; i < record.nchunks; i++) {
				const struct record_chunk *c = &record.chunks[i];

				assert_true(c->data + c->size <= copy + size);
			}
		}
		free(copy);
	}
}
