/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of "goprobectl list --points": breakpoints, and how what they cover is executed. */
#ifndef GOPROBE_POINTS_H
#define GOPROBE_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "gobin.h"
#include "insn.h"

/* What the module says about carrying out instructions. */
enum points_ability {
	POINTS_NOT_ASKED,	/* the module can't be asked */
	POINTS_UNABLE,
	POINTS_ABLE,
};

/**
 * struct points_total - all points of a list
 * @funcs: functions that can be probed
 * @refused: functions that can't
 * @n: points, by how they are executed
 */
struct points_total {
	size_t funcs;
	size_t refused;
	size_t n[INSN_HOW_EMULATED + 1];
};

void points_header(struct buf *b);
/* The points of a function; none if it can't be probed. Counts them in @total. */
void points_function(struct buf *b, struct gobin *bin, const struct gofunc *fn,
		     enum points_ability ability, struct points_total *total, bool json);
void points_end(struct buf *b, const struct points_total *total,
		enum points_ability ability, bool json);

#endif
