// SPDX-License-Identifier: GPL-2.0
/* Conversion of CLOCK_MONOTONIC to time since 1970. */
#include <stdint.h>

#include "base/clock.h"
#include "rows.h"

#define MS 1000000ULL
#define HOUR (3600000 * MS)

TEST(test_follow, "a clock that is set is followed, at most once a second")
{
	uint64_t now = clock_epoch(), epoch, looked;

	/* The clock is an hour fast, or slow, since it was looked at. */
	for (int i = 0; i < 2; i++) {
		epoch = i ? now + HOUR : now - HOUR;
		looked = 0;
		assert_true(clock_follow(&epoch, &looked));
		assert_in_range(epoch, now - 100 * MS, now + 100 * MS);
		assert_in_range(looked, 1, clock_now(CLOCK_MONOTONIC));
	}

	/* Not so soon again. */
	epoch = now + HOUR;
	assert_false(clock_follow(&epoch, &looked));
	assert_int_equal(epoch, now + HOUR);

	/* A difference within the error of measurement changes nothing: times do not jump. */
	epoch = clock_epoch() + MS / 10;
	now = epoch;
	looked = 0;
	assert_false(clock_follow(&epoch, &looked));
	assert_int_equal(epoch, now);
	assert_true(looked);
}
