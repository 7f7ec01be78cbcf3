// SPDX-License-Identifier: GPL-2.0
/* Conversion of ticks to time: see timeline.h. */
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/time64.h>
#include <goprobe.h>

#include "ring/clock.h"
#include "ring/timeline.h"

/*
 * The current moment, minus a tick: a record can still get the present tick, and be written after
 * the reader has looked at the rings.
 */
static void gp_timeline_look(const struct gp_clock *clock, struct gp_moment *ret)
{
	unsigned long flags;
	u64 before;

	if (!clock->mult) {
		ret->ns = ktime_get_ns() - 1;
		ret->ticks = ret->ns;
		return;
	}
	local_irq_save(flags);
	before = gp_clock_read(clock);
	ret->ns = ktime_get_ns();
	ret->ticks = before + (gp_clock_read(clock) - before) / 2 - 1;
	local_irq_restore(flags);
}

/* Whether ticks deviate from time by more than 10 %, which a clock's correction never does. */
static bool gp_timeline_is_broken(const struct gp_timeline *line,
				  const struct gp_clock *clock)
{
	u64 ticks = gp_clock_passed(clock, line->from.ticks, line->to.ticks);
	u64 ns = line->to.ns - line->from.ns;

	return ticks / 2 > ns + NSEC_PER_MSEC || ns / 2 > ticks + NSEC_PER_MSEC;
}

/**
 * gp_timeline_begin() - initialize before the first record
 * @line: to be set
 * @clock: the clock that will stamp records
 */
void gp_timeline_begin(struct gp_timeline *line, const struct gp_clock *clock)
{
	gp_timeline_look(clock, &line->to);
}

/**
 * gp_timeline_extend() - begin the next piece, which ends now
 * @line: the previous piece
 * @clock: the clock that stamps records
 *
 * Afterwards the caller waits for unfinished records (gp_ring_settle()): then all records with
 * stamps up to @line->to are in the rings.
 */
void gp_timeline_extend(struct gp_timeline *line, struct gp_clock *clock)
{
	struct gp_clock today;
	bool given_up;

	gp_clock_init(&today);
	given_up = clock->mult && !today.mult;
	/* Before the wait for unfinished records: all later records are stamped without ticks. */
	if (given_up)
		WRITE_ONCE(clock->mult, 0);

	line->from = line->to;
	line->base = line->from.ns + 1;
	gp_timeline_look(clock, &line->to);
	line->to.ns = max(line->to.ns, line->base);
	line->slope = 0;
	if (given_up || gp_timeline_is_broken(line, clock)) {
		line->base = line->to.ns;
		line->span = U64_MAX;
		return;
	}
	line->to.ticks = max(line->to.ticks, line->from.ticks);
	line->span = line->to.ticks - line->from.ticks;
	if (line->span)
		line->slope = mul_u64_u64_div_u64(line->to.ns - line->base, 1ULL << 32,
						  line->span);
}

/**
 * gp_timeline_convert() - convert the records' ticks to time
 * @line: the piece of this pass
 * @records: of one CPU; all whole except perhaps the last
 * @bytes: of @records
 * @younger: set if a record, and all behind it, belong to a later pass
 *
 * Return: size of the leading records that are whole and belong to this pass.
 */
u32 gp_timeline_convert(const struct gp_timeline *line, void *records, u32 bytes,
			bool *younger)
{
	u64 from = line->from.ticks, base = line->base, slope = line->slope;
	u64 span = line->span;
	u8 *at = records, *end = at + bytes;

	*younger = false;
	while (end - at >= (long)sizeof(struct goprobe_record)) {
		struct goprobe_record *rec = (void *)at;
		u64 passed = rec->time - from;
		long size = rec->words * 8L;

		if (unlikely(size > end - at))
			break;
		if (unlikely(passed > span)) {
			if ((s64)passed > 0) {
				*younger = true;
				break;
			}
			/* The counters of two CPUs can differ by a few ticks. */
			passed = 0;
		}
		rec->time = base + mul_u64_u64_shr(passed, slope, 32);
		at += size;
	}
	return at - (u8 *)records;
}
