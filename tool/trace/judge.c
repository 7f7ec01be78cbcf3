// SPDX-License-Identifier: GPL-2.0
/* A first reading of a recording, which decides what of it is shown. */
#include <stdlib.h>
#include <sys/stat.h>

#include "output/screen.h"
#include "trace/judge.h"
#include "trace/window.h"

/* The reading. */
struct judging {
	struct output out;		/* where its events go: first, as formats are given this */
	struct sift *sift;		/* what is decided */
	uint64_t since;			/* the window, CLOCK_MONOTONIC */
	uint64_t until;			/* see @since; it is part of it */
	struct sift_set early;		/* calls from before the window that have not ended */
	uint64_t last;			/* time of the last event */
	bool paired;			/* calls and returns are joined */
	bool failed;			/* there is no memory */
};

static void keep(struct judging *j, const struct output_event *e)
{
	if (sift_set_add(&j->sift->kept, e->number))
		j->failed = true;
}

/* Is nothing known of it but this moment? */
static bool is_moment(const struct judging *j, const struct output_event *e)
{
	if (e->kind == OUTPUT_CALL)
		return e->no_g || !j->paired;
	return e->kind == OUTPUT_AT || (e->kind != OUTPUT_UNWOUND && e->no_duration);
}

/* A call is kept if it was open within the window, whenever it began and ended. */
static void event(struct output *o, const struct output_event *e)
{
	struct judging *j = (struct judging *)o;
	uint64_t time = e->kind == OUTPUT_UNWOUND ? e->seen : e->time;
	bool begins = e->kind == OUTPUT_CALL || is_moment(j, e);

	j->last = time;
	if (begins && time >= j->since && time <= j->until) {
		keep(j, e);
	} else if (e->kind == OUTPUT_CALL && time < j->since && !is_moment(j, e)) {
		if (sift_set_add(&j->early, e->number))
			j->failed = true;
	} else if (!begins && sift_set_has(&j->early, e->number)) {
		sift_set_remove(&j->early, e->number);
		if (time >= j->since)
			keep(j, e);
	}
}

static void vanished(struct output *o, uint64_t number, uint64_t time)
{
	struct judging *j = (struct judging *)o;

	if (time < j->since)
		sift_set_remove(&j->early, number);
}

/* Calls that are still open were so within the window, if the recording lasts so long. */
static int keep_early(struct judging *j)
{
	for (uint64_t i = 0; j->last >= j->since && i < j->early.n * 64; i++)
		if (sift_set_has(&j->early, i) && sift_set_add(&j->sift->kept, i))
			return -1;
	return 0;
}

static void header(struct output *o)
{
	(void)o;
}

static void lost(struct output *o, const struct goprobe_lost *l, uint64_t time)
{
	(void)o;
	(void)l;
	(void)time;
}

static void summary(struct output *o, const struct output_summary *s, struct buf *talk)
{
	(void)o;
	(void)s;
	(void)talk;
}

static const struct output_format format = {
	.name = "judge", .header = header, .event = event, .vanished = vanished, .lost = lost,
	.summary = summary,
};

static int read_window(struct judging *j, const struct replay *r, const struct options *o,
		       struct diag *d)
{
	const char *const texts[] = { o->since, o->until };
	uint64_t *const ret[] = { &j->since, &j->until };
	bool utc = screen.time == SCREEN_UTC;

	j->until = UINT64_MAX;
	for (int i = 0; i < 2; i++) {
		if (!texts[i] ||
		    window_time(texts[i], r->start.started, r->start.epoch, utc, ret[i]))
			continue;
		diag_set(d, "'%s' of --%s is no time in a recording", texts[i],
			 i ? "until" : "since");
		diag_hint(d, "5s or 1m30s is so long after its begin, 14:03:20 the time of day");
		return -1;
	}
	return j->since <= j->until ? 0 :
	       diag_set(d, "--since %s is behind --until %s", o->since, o->until);
}

static int read_all(struct judging *j, const struct replay *of, struct diag *d)
{
	struct replay r = { .path = of->path, .files = of->files };
	struct stream s = { 0 };
	int got = -1;

	output_init(&j->out, &format, -1);
	if (!replay_open(&r, d)) {
		j->paired = !r.options.plan.no_return;
		got = stream_init(&s, r.plan, &j->out, j->paired) ?
		      diag_set(d, "out of memory") : 1;
		while (got > 0 && !j->failed)
			got = replay_step(&r, &s, d);
		got = got || replay_finish(&r, &s, d) ? -1 : 0;
		stream_fini(&s);
	}
	replay_fini(&r);
	output_fini(&j->out);
	return j->failed ? diag_set(d, "out of memory") : got;
}

int judge(struct replay *r, const struct options *o, struct diag *d)
{
	struct judging j = { .sift = &r->sift };
	struct stat st;
	int err;

	if (!o->since && !o->until)
		return 0;
	if (fstat(r->player.fd, &st) || !S_ISREG(st.st_mode)) {
		diag_set(d, "%s is read twice for --since and --until, so it can't be a pipe",
			 r->path);
		diag_hint(d, "save the recording in a file");
		return -1;
	}
	err = read_window(&j, r, o, d) || read_all(&j, r, d);
	if (!err && keep_early(&j))
		err = diag_set(d, "out of memory");
	r->sift.judged = true;
	free(j.early.v);
	return err ? -1 : 0;
}
