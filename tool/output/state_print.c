// SPDX-License-Identifier: GPL-2.0
/* Times of calls by the states of their goroutines, as text and as JSON. */
#include <stdio.h>

#include "output/row.h"
#include "output/state_print.h"

/* The largest that is not among @done, or __GOSTATES_MAX: all others are 0. */
static unsigned int next(const uint64_t *ns, uint32_t done)
{
	unsigned int best = __GOSTATES_MAX;

	for (unsigned int i = 0; i < __GOSTATES_MAX; i++)
		if (ns[i] && !(done & 1U << i) &&
		    (best == __GOSTATES_MAX || ns[i] > ns[best]))
			best = i;
	return best;
}

void state_print_text(const uint64_t ns[__GOSTATES_MAX], struct buf *b)
{
	uint64_t all = 0;
	uint32_t done = 0;
	unsigned int i;

	for (i = 0; i < __GOSTATES_MAX; i++)
		all += ns[i];
	while ((i = next(ns, done)) < __GOSTATES_MAX) {
		buf_str(b, done ? ", " : "");
		buf_str(b, gostates_names[i]);
		buf_char(b, ' ');
		row_share(b, ns[i], all);
		buf_char(b, ' ');
		buf_duration(b, ns[i]);
		done |= 1U << i;
	}
}

void state_print_json(const uint64_t ns[__GOSTATES_MAX], struct buf *b)
{
	char key[32];

	json_raw(b, "split", "{");
	for (unsigned int i = 0; i < __GOSTATES_MAX; i++) {
		snprintf(key, sizeof(key), "%s_ns", gostates_names[i]);
		json_u64(b, key, ns[i]);
	}
	buf_char(b, '}');
}
