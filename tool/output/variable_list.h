/* SPDX-License-Identifier: GPL-2.0 */
/* Variables that can be seen at places in the code, and where they are: lines of "list --vars". */
#ifndef GOPROBE_OUTPUT_VARIABLE_LIST_H
#define GOPROBE_OUTPUT_VARIABLE_LIST_H

#include "base/buf.h"
#include "plan/place.h"

void variable_list_header(struct buf *b);
/* Those at @place, or why none is known. 0, or -1 without memory. */
int variable_list_put(const struct place *place, bool json, struct buf *b);

#endif
