// SPDX-License-Identifier: GPL-2.0
/* Progress of placing breakpoints, for a person. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "trace/progress.h"

/* So long the first breakpoints are watched before the time that all take is estimated. */
#define WATCHED (200 * CLOCK_MS)
/* What takes less is not announced. */
#define LONG CLOCK_SECOND

/* The time that @n more take if @placed took @ns. */
static uint64_t estimate(uint64_t ns, size_t placed, size_t n)
{
	return (uint64_t)((double)ns / (double)placed * (double)n);
}

/* "12 s", "3 min" */
static void add_time(struct buf *b, uint64_t ns)
{
	uint64_t s = (ns + CLOCK_SECOND / 2) / CLOCK_SECOND;

	buf_number(b, "", s < 120 ? s ? s : 1 : (s + 30) / 60);
	buf_str(b, s < 120 ? " s" : " min");
}

static void announce(struct progress *p, size_t placed, size_t all, uint64_t now, struct buf *text)
{
	uint64_t ns = now - p->began;

	if (p->announced || !placed || ns < WATCHED)
		return;
	p->announced = true;
	if (ns + estimate(ns, placed, all - placed) <= LONG)
		return;
	buf_number(text, "placing ", all);
	buf_str(text, " breakpoints takes about ");
	add_time(text, ns + estimate(ns, placed, all - placed));
	buf_char(text, '\n');
}

void progress_add(struct progress *p, size_t placed, size_t all, uint64_t now, bool terminal,
		  struct buf *text)
{
	uint64_t every = terminal ? 100 * CLOCK_MS : 2 * CLOCK_SECOND;

	if (!p->began) {
		p->began = now;
		p->said = now;
	}
	announce(p, placed, all, now, text);
	if (p->announced && placed < all && now - p->said >= every) {
		buf_number(text, terminal ? "\r" : "", placed);
		buf_number(text, " of ", all);
		buf_str(text, " breakpoints placed, about ");
		add_time(text, estimate(now - p->began, placed, all - placed));
		buf_str(text, terminal ? " left\033[K" : " left\n");
		p->said = now;
	}
	if (placed == all && terminal && p->said != p->began)
		buf_str(text, "\r\033[K");
}

void progress_show(struct progress *p, size_t placed, size_t all)
{
	struct buf text = { 0 };

	progress_add(p, placed, all, clock_now(CLOCK_MONOTONIC), isatty(STDERR_FILENO), &text);
	if (!text.failed)
		fwrite(text.p, 1, text.len, stderr);
	buf_fini(&text);
}
