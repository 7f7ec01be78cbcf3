// SPDX-License-Identifier: GPL-2.0
/* Sessions: from targets and specs to points of the module. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/plain.h"
#include "gobin/sched_state.h"
#include "gotype/funcname.h"
#include "plan/copies.h"
#include "plan/missing.h"
#include "plan/runtime_probe.h"
#include "plan/select.h"
#include "process/kin.h"
#include "process/procmem.h"
#include "process/programs.h"
#include "trace/breakpoint_memory.h"
#include "trace/selftest.h"
#include "trace/session.h"

void session_print(void *ctx, const char *text)
{
	static const char warning[] = "warning: ", ended[] = "ended by --max-load: ";
	bool wrong = !strncmp(text, warning, sizeof(warning) - 1) ||
		     !strncmp(text, ended, sizeof(ended) - 1);

	(void)ctx;
	fprintf(stderr, "%s%s\n", wrong ? "goprobectl: " : "", text);
}

void session_say(const struct session *t, const char *fmt, ...)
{
	struct buf plain = { 0 };
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	plain_add_text(&plain, text);
	buf_char(&plain, 0);
	if (!plain.failed)
		(t->say ? t->say : session_print)(t->ctx, plain.p);
	buf_fini(&plain);
	free(text);
}

void session_say_lines(const struct session *t, const char *text, size_t n)
{
	const char *end;

	for (; n; n -= end - text, text = end) {
		end = memchr(text, '\n', n) ?: text + n;
		session_say(t, "%.*s", (int)(end - text), text);
		end += end < text + n;
	}
}

/* Of those that have the file in their memory, some. */
static int limit_pids(struct session *t, const struct options *o, struct diag *d)
{
	struct procmem m;

	if (target_limit_pids(&t->target, &o->pids, d))
		return -1;
	for (size_t i = 0; i < t->target.nprocesses; i++) {
		struct diag why = { 0 };

		if (procmem_init(&m, t->target.processes[i].pid, t->target.bins[0], &why))
			session_say(t, "warning: %s: it is traced once it has",
				    why.message ? why.message : "out of memory");
		diag_fini(&why);
	}
	return 0;
}

/* Of a container, which has other programs, too. */
static int limit_to_container(struct session *t, const struct options *o, struct diag *d)
{
	if (target_limit_pids(&t->target, &o->pids, d))
		return -1;
	t->nobody = true;
	for (size_t i = 0; i < o->pids.n; i++)
		t->nobody &= !procmem_has_code(t->target.bins[0], o->pids.v[i]);
	t->file = o->file;
	return 0;
}

/* All that have it. */
static int set_file(struct session *t, const struct options *o, struct diag *d)
{
	size_t older = 0;

	if (target_set_file(&t->target, o->file, &older, d))
		return -1;
	if (option_wishes(o))
		return limit_to_container(t, o, d);
	if (o->pids.n)
		return limit_pids(t, o, d);
	if (older)
		session_say(t, "warning: %zu process%s an older, replaced %s; -p traces %s", older,
			    older == 1 ? " runs" : "es run", o->file,
			    older == 1 ? "it" : "them");
	t->nobody = !process_each(procmem_has_code, t->target.bins[0]);
	t->file = o->file;
	return 0;
}

/* What is in a container; the session says whether it can follow it. */
static void set_group(struct session *t, const struct options *o)
{
	t->target.follows = o->choice.follows;
	t->target.group = o->choice.group;
	if (!option_wishes(o) || o->choice.follows)
		return;
	session_say(t, "warning: processes of %s that start later are not traced: it has no control group of version 2 that can be opened here",
		    o->choice.what.p);
}

int session_open(struct session *t, const struct options *o, struct diag *d)
{
	t->o = o;
	t->trapless = o->plan.jumps;
	set_group(t, o);
	if (!o->signals)
		interrupt_none(&t->interrupt, &t->target);
	else if (interrupt_init(&t->interrupt, &t->target, d))
		return -1;
	if (o->file ? set_file(t, o, d) : target_add_pids(&t->target, &o->pids, d))
		return -1;
	if (o->argv && target_set_command(&t->target, o->argv, &t->interrupt.mask, d))
		return -1;
	for (size_t i = 0; i < t->target.nbins; i++)
		if (gobin_unread(t->target.bins[i]))
			session_say(t, "warning: %s", gobin_unread(t->target.bins[i]));
	return 0;
}

/* As often a file's name is looked at. */
#define LOOK_EVERY 60000000000ULL

