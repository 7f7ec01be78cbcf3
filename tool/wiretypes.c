// SPDX-License-Identifier: GPL-2.0
/* The part of a plan that tells the module where types have references. */
#include <stdlib.h>
#include <string.h>

#include "wiretypes.h"

/* References in one array, of one type; nesting of types by reference. */
#define ARRAY_REFS_MAX 64
#define TYPE_REFS_MAX 512
#define NESTING_MAX 32
/* goprobe_chunk.size is 16 bits wide. */
#define ELEM_SIZE_MAX 65528U

struct node {
	uint32_t id;		/* WIRETYPES_NONE: being made */
};

struct frame {
	uint32_t id;
	struct frame *next;	/* of the same hash */
};

struct wiretypes_fixup {
	struct wiretypes_fixup *next;
	const struct node *node;
	size_t ref;
};

/* The references of one type while they are collected. */
struct refs {
	struct goprobe_ref v[TYPE_REFS_MAX];
	const struct node *pending[TYPE_REFS_MAX];
	size_t n;
};

static int intern(struct wiretypes *w, const struct gotype *t, int depth,
		  const struct node **ret);

void wiretypes_fini(struct wiretypes *w)
{
	hmap_fini(&w->by_gotype);
	hmap_fini(&w->frames);
}

uint32_t wiretypes_find(const struct wiretypes *w, const struct gotype *t)
{
	const struct node *n = hmap_get(&w->by_gotype, (uintptr_t)t);

	return n ? n->id : WIRETYPES_NONE;
}

static bool is_walked(const struct gotype *slice)
{
	return slice->elem && slice->elem->size &&
	       slice->elem->size <= ELEM_SIZE_MAX;
}

static bool has_refs(const struct gotype *t)
{
	switch (t->kind) {
	case GOTYPE_STRING:
		return true;
	case GOTYPE_SLICE:
		return is_walked(t);
	case GOTYPE_INTERFACE:
		return !t->empty;
	case GOTYPE_ARRAY:
		return t->count && has_refs(t->elem);
	case GOTYPE_STRUCT:
		for (size_t i = 0; i < t->nfields; i++) {
			if (has_refs(t->fields[i].type))
				return true;
		}
		return false;
	default:
		return false;
	}
}

static void add(struct refs *r, uint64_t offset, uint16_t kind,
		const struct node *node)
{
	if (r->n == TYPE_REFS_MAX || offset > UINT32_MAX ||
	    (r->n && offset <= r->v[r->n - 1].offset))
		return;
	r->pending[r->n] = node;
	r->v[r->n++] = (struct goprobe_ref){
		.offset = (uint32_t)offset, .kind = kind,
	};
}

/* Append the references in a value of type @t that stands at @offset. */
static int collect(struct wiretypes *w, const struct gotype *t, uint64_t offset,
		   int depth, struct refs *r)
{
	const struct node *node = NULL;
	uint64_t n;

	switch (t->kind) {
	case GOTYPE_STRING:
		add(r, offset, GOPROBE_REF_STRING, NULL);
		return 0;
	case GOTYPE_SLICE:
		if (!is_walked(t) || depth == NESTING_MAX)
			return 0;
		if (intern(w, t->elem, depth + 1, &node))
			return -1;
		add(r, offset, GOPROBE_REF_SLICE, node);
		return 0;
	case GOTYPE_INTERFACE:
		if (!t->empty)
			add(r, offset, GOPROBE_REF_IFACE, NULL);
		return 0;
	case GOTYPE_ARRAY:
		if (!has_refs(t->elem))
			return 0;
		n = t->count < ARRAY_REFS_MAX ? t->count : ARRAY_REFS_MAX;
		for (uint64_t i = 0; i < n && r->n < TYPE_REFS_MAX; i++) {
			size_t before = r->n;

			if (collect(w, t->elem, offset + i * t->elem->size,
				    depth, r))
				return -1;
			if (r->n == before)
				break;
		}
		return 0;
	case GOTYPE_STRUCT:
		for (size_t i = 0; i < t->nfields; i++) {
			if (collect(w, t->fields[i].type,
				    offset + t->fields[i].offset, depth, r))
				return -1;
		}
		return 0;
	default:
		return 0;
	}
}

static int grow(void *v, size_t need, size_t *cap, size_t size)
{
	void **p = v, *q;
	size_t n = *cap ? *cap : 64;

	if (need <= *cap)
		return 0;
	while (n < need)
		n *= 2;
	q = reallocarray(*p, n, size);
	if (!q)
		return -1;
	*p = q;
	*cap = n;
	return 0;
}

