// SPDX-License-Identifier: GPL-2.0
/* Flame graphs: each function is as wide as its share, stands below its caller, and is XML. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export/flame.h"
#include "gotype/shown_name.h"
#include "rows.h"
#include "samples.h"

/**
 * struct flame_case - a picture
 * @claim: what it shows
 * @folded: of which lines
 * @unit: flame_about.unit
 * @want: texts that it has, in this order
 * @absent: a text that it does not have
 */
static const struct flame_case {
	const char *claim;
	const char *folded;
	const char *unit;
	const char *want[4];
	const char *absent;
} cases[] = {
	{
		"functions have their share of the width, one below the other",
		"main.a 10\nmain.a;main.b 30\nmain.c 60\n", "call",
		{
			"x=\"0.000000%\" width=\"100.000000%\" height=\"17\" y=\"70\" data-v=\"100\"><title>all: 100 calls",
			"x=\"0.000000%\" width=\"40.000000%\" height=\"17\" y=\"88\" data-v=\"40\"><title>main.a: 40 calls, 40.0 %",
			"x=\"0.000000%\" width=\"30.000000%\" height=\"17\" y=\"106\" data-v=\"30\"><title>main.b: 30 calls, 30.0 %",
			"x=\"40.000000%\" width=\"60.000000%\" height=\"17\" y=\"88\" data-v=\"60\"><title>main.c: 60 calls, 60.0 %",
		},
	}, {
		"lines in any order",
		"main.a;main.b 2\nmain.c 1\nmain.a;main.d 1\n", "call",
		{ "main.a: 3 calls", "main.b: 2 calls", "main.d: 1 call,", "main.c: 1 call," },
	}, {
		"times",
		"main.a 1500000\n", NULL, { "<title>main.a: 1.50ms, 100.0 %</title>" },
	}, {
		"what is narrow is there: a browser can zoom",
		"main.a 1\nmain.b 99999\n", "call",
		{ "width=\"0.001000%\"", "main.a: 1 call", "main.b: 99999 calls" }, "left out",
	}, {
		"names can't end the markup",
		"main.(*T[<\"&\">]).a\xef\xbf\xbf 1\n", "call",
		{ "<title>main.(*T[&lt;\"&amp;\"&gt;]).a?: 1 call",
		  ">main.(*T[&lt;\"&amp;\"&gt;]).a?</text>" },
	}, {
		"the sum of huge values is the largest number",
		"main.a 18446744073709551615\nmain.b 18446744073709551615\n", "call",
		{ "all: 18446744073709551615 calls, 100.0 %" }, "main.b",
	}, {
		"a label has the package's name, and a title its path",
		"example.org/long/path/shop.(*Cart).Add 1\n", "call",
		{ "<title>example.org/long/path/shop.(*Cart).Add: 1 call",
		  ">shop.(*Cart).Add</text>" },
	}, {
		"what has no width in the file is left out, and that is said",
		"main.a 1\nmain.b;main.c 99999999999\n", NULL,
		{ ">left out: 1 frame of less than 1.00us, with 0.0 % of all<", "main.b: ",
		  "main.c: " }, "main.a",
	}, {
		"nothing", "", "call", { "<svg xmlns", ": nothing was counted<", "</svg>" }, "<title>",
	},
};

ROWS(test_flame, cases)
{
	const struct flame_case *c = *state;
	struct buf folded = { .p = strdup(c->folded), .len = strlen(c->folded) };
	struct buf b = { 0 };
	char name[64];
	const char *at;

	flame_put(&folded, &(struct flame_about){ "a title", c->unit }, &b);
	snprintf(name, sizeof(name), "flame-%zu.svg", (size_t)(c - cases));
	sample_write(name, &b);
	buf_char(&b, 0);
	assert_false(b.failed);
	at = b.p;
	for (size_t i = 0; i < N(c->want) && c->want[i]; i++) {
		at = strstr(at, c->want[i]);
		if (!at)
			print_error("no %s in %s\n", c->want[i], b.p);
		assert_non_null(at);
	}
	if (c->absent)
		assert_null(strstr(b.p, c->absent));
	buf_fini(&folded);
	buf_fini(&b);
}

TEST(test_wide, "a function that calls very many others takes no time that grows with their square")
{
	struct buf folded = { 0 }, b = { 0 };
	clock_t begun = clock();

	for (unsigned int i = 0; i < 200000; i++) {
		buf_number(&folded, "key=", i);
		buf_str(&folded, ";main.a 1\n");
	}
	flame_put(&folded, &(struct flame_about){ "a title", "call" }, &b);
	buf_char(&b, 0);
	assert_non_null(strstr(b.p, ">left out: 400000 frames of less than 2 calls, with 100.0 %"));
	assert_in_range((clock() - begun) / CLOCKS_PER_SEC, 0, 30);
	buf_fini(&folded);
	buf_fini(&b);
}

/* Names are short, and the package is one of the program's. */
static int set_up(void **state)
{
	static const char package[] = "example.org/long/path/shop";

	(void)state;
	shown_name_form = SHOWN_NAME_SHORT;
	shown_name_add_package(package, strlen(package), NULL);
	return 0;
}

AROUND_ALL(set_up, NULL)
