/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of calls that are counted and timed by key. */
#ifndef GOPROBE_OUTPUT_KEY_PRINT_H
#define GOPROBE_OUTPUT_KEY_PRINT_H

#include "output/key_stats.h"
#include "output/stats_print.h"

/**
 * struct keywords - a key while it is read
 * @v: what is left of it
 * @n: words
 */
struct keywords {
	const uint64_t *v;
	size_t n;
};

/**
 * struct keyshow - how it is shown
 * @show: as all is
 * @values: shows numbers
 */
struct keyshow {
	const struct tallyshow *show;
	struct value_ctx *values;
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
