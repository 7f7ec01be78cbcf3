// SPDX-License-Identifier: GPL-2.0
/* Times in a recording. */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "rows.h"
#include "trace/window.h"

#define S CLOCK_SECOND
/* The recording began 100 s after the system, on 2001-09-09 at 01:46:40 UTC. */
#define STARTED (100 * S)
#define REAL (1000000000 * S)

static struct time_row {
	const char *claim;
	const char *text;
	bool ok;
	int64_t want;	/* ns after the begin of the recording */
} times[] = {
	{ "seconds", "5s", true, 5 * (int64_t)S },
	{ "minutes and seconds", "1m30s", true, 90 * (int64_t)S },
	{ "a part of a second", "1.5s", true, 1500000000 },
	{ "milliseconds behind minutes", "2m250ms", true, 120250000000 },
	{ "the begin", "0", true, 0 },
	{ "the begin, with a unit", "0s", true, 0 },
	{ "a minute without seconds", "1m0s", true, 60 * (int64_t)S },
	{ "the same time of day", "01:46:40", true, 0 },
	{ "a later time of day", "01:46:42.25", true, 2250000000 },
	{ "a minute of the day", "01:47", true, 20 * (int64_t)S },
	{ "shortly before the begin", "01:46:39", true, -1 * (int64_t)S },
	{ "the day before", "23:46:40", true, -100 * (int64_t)S },
	{ "half a day later", "13:00:00", true, 40400 * (int64_t)S },
	{ "nothing", "", false, 0 },
	{ "a word", "soon", false, 0 },
	{ "a unit that there is not", "5x", false, 0 },
	{ "a number behind a time", "1m30s5x", false, 0 },
	{ "a negative time", "-5s", false, 0 },
	{ "an hour that there is not", "24:00:00", false, 0 },
	{ "a minute that there is not", "10:60", false, 0 },
	{ "one digit", "1:46:40", false, 0 },
	{ "a time of day with more behind it", "01:46:40x", false, 0 },
	{ "a dot alone", "01:46:40.", false, 0 },
	{ "more than there can be", "9999999999h", false, 0 },
};

ROWS(test_times, times)
{
	const struct time_row *row = *state;
	uint64_t got = 0;

	assert_int_equal(window_time(row->text, STARTED, REAL - STARTED, true, &got), row->ok);
	if (!row->ok)
		return;
	/* Before the system there was nothing. */
	assert_true((int64_t)got == (row->want > -(int64_t)STARTED ?
				     (int64_t)STARTED + row->want : 0));
}

TEST(test_local, "a time of day is local")
{
	uint64_t got;

	setenv("TZ", "XYZ-2", 1);
	tzset();
	assert_true(window_time("03:46:41", STARTED, REAL - STARTED, false, &got));
	assert_true(got == STARTED + S);
	unsetenv("TZ");
	tzset();
}
