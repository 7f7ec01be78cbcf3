// SPDX-License-Identifier: GPL-2.0
/* goprobectl count and latency: what the kernel counts and times by itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "base/clock.h"
#include "cmd/aggregate.h"
#include "cmd/cmd.h"
#include "compile/group_by.h"
#include "output/key_print.h"
#include "output/stats.h"
#include "output/stats_print.h"

#define TOP_HELP \
	"      --top N             the first N functions only, or keys\n" \
	"      --by EXPR           by the value of EXPR, too: r.Method, len(s), goid; up to 4\n" \
	"      --keys N            different values of --by (default 4096)\n"

#define OUTPUT_HELP \
	"  -o, --format FORMAT     text or json\n" \
	COUNTING_QUIET_HELP

static const char count_help[] =
"Usage: goprobectl count [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl count [OPTION...] -b FILE PATTERN...\n"
"       goprobectl count [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Count the calls of the functions that a PATTERN names: a function's full name, a\n"
"glob, or a /regular expression/ found anywhere in the name. The kernel counts, so\n"
"it costs little, whatever the rate; thousands of functions can be counted at once.\n"
"'main.get if len(key) > 64' counts the calls that fulfil a condition; see attach.\n"
"Places in the code count how often they are reached: 'main.go:42', 'main.get+0x1f',\n"
"'*0x4829e0'.\n"
COUNTING_HELP
TOP_HELP
"      --inlined           functions also where they were inlined\n"
OUTPUT_HELP
"\n"
"Examples:\n"
"  Which functions of a package are called most, every second?\n"
"      goprobectl count -p 4121 -i 1s --top 10 'encoding/json.*'\n"
"  How often does a program call what, from its start to its end?\n"
"      goprobectl count 'main.*' -- ./server -selftest\n"
"  How often does something fail?\n"
"      goprobectl count -p 4121 'shop.charge if err != nil'\n"
"  Which paths are requested most?\n"
"      goprobectl count -p 4121 --by r.Method --by r.URL.Path --top 20 main.handle\n";

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
COUNTING_HELP
TOP_HELP
"      --histogram         how many calls took how long; default for one function\n"
"      --split             how their time divides: running, waiting for what\n"
OUTPUT_HELP
"\n"
"Examples:\n"
"  How long do requests take?\n"
"      goprobectl latency -p 4121 --duration 10s 'main.(*Server).handle'\n"
"  Where does a package spend its time?\n"
"      goprobectl latency -p 4121 -i 2s --top 20 'shop.*'\n"
"  How long do queries take that requests wait for?\n"
"      goprobectl latency -p 4121 'shop.query if under(shop.handle)'\n"
"  Which kinds of query take long?\n"
"      goprobectl latency -p 4121 --by q.Kind shop.query\n"
"  Do they wait, or work?\n"
"      goprobectl latency -p 4121 --split 'shop.*'\n";

/**
 * struct count - a run of one of the commands
 * @c: the session that counts
 * @show: how it is shown
 * @tallies: what it has counted
 * @by: what it is counted by
 * @nkeys: different keys that there is room for
 * @inlined: functions are counted where they were inlined, too
 * @keys: what it has counted by key
 * @keyshow: how these are shown, or NULL
 * @split: how the time of calls divides is asked for
 * @last: when the tallies were last read
 */
struct count {
	struct counting c;
	struct tallyshow show;
	struct tallies tallies;
	struct bykey_exprs by;
	uint64_t nkeys;
	bool inlined;
	struct keyrows keys;
	struct keyshow *keyshow;
	bool split;
	uint64_t last;
};

/* --- options --------------------------------------------------------- */

enum { OPT_TOP = COUNTING_OPT_FREE, OPT_HISTOGRAM, OPT_SPLIT, OPT_BY, OPT_KEYS, OPT_INLINED };

static const struct option latency_options[] = {
	{ "histogram", no_argument, NULL, OPT_HISTOGRAM },
	{ "split", no_argument, NULL, OPT_SPLIT },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "by", required_argument, NULL, OPT_BY },
	{ "keys", required_argument, NULL, OPT_KEYS },
	{ NULL, 0, NULL, 0 },
};

static const struct option count_options[] = {
	{ "inlined", no_argument, NULL, OPT_INLINED },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "by", required_argument, NULL, OPT_BY },
	{ "keys", required_argument, NULL, OPT_KEYS },
	{ NULL, 0, NULL, 0 },
};

