// SPDX-License-Identifier: GPL-2.0
/* Snapshots of goroutines of a process that runs meanwhile. */
#include <string.h>

#include "base/clock.h"
#include "process/goroutine_snapshot.h"

/* Attempts to read a goroutine that runs all the time. */
#define ATTEMPTS 3
/* Each search for a thread reads files of all threads: it is given up after so long in all. */
#define THREADS_NS CLOCK_SECOND

int goroutine_snapshot_init(struct goroutine_snapshot_reader *r, pid_t pid, struct gobin *bin,
			    bool labels, struct diag *d)
{
	r->labels = labels;
	r->layout = pprof_labels_of(bin);
	return goroutine_reader_init(&r->r, pid, bin, d);
}

static void find_thread(struct goroutine_snapshot_reader *r, struct goroutine *gr)
{
	uint64_t start;

	if (gr->status != GOROUTINE_SYSCALL || r->thread_ns > THREADS_NS)
		return;
	start = clock_now(CLOCK_MONOTONIC);
	goroutine_find_thread(&r->r, gr);
	r->thread_ns += clock_now(CLOCK_MONOTONIC) - start;
}

/* Stack and labels. False: they are not whole. */
static bool read_parts(struct goroutine_snapshot_reader *r, struct goroutine_snapshot *s)
{
	enum stack_end end = STACK_WHOLE;

	s->n = 0;
	if (goroutine_rests(&s->gr))
		end = goroutine_walk(&r->r, &s->gr, s->frames, GOROUTINE_STATE_FRAMES, &s->n);
	s->cut = end == STACK_CUT;
	if (r->labels)
		goroutine_labels_read(&r->r, r->layout, s->gr.labels, &s->labels);
	return end != STACK_BROKEN;
}

/* Does it read the same again? */
static bool read_again(struct goroutine_snapshot_reader *r, const struct goroutine *before)
{
	struct goroutine now;

	if (!goroutine_read(&r->r, before->g, &now) || now.goid != before->goid ||
	    now.status != before->status || now.reason != before->reason ||
	    now.since != before->since || now.gopc != before->gopc ||
	    now.parent != before->parent || now.labels != before->labels)
		return false;
	/* It has no stack to read; but its labels may be replaced by others at any time. */
	if (now.status == GOROUTINE_RUNNING)
		return !r->labels || !now.labels;
	find_thread(r, &now);
	return goroutine_rested(&r->r, before, &now);
}

static bool same_parts(const struct goroutine_snapshot *a, const struct goroutine_snapshot *b)
{
	if (a->n != b->n || a->cut != b->cut || a->labels.n != b->labels.n ||
	    a->labels.unknown != b->labels.unknown)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->frames[i].pc != b->frames[i].pc)
			return false;
	return a->labels.used == b->labels.used &&
	       !memcmp(a->labels.text, b->labels.text, a->labels.used);
}

static bool read_twice(struct goroutine_snapshot_reader *r, struct goroutine_snapshot *s)
{
	struct goroutine_snapshot first;

	find_thread(r, &s->gr);
	if (!read_parts(r, s) || !read_again(r, &s->gr))
		return false;
	if (s->gr.status == GOROUTINE_RUNNING)
		return true;
	first.n = s->n;
	first.cut = s->cut;
	memcpy(first.frames, s->frames, s->n * sizeof(*s->frames));
	first.labels.n = s->labels.n;
	first.labels.unknown = s->labels.unknown;
	first.labels.used = s->labels.used;
	memcpy(first.labels.text, s->labels.text, s->labels.used);
	return read_parts(r, s) && same_parts(&first, s) && read_again(r, &s->gr);
}

static const char *reason_of(struct goroutine_snapshot_reader *r, const struct goroutine *gr)
{
	char *text = r->reasons[gr->reason];

	if (gr->status != GOROUTINE_WAITING)
		return NULL;
	if (!r->have_reason[gr->reason])
		goroutine_state_reason(&r->r, gr->reason, text, sizeof(r->reasons[0]));
	r->have_reason[gr->reason] = true;
	return *text ? text : NULL;
}

bool goroutine_snapshot_read(struct goroutine_snapshot_reader *r, uint64_t g,
			     struct goroutine_snapshot *s)
{
	s->consistent = false;
	s->labels.n = 0;
	s->labels.used = 0;
	s->labels.unknown = false;
	for (int i = 0; i < ATTEMPTS && !s->consistent; i++) {
		if (!goroutine_read(&r->r, g, &s->gr) || !s->gr.status ||
		    s->gr.status == GOROUTINE_DEAD || s->gr.status == GOROUTINE_DEAD_EXTRA)
			return false;
		s->consistent = read_twice(r, s);
	}
	s->status = goroutine_state_status(&s->gr);
	s->reason = reason_of(r, &s->gr);
	/* That of the main goroutine is in the runtime's assembly. */
	s->creator = s->gr.goid != 1 && s->gr.gopc ? s->gr.gopc - r->r.m.bias : 0;
	return true;
}