void session_look(struct session *t)
{
	uint64_t now = t->file ? clock_now(CLOCK_MONOTONIC) : 0;

	if (!t->file || now < t->look)
		return;
	t->look = now + LOOK_EVERY;
	if (!target_replaced(&t->target, t->file))
		return;
	session_say(t,
		    "warning: %s has been replaced: processes that run the new file are not traced, until tracing starts again",
		    t->file);
	t->file = NULL;
}

/* "main.init" or "main.init.0": it has run when a program goes its way. */
static bool is_init(const char *name)
{
	static const char init[] = "init";
	const char *local = funcname_local(name);

	return !strncmp(local, init, strlen(init)) &&
	       strspn(local + strlen(init), ".0123456789") == strlen(local + strlen(init));
}

static void say_inits(const struct session *t)
{
	for (size_t i = 0; i < t->plan->nfuncs; i++)
		if (!is_init(t->plan->funcs[i]->fn->name))
			return;
	if (t->plan->nfuncs && t->target.nprocesses && !t->target.command)
		session_say(t, "warning: init functions have run in processes that are there: '-- COMMAND' or -b FILE traces them when a program starts");
}

int session_plan(struct session *t, struct diag *d)
{
	const struct options *o = t->o;
	struct buf skipped = { 0 };
	int err;

	t->plan = plan_new(&o->plan);
	if (!t->plan)
		return diag_set(d, "out of memory");
	err = select_functions(t->plan, t->target.bins, t->target.nbins, o->specs,
			       o->nspecs, &t->wanted, &skipped, d);
	/* Which patterns are wrong is no matter of taste: it is said even with --quiet. */
	for (size_t i = 0; i < t->plan->nmissing; i++)
		session_say(t, "warning: nothing is traced of '%s': %s", t->plan->missing[i].spec,
			    t->plan->missing[i].why);
	if (!err)
		say_inits(t);
	if (!err)
		err = runtime_probe_add_all(t->plan, t->target.bins, t->target.nbins, &o->plan, d);
	if (!err)
		err = plan_finish(t->plan, d);
	if (!err && !skipped.failed && !t->o->quiet)
		session_say_lines(t, skipped.p, skipped.len);
	buf_fini(&skipped);
	return err;
}

static bool progress(void *ctx, size_t points, size_t all)
{
	struct session *t = ctx;
	bool go_on = true;

	if (t->progress)
		go_on = t->progress(t->ctx, points, all);
	else if (!t->o->quiet)
		progress_show(&t->placing, points, all);
	return go_on && !interrupt_came(&t->interrupt);
}

/* What the plan wants that a module may not have. */
static int check_abilities(const struct session *t, const struct client_info *info,
			   struct diag *d)
{
	if (t->plan->edits && !(info->abilities & GOPROBE_ABILITY_EDIT)) {
		diag_set(d, "nothing can be changed: the goprobe module was loaded without allow_writes=1");
		diag_hint(d, "'modprobe -r goprobe; modprobe goprobe allow_writes=1' allows it; --dry-run shows what would be changed");
		return -1;
	}
	if (t->plan->wipes && !(info->abilities & GOPROBE_ABILITY_WIPE)) {
		diag_set(d, "the goprobe module that is loaded (%s) can't redact fields",
			 info->version);
		diag_hint(d, "load the module of this version of goprobectl; --no-redact does without");
		return -1;
	}
	if (t->plan->key_hashes && !(info->abilities & GOPROBE_ABILITY_KEY_HASH)) {
		diag_set(d, "the goprobe module that is loaded (%s) can't distinguish long strings of --by",
			 info->version);
		diag_hint(d, "load the module of this version of goprobectl");
		return -1;
	}
	if (t->plan->searches && !(info->abilities & GOPROBE_ABILITY_SEARCH)) {
		diag_set(d, "the goprobe module that is loaded (%s) has no contains(), no matches() and no entries of maps in conditions and keys",
			 info->version);
		diag_hint(d, "load the module of this version of goprobectl");
		return -1;
	}
	if (!t->plan->nfilters || info->abilities & GOPROBE_ABILITY_FILTER)
		return 0;
	diag_set(d, "the goprobe module that is loaded (%s) knows no conditions", info->version);
	diag_hint(d, "load the module of this version of goprobectl");
	return -1;
}

