// SPDX-License-Identifier: GPL-2.0
/* Snapshots of goroutines of a process that runs meanwhile. */
#include <string.h>

#include "base/clock.h"
#include "process/goroutine_snapshot.h"

/* Attempts to read a goroutine that runs all the time. */
#define ATTEMPTS 3
/* Each search for a thread reads files of all threads: it is given up after so long in all. */
#define THREADS_NS 1000000000ULL

int gosnap_init(struct gosnap_reader *r, pid_t pid, struct gobin *bin, bool labels,
		struct diag *d)
{
	r->labels = labels;
	r->layout = golabels_of(bin);
	return goreader_init(&r->r, pid, bin, d);
}

static void find_thread(struct gosnap_reader *r, struct goroutine *gr)
{
	uint64_t start;

	if (gr->status != GOROUTINE_SYSCALL || r->thread_ns > THREADS_NS)
		return;
	start = clock_now(CLOCK_MONOTONIC);
	goroutine_find_thread(&r->r, gr);
	r->thread_ns += clock_now(CLOCK_MONOTONIC) - start;
}

/* Stack and labels. False: they are not whole. */
static bool read_parts(struct gosnap_reader *r, struct gosnap *s)
{
	enum gostack_end end = GOSTACK_WHOLE;

	s->n = 0;
	if (goroutine_rests(&s->gr))
		end = goroutine_walk(&r->r, &s->gr, s->frames, GOSTATE_FRAMES, &s->n);
	s->cut = end == GOSTACK_CUT;
	if (r->labels)
		gorlabels_read(&r->r, r->layout, s->gr.labels, &s->labels);
	return end != GOSTACK_BROKEN;
}

/* Does it read the same again? */
static bool read_again(struct gosnap_reader *r, const struct goroutine *before)
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

static bool same_parts(const struct gosnap *a, const struct gosnap *b)
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

static bool read_twice(struct gosnap_reader *r, struct gosnap *s)
{
	struct gosnap first;

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

static const char *reason_of(struct gosnap_reader *r, const struct goroutine *gr)
{
	char *text = r->reasons[gr->reason];

	if (gr->status != GOROUTINE_WAITING)
		return NULL;
	if (!r->have_reason[gr->reason])
		gostate_reason(&r->r, gr->reason, text, sizeof(r->reasons[0]));
	r->have_reason[gr->reason] = true;
	return *text ? text : NULL;
}

bool gosnap_read(struct gosnap_reader *r, uint64_t g, struct gosnap *s)
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
	s->status = gostate_status(&s->gr);
	s->reason = reason_of(r, &s->gr);
	/* That of the main goroutine is in the runtime's assembly. */
	s->creator = s->gr.goid != 1 && s->gr.gopc ? s->gr.gopc - r->r.m.bias : 0;
	return true;
}
