// SPDX-License-Identifier: GPL-2.0
/* The table of counters: all have a row, and no summary says one twice. */
#include <stdint.h>
#include <string.h>

#include "output/counters.h"
#include "rows.h"

/* A counter that was forgotten would be silently absent from all summaries. */
TEST(every_counter_has_a_row)
{
	bool has[__GOPROBE_STAT_MAX] = { false };

	for (size_t i = 0; i < ncounters; i++) {
		assert_in_range(counters[i].stat, 0, __GOPROBE_STAT_MAX - 1);
		has[counters[i].stat] = true;
	}
	for (size_t i = 0; i < __GOPROBE_STAT_MAX; i++)
		if (!has[i])
			fail_msg("counter %zu is not in the table of output/counters.c", i);
}

TEST(no_summary_has_a_key_twice)
{
	for (size_t i = 0; i < ncounters; i++)
		for (size_t k = 0; k < i; k++)
			if (counters[i].in & counters[k].in)
				assert_string_not_equal(counters[i].key, counters[k].key);
}

TEST(what_is_shown_is_described)
{
	for (size_t i = 0; i < ncounters; i++) {
		const struct counter *c = &counters[i];

		assert_int_equal(c->always & ~c->in, 0);
		if (!c->in)
			continue;
		assert_non_null(c->key);
		assert_true(c->text || c->flags & FACT_NS);
		assert_true(c->noun || c->flags & FACT_NS || c->in & COUNTERS_LOST);
	}
}

TEST(unknown_counters_are_named_and_left_out)
{
	uint64_t stats[__GOPROBE_STAT_MAX] = { [GOPROBE_STAT_JUMPS_LOST] = 1 };
	const uint64_t unknown = 1ULL << GOPROBE_STAT_JUMPS_LOST | 1ULL << GOPROBE_STAT_EDITED;
	struct fact with[COUNTERS_MAX], without[COUNTERS_MAX];
	struct buf b = { 0 };
	size_t n;

	n = counters_facts(stats, 0, COUNTERS_EVENTS, with);
	assert_int_equal(counters_facts(stats, unknown, COUNTERS_EVENTS, without), n - 1);
	for (size_t i = 0; i + 1 < n; i++)
		assert_string_not_equal(without[i].key, "jumps_lost");
	counters_put_unknown(unknown, COUNTERS_EVENTS | COUNTERS_EDITS, &b);
	buf_char(&b, 0);
	assert_string_equal(b.p, "jumps_lost, edited");
	buf_fini(&b);
}

TEST(losses_are_summed_by_cause)
{
	uint64_t stats[__GOPROBE_STAT_MAX] = {
		[GOPROBE_STAT_LOST_RING_FULL] = 1, [GOPROBE_STAT_LOST_NO_RING] = 20,
		[GOPROBE_STAT_NO_SPACE] = 300, [GOPROBE_STAT_FILTERED] = 4000,
	};

	assert_int_equal(counters_lost(stats), 321);
	assert_int_equal(stats[counters_of_cause(GOPROBE_LOST_RING_FULL)], 1);
	assert_int_equal(stats[counters_of_cause(GOPROBE_LOST_NO_RING)], 20);
	assert_string_equal(counters_cause(GOPROBE_LOST_RING_FULL), "ring_full");
	assert_string_equal(counters_cause(GOPROBE_LOST_NO_RING), "no_ring");
	assert_string_equal(counters_cause(__GOPROBE_LOST_MAX), "unknown");
}

/* A member that neither a row nor the library itself sets would be silently 0. */
TEST(programs_have_each_counter_of_their_struct)
{
	/* What the library sets itself. */
	struct goprobe_counts got = {
		.events = 1, .calls = 1, .returns = 1, .unwound = 1, .open = 1, .doubtful = 1,
		.forgotten = 1, .lost = 1, .malformed = 1, .ns = 1, .recorded_bytes = 1, .gone = 1,
		.not_traced = 1,
	};
	uint64_t stats[__GOPROBE_STAT_MAX], member[sizeof(got) / sizeof(uint64_t)];
	size_t own = 0;

	for (size_t i = 0; i < __GOPROBE_STAT_MAX; i++)
		stats[i] = 100 + i;
	counters_for_program(stats, &got);
	assert_int_equal(got.undecided, 100 + GOPROBE_STAT_UNDECIDED);
	assert_int_equal(got.lost_no_room, 100 + GOPROBE_STAT_NO_SPACE);
	memcpy(member, &got, sizeof(got));
	for (size_t i = 0; i < sizeof(member) / sizeof(*member); i++) {
		own += member[i] == 1;
		if (!member[i])
			fail_msg("no row of output/counters.c sets the member at byte %zu", i * 8);
	}
	assert_int_equal(own, 13);
}
