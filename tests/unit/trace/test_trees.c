// SPDX-License-Identifier: GPL-2.0
/* The format of call trees that options ask for. */
#include <string.h>

#include "rows.h"
#include "trace/trees.h"

static struct trees_row {
	const char *claim;
	bool graph, merge, flat;
	enum option_format format;
	bool wanted;		/* replay shows trees as graph does */
	const char *name;	/* of the format; NULL: it is refused */
	const char *hint;
} rows[] = {
	{ "events", false, false, false, OPTION_TEXT, false, "text" },
	{ "trees as text", true, false, false, OPTION_TEXT, true, "text" },
	{ "trees as JSON", true, false, false, OPTION_JSON, true, "json" },
	{ "one tree", false, true, false, OPTION_TEXT, true, "text" },
	{ "functions as JSON", true, false, true, OPTION_JSON, true, "json" },
	{ "lines for other tools", false, false, false, OPTION_FOLDED, true, "folded" },
	{ "a flame graph", false, false, false, OPTION_FLAMEGRAPH, true, "flamegraph" },
	{ "a timeline, which replay has by itself", false, false, false, OPTION_TIMELINE, false,
	  "timeline" },
	{ "one tree as spans", false, true, false, OPTION_OTLP, true, NULL, "leave --merge out" },
	{ "functions in a picture", false, false, true, OPTION_FLAMEGRAPH, true, NULL,
	  "leave --flat out" },
	{ "trees as lines with fields", true, false, false, OPTION_TEMPLATE, true, NULL,
	  "leave --graph out" },
	{ "events as lines with fields", false, false, false, OPTION_TEMPLATE, false, "" },
};

ROWS(test_formats, rows)
{
	const struct trees_row *row = *state;
	struct options o;
	struct diag d = { 0 };

	options_init(&o, COMMAND_REPLAY);
	o.graph = row->graph;
	o.merge = row->merge;
	o.flat = row->flat;
	o.format = row->format;
	assert_int_equal(trees_wanted(&o), row->wanted);
	assert_int_equal(trees_check(&o, &d), row->name ? 0 : -1);
	if (!row->name)
		assert_non_null(strstr(d.hint, row->hint));
	else if (*row->name)
		assert_string_equal(trees_format(&o)->out.name, row->name);
	diag_fini(&d);
	options_fini(&o);
}
