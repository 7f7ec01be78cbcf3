/* SPDX-License-Identifier: GPL-2.0 */
/* A recording that is played: its plan is made again, and its records go where live ones would. */
#ifndef GOPROBE_TRACE_REPLAY_H
#define GOPROBE_TRACE_REPLAY_H

#include <stdbool.h>

#include "base/arena.h"
#include "option/option.h"
#include "output/format.h"
#include "plan/plan.h"
#include "recording/player.h"
#include "trace/stream.h"

/* A recording that is played. */
struct replay {
	const char *path;			/* of the recording; NULL: no recording */
	const struct option_texts *files;	/* where programs may be now */
	struct player player;			/* the recording, open */
	struct gobin **bins;			/* the programs, by file id */
	size_t nbins;				/* their number */
	size_t bins_cap;			/* capacity of @bins */
	struct recording_start start;		/* how tracing began */
	struct options options;			/* the recorded ones, and the specs */
	struct arena wanted;			/* what is captured of functions; outlives @plan */
	struct plan *plan;			/* the plan, compiled again */
	struct sift sift;			/* what of it is shown */
	uint64_t last;				/* time of the last pass */
	struct goprobe_breaker breaker;		/* the limit that ended it, if one did */
	bool whole;				/* the recording was brought to its end */
};

/* Open the recording and make its plan. 0 or -1; replay_fini() in any case. */
int replay_open(struct replay *r, struct diag *d);
/* What is next goes to @s, and is printed to its output. 1; 0: that was all; -1: an error. */
int replay_step(struct replay *r, struct stream *s, struct diag *d);
/* Print what @s holds back. */
int replay_finish(struct replay *r, struct stream *s, struct diag *d);
void replay_fini(struct replay *r);

#endif
