// SPDX-License-Identifier: GPL-2.0
/* goprobectl stuck: calls that have not returned, and what their goroutines do. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "counting.h"
#include "gostate.h"
#include "hmap.h"
#include "lines.h"
#include "stacks.h"

static const char help[] =
"Usage: goprobectl stuck [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl stuck [OPTION...] -b FILE PATTERN...\n"
"       goprobectl stuck [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Print calls of the functions that a PATTERN names when they have not returned for a long\n"
"time: with their arguments, how long they have been open, what their goroutine does or\n"
"waits for, and its stack. Calls that were made before are not seen. A condition chooses\n"
"calls: 'shop.query if len(rows) > 100'.\n"
"\n"
TARGETOPT_HELP
"\n"
"What is long:\n"
"      --longer-than TIME  5s, 200ms, 1m (default 1s)\n"
"      --held N            calls that can be open at once (default 16384)\n"
"\n"
"When to end (Ctrl-C always does):\n"
"      --duration TIME     after TIME: 5s, 200ms, 1m\n"
"\n"
"Output:\n"
"  -i, --interval TIME     look every TIME (default a quarter of --longer-than)\n"
"  -o, --format FORMAT     text or json\n"
"      --output FILE       write to FILE instead of standard output\n"
COUNTING_QUIET_HELP
"\n"
"Examples:\n"
"  Which requests hang, and in what?\n"
"      goprobectl stuck -p 4121 --longer-than 5s 'main.(*Server).handle(r.URL.Path)'\n"
"  Who holds on to a connection for more than a second?\n"
"      goprobectl stuck -p 4121 'database/sql.(*DB).conn'\n";

/* A call that is to be shown. */
struct found {
	struct goprobe_open open;
	uint8_t *record;
	uint64_t since;
	struct found *next;
};

/* A call that has been shown, and was open the last time when it was asked at @seen. */
struct shown {
	uint64_t seen;
};

/**
 * struct stuck - a run of the command
 * @c: the session, and its loop
 * @opt: how lines are shown
 * @longer: ns that are long
 * @held: --held
 * @out: where lines go
 * @stream: makes them
 * @calls: those that have been shown, by who made them
 * @mem: what is in @calls
 * @asked: when open calls were asked for
 * @found: those that are to be shown, in @found_mem
 * @found_end: where the next one goes
 * @found_mem: see @found
 * @nshown: number of calls that have been shown
 * @nopen: calls that were open when it was last looked
 * @nstuck: and of them, for long
 * @files: places of the binaries, by file of the plan
 * @failed: there was no memory
 */
struct stuck {
	struct counting c;
	struct lines_opt opt;
	uint64_t longer;
	uint64_t held;
	struct out out;
	struct stream stream;
	struct hmap calls;
	struct arena mem;
	uint64_t asked;
	struct found *found;
	struct found **found_end;
	struct arena found_mem;
	uint64_t nshown;
	uint64_t nopen;
	uint64_t nstuck;
	struct symbols *files;
	bool failed;
};

enum { OPT_LONGER = COUNTING_OPT_FREE, OPT_HELD, OPT_OUTPUT };

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "binary", required_argument, NULL, 'b' },
	{ "interval", required_argument, NULL, 'i' },
	{ "duration", required_argument, NULL, COUNTING_OPT_DURATION },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "format", required_argument, NULL, 'o' },
	{ "longer-than", required_argument, NULL, OPT_LONGER },
	{ "held", required_argument, NULL, OPT_HELD },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ NULL, 0, NULL, 0 },
};

static int parse_option(void *ctx, int opt, struct diag *d)
{
	struct stuck *s = ctx;

	switch (opt) {
	case 'o':
		return cmd_parse_format(optarg, &s->opt.format, d);
	case OPT_LONGER:
		if (!cmd_parse_duration(optarg, &s->longer) || s->longer < 1000000)
			return cmd_bad_value("--longer-than", optarg,
					     "a time from 1ms on: 5s, 200ms", d);
		break;
	case OPT_HELD:
		if (!cmd_parse_number(optarg, 1, UINT32_MAX, &s->held))
			return cmd_bad_value("--held", optarg, "a number from 1 on", d);
		break;
	case OPT_OUTPUT:
		s->opt.output = optarg;
		break;
	}
	return CMD_DONE;
}

