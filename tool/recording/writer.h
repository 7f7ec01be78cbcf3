/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a recording (recording/format.h): records go from the module to the file as they
 * are, but for redacted values, in large writes. A few of them are looked at for types to learn,
 * if there can be any.
 */
#ifndef GOPROBE_RECORDING_WRITER_H
#define GOPROBE_RECORDING_WRITER_H

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

/**
 * struct recorder - a recording being written
 * @path: of the file
 * @fd: it, or -1
 * @buf: what is not yet written
 * @len: bytes of it
 * @bytes: of the file, @len included
 * @events: how many events replay will show of it
 * @err: why writing failed (errno), or 0
 * @plan: what is recorded
 * @bins: its binaries
 * @nbins: their number
 * @start: what recorder_start() will write; its epoch follows the clocks, see clock_follow()
 * @looked: when they were looked at
 * @learn: what learns from records
 * @bias: load biases, for that
 * @looks: there may be something to learn
 * @rec: the record that is looked at
 * @redactor: clears what no recording should have
 */
struct recorder {
	const char *path;
	int fd;
	uint8_t *buf;
	size_t len;
	uint64_t bytes;
	uint64_t events;
	int err;
	struct plan *plan;
	struct gobin *const *bins;
	size_t nbins;
	struct recording_start start;
	uint64_t looked;
	struct learn *learn;
	struct bias *bias;
	bool looks;
	struct record rec;
	struct redactor redactor;
};

/**
 * struct recorder_source - what a plan was made of
 * @plan: the plan, whole
 * @options: its options and specs
 * @bins: its binaries, in the order in which they were searched
 * @nbins: their number
 * @pids: there may be more than one process
 */
struct recorder_source {
	struct plan *plan;
	const struct options *options;
	struct gobin *const *bins;
	size_t nbins;
	bool pids;
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
/* A pass with this GOPROBE_A_TIME is complete. @lost: by cause, until now. */
int recorder_pass(struct recorder *r, uint64_t time, const uint64_t *lost, struct diag *d);
/* The plan has got what was learned. */
void recorder_settled(struct recorder *r);
/* Write the end. Of @sum only the counts of the module and the clock are used. */
int recorder_end(struct recorder *r, const struct out_summary *sum, struct diag *d);

/* Size and hash of what is in the file behind @fd. 0 or -1. */
int recorder_identify(int fd, struct recording_file *ret);

#endif
