/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a recording (recording/format.h): records go from the module to the file as they
 * are, but for redacted values, in large writes. A few of them are looked at for types to learn,
 * if there can be any.
 */
#ifndef GOPROBE_RECORDING_RECORDER_H
#define GOPROBE_RECORDING_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "event/record.h"
#include "output/format.h"
#include "option/option.h"
#include "plan/learn.h"
#include "plan/load_bias.h"
#include "plan/plan.h"
#include "recording/format.h"
#include "recording/redact.h"

/* A recording being written. */
struct recorder {
	const char *path;		/* of the file */
	int fd;				/* it, or -1 */
	uint8_t *buf;			/* what is not yet written */
	size_t len;			/* bytes of it */
	uint64_t bytes;			/* of the file, @len included */
	uint64_t events;		/* how many events replay will show of it */
	int err;			/* why writing failed (errno), or 0 */
	struct plan *plan;		/* what is recorded */
	struct gobin *const *bins;	/* its binaries */
	size_t nbins;			/* their number */
	/* What recorder_start() will write; its epoch follows the clocks, see clock_follow(). */
	struct recording_start start;
	uint64_t looked;		/* when they were looked at */
	struct learn *learn;		/* what learns from records */
	struct load_bias *bias;		/* load biases, for that */
	bool looks;			/* there may be something to learn */
	struct record rec;		/* the record that is looked at */
	struct redactor redactor;	/* clears what no recording should have */
};

/* What a plan was made of. */
struct recorder_source {
	struct plan *plan;		/* the plan, whole */
	const struct options *options;	/* its options and specs */
	struct gobin *const *bins;	/* its binaries, in the order in which they were searched */
	size_t nbins;			/* their number */
	bool pids;			/* there may be more than one process */
};

/* Create the file. @r is all zero; recorder_fini() in any case. */
int recorder_open(struct recorder *r, const char *path, struct diag *d);
void recorder_fini(struct recorder *r);

/*
 * Begin it: what the plan was made of. @learn becomes the recorder's. Reads the
 * binaries from end to end.
 */
int recorder_begin(struct recorder *r, const struct recorder_source *s, struct learn *learn,
		   struct diag *d);
/* Tracing began at @started. */
int recorder_start(struct recorder *r, uint64_t started, struct diag *d);
/*
 * Take records of one CPU, and clear what is redacted in them. Failures are reported after the
 * pass.
 */
int recorder_add(struct recorder *r, uint32_t cpu, uint8_t *p, size_t len);
/* A pass with this GOPROBE_A_TIME is complete. @stats: the session's counters until now. */
int recorder_pass(struct recorder *r, uint64_t time, const uint64_t *stats, struct diag *d);
/* The plan has got what was learned. */
void recorder_settled(struct recorder *r);
/*
 * Write the end. Of @sum only the counts of the module and the clock are used. @breaker: the limit
 * of the session, or NULL.
 */
int recorder_end(struct recorder *r, const struct output_summary *sum,
		 const struct goprobe_breaker *breaker, struct diag *d);

/* Size and hash of what is in the file behind @fd. 0 or -1. */
int recorder_identify(int fd, struct recording_file *ret);

#endif
