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

void function_list_header(struct buf *b);
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
/* As text, with @names of all that are listed; in JSON without. */
void function_list_function(struct buf *b, struct gobin *bin, const struct gofunc *fn,
			    const struct function_list_survey *info,
			    const struct shown_names *names);

#endif
