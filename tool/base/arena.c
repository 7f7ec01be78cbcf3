// SPDX-License-Identifier: GPL-2.0
/* Memory that lives as long as its owner and is given back all at once. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define ARENA_BLOCK (64U << 10)
#define ARENA_ALIGN 16U

struct arena_block {
	struct arena_block *next;
	size_t size;
	unsigned char data[] __attribute__((aligned(ARENA_ALIGN)));
};

void arena_fini(struct arena *a)
{
	struct arena_block *b = a->head;

	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	a->head = NULL;
	a->used = 0;
}

static struct arena_block *arena_block_new(size_t size)
{
	struct arena_block *b;

	if (size > SIZE_MAX - sizeof(*b))
		return NULL;
	b = calloc(1, sizeof(*b) + size);
	if (b)
		b->size = size;
	return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b;
	void *p;

	if (size > SIZE_MAX - ARENA_ALIGN)
		return NULL;
	size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (!size)
		size = ARENA_ALIGN;
	if (a->head && a->head->size - a->used >= size) {
		p = a->head->data + a->used;
		a->used += size;
		return p;
	}
	if (size > ARENA_BLOCK / 4) {
		/* A block of its own, behind the one that is being filled. */
		b = arena_block_new(size);
		if (!b)
			return NULL;
		if (a->head) {
			b->next = a->head->next;
			a->head->next = b;
		} else {
			a->head = b;
			a->used = size;
		}
		return b->data;
	}
	b = arena_block_new(ARENA_BLOCK);
	if (!b)
		return NULL;
	b->next = a->head;
	a->head = b;
	a->used = size;
	return b->data;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return arena_alloc(a, bytes);
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p;

	if (len == SIZE_MAX)
		return NULL;
	p = arena_alloc(a, len + 1);
	if (p)
		memcpy(p, s, len);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	p = arena_alloc(a, (size_t)n + 1);
	if (!p)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}
