/* SPDX-License-Identifier: GPL-2.0 */
/* Operations that search the target's memory. Also compiled into goprobectl. */
#ifndef GP_SEARCH_H
#define GP_SEARCH_H

#include "capture/op.h"

struct gp_capture;

int gp_search_match(struct gp_capture *c, const struct gp_op *op, u64 *r);
int gp_search_find(struct gp_capture *c, const struct gp_op *op, u64 *r);

#endif
