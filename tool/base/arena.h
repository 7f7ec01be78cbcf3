/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that lives as long as its owner and is given back all at once. */
#ifndef GOPROBE_BASE_ARENA_H
#define GOPROBE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/* A heap without free. A zeroed arena is empty and usable. */
struct arena {
	struct arena_block *head;	/* newest block */
	size_t used;			/* bytes taken of it */
};

void arena_fini(struct arena *a);

/* Zeroed memory, aligned to 16; NULL: out of memory. */
void *arena_alloc(struct arena *a, size_t size);
/* As arena_alloc() for @n objects of @size bytes; NULL on overflow too. */
void *arena_array(struct arena *a, size_t n, size_t size);
/* Copy of the @len bytes at @s, with a NUL behind them. */
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
