// SPDX-License-Identifier: GPL-2.0
/* What a user writes; the input's lines are a spec and names to match. */
#include "fuzz.h"

#include "diag.h"
#include "spec.h"

/*
 * glibc's regcomp() takes as much time and memory for nested repetitions as one
 * likes. The pattern is the user's own, who has to wait or to press ^C.
 */
static bool is_monster(const char *text)
{
	return text[0] == '/' && strpbrk(text, "{*+?\\");
}

int fuzz_spec(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size < 4096 ? size : 4096 };
	struct diag d = { .sentence = NULL };
	char *text = feed_line(&feed);
	struct spec s;

	if (is_monster(text)) {
		/* nothing to see */
	} else if (spec_parse(text, &s, &d)) {
		FUZZ_HOLDS(d.sentence);
		diag_fini(&d);
	} else {
		while (feed.n) {
			char *name = feed_line(&feed);

			spec_match(&s, name);
			free(name);
		}
		spec_fini(&s);
	}
	free(text);
	return 0;
}
