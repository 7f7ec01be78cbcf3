/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of calls that are counted and timed by key. */
#ifndef GOPROBE_OUTPUT_KEY_PRINT_H
#define GOPROBE_OUTPUT_KEY_PRINT_H

#include "base/hmap.h"
#include "output/key_stats.h"
#include "output/stats_print.h"

/* A key while it is read. */
struct keywords {
	const uint64_t *v;	/* what is left of it */
	size_t n;		/* words */
};

/* How it is shown. */
struct key_print {
	const struct stats_print *show;	/* as all is */
	struct value_ctx *values;	/* shows numbers */
	struct hmap types;	/* the first type of each name that was shown: its address */
};

/* NULL without memory. */
struct key_print *key_print_new(const struct stats_print *show);
void key_print_free(struct key_print *k);
/*
 * Append the value of @part, which is next in @w, the key of a call of @pf; in JSON the object
 * {"expr":...,"type":...,"value":...}.
 */
void key_print_part(struct key_print *k, const struct plan_func *pf,
		    const struct group_by_part *part, struct keywords *w, struct buf *b);
/* The keys in @rows; the rest as stats_print_table() has it. */
void key_print_table(struct key_print *show, const struct key_stats *rows,
		     const struct stats_print_when *when, struct buf *b);

#endif
