// SPDX-License-Identifier: GPL-2.0
/* Folded stacks as a tree of functions. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "export/flame_tree.h"
#include "output/stacks.h"

static bool is_named(const struct flame_frame *f, const char *name, size_t len)
{
	return f->len == len && !memcmp(f->name, name, len);
}

/* What @up calls by that name, added if it is new; NULL without memory. */
static struct flame_frame *callee(struct arena *mem, struct flame_frame *up, const char *name,
				  size_t len)
{
	struct flame_frame *f = up->last;

	if (!f || !is_named(f, name, len))
		for (f = up->child; f && !is_named(f, name, len);)
			f = f->next;
	if (f)
		return f;
	f = arena_alloc(mem, sizeof(*f));
	if (!f)
		return NULL;
	*f = (struct flame_frame){ .name = name, .len = len };
	*(up->last ? &up->last->next : &up->child) = f;
	up->last = f;
	return f;
}

/* "a;b;c 12", @len bytes without a newline. 0, or -1 without memory. */
static int add_line(struct arena *mem, struct flame_frame *top, const char *line, size_t len,
		    size_t *levels)
{
	const char *blank = memrchr(line, ' ', len), *at = line;
	uint64_t value = blank ? strtoull(blank + 1, NULL, 10) : 0;
	struct flame_frame *f = top;
	size_t level = 1;

	if (!value)
		return 0;
	top->value = stacks_plus(top->value, value);
	while (at < blank) {
		const char *end = memchr(at, ';', blank - at) ?: blank;

		f = callee(mem, f, at, end - at);
		if (!f)
			return -1;
		f->value = stacks_plus(f->value, value);
		at = end + 1;
		level++;
	}
	*levels = level > *levels ? level : *levels;
	return 0;
}

int flametree_add(struct arena *mem, struct flame_frame *top, const struct buf *folded,
		  size_t *levels)
{
	const char *at = folded->p, *end = folded->len ? at + folded->len : at;

	while (at < end) {
		const char *stop = memchr(at, '\n', end - at) ?: end;

		if (add_line(mem, top, at, stop - at, levels))
			return -1;
		at = stop + 1;
	}
	return 0;
}
