// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that were inlined. Each function's tree (src/runtime/symtabinl.go)
 * names what was inlined into it, one entry for each place.
 */
#include <stdlib.h>
#include <string.h>

#include "hmap.h"
#include "inlined.h"

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
	const struct linktab *l;
	const struct elffile *ef;
	struct hmap by_name;	/* by a hash of the name */
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

/* An address for each entry of the tree, as far as it has code; their number. */
static size_t walk(const struct pclntab *t, const struct pclntab_func *f,
		   uint64_t *pcs)
{
	uint64_t pc = f->entry, until;
	size_t n = 0;
	int32_t ix;

	while (pc < f->end &&
	       !pclntab_pcdata(t, f, PCLNTAB_PCDATA_INLTREE, pc, &ix,
			       &until)) {
		if (ix >= 0 && ix < (int32_t)PLACES_MAX) {
			if (!pcs[ix])
				pcs[ix] = pc;
			if ((size_t)ix >= n)
				n = (size_t)ix + 1;
		}
		pc = until;
	}
	return n;
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
	if (elffile_read_vaddr(c->ef, tree, entries, n * size))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct pclntab_inlined in;
		const char *name;
		struct callee *k;

		pclntab_inlined(t, entries + i * size, &in);
		name = pclntab_name(t, in.name);
		k = name && *name ? callee_of(c, name) : NULL;
		if (k) {
			k->places++;
			if (!k->file && pcs[i])
				k->file = pclntab_file_at(t, f, pcs[i]);
			k->line = in.line > 0 ? in.line : 0;
		}
		pcs[i] = 0;
	}
	free(entries);
	return 0;
}

static int append(struct gofuncs *f, struct census *c)
{
	struct gofunc *v = calloc(f->ncode + c->n, sizeof(*v));

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

int inlined_load(struct gofuncs *f, const struct linktab *l,
		 const struct elffile *ef)
{
	struct census c = { .l = l, .ef = ef };
	uint64_t *pcs;
	int err = 0;

	if (f->old)
		return 0;
	pcs = calloc(PLACES_MAX, sizeof(*pcs));
	if (!pcs)
		return -1;
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
	free(pcs);
	return err;
}
