// SPDX-License-Identifier: GPL-2.0
/* Selection of places by probe specs: named ones, and those that functions were inlined into. */
#define _GNU_SOURCE
#include <string.h>

#include "plan/call_place.h"
#include "plan/place.h"
#include "plan/claim.h"
#include "plan/request.h"
#include "plan/select_place.h"
#include "plan/survey.h"

/* Who has a place. */
struct claim {
	size_t spec;		/* number of the spec that says what is wanted of it */
};

/* Has a spec the place that counts more than @spec, or wants the same? */
static bool is_settled(const struct choice *c, size_t spec, const struct claim *of)
{
	if (!of)
		return false;
	return claim_rank(&c->specs[of->spec]) > claim_rank(&c->specs[spec]) ||
	       c->like[of->spec] == c->like[spec];
}

static int claim_place(struct choice *c, size_t spec, const struct place *place)
{
	struct claim *of = arena_alloc(c->mem, sizeof(*of));

	if (!of)
		return -1;
	*of = (struct claim){ spec };
	return hmap_put(&c->claims, place_key(place), of);
}

static int place_conflict(struct choice *c, const struct spec *a, const struct spec *b,
			  const struct place *place)
{
	const char *name = arena_printf(c->mem, "%s+0x%llx", place->fn->name,
					(unsigned long long)(place->vaddr - place->fn->entry));

	return claim_conflict(name ? name : place->fn->name, a, b, c->mem, &c->conflict);
}

/* 0, or -1 with @d or c->conflict set. */
static int add_place(struct choice *c, size_t spec, const struct place *place, struct diag *d)
{
	const struct claim *of = hmap_get(&c->claims, place_key(place));
	struct plan_request req;

	if (is_settled(c, spec, of))
		return 0;
	if (request_make_at(&c->specs[spec], c->p, place, c->mem, &req, d))
		return -1;
	if (of)
		return place_conflict(c, &c->specs[of->spec], &c->specs[spec], place);
	if (plan_add_at(c->p, place, &req, d))
		return -1;
	return claim_place(c, spec, place) ? diag_set(d, "out of memory") : 0;
}

/* Those of spec @i; those that cannot be traced are left out. */
static int add_places(struct choice *c, size_t i, const struct places *v, struct diag *d)
{
	for (size_t k = 0; k < v->n; k++) {
		const struct place *place = &v->v[k];
		struct diag why = { 0 };
		struct insn_point point;
		const char *refused = plan_survey_at(place, &point);

		c->found[i]++;
		if (!add_place(c, i, place, &why)) {
			c->added[i]++;
			continue;
		}
		if (c->conflict.message)
			return -1;
		if (v->n > 1)
			choice_leave_out(c, refused ? refused : choice_lack(c, &why));
		if ((refused && v->n > 1) || c->why[i].message) {
			diag_fini(&why);
		} else if (choice_failed(c, i, &why)) {
			*d = why;
			return -1;
		}
	}
	return 0;
}

/* A place names itself; there is nothing to look for among the functions. */
static int choose_place(struct choice *c, struct gobin **bins, size_t nbins, size_t i,
			struct diag *d)
{
	struct places v = { 0 };
	struct diag why = { 0 };
	int err = 0;

	if (!place_find(&v, bins, nbins, &c->specs[i], &why)) {
		err = add_places(c, i, &v, d);
	} else if (choice_failed(c, i, &why)) {
		*d = why;
		err = -1;
	}
	place_fini(&v);
	return err;
}

/* Where the functions that are meant were inlined. */
static int choose_inlined(struct choice *c, struct gobin **bins, size_t nbins, size_t i,
			  struct diag *d)
{
	/* Nothing that is counted alone needs the arguments. */
	bool exact = c->p->o->action == GOPROBE_ACTION_COUNT && !c->p->o->by && !c->specs[i].cond;
	struct places v = { 0 };
	int err = 0;

	for (size_t k = 0; !err && k < nbins; k++)
		if (place_inlined(&v, bins[k], &c->specs[i], exact))
			err = diag_set(d, "out of memory");
	if (!err && (c->specs[i].sig || c->specs[i].ret) && v.n) {
		diag_set(d, "where %s was inlined it has no signature, and does not return",
			 v.v[0].inlined);
		diag_span(d, c->specs[i].text, 0, c->specs[i].end);
		diag_hint(d, "leave that out, or --inlined");
		err = -1;
	}
	if (!err)
		err = add_places(c, i, &v, d);
	place_fini(&v);
	return err;
}

/* Who counts more comes first. */
int select_places(struct choice *c, struct gobin **bins, size_t nbins, bool inlined,
		  struct diag *d)
{
	int err = 0;

	for (int rank = __CLAIM_MAX - 1; rank >= 0; rank--) {
		for (size_t i = 0; !err && i < c->nspecs; i++) {
			if (claim_rank(&c->specs[i]) != (enum claim_rank)rank ||
			    spec_is_place(&c->specs[i]) == inlined)
				continue;
			err = inlined ? choose_inlined(c, bins, nbins, i, d) :
					choose_place(c, bins, nbins, i, d);
		}
	}
	return err;
}

/* A wrapper being looked at. */
struct wrapper {
	const struct spec *spec;
	const char *wraps;
};

static int look_at_site(void *ctx, const struct gobin_site *site)
{
	struct wrapper *w = ctx;

	if (callplace_is_wrapper(site) && spec_match(w->spec, site->func))
		w->wraps = site->func;
	return 0;
}

const char *select_wraps(struct gobin *bin, const struct gofunc *fn, const struct spec *spec)
{
	struct wrapper w = { .spec = spec };

	const char *method = strrchr(fn->name, '.');
	size_t n = method ? strcspn(method, "-") : 0;

	if (spec->kind == SPEC_NAME && fn->flags & GOFUNC_WRAPPER && n &&
	    memmem(spec->pattern, strlen(spec->pattern), method, n))
		gobin_sites(bin, fn, look_at_site, &w);
	return w.wraps;
}

/* Of spec @i; what can't be probed is left out, and copies_find() finds that. */
static int add_sure(struct choice *c, size_t i, const struct places *v, struct diag *d)
{
	struct insn_point point;

	for (size_t k = 0; k < v->n; k++) {
		/* Wrappers are traced as functions. */
		if (v->v[k].unsure || select_wraps(v->v[k].bin, v->v[k].fn, &c->specs[i]) ||
		    plan_survey_at(&v->v[k], &point))
			continue;
		c->found[i]++;
		if (add_place(c, i, &v->v[k], d))
			return -1;
		c->added[i]++;
	}
	return 0;
}

int select_sure(struct choice *c, struct gobin **bins, size_t nbins, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; !err && c->p->sure_inlined && i < c->nspecs; i++) {
		const struct spec *s = &c->specs[i];
		struct places v = { 0 };

		/* What can't be probed itself is an error. */
		if (s->kind != SPEC_NAME || s->cond || s->sig || s->ret ||
		    (c->found[i] && !c->added[i]))
			continue;
		for (size_t k = 0; !err && k < nbins; k++)
			if (place_inlined(&v, bins[k], s, true))
				err = diag_set(d, "out of memory");
		err = err || add_sure(c, i, &v, d) ? -1 : 0;
		place_fini(&v);
	}
	return err;
}