/* Those of a container that start later; not with jumps, or without an able module. */
static int set_follows(struct session *t, const struct client_info *info, struct attrs *a,
		       struct diag *d)
{
	if (!t->target.follows)
		return 0;
	if (t->trapless == PLAN_JUMPS_ALWAYS && t->target.nprocesses) {
		t->target.follows = false;
		session_say(t, "warning: processes of %s that start later are not traced, as their hits take traps",
			    t->o->choice.what.p);
		return 0;
	}
	if (info->abilities & GOPROBE_ABILITY_CGROUP) {
		a->flags |= GOPROBE_SESSION_F_CGROUP;
		a->fd = (uint32_t)t->target.group;
		return 0;
	}
	t->target.follows = false;
	if (!t->target.nprocesses) {
		diag_set(d, "the goprobe module that is loaded (%s) can't wait for processes of %s",
			 info->version, t->o->choice.what.p);
		diag_hint(d, "load the module of this version of goprobectl");
		return -1;
	}
	session_say(t, "warning: processes of %s that start later are not traced: the goprobe module that is loaded (%s) can't follow it",
		    t->o->choice.what.p, info->version);
	return 0;
}

/* Capacity for calls that wait until they return. */
static int set_capacity(const struct session *t, const struct client_info *info,
			struct goprobe_pending_limit *held, struct diag *d)
{
	uint64_t most;

	held->bytes = t->plan->held_bytes;
	held->calls = t->o->held ? t->o->held : SESSION_HELD;
	if (!held->bytes)
		return 0;
	most = info->limits.pending_bytes / held->bytes;
	if (!t->o->held && held->calls > most)
		held->calls = (uint32_t)most;
	if (held->calls && held->calls <= most)
		return 0;
	diag_set(d, "to hold %u calls of %u bytes takes more than the %u bytes that the module allows",
		 held->calls ? held->calls : 1, held->bytes, info->limits.pending_bytes);
	diag_hint(d, "--held N holds fewer calls, --bytes N less of each");
	return -1;
}

/*
 * How points may become jumps: GOPROBE_SESSION_F_*, and @t->trapless. *@flags: others. 0, or -1
 * with @d set.
 */
static int set_trapless(struct session *t, const struct client_info *info, uint32_t *flags,
			struct diag *d)
{
	bool allowed = info->abilities & GOPROBE_ABILITY_JUMP;

	if (t->trapless == PLAN_JUMPS_ALWAYS && !allowed) {
		diag_set(d, "hits can't do without a trap: that takes a module loaded with allow_jumps=1");
		diag_hint(d, "'modprobe -r goprobe; modprobe goprobe allow_jumps=1' allows it; --trapless auto goes on with traps");
		return -1;
	}
	if (t->trapless == PLAN_JUMPS_ALWAYS && !t->target.nprocesses) {
		diag_set(d, "hits can't do without a trap in processes that are not named");
		diag_hint(d, "-p PID names them; --trapless auto goes on with traps");
		return -1;
	}
	if (!t->trapless || !allowed || !t->target.nprocesses || t->target.follows) {
		t->trapless = PLAN_JUMPS_OFF;
		plan_keep_traps(t->plan);
		return 0;
	}
	*flags |= GOPROBE_SESSION_F_JUMPS;
	if (t->trapless == PLAN_JUMPS_ALWAYS)
		*flags |= GOPROBE_SESSION_F_JUMPS_AT_ONCE;
	return 0;
}

static int new_session(struct session *t, const struct client_info *info, struct diag *d)
{
	struct attrs a = {
		.flags = t->o->lossless ? GOPROBE_SESSION_F_LOSSLESS : 0,
		.ring_bytes = t->o->ring_bytes,
		.call_limit = t->plan->o->action == GOPROBE_ACTION_RECORD ? 0 : t->o->held,
		.key_limit = t->keys.number ? &t->keys : NULL,
		.breaker = t->breaker.percent ? &t->breaker : NULL,
		.states = t->plan->o->split ? __GOSTATES_MAX : 0,
		.goroutine_set_limit = t->plan->descendant ? SESSION_MEMBERS : 0,
	};
	size_t n = t->target.nprocesses;
	struct goprobe_pending_limit held;
	int32_t *pids;
	int err;

	if (check_abilities(t, info, d) || set_follows(t, info, &a, d) ||
	    set_trapless(t, info, &a.flags, d) || set_capacity(t, info, &held, d))
		return -1;
	pids = calloc(n + 1, sizeof(*pids));
	if (!pids)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < n; i++)
		pids[i] = t->target.processes[i].pid;
	a.pids = pids;
	a.npids = n;
	a.pending_limit = held.bytes ? &held : NULL;
	err = client_session_new(t->client, &a, d);
	free(pids);
	return err;
}

