// SPDX-License-Identifier: GPL-2.0
/*
 * The part of a plan that describes the references in types to the module. Types are
 * made breadth first from the frames, as the module will walk, and only as
 * far: unreachable types are not made, and if the table is too small for all, the
 * nearest types are in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "plan/type_table.h"

/* A frame's type, found by a hash of what is in it. */
struct frame {
	uint32_t id;
	struct frame *next;
};

void type_table_init(struct type_table *w, struct plan *p, struct arena *mem, uint32_t depth)
{
	memset(w, 0, sizeof(*w));
	w->plan = p;
	w->mem = mem;
	w->depth = depth < PLAN_DEPTH_MAX ? depth : PLAN_DEPTH_MAX;
	w->most = TYPE_TABLE_MAX;
	w->most_refs = TYPE_TABLE_REFS_MAX;
	w->refs.secrets = &p->o->secrets;
	for (size_t i = 0; i <= PLAN_DEPTH_MAX; i++)
		w->queues[i].last = &w->queues[i].first;
}

void type_table_fini(struct type_table *w)
{
	hmap_fini(&w->known);
	hmap_fini(&w->frames);
	free(w->targets);
	w->targets = NULL;
}

static const struct runtime_layout *layout_of(struct gobin *bin)
{
	return runtime_layout_get(gobin_go_minor(bin));
}

/* User-space addresses have less than 48 bits. */
static uint64_t key_of(const struct gotype *t, enum wire_role role)
{
	return (uint64_t)(uintptr_t)t << 4 | role;
}

static void enqueue(struct type_table *w, struct wiretype *n, uint32_t level)
{
	struct type_table_queue *q = &w->queues[level];

	n->level = level;
	n->next = NULL;
	*q->last = n;
	q->last = &n->next;
}

static struct wiretype *dequeue(struct type_table *w, uint32_t level)
{
	struct type_table_queue *q = &w->queues[level];
	struct wiretype *n = q->first;

	if (!n)
		return NULL;
	q->first = n->next;
	if (!q->first)
		q->last = &q->first;
	return n;
}

/* Something nearer was found: take it from where it waits. */
static void leave_queue(struct type_table *w, struct wiretype *n)
{
	struct type_table_queue *q = &w->queues[n->level];
	struct wiretype **at = &q->first;

	while (*at && *at != n)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = n->next;
	if (!*at)
		q->last = at;
}

struct wiretype *type_table_want(struct type_table *w, struct gobin *bin, const struct gotype *t,
				 enum wire_role role, uint32_t level)
{
	uint64_t key = key_of(t, role);
	struct wiretype *n = hmap_get(&w->known, key);

	if (level > w->depth)
		return NULL;
	if (n && n->level <= level)
		return n;
	if (n && !n->final && n->id == TYPE_TABLE_NONE) {
		leave_queue(w, n);
		enqueue(w, n, level);
		return n;
	}
	/* A final type is no use nearer to a frame: it lacks references beyond its depth. */
	if (!reference_size(layout_of(bin), t, role))
		return NULL;
	n = arena_alloc(w->mem, sizeof(*n));
	if (!n || hmap_put(&w->known, key, n))
		return NULL;
	n->t = t;
	n->bin = bin;
	n->role = role;
	n->id = TYPE_TABLE_NONE;
	enqueue(w, n, level);
	return n;
}

/* Append a type with the references in @w->refs, for objects at @level. */
static int append(struct type_table *w, struct gobin *bin, const struct gotype *t, uint64_t size,
		  uint32_t level, uint32_t *id)
{
	struct plan *p = w->plan;
	size_t cap = w->types_cap, refs_cap = w->refs_cap, first = p->nrefs;
	size_t refs = p->nrefs + w->refs.n + w->refs.nwipes;

	if (grow(&p->gotypes, p->ntypes + 1, &cap, sizeof(*p->gotypes)) ||
	    grow(&p->types, p->ntypes + 1, &w->types_cap, sizeof(*p->types)) ||
	    grow(&w->targets, refs, &refs_cap, sizeof(*w->targets)) ||
	    grow(&p->refs, refs, &w->refs_cap, sizeof(*p->refs)))
		return -1;
	for (size_t i = 0; i < w->refs.n; i++) {
		const struct wire_ref *r = &w->refs.v[i];
		bool same = r->ref.flags & GOPROBE_REF_F_SAME_LEVEL;
		const struct wiretype *to = NULL;

		if (r->ref.kind == GOPROBE_REF_IFACE || r->ref.kind == GOPROBE_REF_EFACE ||
		    r->ref.kind == GOPROBE_REF_FUNC) {
			if (w->seen && w->seen(w->seen_ctx, bin, r->to, level + !same))
				return -1;
		} else if (r->to) {
			to = type_table_want(w, bin, r->to, r->role, level + !same);
			if (!to)
				continue;
		}
		w->targets[p->nrefs] = to;
		p->refs[p->nrefs++] = r->ref;
	}
	for (size_t i = 0; i < w->refs.nwipes; i++) {
		w->targets[p->nrefs] = NULL;
		p->refs[p->nrefs++] = (struct goprobe_ref){
			.kind = GOPROBE_REF_WIPE, .offset = w->refs.wipes[i].offset,
			.count_offset = w->refs.wipes[i].size,
		};
	}
	p->wipes |= w->refs.nwipes;
	*id = (uint32_t)p->ntypes;
	p->types[p->ntypes] = (struct goprobe_type){
		.size = (uint32_t)size,
		.ref = (uint32_t)first,
		.nrefs = (uint32_t)(p->nrefs - first),
	};
	p->gotypes[p->ntypes++] = t;
	return 0;
}

