// SPDX-License-Identifier: GPL-2.0
/* The options and arguments of goprobectl attach. */
#include <string.h>

#include "attachopt.h"

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
"      --events N          after N lines\n"
"      --times N           after N calls of each function, whose breakpoints then leave\n"
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
"      --held N            calls that wait for a condition on results (default 16384)\n"
"      --lossless          when it is full, have the program wait, not lose records\n"
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

enum {
	OPT_DURATION = 256,
	OPT_EVENTS,
	OPT_NO_RETURN,
	OPT_STRING_LIMIT,
	OPT_ELEMENTS,
	OPT_DEPTH,
	OPT_OBJECTS,
	OPT_BYTES,
	OPT_PRETTY,
	OPT_BUFFER,
	OPT_LOSSLESS,
	OPT_OUTPUT,
	OPT_STRICT,
	OPT_RECORD,
	OPT_HELD,
	OPT_INLINED,
	OPT_REGISTERS,
	OPT_SPLIT,
	OPT_DRY_RUN,
};

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "binary", required_argument, NULL, 'b' },
	{ "format", required_argument, NULL, 'o' },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "events", required_argument, NULL, OPT_EVENTS },
	{ "no-return", no_argument, NULL, OPT_NO_RETURN },
	{ "inlined", no_argument, NULL, OPT_INLINED },
	{ "registers", no_argument, NULL, OPT_REGISTERS },
	{ "string-limit", required_argument, NULL, OPT_STRING_LIMIT },
	{ "elements", required_argument, NULL, OPT_ELEMENTS },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "objects", required_argument, NULL, OPT_OBJECTS },
	{ "bytes", required_argument, NULL, OPT_BYTES },
	{ "pretty", no_argument, NULL, OPT_PRETTY },
	{ "buffer", required_argument, NULL, OPT_BUFFER },
	{ "held", required_argument, NULL, OPT_HELD },
	{ "split", no_argument, NULL, OPT_SPLIT },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "lossless", no_argument, NULL, OPT_LOSSLESS },
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

/* As in the help: the least ring is the kernel's page-wise minimum. */
#define RING_LEAST (64U << 10)
#define RING_MOST (64U << 20)

/* Limits of what is captured, each a number. */
static const struct {
	int opt;
	const char *name;
	size_t offset;
	uint64_t least;
	uint64_t most;
	const char *wanted;
} limits[] = {
#define LIMIT(opt, name, field, least, most, wanted) \
	{ opt, name, offsetof(struct plan_options, field), least, most, wanted }
	LIMIT(OPT_STRING_LIMIT, "--string-limit", string_limit, 0, 16384, "0 to 16384 bytes"),
	LIMIT(OPT_ELEMENTS, "--elements", elements, 0, 16384, "0 to 16384 elements"),
	LIMIT(OPT_DEPTH, "--depth", depth, 0, 31, "0 to 31 references"),
	LIMIT(OPT_OBJECTS, "--objects", objects, 0, 1024, "0 to 1024 objects"),
	LIMIT(OPT_BYTES, "--bytes", bytes, 0, 16384, "0 to 16384 bytes"),
#undef LIMIT
};

_Static_assert(PLAN_DEPTH_MAX == 31 && PLAN_OBJECTS_MAX == 1024 && PLAN_BYTES_MAX == 16384,
	       "limits[] says so");

static int parse_limit(struct attachopt *a, int opt, struct diag *d)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		uint64_t n;
		uint32_t v;

		if (limits[i].opt != opt)
			continue;
		if (!cmd_parse_number(optarg, limits[i].least, limits[i].most, &n))
			return cmd_bad_value(limits[i].name, optarg, limits[i].wanted, d);
		v = (uint32_t)n;
		memcpy((char *)&a->plan + limits[i].offset, &v, sizeof(v));
	}
	return CMD_DONE;
}

