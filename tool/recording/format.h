/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording: what "goprobectl attach --record" writes and "goprobectl replay" reads.
 *
 * The file is a struct recording_head, then entries: a struct recording_mark and its
 * bytes, padded to 8. First what the plan was made of, then records as they came out
 * of the rings, nothing decoded; the plan itself is made again from the same
 * binaries. A file that ends between or inside entries was cut short.
 *
 * This is the pure part: bytes to entries, trusting none of them.
 */
#ifndef GOPROBE_RECORDING_FORMAT_H
#define GOPROBE_RECORDING_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <goprobe.h>

#include "plan/plan.h"

#define RECORDING_MAGIC "goprobe\n"
#define RECORDING_VERSION 5
/* The oldest version that can be read. */
#define RECORDING_VERSION_MIN 4
#define RECORDING_ORDER 0x01020304U
/* The most bytes of one entry. */
#define RECORDING_ENTRY_MAX (1U << 20)
/* The most files, and the most specs, of one recording. */
#define RECORDING_FILES_MAX 256U
#define RECORDING_SPECS_MAX 65536U

/* How the file begins. */
struct recording_head {
	char magic[8];		/* RECORDING_MAGIC */
	uint32_t order;		/* RECORDING_ORDER, as the machine that wrote it writes numbers */
	uint32_t version;	/* RECORDING_VERSION */
};

/*
 * Kinds of entries. Files, specs, options and names come before RECORDING_START, in any order; all
 * others behind it, in any order, with RECORDING_END or RECORDING_END_4 last.
 */
enum recording_kind {
	RECORDING_UNSPEC,
	RECORDING_FILE,		/* struct recording_file, then its path */
	RECORDING_SPEC,		/* text of a spec, as it was given */
	RECORDING_START,	/* struct recording_start: tracing begins */
	RECORDING_RECORDS,	/* GOPROBE_A_RECORDS of one CPU */
	RECORDING_PASS,		/* struct recording_pass: a pass over the rings is complete */
	RECORDING_LEARNED,	/* struct recording_learned: records have shown a type */
	RECORDING_SETTLED,	/* the plan got what was learned */
	RECORDING_END_4,	/* struct recording_end_4: RECORDING_END up to version 4 */
	RECORDING_EPOCH,	/* struct recording_epoch: the system's clock was set */
	RECORDING_OPTION,	/* struct recording_option: before RECORDING_START */
	RECORDING_REDACT,	/* a name whose values are redacted: before RECORDING_START */
	RECORDING_END,		/* struct recording_end, then the counters: the last entry */
	__RECORDING_MAX,
};

/* The head of an entry. */
struct recording_mark {
	uint32_t kind;	/* enum recording_kind */
	uint32_t size;	/* bytes behind it, without padding */
	uint32_t cpu;	/* of RECORDING_RECORDS: GOPROBE_A_CPU */
	uint32_t pad;	/* 0 */
};

/* A binary; its index is the session's file id. */
struct recording_file {
	uint64_t size;	/* of the file */
	uint64_t hash;	/* recording_hash() of what is in it, from 0 */
};

/* An option that was given, and has option_row.recorded. */
struct recording_option {
	uint32_t key;	/* enum goprobe_option */
	uint32_t pad;	/* 0 */
	uint64_t value;	/* its value */
};

/* Tracing begins. */
struct recording_start {
	uint64_t plan;		/* hash of the plan that was made: recording_plan() */
	uint64_t started;	/* when, CLOCK_MONOTONIC, ns */
	uint64_t epoch;		/* what makes CLOCK_MONOTONIC a time since 1970, ns */
	uint32_t pids;		/* 1: there may be more than one process */
	uint32_t pad;		/* 0 */
};

/* A pass is complete. */
struct recording_pass {
	uint64_t time;				/* GOPROBE_A_TIME of it */
	/* Records lost until then, by enum goprobe_lost_cause. */
	uint64_t lost[__GOPROBE_LOST_MAX];
};

/* The system's clock was set, or the system suspended. */
struct recording_epoch {
	/* As recording_start.epoch, of the records of the pass that ends next and later ones. */
	uint64_t epoch;
};

/* An argument of plan_learn_type() or plan_learn_func(). */
struct recording_learned {
	/* Link-time address of a type's descriptor or of a function's code. */
	uint64_t address;
	uint32_t file;		/* index of its binary */
	uint32_t level;		/* references from a frame */
	uint32_t func;		/* 1: it is a function's */
	uint32_t pad;		/* 0 */
};

/*
 * It was brought to its end. The session's counters follow, 8 bytes each, by enum goprobe_stat: as
 * many as the program knew that wrote them. A reader does not use those that it does not know.
 */
struct recording_end {
	uint64_t ns;			/* how long hits were recorded */
	struct goprobe_breaker breaker;	/* the limit, if GOPROBE_STAT_BROKEN is not 0 */
};

/* The same up to version 4. */
struct recording_end_4 {
	uint64_t ns;				/* how long hits were recorded */
	uint64_t no_room;			/* GOPROBE_STAT_NO_SPACE */
	uint64_t filtered;			/* GOPROBE_STAT_FILTERED */
	uint64_t undecided;			/* GOPROBE_STAT_UNDECIDED */
	uint64_t sampled;			/* GOPROBE_STAT_SAMPLED */
	uint64_t limited;			/* GOPROBE_STAT_LIMITED */
	uint64_t waits;				/* GOPROBE_STAT_WAITS */
	uint64_t wait_ns;			/* GOPROBE_STAT_WAIT_NS */
	uint64_t lost[__GOPROBE_LOST_MAX];	/* records lost, by enum goprobe_lost_cause */
};

/* An entry that was read. */
struct recording_entry {
	enum recording_kind kind;	/* which */
	uint32_t cpu;		/* of RECORDING_RECORDS: GOPROBE_A_CPU */
	const uint8_t *p;	/* its bytes; of those that are a struct at least that many */
	size_t size;		/* their number */
};

/* What the end of a recording has. */
struct recording_summary {
	uint64_t ns;				/* as recording_end.ns */
	struct goprobe_breaker breaker;		/* as recording_end.breaker */
	uint64_t stats[__GOPROBE_STAT_MAX];	/* the session's counters, by enum goprobe_stat */
	uint64_t unknown;			/* the set of those that are not there */
};

/* Why the file that begins with the @len bytes at @p can't be read, or NULL. */
const char *recording_check_head(const uint8_t *p, size_t len);

/*
 * The entry at @p, of which @len bytes are there. Returns how many bytes it takes, 0
 * if they are not all there, or -1 if it is malformed; *@why: how (a static string).
 */
int64_t recording_parse(const uint8_t *p, size_t len, struct recording_entry *ret,
			const char **why);

/* What @e says, which is a RECORDING_END or a RECORDING_END_4. */
void recording_summary(const struct recording_entry *e, struct recording_summary *ret);

/* Bytes that stand behind @size ones. */
static inline size_t recording_padding(size_t size)
{
	return -size & 7;
}

/*
 * Continue hash @h over @n more bytes. It distinguishes files and plans; it is no protection
 * against somebody who builds two that look alike.
 */
uint64_t recording_hash(uint64_t h, const void *p, size_t n);

/* A hash of all that decides what the ids in records mean. */
uint64_t recording_plan(const struct plan *p);

#endif
