// SPDX-License-Identifier: GPL-2.0
/* The table of options: names, commands, arguments, ranges and help. */
#include <string.h>

#include "base/clock.h"
#include "option/option.h"

/* A bit for each command. */
#define BIT(upper, lower) upper = 1U << COMMAND_##upper,

enum {
	COMMANDS(BIT)
};

#define TABLES	(COUNT | LATENCY | STACK)
#define TRACES	(ATTACH | TABLES | TOP | GRAPH | STUCK)
#define LOOKS	(WATCH | READ | WRITE | GOROUTINES)
/* Commands that choose processes by what they are in. */
#define PLACED	(TRACES | LOOKS | RUN | LIST | SEARCH | DOCTOR | PS)
/* Commands that show values. */
#define VALUES	(ATTACH | TABLES | GRAPH | STUCK | LOOKS)
#define OR(upper, lower) | upper
#define ALL	(0 COMMANDS(OR))

/* Offset and size of a member. */
#define FIELD(...) \
	{ offsetof(struct options, __VA_ARGS__), sizeof(((struct options *)0)->__VA_ARGS__) }

static const char *const formats[] = { "text", "json", NULL };
static const char *const stack_formats[] = {
	"text", "json", "folded", "pprof", "flamegraph", NULL
};

static const char *const event_formats[] = {
	"text", "json", "", "", "", "chrome", "otlp", "timeline", NULL
};

static const char *const replay_formats[] = {
	"text", "json", "folded", "", "flamegraph", "chrome", "otlp", "timeline", NULL
};

static const char *const table_formats[] = {
	"text", "json", "", "", "", "", "", "", "openmetrics", NULL
};

static const char *const graph_formats[] = {
	"text", "json", "folded", "", "flamegraph", "chrome", "otlp", "timeline", NULL
};

static const char *const jumps[] = { "off", "auto", "always", NULL };
static const char *const groups[] = { "none", "stack", "creator", "state", NULL };
static const char *const weights[] = { "calls", "time", "wait", NULL };
static const char *const sorts[] = { "goid", "wait", NULL };
static const char *const samples[] = { "call", "goroutine", "root", NULL };

_Static_assert((int)GOPROBE_SAMPLE_CALL == (int)PLAN_SAMPLE_CALL &&
	       (int)GOPROBE_SAMPLE_GOROUTINE == (int)PLAN_SAMPLE_GOROUTINE &&
	       (int)GOPROBE_SAMPLE_ROOT == (int)PLAN_SAMPLE_ROOT &&
	       (int)GOPROBE_TRAPLESS_AUTO == (int)PLAN_JUMPS_AUTO &&
	       (int)GOPROBE_TRAPLESS_ALWAYS == (int)PLAN_JUMPS_ALWAYS,
	       "libgoprobe has the same numbers");

