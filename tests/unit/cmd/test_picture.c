// SPDX-License-Identifier: GPL-2.0
/* Pictures that --open shows: which options make one, and how long a browser is waited for. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/picture.h"
#include "rows.h"

/**
 * struct format_case - an option -o, with --open
 * @claim: what becomes of it
 * @command: of which command
 * @word: -o; NULL: it is not given
 * @format: what is written; OPTION_TEXT: it is refused
 * @hint: what the message proposes
 */
static const struct format_case {
	const char *claim;
	enum command command;
	const char *word;
	enum option_format format;
	const char *hint;
} formats[] = {
	{ "stacks are a flame graph", COMMAND_STACK, NULL, OPTION_FLAMEGRAPH },
	{ "trees are a flame graph", COMMAND_GRAPH, NULL, OPTION_FLAMEGRAPH },
	{ "trees can be a timeline", COMMAND_GRAPH, "timeline", OPTION_TIMELINE },
	{ "calls are a timeline", COMMAND_ATTACH, NULL, OPTION_TIMELINE },
	{ "a recording is a timeline", COMMAND_REPLAY, NULL, OPTION_TIMELINE },
	{ "text that is asked for is no picture", COMMAND_STACK, "text", OPTION_TEXT,
	  "-o flamegraph is one" },
	{ "JSON is no picture", COMMAND_REPLAY, "json", OPTION_TEXT,
	  "-o flamegraph and -o timeline are" },
	{ "folded stacks are no picture", COMMAND_GRAPH, "folded", OPTION_TEXT,
	  "-o flamegraph and -o timeline are" },
	{ "a line with fields is no picture", COMMAND_ATTACH, "{func}", OPTION_TEXT,
	  "-o timeline is one" },
};

ROWS(test_format, formats)
{
	const struct format_case *c = *state;
	struct diag d = { 0 };
	struct options o;

	options_init(&o, c->command);
	o.open = true;
	if (c->word)
		assert_int_equal(option_parse(&o, option_find(c->command, "format"), c->word, &d),
				 0);
	assert_int_equal(picture_check(&o, &d), c->hint ? CMD_USAGE : CMD_DONE);
	if (c->hint) {
		assert_string_equal(d.message, "--open shows pictures, and -o asks for something else");
		assert_string_equal(d.hint, c->hint);
	} else {
		assert_int_equal(o.format, c->format);
	}
	diag_fini(&d);
	options_fini(&o);
}

TEST(test_wait, "nobody asks for the picture: the wait has an end, and the message a remedy")
{
	struct buf content = { .p = "<svg/>", .len = 6 };
	uint64_t begun = clock_now(CLOCK_MONOTONIC);
	struct diag d = { 0 };

	assert_int_equal(picture_serve(&content, OPTION_FLAMEGRAPH, 1000, &d), -1);
	assert_in_range(clock_now(CLOCK_MONOTONIC) - begun, 1000000000, 20000000000);
	assert_string_equal(d.message, "no browser fetched the picture within 1 s");
	assert_string_equal(d.hint, "--output FILE keeps it in a file");
	diag_fini(&d);
}
