/* SPDX-License-Identifier: GPL-2.0 */
/* A recording that is played: its plan is made again, and its records go where live ones would. */
#ifndef GOPROBE_TRACE_REPLAY_H
#define GOPROBE_TRACE_REPLAY_H

#include <stdbool.h>

#include "base/arena.h"
#include "output/format.h"
#include "plan/plan.h"
#include "recording/reader.h"
#include "trace/stream.h"

/**
 * struct replay - a recording that is played
 * @path: of the recording, owned; NULL: there is none
 * @binaries: where programs may be now, owned
 * @nbinaries: their number
 * @player: the recording, open
 * @bins: the programs, by file id
 * @nbins: their number
 * @bins_cap: capacity of @bins
 * @texts: what specs they were searched for
 * @ntexts: their number
 * @texts_cap: capacity of @texts
 * @specs: the specs, parsed, as many; or NULL
 * @start: how tracing began
 * @options: of the plan
 * @wanted: what is captured of functions; outlives @plan
 * @plan: the plan, compiled again
 * @last: time of the last pass
 * @whole: the recording was brought to its end
 */
struct replay {
	char *path;
	char **binaries;
	size_t nbinaries;
	struct player player;
	struct gobin **bins;
	size_t nbins;
	size_t bins_cap;
	char **texts;
	size_t ntexts;
	size_t texts_cap;
	struct spec *specs;
	struct recording_start start;
	struct plan_options options;
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
