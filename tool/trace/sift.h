/* SPDX-License-Identifier: GPL-2.0 */
/* The choice of what is shown of a recording. */
#ifndef GOPROBE_TRACE_SIFT_H
#define GOPROBE_TRACE_SIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "lang/spec.h"
#include "plan/plan.h"

/* A set of numbers from 0 on. */
struct sift_set {
	uint64_t *v;	/* bits */
	size_t n;	/* how many words */
	size_t cap;	/* capacity of @v */
};

/* 0, or -1 without memory. */
int sift_set_add(struct sift_set *s, uint64_t i);
void sift_set_remove(struct sift_set *s, uint64_t i);

static inline bool sift_set_has(const struct sift_set *s, uint64_t i)
{
	return i / 64 < s->n && s->v[i / 64] >> i % 64 & 1;
}

/* What was chosen. */
struct sift {
	bool *shown;	/* by function id: its calls are shown; NULL: all are */
	/* Calls and places by stream.number: those that are shown, if @judged. */
	struct sift_set kept;
	bool judged;	/* the recording was read once for @kept */
};

/*
 * Choose the functions and places of @p that one of @specs matches; no specs choose all. Names in
 * other spellings are replaced, see plan/loose_name.h. @path: of the recording. 0; -1 with @d set
 * if a spec matches nothing, or asks for what a recording can't have.
 */
int sift_init(struct sift *s, const struct plan *p, struct spec *specs, size_t nspecs,
	      const char *path, struct diag *d);
void sift_fini(struct sift *s);

/* Is call or place @number of function @id shown? */
static inline bool sift_shows(const struct sift *s, uint32_t id, uint64_t number)
{
	return (!s->shown || s->shown[id]) && (!s->judged || sift_set_has(&s->kept, number));
}

/* Are all? */
static inline bool sift_shows_all(const struct sift *s)
{
	return !s->shown && !s->judged;
}

#endif
