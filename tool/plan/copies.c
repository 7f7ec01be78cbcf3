// SPDX-License-Identifier: GPL-2.0
/* Places that functions of a plan were inlined into, and that are not traced. */
#include <stdlib.h>
#include <string.h>

#include "base/hmap.h"
#include "base/plain.h"
#include "plan/copies.h"

static uint64_t key_of(const struct gobin *bin, const char *name)
{
	return hmap_hash((uintptr_t)bin, name, strlen(name));
}

static bool is_asked_for(const struct plan_func *pf)
{
	return !pf->hidden && !pf->around && pf->action < GOPROBE_ACTION_STATE;
}

/* Which row each is counted in. 0, or -1 without memory. */
static int find_rows(struct plan *p)
{
	struct hmap first = { 0 };
	int err = 0;

	/* A function has the row, wherever its places come. */
	for (int places = 0; !err && places < 2; places++) {
		for (size_t i = 0; !err && i < p->nfuncs; i++) {
			struct plan_func *pf = p->funcs[i], *row;
			const char *copies = plan_func_copies(pf);
			uint64_t key;

			if (!places)
				pf->row = pf->id;
			if (!p->rows || !!copies != places || (pf->at && !copies))
				continue;
			key = key_of(pf->bin, copies ? copies : pf->fn->name);
			row = hmap_get(&first, key);
			if (!row)
				err = hmap_put(&first, key, pf);
			else if (places)
				pf->row = row->id;
			p->nshared += pf->row != pf->id;
		}
	}
	hmap_fini(&first);
	return err;
}

/* How many places of each function are traced, by key_of(), as numbers in place of pointers. */
static int count_traced(struct plan *p, struct hmap *traced)
{
	for (size_t i = 0; i < p->nfuncs; i++) {
		const struct plan_func *pf = p->funcs[i];
		const char *copies = plan_func_copies(pf);
		uint64_t key;
		uintptr_t n;

		if (!copies)
			continue;
		p->copies.unsure += pf->at && pf->at->unsure;
		key = key_of(pf->bin, copies);
		n = (uintptr_t)hmap_get(traced, key) + 1;
		if (hmap_put(traced, key, (void *)n))
			return -1;
	}
	return 0;
}

/* Those of @fn that are not traced; *@ret: their number. */
static uint32_t add(struct plan *p, const struct hmap *traced, struct gobin *bin,
		    const struct gofunc *fn)
{
	uintptr_t n = (uintptr_t)hmap_get(traced, key_of(bin, fn->name));
	uint32_t left = fn->ninlined > n ? fn->ninlined - (uint32_t)n : 0;

	if (!left)
		return 0;
	if (!p->copies.functions++) {
		p->copies.name = fn->name;
		p->copies.coded = fn->entry;
	}
	p->copies.places += left;
	return left;
}

/* Of a function without code of its own the first place has the row. */
static void set_row(struct plan *p, const struct gobin *bin, const struct gofunc *fn, uint32_t left)
{
	for (size_t i = 0; left && p->rows && i < p->nfuncs; i++) {
		struct plan_func *pf = p->funcs[i];
		const char *copies = plan_func_copies(pf);

		if (copies && pf->row == pf->id && pf->bin == bin && !strcmp(copies, fn->name))
			pf->copies = left;
	}
}

static bool is_matched(const struct spec *specs, size_t nspecs, const char *name)
{
	for (size_t i = 0; i < nspecs; i++)
		if (spec_match(&specs[i], name))
			return true;
	return false;
}

int copies_find(struct plan *p, struct gobin **bins, size_t nbins, const struct spec *specs,
		size_t nspecs)
{
	struct hmap traced = { 0 };
	int err = find_rows(p) || count_traced(p, &traced);

	for (size_t i = 0; !err && i < nbins; i++)
		err = gobin_load_inlined(bins[i]);
	for (size_t i = 0; !err && i < p->nfuncs; i++) {
		struct plan_func *pf = p->funcs[i];

		/* The function may have been found before its places were counted. */
		if (!pf->at && is_asked_for(pf))
			pf->copies = add(p, &traced, pf->bin,
					 gobin_func_at(pf->bin, pf->fn->entry));
	}
	for (size_t i = 0; !err && i < nbins; i++)
		for (const struct gofunc *f = NULL; (f = gobin_next(bins[i], f));)
			if (!f->entry && is_matched(specs, nspecs, f->name))
				set_row(p, bins[i], f, add(p, &traced, bins[i], f));
	hmap_fini(&traced);
	return err ? -1 : 0;
}

void copies_put_unsure(const struct plan_copies *c, struct buf *b)
{
	if (!c->unsure)
		return;
	buf_u64(b, c->unsure);
	buf_str(b, c->unsure == 1 ? " inlined place " : " inlined places ");
	buf_str(b, "may miss calls, or have some twice: the compiler has moved code there");
}

void copies_put(const struct plan_copies *c, const char *action, const char *remedy,
		struct buf *b)
{
	if (!c->functions)
		return;
	if (c->functions == 1) {
		plain_add(b, c->name);
		buf_str(b, c->coded ? " is also inlined at " : " is inlined at ");
	} else {
		buf_u64(b, c->functions);
		buf_str(b, " functions are also inlined, at ");
	}
	buf_u64(b, c->places);
	buf_str(b, c->places == 1 ? " place, not " : " places, not ");
	buf_str(b, action);
	if (remedy) {
		buf_str(b, ": ");
		buf_str(b, remedy);
	}
}
