// SPDX-License-Identifier: GPL-2.0
/* Types that the module does not know yet, as records show them. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/unaligned.h"
#include "plan/learn.h"

enum { NOT_LOOKED, NO_EFACE, EFACE };

/* Where the record at hand comes from. */
struct scene {
	struct learn *l;	/* what learns */
	struct gobin *bin;	/* binary */
	uint64_t bias;		/* of its addresses */
};

void learn_init(struct learn *l, struct plan *p)
{
	*l = (struct learn){ .plan = p };
}

void learn_fini(struct learn *l)
{
	free(l->efaces);
	l->efaces = NULL;
	l->cap = 0;
}

static bool has_eface(struct learn *l, uint32_t type)
{
	const struct goprobe_type *t = &l->plan->types[type];
	size_t before = l->cap;

	if (grow(&l->efaces, type + 1, &l->cap, 1))
		return false;
	memset(l->efaces + before, NOT_LOOKED, l->cap - before);
	if (l->efaces[type] == NOT_LOOKED) {
		l->efaces[type] = NO_EFACE;
		for (uint32_t i = 0; i < t->nrefs; i++)
			if (l->plan->refs[t->ref + i].kind == GOPROBE_REF_EFACE)
				l->efaces[type] = EFACE;
	}
	return l->efaces[type] == EFACE;
}

static void learned(const struct scene *s, uint64_t vaddr, uint32_t level, bool func)
{
	s->l->pending = true;
	if (s->l->learned)
		s->l->learned(s->l->ctx, s->bin, vaddr, level, func);
}

static void learn_type(const struct scene *s, const uint8_t *word, uint32_t level)
{
	uint64_t address = load_u64(word), vaddr = address - s->bias;

	if (address && plan_learn_type(s->l->plan, s->bin, vaddr, level) > 0)
		learned(s, vaddr, level, false);
}

static void learn_code(const struct scene *s, const uint8_t *word, uint32_t level)
{
	uint64_t vaddr = load_u64(word) - s->bias;

	if (plan_learn_func(s->l->plan, s->bin, vaddr, level) > 0)
		learned(s, vaddr, level, true);
}

/* The empty interfaces in the objects of type @type at @p. */
static void look_at(const struct scene *s, uint32_t type, const uint8_t *p, size_t len,
		    uint32_t level)
{
	const struct plan *plan = s->l->plan;
	const struct goprobe_type *t;

	if (type >= plan->ntypes || !has_eface(s->l, type))
		return;
	t = &plan->types[type];
	for (; len >= t->size; p += t->size, len -= t->size) {
		for (uint32_t i = 0; i < t->nrefs; i++) {
			const struct goprobe_ref *r = &plan->refs[t->ref + i];
			bool same = r->flags & GOPROBE_REF_F_SAME_LEVEL;

			if (r->kind == GOPROBE_REF_EFACE)
				learn_type(s, p + r->offset, level + !same);
		}
	}
}

void learn_record(struct learn *l, const struct record *r, struct gobin *bin, uint64_t bias)
{
	struct scene s = { .l = l, .bin = bin, .bias = bias };

	if (!r->frame)
		return;
	look_at(&s, l->plan->plans[r->h.plan].type, r->frame, r->frame_size, 0);
	for (size_t i = 0; i < r->nchunks; i++) {
		const struct record_chunk *c = &r->chunks[i];

		/* An itab's second word is the type: that is what these 8 bytes are. */
		if (c->type == GOPROBE_TYPE_ITAB && c->size == 8)
			learn_type(&s, c->data, c->level);
		else if (c->type == GOPROBE_TYPE_CODE && c->size == 8)
			learn_code(&s, c->data, c->level);
		else
			look_at(&s, c->type, c->data, c->size, c->level);
	}
}

static bool is_learned_from(const struct goprobe_ref *r)
{
	return r->kind == GOPROBE_REF_IFACE || r->kind == GOPROBE_REF_EFACE ||
	       r->kind == GOPROBE_REF_FUNC;
}

/* Does @type, or what it leads to, hold such? @seen: types that were looked at. */
static bool holds(const struct plan *p, uint32_t type, bool *seen, uint32_t *todo)
{
	size_t n = 0;

	if (!seen[type])
		todo[n++] = type;
	seen[type] = true;
	while (n) {
		const struct goprobe_type *t = &p->types[todo[--n]];

		for (uint32_t i = 0; i < t->nrefs; i++) {
			const struct goprobe_ref *r = &p->refs[t->ref + i];

			if (is_learned_from(r))
				return true;
			if (r->type >= p->ntypes || seen[r->type])
				continue;
			seen[r->type] = true;
			todo[n++] = r->type;
		}
	}
	return false;
}

bool learn_possible(const struct plan *p)
{
	bool *seen = calloc(p->ntypes + 1, sizeof(*seen)), possible = false;
	uint32_t *todo = calloc(p->ntypes + 1, sizeof(*todo));

	for (size_t i = 0; seen && todo && !possible && i < p->nfuncs; i++) {
		const struct plan_func *f = p->funcs[i];

		if (f->hidden)
			continue;
		if (f->call.plan != GOPROBE_NO_PLAN)
			possible = holds(p, p->plans[f->call.plan].type, seen, todo);
		if (!possible && f->ret.plan != GOPROBE_NO_PLAN)
			possible = holds(p, p->plans[f->ret.plan].type, seen, todo);
	}
	/* Without memory it has to be looked for. */
	possible |= !seen || !todo;
	free(seen);
	free(todo);
	return possible;
}
