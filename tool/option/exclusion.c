// SPDX-License-Identifier: GPL-2.0
/* The table of options that exclude each other. */
#include <string.h>

#include "export/otlp_post.h"
#include "option/option.h"

static const char replay_it[] = "record without it, and give it to goprobectl replay";

/* Two options that exclude each other. */
struct exclusion {
	int command;		/* whose options; or ANY */
	const char *option;	/* one of them */
	const char *value;	/* only with this word; or NULL */
	const char *other;	/* the other one */
	const char *why;	/* the message */
	const char *hint;	/* what to do; or NULL */
};

#define ANY (-1)

static const struct exclusion exclusions[] = {
	{ COMMAND_GRAPH, "sample-by", "goroutine", "rate",
	  "--rate is about trees of calls, and --sample-by goroutine about goroutines: choose one",
	  NULL },
	{ ANY, "cgroup", NULL, "container",
	  "--cgroup and --container both name a control group: choose one", NULL },
	{ ANY, "cgroup", NULL, "pod",
	  "--cgroup and --pod both name a control group: choose one", NULL },
	{ ANY, "sample-by", "root", "no-return",
	  "--sample-by root needs to see calls end, and --no-return leaves that out",
	  NULL },
	{ ANY, "sample-by", "root", "times",
	  "--times removes breakpoints that the trees of --sample-by root need",
	  NULL },
	{ ANY, "record", NULL, "times",
	  "--times needs to look at each record, and --record does not",
	  "--rate N, or --events N, limits what is recorded" },
	{ COMMAND_ATTACH, "format", "chrome", "no-return",
	  "-o chrome shows how long calls take, and --no-return leaves that out", NULL },
	{ COMMAND_ATTACH, "format", "otlp", "no-return",
	  "-o otlp shows how long calls take, and --no-return leaves that out", NULL },
	{ COMMAND_ATTACH, "format", "timeline", "no-return",
	  "-o timeline shows how long calls take, and --no-return leaves that out", NULL },
	{ ANY, "split", NULL, "no-return",
	  "--split divides durations, and --no-return leaves them out",
	  NULL },
	{ ANY, "record", NULL, "pretty",
	  "--record prints no events, so --pretty means nothing", replay_it },
	{ ANY, "record", NULL, "output",
	  "--record prints no events, so --output means nothing", replay_it },
	{ ANY, "record", NULL, "format",
	  "--record prints no events, so --format means nothing", replay_it },
	{ ANY, "record", NULL, "open",
	  "--record prints no events, so --open means nothing", replay_it },
	{ ANY, "diff", NULL, "open", "--diff prints a table, which --open can't show", NULL },
	{ ANY, "merge", NULL, "open", "--merge is text or JSON, which --open can't show",
	  "-o flamegraph merges trees by itself: leave --merge out" },
	{ ANY, "flat", NULL, "open", "--flat is text or JSON, which --open can't show",
	  NULL },
	{ ANY, "redact", NULL, "no-redact",
	  "--redact names values that are redacted, and --no-redact redacts nothing: choose one",
	  NULL },
	{ ANY, "inlined", NULL, "no-inlined",
	  "--inlined counts where functions were inlined, and --no-inlined does not: choose one",
	  NULL },
	{ ANY, "merge", NULL, "flat",
	  "--merge prints a tree, and --flat prints functions: choose one", NULL },
	{ COMMAND_LIST, "vars", NULL, "points",
	  "--vars lists variables, and --points breakpoints: choose one", NULL },
	{ COMMAND_LIST, "vars", NULL, "instructions",
	  "--vars lists variables, and --instructions instructions: choose one", NULL },
	{ ANY, "diff", NULL, "output", "--diff prints a table to standard output",
	  "leave --output out, and redirect that" },
	{ ANY, "diff", NULL, "pretty", "--diff prints no events, so --pretty means nothing", NULL },
	{ ANY, "diff", NULL, "graph",
	  "--diff prints a table of durations, so --graph means nothing", NULL },
	{ ANY, "diff", NULL, "merge",
	  "--diff prints a table of durations, so --merge means nothing", NULL },
	{ ANY, "diff", NULL, "flat",
	  "--diff prints a table of durations, so --flat means nothing", NULL },
	{ ANY, "diff", NULL, "since",
	  "--diff compares whole recordings, and --since leaves out their begins", NULL },
	{ ANY, "diff", NULL, "until",
	  "--diff compares whole recordings, and --until leaves out their ends", NULL },
	{ ANY, "diff", NULL, "events",
	  "--diff compares whole recordings, and --events ends them early", NULL },
	{ COMMAND_STACK, "format", "pprof", "interval",
	  "a profile is written once, at the end, so -i means nothing",
	  NULL },
	{ COMMAND_STACK, "format", "flamegraph", "interval",
	  "a flame graph is written once, at the end, so -i means nothing",
	  NULL },
};

static bool is_word(const struct options *o, const struct option_row *row, const char *value)
{
	size_t i = 0;

	while (row->choices[i] && strcmp(row->choices[i], value) != 0)
		i++;
	return row->choices[i] && option_value(o, row) == row->least + i;
}

/* Does the user want option @name, or its word @value? */
static bool wants(const struct options *o, const char *name, const char *value)
{
	const struct option_row *row = option_find(o->command, name);
	const char *string;

	if (!row)
		return false;
	if (row->kind == OPTION_STRING) {
		memcpy(&string, (const char *)o + row->field.offset, sizeof(string));
		return string;
	}
	if (row->kind == OPTION_NAMES)
		return o->plan.secrets.n;
	if (!row->choices)
		return option_value(o, row);
	return value ? is_word(o, row, value) : option_given(o, row);
}

/* A sample of goroutines or trees needs its share; trees can have a rate instead. */
static int check_share(const struct options *o, struct diag *d)
{
	const struct option_row *row = option_find(o->command, "sample-by");
	const struct plan_limits *l = &o->plan.limits;

	if (!row || !option_given(o, row) || l->sample || (l->by == PLAN_SAMPLE_ROOT && l->rate))
		return CMD_DONE;
	diag_set(d, "--sample-by %s does not say how many", row->choices[l->by - row->least]);
	diag_hint(d, "--sample 1/N does: 1/100 is every hundredth");
	return CMD_USAGE;
}

/* The output goes to a collector. */
static int check_url(const struct options *o, struct diag *d)
{
	const char *host = o->output && otlppost_is_url(o->output) ? strstr(o->output, "//") : NULL;

	bool user = host && host[2 + strcspn(host + 2, "@/?#")] == '@';

	if (!host || (o->format == OPTION_OTLP && !user))
		return CMD_DONE;
	if (user) {
		diag_set(d, "messages would show the user name and the password of the URL");
		diag_hint(d, "OTEL_EXPORTER_OTLP_HEADERS=Authorization=Basic%%20... sends them");
	} else {
		diag_set(d, "only -o otlp can be sent to a URL");
		diag_hint(d, "attach, graph and replay have -o otlp; --output FILE takes all formats");
	}
	return CMD_USAGE;
}

int exclusion_check(const struct options *o, struct diag *d)
{
	for (size_t i = 0; i < sizeof(exclusions) / sizeof(*exclusions); i++) {
		const struct exclusion *e = &exclusions[i];

		if ((e->command != ANY && e->command != (int)o->command) ||
		    !wants(o, e->option, e->value) || !wants(o, e->other, NULL))
			continue;
		diag_set(d, "%s", e->why);
		if (e->hint)
			diag_hint(d, "%s", e->hint);
		return CMD_USAGE;
	}
	return check_share(o, d) ? CMD_USAGE : check_url(o, d);
}
