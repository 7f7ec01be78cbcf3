// SPDX-License-Identifier: GPL-2.0
/* Findings of an examination: facts, each with a verdict and a remedy. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "host/findings.h"

void findings_add(struct findings *f, const char *check, enum finding_verdict verdict,
		  const char *fmt, ...)
{
	char *fact = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&fact, fmt, ap);
	va_end(ap);
	if (n < 0 || grow(&f->v, f->n + 1, &f->cap, sizeof(*f->v))) {
		if (n >= 0)
			free(fact);
		f->failed = true;
		return;
	}
	f->v[f->n++] = (struct finding){ .check = check, .verdict = verdict, .fact = fact };
}

void findings_remedy(struct findings *f, const char *fmt, ...)
{
	va_list ap;

	if (!f->n)
		return;

	char **remedy = &f->v[f->n - 1].remedy;

	free(*remedy);
	va_start(ap, fmt);
	if (vasprintf(remedy, fmt, ap) < 0) {
		*remedy = NULL;
		f->failed = true;
	}
	va_end(ap);
}

const struct finding *findings_get(const struct findings *f, const char *check,
				   enum finding_verdict verdict)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].verdict == verdict && (!check || !strcmp(f->v[i].check, check)))
			return &f->v[i];
	return NULL;
}

void findings_fini(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].fact);
		free(f->v[i].remedy);
	}
	free(f->v);
	memset(f, 0, sizeof(*f));
}
