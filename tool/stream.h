/* SPDX-License-Identifier: GPL-2.0 */
/* From the bytes of a pass to lines: decode, merge, join, print. */
#ifndef GOPROBE_STREAM_H
#define GOPROBE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bias.h"
#include "learn.h"
#include "merge.h"
#include "out.h"
#include "pair.h"
#include "plan.h"
#include "record.h"

/**
 * struct stream - records on their way to lines
 * @plan: what the records' ids mean
 * @out: where lines go
 * @merge: records held back
 * @pair: open calls; NULL: calls and returns are not joined
 * @bias: load biases, for the types of interfaces
 * @most: calls and returns to print; 0: all
 * @sum: what was printed so far; @lost and @open of it are the caller's
 * @why_malformed: the first reason for sum.malformed
 * @learn: what learns from them, or NULL
 * @rec: the record at hand
 * @rec_bias: load bias of its binary in its process
 * @rec_bias_known: see @rec_bias
 * @env: what its values need to know of the program
 * @values: for its values
 */
struct stream {
	const struct plan *plan;
	struct out *out;
	struct merge *merge;
	struct pair *pair;
	struct bias *bias;
	uint64_t most;
	struct out_summary sum;
	const char *why_malformed;
	struct learn *learn;
	struct record rec;
	uint64_t rec_bias;
	bool rec_bias_known;
	struct value_env env;
	struct value_ctx values;
};

int stream_init(struct stream *s, const struct plan *p, struct out *out, bool paired);
void stream_fini(struct stream *s);
/* Take records of one CPU; a client_records_fn with a stream for its context. */
int stream_add(void *ctx, uint32_t cpu, const uint8_t *p, size_t len);
/*
 * Print what is not younger than @until. @lost: records lost since the
 * beginning, as known after the pass.
 */
void stream_print(struct stream *s, uint64_t until, uint64_t lost);
/* All lines that were asked for are printed. */
bool stream_full(const struct stream *s);

#endif
