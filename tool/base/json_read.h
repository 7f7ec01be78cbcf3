/* SPDX-License-Identifier: GPL-2.0 */
/* A reader of JSON that nobody trusts: strings, and where they stand. */
#ifndef GOPROBE_BASE_JSON_READ_H
#define GOPROBE_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* Objects and lists in each other. */
#define JSON_READ_DEPTH 32
/* Bytes of a key or string, with the zero behind it. */
#define JSON_READ_TEXT 512

/* Where a string stands: [3].Config.Labels["a.b"] has depth 4. */
struct json_read_place {
	size_t depth;				/* objects and lists around it */
	char key[JSON_READ_DEPTH][JSON_READ_TEXT];	/* the member's name; "" in a list */
	size_t index[JSON_READ_DEPTH];		/* the number of the member or element */
};

/* Called for a string, which ends with a zero and holds no other one. */
typedef void json_read_fn(void *ctx, const struct json_read_place *at, const char *string);

/*
 * Read @n bytes of @text and call @fn for each string, in their order. A longer string than
 * JSON_READ_TEXT, or one with a zero in it, is left out; a longer key is cut. The rest of the
 * values is only checked. 0, or -1 with the byte that is wrong; @fn has then seen what stands
 * before.
 */
int json_read(const char *text, size_t n, json_read_fn *fn, void *ctx, struct diag *d);
/* Do the last @at->depth - @from names lead to it? @names ends with NULL. */
bool json_read_is(const struct json_read_place *at, size_t from, const char *const *names);

#endif
