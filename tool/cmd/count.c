// SPDX-License-Identifier: GPL-2.0
/* goprobectl count and latency: what the kernel counts and times by itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/aggregate.h"
#include "cmd/cmd.h"
#include "compile/group_by.h"
#include "export/openmetrics.h"
#include "output/key_print.h"
#include "output/stats.h"
#include "output/stats_print.h"

static const char count_about[] =
"Usage: goprobectl count [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl count [OPTION...] -b FILE PATTERN...\n"
"       goprobectl count [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Count the calls of the functions that a PATTERN names: a function's full name, a\n"
"glob, or a /regular expression/ found anywhere in the name. The kernel counts, so\n"
"it costs little, whatever the rate; thousands of functions can be counted at once.\n"
"'main.get if len(key) > 64' counts the calls that fulfil a condition; see attach.\n"
"Places in the code count how often they are reached: 'main.go:42', 'main.get+0x1f',\n"
"'*0x4829e0'.\n";

static const char count_examples[] =
"Examples:\n"
"  Which functions of a package are called most, every second?\n"
"      goprobectl count -p 4121 -i 1s --top 10 'encoding/json.*'\n"
"  How often does a program call what, from its start to its end?\n"
"      goprobectl count 'main.*' -- ./server -selftest\n"
"  How often does something fail?\n"
"      goprobectl count -p 4121 'shop.charge if err != nil'\n"
"  A file for the textfile collector of Prometheus, every ten seconds:\n"
"      goprobectl count -p 4121 -i 10s -o openmetrics --output /var/lib/node/shop.prom 'shop.*'\n"
"  Which paths are requested most?\n"
"      goprobectl count -p 4121 --by r.Method --by r.URL.Path --top 20 main.handle\n"
"  How large are the answers, by path?\n"
"      goprobectl count -p 4121 --hist 'len(body)' --by path main.send\n";

static const char latency_about[] =
"Usage: goprobectl latency [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl latency [OPTION...] -b FILE PATTERN...\n"
"       goprobectl latency [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Time the calls of the functions that a PATTERN names, from call to return on the same\n"
"goroutine, in the kernel. A row has the number of calls, their total and mean time, and\n"
"the times within which 50 %, 90 % and 99 % of the calls returned (--wide: also 95 % and\n"
"99.9 %). The time that a call waits counts, too.\n"
"'main.query if rows > 1000 && err == nil' times the calls that fulfil a condition; see\n"
"attach.\n";

static const char latency_examples[] =
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
 * @keys: what it has counted by key
 * @keyshow: how these are shown, or NULL
 * @last: when the tallies were last read
 */
struct count {
	struct counting c;
	struct tallyshow show;
	struct tallies tallies;
	struct keyrows keys;
	struct keyshow *keyshow;
	uint64_t last;
};

/* --- counting -------------------------------------------------------- */

/* After the plan has been made. */
static int show_keys(struct count *c)
{
	c->keys.nfuncs = c->tallies.n;
	c->show.keys = &c->keys;
	c->keyshow = keyshow_new(&c->show);
	return c->keyshow ? 0 : -1;
}

static int check(const struct options *o, struct diag *d)
{
	if (o->by.range.step && !(o->by.value && o->histogram)) {
		diag_set(d, "--linear is about the histogram of --hist, which is missing");
		diag_hint(d, "'goprobectl count --hist EXPR --linear LO,HI,STEP'");
		return CMD_USAGE;
	}
	if (o->by.value && o->format == OPTION_OPENMETRICS) {
		diag_set(d, "-o openmetrics has calls and durations, and no values");
		diag_hint(d, "-o json has the values of --hist and --sum");
		return CMD_USAGE;
	}
	if (o->format != OPTION_OPENMETRICS || !o->interval || o->output)
		return CMD_DONE;
	diag_set(d, "-o openmetrics is one table, and -i prints several");
	diag_hint(d, "--output FILE is replaced every time");
	return CMD_USAGE;
}

