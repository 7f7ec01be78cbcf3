// SPDX-License-Identifier: GPL-2.0
/* The format of call trees that options ask for. */
#include "export/flame.h"
#include "export/span.h"
#include "output/profile_print.h"
#include "trace/trees.h"

const struct graph_format *trees_format(const struct options *o)
{
	static const struct graph_format *const formats[] = {
		[OPTION_TEXT] = &graph_text, [OPTION_JSON] = &graph_json,
		[OPTION_FOLDED] = &graph_folded, [OPTION_FLAMEGRAPH] = &graph_flame,
		[OPTION_CHROME] = &graph_chrome, [OPTION_OTLP] = &graph_otlp,
		[OPTION_TIMELINE] = &graph_timeline,
	};

	if (o->merge)
		return o->format == OPTION_JSON ? &merged_json : &merged_text;
	if (o->flat)
		return o->format == OPTION_JSON ? &flat_json : &flat_text;
	return formats[o->format];
}

bool trees_merge(const struct options *o)
{
	return o->merge || o->flat || o->format == OPTION_FOLDED ||
	       o->format == OPTION_FLAMEGRAPH;
}

bool trees_wanted(const struct options *o)
{
	return o->graph || trees_merge(o);
}

int trees_check(const struct options *o, struct diag *d)
{
	if (o->format == OPTION_TEMPLATE && trees_wanted(o)) {
		diag_set(d, "a line with fields is about an event, and --graph prints trees");
		diag_hint(d, "leave %s out", o->merge ? "--merge" : o->flat ? "--flat" : "--graph");
		return -1;
	}
	if ((!o->merge && !o->flat) || o->format <= OPTION_JSON)
		return 0;
	diag_set(d, "--merge and --flat are text or JSON");
	diag_hint(d, "'-o folded' merges trees by itself: leave %s out",
		  o->merge ? "--merge" : "--flat");
	return -1;
}