static int parse_option(struct counting *counting, int opt, struct diag *d)
{
	struct count *c = (struct count *)counting;
	const struct out_format *format;

	switch (opt) {
	case 'o':
		if (cmd_parse_format(optarg, &format, d))
			return CMD_USAGE;
		c->show.json = format == &out_json;
		c->c.json = c->show.json;
		break;
	case OPT_TOP:
		if (!argument_number(optarg, 1, UINT32_MAX, &c->show.top))
			return argument_fail("--top", optarg, "a number from 1 on", d);
		break;
	case OPT_BY:
		c->c.what.sigs = true;
		if (bykey_parse(&c->by, optarg, d))
			return CMD_USAGE;
		break;
	case OPT_KEYS:
		if (!argument_number(optarg, 1, 262144, &c->nkeys))
			return argument_fail("--keys", optarg, "a number from 1 to 262144", d);
		break;
	case OPT_INLINED:
		c->inlined = true;
		break;
	case OPT_HISTOGRAM:
		c->show.histogram = true;
		break;
	case OPT_SPLIT:
		c->split = true;
		break;
	}
	return CMD_DONE;
}

/* --- counting -------------------------------------------------------- */

/* Before the plan is made: its functions get keys. */
static void set_by(struct count *c, struct plan_options *options)
{
	if (!c->by.n)
		return;
	options->by = &c->by;
	c->c.tracing.keys = (struct goprobe_keys){
		.number = (uint32_t)c->nkeys, .bytes = bykey_bytes(&c->by),
	};
}

/* After it. */
static int show_keys(struct count *c)
{
	c->keys.nfuncs = c->tallies.n;
	c->show.keys = &c->keys;
	c->keyshow = keyshow_new(&c->show);
	return c->keyshow ? 0 : -1;
}

static int set_up(struct counting *counting, struct diag *d)
{
	struct count *c = (struct count *)counting;
	struct plan_options options = plan_defaults;
	struct tracing *t = &c->c.tracing;
	size_t n;

	options.action = c->show.timed ? GOPROBE_ACTION_TIME : GOPROBE_ACTION_COUNT;
	options.no_return = !c->show.timed;
	options.inlined = c->inlined;
	options.split = c->split;
	set_by(c, &options);
	if (counting_set_up(&c->c, &options, d))
		return -1;
	/* Those that nobody asked for come last. */
	n = t->plan->nfuncs - t->plan->naround - t->plan->nhidden;
	if (tallies_init(&c->tallies, n))
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < n; i++)
		c->tallies.v[i].ends = t->plan->funcs[i]->count_ends;
	c->show.plan = t->plan;
	if (c->by.n && show_keys(c))
		return diag_set(d, "out of memory");
	if (c->show.timed && n == 1 && !c->by.n)
		c->show.histogram = true;
	return 0;
}

/* In JSON the functions are told of as well: what found no room is in their numbers. */
static void put_tables(struct count *c, uint64_t ns, struct buf *b)
{
	const struct tallyshow_when when = { clock_now(CLOCK_REALTIME), ns };

	if (!c->by.n || c->show.json)
		tallyshow_table(&c->show, &c->tallies, &when, b);
	if (c->by.n)
		keyshow_table(c->keyshow, &c->keys, &when, b);
}

static int read_all(struct count *c, bool end, struct diag *d)
{
	enum tallies_by by = c->show.timed ? TALLIES_BY_TIME :
			     end ? TALLIES_BY_CALLS : TALLIES_BY_NEW;

	tallies_begin(&c->tallies);
	if (client_tallies(c->c.tracing.client, tallies_add, &c->tallies, d))
		return -1;
	tallies_sort(&c->tallies, by);
	if (!c->by.n)
		return 0;
	keyrows_begin(&c->keys);
	if (client_keys(c->c.tracing.client, keyrows_add, &c->keys, d))
		return -1;
	keyrows_sort(&c->keys, by);
	return 0;
}

/* Read what has been counted and print it: what is new, or at the end all that there was. */
static int print(struct counting *counting, const struct tallyshow_end *end, struct diag *d)
{
	struct count *c = (struct count *)counting;
	uint64_t t = clock_now(CLOCK_MONOTONIC), ns;
	struct buf b = { 0 };
	int err;

	ns = end ? 0 : t - (c->last ? c->last : c->c.started);
	c->last = t;
	if (read_all(c, end, d))
		return -1;
	put_tables(c, ns, &b);
	if (end && c->show.json && !c->c.quiet)
		tallyshow_summary(&c->show, &c->tallies, end, &b);
	err = counting_write(&c->c, &b, d);
	b.len = 0;
	if (!err && end && !c->c.quiet && !c->show.json) {
		tallyshow_say(&c->show, &c->tallies, end, &b);
		fprintf(stderr, "%.*s", (int)b.len, b.p);
	}
	buf_fini(&b);
	return err;
}

static int run(int argc, char **argv, bool timed, struct diag *d)
{
	const struct counting_cmd cmd = {
		.doing = timed ? "timing" : "counting",
		.options = timed ? latency_options : count_options,
		.option = parse_option, .set_up = set_up, .print = print,
	};
	struct count c = {
		.show.timed = timed, .nkeys = 4096, .c.what.places = !timed,
	};
	int code = counting_main(&c.c, &cmd, argc, argv, d);

	counting_fini(&c.c);
	tallies_fini(&c.tallies);
	keyshow_free(c.keyshow);
	keyrows_fini(&c.keys);
	bykey_fini(&c.by);
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
