// SPDX-License-Identifier: GPL-2.0
/* goprobectl stack: how calls of functions come about, counted in the kernel by stack. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/counting.h"
#include "cmd/next.h"
#include "cmd/cmd.h"
#include "export/flame.h"
#include "export/pprof.h"
#include "output/counters.h"
#include "output/folded.h"
#include "output/key_print.h"
#include "output/stack_print.h"
#include "output/value_stats.h"
#include "plan/missing.h"

static const char about[] =
"Usage: goprobectl stack [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl stack [OPTION...] -b FILE PATTERN...\n"
"       goprobectl stack [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Count the call stacks that lead to calls of the functions that a PATTERN names. Each\n"
"stack has the number of its calls. The kernel counts; inlined calls have lines of their\n"
"own. A condition chooses calls: 'shop.query if len(rows) > 100'. --by groups them by the\n"
"value of an expression, too. --weight shows where time goes, or bytes, or whatever an\n"
"expression sums, instead of calls.\n";

static const char examples[] =
"Examples:\n"
"  Which code opens the most files?\n"
"      goprobectl stack -p 4121 --duration 10s --top 5 os.OpenFile\n"
"  The same as a picture, for a browser:\n"
"      goprobectl stack -p 4121 --duration 10s -o flamegraph --output calls.svg os.OpenFile\n"
"  A profile of what allocates large objects, for 'go tool pprof':\n"
"      goprobectl stack -p 4121 --duration 30s -o pprof --output large.pb.gz \\\n"
"          'runtime.mallocgc if size > 32768'\n"
"  Where do requests wait for queries, and for how long?\n"
"      goprobectl stack -p 4121 --duration 10s --weight wait --top 5 shop.query\n"
"  Which code writes the most bytes?\n"
"      goprobectl stack -p 4121 --duration 10s --weight 'len(b)' 'os.(*File).Write'\n"
"  Which code asks for which kind of query?\n"
"      goprobectl stack -p 4121 --duration 10s --by q.Kind shop.query\n";

#define FRAMES_MAX 90
/* As the module has it: the most bytes of a key. */
#define KEY_BYTES_MAX 768U

/* A run of the command. */
struct stacking {
	struct counting c;		/* the session that counts */
	bool creator;			/* stacks differ by who has started their goroutine */
	struct stats_print show;		/* how keys of --by are shown */
	struct key_print *keyshow;	/* shows them, or NULL */
	struct buf text;		/* the key of the stack at hand */
	struct stacks stacks;		/* what has been counted */
	uint64_t unwound;		/* of what is timed, calls that a panic or Goexit ended */
	uint64_t open;			/* and those that have not returned */
	uint64_t weightless;		/* sums that are no weight: valuestats_weight() */
	uint64_t real;			/* when it began, ns since 1970 */
};

static int check(const struct options *o, struct diag *d)
{
	bool pprof = o->format == OPTION_PPROF;

	if ((!pprof && o->format != OPTION_FLAMEGRAPH) || o->output || !isatty(STDOUT_FILENO))
		return CMD_DONE;
	diag_set(d, pprof ? "a profile is not for a terminal" :
		    "a picture is not for a terminal");
	diag_hint(d, pprof ? "--output FILE writes it to a file, for 'go tool pprof FILE'" :
		     "--output FILE.svg writes it to a file, for a browser");
	return CMD_USAGE;
}

/* By weight, which is the first; the last one is the number of calls. */
static const struct {
	enum stacks_value v[STACKS_VALUES];
	size_t n;
} values[] = {
	[OPTION_CALLS] = { { STACKS_CALLS }, 1 },
	[OPTION_DURATIONS] = { { STACKS_TIME, STACKS_CALLS }, 2 },
	[OPTION_WAITS] = { { STACKS_WAIT, STACKS_TIME, STACKS_CALLS }, 3 },
	[OPTION_VALUES] = { { STACKS_SUM, STACKS_CALLS }, 2 },
};

static bool is_timed(const struct options *o)
{
	return o->weight == OPTION_DURATIONS || o->weight == OPTION_WAITS;
}

/* Where all of it does not fit, stacks are shorter. */
static uint32_t key_bytes(const struct stacking *s, const struct options *o)
{
	uint32_t n = group_by_bytes(&o->by) + (s->creator + 1 + o->frames) * 8;

	return n < KEY_BYTES_MAX ? n : KEY_BYTES_MAX;
}