const struct option_row option_rows[] = {
	/* What to trace. */
	{ "pid", 'p', TRACES | RUN | LIST | SEARCH | DOCTOR, OPTIONS_TARGET, OPTION_PIDS, "PID[,PID...]",
	  FIELD(pids), .help = "running processes, or the name of a program that one process\n"
	  "runs; may be given more than once" },
	{ "pid", 'p', LOOKS, OPTIONS_TARGET, OPTION_PID, "PID",
	  FIELD(pids), .help = "the process, or the name of a program that one process runs" },
	{ "container", 0, PLACED, OPTIONS_TARGET, OPTION_STRING, "NAME|ID",
	  FIELD(wish.container), .help = "the Go programs of a container, by its name or the first\n"
	  "digits of its id" },
	{ "pod", 0, PLACED, OPTIONS_TARGET, OPTION_STRING, "[NAMESPACE/]NAME", FIELD(wish.pod),
	  .help = "those of a pod; with --container, of one of its containers" },
	{ "cgroup", 0, PLACED, OPTIONS_TARGET, OPTION_STRING, "PATH", FIELD(wish.group),
	  .help = "those in a control group, or below it" },
	{ "binary", 'b', TRACES | RUN, OPTIONS_TARGET, OPTION_STRING, "FILE", FIELD(file),
	  .help = "all processes that run or load FILE, now or later; with -p,\n"
	  "or a container, only those of the given processes" },
	{ "binary", 'b', GOROUTINES, OPTIONS_TARGET, OPTION_STRING, "FILE", FIELD(file),
	  .help = "goroutines of FILE, a Go library that the process has loaded,\n"
	  "instead of those of its executable" },
	{ "binary", 'b', LOOKS & ~GOROUTINES, OPTIONS_TARGET, OPTION_STRING, "FILE", FIELD(file),
	  .help = "variables of FILE, a Go library that the process has loaded,\n"
	  "instead of those of its executable" },
	{ "binary", 'b', LIST | SEARCH | DOCTOR, OPTIONS_TARGET, OPTION_STRING, "FILE", FIELD(file),
	  .help = "a Go binary; with -p, a library that the process has loaded" },
	{ "binary", 'b', REPLAY, OPTIONS_TARGET, OPTION_STRINGS, "FILE", FIELD(files),
	  .help = "the present path of a program that was moved; may be given\n"
	  "more than once" },
	{ NULL, 0, (TRACES & ~TOP) | RUN, OPTIONS_TARGET, OPTION_COMMAND, "COMMAND [ARG...]",
	  FIELD(argv), .help = "a new process, from its first instruction on; its exit\n"
	  "status becomes goprobectl's" },

	/* Which calls to report. */
	{ "longer-than", 0, STUCK, OPTIONS_LONG, OPTION_TIME, "TIME", FIELD(longer_than),
	  "5s, 200ms, 1m (default 1s)", .least = CLOCK_MS, .initial = CLOCK_SECOND },
	{ "longer-than", 0, GOROUTINES, OPTIONS_LONG, OPTION_TIME, "TIME", FIELD(longer_than),
	  "only goroutines that have waited for at least TIME: 5s, 1m", .least = 1 },
	{ "held", 0, STUCK, OPTIONS_LONG, OPTION_NUMBER, "N", FIELD(held),
	  "calls that can be open at once (default 16384)", .least = 1, .most = UINT32_MAX },

	/* When to end. */
	{ "duration", 0, TRACES | RUN | WATCH, OPTIONS_END, OPTION_TIME, "TIME", FIELD(duration),
	  "after TIME: 5s, 200ms, 1m", .least = 1, .most = INT64_MAX,
	  .key = GOPROBE_OPTION_DURATION_NS },
	{ "events", 0, ATTACH | REPLAY, OPTIONS_END, OPTION_NUMBER, "N", FIELD(events),
	  "after N calls, returns and places", .least = 1, .key = GOPROBE_OPTION_EVENTS },
	{ "times", 0, ATTACH, OPTIONS_END, OPTION_NUMBER, "N", FIELD(plan.limits.times),
	  "after N calls of each function; then its breakpoints are\n"
	  "removed", .least = 1, .most = 1000000000, .key = GOPROBE_OPTION_TIMES },
	{ "count", 0, WATCH, OPTIONS_END, OPTION_NUMBER, "N", FIELD(lines), "after N lines",
	  .least = 1 },
	{ "max-load", 0, TRACES, OPTIONS_END, OPTION_LOAD, "PERCENT", FIELD(max_load),
	  "when breakpoints take more than PERCENT of a processor's\n"
	  "time, or off; default 50 for each processor of the machine", .least = 1, .most = 1000000,
	  .key = GOPROBE_OPTION_MAX_LOAD },

	/* How much to show. */
	{ "sample", 0, ATTACH, OPTIONS_AMOUNT, OPTION_SHARE, "1/N",
	  FIELD(plan.limits.sample),
	  "every N-th call of each function", .least = 1, .most = 1000000000,
	  .key = GOPROBE_OPTION_SAMPLE, .recorded = true },
	{ "sample", 0, GRAPH, OPTIONS_AMOUNT, OPTION_SHARE, "1/N", FIELD(plan.limits.sample),
	  "every N-th tree of those that start with the same function;\n"
	  "goroutines that it starts have trees of their own", .least = 1,
	  .most = 1000000000 },
	{ "sample-by", 0, ATTACH, OPTIONS_AMOUNT, OPTION_CHOICE, "WHAT",
	  FIELD(plan.limits.by),
	  "call, goroutine (one of N, with all its calls) or root (every\n"
	  "N-th outermost call of each function, with all calls inside)",
	  .choices = samples, .key = GOPROBE_OPTION_SAMPLE_BY, .recorded = true },
	{ "sample-by", 0, GRAPH, OPTIONS_AMOUNT, OPTION_CHOICE, "WHAT", FIELD(plan.limits.by),
	  "root, as above, or goroutine: one of N, with all its trees",
	  .least = PLAN_SAMPLE_GOROUTINE, .initial = PLAN_SAMPLE_ROOT, .choices = samples + 1 },
	{ "rate", 0, ATTACH, OPTIONS_AMOUNT, OPTION_NUMBER, "N", FIELD(plan.limits.rate),
	  "N calls of each function per second; with --sample-by root,\n"
	  "N outermost calls", .least = 1, .most = 1000000, .key = GOPROBE_OPTION_RATE,
	  .recorded = true },
	{ "rate", 0, GRAPH, OPTIONS_AMOUNT, OPTION_NUMBER, "N", FIELD(plan.limits.rate),
	  "N trees per second that start with the same function", .least = 1, .most = 1000000 },
	{ "depth", 0, GRAPH, OPTIONS_AMOUNT, OPTION_NUMBER, "N", FIELD(levels),
	  "levels of a tree, 1 to 1000", .least = 1, .most = 1000, .initial = 50,
	  .unit = "levels" },
	{ "calls", 0, GRAPH, OPTIONS_AMOUNT, OPTION_NUMBER, "N", FIELD(calls),
	  "calls of one tree, 1 to 1000000", .least = 1, .most = 1000000,
	  .initial = 10000, .unit = "calls" },

	{ "state", 0, GOROUTINES, OPTIONS_AMOUNT, OPTION_STRING, "GLOB", FIELD(state),
	  .help = "those in this state, or that wait for this: waiting, 'chan*'" },
	{ "with", 0, GOROUTINES, OPTIONS_AMOUNT, OPTION_STRING, "PATTERN", FIELD(with),
	  .help = "those with such a function on their stack: 'main.*'" },

	/* What to change. */
	{ "dry-run", 0, ATTACH | WRITE, OPTIONS_CHANGE, OPTION_FLAG, NULL,
	  FIELD(plan.dry_run),
	  "show what would be changed, without changing it", .most = 1,
	  .key = GOPROBE_OPTION_DRY_RUN, .recorded = true },

	/* What to capture. */
	{ "no-return", 0, ATTACH, OPTIONS_CAPTURE, OPTION_FLAG, NULL, FIELD(plan.no_return),
	  "calls only, without results and durations", .most = 1,
	  .key = GOPROBE_OPTION_NO_RETURN, .recorded = true },
	{ "inlined", 0, ATTACH | COUNT, OPTIONS_CAPTURE, OPTION_FLAG, NULL,
	  FIELD(plan.inlined),
	  "functions wherever they were inlined, too", .most = 1,
	  .key = GOPROBE_OPTION_INLINED, .recorded = true },
	{ "no-inlined", 0, COUNT, OPTIONS_CAPTURE, OPTION_FLAG, NULL,
	  FIELD(plan.no_inlined),
	  "not where they were inlined, even if that is sure to be\n"
	  "right", .most = 1 },
	{ "trapless", 0, COUNT | LATENCY | TOP, OPTIONS_CAPTURE, OPTION_CHOICE, "WHEN",
	  FIELD(plan.jumps),
	  "without traps, by jumps in the program's code: off, auto\n"
	  "(default: functions that are called often, if the module\n"
	  "was loaded with allow_jumps=1) or always",
	  .initial = PLAN_JUMPS_AUTO, .choices = jumps },
	{ "trapless", 0, ATTACH, OPTIONS_CAPTURE, OPTION_CHOICE, "WHEN", FIELD(plan.jumps),
	  "no traps for calls and returns with integers alone, nor,\n"
	  "with --no-return, for calls that do not pass a condition\n"
	  "on integers, by jumps in the program's code: off, auto\n"
	  "(default: functions that are called often, if the module\n"
	  "was loaded with allow_jumps=1) or always",
	  .initial = PLAN_JUMPS_AUTO, .choices = jumps,
	  .key = GOPROBE_OPTION_TRAPLESS },
	{ "registers", 0, ATTACH, OPTIONS_CAPTURE, OPTION_FLAG, NULL, FIELD(plan.registers),
	  "all integer registers as well", .most = 1, .key = GOPROBE_OPTION_REGISTERS,
	  .recorded = true },
	{ "stack", 0, ATTACH, OPTIONS_CAPTURE, OPTION_NUMBER, "N", FIELD(plan.callers),
	  "with each call, who called: the stack, N functions at most", .least = 1,
	  .most = PLAN_CALLERS_MAX, .unit = "functions", .key = GOPROBE_OPTION_STACK,
	  .recorded = true },
	{ "split", 0, ATTACH | LATENCY | GRAPH, OPTIONS_CAPTURE, OPTION_FLAG, NULL,
	  FIELD(plan.split), "time of each call by state: running, or kind of waiting", .most = 1,
	  .key = GOPROBE_OPTION_SPLIT, .recorded = true },
	{ "follow", 0, GRAPH, OPTIONS_CAPTURE, OPTION_NUMBER, "N", FIELD(follow),
	  "pointers followed in values (default 0: only those of\n"
	  "strings and errors)", .most = PLAN_DEPTH_MAX, .unit = "references" },
	{ "depth", 0, ATTACH | READ, OPTIONS_CAPTURE, OPTION_NUMBER, "N", FIELD(plan.depth),
	  "pointers followed one after another", .most = PLAN_DEPTH_MAX,
	  .unit = "references", .key = GOPROBE_OPTION_DEPTH, .recorded = true },
	{ "string-limit", 0, ATTACH | READ, OPTIONS_CAPTURE, OPTION_NUMBER, "N",
	  FIELD(plan.string_limit), "bytes of a string", .most = PLAN_BYTES_MAX,
	  .unit = "bytes", .key = GOPROBE_OPTION_STRING_LIMIT, .recorded = true },
	{ "elements", 0, ATTACH | READ, OPTIONS_CAPTURE, OPTION_NUMBER, "N",
	  FIELD(plan.elements), "elements of a slice, map or channel",
	  .most = PLAN_BYTES_MAX, .unit = "elements", .key = GOPROBE_OPTION_ELEMENTS,
	  .recorded = true },
	{ "objects", 0, ATTACH, OPTIONS_CAPTURE, OPTION_NUMBER, "N", FIELD(plan.objects),
	  "referenced objects in one call, all together", .most = PLAN_OBJECTS_MAX,
	  .unit = "objects", .key = GOPROBE_OPTION_OBJECTS, .recorded = true },
	{ "bytes", 0, ATTACH, OPTIONS_CAPTURE, OPTION_NUMBER, "N", FIELD(plan.bytes),
	  "bytes of these objects, all together", .most = PLAN_BYTES_MAX,
	  .unit = "bytes", .key = GOPROBE_OPTION_BYTES, .recorded = true },
	{ "redact", 0, VALUES, OPTIONS_CAPTURE, OPTION_NAMES, "NAME[,NAME...]",
	  FIELD(plan.secrets), .help = "values of these names as well, besides passwords, tokens,\n"
	  "cards and the like; may be given more than once" },
	{ "no-redact", 0, VALUES, OPTIONS_CAPTURE, OPTION_FLAG, NULL, FIELD(plan.secrets.off),
	  "passwords, tokens, cards and the like are not redacted", .most = 1,
	  .key = GOPROBE_OPTION_NO_REDACT, .recorded = true },
	{ "buffer", 0, ATTACH | GRAPH, OPTIONS_CAPTURE, OPTION_SIZE, "SIZE", FIELD(ring_bytes),
	  "memory for each CPU's records: 64k to 64m (default 1m)", .least = 64U << 10,
	  .most = 64U << 20, .key = GOPROBE_OPTION_RING_BYTES },
	{ "lossless", 0, ATTACH | GRAPH, OPTIONS_CAPTURE, OPTION_FLAG, NULL, FIELD(lossless),
	  "when it is full, the program waits instead of losing records", .most = 1,
	  .key = GOPROBE_OPTION_LOSSLESS },
	{ "held", 0, ATTACH | GRAPH, OPTIONS_CAPTURE, OPTION_NUMBER, "N", FIELD(held),
	  "calls that wait for a condition on results (default 16384)", .least = 1,
	  .most = 1 << 20, .key = GOPROBE_OPTION_HELD },
	{ "held", 0, TABLES | TOP, OPTIONS_CAPTURE, OPTION_NUMBER, "N", FIELD(held),
	  "calls that can be open at once (default 131072; 16384\n"
	  "with a condition on results)", .least = 1024, .most = 1 << 20 },
	{ "frames", 0, STACK, OPTIONS_CAPTURE, OPTION_NUMBER, "N", FIELD(frames),
	  "functions of a stack, 2 to 90", .least = 2, .most = 90, .initial = 64 },
	{ "weight", 0, STACK, OPTIONS_CAPTURE, OPTION_WEIGHT, "WHAT", FIELD(weight),
	  "of a stack: its calls (default), their time from call to\n"
	  "return, how much of that they wait (off-CPU), or the sum of\n"
	  "an integer expression: size, len(s)", .choices = weights },
	{ "stacks", 0, STACK, OPTIONS_CAPTURE, OPTION_NUMBER, "N", FIELD(keys),
	  "different stacks", .least = 1, .most = 262144, .initial = 4096 },
	{ "by", 0, TABLES, OPTIONS_CAPTURE, OPTION_BY, "EXPR", FIELD(by),
	  .help = "group by the value of EXPR: r.Method, len(s), goid; up to 4" },
	{ "sum", 0, COUNT, OPTIONS_CAPTURE, OPTION_SUM, "EXPR", FIELD(by),
	  .help = "sum, mean, minimum and maximum of the integer EXPR: len(s)" },
	{ "hist", 0, COUNT, OPTIONS_CAPTURE, OPTION_HIST, "EXPR", FIELD(by),
	  .help = "the same with a histogram, by powers of two" },
	{ "linear", 0, COUNT, OPTIONS_CAPTURE, OPTION_RANGE, "LO,HI,STEP", FIELD(by),
	  .help = "make that histogram by steps: 0,1000,100 has ten buckets" },
	{ "keys", 0, COUNT | LATENCY, OPTIONS_CAPTURE, OPTION_NUMBER, "N", FIELD(keys),
	  "different values of --by", .least = 1, .most = 262144, .initial = 4096 },

	/* Output. */
	{ "interval", 'i', TABLES, OPTIONS_OUTPUT, OPTION_TIME, "TIME", FIELD(interval),
	  "a table every TIME, not only at the end", .least = CLOCK_MS },
	{ "interval", 'i', GOROUTINES, OPTIONS_OUTPUT, OPTION_TIME, "TIME", FIELD(interval),
	  "look every TIME: which groups have grown since the first\n"
	  "look, and by how much", .least = CLOCK_MS, .most = 86400 * CLOCK_SECOND },
	{ "interval", 'i', STUCK, OPTIONS_OUTPUT, OPTION_TIME, "TIME", FIELD(interval),
	  "look every TIME (default a quarter of --longer-than)", .least = CLOCK_MS },
	{ "interval", 'i', WATCH, OPTIONS_OUTPUT, OPTION_TIME, "TIME", FIELD(interval),
	  "between two lines: 1s, 200ms, 1m (default 1s)", .least = CLOCK_MS,
	  .initial = CLOCK_SECOND },
	{ "interval", 'i', TOP, OPTIONS_OUTPUT, OPTION_TIME, "TIME", FIELD(interval),
	  "between two looks: 1s, 200ms (default 1s)", .least = 100 * CLOCK_MS,
	  .initial = CLOCK_SECOND },
	{ "points", 0, LIST, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(points),
	  "each breakpoint, the instruction that it covers, and how\n"
	  "that is executed: single-steps make a hit expensive.\n"
	  "Inlined copies of functions are listed as well, and places\n"
	  "in the code ('main.go:42', 'main.foo+0x1f', '*0x4829e0')", .most = 1 },
	{ "instructions", 0, LIST, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(instructions),
	  "each instruction of the functions, and whether it can get a\n"
	  "breakpoint; for a place in the code, the one at that place", .most = 1 },
	{ "vars", 0, LIST, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(vars),
	  "package variables ('main.*') with type, size and address;\n"
	  "each variable that can be seen at a place ('main.go:42'), or\n"
	  "where a function begins: its type, and where it is", .most = 1 },
	{ "vars", 0, SEARCH, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(vars),
	  "package variables in place of functions: type, size, address", .most = 1 },
	{ "report", 0, DOCTOR, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(report),
	  "also what a report of a fault needs: versions, processors,\n"
	  "parameters. Programs and files are not named", .most = 1 },
	{ "places", 0, COUNT, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(plan.places),
	  "a row for each place where a function was inlined", .most = 1 },
	{ "top", 0, COUNT | LATENCY, OPTIONS_OUTPUT, OPTION_NUMBER, "N", FIELD(top),
	  "only the first N functions or keys", .least = 1, .most = UINT32_MAX },
	{ "top", 0, SEARCH, OPTIONS_OUTPUT, OPTION_NUMBER, "N", FIELD(top),
	  "only the first N functions or variables", .least = 1, .most = UINT32_MAX,
	  .initial = 20 },
	{ "top", 0, STACK, OPTIONS_OUTPUT, OPTION_NUMBER, "N", FIELD(top),
	  "only the first N stacks", .least = 1, .most = UINT32_MAX },
	{ "top", 0, GOROUTINES, OPTIONS_OUTPUT, OPTION_NUMBER, "N", FIELD(top),
	  "only the first N goroutines or groups", .least = 1, .most = UINT32_MAX },
	{ "group", 0, GOROUTINES, OPTIONS_OUTPUT, OPTION_CHOICE, "WHAT", FIELD(group),
	  "by stack, creator or state, with the number of goroutines", .choices = groups },
	{ "sort", 0, GOROUTINES, OPTIONS_OUTPUT, OPTION_CHOICE, "WHAT", FIELD(sort),
	  "goid, or wait: the longest first", .choices = sorts },
	{ "histogram", 0, LATENCY, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(histogram),
	  "how many calls took how long; default for one function", .most = 1 },
	{ "creator", 0, STACK, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(creator),
	  "use the goroutine's creator as the root of stacks in folded\n"
	  "and pprof; text and JSON always show it", .most = 1 },
	{ "graph", 0, REPLAY, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(graph),
	  "call trees, as 'goprobectl graph' prints them", .most = 1 },
	{ "merge", 0, GRAPH | REPLAY, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(merge),
	  "one tree of all: calls that were reached by the same path are\n"
	  "one line, with their number and their times", .most = 1 },
	{ "flat", 0, GRAPH | REPLAY, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(flat),
	  "a line for each function: its time without the calls that it\n"
	  "made, its time with them, and its calls", .most = 1 },
	{ "creator", 0, ATTACH, OPTIONS_CAPTURE, OPTION_FLAG, NULL, FIELD(plan.goroutine),
	  "who starts each goroutine: replay -o chrome, -o otlp and\n"
	  "-o timeline then connect them, as those of attach always do", .most = 1,
	  .key = GOPROBE_OPTION_CREATOR, .recorded = true },
	{ "format", 'o', LOOKS | STUCK | LIST | SEARCH | PS | INFO | DOCTOR, OPTIONS_OUTPUT,
	  OPTION_CHOICE, "FORMAT", FIELD(format), "text or json", .choices = formats },
	{ "format", 'o', STACK, OPTIONS_OUTPUT, OPTION_CHOICE, "FORMAT", FIELD(format),
	  "text, json, folded (lines for other tools), pprof, or\n"
	  "flamegraph (a picture, SVG)", .choices = stack_formats },
	{ "format", 'o', REPLAY, OPTIONS_OUTPUT, OPTION_FORMAT, "FORMAT", FIELD(format),
	  "text, json, chrome (trees of calls, for Perfetto), otlp (the\n"
	  "same as spans, JSON), timeline (the same as a page, HTML),\n"
	  "folded (lines for other tools), flamegraph (a picture, SVG);\n"
	  "or a line with fields, such as\n"
	  "'{time} {goid} {func} {args.sql} {duration}'", .choices = replay_formats },
	{ "format", 'o', ATTACH, OPTIONS_OUTPUT, OPTION_FORMAT, "FORMAT", FIELD(format),
	  "text, json, chrome (trees of calls, for Perfetto), otlp (the\n"
	  "same as spans, JSON), timeline (the same as a page, HTML);\n"
	  "or a line with fields, such as\n"
	  "'{time} {goid} {func} {args.sql} {duration}'", .choices = event_formats },
	{ "format", 'o', COUNT | LATENCY, OPTIONS_OUTPUT, OPTION_CHOICE, "FORMAT", FIELD(format),
	  "text, json or openmetrics (for Prometheus)", .choices = table_formats },
	{ "format", 'o', GRAPH, OPTIONS_OUTPUT, OPTION_CHOICE, "FORMAT", FIELD(format),
	  "text, json, folded (lines for other tools), flamegraph (a\n"
	  "picture, SVG), chrome (for Perfetto), otlp (spans, JSON), or\n"
	  "timeline (a page, HTML)", .choices = graph_formats },
	{ "no-zero", 0, ATTACH | REPLAY, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(no_zero),
	  "text leaves out the fields of structs that are zero", .most = 1 },
	{ "pretty", 0, ATTACH | REPLAY, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(pretty),
	  "long values in several lines, indented", .most = 1,
	  .key = GOPROBE_OPTION_PRETTY },
	{ "output", 0, STUCK, OPTIONS_OUTPUT, OPTION_STRING, "FILE", FIELD(output),
	  .help = "write to FILE instead of standard output" },
	{ "output", 0, ATTACH | GRAPH | REPLAY, OPTIONS_OUTPUT, OPTION_STRING, "FILE",
	  FIELD(output), .help = "write to FILE instead of standard output; -o otlp also sends\n"
	  "to a collector: http://HOST:PORT, https://HOST" },
	{ "output", 0, COUNT | LATENCY, OPTIONS_OUTPUT, OPTION_STRING, "FILE", FIELD(output),
	  .help = "write to FILE instead of standard output; openmetrics\n"
	  "replaces FILE as a whole, each time" },
	{ "listen", 0, COUNT | LATENCY, OPTIONS_OUTPUT, OPTION_STRING, "[ADDR:]PORT", FIELD(listen),
	  .help = "serve http://ADDR:PORT/metrics meanwhile, for Prometheus;\n"
	  "ADDR is 127.0.0.1 unless given, port 0 a free one" },
	{ "output", 0, STACK, OPTIONS_OUTPUT, OPTION_STRING, "FILE", FIELD(output),
	  .help = "write to FILE instead of standard output; pprof and flamegraph\n"
	  "refuse to write to a terminal" },
	{ "open", 0, ATTACH | GRAPH | REPLAY | STACK, OPTIONS_OUTPUT, OPTION_FLAG, NULL,
	  FIELD(open), "serve the picture (flamegraph or timeline) on this machine,\n"
	  "print its address, and end when a browser has it", .most = 1 },
	{ "record", 0, ATTACH, OPTIONS_OUTPUT, OPTION_STRING, "FILE", FIELD(record),
	  .help = "print nothing: record in FILE, for 'goprobectl replay'" },
	{ "diff", 0, REPLAY, OPTIONS_OUTPUT, OPTION_STRING, "OLD", FIELD(diff),
	  .help = "compare with the recording OLD: how long calls of each\n"
	  "function took in OLD and in FILE" },
	{ "since", 0, REPLAY, OPTIONS_AMOUNT, OPTION_STRING, "TIME", FIELD(since),
	  .help = "only calls that were open at TIME or later: 5s or 1m30s after\n"
	  "the begin of the recording, or the time of day, 14:03:20" },
	{ "until", 0, REPLAY, OPTIONS_AMOUNT, OPTION_STRING, "TIME", FIELD(until),
	  .help = "only calls that began at TIME or earlier" },
	{ "quiet", 'q', TRACES | REPLAY | GOROUTINES, OPTIONS_OUTPUT, OPTION_FLAG, NULL,
	  FIELD(quiet), "no header and no summary", .most = 1, .key = GOPROBE_OPTION_QUIET },
	{ "strict", 0, ATTACH | GRAPH | REPLAY, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(strict),
	  "exit with status 3 if records were lost", .most = 1 },
	{ "signals", 0, 0, OPTIONS_OUTPUT, OPTION_FLAG, NULL, FIELD(signals), NULL, .most = 1,
	  .key = GOPROBE_OPTION_SIGNALS },

	/* Text output. */
	{ "wide", 0, ALL & ~TOP, OPTIONS_SCREEN, OPTION_FLAG, NULL, FIELD(screen.wide),
	  "whole lines on a terminal, instead of lines cut to fit", .most = 1 },
	{ "full", 0, ALL & ~TOP, OPTIONS_SCREEN, OPTION_FLAG, NULL, FIELD(screen.full),
	  "whole names; fields of values that are left out otherwise; on a\n"
	  "terminal whole paths and all frames of stacks", .most = 1 },
	{ "color", 0, ALL, OPTIONS_SCREEN, OPTION_CHOICE, "WHEN", FIELD(screen.color),
	  "auto (on a terminal, unless NO_COLOR is set), always, never",
	  .choices = screen_colors },
	{ "time", 0, ALL & ~TOP, OPTIONS_SCREEN, OPTION_CHOICE, "FORMAT", FIELD(screen.time),
	  "local, utc, iso, relative (seconds since the first line), delta\n"
	  "(seconds since the line before), epoch (seconds since 1970)",
	  .choices = screen_times },
};

