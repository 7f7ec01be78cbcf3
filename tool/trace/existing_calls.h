/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that were open before tracing began, found on the stacks of goroutines.
 *
 * The module knows each open call that was made after GOPROBE_CMD_START. So a call on the
 * stack of a goroutine that the module does not know was made before, if both facts hold at
 * the same time. They do if the goroutine has not run between two moments, one before the
 * module is queried and one after. A look therefore is
 *
 *	existing_calls_look(): stacks of all that may have such calls are read;
 *	existing_calls_known(): for each open call of the module;
 *	existing_calls_settle(): the remaining calls, of goroutines that have not run meanwhile.
 *
 * Goroutines that ran, or run, are examined again in the next look. A goroutine that rested
 * once and had no such call never gets one. Nor does a process that has ended, or has executed
 * another program: all calls of that program were made after GOPROBE_CMD_START.
 */
#ifndef GOPROBE_TRACE_EXISTING_CALLS_H
#define GOPROBE_TRACE_EXISTING_CALLS_H

#include <goprobe.h>

#include "base/hmap.h"
#include "gobin/symbols.h"
#include "plan/plan.h"
#include "process/goroutine_state.h"
#include "process/goroutine.h"

struct suspect;
struct existing_calls_process;

/* What is looked for, and where. */
struct existing_calls {
	const struct plan *plan;	/* the functions */
	struct symbols *files;	/* places of the binaries, by file of the plan */
	uint64_t started;	/* after GOPROBE_CMD_START, CLOCK_MONOTONIC, ns */
	struct hmap functions;	/* those of the plan, by file and entry */
	struct hmap names;	/* those that may have been inlined, by a hash of file and name */
	struct hmap wanted;	/* what is wanted of a place, by its struct symbol */
	struct arena mem;	/* for what lives as long as this */
	struct existing_calls_process *processes;	/* of the target, one for each Go runtime */
	size_t nprocesses;	/* their number */
	struct suspect *v;	/* goroutines that may have such calls */
	size_t n;		/* their number */
	struct hmap by_goid;	/* those of @v that have been looked at, and had any */
	struct arena look_mem;	/* what the last look has read */
	/*
	 * When a look has to end, CLOCK_MONOTONIC, ns: nothing is concluded of goroutines that it
	 * has not got to; 0: it takes as long as it takes.
	 */
	uint64_t until;
	bool failed;		/* there was no memory */
};

/* A call that was made before. */
struct existing_calls_call {
	uint32_t id;	/* index of the function in the plan */
	uint32_t file;	/* and of its file */
	pid_t pid;	/* process */
	uint64_t goid;	/* goroutine */
	uint32_t depth;	/* as goprobe_record.depth */
	uint64_t since;	/* it was made at this time or before, CLOCK_MONOTONIC */
	uint64_t age;	/* lower bound of the time that it has been open, ns */
	bool reported;	/* it has been reported before with an age of at least @enough */
	const struct goroutine_state *state;	/* what its goroutine does */
};

/* A value other than 0 ends it. */
typedef int (*existing_calls_fn)(void *ctx, const struct existing_calls_call *call);

/*
 * @plan and @files, those of its binaries, outlive @b. Functions with a condition are left out: for
 * their earlier calls it can't be evaluated. 0, or -1 with @d set.
 */
int existing_calls_init(struct existing_calls *b, const struct plan *plan, struct symbols *files,
			uint64_t started, struct diag *d);
void existing_calls_fini(struct existing_calls *b);
/*
 * Look for calls in process @pid, too. 0, or -1 with @d set: what was open before can't be
 * known of it.
 */
int existing_calls_add(struct existing_calls *b, pid_t pid, struct diag *d);

/*
 * A look. Goroutines of which every call was reported with an age of @enough are left out,
 * unless @all is set.
 */
void existing_calls_look(struct existing_calls *b, bool all);
void existing_calls_known(struct existing_calls *b, const struct goprobe_open_call *o);
void existing_calls_settle(struct existing_calls *b, uint64_t enough, existing_calls_fn fn,
			   void *ctx);
/* The number of goroutines that could not be examined: they ran, or their stacks were damaged. */
size_t existing_calls_unknown(const struct existing_calls *b);

#endif
