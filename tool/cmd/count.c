// SPDX-License-Identifier: GPL-2.0
/* goprobectl count and latency: what the kernel counts and times by itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/counting.h"
#include "cmd/next.h"
#include "cmd/cmd.h"
#include "compile/group_by.h"
#include "export/openmetrics.h"
#include "host/host.h"
#include "output/key_print.h"
#include "output/tallies.h"
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
"  The same over HTTP, at http://127.0.0.1:9464/metrics:\n"
"      goprobectl count -p 4121 --listen 9464 'shop.*'\n"
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

/* What was counted, as it was last read. */
struct table {
	struct stats_print show;		/* how it is shown */
	struct tallies tallies;		/* by function */
	struct key_stats keys;		/* by key */
	struct key_print *keyshow;	/* how these are shown, or NULL */
};

/* A run of one of the commands. */
struct count {
	struct counting c;	/* the session that counts */
	struct table printed;	/* the table that is printed */
	/*
	 * With --listen, the table that is served; what is new in @printed does not depend on who
	 * reads that.
	 */
	struct table served;
	struct buf whose;	/* their stats_print.whose */
	uint64_t last;		/* when @printed was last read */
};

/* --- tables ---------------------------------------------------------- */

/* After the plan has been made. */
static int table_init(struct table *t, const struct options *o, const struct plan *plan,
		      struct diag *d)
{
	/* Those that nobody asked for come last. */
	size_t n = plan->nfuncs - plan->naround - plan->nhidden;

	if (tallies_init(&t->tallies, n))
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < n; i++) {
		const struct plan_func *pf = plan->funcs[i];

		t->tallies.v[i].ends = pf->count_ends;
		t->tallies.v[i].value = o->by.value && pf->key ? &pf->key->value : NULL;
		if (plan->rows && plan_func_copies(pf) &&
		    tallies_join(&t->tallies, pf->id, pf->row, pf->at && pf->at->unsure))
			return diag_set(d, "out of memory");
	}
	t->show.plan = plan;
	t->show.histogram |= t->show.timed && n == 1 && !o->by.n;
	if (!o->by.n)
		return 0;
	t->keys.nfuncs = n;
	t->show.keys = &t->keys;
	t->keyshow = key_print_new(&t->show);
	return t->keyshow ? 0 : diag_set(d, "out of memory");
}

static void table_fini(struct table *t)
{
	tallies_fini(&t->tallies);
	key_print_free(t->keyshow);
	key_stats_fini(&t->keys);
}

static int table_read(struct table *t, struct client *client, enum tallies_by by, struct diag *d)
{
	if (t->show.timed)
		by = TALLIES_BY_TIME;
	tallies_begin(&t->tallies);
	if (client_items(client, GOPROBE_CMD_TALLIES, tallies_add, &t->tallies, d))
		return -1;
	tallies_sort(&t->tallies, by);
	if (!t->keyshow)
		return 0;
	key_stats_begin(&t->keys);
	if (client_items(client, GOPROBE_CMD_KEYS, key_stats_add, &t->keys, d))
		return -1;
	key_stats_sort(&t->keys, by);
	return 0;
}

/* JSON has the functions, too: their numbers include calls that exceeded the limit of keys. */
static void table_put(const struct table *t, uint64_t ns, struct buf *b)
{
	const struct stats_print_when when = { clock_now(CLOCK_REALTIME), ns };

	if (!t->keyshow || t->show.json)
		stats_print_table(&t->show, &t->tallies, &when, b);
	if (t->keyshow)
		key_print_table(t->keyshow, &t->keys, &when, b);
}

/* --- counting -------------------------------------------------------- */

/* A httpserver_page.put */
static int put_metrics(void *ctx, struct buf *b, struct diag *d)
{
	struct count *c = ctx;

	if (table_read(&c->served, c->c.run.session.client, TALLIES_BY_CALLS, d))
		return -1;
	table_put(&c->served, 0, b);
	return 0;
}

/* A port that is taken is an error before anything is probed. */
static int serve(struct count *c, struct diag *d)
{
	const struct httpserver_page page = {
		.path = "/metrics", .put = put_metrics, .ctx = c, .fresh_ms = 1000,
		.client_ms = 10000,
		.type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	};

	if (!c->c.o->listen)
		return 0;
	c->c.server = httpserver_open(c->c.o->listen, &page, d);
	return c->c.server ? 0 : -1;
}

static bool is_metrics(const struct options *o)
{
	return o->format == OPTION_OPENMETRICS;
}

static int check(const struct options *o, struct diag *d)
{
	if (o->by.range.step && !(o->by.value && o->histogram)) {
		diag_set(d, "--linear is about the histogram of --hist, which is missing");
		diag_hint(d, "'goprobectl count --hist EXPR --linear LO,HI,STEP'");
		return CMD_USAGE;
	}
	if (o->by.value && (is_metrics(o) || o->listen)) {
		diag_set(d, "metrics have calls and durations, and no values of --hist and --sum");
		diag_hint(d, "-o json has them");
		return CMD_USAGE;
	}
	if (!is_metrics(o) || !o->interval || o->output)
		return CMD_DONE;
	diag_set(d, "-o openmetrics is one table, and -i prints several");
	diag_hint(d, "--output FILE is replaced every time");
	return CMD_USAGE;
}

