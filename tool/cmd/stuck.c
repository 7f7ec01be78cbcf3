// SPDX-License-Identifier: GPL-2.0
/* goprobectl stuck: calls that have not returned, and what their goroutines do. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/counting.h"
#include "cmd/cmd.h"
#include "cmd/next.h"
#include "output/counters.h"
#include "output/stacks.h"
#include "plan/learn.h"
#include "process/goroutine_state.h"
#include "trace/existing_calls.h"
#include "trace/reported.h"
#include "trace/sink.h"

static const char about[] =
"Usage: goprobectl stuck [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl stuck [OPTION...] -b FILE PATTERN...\n"
"       goprobectl stuck [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Print calls of the functions that a PATTERN names when they have not returned for a long\n"
"time: their arguments, how long they have been open, what their goroutine does or waits\n"
"for, and its stack. Calls that were made before goprobectl started have no arguments,\n"
"and are shown only if their goroutine does not run. With a condition only calls that are\n"
"made from now on are shown: 'shop.query if len(rows) > 100'.\n";

static const char examples[] =
"Examples:\n"
"  Which requests hang, and in what?\n"
"      goprobectl stuck -p 4121 --longer-than 5s 'main.(*Server).handle(r.URL.Path)'\n"
"  Who holds on to a connection for more than a second?\n"
"      goprobectl stuck -p 4121 'database/sql.(*DB).conn'\n";

/* Open calls of a pass whose types are examined, shown or not. */
#define LEARN_FROM 64
/* Time limit of the last pass. */
#define LAST_LOOK CLOCK_SECOND

/* An open call that is looked at more closely. */
struct found {
	struct goprobe_open_call open;	/* it */
	uint8_t *record;		/* its record */
	uint64_t since;			/* when it was made */
	bool show;			/* it is to be shown, not only to be learned from */
	struct found *next;		/* the next one */
};

/* A run of the command. */
struct stuck {
	struct counting c;	/* the session, and its loop */
	uint64_t longer;	/* ns that are long */
	struct output out;		/* where lines go */
	struct stream stream;	/* makes them */
	struct learn learn;	/* types that open calls show, and the module does not know */
	bool begun;		/* it was looked */
	struct reported shown;	/* those that have been shown, and may be open still */
	uint64_t asked;		/* when open calls were asked for */
	struct found *found;	/* those that are to be shown, in @found_mem */
	struct found **found_end;	/* where the next one goes */
	struct arena found_mem;	/* see @found */
	struct goroutine_reader reader;	/* of the process whose goroutine was read last */
	struct existing_calls before;	/* calls that were made before */
	size_t nlearn;		/* of @found, those that are only to be learned from */
	uint64_t nshown;	/* number of calls that have been shown */
	const char *last;	/* the function of the last one that has a record, or NULL */
	uint64_t nopen;		/* calls that were open when it was last looked */
	uint64_t nstuck;	/* and of them, for long */
	bool no_older;		/* it is not known any more which calls were made before */
	bool failed;		/* there was no memory */
};

static int set_up(struct counting *c, struct diag *d)
{
	struct stuck *s = (struct stuck *)c;
	struct options *o = c->o;
	struct session *t = &c->run.session;
	struct sink_opt how = {
		.options = o, .format = o->format == OPTION_JSON ? &out_json : &out_text,
	};

	o->plan.stuck = true;
	s->longer = o->longer_than;
	if (!o->interval)
		o->interval = s->longer / 4;
	if (counting_set_up(c, d) || counting_name_files(c, d))
		return -1;
	how.pids = !target_is_one(&t->target);
	if (sink_open(&s->out, &s->stream, t->plan, &how, d))
		return -1;
	learn_init(&s->learn, t->plan);
	s->stream.live = true;
	if (learn_possible(t->plan))
		s->stream.learn = &s->learn;
	return 0;
}

/* --- stacks and lines ------------------------------------------------ */

/* The goroutine's stack, as far as it is known: the only one in @stacks. */
static void add_stack(struct stuck *s, struct symbols *of, const struct goroutine_state *state,
		      struct stacks *stacks)
{
	struct stacks_pc pcs[GOROUTINE_STATE_FRAMES];
	struct stacks_sample sample = {
		.pcs = pcs, .npcs = state->npcs, .first_returns = true, .cut = state->cut,
		.creator = { of, state->creator }, .values = { 1 },
	};

	for (size_t k = 0; k < state->npcs; k++)
		pcs[k] = (struct stacks_pc){ of, state->pcs[k] };
	if (state->npcs && stacks_add(stacks, &sample))
		s->failed = true;
}

/* An open call, by its record: how long, and what its goroutine does. */
static void show(struct stuck *s, uint8_t *record, size_t len, struct symbols *of,
		 const struct goroutine_state *state, struct output_open *open)
{
	static const enum stacks_value calls = STACKS_CALLS;
	struct stacks stacks;

	stacks_init(&stacks, &calls, 1);
	add_stack(s, of, state, &stacks);
	open->status = state->status;
	open->reason = state->reason[0] ? state->reason : NULL;
	open->stack = stacks.n ? stacks.v[0] : NULL;
	s->stream.open = open;
	if (stream_add(&s->stream, 0, record, len))
		s->failed = true;
	stream_round(&s->stream, UINT64_MAX, 0);
	while (stream_print(&s->stream, SIZE_MAX))
		;
	s->stream.open = NULL;
	stacks_fini(&stacks);
	s->nshown++;
}

