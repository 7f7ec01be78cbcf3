// SPDX-License-Identifier: GPL-2.0
/* goprobectl count and latency: what the kernel counts and times by itself. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "tallies.h"
#include "tallyshow.h"
#include "tracing.h"

#define OPTIONS_HELP \
	"\n" \
	TARGETOPT_HELP \
	"\n" \
	"When to end (Ctrl-C always does):\n" \
	"      --duration TIME     after TIME: 5s, 200ms, 1m\n" \
	"\n" \
	"Output:\n" \
	"  -i, --interval TIME     a table every TIME, not only at the end\n" \
	"      --top N             the first N functions only\n"

#define OUTPUT_HELP \
	"  -o, --format FORMAT     text or json\n" \
	"  -q, --quiet             no header and no summary\n"

static const char count_help[] =
"Usage: goprobectl count [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl count [OPTION...] -b FILE PATTERN...\n"
"       goprobectl count [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Count the calls of the functions that a PATTERN names: a function's full name, a\n"
"glob, or a /regular expression/ found anywhere in the name. The kernel counts, so\n"
"it costs little, whatever the rate; thousands of functions can be counted at once.\n"
"'main.get if len(key) > 64' counts the calls that fulfil a condition; see attach.\n"
OPTIONS_HELP
OUTPUT_HELP
"\n"
"Examples:\n"
"  Which functions of a package are called most, every second?\n"
"      goprobectl count -p 4121 -i 1s --top 10 'encoding/json.*'\n"
"  How often does a program call what, from its start to its end?\n"
"      goprobectl count 'main.*' -- ./server -selftest\n"
"  How often does something fail?\n"
"      goprobectl count -p 4121 'shop.charge if err != nil'\n";

static const char latency_help[] =
"Usage: goprobectl latency [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl latency [OPTION...] -b FILE PATTERN...\n"
"       goprobectl latency [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Time the calls of the functions that a PATTERN names, from call to return on the\n"
"same goroutine, in the kernel: how often, how long in all, and the times that half,\n"
"90 % and 99 % of the calls were within. What a call waits for counts, too.\n"
"'main.query if rows > 1000 && err == nil' times the calls that fulfil a condition; see\n"
"attach.\n"
OPTIONS_HELP
"      --histogram         how many calls took how long; default for one function\n"
OUTPUT_HELP
"\n"
"Examples:\n"
"  How long do requests take?\n"
"      goprobectl latency -p 4121 --duration 10s 'main.(*Server).handle'\n"
"  Where does a package spend its time?\n"
"      goprobectl latency -p 4121 -i 2s --top 20 'shop.*'\n"
"  How long do queries take that requests wait for?\n"
"      goprobectl latency -p 4121 'shop.query if under(shop.handle)'\n";

/**
 * struct counting - a run of one of the commands
 * @what: what is counted
 * @show: how it is shown
 * @interval: ns between two tables, or 0
 * @duration: ns, or 0
 * @quiet: no header and no summary
 * @tracing: the session that counts
 * @tallies: what it has counted
 * @started: when it began, CLOCK_MONOTONIC, ns
 * @last: when the tallies were last read
 * @broken: nobody reads the output any more
 */
struct counting {
	struct targetopt what;
	struct tallyshow show;
	uint64_t interval;
	uint64_t duration;
	bool quiet;
	struct tracing tracing;
	struct tallies tallies;
	uint64_t started;
	uint64_t last;
	bool broken;
};

/* --- options --------------------------------------------------------- */

enum { OPT_DURATION = 256, OPT_TOP, OPT_HISTOGRAM };

