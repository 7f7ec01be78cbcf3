/* SPDX-License-Identifier: GPL-2.0 */
/* The module's counters, and what summaries say of each. docs/json.md has the keys. */
#ifndef GOPROBE_OUTPUT_COUNTERS_H
#define GOPROBE_OUTPUT_COUNTERS_H

#include <stddef.h>
#include <stdint.h>
#include <goprobe.h>
#include <libgoprobe.h>

#include "output/row.h"

/* What a summary is about. */
enum {
	COUNTERS_EVENTS = 1 << 0,	/* lines of events */
	COUNTERS_LOST = 1 << 1,		/* records that are missing among them, by cause */
	COUNTERS_EDITS = 1 << 2,	/* calls that were to be changed */
	COUNTERS_CALLS = 1 << 3,	/* counted or timed calls */
	COUNTERS_TIMES = 1 << 4,	/* timed calls */
	COUNTERS_KEYS = 1 << 5,		/* calls by key */
	COUNTERS_JUMPS = 1 << 6,	/* counted or timed calls that may take no trap */
	COUNTERS_STACKS = 1 << 7,	/* calls by stack */
	COUNTERS_STUCK = 1 << 8,	/* calls that are open for long */
};

/* What summaries say of a counter. A counter for which summaries differ has more than one row. */
struct counter {
	enum goprobe_stat stat;	/* its number */
	unsigned int in;	/* summaries that show it; 0: none does */
	unsigned int always;	/* of these: JSON has it even if it is 0 */
	const char *key;	/* as in struct fact */
	const char *noun;	/* as in struct fact */
	const char *text;	/* as in struct fact */
	unsigned int flags;	/* as in struct fact, without FACT_ALWAYS */
	/* Offset of its member of struct goprobe_counts; 0, where that has no counter: none. */
	size_t program;
};

extern const struct counter counters[];
extern const size_t ncounters;

/* The most facts of a summary. */
#define COUNTERS_MAX (2 * __GOPROBE_STAT_MAX)

/*
 * What summaries about @in say of the counters @stats, by enum goprobe_stat; those in the set
 * @unknown are left out. Returns their number.
 */
size_t counters_facts(const uint64_t *stats, uint64_t unknown, unsigned int in,
		      struct fact ret[COUNTERS_MAX]);
/* The keys of counters in the set @unknown, for summaries about @in: "jumps_lost, edited". */
void counters_put_unknown(uint64_t unknown, unsigned int in, struct buf *b);
/* The sum of all that COUNTERS_LOST has. */
uint64_t counters_lost(const uint64_t *stats);
/* Set the members of @to that are counters of the module. */
void counters_for_program(const uint64_t *stats, struct goprobe_counts *to);
/* The number of the counter of records that were lost by @cause, of enum goprobe_lost_cause. */
enum goprobe_stat counters_of_cause(uint32_t cause);
/* The key of that counter, "ring_full". */
const char *counters_cause(uint32_t cause);

#endif
