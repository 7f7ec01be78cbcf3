// SPDX-License-Identifier: GPL-2.0
/* Selection of places by probe specs: named ones, and those that functions were inlined into. */
#include <string.h>

#include "plan/place.h"
#include "plan/precedence.h"
#include "plan/request.h"
#include "plan/select_place.h"
#include "plan/survey.h"

/* Who has a place. */
struct claim {
	size_t spec;		/* number of the spec that says what is wanted of it */
	const char *inlined;	/* place.inlined */
};

static uint64_t key_of(const struct place *place)
{
	return hmap_hash((uintptr_t)place->bin, &place->vaddr, sizeof(place->vaddr));
}

/*
 * Has a spec the place that counts more than @spec, or wants the same? Where one function
 * was inlined into another, a place can be the beginning of both: the first one has it.
 */
static bool is_settled(const struct choice *c, size_t spec, const struct place *place,
		       const struct claim *of)
{
	if (!of)
		return false;
	return claim_rank(&c->specs[of->spec]) > claim_rank(&c->specs[spec]) ||
	       (place->inlined && of->inlined && strcmp(place->inlined, of->inlined) != 0) ||
	       c->like[of->spec] == c->like[spec];
}

static int claim_place(struct choice *c, size_t spec, const struct place *place)
{
	struct claim *of = arena_alloc(c->mem, sizeof(*of));

	if (!of)
		return -1;
	*of = (struct claim){ spec, place->inlined };
	return hmap_put(&c->claims, key_of(place), of);
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
	const struct claim *of = hmap_get(&c->claims, key_of(place));
	struct plan_request req;

	if (is_settled(c, spec, place, of))
		return 0;
	if (request_make_at(&c->specs[spec], c->p, place, c->mem, &req, d))
		return -1;
	if (of)
		return place_conflict(c, &c->specs[of->spec], &c->specs[spec], place);
	if (plan_add_at(c->p, place, &req, d))
		return -1;
	return claim_place(c, spec, place) ? diag_set(d, "out of memory") : 0;
}

/* Those of spec @i. One that is meant alone must be had; of several the others are left out. */
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
		if (v->n == 1) {
			*d = why;
			return -1;
		}
		choice_left_out(c, refused ? refused : CHOICE_LACKS);
		if (!refused && !c->lacks.message)
			c->lacks = why;
		else
			diag_fini(&why);
	}
	return 0;
}

/* A place names itself; there is nothing to look for among the functions. */
static int choose_place(struct choice *c, struct gobin **bins, size_t nbins, size_t i,
			struct diag *d)
{
	struct places v = { 0 };
	int err;

	err = places_find(&v, bins, nbins, &c->specs[i], d) || add_places(c, i, &v, d);
	places_fini(&v);
	return err;
}

/* Where the functions that are meant were inlined. */
static int choose_inlined(struct choice *c, struct gobin **bins, size_t nbins, size_t i,
			  struct diag *d)
{
	struct places v = { 0 };
	int err = 0;

	for (size_t k = 0; !err && k < nbins; k++)
		if (places_inlined(&v, bins[k], &c->specs[i]))
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
	places_fini(&v);
	return err;
}

/* Who counts more comes first. */
int choice_places(struct choice *c, struct gobin **bins, size_t nbins, bool inlined,
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