/* When hits are too many: what one takes is found out on this machine. */
static void set_breaker(struct session *t)
{
	struct diag why = { 0 };
	int64_t ns = t->o->max_load == GOPROBE_LOAD_ANY ? 0 : selftest_hit_ns(&why);
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (ns < 0)
		session_say(t,
			    "warning: there is no --max-load, as it is not known what a breakpoint takes: %s",
			    why.message ? why.message : "out of memory");
	diag_fini(&why);
	t->breaker = overload_breaker(t->o->max_load, ns > 0 ? (uint64_t)ns : 0,
				      processors > 0 ? (unsigned int)processors : 1);
}

/* --- goroutines that run already ---------------------------------------------------- */

/* As many as a message takes. */
#define MEMBERS_BATCH 1024U
/* Rounds of looking for those that were born meanwhile. */
#define ROUNDS_MAX 16

static int join(struct session *t, pid_t pid, const struct kin_gor *v, size_t n, struct diag *d)
{
	struct goprobe_goroutine members[MEMBERS_BATCH];
	struct attrs a = { .goroutines = members };

	for (size_t i = 0, some; i < n; i += some) {
		some = n - i < MEMBERS_BATCH ? n - i : MEMBERS_BATCH;
		for (size_t k = 0; k < some; k++)
			members[k] = (struct goprobe_goroutine){
				.goid = v[i + k].goid, .tgid = pid,
			};
		a.ngoroutines = some;
		if (client_ask(t->client, GOPROBE_CMD_GOROUTINES_ADD, &a, d))
			return -1;
	}
	return 0;
}

/* Are all of @v, in rising order, among the @nold of @old? */
static bool knows(const struct kin_gor *old, size_t nold, const struct kin_gor *v, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++, k++) {
		while (k < nold && old[k].goid < v[i].goid)
			k++;
		if (k == nold || old[k].goid != v[i].goid)
			return false;
	}
	return true;
}

/*
 * From now on the module knows of those that its members start. What has been started before
 * its own joined is found by looking again, until nobody is new.
 */
static int find_kin(struct session *t, const struct procmem *m, struct gobin *bin, struct diag *d)
{
	struct kin_gor *old = NULL, *v = NULL;
	size_t nold = 0, n = 0;
	bool done = false;
	int err = 0;

	for (int round = 0; !err && !done && round < ROUNDS_MAX; round++) {
		err = kin_read(m, bin, t->plan->descendant, &v, &n, d);
		if (!err)
			err = join(t, m->pid, v, n, d) ? -1 : 0;
		done = !err && knows(old, nold, v, n);
		free(old);
		old = v;
		nold = n;
	}
	free(old);
	return err;
}

void session_say_unknown(const struct session *t, const struct diag *why)
{
	if (!t->o->quiet)
		session_say(t,
			    "warning: %s: of those that run already none is taken for a descendant of goroutine %llu",
			    why->message ? why->message : "out of memory",
			    (unsigned long long)t->plan->descendant);
}

/* Of one process; one that has ended meanwhile has none. */
static int find_kin_of(struct session *t, pid_t pid, struct diag *d)
{
	struct procmem m;
	size_t i = 0;
	int err;

	while (i < t->target.nbins && procmem_init(&m, pid, t->target.bins[i], d))
		i++;
	if (i == t->target.nbins)
		return 0;
	err = find_kin(t, &m, t->target.bins[i], d);
	if (err > 0)
		session_say_unknown(t, d);
	return err < 0 ? -1 : 0;
}

/* Descendants that the module can't have seen being born. */
static int find_descendants(struct session *t, struct diag *d)
{
	int err = 0;

	if (!t->plan->descendant || t->target.command)
		return 0;
	if (!t->target.nprocesses) {
		struct diag why = { 0 };

		diag_set(&why, "no process is named, with -p");
		session_say_unknown(t, &why);
		diag_fini(&why);
	}
	for (size_t i = 0; !err && i < t->target.nprocesses; i++) {
		struct diag why = { 0 };

		err = find_kin_of(t, t->target.processes[i].pid, &why);
		if (err)
			*d = why;
		else
			diag_fini(&why);
	}
	return err;
}

int session_arm(struct session *t, struct diag *d)
{
	struct client_info info;
	struct diag untested = { 0 };
	int err = client_open(&t->client, d);
	uint64_t began;

	if (!err)
		err = breakpoint_memory_check(t, &host_here, d);
	if (!err)
		err = selftest_get_info(t->client, &info, &untested, d);
	/* Without it, tracing only costs more; "info" says why. */
	diag_fini(&untested);
	if (!err)
		set_breaker(t);
	if (err || new_session(t, &info, d))
		return -1;
	t->upload = (struct upload){
		.client = t->client, .plan = t->plan, .limits = info.limits,
	};
	began = clock_now(CLOCK_MONOTONIC);
	if (upload_plan(&t->upload, progress, t, d))
		return -1;
	t->placing_ns = clock_now(CLOCK_MONOTONIC) - began;
	return find_descendants(t, d);
}