static int set_up(struct counting *counting, struct diag *d)
{
	struct count *c = (struct count *)counting;
	struct options *o = counting->o;
	struct tracing *t = &c->c.tracing;
	size_t n;

	o->plan.action = c->show.timed ? GOPROBE_ACTION_TIME : GOPROBE_ACTION_COUNT;
	o->plan.no_return = !c->show.timed;
	c->show.trapless = o->plan.jumps;
	if (o->by.n || o->by.value) {
		o->plan.by = &o->by;
		t->keys = (struct goprobe_key_limit){
			o->by.n ? o->keys : 1, bykey_bytes(&o->by)
		};
	}
	if (o->output && !c->show.put && counting_open(counting, d))
		return -1;
	if (counting_set_up(&c->c, d))
		return -1;
	/* Those that nobody asked for come last. */
	n = t->plan->nfuncs - t->plan->naround - t->plan->nhidden;
	if (tallies_init(&c->tallies, n))
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < n; i++) {
		const struct plan_func *pf = t->plan->funcs[i];

		c->tallies.v[i].ends = pf->count_ends;
		c->tallies.v[i].value = o->by.value ? &pf->key->value : NULL;
	}
	c->show.plan = t->plan;
	if (c->c.o->by.n && show_keys(c))
		return diag_set(d, "out of memory");
	if (c->show.timed && n == 1 && !c->c.o->by.n)
		c->show.histogram = true;
	return 0;
}

static bool is_metrics(const struct options *o)
{
	return o->format == OPTION_OPENMETRICS;
}

/* JSON has the functions, too: their numbers include calls that exceeded the limit of keys. */
static void put_tables(struct count *c, uint64_t ns, struct buf *b)
{
	const struct tallyshow_when when = { clock_now(CLOCK_REALTIME), ns };

	if (!c->c.o->by.n || c->show.json)
		tallyshow_table(&c->show, &c->tallies, &when, b);
	if (c->c.o->by.n)
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
	if (!c->c.o->by.n)
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
	if (end && c->show.json && !c->c.o->quiet)
		tallyshow_summary(&c->show, &c->tallies, end, &b);
	if (is_metrics(c->c.o) && c->c.o->output)
		err = counting_replace(&c->c, &b, d);
	else
		err = counting_write(&c->c, &b, d);
	if (!err && end)
		err = counting_close(&c->c, d);
	b.len = 0;
	if (!err && end && !c->c.o->quiet && !c->show.json) {
		tallyshow_say(&c->show, &c->tallies, end, &b);
		fprintf(stderr, "%.*s", (int)b.len, b.p);
	}
	buf_fini(&b);
	return err;
}

static int run(struct options *o, struct diag *d)
{
	bool timed = o->command == COMMAND_LATENCY, metrics = is_metrics(o);
	const struct counting_cmd cmd = {
		.doing = timed ? "timing" : "counting", .set_up = set_up, .print = print,
	};
	struct count c = {
		.show = {
			.timed = timed, .json = o->format == OPTION_JSON, .top = o->top,
			.valued = o->by.value, .histogram = o->histogram, .labels = metrics,
			.put = metrics ? openmetrics_put : NULL,
		},
	};
	int code = check(o, d);

	if (code)
		return code;
	code = counting_run(&c.c, &cmd, o, d);

	counting_fini(&c.c);
	tallies_fini(&c.tallies);
	keyshow_free(c.keyshow);
	keyrows_fini(&c.keys);
	return code;
}

const struct cmd cmd_count = {
	.name = "count",
	.summary = "count calls of functions, thousands at once",
	.command = COMMAND_COUNT,
	.about = count_about,
	.examples = count_examples,
	.operands = CMD_CONDITIONS,
	.missing = "no PATTERN: which functions?",
	.places = true,
	.run = run,
};

const struct cmd cmd_latency = {
	.name = "latency",
	.summary = "time calls of functions",
	.command = COMMAND_LATENCY,
	.about = latency_about,
	.examples = latency_examples,
	.operands = CMD_CONDITIONS,
	.missing = "no PATTERN: which functions?",
	.run = run,
};
