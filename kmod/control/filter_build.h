/* SPDX-License-Identifier: GPL-2.0 */
/* Construction of filters from verified programs. */
#ifndef GP_FILTER_BUILD_H
#define GP_FILTER_BUILD_H

#include <linux/types.h>

struct goprobe_filter;
struct goprobe_op;
struct gp_filter;
struct gp_tallies;

struct gp_filter *gp_filter_new(const struct goprobe_filter *w, const struct goprobe_op *ops,
				struct gp_tallies *tallies);
void gp_filter_free(struct gp_filter *filter);
u64 gp_filter_rejected(const struct gp_filter *filter);

#endif