static int set_up(struct stuck *s, struct diag *d)
{
	struct plan_options opt = plan_defaults;
	struct tracing *t = &s->c.tracing;

	opt.stuck = true;
	t->held = (uint32_t)s->held;
	if (!s->c.interval)
		s->c.interval = s->longer / 4;
	if (counting_set_up(&s->c, &opt, d))
		return -1;
	s->opt.quiet = s->c.quiet;
	s->opt.pids = s->c.what.file || t->target.nprocesses > 1;
	s->files = calloc(t->plan->nfiles + 1, sizeof(*s->files));
	if (!s->files)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < t->plan->nfiles; i++)
		symbols_init(&s->files[i], t->plan->files[i].bin,
			     gobin_path(t->plan->files[i].bin));
	return lines_open(&s->out, &s->stream, t->plan, &s->opt, d);
}

/* Is it new that this call is open for long? */
static bool is_new(struct stuck *s, const struct goprobe_open *o, uint64_t since)
{
	const uint64_t who[] = { (uint64_t)o->id << 32 | o->tgid, o->goid, o->g, o->depth };
	uint64_t key = hmap_hash(0, who, sizeof(who));
	struct shown *shown = hmap_get(&s->calls, key);
	/* Another call of the same goroutine began when that one had ended. */
	bool known = shown && since < shown->seen;

	if (!shown) {
		shown = arena_alloc(&s->mem, sizeof(*shown));
		if (!shown || hmap_put(&s->calls, key, shown)) {
			s->failed = true;
			return false;
		}
	}
	shown->seen = s->asked;
	return !known;
}

/* The goroutine's stack, as far as it can be told: the only one in @stacks. */
static void add_stack(struct stuck *s, const struct plan_func *pf, const struct gostate *state,
		      struct stacks *stacks)
{
	const struct plan *p = s->c.tracing.plan;
	struct stacks_pc pcs[GOSTATE_FRAMES];
	struct stacks_sample sample = {
		.pcs = pcs, .npcs = state->npcs, .first_returns = true, .cut = state->cut,
		.values = { 1 },
	};
	size_t i = 0;

	while (p->files[i].bin != pf->bin)
		i++;
	for (size_t k = 0; k < state->npcs; k++)
		pcs[k] = (struct stacks_pc){ &s->files[i], state->pcs[k] };
	if (state->npcs && stacks_add(stacks, &sample))
		s->failed = true;
}

static void show(struct stuck *s, const struct found *f)
{
	static const struct stacks_value calls = { "count", "calls", "count" };
	const struct goprobe_open *o = &f->open;
	const struct plan_func *pf = s->c.tracing.plan->funcs[o->id];
	struct out_open open = { .age = o->age };
	struct gostate state = { 0 };
	struct procmem m;
	struct stacks stacks;
	struct diag d = { 0 };

	stacks_init(&stacks, &calls, 1);
	if (o->goid && !procmem_init(&m, o->tgid, pf->bin, &d)) {
		gostate_read(&m, pf->bin, o->g, &state);
		add_stack(s, pf, &state, &stacks);
	}
	diag_fini(&d);
	open.status = state.status;
	open.reason = state.reason[0] ? state.reason : NULL;
	open.stack = stacks.n ? stacks.v[0] : NULL;
	/* When it was made, by the clock of all records. */
	memcpy(f->record + offsetof(struct goprobe_record, time), &f->since, sizeof(f->since));
	s->stream.open = &open;
	if (stream_add(&s->stream, 0, f->record, o->record_bytes))
		s->failed = true;
	stream_round(&s->stream, UINT64_MAX, 0);
	while (stream_print(&s->stream, SIZE_MAX))
		;
	s->stream.open = NULL;
	stacks_fini(&stacks);
	s->nshown++;
}