static int set_up(struct counting *c, struct diag *d)
{
	struct stacking *s = (struct stacking *)c;
	struct options *o = c->o;

	s->creator = o->creator || o->format == OPTION_TEXT || o->format == OPTION_JSON;
	o->plan.action = is_timed(o) ? GOPROBE_ACTION_TIME : GOPROBE_ACTION_COUNT;
	o->plan.no_return = !is_timed(o);
	o->plan.split = o->weight == OPTION_WAITS;
	o->plan.stack = o->frames;
	o->plan.creator = s->creator;
	o->plan.by = o->by.n || o->by.value ? &o->by : NULL;
	c->run.session.keys = (struct goprobe_key_limit){ o->keys, key_bytes(s, o) };
	/* Before the command is made: of a file that can't be written it must not begin. */
	if (o->output && counting_open(c, d))
		return -1;
	if (counting_set_up(c, d) || counting_name_files(c, d))
		return -1;
	stacks_init(&s->stacks, values[o->weight].v, values[o->weight].n);
	s->stacks.keyed = o->by.n;
	s->stacks.summed = o->by.value_text;
	s->show.json = o->format == OPTION_JSON;
	s->show.exact = true;
	s->keyshow = key_print_new(&s->show);
	if (!s->keyshow)
		return diag_set(d, "out of memory");
	/* go tool pprof shows instructions, too. */
	s->stacks.by_address = s->c.o->format == OPTION_PPROF;
	s->real = clock_now(CLOCK_REALTIME);
	return 0;
}

/* The parts of --by, which @w begins with. 0, or -1 without memory. */
static int add_labels(struct stacking *s, const struct plan_func *pf, struct keywords *w,
		      struct stacks_label *to)
{
	size_t at[GROUP_BY_EXPRS_MAX];

	s->text.len = 0;
	for (size_t i = 0; i < pf->key->n; i++) {
		at[i] = s->text.len;
		key_print_part(s->keyshow, pf, &pf->key->parts[i], w, &s->text);
		buf_char(&s->text, '\0');
	}
	if (s->text.failed)
		return -1;
	for (size_t i = 0; i < pf->key->n; i++)
		to[i] = (struct stacks_label){ pf->key->parts[i].name, s->text.p + at[i], 0, NULL };
	return 0;
}

/* The sum of what the expression was. */
static void add_sum(struct stacking *s, const struct plan_func *pf, const struct goprobe_tally *t,
		    const uint64_t *buckets, uint64_t *to)
{
	struct tally sum = { .took = tallies_took(t, buckets) };

	if (!pf->key)
		return;
	sum.value = &pf->key->value;
	s->weightless += !valuestats_weight(&sum, to);
	s->stacks.summed_time = valuestats_are_durations(sum.value);
}

/* What @values has of it. */
static void add_values(struct stacking *s, const struct plan_func *pf,
		       const struct goprobe_tally *t, const uint64_t *buckets,
		       struct stacks_sample *to)
{
	const uint64_t *split = buckets + t->nbuckets;
	uint64_t *v = to->values;

	if (s->c.o->weight == OPTION_WAITS && t->nstates == __GOSTATES_MAX) {
		to->split = split;
		for (unsigned int i = 0; i < __GOSTATES_MAX; i++)
			*v += i == SCHED_STATE_RUNNING ? 0 : split[i];
	}
	v += s->c.o->weight == OPTION_WAITS;
	if (is_timed(s->c.o))
		*v++ = t->sum;
	else if (s->c.o->weight == OPTION_VALUES)
		add_sum(s, pf, t, buckets, v++);
	*v = t->hits + t->calls;
}

/* A key: the parts of --by, who started the goroutine, the number of addresses, and these. */
static int add(void *ctx, const void *item, const uint64_t *key)
{
	const struct goprobe_key_stats *keyed = item;
	struct stacking *s = ctx;
	const struct plan *p = s->c.run.session.plan;
	struct keywords w = { key, keyed->key_bytes / sizeof(*key) };
	bool full = keyed->key_bytes == s->c.run.session.keys.bytes;
	struct stacks_label labels[GROUP_BY_EXPRS_MAX];
	struct stacks_pc pcs[FRAMES_MAX];
	struct stacks_sample sample = { .pcs = pcs, .labels = labels };
	const struct plan_func *pf;
	struct symbols *of;

	if (keyed->tally.id >= p->nfuncs || !(keyed->tally.hits + keyed->tally.calls))
		return 0;
	pf = p->funcs[keyed->tally.id];
	of = counting_file(&s->c, pf);
	if (pf->key && add_labels(s, pf, &w, labels))
		return -1;
	sample.nlabels = pf->key ? pf->key->n : 0;
	if (w.n <= s->creator || w.v[s->creator] != w.n - s->creator - 1 ||
	    w.v[s->creator] > s->c.o->frames)
		return 0;
	if (s->creator)
		sample.creator = (struct stacks_pc){ of, w.v[0] };
	sample.npcs = w.v[s->creator];
	for (size_t i = 0; i < sample.npcs; i++)
		pcs[i] = (struct stacks_pc){ of, w.v[s->creator + 1 + i] };
	sample.cut = full || sample.npcs == s->c.o->frames;
	add_values(s, pf, &keyed->tally, w.v + w.n, &sample);
	return stacks_add(&s->stacks, &sample);
}

