/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conversion of a session's clock to CLOCK_MONOTONIC. Records are stamped with ticks (clock.h),
 * which takes a handful of instructions of the traced thread. The reader's pass converts them.
 * Each pass reads both clocks at the same moment; between two passes time is a straight line. So
 * time equals the kernel's at each pass and follows its corrections. Time rises with the ticks
 * across CPUs and passes: no two records ever change their order.
 *
 * Ticks may deviate from time: the machine slept or was migrated, or the kernel distrusts the
 * counter. Then all records of the pass get the time of the pass, because nothing more is known.
 * If the kernel distrusts the counter, records are stamped with CLOCK_MONOTONIC from then on.
 */
#ifndef GP_TIMELINE_H
#define GP_TIMELINE_H

#include <linux/types.h>

struct gp_clock;

/**
 * struct gp_moment - readings of both clocks
 * @ticks: of gp_clock_read(); later records have higher stamps
 * @ns: CLOCK_MONOTONIC
 */
struct gp_moment {
	u64 ticks;
	u64 ns;
};

/**
 * struct gp_timeline - the piece of the line for one pass
 * @from: end of the previous piece
 * @to: end of this piece
 * @base: time of the first tick after @from, ns: more than @from.ns
 * @slope: ns of a tick, times 2^32
 * @span: highest stamp of this pass, in ticks from @from; unlimited if the line is broken
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
