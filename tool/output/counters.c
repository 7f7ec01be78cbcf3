// SPDX-License-Identifier: GPL-2.0
/* The module's counters, and what summaries say of each. */
#include <string.h>

#include "output/counters.h"

_Static_assert(__GOPROBE_STAT_MAX <= 64, "a set of counters is a word");

#define EVENTS COUNTERS_EVENTS
#define LOST COUNTERS_LOST
#define EDITS COUNTERS_EDITS
#define CALLS COUNTERS_CALLS
#define TIMES COUNTERS_TIMES
#define KEYS COUNTERS_KEYS
#define JUMPS COUNTERS_JUMPS
#define STACKS COUNTERS_STACKS
#define STUCK COUNTERS_STUCK

#define PROGRAM(member) .program = offsetof(struct goprobe_counts, member)

/* Summaries show them in this order. */
const struct counter counters[] = {
	{ GOPROBE_STAT_LOST_RING_FULL, LOST, LOST, "ring_full",
	  .text = "ring full", .flags = FACT_SAID, PROGRAM(lost_ring_full) },
	{ GOPROBE_STAT_LOST_NO_RING, LOST, LOST, "no_ring",
	  .text = "no ring", .flags = FACT_SAID, PROGRAM(lost_no_ring) },
	{ GOPROBE_STAT_NO_SPACE, LOST, LOST, "no_room", .text = "no room",
	  PROGRAM(lost_no_room) },
	{ GOPROBE_STAT_NO_SPACE, TIMES | STACKS, TIMES, "no_room", "call",
	  .text = "not timed, because too many were open: --held N allows more" },
	{ GOPROBE_STAT_NO_SPACE, STUCK, 0, "no_room", "call",
	  .text = "beyond the limit of pending calls: --held N raises it" },
	{ GOPROBE_STAT_NO_CALL, TIMES, TIMES, "no_call", "return",
	  .text = "of calls that began before tracing, or did not count" },
	{ GOPROBE_STAT_NO_GOROUTINE, TIMES, TIMES, "no_goroutine", "hit",
	  .text = "outside any goroutine" },
	{ GOPROBE_STAT_FILTERED, EVENTS | CALLS | STACKS, EVENTS | CALLS, "filtered", "call",
	  .text = "did not pass the condition", PROGRAM(filtered) },
	{ GOPROBE_STAT_JUMPED, EVENTS | JUMPS, JUMPS, "without_trap", "hit",
	  .text = "without a trap" },
	{ GOPROBE_STAT_JUMPS_LOST, EVENTS | JUMPS | STACKS | STUCK, JUMPS, "jumps_lost",
	  "jump",
	  .text = "disappeared, as the program mapped its code again: calls are missing" },
	{ GOPROBE_STAT_JUMPS_NO_MEMORY, EVENTS | JUMPS, JUMPS, "jumps_no_memory", "breakpoint",
	  .text = "could not become a jump: the process has no memory to spare, or none nearby" },
	{ GOPROBE_STAT_UNDECIDED, EVENTS, EVENTS, "undecided", "call",
	  .text = "with a condition that could not be evaluated", PROGRAM(undecided) },
	{ GOPROBE_STAT_UNDECIDED, CALLS, CALLS, "undecided", "call",
	  .text = "with a condition, key or value that could not be evaluated" },
	{ GOPROBE_STAT_UNDECIDED, STACKS, 0, "undecided", "call",
	  .text = "with a condition or a stack that is unknown" },
	{ GOPROBE_STAT_SAMPLED, EVENTS, EVENTS, "sampled", "call",
	  .text = "left out of the sample", PROGRAM(sampled) },
	{ GOPROBE_STAT_LIMITED, EVENTS, EVENTS, "limited", "call",
	  .text = "beyond the limit", PROGRAM(limited) },
	{ GOPROBE_STAT_SET_FULL, EVENTS | CALLS | STACKS | STUCK, 0, "no_member", "goroutine",
	  .text = "not followed: too many descend from the goroutine of the condition" },
	{ GOPROBE_STAT_NO_KEY, KEYS, KEYS, "no_key", "call",
	  .text = "without a key: the table of keys was full (--keys N makes it larger)" },
	{ GOPROBE_STAT_NO_KEY, STACKS, 0, "no_key", "call",
	  .text = "beyond the limit of stacks: --stacks N raises it" },
	{ GOPROBE_STAT_EDITED, EDITS, EDITS, "edited", "change",
	  .text = "made", .flags = FACT_SAID },
	{ GOPROBE_STAT_NOT_EDITED, EDITS, EDITS, "not_edited", "change", .text = "failed" },
	{ GOPROBE_STAT_WAITS, EVENTS, EVENTS, "waits", "record",
	  .text = "waited for space in the buffer", PROGRAM(waits) },
	{ GOPROBE_STAT_WAIT_NS, EVENTS, EVENTS, "wait_seconds", .flags = FACT_NS,
	  PROGRAM(wait_ns) },

	/* Tables and lines have these calls, or a message of its own has the number. */
	{ .stat = GOPROBE_STAT_CALLS },
	{ .stat = GOPROBE_STAT_RETURNS },
	{ .stat = GOPROBE_STAT_COUNTED },
	{ .stat = GOPROBE_STAT_OPENED },
	{ .stat = GOPROBE_STAT_TIMED },
	{ .stat = GOPROBE_STAT_BROKEN, PROGRAM(broken) },
	/* No call is missing because of them. */
	{ .stat = GOPROBE_STAT_NOTIFIED },
	{ .stat = GOPROBE_STAT_RESTARTS },
	{ .stat = GOPROBE_STAT_OTHER_PROCESS },
	{ .stat = GOPROBE_STAT_NOT_STARTED },
	{ .stat = GOPROBE_STAT_RELEASED },
	{ .stat = GOPROBE_STAT_FAULT_INS },
};