static void put_flame(const struct stacking *s, struct buf *b)
{
	const char *summed = s->stacks.summed;
	const struct flame_about titles[] = {
		[OPTION_CALLS] = { "calls by stack", "call" },
		[OPTION_DURATIONS] = { "time of calls by stack" },
		[OPTION_WAITS] = { "time that calls wait, by stack" },
		[OPTION_VALUES] = { summed, s->stacks.summed_time ? NULL : summed },
	};
	struct buf folded = { 0 };

	folded_put(&s->stacks, 0, &folded);
	flame_put(&folded, &titles[s->c.o->weight], b);
	buf_fini(&folded);
}

static void put(struct stacking *s, const struct stats_print_end *end, struct buf *b)
{
	const struct pprof_about about = {
		.time_ns = s->real, .duration_ns = end ? end->ns : 0,
	};

	switch (s->c.o->format) {
	case OPTION_TEXT:
		stack_print_text(&s->stacks, s->c.o->top, b);
		break;
	case OPTION_JSON:
		stack_print_json(&s->stacks, s->c.o->top, b);
		break;
	case OPTION_FOLDED:
		folded_put(&s->stacks, 0, b);
		break;
	case OPTION_PPROF:
		pprof_put(&s->stacks, &about, b);
		break;
	default:
		put_flame(s, b);
		break;
	}
}

static void say(const struct stacking *s, const struct stats_print_end *end)
{
	const struct fact own[] = {
		{ NULL, s->unwound, "call", "ended without returning, so their time does not count",
		  0 },
		{ NULL, s->open, "call", "had not returned", 0 },
		{ NULL, s->weightless, "sum", "negative or over 64 bits: shown as 0", 0 },
	};
	struct fact facts[COUNTERS_MAX];
	struct buf b = { 0 };

	row_count(&b, stacks_sum(&s->stacks, s->stacks.ntypes - 1), "call");
	buf_str(&b, " by ");
	row_count(&b, s->stacks.n, "stack");
	fprintf(stderr, "%.*s in %.1f s\n", (int)b.len, b.p, (double)end->ns / 1e9);
	b.len = 0;
	row_facts_text(&b, facts, counters_facts(end->stats, 0, COUNTERS_STACKS, facts));
	row_facts_text(&b, own, sizeof(own) / sizeof(*own));
	missing_put(s->c.run.session.plan, &b);
	fprintf(stderr, "%.*s", (int)b.len, b.p);
	buf_fini(&b);
	session_say_copies(&s->c.run.session, s->c.cmd->doing);
	if (s->c.o->noperands == 1 && s->c.o->format == OPTION_TEXT && s->stacks.n &&
	    !s->c.o->weight)
		next_say(&(struct next){
			.command = "stack",
			.name = s->c.o->operands[0],
			.behind = "-o flamegraph --output stacks.svg",
			.why = "the same as a picture",
		}, s->c.o);
}

/* Calls without a time. 0, or -1 with @d set. */
static int read_untimed(struct stacking *s, struct diag *d)
{
	const struct plan *p = s->c.run.session.plan;
	struct tallies t;
	int err;

	if (tallies_init(&t, p->nfuncs - p->naround - p->nhidden))
		return diag_set(d, "out of memory");
	err = client_items(s->c.run.session.client, GOPROBE_CMD_TALLIES, tallies_add, &t, d);
	for (size_t i = 0; i < t.n; i++) {
		s->unwound += t.v[i].unwound;
		s->open += tallies_open(&t.v[i]);
	}
	tallies_fini(&t);
	return err;
}

static int print(struct counting *c, const struct stats_print_end *end, struct diag *d)
{
	struct stacking *s = (struct stacking *)c;
	struct buf b = { 0 };
	int err;

	stacks_zero(&s->stacks);
	s->weightless = 0;
	if (client_items(s->c.run.session.client, GOPROBE_CMD_KEYS, add, s, d) ||
	    (end && is_timed(c->o) && read_untimed(s, d)))
		return -1;
	stacks_sort(&s->stacks);
	put(s, end, &b);
	err = counting_write(&s->c, &b, d);
	buf_fini(&b);
	if (!err && end)
		err = counting_close(&s->c, d);
	if (!err && end && !s->c.o->quiet)
		say(s, end);
	return err;
}

static int run(struct options *o, struct diag *d)
{
	const struct counting_cmd cmd = {
		.doing = is_timed(o) ? "timing" : "counting", .set_up = set_up, .print = print,
	};
	struct stacking s = { 0 };
	int code = check(o, d);

	if (code)
		return code;
	code = counting_run(&s.c, &cmd, o, d);
	stacks_fini(&s.stacks);
	key_print_free(s.keyshow);
	buf_fini(&s.text);
	counting_fini(&s.c);
	return code;
}

const struct cmd cmd_stack = {
	.name = "stack",
	.summary = "count call stacks of functions; flame graphs, profiles",
	.command = COMMAND_STACK,
	.about = about,
	.examples = examples,
	.operands = CMD_CONDITIONS,
	.run = run,
};
