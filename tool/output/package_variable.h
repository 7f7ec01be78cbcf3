/* SPDX-License-Identifier: GPL-2.0 */
/* Package variables as lines of "list --vars" and "search --vars". */
#ifndef GOPROBE_OUTPUT_PACKAGE_VARIABLE_H
#define GOPROBE_OUTPUT_PACKAGE_VARIABLE_H

#include "output/row.h"
#include "plan/variables.h"

/* A list of them. */
struct package_variable_list {
	bool json;			/* in JSON */
	struct column name, type;	/* columns, as wide as they need them */
};

/* For the first @n of @vars. */
void package_variable_init(struct package_variable_list *l, const struct variables *vars,
			   size_t n, bool json);
/* The heads of columns, in text. */
void package_variable_header(const struct package_variable_list *l, struct buf *b);
void package_variable_put(const struct package_variable_list *l,
			  const struct variables_found *found, struct buf *b);

#endif
