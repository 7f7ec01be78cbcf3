/* SPDX-License-Identifier: GPL-2.0 */
/* Templates of lines: "{time} {goid} {func} {args.sql}". */
#ifndef GOPROBE_EXPORT_TEMPLATE_H
#define GOPROBE_EXPORT_TEMPLATE_H

#include "base/diag.h"
#include "output/format.h"

struct template_piece;

/* A template, parsed. */
struct template {
	struct template_piece *v;	/* its pieces */
	size_t n;	/* their number */
	size_t cap;	/* capacity of @v */
	bool calls;	/* it has values of calls */
	bool ends;	/* it has what is known at the end of a call: then a line is about an end */
	bool all;	/* it has {kind}: then each event has a line */
};

/* Lines by @out.template. */
extern const struct output_format out_template;

/* Parse @text; errors point into it. template_fini() in any case. 0, or -1 with @d set. */
int template_parse(struct template *t, const char *text, struct diag *d);
/*
 * Have the functions of @p the values that @t names? @ends: ends of calls are traced. 0, or -1 with
 * @d set.
 */
int template_check(const struct template *t, const struct plan *p, bool ends, struct diag *d);
void template_fini(struct template *t);

#endif