const size_t option_number = sizeof(option_rows) / sizeof(*option_rows);

_Static_assert(sizeof(option_rows) / sizeof(*option_rows) <= OPTION_ROWS_MAX,
	       "options.given has a bit for each row");

const struct option_row *option_find(enum command command, const char *name)
{
	for (size_t i = 0; i < option_number; i++)
		if (option_is_of(&option_rows[i], command) && option_rows[i].name &&
		    !strcmp(option_rows[i].name, name))
			return &option_rows[i];
	return NULL;
}

const struct option_row *option_of_key(unsigned int key)
{
	for (size_t i = 0; key && i < option_number; i++)
		if (option_rows[i].key == key)
			return &option_rows[i];
	return NULL;
}

/* --- help ------------------------------------------------------------ */

static const char *const titles[OPTIONS_GROUPS] = {
	[OPTIONS_TARGET] = "What to trace or look at",
	[OPTIONS_LONG] = "Which calls to report",
	[OPTIONS_END] = "When to end (Ctrl-C always does)",
	[OPTIONS_AMOUNT] = "How much to show",
	[OPTIONS_CHANGE] = "What to change",
	[OPTIONS_CAPTURE] = "What to capture",
	[OPTIONS_OUTPUT] = "Output",
	[OPTIONS_SCREEN] = "Text output, for all commands",
};