static const struct option latency_options[] = {
	{ "histogram", no_argument, NULL, OPT_HISTOGRAM },
	{ "pid", required_argument, NULL, 'p' },
	{ "binary", required_argument, NULL, 'b' },
	{ "format", required_argument, NULL, 'o' },
	{ "interval", required_argument, NULL, 'i' },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* The same without the first. */
static const struct option *const count_options = latency_options + 1;

static int parse_option(struct counting *c, int opt, struct diag *d)
{
	const struct out_format *format;

	switch (opt) {
	case 'p':
	case 'b':
		return targetopt_option(&c->what, opt, optarg, d);
	case 'o':
		if (cmd_parse_format(optarg, &format, d))
			return CMD_USAGE;
		c->show.json = format == &out_json;
		break;
	case 'q':
		c->quiet = true;
		break;
	case 'i':
		if (!cmd_parse_duration(optarg, &c->interval) || c->interval < 1000000)
			return cmd_bad_value("--interval", optarg, "a time from 1ms on: 5s, 200ms",
					     d);
		break;
	case OPT_DURATION:
		if (!cmd_parse_duration(optarg, &c->duration))
			return cmd_bad_value("--duration", optarg, "a time: 5s, 200ms, 1m", d);
		break;
	case OPT_TOP:
		if (!cmd_parse_number(optarg, 1, UINT32_MAX, &c->show.top))
			return cmd_bad_value("--top", optarg, "a number from 1 on", d);
		break;
	case OPT_HISTOGRAM:
		c->show.histogram = true;
		break;
	}
	return CMD_DONE;
}

static int parse(struct counting *c, int argc, char **argv, const struct option *options,
		 struct diag *d)
{
	int opt, code = targetopt_begin(&c->what, &argc, argv, d);

	opterr = 0;
	optind = 1;
	while (!code &&
	       (opt = getopt_long(argc, argv, ":" TARGETOPT_SHORT "o:i:qh", options, NULL)) != -1) {
		if (opt == 'h')
			return CMD_HELP;
		if (opt == '?' || opt == ':')
			return cmd_bad_option(argv, opt, options, d);
		code = parse_option(c, opt, d);
	}
	return code ? code : targetopt_end(&c->what, argc, argv, true, d);
}

/* --- counting -------------------------------------------------------- */

static int set_up(struct counting *c, struct diag *d)
{
	struct plan_options options = plan_defaults;
	struct tracing *t = &c->tracing;
	size_t n;

	options.action = c->show.timed ? GOPROBE_ACTION_TIME : GOPROBE_ACTION_COUNT;
	options.no_return = !c->show.timed;
	t->quiet = c->quiet;
	/* There are no records: the smallest rings will do. */
	if (tracing_open(t, &c->what, d) || tracing_plan(t, &c->what, &options, d) ||
	    tracing_arm(t, 0, 64U << 10, d))
		return -1;
	/* Those that nobody asked for come last. */
	n = t->plan->nfuncs - t->plan->naround;
	if (tallies_init(&c->tallies, n))
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < n; i++)
		c->tallies.v[i].ends = t->plan->funcs[i]->count_ends;
	c->show.plan = t->plan;
	if (c->show.timed && n == 1)
		c->show.histogram = true;
	return 0;
}

static int write_out(struct counting *c, struct buf *b, struct diag *d)
{
	bool written = !b->failed && fwrite(b->p, 1, b->len, stdout) == b->len && !fflush(stdout);

	c->broken = !written && !b->failed && errno == EPIPE;
	return written || c->broken ? 0 : b->failed ? diag_set(d, "out of memory") :
	       diag_errno(d, errno, "can't write the output");
}

/* Read the tallies and print them: what is new, or at the end all that there was. */
static int print(struct counting *c, const struct tallyshow_end *end, struct diag *d)
{
	uint64_t t = clock_now(CLOCK_MONOTONIC), ns = end ? 0 : t - c->last;
	struct buf b = { 0 };
	int err;

	c->last = t;
	tallies_begin(&c->tallies);
	if (client_tallies(c->tracing.client, tallies_add, &c->tallies, d))
		return -1;
	tallies_sort(&c->tallies, c->show.timed ? TALLIES_BY_TIME :
				  end ? TALLIES_BY_CALLS : TALLIES_BY_NEW);
	tallyshow_table(&c->show, &c->tallies, clock_now(CLOCK_REALTIME), ns, &b);
	if (end && c->show.json && !c->quiet)
		tallyshow_summary(&c->show, &c->tallies, end, &b);
	err = write_out(c, &b, d);
	b.len = 0;
	if (!err && end && !c->quiet && !c->show.json) {
		tallyshow_say(&c->show, &c->tallies, end, &b);
		fprintf(stderr, "%.*s", (int)b.len, b.p);
	}
	buf_fini(&b);
	return err;
}

