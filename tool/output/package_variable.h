/* SPDX-License-Identifier: GPL-2.0 */
/* Package variables as lines of "list --vars" and "search --vars". */
#ifndef GOPROBE_OUTPUT_PACKAGE_VARIABLE_H
#define GOPROBE_OUTPUT_PACKAGE_VARIABLE_H

#include "base/buf.h"
#include "plan/variables.h"

void package_variable_header(struct buf *b);
void package_variable_put(const struct variables_found *found, bool json, struct buf *b);

#endif
