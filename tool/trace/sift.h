/* SPDX-License-Identifier: GPL-2.0 */
/* The choice of what is shown of a recording. */
#ifndef GOPROBE_TRACE_SIFT_H
#define GOPROBE_TRACE_SIFT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "lang/spec.h"
#include "plan/plan.h"

/* What was chosen. */
struct sift {
	bool *shown;	/* by function id: its calls are shown; NULL: all are */
};

/*
 * Choose the functions and places of @p that one of @specs matches; no specs choose all. Names in
 * other spellings are replaced, see plan/loose_name.h. @path: of the recording. 0; -1 with @d set
 * if a spec matches nothing, or asks for what a recording can't have.
 */
int sift_init(struct sift *s, const struct plan *p, struct spec *specs, size_t nspecs,
	      const char *path, struct diag *d);
void sift_fini(struct sift *s);

#endif