/* Of what was asked for; *@n: functions. */
static size_t count_points(const struct session *t, size_t *n)
{
	size_t hidden, points = 0;

	*n = t->plan->nfuncs - t->plan->naround - runtime_probe_count(t->plan, &hidden) -
	     t->plan->nshared;
	for (size_t i = 0; i < t->plan->nfiles; i++)
		points += t->plan->files[i].n;
	return points - hidden;
}

void session_say_copies(const struct session *t, const char *doing)
{
	const char *inlined = option_find(t->o->command, "inlined") ? "--inlined" : COPIES_COUNT;
	struct buf b = { 0 };
	char action[16];

	/* "counting": "counted" */
	snprintf(action, sizeof(action), "%.*sed", (int)strlen(doing) - (int)strlen("ing"), doing);
	copies_put(&t->plan->copies, action, t->plan->o->inlined ? NULL : inlined, &b);
	if (b.len && !b.failed && !t->o->quiet)
		session_say(t, "%.*s", (int)b.len, b.p);
	b.len = 0;
	copies_put_unsure(&t->plan->copies, &b);
	if (b.len && !b.failed && !t->o->quiet)
		session_say(t, "%.*s", (int)b.len, b.p);
	buf_fini(&b);
}

void session_say_started(const struct session *t, const char *doing, struct buf *json)
{
	size_t n, points = count_points(t, &n);

	if (t->o->quiet)
		return;
	session_say(t, "%s %zu function%s at %zu breakpoint%s; Ctrl-C ends", doing, n,
		    n == 1 ? "" : "s", points, points == 1 ? "" : "s");
	session_say_copies(t, doing);
	if (t->nobody)
		session_say(t,
			    "no process%s%s runs or has loaded %s now: nothing can be hit until one does",
			    option_wishes(t->o) ? " of " : "",
			    option_wishes(t->o) ? t->o->choice.what.p : "", t->file);
	if (!json)
		return;
	buf_str(json, "{\"kind\":\"start\"");
	buf_number(json, ",\"functions\":", n);
	buf_number(json, ",\"breakpoints\":", points);
	if (t->plan->copies.places)
		buf_number(json, ",\"inlined_left_out\":", t->plan->copies.places);
	missing_json(t->plan, json);
	buf_str(json, "}\n");
}

/* Points that took less time to place are removed at once. */
#define LONG CLOCK_SECOND

void session_say_end(const struct session *t)
{
	struct buf b = { 0 };

	if (t->o->quiet)
		return;
	if (t->interrupt.typed && t->o->person && isatty(STDERR_FILENO))
		fputc('\n', stderr);
	if (t->target.follows && containers_removed(t->target.group))
		session_say(t, "%s has ended; if it was started again, so can be this command",
			    t->o->choice.what.p);
	target_put_ended(&t->target, &b);
	if (b.len && !b.failed)
		session_say(t, "%.*s", (int)b.len, b.p);
	buf_fini(&b);
}

void session_say_ending(const struct session *t)
{
	size_t n, points = count_points(t, &n);

	if (!t->o->quiet && t->placing_ns > LONG)
		session_say(t, "taking %zu breakpoints away", points);
}

void session_say_broken(const struct session *t, uint64_t hits, struct buf *json)
{
	struct buf b = { 0 };

	if (!hits)
		return;
	overload_say(&t->breaker, hits, &b);
	if (!b.failed)
		session_say(t, "%.*s", (int)b.len, b.p);
	buf_fini(&b);
	if (json)
		overload_json(&t->breaker, hits, json);
}

void session_disarm(struct session *t)
{
	client_close(t->client);
	t->client = NULL;
}

/* A command that is to end, by a signal or by itself, does so at once as a rule. */
#define END_MS 500

void session_await_command(struct session *t)
{
	if (!interrupt_await_command(&t->interrupt, END_MS)) {
		if (!t->o->quiet)
			session_say(t,
				    "process %d goes on: waiting for its exit status, Ctrl-C ends both",
				    t->target.processes[0].pid);
		interrupt_await_command(&t->interrupt, -1);
	}
}

void session_fini(struct session *t)
{
	session_disarm(t);
	upload_fini(&t->upload);
	interrupt_fini(&t->interrupt);
	target_fini(&t->target);
	plan_free(t->plan);
	arena_fini(&t->wanted);
}
