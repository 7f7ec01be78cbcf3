// SPDX-License-Identifier: GPL-2.0
/* Folded stacks as a tree of functions. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/hmap.h"
#include "export/flame_tree.h"
#include "output/stacks.h"

static bool is_named(const struct flame_frame *f, const char *name, size_t len)
{
	return f->len == len && !memcmp(f->name, name, len);
}

/* A tree under construction. */
struct tree {
	struct arena *mem;	/* where frames are */
	struct hmap known;	/* frames by caller and name: one can have 100,000 */
};

/* What @up calls by that name, added if it is new; NULL without memory. */
static struct flame_frame *callee(struct tree *t, struct flame_frame *up, const char *name,
				  size_t len)
{
	uint64_t key = hmap_hash((uintptr_t)up, name, len);
	struct flame_frame *f = up->last;

	if (f && is_named(f, name, len))
		return f;
	f = hmap_get(&t->known, key);
	if (f)
		return f;
	f = arena_alloc(t->mem, sizeof(*f));
	if (!f || hmap_put(&t->known, key, f))
		return NULL;
	*f = (struct flame_frame){ .name = name, .len = len };
	*(up->last ? &up->last->next : &up->child) = f;
	up->last = f;
	return f;
}

/* "a;b;c 12", @len bytes without a newline. 0, or -1 without memory. */
static int add_line(struct tree *t, struct flame_frame *top, const char *line, size_t len,
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

		f = callee(t, f, at, end - at);
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
	struct tree t = { .mem = mem };
	int err = 0;

	while (!err && at < end) {
		const char *stop = memchr(at, '\n', end - at) ?: end;

		err = add_line(&t, top, at, stop - at, levels);
		at = stop + 1;
	}
	hmap_fini(&t.known);
	return err;
}
