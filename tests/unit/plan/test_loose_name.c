// SPDX-License-Identifier: GPL-2.0
/* Names in other spellings that nobody would write. */
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "plan/loose_name.h"
#include "rows.h"

/* --- names that nobody would write --------------------------------------------------- */

/* More than any buffer for names has. */
#define LONG 5000

static const struct hostile_case {
	const char *claim;
	const char *begin;	/* the pattern's begin */
	const char *fill;	/* what follows, again and again up to LONG bytes; or NULL */
	const char *end;	/* its end */
	enum spec_kind kind;
} hostile[] = {
	{ "a very long name", "main.", "a", "", SPEC_NAME },
	{ "a very long package", "x/", "a/", "b.F", SPEC_NAME },
	{ "a very long receiver", "main.(*", "T", ").M", SPEC_NAME },
	{ "a method of a very long type alone", "(*", "T", ").M", SPEC_NAME },
	{ "type arguments in each other", "main.F[", "[", "", SPEC_NAME },
	{ "type arguments that are very long", "main.Map[go.shape.", "i", "]", SPEC_NAME },
	{ "brackets only", "", "(*", "", SPEC_NAME },
	{ "closing brackets only", "", ")", "", SPEC_NAME },
	{ "dots only", "", ".", "", SPEC_NAME },
	{ "slashes only", "", "/", ".", SPEC_NAME },
	{ "escapes only", "", "%2e", "", SPEC_NAME },
	{ "marks of shapes only", "", "go.shape.", "", SPEC_NAME },
	{ "control characters", "main.\x01\x1b[2J\n\r\t", NULL, ".F\x7f", SPEC_NAME },
	{ "bytes that are no text", "ma\xffin.\xc3(*\x80", NULL, "\xf0\x9f.F", SPEC_NAME },
	{ "a name without an end", "main.(*Item", NULL, "", SPEC_NAME },
	{ "type arguments without an end", "main.Map[go.shape.int", NULL, "", SPEC_NAME },
	{ "nothing", "", NULL, "", SPEC_NAME },
	{ "a very long glob in a package", "json.*", "a?", "", SPEC_GLOB },
	{ "a glob in a very long package", "x/", "a", ".*", SPEC_GLOB },
	{ "a glob that begins with a dot", ".", NULL, "*", SPEC_GLOB },
	{ "a glob with bytes that are no text", "\xff\xfe/\x80.", NULL, "*\x1b", SPEC_GLOB },
};

/* They are taken as they are, and match nothing. */
ROWS(test_hostile, hostile)
{
	const struct hostile_case *c = *state;
	struct bins_each b = BINS("shapes", "");
	size_t n = strlen(c->begin) + LONG + strlen(c->end) + 1;
	char *text = calloc(1, n);

	assert_non_null(text);
	strcat(text, c->begin);
	while (c->fill && strlen(text) + strlen(c->fill) + strlen(c->end) < n)
		strcat(text, c->fill);
	strcat(text, c->end);
	while (bins_next(&b)) {
		struct spec spec = { .kind = c->kind, .text = text, .pattern = strdup(text) };
		const struct name_set names = { .bins = &b.bin, .nbins = 1 };
		struct diag d = { .message = NULL };

		assert_non_null(spec.pattern);
		assert_int_equal(loosename_resolve(&names, &spec, &d), 0);
		assert_string_equal(spec.pattern, text);
		assert_null(d.message);
		free(spec.pattern);
		arena_fini(&spec.mem);
	}
	free(text);
}
