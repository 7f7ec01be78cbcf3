// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that were inlined. Each function's tree (src/runtime/symtabinl.go)
 * names what was inlined into it, one entry for each place.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hmap.h"
#include "gobin/data_cache.h"
#include "gobin/inlined.h"

/* More places in one function than any compiler makes. */
#define PLACES_MAX 65536U

struct callee {
	struct callee *next;	/* all of them */
	const char *name;
	const char *file;
	int line;
	uint32_t places;
	bool has_code;
};

struct census {
	const struct moduledata *l;
	struct data_cache *data;
	struct hmap by_name;	/* by a hash of the name */
	uint64_t names_left;		/* bytes of names that may still be looked at */
	struct callee *all;
	size_t n;
};

static uint64_t key_of(const char *name)
{
	return hmap_hash(0, name, strlen(name));
}

static struct callee *callee_of(struct census *c, const char *name)
{
	struct callee *k = hmap_get(&c->by_name, key_of(name));

	if (k)
		return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->name = name;
	k->next = c->all;
	c->all = k;
	c->n++;
	return hmap_put(&c->by_name, key_of(name), k) ? NULL : k;
}

/*
 * An address for each entry of the tree, as far as it has code; their number. There
 * can't be more than the function has bytes.
 */
static size_t walk(const struct pclntab *t, const struct pclntab_func *f,
		   uint64_t *pcs)
{
	uint64_t max = f->end - f->entry;
	struct pclntab_run run;
	size_t n = 0;

	if (max > PLACES_MAX)
		max = PLACES_MAX;
	pclntab_walk(t, f, pclntab_pcdata_at(t, f, PCLNTAB_PCDATA_INLTREE),
		     &run);
	while (pclntab_next(t, f, &run)) {
		if (run.value < 0 || (uint64_t)run.value >= max)
			continue;
		if (!pcs[run.value])
			pcs[run.value] = run.from;
		if ((size_t)run.value >= n)
			n = (size_t)run.value + 1;
	}
	return n;
}

/* The name at @off, unless a damaged table makes too much work of names. */
static const char *name_at(struct census *c, uint32_t off)
{
	const char *name = pclntab_name(&c->l->tab, off);
	size_t len = name ? strlen(name) : 0;

	if (!len || len > c->names_left)
		return NULL;
	c->names_left -= len;
	return name;
}

static void count_entry(struct census *c, const struct pclntab_func *f,
			const uint8_t *entry, uint64_t pc)
{
	const struct pclntab *t = &c->l->tab;
	struct pclntab_inlined in;
	const char *name;
	struct callee *k;

	pclntab_inlined(t, entry, &in);
	name = name_at(c, in.name);
	k = name ? callee_of(c, name) : NULL;
	if (!k)
		return;
	k->places++;
	if (!k->file && pc)
		k->file = pclntab_file_at(t, f, pc);
	k->line = in.line > 0 ? in.line : 0;
}

static int count_in(struct census *c, const struct pclntab_func *f,
		    uint64_t *pcs)
{
	const struct pclntab *t = &c->l->tab;
	uint64_t tree = pclntab_inltree(t, f, c->l->gofunc);
	size_t size = pclntab_inlined_size(t), n;
	uint8_t *entries;

	if (!tree)
		return 0;
	n = walk(t, f, pcs);
	entries = malloc(n * size + 1);
	if (!entries)
		return -1;
	if (!data_cache_read(c->data, tree, entries, n * size)) {
		for (size_t i = 0; i < n; i++)
			count_entry(c, f, entries + i * size, pcs[i]);
	}
	memset(pcs, 0, n * sizeof(*pcs));
	free(entries);
	return 0;
}

static int append(struct gofuncs *f, struct census *c)
{
	/* One more, because calloc(0) may return NULL. */
	struct gofunc *v = calloc(f->ncode + c->n + 1, sizeof(*v));

	if (!v)
		return -1;
	memcpy(v, f->v, f->ncode * sizeof(*v));
	for (size_t i = 0; i < f->ncode; i++) {
		struct callee *k = hmap_get(&c->by_name, key_of(v[i].name));

		if (k) {
			v[i].ninlined = k->places;
			k->has_code = true;
		}
	}
	for (struct callee *k = c->all; k; k = k->next) {
		if (k->has_code)
			continue;
		v[f->n].name = k->name;
		v[f->n].file = k->file;
		v[f->n].line = k->line;
		v[f->n].flags = GOFUNC_INLINED;
		v[f->n++].ninlined = k->places;
	}
	f->old = f->v;
	f->v = v;
	return 0;
}

int inlined_load(struct gofuncs *f, const struct moduledata *l,
		 const struct elffile *ef)
{
	struct census c = {
		.l = l, .names_left = PCLNTAB_WORK * (uint64_t)l->tab.len,
	};
	uint64_t *pcs;
	int err = 0;

	if (f->old)
		return 0;
	pcs = calloc(PLACES_MAX, sizeof(*pcs));
	c.data = data_cache_new(ef);
	if (!pcs || !c.data)
		err = -1;
	for (size_t i = 0; !err && i < f->ncode; i++) {
		struct pclntab_func pf;

		if (!pclntab_func(&l->tab, f->row[i], &pf))
			err = count_in(&c, &pf, pcs);
	}
	if (!err)
		err = append(f, &c);
	while (c.all) {
		struct callee *next = c.all->next;

		free(c.all);
		c.all = next;
	}
	hmap_fini(&c.by_name);
	data_cache_free(c.data);
	free(pcs);
	return err;
}

/* --- one function's places ------------------------------------------------------ */