static int parse_option(struct attachopt *a, int opt, struct diag *d)
{
	uint64_t n;

	switch (opt) {
	case 'p':
	case 'b':
		return targetopt_option(&a->what, opt, optarg, d);
	case 'o':
		return cmd_parse_format(optarg, &a->format, d);
	case 'q':
		a->quiet = true;
		break;
	case OPT_OUTPUT:
		a->output = optarg;
		break;
	case OPT_RECORD:
		a->record = optarg;
		break;
	case OPT_DURATION:
		if (!cmd_parse_duration(optarg, &a->duration))
			return cmd_bad_value("--duration", optarg, "a time: 5s, 200ms, 1m", d);
		break;
	case OPT_EVENTS:
		if (!cmd_parse_number(optarg, 1, UINT64_MAX, &a->events))
			return cmd_bad_value("--events", optarg, "a number from 1 on", d);
		break;
	case OPT_NO_RETURN:
		a->plan.no_return = true;
		break;
	case OPT_INLINED:
		a->plan.inlined = true;
		break;
	case OPT_REGISTERS:
		a->plan.registers = true;
		break;
	case OPT_STRING_LIMIT:
	case OPT_ELEMENTS:
	case OPT_DEPTH:
	case OPT_OBJECTS:
	case OPT_BYTES:
		a->bytes_given |= opt == OPT_BYTES;
		return parse_limit(a, opt, d);
	case OPT_PRETTY:
		a->pretty = true;
		break;
	case OPT_BUFFER:
		if (!cmd_parse_size(optarg, &n) || n < RING_LEAST || n > RING_MOST)
			return cmd_bad_value("--buffer", optarg, "a size: 64k to 64m", d);
		a->ring_bytes = n;
		break;
	case OPT_HELD:
		if (!cmd_parse_number(optarg, 1, 1 << 20, &n))
			return cmd_bad_value("--held", optarg, "a number from 1 to 1048576", d);
		a->held = n;
		break;
	case LIMITOPT_SAMPLE:
	case LIMITOPT_SAMPLE_BY:
	case LIMITOPT_RATE:
	case LIMITOPT_TIMES:
		return limitopt_option(&a->limit, opt, optarg, d);
	case MAXLOAD_OPT:
		return maxload_parse(&a->load, optarg, d);
	case OPT_SPLIT:
		a->plan.split = true;
		break;
	case OPT_DRY_RUN:
		a->plan.dry_run = true;
		break;
	case OPT_LOSSLESS:
		a->lossless = true;
		break;
	case OPT_STRICT:
		a->strict = true;
		break;
	}
	return CMD_DONE;
}

/* What says how lines look has no place where none are printed. */
static int check_output(struct attachopt *a, struct diag *d)
{
	const char *option = a->output ? "--output" : a->pretty ? "--pretty" :
			     a->format ? "--format" : NULL;

	if (!a->format)
		a->format = &out_text;
	if (a->record && a->limit.limits.times) {
		diag_set(d, "--times needs to look at each record, and --record does not");
		diag_hint(d, "--rate N, or --events N, limits what is recorded");
		return CMD_USAGE;
	}
	if (!a->record || !option)
		return CMD_DONE;
	diag_set(d, "--record prints no events, so %s means nothing", option);
	diag_hint(d, "record without it, and give it to goprobectl replay");
	return CMD_USAGE;
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

int attachopt_parse(struct attachopt *a, int argc, char **argv, struct diag *d)
{
	int code;

	a->plan = plan_defaults;
	a->what.places = true;
	a->what.edits = true;
	code = targetopt_begin(&a->what, &argc, argv, d);
	if (!code)
		code = parse_options(a, argc, argv, d);
	if (!code)
		code = targetopt_end(&a->what, argc, argv, false, d);
	if (!code)
		code = limitopt_end(&a->limit, a->plan.no_return, d);
	if (!code)
		code = check_output(a, d);
	if (!code && a->plan.split && a->plan.no_return) {
		diag_set(d, "--split divides durations, and --no-return leaves them out");
		code = CMD_USAGE;
	}
	a->plan.limits = a->limit.limits;
	return code;
}

void attachopt_fini(struct attachopt *a)
{
	targetopt_fini(&a->what);
}
