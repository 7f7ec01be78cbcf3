// SPDX-License-Identifier: GPL-2.0
/*
 * All run-time types of a binary. Up to 1.26 moduledata has a list of the unnamed
 * ones (typelinks), since 1.27 they lie back to back (moduleTypelinks() in
 * src/runtime/type.go); named ones are found through these, through itabs and
 * through what they refer to.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gobin/rtype.h"

/* Maximum of followed references: slightly above the capacity of the tables. */
#define RTYPE_REFS_SPARE (1ULL << 20)
#define RTYPE_ITAB_BYTES 32U

/* What @by_name has for a name that several types have. */
#define AMBIGUOUS 1U

/* A walk over all that can be reached. */
struct rtwalk {
	struct rtypes *t;
	struct hmap seen;
	uint64_t *v;
	size_t n;
	size_t cap;
	uint64_t refs;		/* that may still be followed */
};

/* Returns 0, or -1: enough. */
static int found(struct rtwalk *w, uint64_t vaddr)
{
	struct rtype_desc d;

	if (!w->refs--)
		return -1;
	if (hmap_get(&w->seen, vaddr) || rtype_desc_read(&w->t->src, vaddr, &d))
		return 0;
	if (grow(&w->v, w->n + 1, &w->cap, sizeof(*w->v)) ||
	    hmap_put(&w->seen, vaddr, w))
		return -1;
	w->v[w->n++] = vaddr;
	return 0;
}

static int follow_methods(struct rtwalk *w, const struct rtype_desc *d)
{
	struct rtuncommon u;
	struct rtmethod m;

	if (rtype_desc_uncommon(&w->t->src, d, &u))
		return 0;
	for (unsigned int i = 0; i < u.nmethods; i++) {
		if (rtype_desc_method(&w->t->src, &u, i, &m))
			break;
		if (found(w, m.type))
			return -1;
	}
	return 0;
}

static int follow(struct rtwalk *w, uint64_t vaddr)
{
	struct rtmethod m;
	struct rtfield f;
	struct rtype_desc d;
	uint64_t type;

	if (rtype_desc_read(&w->t->src, vaddr, &d))
		return 0;
	if (found(w, d.elem) || found(w, d.key) || found(w, d.ptr_to))
		return -1;
	for (uint64_t i = 0; !rtype_desc_field(&w->t->src, &d, i, &f); i++) {
		if (found(w, f.type))
			return -1;
	}
	for (uint64_t i = 0; !rtype_desc_wants(&w->t->src, &d, i, &m); i++) {
		if (found(w, m.type))
			return -1;
	}
	for (unsigned int i = 0; !rtype_desc_param(&w->t->src, &d, i, &type); i++) {
		if (found(w, type))
			return -1;
	}
	return follow_methods(w, &d);
}

/* What typelinks lists; later, what lies back to back. */
static int start(struct rtwalk *w)
{
	const struct moduledata *l = w->t->link;
	uint64_t at = l->types + 8;	/* the first one never has offset 0 */
	struct rtype_desc d;
	int32_t off;

	for (uint64_t i = 0; i < l->ntypelinks; i++) {
		if (data_cache_read(w->t->src.data, l->typelinks + i * 4, &off,
				    sizeof(off)))
			break;
		if (found(w, l->types + (uint64_t)(int64_t)off))
			return -1;
	}
	while (l->desc_len && at - l->types < l->desc_len &&
	       !rtype_desc_read(&w->t->src, at, &d)) {
		if (found(w, at))
			return -1;
		at += (d.length + 7) & ~7ULL;
	}
	return 0;
}

static int found_itab(void *ctx, uint64_t iface, uint64_t type)
{
	return found(ctx, iface) || found(ctx, type);
}

typedef int (*rtitab_fn)(void *ctx, uint64_t iface, uint64_t type);

/* The interface and the type of the itab at @vaddr; bytes it takes, or 0. */
static uint64_t read_itab(struct rtypes *t, uint64_t vaddr, uint64_t *iface,
			  uint64_t *type)
{
	uint64_t w[RTYPE_ITAB_BYTES / 8];
	struct rtype_desc d;

	if (data_cache_read(t->src.data, vaddr, w, sizeof(w)))
		return 0;
	*iface = w[0];
	*type = w[1];
	if (rtype_desc_read(&t->src, w[0], &d) || d.kind != RKIND_INTERFACE)
		return 0;
	/* As itab.Size() in src/internal/abi/iface.go. */
	return sizeof(w) + (w[3] && d.count ? (d.count - 1) * 8 : 0);
}

