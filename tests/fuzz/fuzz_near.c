// SPDX-License-Identifier: GPL-2.0
/* Names near a mistyped one; the input's lines are names, the first the wanted. */
#include "fuzz.h"

#include "base/suggest.h"

#define NAMES_MAX 64

int fuzz_near(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	char *wanted = feed_line(&feed), *names[NAMES_MAX], *hint;
	struct suggest near;
	size_t n = 0;

	suggest_init(&near, wanted);
	while (feed.n && n < NAMES_MAX) {
		names[n] = feed_line(&feed);
		suggest_offer(&near, names[n++]);
	}
	FUZZ_HOLDS(near.n <= SUGGEST_MAX);
	for (size_t i = 1; i < near.n; i++)
		FUZZ_HOLDS(near.score[i - 1] <= near.score[i]);
	hint = suggest_hint(&near);
	FUZZ_HOLDS(!hint == !near.n);
	free(hint);
	while (n)
		free(names[--n]);
	free(wanted);
	return 0;
}