/* Column where the texts start. */
#define HELP_INDENT 26

static void put_row(const struct options *defaults, const struct option_row *row, struct buf *b)
{
	uint64_t n = row->kind == OPTION_NUMBER ? option_value(defaults, row) : 0;
	size_t start = b->len, len;

	buf_str(b, "  ");
	if (row->letter) {
		buf_char(b, '-');
		buf_char(b, row->letter);
		buf_str(b, ", ");
	} else if (row->name) {
		buf_str(b, "    ");
	}
	buf_str(b, "--");
	buf_str(b, row->name ? row->name : "");
	if (row->arg) {
		buf_char(b, ' ');
		buf_str(b, row->arg);
	}
	len = b->len - start;
	buf_fill(b, ' ', len < HELP_INDENT - 1 ? HELP_INDENT - len : 2);
	for (const char *s = row->help; *s; s++) {
		buf_char(b, *s);
		if (*s == '\n')
			buf_fill(b, ' ', HELP_INDENT);
	}
	if (n) {
		buf_str(b, " (default ");
		buf_u64(b, n);
		buf_char(b, ')');
	}
	buf_char(b, '\n');
}

void option_help(enum command command, enum option_group group, struct buf *b)
{
	struct options defaults;
	bool any = false;

	options_init(&defaults, command);
	for (size_t i = 0; i < option_number; i++) {
		const struct option_row *row = &option_rows[i];

		if (!option_is_of(row, command) || row->group != group)
			continue;
		if (!any) {
			buf_char(b, '\n');
			buf_str(b, titles[group]);
			buf_str(b, ":\n");
		}
		any = true;
		put_row(&defaults, row, b);
	}
}
