// SPDX-License-Identifier: GPL-2.0
/* goprobectl replay: a recording as lines. All of it is libgoprobe. */
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/trace_options.h"
#include "libgoprobe/option_value.h"

static const char help[] =
"Usage: goprobectl replay [OPTION...] FILE\n"
"\n"
"Print what 'goprobectl attach --record FILE' has recorded: the lines that attach\n"
"would have printed. The module is not needed, but the programs that were traced are:\n"
"types and names come from them.\n"
"\n"
"  -b, --binary FILE       where a program is now, if not where it was; may be given\n"
"                          more than once\n"
"  -o, --format FORMAT     text or json\n"
"      --pretty            values that are long in several lines, indented\n"
"      --output FILE       write events to FILE instead of standard output\n"
"      --events N          end after N calls, returns and places\n"
"  -q, --quiet             no header and no summary\n"
"      --strict            exit with status 3 if records were lost\n"
"\n"
"Examples:\n"
"  Record ten seconds at full speed, look at them later:\n"
"      goprobectl attach -p 4121 --record calls.rec --duration 10s 'shop.*'\n"
"      goprobectl replay calls.rec\n"
"  On another machine, which has the program elsewhere:\n"
"      goprobectl replay -b ./shop -o json calls.rec\n";

/**
 * struct options - what the command was asked for
 * @set: options of the trace
 * @format: output format, or NULL
 * @output: argument of --output, or NULL
 * @path: the recording
 * @binaries: arguments of -b
 * @nbinaries: their number
 * @strict: losses are a failure
 */
struct options {
	struct optvalues set;
	const struct out_format *format;
	const char *output;
	const char *path;
	char **binaries;
	size_t nbinaries;
	bool strict;
};

enum { OPT_PRETTY = 256, OPT_OUTPUT, OPT_EVENTS, OPT_STRICT };

static const struct option options[] = {
	{ "binary", required_argument, NULL, 'b' },
	{ "format", required_argument, NULL, 'o' },
	{ "pretty", no_argument, NULL, OPT_PRETTY },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "events", required_argument, NULL, OPT_EVENTS },
	{ "quiet", no_argument, NULL, 'q' },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int parse_value(struct options *o, enum goprobe_option option, struct diag *d)
{
	o->set.given[option] = true;
	return optvalue_parse(option, optarg, &o->set.v[option], d);
}

static int parse_option(struct options *o, int opt, char **argv, struct diag *d)
{
	switch (opt) {
	case 'h':
		return CMD_HELP;
	case 'b':
		o->binaries[o->nbinaries++] = optarg;
		return CMD_DONE;
	case 'o':
		return cmd_parse_format(optarg, &o->format, d);
	case OPT_OUTPUT:
		o->output = optarg;
		return CMD_DONE;
	case OPT_STRICT:
		o->strict = true;
		return CMD_DONE;
	case OPT_PRETTY:
		return parse_value(o, GOPROBE_OPTION_PRETTY, d);
	case OPT_EVENTS:
		return parse_value(o, GOPROBE_OPTION_EVENTS, d);
	case 'q':
		return parse_value(o, GOPROBE_OPTION_QUIET, d);
	default:
		return cmd_bad_option(argv, opt, options, d);
	}
}

static int parse(struct options *o, int argc, char **argv, struct diag *d)
{
	int opt, code;

	o->binaries = calloc(argc, sizeof(*o->binaries));
	if (!o->binaries) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, ":b:o:qh", options, NULL)) != -1) {
		code = parse_option(o, opt, argv, d);
		if (code)
			return code;
	}
	if (argc - optind != 1) {
		diag_set(d, optind == argc ? "no FILE: which recording?" :
					     "one recording at a time");
		return CMD_USAGE;
	}
	o->path = argv[optind];
	return CMD_DONE;
}

static int set_up(struct goprobe_trace *t, const struct options *o)
{
	if (goprobe_trace_replay(t, o->path))
		return -1;
	for (size_t i = 0; i < o->nbinaries; i++)
		if (goprobe_trace_program(t, o->binaries[i]))
			return -1;
	return traceopt_set(t, &o->set) || traceopt_output(t, o->format, o->output) ? -1 : 0;
}

static int show(const struct options *o, struct diag *d)
{
	struct goprobe_trace *t = traceopt_begin(d);
	struct goprobe_counts n;
	int code;

	if (!t)
		return CMD_FAILED;
	if (set_up(t, o) || goprobe_trace_start(t) || goprobe_trace_run(t)) {
		code = traceopt_failed(t, d);
	} else {
		goprobe_trace_counts(t, &n, sizeof(n));
		code = o->strict && n.lost ? CMD_LOST : CMD_DONE;
	}
	goprobe_trace_free(t);
	return code;
}

static int run(int argc, char **argv, struct diag *d)
{
	struct options o = { 0 };
	int code = parse(&o, argc, argv, d);

	if (code == CMD_DONE)
		code = show(&o, d);
	free(o.binaries);
	return code;
}

const struct cmd cmd_replay = {
	.name = "replay",
	.summary = "print what attach --record has recorded",
	.help = help,
	.run = run,
};