/* The places of one function. */
struct sites {
	const struct pclntab *t;		/* line table */
	const struct pclntab_func *f;		/* its row there */
	const struct gofunc *fn;		/* the function */
	struct pclntab_inlined *entries;	/* its inlining tree */
	size_t n;				/* entries of it */
	/* Of each: the first address of its code, what is inlined in it included; or 0. */
	uint64_t *first;
};

/* The entry that @i is inlined in; -1: the function itself. */
static int32_t parent_of(const struct sites *s, size_t i)
{
	uint64_t pc = s->f->entry + s->entries[i].parent_pc;
	int32_t parent;

	if (pclntab_pcdata(s->t, s->f, PCLNTAB_PCDATA_INLTREE, pc, &parent, NULL) ||
	    parent < 0 || (size_t)parent >= s->n)
		return -1;
	return parent;
}

/* Code of an entry is code of those that it is in, too. */
static void begin_outer(struct sites *s)
{
	for (size_t i = 0; i < s->n; i++) {
		int32_t in = s->first[i] ? parent_of(s, i) : -1;

		/* A damaged tree could go round in circles. */
		for (size_t deep = 0; in >= 0 && deep < GOBIN_FRAMES_MAX; deep++) {
			if (!s->first[in] || s->first[i] < s->first[in])
				s->first[in] = s->first[i];
			in = parent_of(s, (size_t)in);
		}
	}
}

static int report(const struct sites *s, size_t i,
		  int (*site)(void *ctx, const struct gobin_site *site), void *ctx)
{
	uint64_t call = s->f->entry + s->entries[i].parent_pc;
	int32_t in = parent_of(s, i), line;
	struct gobin_site v = {
		.func = pclntab_name(s->t, s->entries[i].name),
		.fn = s->fn,
		.vaddr = s->first[i],
		.index = (int32_t)i,
		.mark = call,
		.caller = in < 0 ? s->fn->name : pclntab_name(s->t, s->entries[in].name),
		.file = pclntab_file_at(s->t, s->f, call),
	};

	if (!pclntab_value(s->t, s->f, s->f->pcln, call, &line, NULL) && line > 0)
		v.line = line;
	if (!v.file || !v.line) {
		v.file = NULL;
		v.line = 0;
	}
	return v.func && v.caller ? site(ctx, &v) : 0;
}

static int load_tree(struct sites *s, struct data_cache *trees, uint64_t tree)
{
	size_t size = pclntab_inlined_size(s->t);
	uint8_t *bytes = malloc(s->n * size + 1);

	s->entries = calloc(s->n + 1, sizeof(*s->entries));
	if (!bytes || !s->entries) {
		free(bytes);
		return -1;
	}
	if (data_cache_read(trees, tree, bytes, s->n * size))
		s->n = 0;
	for (size_t i = 0; i < s->n; i++) {
		pclntab_inlined(s->t, bytes + i * size, &s->entries[i]);
		if (s->entries[i].parent_pc >= s->f->end - s->f->entry)
			s->first[i] = 0;
	}
	free(bytes);
	return 0;
}

int inlined_sites(const struct moduledata *l, struct data_cache *trees,
		  const struct pclntab_func *f, const struct gofunc *fn,
		  int (*site)(void *ctx, const struct gobin_site *site), void *ctx)
{
	struct sites s = { .t = &l->tab, .f = f, .fn = fn };
	uint64_t tree = pclntab_inltree(s.t, f, l->gofunc);
	int ret = 0;

	if (!tree)
		return 0;
	s.first = calloc(PLACES_MAX, sizeof(*s.first));
	if (!s.first)
		return -1;
	s.n = walk(s.t, f, s.first);
	ret = s.n ? load_tree(&s, trees, tree) : 0;
	if (!ret)
		begin_outer(&s);
	for (size_t i = 0; !ret && i < s.n; i++)
		if (s.first[i])
			ret = report(&s, i, site, ctx);
	free(s.entries);
	free(s.first);
	return ret;
}

/* --- all of a function ------------------------------------------------------------ */

static void map_bytes(const struct sites *s, struct gobin_inlining *ret)
{
	struct pclntab_run run;

	for (size_t i = 0; i < ret->len; i++)
		ret->of[i] = -1;
	pclntab_walk(s->t, s->f, pclntab_pcdata_at(s->t, s->f, PCLNTAB_PCDATA_INLTREE), &run);
	while (pclntab_next(s->t, s->f, &run))
		if (run.value >= 0 && (size_t)run.value < s->n)
			for (uint64_t at = run.from; at < run.until && at < s->f->end; at++)
				ret->of[at - s->f->entry] = run.value;
}

int inlined_map(const struct moduledata *l, struct data_cache *trees, const struct pclntab_func *f,
		struct gobin_inlining *ret)
{
	struct sites s = { .t = &l->tab, .f = f };
	uint64_t tree = pclntab_inltree(s.t, f, l->gofunc);
	int err;

	*ret = (struct gobin_inlining){ .len = f->end - f->entry };
	s.first = calloc(PLACES_MAX, sizeof(*s.first));
	ret->of = calloc(ret->len + 1, sizeof(*ret->of));
	if (!s.first || !ret->of) {
		free(s.first);
		return -1;
	}
	s.n = tree ? walk(s.t, f, s.first) : 0;
	err = load_tree(&s, trees, tree);
	if (!err) {
		map_bytes(&s, ret);
		ret->n = s.n;
		ret->parent = calloc(s.n + 1, sizeof(*ret->parent));
		err = ret->parent ? 0 : -1;
	}
	for (size_t i = 0; !err && i < s.n; i++)
		ret->parent[i] = parent_of(&s, i);
	free(s.entries);
	free(s.first);
	return err;
}