/* Until @until, or something happens to a process or a signal comes. */
static void await(struct counting *c, struct pollfd *fds, uint64_t until)
{
	/* A process that can't be waited for is looked at now and then. */
	uint64_t t = clock_now(CLOCK_MONOTONIC), most = t + 1000000000ULL;

	until = until < most ? until : most;
	fds[0] = (struct pollfd){ .fd = c->tracing.interrupt.fd, .events = POLLIN };
	poll(fds, 1 + target_poll(&c->tracing.target, fds + 1),
	     until > t ? (until - t + 999999) / 1000000 : 0);
}

static int loop(struct counting *c, struct pollfd *fds, struct diag *d)
{
	uint64_t end = c->duration ? c->started + c->duration : UINT64_MAX;
	uint64_t next = c->interval ? c->started + c->interval : UINT64_MAX;
	struct target *target = &c->tracing.target;

	while (!c->broken) {
		await(c, fds, next < end ? next : end);

		uint64_t t = clock_now(CLOCK_MONOTONIC);

		if (target_ended(target) || t >= end ||
		    (interrupt_came(&c->tracing.interrupt) && !target->command))
			return 0;
		if (t < next)
			continue;
		if (print(c, NULL, d))
			return -1;
		/* Whoever is too late leaves some out. */
		next += (t - next) / c->interval * c->interval + c->interval;
	}
	return 0;
}

static int finish(struct counting *c, struct diag *d)
{
	uint64_t stats[__GOPROBE_STAT_MAX];
	struct tallyshow_end end = { .stats = stats };

	if (client_stop(c->tracing.client, d))
		return -1;
	end.ns = clock_now(CLOCK_MONOTONIC) - c->started;
	if (client_get_stats(c->tracing.client, stats, d))
		return -1;
	return c->broken ? 0 : print(c, &end, d);
}

static int count(struct counting *c, struct diag *d)
{
	struct target *target = &c->tracing.target;
	struct pollfd *fds = calloc(target->nprocesses + 1, sizeof(*fds));
	int err = fds ? client_start(c->tracing.client, d) : diag_set(d, "out of memory");

	c->started = clock_now(CLOCK_MONOTONIC);
	c->last = c->started;
	if (!err) {
		tracing_say_started(&c->tracing, c->show.timed ? "timing" : "counting");
		err = target->command ? target_release(target, d) : 0;
	}
	if (!err)
		err = loop(c, fds, d) || finish(c, d);
	free(fds);
	if (err)
		return CMD_FAILED;
	/* Whatever is left of the session goes before the command is waited for. */
	tracing_disarm(&c->tracing);
	interrupt_await_command(&c->tracing.interrupt);
	return target->command ? target_exit_status(target) : CMD_DONE;
}

static int run(int argc, char **argv, bool timed, struct diag *d)
{
	struct counting *c = calloc(1, sizeof(*c));
	int code;

	if (!c) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	c->show.timed = timed;
	code = parse(c, argc, argv, timed ? latency_options : count_options, d);
	if (code == CMD_DONE)
		code = set_up(c, d) ? CMD_FAILED : count(c, d);
	tracing_fini(&c->tracing);
	tallies_fini(&c->tallies);
	targetopt_fini(&c->what);
	free(c);
	return code;
}

static int run_count(int argc, char **argv, struct diag *d)
{
	return run(argc, argv, false, d);
}

static int run_latency(int argc, char **argv, struct diag *d)
{
	return run(argc, argv, true, d);
}

const struct cmd cmd_count = {
	.name = "count",
	.summary = "count calls of functions, thousands at once",
	.help = count_help,
	.run = run_count,
};

const struct cmd cmd_latency = {
	.name = "latency",
	.summary = "how long calls of functions take",
	.help = latency_help,
	.run = run_latency,
};
