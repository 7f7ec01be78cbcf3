// SPDX-License-Identifier: GPL-2.0
/* The choice of what is shown of a recording. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "plan/loose_name.h"
#include "plan/no_match.h"
#include "plan/place.h"
#include "trace/sift.h"

/* What patterns are compared with. */
struct recorded {
	const struct plan *p;		/* the plan of the recording */
	struct gobin **bins;		/* its programs */
	struct gofunc *v;		/* what was traced, by the name that it has in patterns */
	const struct gofunc **only;	/* each of @v */
	const struct plan_func **of;	/* the plan's, by index of @v */
	size_t n;			/* their number */
};

static int collect(struct recorded *r, struct diag *d)
{
	const struct plan *p = r->p;

	r->bins = calloc(p->nfiles + 1, sizeof(struct gobin *));
	r->v = calloc(p->nfuncs + 1, sizeof(*r->v));
	r->only = calloc(p->nfuncs + 1, sizeof(*r->only));
	r->of = calloc(p->nfuncs + 1, sizeof(*r->of));
	if (!r->bins || !r->v || !r->only || !r->of)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < p->nfiles; i++)
		r->bins[i] = p->files[i].bin;
	for (size_t i = 0; i < p->nfuncs; i++) {
		const struct plan_func *pf = p->funcs[i];

		if (pf->hidden)
			continue;
		r->v[r->n] = *pf->fn;
		r->v[r->n].name = plan_func_copies(pf) ?: pf->fn->name;
		r->only[r->n] = &r->v[r->n];
		r->of[r->n++] = pf;
	}
	return 0;
}

static void recorded_fini(struct recorded *r)
{
	free(r->bins);
	free(r->v);
	free(r->only);
	free(r->of);
}

/* Is a value, or a change, asked for? What was captured is in the recording. */
static int check(const struct spec *spec, struct diag *d)
{
	if (spec_edits(spec))
		diag_set(d, "'%s' changes calls, and those of a recording are over", spec->text);
	else if (spec->sig || spec->call || spec->ret)
		diag_set(d, "'%s' has a list of values, and a recording has those that attach captured",
			 spec->text);
	else if (spec->cond)
		diag_set(d, "'%s' has a condition, which only live calls are compared with",
			 spec->text);
	else
		return 0;
	diag_hint(d, "give the pattern alone: '%.*s'", (int)spec->end, spec->text);
	return -1;
}

/* Choose what @spec matches. 1: something; 0: nothing; -1: an error. */
static int choose_functions(struct sift *s, const struct recorded *r, const struct spec *spec)
{
	int found = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (!spec_match(spec, r->v[i].name))
			continue;
		s->shown[r->of[i]->id] = true;
		found = 1;
	}
	return found;
}

static int choose_places(struct sift *s, const struct recorded *r, const struct spec *spec,
			 struct diag *d)
{
	struct places places = { .n = 0 };
	int found = place_find(&places, r->bins, r->p->nfiles, spec, d) ? -1 : 0;

	for (size_t i = 0; found >= 0 && i < r->n; i++) {
		const struct plan_func *pf = r->of[i];

		for (size_t k = 0; pf->at && k < places.n; k++) {
			if (places.v[k].bin != pf->bin || places.v[k].vaddr != pf->at->vaddr)
				continue;
			s->shown[pf->id] = true;
			found = 1;
		}
	}
	place_fini(&places);
	return found;
}

static int choose(struct sift *s, const struct recorded *r, const char *path, struct spec *spec,
		  struct diag *d)
{
	const struct name_set names = {
		.bins = r->bins, .nbins = r->p->nfiles, .only = r->only, .nonly = r->n,
	};
	bool place = spec_is_place(spec);
	int found;

	if (check(spec, d) || (!place && loosename_resolve(&names, spec, d)))
		return -1;
	found = place ? choose_places(s, r, spec, d) : choose_functions(s, r, spec);
	if (!found)
		return nomatch_recorded(&names, path, spec, d);
	return found < 0 ? -1 : 0;
}

int sift_init(struct sift *s, const struct plan *p, struct spec *specs, size_t nspecs,
	      const char *path, struct diag *d)
{
	struct recorded r = { .p = p };
	int err;

	if (!nspecs)
		return 0;
	s->shown = calloc(p->nfuncs + 1, sizeof(*s->shown));
	err = s->shown ? collect(&r, d) : diag_set(d, "out of memory");
	for (size_t i = 0; !err && i < nspecs; i++)
		err = choose(s, &r, path, &specs[i], d);
	recorded_fini(&r);
	return err;
}

void sift_fini(struct sift *s)
{
	free(s->shown);
	free(s->kept.v);
}

int sift_set_add(struct sift_set *s, uint64_t i)
{
	size_t n = (size_t)(i / 64) + 1;

	if (n > s->n) {
		if (grow(&s->v, n, &s->cap, sizeof(*s->v)))
			return -1;
		memset(s->v + s->n, 0, (n - s->n) * sizeof(*s->v));
		s->n = n;
	}
	s->v[i / 64] |= 1ULL << i % 64;
	return 0;
}

void sift_set_remove(struct sift_set *s, uint64_t i)
{
	if (i / 64 < s->n)
		s->v[i / 64] &= ~(1ULL << i % 64);
}
