// SPDX-License-Identifier: GPL-2.0
/* The options and arguments of goprobectl attach. */
#include <string.h>

#include "cmd/attach_options.h"
#include "cmd/cmd.h"
#include "libgoprobe/option_check.h"

const char attachopt_help[] =
"Usage: goprobectl attach [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl attach [OPTION...] -b FILE PATTERN...\n"
"       goprobectl attach [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Print each call and return of the functions that a PATTERN names: a function's\n"
"full name, a glob, or a /regular expression/ found anywhere in the name.\n"
"\n"
"A list behind a PATTERN says what is shown of calls, a second one what of returns:\n"
"'main.handle(r.Method, r.URL.Path, len(r.Header), *r.TLS, m[\"k\"], main.counter)(err)'.\n"
"Which calls: 'main.handle if r.Method == \"POST\" && len(r.Body) > 4096',\n"
"'main.handle if err != nil && duration > 10ms', 'main.handle if n % 100 == 0'.\n"
"A place in the code, with what can be seen there: 'main.go:42(x, y) if x > 3',\n"
"'main.handle+0x1f($rax)', '*0x4829e0'.\n"
"For programs without debug information it can be the function's signature:\n"
"'main.handle(w http.ResponseWriter, r *http.Request) (n int, err error)'.\n"
"\n"
TARGETOPT_HELP
"\n"
"When to end (Ctrl-C always does):\n"
"      --duration TIME     after TIME: 5s, 200ms, 1m\n"
"      --events N          after N calls, returns and places\n"
"      --times N           after N calls of each function, then its breakpoints are removed\n"
MAXLOAD_HELP
"\n"
"How much to show, of the calls that pass their condition:\n"
"      --sample 1/N        every N-th call of each function\n"
"      --sample-by WHAT    call, goroutine (one of N, with all its calls) or root (every\n"
"                          N-th outermost call of each function, with all calls in it)\n"
"      --rate N            N calls of each function in a second; with --sample-by root,\n"
"                          N outermost calls\n"
"\n"
"What to change (the module must have been loaded with allow_writes=1): behind a\n"
"PATTERN, its lists and condition 'set timeout = 5s, r.n = 0', 'on return set err = nil',\n"
"'delay 50ms'. A delay holds the thread: what stops the world waits for it.\n"
"      --dry-run           show what would be changed, and leave it as it is\n"
"\n"
"What to capture:\n"
"      --no-return         calls only, without results and durations\n"
"      --inlined           functions also where they were inlined: when that begins\n"
"      --registers         all integer registers, too\n"
"      --split             how each call's time divides: running, waiting for what\n"
"      --depth N           pointers followed one after another (default 2)\n"
"      --string-limit N    bytes of a string (default 256)\n"
"      --elements N        elements of a slice, map or channel (default 64)\n"
"      --objects N         things pointed to in one call, all together (default 256)\n"
"      --bytes N           bytes of these things, all together (default 12288)\n"
"      --buffer SIZE       memory for each CPU's records: 64k to 64m (default 1m)\n"
"      --lossless          when it is full, have the program wait, not lose records\n"
"      --held N            calls that wait for a condition on results (default 16384)\n"
"\n"
"Output:\n"
"  -o, --format FORMAT     text or json\n"
"      --pretty            values that are long in several lines, indented\n"
"      --output FILE       write events to FILE instead of standard output\n"
"      --record FILE       print nothing: record in FILE, for 'goprobectl replay'\n"
"  -q, --quiet             no header and no summary\n"
"      --strict            exit with status 3 if records were lost\n"
"\n"
"Examples:\n"
"  Watch one method in a running process:\n"
"      goprobectl attach -p 4121 'shop.(*Cart).Add'\n"
"  What fails, or takes long, of what one kind of caller asks for:\n"
"      goprobectl attach -p 4121 'shop.(*Cart).Add if qty > 9 && err != nil'\n"
"      goprobectl attach -p 4121 'main.query if under(main.handle) && duration > 1s'\n"
"  What does a server do when a backend is slow, or fails?\n"
"      goprobectl attach -p 4121 'main.fetch delay 50ms if n % 10 == 0'\n"
"      goprobectl attach -p 4121 'main.fetch on return set n = 0'\n"
"  Every function of package main, from the start of a program:\n"
"      goprobectl attach 'main.*' -- ./server -listen :8080\n"
"  Ten seconds of all processes that run a binary, for another program to read:\n"
"      goprobectl attach -b /usr/bin/caddy -o json --duration 10s \\\n"
"          '/^net\\/http\\.\\(\\*Server\\)\\.Serve$/' > calls.json\n";