static void keep(struct stuck *s, const struct goprobe_open *o, const uint8_t *record,
		 uint64_t since)
{
	struct found *f = arena_alloc(&s->found_mem, sizeof(*f));

	if (f)
		f->record = arena_alloc(&s->found_mem, o->record_bytes);
	if (!f || !f->record) {
		s->failed = true;
		return;
	}
	memcpy(f->record, record, o->record_bytes);
	f->open = *o;
	f->since = since;
	f->next = NULL;
	*s->found_end = f;
	s->found_end = &f->next;
}

/* A client_opened_fn. Quick, as ages are of now: what takes time comes after. */
static int look(void *ctx, const struct goprobe_open *o, uint8_t *record)
{
	struct stuck *s = ctx;
	uint64_t now = clock_now(CLOCK_MONOTONIC), since = now > o->age ? now - o->age : 0;

	s->nopen++;
	if (o->age < s->longer || o->id >= s->c.tracing.plan->nfuncs ||
	    o->record_bytes < sizeof(struct goprobe_record))
		return 0;
	s->nstuck++;
	if (is_new(s, o, since))
		keep(s, o, record, since);
	return s->failed ? -1 : 0;
}

static void say(const struct stuck *s, const struct tallyshow_end *end)
{
	uint64_t no_room = end->stats[GOPROBE_STAT_NO_ROOM];

	fprintf(stderr, "%llu calls in %.1f s, %llu open for long; at the end %llu of %llu open ones",
		(unsigned long long)end->stats[GOPROBE_STAT_OPENED], (double)end->ns / 1e9,
		(unsigned long long)s->nshown, (unsigned long long)s->nstuck,
		(unsigned long long)s->nopen);
	if (no_room)
		fprintf(stderr, "; %llu calls found no room: --held N makes more",
			(unsigned long long)no_room);
	fputc('\n', stderr);
}

static int print(void *ctx, const struct tallyshow_end *end, struct diag *d)
{
	struct stuck *s = ctx;
	int err;

	s->nopen = 0;
	s->nstuck = 0;
	s->asked = clock_now(CLOCK_MONOTONIC);
	s->found = NULL;
	s->found_end = &s->found;
	if (client_opened(s->c.tracing.client, look, s, d))
		return -1;
	for (const struct found *f = s->found; f && !s->failed; f = f->next)
		show(s, f);
	arena_fini(&s->found_mem);
	if (s->failed)
		return diag_set(d, "out of memory");
	err = out_flush(&s->out, true);
	s->c.broken = err == -EPIPE;
	if (err && !s->c.broken)
		return diag_errno(d, -err, "can't write the output");
	if (end && !s->c.quiet)
		say(s, end);
	return 0;
}

static void clean_up(struct stuck *s)
{
	const struct plan *p = s->c.tracing.plan;

	for (size_t i = 0; s->files && i < p->nfiles; i++)
		symbols_fini(&s->files[i]);
	free(s->files);
	stream_fini(&s->stream);
	out_fini(&s->out);
	hmap_fini(&s->calls);
	arena_fini(&s->mem);
	arena_fini(&s->found_mem);
	counting_fini(&s->c);
	free(s);
}

static int run(int argc, char **argv, struct diag *d)
{
	struct stuck *s = calloc(1, sizeof(*s));
	int code;

	if (!s) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	s->longer = 1000000000;
	s->opt.format = &out_text;
	s->c.print = print;
	s->c.ctx = s;
	s->c.lists = true;
	code = counting_parse(&s->c, argc, argv, options, parse_option, d);
	if (code == CMD_DONE)
		code = set_up(s, d) ? CMD_FAILED : counting_run(&s->c, "watching", d);
	clean_up(s);
	return code;
}

const struct cmd cmd_stuck = {
	.name = "stuck",
	.summary = "calls that do not return, and what their goroutines wait for",
	.help = help,
	.run = run,
};