/* --- calls that the module knows ------------------------------------- */

/* Is it new that this call is open for long? */
static bool is_new(struct stuck *s, const struct goprobe_open_call *o, uint64_t since)
{
	int new = reported_add(&s->shown, o, s->asked, since);

	s->failed |= new < 0;
	return new > 0;
}

static void show_found(struct stuck *s, const struct found *f)
{
	const struct goprobe_open_call *o = &f->open;
	const struct plan_func *pf = s->c.run.session.plan->funcs[o->id];
	struct output_open open = { .age = o->age };
	struct goroutine_state state = { 0 };
	struct diag d = { 0 };

	if (o->goid && !goroutine_reader_init(&s->reader, o->tgid, pf->bin, &d))
		goroutine_state_read(&s->reader, o->g, &state);
	diag_fini(&d);
	s->last = pf->fn->name;
	/* When it was made, by the clock of all records. */
	memcpy(f->record + offsetof(struct goprobe_record, time), &f->since, sizeof(f->since));
	show(s, f->record, o->record_bytes, counting_file(&s->c, pf), &state, &open);
}

static void keep(struct stuck *s, const struct goprobe_open_call *o, const uint8_t *record,
		 uint64_t since, bool shown)
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
	f->show = shown;
	s->nlearn += !shown;
	f->next = NULL;
	*s->found_end = f;
	s->found_end = &f->next;
}

/* Quick, as ages are of now: what takes time comes after. */
static int look(void *ctx, const void *item, const uint64_t *record)
{
	const struct goprobe_open_call *o = item;
	struct stuck *s = ctx;
	uint64_t now = clock_now(CLOCK_MONOTONIC), since = now > o->age ? now - o->age : 0;

	s->nopen++;
	existing_calls_known(&s->before, o);
	if (o->id >= s->c.run.session.plan->nfuncs ||
	    o->record_bytes < sizeof(struct goprobe_record))
		return 0;
	s->nstuck += o->age >= s->longer;
	if (o->age >= s->longer && is_new(s, o, since))
		keep(s, o, (const uint8_t *)record, since, true);
	else if (s->stream.learn && s->nlearn < LEARN_FROM)
		keep(s, o, (const uint8_t *)record, since, false);
	return s->failed ? -1 : 0;
}

/* --- calls that were made before -------------------------------------- */

static void add_before(struct stuck *s, pid_t pid)
{
	struct diag why = { 0 };

	if (!existing_calls_add(&s->before, pid, &why))
		return;
	if (!s->c.o->quiet) {
		fprintf(stderr, "calls of process %d that were made before are not known: ", pid);
		diag_print_message(&why, stderr);
		fputc('\n', stderr);
	}
	diag_fini(&why);
}

/* It has begun: who may have such calls? A command has just been let go. */
static int begin_before(struct stuck *s, struct diag *d)
{
	const struct target *target = &s->c.run.session.target;
	pid_t *pids;
	size_t n;

	if (existing_calls_init(&s->before, s->c.run.session.plan, s->c.files, s->c.run.started, d))
		return -1;
	for (size_t i = 0; !target->command && i < target->nprocesses; i++)
		add_before(s, target->processes[i].pid);
	if (target->nprocesses || target->follows)
		return 0;
	pids = target_running(target, &n);
	for (size_t i = 0; pids && i < n; i++)
		add_before(s, pids[i]);
	free(pids);
	return pids ? 0 : diag_set(d, "can't find the processes that run the file");
}

/* A existing_calls_fn. */
static int look_before(void *ctx, const struct existing_calls_call *call)
{
	struct stuck *s = ctx;
	struct goprobe_record record = {
		.words = sizeof(record) / 8, .kind = GOPROBE_RECORD_CALL, .depth = call->depth,
		.id = call->id, .plan = GOPROBE_NO_PLAN, .tgid = (uint32_t)call->pid,
		.time = call->since, .goid = call->goid,
	};
	struct output_open open = { .age = call->age, .before = true };

	s->nopen++;
	if (call->age < s->longer)
		return 0;
	s->nstuck++;
	if (!call->reported)
		show(s, (uint8_t *)&record, sizeof(record), &s->c.files[call->file], call->state,
		     &open);
	return s->failed ? -1 : 0;
}

/* Calls that the module could not remember look as if they had been made before. */
static int check_older(struct stuck *s, struct diag *d)
{
	uint64_t stats[__GOPROBE_STAT_MAX];

	if (client_get_stats(s->c.run.session.client, stats, d))
		return -1;
	s->no_older |= stats[GOPROBE_STAT_NO_SPACE] || stats[GOPROBE_STAT_BROKEN];
	return 0;
}

