// SPDX-License-Identifier: GPL-2.0
/* An open call is shown once, and another one of the same goroutine as well. */
#include "rows.h"

#include <stdlib.h>

#include "trace/reported.h"

#define S 1000000000ULL
#define HOUR (3600 * S)

/* A look at the call of a goroutine: when it was asked for, and how old the call is then. */
struct look {
	uint64_t asked;
	uint64_t age;
	uint64_t late;		/* it was reported this much later, with that age */
	uint64_t goid;
	int want;
};

static const struct row {
	const char *claim;
	struct look looks[5];	/* the last one is not asked */
} rows[] = {
	{ "a call is new once", { { 10 * S, S, 0, 7, 1 }, { 11 * S, 2 * S, 0, 7, 0 },
				  { 12 * S, 3 * S, 0, 7, 0 } } },
	{ "that of another goroutine is another", { { 10 * S, S, 0, 7, 1 },
						    { 10 * S, S, 0, 8, 1 } } },
	{ "a call that is reported late is the same",
	  { { 10 * S, S, S / 10, 7, 1 }, { 11 * S, 2 * S, 0, 7, 0 },
	    { 12 * S, 3 * S, S / 2, 7, 0 }, { 13 * S, 4 * S, 0, 7, 0 } } },
	{ "one that was made when the other had ended is another",
	  { { 10 * S, S, 0, 7, 1 }, { 20 * S, 2 * S, 0, 7, 1 }, { 21 * S, 3 * S, 0, 7, 0 } } },
	/* The clock is 0.05 % faster than the counter: an hour of that is 3,598.2 s old. */
	{ "where NTP makes the clock faster a call is the same for hours",
	  { { 10 * S, S, 0, 7, 1 }, { 10 * S + HOUR, S + HOUR - HOUR / 2000, 0, 7, 0 },
	    { 10 * S + 2 * HOUR, S + 2 * HOUR - HOUR / 1000, 0, 7, 0 },
	    { 10 * S + 24 * HOUR, S + 24 * HOUR - 24 * HOUR / 2000, 0, 7, 0 } } },
	{ "where it makes it slower, too",
	  { { 10 * S, S, 0, 7, 1 }, { 10 * S + HOUR, S + HOUR + HOUR / 2000, 0, 7, 0 },
	    { 10 * S + 2 * HOUR, S + 2 * HOUR + HOUR / 1000, 0, 7, 0 } } },
	{ "a call that is older than the clock",
	  { { S, 2 * S, 0, 7, 1 }, { 2 * S, 3 * S, 0, 7, 0 } } },
};

ROWS(test_row, rows)
{
	const struct row *row = *state;
	struct reported s = { 0 };

	for (const struct look *l = row->looks; l->asked; l++) {
		struct goprobe_open_call o = { .id = 1, .tgid = 2, .goid = l->goid, .age = l->age };
		uint64_t said = l->asked + l->late;

		assert_int_equal(reported_add(&s, &o, l->asked, said > l->age ? said - l->age : 0),
				 l->want);
		assert_int_equal(reported_looked(&s, 1), 0);
	}
	reported_fini(&s);
}

/* A thousand calls that end, beside one that does not. */
TEST(test_forgets, "calls that have ended are forgotten, others are not")
{
	struct reported s = { 0 };
	size_t most = 0;

	for (uint64_t i = 1; i <= 1000; i++) {
		struct goprobe_open_call stays = { .id = 1, .tgid = 2, .goid = 1, .age = i * S };
		struct goprobe_open_call ends = { .id = 1, .tgid = 2, .goid = 1 + i, .age = S };
		uint64_t asked = 10 * S + i * S;

		assert_int_equal(reported_add(&s, &stays, asked, asked - stays.age), i == 1);
		assert_int_equal(reported_add(&s, &ends, asked, asked - ends.age), 1);
		assert_int_equal(reported_looked(&s, 2), 0);
		most = s.calls.n > most ? s.calls.n : most;
	}
	assert_in_range(most, 4, 32);
	reported_fini(&s);
}