static int append(struct wiretypes *w, uint32_t size, const struct refs *r,
		  const struct gotype *t, uint32_t *id)
{
	struct plan *p = w->plan;
	size_t cap = w->types_cap;

	if (grow(&p->types, p->ntypes + 1, &w->types_cap, sizeof(*p->types)) ||
	    grow(&p->gotypes, p->ntypes + 1, &cap, sizeof(*p->gotypes)) ||
	    grow(&p->refs, p->nrefs + r->n, &w->refs_cap, sizeof(*p->refs)))
		return -1;
	for (size_t i = 0; i < r->n; i++) {
		struct goprobe_ref *ref = &p->refs[p->nrefs + i];
		struct wiretypes_fixup *f;

		*ref = r->v[i];
		if (!r->pending[i])
			continue;
		ref->type = r->pending[i]->id;
		if (ref->type != WIRETYPES_NONE)
			continue;
		f = arena_alloc(w->mem, sizeof(*f));
		if (!f)
			return -1;
		f->node = r->pending[i];
		f->ref = p->nrefs + i;
		f->next = w->fixups;
		w->fixups = f;
	}
	*id = (uint32_t)p->ntypes;
	p->types[p->ntypes] = (struct goprobe_type){
		.size = size, .ref = (uint32_t)p->nrefs,
		.nrefs = (uint32_t)r->n,
	};
	p->gotypes[p->ntypes++] = t;
	p->nrefs += r->n;
	return 0;
}

static void apply_fixups(struct wiretypes *w, const struct node *node)
{
	struct wiretypes_fixup **at = &w->fixups;

	while (*at) {
		if ((*at)->node == node) {
			w->plan->refs[(*at)->ref].type = node->id;
			*at = (*at)->next;
		} else {
			at = &(*at)->next;
		}
	}
}

static int intern(struct wiretypes *w, const struct gotype *t, int depth,
		  const struct node **ret)
{
	struct node *n = hmap_get(&w->by_gotype, (uintptr_t)t);
	struct refs *r;
	int err = -1;

	*ret = n;
	if (n)
		return 0;
	n = arena_alloc(w->mem, sizeof(*n));
	r = calloc(1, sizeof(*r));
	if (n && r) {
		n->id = WIRETYPES_NONE;
		*ret = n;
		if (!hmap_put(&w->by_gotype, (uintptr_t)t, n) &&
		    !collect(w, t, 0, depth, r) &&
		    !append(w, (uint32_t)t->size, r, t, &n->id)) {
			apply_fixups(w, n);
			err = 0;
		}
	}
	free(r);
	return err;
}

static bool same(const struct plan *p, uint32_t id, uint32_t size,
		 const struct refs *r)
{
	const struct goprobe_type *t = &p->types[id];

	return t->size == size && t->nrefs == r->n && (!r->n ||
	       !memcmp(p->refs + t->ref, r->v, r->n * sizeof(*r->v)));
}

static int frame_of(struct wiretypes *w, uint32_t size, struct refs *r,
		    uint32_t *ret)
{
	struct frame *f, *first;
	uint64_t key;

	/* Nothing is being made any more: all types have their numbers. */
	for (size_t i = 0; i < r->n; i++) {
		if (r->pending[i])
			r->v[i].type = r->pending[i]->id;
	}
	key = hmap_hash(size, r->v, r->n * sizeof(*r->v));
	first = hmap_get(&w->frames, key);
	for (f = first; f; f = f->next) {
		if (same(w->plan, f->id, size, r)) {
			*ret = f->id;
			return 0;
		}
	}
	f = arena_alloc(w->mem, sizeof(*f));
	if (!f || append(w, size, r, NULL, &f->id))
		return -1;
	f->next = first;
	*ret = f->id;
	return hmap_put(&w->frames, key, f);
}

int wiretypes_frame(struct wiretypes *w, const struct plan_value *values,
		    size_t n, uint32_t size, uint32_t *ret)
{
	struct refs *r = calloc(1, sizeof(*r));
	int err = 0;

	if (!r)
		return -1;
	for (size_t i = 0; !err && i < n; i++) {
		if (!values[i].unavailable)
			err = collect(w, values[i].type, values[i].offset, 0,
				      r);
	}
	if (!err)
		err = frame_of(w, size, r, ret);
	free(r);
	return err;
}
