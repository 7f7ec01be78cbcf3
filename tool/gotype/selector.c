// SPDX-License-Identifier: GPL-2.0
/* Fields of Go structs by name: the Go specification's "Selectors". */
#include <string.h>

#include "gotype/selector.h"

/* Structs looked at for one name: what embeds itself in many ways ends. */
#define BUDGET 4096

struct search {
	const char *name;	/* or NULL: all names are offered to @near */
	struct suggest *near;
	const struct gofield *path[SELECTOR_DEPTH + 1];
	struct selector_path *ret;
	unsigned int found;
	unsigned int budget;
};

static void look(struct search *s, const struct gotype *t, size_t depth, size_t n)
{
	if (t->kind == GOTYPE_POINTER && t->elem)
		t = t->elem;
	if (t->kind != GOTYPE_STRUCT || !s->budget)
		return;
	s->budget--;
	for (size_t i = 0; i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];

		s->path[n] = f;
		if (depth && f->embedded)
			look(s, f->type, depth - 1, n + 1);
		if (depth || strcmp(f->name, "_") == 0)
			continue;
		if (!s->name) {
			suggest_offer(s->near, f->name);
		} else if (strcmp(f->name, s->name) == 0 && !s->found++) {
			s->ret->n = n + 1;
			memcpy(s->ret->v, s->path, (n + 1) * sizeof(s->path[0]));
		}
	}
}

enum selector_found selector_find(const struct gotype *t, const char *name,
				  struct selector_path *ret)
{
	struct search s = { .name = name, .ret = ret, .budget = BUDGET };

	if (strcmp(name, "_") == 0)
		return SELECTOR_NONE;
	for (size_t depth = 0; !s.found && depth <= SELECTOR_DEPTH; depth++)
		look(&s, t, depth, 0);
	return s.found > 1 ? SELECTOR_SEVERAL : s.found ? SELECTOR_ONE : SELECTOR_NONE;
}

void selector_offer(const struct gotype *t, struct suggest *near)
{
	struct search s = { .near = near, .budget = BUDGET };

	for (size_t depth = 0; depth <= SELECTOR_DEPTH; depth++)
		look(&s, t, depth, 0);
}