static bool same(const struct type_table *w, uint32_t a, uint32_t b)
{
	const struct plan *p = w->plan;
	const struct goprobe_type *x = &p->types[a], *y = &p->types[b];

	return x->size == y->size && x->nrefs == y->nrefs && (!x->nrefs ||
	       (!memcmp(p->refs + x->ref, p->refs + y->ref, x->nrefs * sizeof(*p->refs)) &&
		!memcmp(w->targets + x->ref, w->targets + y->ref,
			x->nrefs * sizeof(*w->targets))));
}

/* If there is a frame like the last type, take that and drop the last. */
static int share_frame(struct type_table *w, uint32_t *id)
{
	struct plan *p = w->plan;
	const struct goprobe_type *t = &p->types[*id];
	/* As long as no type has references there is no table of them. */
	uint64_t key = hmap_hash(t->size, t->nrefs ? p->refs + t->ref : NULL,
				 t->nrefs * sizeof(*p->refs));
	struct frame *f, *first;

	key = hmap_hash(key, t->nrefs ? w->targets + t->ref : NULL,
			t->nrefs * sizeof(*w->targets));
	first = hmap_get(&w->frames, key);
	for (f = first; f; f = f->next) {
		if (!same(w, f->id, *id))
			continue;
		p->nrefs = t->ref;
		p->ntypes--;
		*id = f->id;
		return 0;
	}
	f = arena_alloc(w->mem, sizeof(*f));
	if (!f)
		return -1;
	f->id = *id;
	f->next = first;
	return hmap_put(&w->frames, key, f);
}

int type_table_frame(struct type_table *w, struct gobin *bin, const struct plan_value *values,
		     size_t n, uint32_t size, bool texts, uint32_t *ret)
{
	w->refs.layout = layout_of(bin);
	reference_begin(&w->refs);
	for (size_t i = 0; i < n; i++)
		if (!values[i].unavailable)
			reference_add_frame(&w->refs, values[i].type, values[i].offset);
	if (texts)
		reference_keep_texts(&w->refs);
	reference_sort(&w->refs, size);
	if (append(w, bin, NULL, size, 0, ret))
		return -1;
	return share_frame(w, ret);
}

static int make(struct type_table *w, struct wiretype *n)
{
	struct plan *p = w->plan;

	w->refs.layout = layout_of(n->bin);
	reference_of(&w->refs, n->t, n->role);
	if (p->ntypes >= w->most || p->nrefs + w->refs.n + w->refs.nwipes > w->most_refs)
		return 0;
	return append(w, n->bin, n->t, reference_size(w->refs.layout, n->t, n->role), n->level,
		      &n->id);
}

/* Ids of targets, instead of places in memory; without those that were not made. */
static void settle(struct type_table *w)
{
	struct plan *p = w->plan;
	size_t to = w->settled < p->ntypes ? p->types[w->settled].ref : p->nrefs;

	for (size_t i = w->settled; i < p->ntypes; i++) {
		struct goprobe_type *t = &p->types[i];
		size_t first = to;

		for (size_t k = t->ref; k < t->ref + t->nrefs; k++) {
			if (w->targets[k] && w->targets[k]->id == TYPE_TABLE_NONE)
				continue;
			p->refs[to] = p->refs[k];
			if (w->targets[k])
				p->refs[to].type = w->targets[k]->id;
			to++;
		}
		t->ref = (uint32_t)first;
		t->nrefs = (uint32_t)(to - first);
	}
	p->nrefs = to;
	w->settled = p->ntypes;
	/* Their references look otherwise now. */
	hmap_fini(&w->frames);
}

int type_table_make(struct type_table *w)
{
	for (uint32_t level = 0; level <= w->depth; level++) {
		struct wiretype *n;

		while ((n = dequeue(w, level))) {
			n->final = true;
			if (make(w, n))
				return -1;
		}
	}
	settle(w);
	return 0;
}