/* What is no option of the trace; those that are have values from SET on. */
enum { OPT_OUTPUT = 256, OPT_STRICT, OPT_RECORD, SET };

#define FLAG(text, option)	{ text, no_argument, NULL, SET + GOPROBE_OPTION_ ## option }
#define VALUE(text, option)	{ text, required_argument, NULL, SET + GOPROBE_OPTION_ ## option }

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "binary", required_argument, NULL, 'b' },
	{ "format", required_argument, NULL, 'o' },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	VALUE("duration", DURATION_NS),
	VALUE("events", EVENTS),
	FLAG("no-return", NO_RETURN),
	FLAG("inlined", INLINED),
	FLAG("registers", REGISTERS),
	VALUE("string-limit", STRING_LIMIT),
	VALUE("elements", ELEMENTS),
	VALUE("depth", DEPTH),
	VALUE("objects", OBJECTS),
	VALUE("bytes", BYTES),
	FLAG("pretty", PRETTY),
	VALUE("buffer", RING_BYTES),
	VALUE("held", HELD),
	FLAG("split", SPLIT),
	FLAG("dry-run", DRY_RUN),
	FLAG("lossless", LOSSLESS),
	LIMITOPT_ROW_SAMPLE,
	LIMITOPT_ROW_BY,
	LIMITOPT_ROW_RATE,
	LIMITOPT_ROW_TIMES,
	MAXLOAD_ROW,
	{ "record", required_argument, NULL, OPT_RECORD },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

_Static_assert((int)SET + OPTVALUE_NUMBER <= (int)LIMITOPT_SAMPLE, "each option has its own value");

static int parse_value(struct attachopt *a, enum goprobe_option option, struct diag *d)
{
	a->set.given[option] = true;
	return optvalue_parse(option, optarg, &a->set.v[option], d);
}

static int parse_option(struct attachopt *a, int opt, struct diag *d)
{
	switch (opt) {
	case 'p':
	case 'b':
		return targetopt_option(&a->what, opt, optarg, d);
	case 'o':
		return cmd_parse_format(optarg, &a->format, d);
	case 'q':
		return parse_value(a, GOPROBE_OPTION_QUIET, d);
	case OPT_OUTPUT:
		a->output = optarg;
		break;
	case OPT_RECORD:
		a->record = optarg;
		break;
	case OPT_STRICT:
		a->strict = true;
		break;
	case LIMITOPT_SAMPLE:
	case LIMITOPT_SAMPLE_BY:
	case LIMITOPT_RATE:
	case LIMITOPT_TIMES:
		return limitopt_option(&a->limit, opt, optarg, d);
	case MAXLOAD_OPT:
		return cmd_parse_max_load(&a->load, optarg, d);
	default:
		return parse_value(a, (enum goprobe_option)(opt - SET), d);
	}
	return CMD_DONE;
}

static int parse_options(struct attachopt *a, int argc, char **argv, struct diag *d)
{
	int opt, code;

	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, ":" TARGETOPT_SHORT "o:qh", options, NULL)) != -1) {
		if (opt == 'h')
			return CMD_HELP;
		if (opt == '?' || opt == ':')
			return cmd_bad_option(argv, opt, options, d);
		code = parse_option(a, opt, d);
		if (code)
			return code;
	}
	return CMD_DONE;
}

static int check(struct attachopt *a, struct diag *d)
{
	struct optcheck c = {
		.limit = &a->limit,
		.no_return = a->set.v[GOPROBE_OPTION_NO_RETURN],
		.split = a->set.v[GOPROBE_OPTION_SPLIT],
		.pretty = a->set.v[GOPROBE_OPTION_PRETTY],
		.record = a->record,
	};
	int code = optcheck_together(&c, d);

	if (!code && a->record)
		code = optcheck_recorded(a->output ? "--output" : a->format ? "--format" : NULL,
					 d);
	return code;
}

int attachopt_parse(struct attachopt *a, int argc, char **argv, struct diag *d)
{
	int code;

	a->what.places = true;
	a->what.edits = true;
	code = targetopt_begin(&a->what, &argc, argv, d);
	if (!code)
		code = parse_options(a, argc, argv, d);
	if (!code)
		code = targetopt_end(&a->what, argc, argv, false, d);
	return code ? code : check(a, d);
}

void attachopt_fini(struct attachopt *a)
{
	targetopt_fini(&a->what);
}
