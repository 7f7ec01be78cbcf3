// SPDX-License-Identifier: GPL-2.0
/* From what is to be traced to a session. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "gostates.h"
#include "hidden.h"
#include "select.h"
#include "selftest.h"
#include "tracing.h"

int tracing_open(struct tracing *t, const struct targetopt *what, struct diag *d)
{
	size_t older = 0;

	if (interrupt_init(&t->interrupt, &t->target, d))
		return -1;
	for (size_t i = 0; i < what->npids; i++)
		if (target_add_pids(&t->target, what->pids[i], d))
			return -1;
	if (what->file && target_set_file(&t->target, what->file, &older, d))
		return -1;
	if (older)
		fprintf(stderr, "goprobectl: warning: %zu process%s an older, replaced %s; -p traces %s\n",
			older, older == 1 ? " runs" : "es run", what->file,
			older == 1 ? "it" : "them");
	if (what->command)
		return target_set_command(&t->target, what->command, &t->interrupt.mask, d);
	return 0;
}

int tracing_plan(struct tracing *t, const struct targetopt *what,
		 const struct plan_options *options, struct diag *d)
{
	struct buf skipped = { 0 };
	int err;

	t->plan = plan_new(options);
	if (!t->plan)
		return diag_set(d, "out of memory");
	err = select_functions(t->plan, t->target.bins, t->target.nbins, what->specs,
			       what->nspecs, &t->wanted, &skipped, d);
	if (!err)
		err = hidden_add_all(t->plan, t->target.bins, t->target.nbins, options, d);
	if (!err)
		err = plan_finish(t->plan, d);
	if (!err && skipped.len && !t->quiet)
		fprintf(stderr, "%.*s\n", (int)skipped.len, skipped.p);
	buf_fini(&skipped);
	return err;
}

/* Tell on a terminal; elsewhere only if it takes long. */
static bool progress(void *ctx, size_t points, size_t all)
{
	struct tracing *t = ctx;
	bool terminal = isatty(STDERR_FILENO);
	uint64_t every = terminal ? 100000000ULL : 2000000000ULL, now = clock_now(CLOCK_MONOTONIC);

	if (!t->said)
		t->said = now;
	if (!t->quiet && points < all && now - t->said >= every) {
		fprintf(stderr, terminal ? "\r%zu of %zu breakpoints placed" :
					   "%zu of %zu breakpoints placed\n", points, all);
		t->said = now;
	}
	if (!t->quiet && points == all && terminal && now != t->said && all > 1000)
		fprintf(stderr, "\r\033[K");
	return !interrupt_came(&t->interrupt);
}

/* What the plan wants that a module may not have. */
static int check_abilities(const struct tracing *t, const struct client_info *info,
			   struct diag *d)
{
	if (!t->plan->nfilters || info->abilities & GOPROBE_ABILITY_FILTER)
		return 0;
	diag_set(d, "the goprobe module that is loaded (%s) knows no conditions", info->version);
	diag_hint(d, "load the module of this version of goprobectl");
	return -1;
}

/* Room for calls that wait until they return. */
static int make_room(const struct tracing *t, const struct client_info *info,
		     struct goprobe_held *held, struct diag *d)
{
	uint64_t most;

	held->bytes = t->plan->held_bytes;
	held->calls = t->held ? t->held : TRACING_HELD;
	if (!held->bytes)
		return 0;
	most = info->limits.held_bytes / held->bytes;
	if (!t->held && held->calls > most)
		held->calls = (uint32_t)most;
	if (held->calls && held->calls <= most)
		return 0;
	diag_set(d, "to hold %u calls of %u bytes takes more than the %u bytes that the module allows",
		 held->calls ? held->calls : 1, held->bytes, info->limits.held_bytes);
	diag_hint(d, "--held N holds fewer calls, --bytes N less of each");
	return -1;
}

static int new_session(struct tracing *t, const struct client_info *info, uint32_t flags,
		       uint32_t ring_bytes, struct diag *d)
{
	size_t n = t->target.nprocesses;
	struct goprobe_held held;
	int32_t *pids;
	int err;

	if (check_abilities(t, info, d) || make_room(t, info, &held, d))
		return -1;
	pids = calloc(n + 1, sizeof(*pids));
	if (!pids)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < n; i++)
		pids[i] = t->target.processes[i].pid;
	err = client_session_new(t->client, pids, n, flags, held.bytes ? &held : NULL,
				 t->keys.number ? &t->keys : NULL, &t->breaker,
				 t->plan->split ? __GOSTATES_MAX : 0, &ring_bytes, d);
	free(pids);
	return err;
}

/* When hits are too many: what one takes is found out on this machine. */
static void set_breaker(struct tracing *t)
{
	struct diag why = { 0 };
	int64_t ns = t->load.off ? 0 : selftest_hit_ns(&why);
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (ns < 0)
		fprintf(stderr, "goprobectl: warning: there is no --max-load, as it is not known what a breakpoint takes: %s\n",
			why.sentence ? why.sentence : "out of memory");
	diag_fini(&why);
	t->breaker = maxload_breaker(&t->load, ns > 0 ? (uint64_t)ns : 0,
				     processors > 0 ? (unsigned int)processors : 1);
}

int tracing_arm(struct tracing *t, uint32_t flags, uint32_t ring_bytes, struct diag *d)
{
	struct client_info info;
	struct diag untested = { 0 };
	int err = client_open(&t->client, d);

	if (!err)
		err = selftest_get_info(t->client, &info, &untested, d);
	/* Without it, tracing only costs more; "info" says why. */
	diag_fini(&untested);
	if (!err)
		set_breaker(t);
	if (err || new_session(t, &info, flags, ring_bytes, d))
		return -1;
	t->upload = (struct upload){
		.client = t->client, .plan = t->plan, .limits = info.limits,
	};
	return upload_plan(&t->upload, progress, t, d);
}

void tracing_say_started(const struct tracing *t, const char *doing)
{
	size_t hidden, points = 0, n = t->plan->nfuncs - t->plan->naround;

	n -= hidden_count(t->plan, &hidden);
	for (size_t i = 0; i < t->plan->nfiles; i++)
		points += t->plan->files[i].n;
	points -= hidden;
	if (!t->quiet)
		fprintf(stderr, "%s %zu function%s at %zu breakpoint%s; Ctrl-C ends\n", doing,
			n, n == 1 ? "" : "s", points, points == 1 ? "" : "s");
}

void tracing_say_broken(const struct tracing *t, uint64_t hits, struct buf *json)
{
	struct buf b = { 0 };

	if (!hits)
		return;
	maxload_say(&t->breaker, hits, &b);
	if (!b.failed)
		fprintf(stderr, "goprobectl: %.*s\n", (int)b.len, b.p);
	buf_fini(&b);
	if (json)
		maxload_json(&t->breaker, hits, json);
}

void tracing_disarm(struct tracing *t)
{
	client_close(t->client);
	t->client = NULL;
}

void tracing_fini(struct tracing *t)
{
	tracing_disarm(t);
	upload_fini(&t->upload);
	target_fini(&t->target);
	plan_free(t->plan);
	arena_fini(&t->wanted);
}
