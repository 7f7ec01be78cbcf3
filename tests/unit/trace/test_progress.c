// SPDX-License-Identifier: GPL-2.0
/* Progress messages: an estimate first, and corrections later. */
#include "rows.h"

#include "trace/progress.h"

#define MS 1000000ULL

/* Number of placed points at that time. */
struct step {
	uint64_t ms;
	size_t placed;
	const char *want;
};

static const struct row {
	const char *claim;
	bool terminal;
	size_t all;
	struct step steps[7];	/* the last one wants nothing */
} rows[] = {
	{ "what takes a second or less is not announced", false, 5000,
	  { { 1, 0, "" }, { 201, 1000, "" }, { 601, 3000, "" }, { 1001, 5000, "" } } },
	{ "what takes longer is, once", false, 136000,
	  { { 1, 0, "" }, { 101, 1000, "" },
	    { 251, 2000, "placing 136000 breakpoints takes about 17 s\n" },
	    { 1001, 8000, "" },
	    { 2001, 16000, "16000 of 136000 breakpoints placed, about 15 s left\n" } } },
	{ "elsewhere than on a terminal it is repeated every two seconds", false, 10000,
	  { { 1, 0, "" }, { 1001, 1000, "placing 10000 breakpoints takes about 10 s\n" },
	    { 2001, 2000, "2000 of 10000 breakpoints placed, about 8 s left\n" },
	    { 3001, 3000, "" },
	    { 4001, 4000, "4000 of 10000 breakpoints placed, about 6 s left\n" } } },
	{ "on a terminal one line is written again, and taken away at the end", true, 10000,
	  { { 1, 0, "" }, { 101, 100, "" },
	    { 201, 200, "placing 10000 breakpoints takes about 10 s\n"
			"\r200 of 10000 breakpoints placed, about 10 s left\033[K" },
	    { 251, 250, "" },
	    { 301, 5000, "\r5000 of 10000 breakpoints placed, about 1 s left\033[K" },
	    { 401, 10000, "\r\033[K" } } },
	{ "hours are minutes", false, 1000000,
	  { { 1, 0, "" }, { 201, 10, "placing 1000000 breakpoints takes about 333 min\n" } } },
	{ "that the first batch takes long is no reason to divide by nothing", true, 10,
	  { { 1, 0, "" }, { 5001, 0, "" } } },
};

ROWS(test_row, rows)
{
	const struct row *row = *state;
	struct progress p = { 0 };

	for (const struct step *s = row->steps; s->want; s++) {
		struct buf text = { 0 };

		progress_add(&p, s->placed, row->all, s->ms * MS, row->terminal, &text);
		buf_char(&text, 0);
		assert_string_equal(text.p, s->want);
		buf_fini(&text);
	}
}
