/* SPDX-License-Identifier: GPL-2.0 */
/* Findings of an examination: facts, each with a verdict and a remedy. */
#ifndef GOPROBE_HOST_FINDINGS_H
#define GOPROBE_HOST_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

enum finding_verdict {
	FINDING_OK,
	FINDING_WARN,	/* a trace works, but something is worth knowing */
	FINDING_FAIL,	/* a trace can't work */
};

/* A fact. */
struct finding {
	const char *check;		/* what was examined: one word */
	enum finding_verdict verdict;	/* what it means for a trace */
	char *fact;			/* what was found */
	char *remedy;			/* what to do about it, or NULL */
};

/* All facts, in the order of the examination. A zeroed one is empty. findings_fini() frees it. */
struct findings {
	struct finding *v;	/* the facts */
	size_t n;		/* their number */
	size_t cap;		/* for how many there is memory */
	bool failed;		/* memory ran out and a fact is missing */
};

/* Add a fact; the newest one is the one that findings_remedy() is about. */
void findings_add(struct findings *f, const char *check, enum finding_verdict verdict,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void findings_remedy(struct findings *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The first fact of @check with that verdict, or NULL. @check: NULL for any. */
const struct finding *findings_get(const struct findings *f, const char *check,
				   enum finding_verdict verdict);
void findings_fini(struct findings *f);

#endif