/* --- looking ---------------------------------------------------------- */

/* Upload the types that open calls have shown and the module does not know. */
static int teach(struct stuck *s, struct diag *d)
{
	if (!s->learn.pending)
		return 0;
	s->learn.pending = false;
	return plan_finish(s->c.run.session.plan, d) ||
	       upload_more(&s->c.run.session.upload, d) ? -1 : 0;
}

/* When a look that begins @now has to end, however many goroutines there are; 0: whenever. */
static uint64_t look_end(const struct stuck *s, bool last, uint64_t now)
{
	uint64_t end = s->c.run.started + s->c.o->duration;

	if (last)
		return now + LAST_LOOK;
	return !s->c.o->duration ? 0 : end > now ? end : now;
}

static int look_at_all(struct stuck *s, bool last, struct diag *d)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC), end = look_end(s, last, now);

	s->nopen = 0;
	s->nstuck = 0;
	s->nlearn = 0;
	s->found = NULL;
	s->found_end = &s->found;
	/* What has been read is then read again. */
	s->before.until = end ? now + (end - now) / 2 : 0;
	existing_calls_look(&s->before, last);
	s->before.until = end;
	s->asked = clock_now(CLOCK_MONOTONIC);
	if (client_items(s->c.run.session.client, GOPROBE_CMD_OPEN_CALLS, look, s, d) ||
	    check_older(s, d))
		return -1;
	if (!s->no_older)
		existing_calls_settle(&s->before, s->longer, look_before, s);
	for (const struct found *f = s->found; f && !s->failed; f = f->next) {
		if (f->show)
			show_found(s, f);
		else
			stream_learn(&s->stream, f->record, f->open.record_bytes);
	}
	arena_fini(&s->found_mem);
	s->failed |= reported_looked(&s->shown, s->nstuck) != 0;
	return s->failed || s->before.failed ? diag_set(d, "out of memory") : teach(s, d);
}

static void say(const struct stuck *s, const struct stats_print_end *end)
{
	size_t unknown = existing_calls_unknown(&s->before);
	struct fact facts[COUNTERS_MAX];
	struct buf b = { 0 };

	fprintf(stderr, "%llu calls in %.1f s, %llu open for long; at the end %llu of %llu open ones",
		(unsigned long long)end->stats[GOPROBE_STAT_OPENED], (double)end->ns / 1e9,
		(unsigned long long)s->nshown, (unsigned long long)s->nstuck,
		(unsigned long long)s->nopen);
	if (s->no_older)
		fprintf(stderr, "; so calls that were made before are not known");
	else if (unknown)
		fprintf(stderr, "; calls that %zu goroutine%s made before are not known", unknown,
			unknown == 1 ? "" : "s");
	buf_char(&b, '\n');
	row_facts_text(&b, facts, counters_facts(end->stats, 0, COUNTERS_STUCK, facts));
	fprintf(stderr, "%.*s", (int)b.len, b.p);
	buf_fini(&b);
	if (s->last)
		next_say(&(struct next){
			.command = "goroutines", .option = "--with", .name = s->last,
			.why = "their goroutines, with stacks",
		}, s->c.o);
}

static int print(struct counting *c, const struct stats_print_end *end, struct diag *d)
{
	struct stuck *s = (struct stuck *)c;
	int err;

	/* It has been looked right before the breakpoints were taken away. */
	if (end) {
		if (!c->o->quiet)
			say(s, end);
		err = output_close(&s->out);
		return err && err != -EPIPE ? diag_errno(d, -err, "can't write the output") : 0;
	}
	if (!s->begun && begin_before(s, d))
		return -1;
	s->begun = true;
	if (look_at_all(s, c->ending, d))
		return -1;
	err = output_flush(&s->out, true);
	c->run.unread = err == -EPIPE;
	return err && !c->run.unread ? diag_errno(d, -err, "can't write the output") : 0;
}

/* A counting_cmd.leave: a breaker is said where calls are. */
static void leave(struct counting *c)
{
	struct stuck *s = (struct stuck *)c;

	c->run.json = sink_json(&s->out);
}

static void clean_up(struct stuck *s)
{
	existing_calls_fini(&s->before);
	learn_fini(&s->learn);
	stream_fini(&s->stream);
	output_fini(&s->out);
	reported_fini(&s->shown);
	arena_fini(&s->found_mem);
	counting_fini(&s->c);
	free(s);
}

static int run(struct options *o, struct diag *d)
{
	static const struct counting_cmd cmd = {
		.doing = "watching", .set_up = set_up, .print = print, .leave = leave,
	};
	struct stuck *s = calloc(1, sizeof(*s));
	int code;

	if (!s) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	s->c.looks = true;
	code = counting_run(&s->c, &cmd, o, d);
	clean_up(s);
	return code;
}

const struct cmd cmd_stuck = {
	.name = "stuck",
	.summary = "calls that do not return, and what their goroutines wait for",
	.command = COMMAND_STUCK,
	.about = about,
	.examples = examples,
	.operands = CMD_SPECS,
	.run = run,
};
