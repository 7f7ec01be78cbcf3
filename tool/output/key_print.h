/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of calls that are counted and timed by key. */
#ifndef GOPROBE_OUTPUT_KEY_PRINT_H
#define GOPROBE_OUTPUT_KEY_PRINT_H

#include "output/key_stats.h"
#include "output/stats_print.h"

/* A key while it is read. */
struct keywords {
	const uint64_t *v;	/* what is left of it */
	size_t n;		/* words */
};

/* How it is shown. */
struct keyshow {
	const struct tallyshow *show;	/* as all is */
	struct value_ctx *values;	/* shows numbers */
};

/* NULL without memory. */
struct keyshow *keyshow_new(const struct tallyshow *show);
void keyshow_free(struct keyshow *k);
/*
 * Append the value of @part, which is next in @w, the key of a call of @pf; in JSON the object
 * {"expr":...,"type":...,"value":...}.
 */
void keyshow_part(struct keyshow *k, const struct plan_func *pf, const struct bykey_part *part,
		  struct keywords *w, struct buf *b);
/* The keys in @rows; the rest as tallyshow_table() has it. */
void keyshow_table(struct keyshow *show, const struct keyrows *rows,
		   const struct tallyshow_when *when, struct buf *b);

#endif
