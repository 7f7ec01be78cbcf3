/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal probes on the Go runtime: their hits are no events, but notify of panics, states
 * and new goroutines. Differences between releases are in gobin/runtime_layout.h.
 */
#ifndef GOPROBE_PLAN_RUNTIME_PROBE_H
#define GOPROBE_PLAN_RUNTIME_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/record.h"
#include "plan/plan.h"

/* A new goroutine, by a record of PLAN_ROLE_GO. */
struct runtime_probe_go {
	uint64_t goid;	/* its id */
	uint64_t pc;	/* run-time address behind the call of the go statement */
};

/* A recovered panic, by a record of PLAN_ROLE_RECOVERY. */
struct runtime_probe_recovery {
	uint64_t hi;	/* end of the goroutine's stack */
	uint64_t sp;	/* stack pointer of the frame that goes on */
};

/*
 * Add those that @options ask for, in all binaries: how programs and goroutines begin, how
 * calls end that do not return. 0, or -1 without memory.
 */
int runtime_probe_add_all(struct plan *p, struct gobin *const *bins, size_t nbins,
			  const struct plan_options *options, struct diag *d);
/*
 * Add those of @role in all binaries. What a binary does not have and what can't be
 * probed is left out. What is traced already for its own sake remains so, and gets the
 * role if it is traced where that needs it. 0, or -1 without
 * memory.
 */
int runtime_probe_add(struct plan *p, struct gobin *const *bins, size_t nbins, enum plan_role role,
		      struct diag *d);
/* Read a record of a function of PLAN_ROLE_GO; false: it has no goroutine. */
bool runtime_probe_go(const struct record *r, struct runtime_probe_go *ret);
/* The depth of the frame that goes on (goprobe_record.depth); false: unknown. */
bool runtime_probe_recovery(const struct record *r, uint64_t *depth);
/* How many of the plan's functions, and of their points, are hidden. */
size_t runtime_probe_count(const struct plan *p, size_t *points);

#endif
