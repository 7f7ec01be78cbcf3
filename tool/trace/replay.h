/* SPDX-License-Identifier: GPL-2.0 */
/* A recording that is played: its plan is made again, and its records go where live ones would. */
#ifndef GOPROBE_TRACE_REPLAY_H
#define GOPROBE_TRACE_REPLAY_H

#include <stdbool.h>

#include "base/arena.h"
#include "option/option.h"
#include "output/format.h"
#include "plan/plan.h"
#include "recording/reader.h"
#include "trace/stream.h"

/**
 * struct replay - a recording that is played
 * @path: of the recording; NULL: no recording
 * @files: where programs may be now
 * @player: the recording, open
 * @bins: the programs, by file id
 * @nbins: their number
 * @bins_cap: capacity of @bins
 * @start: how tracing began
 * @options: the recorded ones, and the specs
 * @wanted: what is captured of functions; outlives @plan
 * @plan: the plan, compiled again
 * @last: time of the last pass
 * @whole: the recording was brought to its end
 */
struct replay {
	const char *path;
	const struct option_texts *files;
	struct player player;
	struct gobin **bins;
	size_t nbins;
	size_t bins_cap;
	struct recording_start start;
	struct options options;
	struct arena wanted;
	struct plan *plan;
	uint64_t last;
	bool whole;
};

/* Open the recording and make its plan. 0 or -1; replay_fini() in any case. */
int replay_open(struct replay *r, struct diag *d);
/* What is next goes to @s, and is printed to its output. 1; 0: that was all; -1: an error. */
int replay_step(struct replay *r, struct stream *s, struct diag *d);
/* Print what @s holds back. */
int replay_finish(struct replay *r, struct stream *s, struct diag *d);
void replay_fini(struct replay *r);

#endif