/* The labels that say what the metrics are of. */
static int label(struct count *c, struct diag *d)
{
	const struct target *t = &c->c.run.session.target;
	struct openmetrics_whose w = { .host = { 0 } };
	char host[HOST_NAME_MAX + 1];

	if (host_name(host, d))
		return -1;
	buf_str(&w.host, host);
	for (size_t i = 0; i < t->nbins; i++) {
		buf_str(&w.programs, i ? "," : "");
		buf_str(&w.programs, gobin_name(t->bins[i]));
	}
	w.container = c->c.o->choice.container;
	w.pod = c->c.o->choice.pod;
	/* Of a container there can be others later. */
	for (size_t i = 0; i < t->nprocesses && !t->follows; i++)
		buf_number(&w.pids, i ? "," : "", (uint64_t)t->processes[i].pid);
	openmetrics_whose(&w, &c->whose);
	buf_fini(&w.host);
	buf_fini(&w.programs);
	buf_fini(&w.pids);
	if (c->whose.failed)
		return diag_set(d, "out of memory");
	c->printed.show.whose = c->whose.p;
	c->served.show.whose = c->whose.p;
	return 0;
}

static int set_up(struct counting *counting, struct diag *d)
{
	struct count *c = (struct count *)counting;
	struct options *o = counting->o;
	struct session *t = &c->c.run.session;

	o->plan.action = c->printed.show.timed ? GOPROBE_ACTION_TIME : GOPROBE_ACTION_COUNT;
	o->plan.no_return = !c->printed.show.timed;
	if (o->by.n || o->by.value) {
		o->plan.by = &o->by;
		t->keys = (struct goprobe_key_limit){
			o->by.n ? o->keys : 1, group_by_bytes(&o->by)
		};
	}
	if (o->output && !c->printed.show.put && counting_open(counting, d))
		return -1;
	if (serve(c, d) || counting_set_up(&c->c, d))
		return -1;
	if ((is_metrics(o) || o->listen) && label(c, d))
		return -1;
	c->printed.show.trapless = t->trapless;
	if (table_init(&c->printed, o, t->plan, d) ||
	    (c->c.server && table_init(&c->served, o, t->plan, d)))
		return -1;
	if (c->c.server && !o->quiet)
		session_say(t, "serving %s", httpserver_url(c->c.server));
	return 0;
}

/* Of calls how long they take; of times where they are spent. */
static void say_next(const struct count *c, const struct table *table)
{
	const struct tallies *t = &table->tallies;
	const struct stats_print *show = &table->show;
	const struct options *o = c->c.o;
	struct next next = { .command = "top", .why = "what is called in it" };

	if (is_metrics(o) || (!t->norder && !o->pids.n))
		return;
	if (t->norder) {
		next.name = show->plan->funcs[t->order[0]]->fn->name;
		next.command = !show->timed ? "latency" : o->plan.split ? "graph" :
			       "latency --split";
		next.why = !show->timed ? "how long its calls take" :
			   o->plan.split ? "what it calls" :
			   "whether it runs or waits, and what for";
	}
	next_say(&next, o);
}

/* Read what has been counted and print it: what is new, or at the end all that there was. */
static int print(struct counting *counting, const struct stats_print_end *end, struct diag *d)
{
	struct count *c = (struct count *)counting;
	uint64_t t = clock_now(CLOCK_MONOTONIC), ns;
	struct table *table = &c->printed;
	struct buf b = { 0 };
	int err;

	ns = end ? 0 : t - (c->last ? c->last : c->c.run.started);
	c->last = t;
	if (table_read(table, c->c.run.session.client, end ? TALLIES_BY_CALLS : TALLIES_BY_NEW, d))
		return -1;
	table_put(table, ns, &b);
	if (end && table->show.json && !c->c.o->quiet)
		stats_print_summary(&table->show, &table->tallies, end, &b);
	if (is_metrics(c->c.o) && c->c.o->output)
		err = counting_replace(&c->c, &b, d);
	else
		err = counting_write(&c->c, &b, d);
	if (!err && end)
		err = counting_close(&c->c, d);
	b.len = 0;
	if (!err && end && !c->c.o->quiet && !table->show.json) {
		stats_print_say(&table->show, &table->tallies, end, &b);
		fprintf(stderr, "%.*s", (int)b.len, b.p);
		say_next(c, table);
	}
	buf_fini(&b);
	return err;
}

static int run(struct options *o, struct diag *d)
{
	bool timed = o->command == COMMAND_LATENCY;
	const struct counting_cmd cmd = {
		.doing = timed ? "timing" : "counting", .set_up = set_up, .print = print,
	};
	const struct stats_print metrics = {
		.timed = timed, .top = o->top, .labels = true, .put = openmetrics_put,
	};
	struct count c = {
		.printed.show = metrics, .served.show = metrics,
	};
	int code = check(o, d);

	if (code)
		return code;
	if (!is_metrics(o))
		c.printed.show = (struct stats_print){
			.timed = timed, .json = o->format == OPTION_JSON, .top = o->top,
			.valued = o->by.value, .histogram = o->histogram,
		};
	code = counting_run(&c.c, &cmd, o, d);

	counting_fini(&c.c);
	table_fini(&c.printed);
	table_fini(&c.served);
	buf_fini(&c.whose);
	return code;
}

const struct cmd cmd_count = {
	.name = "count",
	.summary = "count calls of functions, thousands at once",
	.command = COMMAND_COUNT,
	.about = count_about,
	.examples = count_examples,
	.operands = CMD_CONDITIONS,
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
	.run = run,
};
