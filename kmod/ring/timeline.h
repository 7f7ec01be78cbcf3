/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the clock of a session's records says, as time. Records are stamped with ticks
 * (clock.h), which takes a handful of instructions of the traced thread; the reader's
 * pass makes CLOCK_MONOTONIC of them. Each pass looks at both clocks at the same
 * moment; between two passes time is a straight line. So it is the kernel's own time
 * at each pass and follows its corrections in between, and rises with the ticks,
 * across CPUs and passes: two records never change places.
 *
 * If ticks have not passed as time has (the machine slept, or was moved; the kernel does
 * not trust the counter any more), all records of the pass get the time of the pass,
 * which is all that is known of them. If the kernel has given the counter up,
 * records are stamped with time itself from then on.
 */
#ifndef GP_TIMELINE_H
#define GP_TIMELINE_H

#include <linux/types.h>

struct gp_clock;

/**
 * struct gp_moment - what both clocks said
 * @ticks: of gp_clock_read(); records that are stamped later have more
 * @ns: CLOCK_MONOTONIC
 */
struct gp_moment {
	u64 ticks;
	u64 ns;
};

/**
 * struct gp_timeline - the piece of the line that a pass hands out
 * @from: the end of the piece before
 * @to: its own end
 * @base: time of the first tick after @from, ns: more than @from.ns
 * @slope: ns of a tick, times 2^32
 * @span: ticks from @from that records of this pass can have; all if the line is broken
 */
struct gp_timeline {
	struct gp_moment from;
	struct gp_moment to;
	u64 base;
	u64 slope;
	u64 span;
};

void gp_timeline_begin(struct gp_timeline *line, const struct gp_clock *clock);
void gp_timeline_extend(struct gp_timeline *line, struct gp_clock *clock);
u32 gp_timeline_convert(const struct gp_timeline *line, void *records, u32 bytes,
			bool *younger);

#endif
