// SPDX-License-Identifier: GPL-2.0
/* Package variables that patterns or words find. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hmap.h"
#include "gotype/funcname.h"
#include "plan/variables.h"

/* A walk through the variables of a file. */
struct walk {
	struct variables *vars;
	struct gobin *bin;
	struct spec *spec;		/* what they are to match, or NULL */
	char *const *words;		/* else these words */
	size_t nwords;
	struct hmap owners;		/* of packages: enum search_owner + 1 */
	bool failed;			/* no memory */
};

static uint64_t package_key(const char *name)
{
	return hmap_hash(0, name, (size_t)(funcname_local(name) - name));
}

/* Whose a variable is its package's functions say: they have files. */
static enum search_owner owner_of(const struct walk *w, const char *name)
{
	uintptr_t seen = (uintptr_t)hmap_get(&w->owners, package_key(name));
	const struct gofunc plain = { .name = name };
	const struct search_layout none = { .goroot = "", .own = "" };

	return seen ? (enum search_owner)(seen - 1) : search_owner(&none, &plain);
}

static int learn_owners(struct walk *w)
{
	struct search_layout layout;
	const struct gofunc *f;
	size_t n;

	f = gobin_funcs(w->bin, &n);
	search_layout_init(&layout, f, n);
	for (size_t i = 0; i < n; i++) {
		uintptr_t owner = search_owner(&layout, &f[i]) + 1;
		uint64_t key = package_key(f[i].name);

		if (f[i].file && !hmap_get(&w->owners, key) &&
		    hmap_put(&w->owners, key, (void *)owner))
			return -1;
	}
	return 0;
}

static unsigned int rank_of(const struct walk *w, const char *name)
{
	const struct gofunc plain = { .name = name };

	if (w->spec)
		return spec_match(w->spec, name) ? 0 : SEARCH_NO_MATCH;
	return search_rank(&plain, w->words, w->nwords);
}

static int look(void *ctx, const struct gobin_variable_at *at)
{
	struct walk *w = ctx;
	struct variables *vars = w->vars;
	unsigned int rank = rank_of(w, at->name);
	struct variables_found found = { .bin = w->bin, .rank = rank };

	/* What is described without a type can't be read. */
	if (rank == SEARCH_NO_MATCH || gobin_variable_get(at, &found.v))
		return 0;
	found.owner = w->spec ? SEARCH_OWN : owner_of(w, at->name);
	found.name = arena_strdup(&vars->mem, at->name);
	w->failed = !found.name || grow(&vars->v, vars->n + 1, &vars->cap, sizeof(*vars->v));
	if (!w->failed)
		vars->v[vars->n++] = found;
	return w->failed;
}

static int walk_all(struct walk *w, struct gobin *const *bins, size_t nbins)
{
	for (size_t i = 0; i < nbins && !w->failed; i++) {
		w->bin = bins[i];
		w->failed = !w->spec && learn_owners(w);
		if (!w->failed)
			gobin_variable_each(bins[i], look, w);
		hmap_fini(&w->owners);
	}
	return w->failed ? -1 : 0;
}

int variables_match(struct variables *vars, struct gobin *const *bins, size_t nbins,
		    struct spec *spec)
{
	struct walk w = { .vars = vars, .spec = spec };
	size_t before = vars->n;

	if (walk_all(&w, bins, nbins))
		return -1;
	if (vars->n > before)
		return 0;
	spec->shown = true;
	return walk_all(&w, bins, nbins);
}

int variables_search(struct variables *vars, struct gobin *const *bins, size_t nbins,
		     char *const *words, size_t nwords)
{
	struct walk w = { .vars = vars, .words = words, .nwords = nwords };

	return walk_all(&w, bins, nbins);
}

static int by_name(const void *a, const void *b)
{
	const struct variables_found *va = a, *vb = b;
	int order = strcmp(va->name, vb->name);

	if (order)
		return order;
	return va->v.vaddr < vb->v.vaddr ? -1 : va->v.vaddr > vb->v.vaddr;
}

void variables_sort(struct variables *vars)
{
	size_t n = 0;

	if (vars->n)
		qsort(vars->v, vars->n, sizeof(*vars->v), by_name);
	for (size_t i = 0; i < vars->n; i++)
		if (!n || by_name(&vars->v[n - 1], &vars->v[i]) ||
		    vars->v[n - 1].bin != vars->v[i].bin)
			vars->v[n++] = vars->v[i];
	vars->n = n;
}

void variables_fini(struct variables *vars)
{
	free(vars->v);
	arena_fini(&vars->mem);
}
