// SPDX-License-Identifier: GPL-2.0
/* Variables at places of a real program: in registers, on the stack, on the heap, and nowhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "output/variable_list.h"
#include "rows.h"

/**
 * struct variables_case - a place
 * @claim: what is there
 * @form: of the program
 * @mark: it is the line that ends with this
 * @want: "name type where", the beginnings of lines
 * @lines: their number with the head: nothing else is there; 0: not known
 */
static const struct variables_case {
	const char *claim;
	const char *form;
	const char *mark;
	const char *want[6];
	size_t lines;
} cases[] = {
	{
		"arguments and variables on the stack", "", "// at loop",
		{ "n int stack+8", "name string stack+16, stack+24",
		  "list []int stack+32, stack+40, stack+48", "sum int stack-", "x int stack-" },
	}, {
		"what was moved to the heap", "", "// at moved",
		{ "n int stack+8", "p main.pair heap, by a pointer in stack-",
		  "q *main.pair stack-" },
		.lines = 3,
	}, {
		"without optimisations, too", "-noopt", "// at loop",
		{ "n int stack+8", "name string stack+16", "list []int stack+32" },
	}, {
		"a slice of which only the length is used", "", "// only half",
		{ "a int ", "t []int8 stack+24; the rest is optimized out here" },
	}, {
		"two parts of a slice, and nothing says which", "", "// only part",
		{ "c []byte the debug information does not say which of its parts are here" },
	}, {
		"a variable that hides another one of the same name", "", "// at hide",
		{ "x string stack-" },
	}, {
		"inlined code has its own variables, and those of its caller", "", "// at double",
		{ "d int r", "n int rax; of a caller" },
	}, {
		"a program without debug information", "-stripped", "// at loop",
		{ "- ? the binary has no debug information" },
	},
};

static int line_of(const char *mark)
{
	FILE *f = fopen("../targets/places/main.go", "re");
	char line[512];
	int n = 0, found = 0;

	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f)) {
		char *at = strstr(line, mark);

		n++;
		if (at && at[strlen(mark)] == '\n')
			found = n;
	}
	fclose(f);
	assert_int_not_equal(found, 0);
	return found;
}

/* Is there a line of @text that begins with the words of @want? Several blanks are one. */
static bool has_line(const char *text, const char *want)
{
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *at = line, *w = want;

		while (*w && *at == *w) {
			at += *w == ' ' ? strspn(at, " ") : 1;
			w++;
		}
		if (!*w)
			return true;
	}
	return false;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void put_places(struct gobin *bin, const char *mark, struct buf *b)
{
	struct places places = { 0 };
	struct spec spec = { 0 };
	struct diag d = { 0 };
	char text[64];

	/* Only a program with debug information knows its lines. */
	snprintf(text, sizeof(text), "main.go:%d", line_of(mark));
	assert_int_equal(spec_parse(text, &spec, &d), 0);
	assert_int_equal(place_find(&places, &bin, 1, &spec, &d), 0);
	assert_int_not_equal(places.n, 0);
	for (size_t i = 0; i < places.n; i++)
		assert_int_equal(variable_list_put(&places.v[i], false, b), 0);
	place_fini(&places);
	spec_fini(&spec);
}

ROWS(test_variables, cases)
{
	const struct variables_case *c = *state;
	struct bins_each e = BINS("places", c->form);
	bool any = false;

	while (bins_next(&e)) {
		struct buf b = { 0 };

		/* The compilers before leave variables in other places. */
		if (e.minor < 27)
			continue;
		any = true;
		put_places(e.bin, c->mark, &b);
		buf_char(&b, 0);
		for (size_t i = 0; i < N(c->want) && c->want[i]; i++) {
			if (!has_line(b.p, c->want[i]))
				print_error("%s: no '%s' in\n%s", e.path, c->want[i], b.p);
			assert_true(has_line(b.p, c->want[i]));
		}
		if (c->lines)
			assert_int_equal(count_lines(b.p), c->lines);
		buf_fini(&b);
	}
	assert_true(any);
}
