/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of "goprobectl list" with a target: a function. */
#ifndef GOPROBE_OUTPUT_FUNCTION_LIST_H
#define GOPROBE_OUTPUT_FUNCTION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "gobin/gobin.h"
#include "gotype/shown_name.h"
#include "output/row.h"

/* How a function would be probed. */
struct function_list_survey {
	const char *refused;	/* why it can't be (static string), or NULL */
	uint32_t nrets;		/* RETs that end it */
	uint32_t ntails;	/* jumps that do */
	unsigned int entry;	/* enum plan_entry */
};

/* Reads the function's code: quick for one function after the other in a file. */
void function_list_survey(struct gobin *bin, const struct gofunc *fn,
			  struct function_list_survey *ret);

/* A list of functions. */
struct function_list {
	bool json;			/* in JSON */
	struct shown_names names;	/* in text, of all that are listed */
	struct column func;		/* its first column, as wide as they need it */
};

void function_list_init(struct function_list *l, bool json);
void function_list_fini(struct function_list *l);
/* A function that is listed: all of them are added, then measured, then put. */
void function_list_add(struct function_list *l, const struct gofunc *fn);
void function_list_measure(struct function_list *l, struct gobin *bin, const struct gofunc *fn);
/* The heads of columns, in text. */
void function_list_header(const struct function_list *l, struct buf *b);
void function_list_put(const struct function_list *l, struct gobin *bin, const struct gofunc *fn,
		       const struct function_list_survey *info, struct buf *b);

#endif
