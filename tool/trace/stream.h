/* SPDX-License-Identifier: GPL-2.0 */
/* The stream of records: decode, merge, match, print. */
#ifndef GOPROBE_TRACE_STREAM_H
#define GOPROBE_TRACE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/merge.h"
#include "event/pair.h"
#include "event/record.h"
#include "output/call_stack.h"
#include "output/format.h"
#include "plan/learn.h"
#include "plan/load_bias.h"
#include "plan/plan.h"
#include "trace/call_quota.h"
#include "trace/sift.h"

/* The first word of a package variable of a process. */
struct stream_word {
	const char *name;	/* of the variable; NULL: none */
	uint32_t tgid;		/* the process */
	uint64_t word;		/* 0: to be read again */
};

#define STREAM_WORDS 4

/* Records on their way to lines. */
struct stream {
	const struct plan *plan;	/* what the records' ids mean */
	struct output *out;	/* where lines go */
	struct merge *merge;	/* records held back */
	struct pair *pair;	/* open calls; NULL: calls and returns are not joined */
	struct load_bias *bias;	/* load biases, for the types of interfaces */
	struct call_quota *times;	/* counts calls and their ends, or NULL */
	uint64_t most;		/* calls and returns to print; 0: all */
	const struct sift *sift;	/* what of a recording is shown; NULL: all */
	uint64_t number;	/* of the record at hand, among those of events */
	uint64_t begun;		/* calls that pair_enter() opened, of those that are shown */
	uint64_t over;		/* of these, calls that have ended */
	bool enough;		/* the receiver of the lines wants no more, whatever @most says */
	/* What was printed so far; @lost and @open of it are the caller's. */
	struct output_summary sum;
	const char *why_malformed;	/* the first reason for sum.malformed */
	struct learn *learn;	/* what learns from them, or NULL */
	/* It learns from panics alone: the others hold nothing to be learned. */
	bool learn_panics;
	/* All calls have not returned, and this is what is known of the next one; or NULL. */
	const struct output_open *open;
	uint64_t until;		/* time up to which stream_print() prints */
	struct record rec;	/* the record at hand */
	uint64_t rec_bias;	/* load bias of its binary in its process */
	bool rec_bias_known;	/* see @rec_bias */
	uint64_t bias_ip;	/* the point that showed it */
	uint32_t bias_id;	/* its function */
	uint32_t bias_tgid;	/* its process */
	bool live;		/* the processes may still run: value_env.variable */
	struct stream_word words[STREAM_WORDS];	/* variables that were read */
	unsigned int next_word;	/* of these: the one to be replaced next */
	struct call_stack stacks;	/* the call stacks of records */
	struct value_env env;	/* what its values need to know of the program */
	struct value_ctx values;	/* for its values */
};

int stream_init(struct stream *s, const struct plan *p, struct output *out, bool paired);
void stream_fini(struct stream *s);
/* Take records of one CPU. */
int stream_add(struct stream *s, uint32_t cpu, const uint8_t *p, size_t len);
/* Learn from a record that is not to be shown, if there is s->learn. */
void stream_learn(struct stream *s, const uint8_t *p, size_t len);
/*
 * What came so far and is not younger than @until is to be printed now. Only once
 * all of the round before is. @lost: records lost since the beginning, as known after
 * the pass.
 */
void stream_round(struct stream *s, uint64_t until, uint64_t lost);
/* Print about @bytes of records of the round; false when that was all. */
bool stream_print(struct stream *s, size_t bytes);
/* Is there something of the round? */
bool stream_busy(const struct stream *s);
/* All lines that are wanted are printed. */
bool stream_full(const struct stream *s);

#endif