const size_t ncounters = sizeof(counters) / sizeof(*counters);

size_t counters_facts(const uint64_t *stats, uint64_t unknown, unsigned int in,
		      struct fact ret[COUNTERS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < ncounters && n < COUNTERS_MAX; i++) {
		const struct counter *c = &counters[i];

		if (c->in & in && !(unknown >> c->stat & 1))
			ret[n++] = (struct fact){
				c->key, stats[c->stat], c->noun, c->text,
				c->flags | (c->always & in ? FACT_ALWAYS : 0),
			};
	}
	return n;
}

void counters_put_unknown(uint64_t unknown, unsigned int in, struct buf *b)
{
	const char *between = "";

	for (size_t i = 0; i < ncounters; i++) {
		if (!(counters[i].in & in) || !(unknown >> counters[i].stat & 1))
			continue;
		buf_str(b, between);
		buf_str(b, counters[i].key);
		between = ", ";
	}
}

uint64_t counters_lost(const uint64_t *stats)
{
	uint64_t n = 0;

	for (size_t i = 0; i < ncounters; i++)
		if (counters[i].in & LOST)
			n += stats[counters[i].stat];
	return n;
}

void counters_for_program(const uint64_t *stats, struct goprobe_counts *to)
{
	for (size_t i = 0; i < ncounters; i++)
		if (counters[i].program)
			memcpy((char *)to + counters[i].program, &stats[counters[i].stat],
			       sizeof(uint64_t));
}

enum goprobe_stat counters_of_cause(uint32_t cause)
{
	return cause == GOPROBE_LOST_NO_RING ? GOPROBE_STAT_LOST_NO_RING :
					       GOPROBE_STAT_LOST_RING_FULL;
}

const char *counters_cause(uint32_t cause)
{
	enum goprobe_stat stat = counters_of_cause(cause);
	size_t i = 0;

	if (cause == GOPROBE_LOST_UNSPEC || cause >= __GOPROBE_LOST_MAX)
		return "unknown";
	while (counters[i].stat != stat)
		i++;
	return counters[i].key;
}
