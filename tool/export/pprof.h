/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks as a profile that "go tool pprof" and what else reads profile.proto takes. Pure:
 * https://github.com/google/pprof/blob/main/proto/profile.proto says what is written.
 */
#ifndef GOPROBE_EXPORT_PPROF_H
#define GOPROBE_EXPORT_PPROF_H

#include "output/stacks.h"

/* The time of a profile. */
struct pprof_about {
	uint64_t time_ns;	/* when counting began, ns since 1970, or 0 */
	uint64_t duration_ns;	/* how long it lasted, or 0 */
};

/*
 * Append the profile, compressed with gzip, as it is to be in a file. The same stacks give
 * the same bytes. @b->failed without memory.
 */
void pprof_put(const struct stacks *s, const struct pprof_about *about, struct buf *b);

#endif