static int each_itab(struct rtypes *t, rtitab_fn fn, void *ctx)
{
	const struct moduledata *l = t->link;
	uint64_t at = l->itabs, iface, type, bytes, itab;
	int ret;

	for (uint64_t i = 0; i < l->nitablinks; i++) {
		if (data_cache_read(t->src.data, l->itablinks + i * 8, &itab,
				    sizeof(itab)) ||
		    !read_itab(t, itab, &iface, &type))
			break;
		ret = fn(ctx, iface, type);
		if (ret)
			return ret;
	}
	while (at - l->itabs < l->itabs_len) {
		bytes = read_itab(t, at, &iface, &type);
		if (!bytes)
			break;
		ret = fn(ctx, iface, type);
		if (ret)
			return ret;
		at += bytes;
	}
	return 0;
}

/* Fill @t->all, once. */
static void gather(struct rtypes *t)
{
	struct rtwalk w = {
		.t = t,
		.refs = RTYPE_REFS_SPARE + (t->src.etypes - t->src.types) / 4,
	};

	if (t->all)
		return;
	if (!start(&w) && !each_itab(t, found_itab, &w)) {
		for (size_t i = 0; i < w.n; i++) {
			if (follow(&w, w.v[i]))
				break;
		}
	}
	hmap_fini(&w.seen);
	t->all = w.v;
	t->nall = w.n;
}

const uint64_t *rtype_all(struct rtypes *t, size_t *n)
{
	gather(t);
	*n = t->nall;
	return t->all;
}

int rtype_each(struct rtypes *t, rtype_fn fn, void *ctx)
{
	int ret = 0;

	gather(t);
	for (size_t i = 0; !ret && i < t->nall; i++) {
		const char *name = rtype_name(t, t->all[i]);

		if (name)
			ret = fn(ctx, t->all[i], name);
	}
	return ret;
}

struct itab_filter {
	struct rtypes *t;
	uint64_t iface;
	rtype_fn fn;
	void *ctx;
};

static int filter_itab(void *ctx, uint64_t iface, uint64_t type)
{
	struct itab_filter *f = ctx;
	const char *name;

	if (f->iface && f->iface != iface)
		return 0;
	name = rtype_name(f->t, type);
	return name ? f->fn(f->ctx, type, name) : 0;
}

int rtype_itabs(struct rtypes *t, uint64_t iface, rtype_fn fn, void *ctx)
{
	struct itab_filter f = {
		.t = t, .iface = iface, .fn = fn, .ctx = ctx,
	};

	return each_itab(t, filter_itab, &f);
}

/* Whole and short names are kept apart by the seed of their hashes. */
static void note_name(struct rtypes *t, uint64_t seed, const char *name,
		      uint64_t vaddr)
{
	uint64_t key = hmap_hash(seed, name, strlen(name));

	if (hmap_get(&t->by_name, key))
		vaddr = AMBIGUOUS;
	hmap_put(&t->by_name, key, (void *)(uintptr_t)vaddr);
}

static int index_name(void *ctx, uint64_t vaddr, const char *name)
{
	struct rtypes *t = ctx;
	char *brief = rtype_short_name(t, vaddr);

	/* Shapes have the names of what they stand for, and no values. */
	if (brief && !strstr(brief, "go.shape.")) {
		note_name(t, 0, name, vaddr);
		note_name(t, 1, brief, vaddr);
	}
	free(brief);
	return 0;
}

const struct gotype *rtype_find(struct rtypes *t, const char *name)
{
	if (!t->by_name.n)
		rtype_each(t, index_name, t);
	for (uint64_t seed = 0; seed < 2; seed++) {
		uint64_t vaddr, key = hmap_hash(seed, name, strlen(name));

		vaddr = (uintptr_t)hmap_get(&t->by_name, key);
		if (vaddr > AMBIGUOUS)
			return rtype_type(t, vaddr);
	}
	return NULL;
}
