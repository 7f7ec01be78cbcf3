// SPDX-License-Identifier: GPL-2.0
/* Selection of functions by probe specs, and reports of functions that were left out. */
#include <stdlib.h>
#include <string.h>

#include "plan/copies.h"
#include "plan/loose_name.h"
#include "plan/missing.h"
#include "plan/claim.h"
#include "plan/request.h"
#include "plan/select.h"
#include "plan/select_place.h"

/* The shell has taken apart what was not quoted: main.foo if n==1. */
static int check_word(char **texts, size_t n, size_t i, struct diag *d)
{
	static const char *const words[] = { "if", "where", "set", "delay", "on" };
	size_t k = 0;

	while (k < sizeof(words) / sizeof(*words) && strcmp(texts[i], words[k]) != 0)
		k++;
	if (!i || k == sizeof(words) / sizeof(*words))
		return 0;
	diag_set(d, "'%s' belongs to the pattern before it, in one argument", texts[i]);
	diag_hint(d, "quote them together: '%s %s%s%s'", texts[i - 1],
		  k == 1 ? "if" : texts[i], i + 1 < n ? " " : "", i + 1 < n ? texts[i + 1] : " ...");
	return -1;
}

static int parse(int (*parse_one)(const char *, struct spec *, struct diag *), char **texts,
		 size_t n, struct spec **ret, struct diag *d)
{
	struct spec *specs = calloc(n ? n : 1, sizeof(*specs));

	if (!specs)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < n; i++) {
		if (!check_word(texts, n, i, d) && !parse_one(texts[i], &specs[i], d))
			continue;
		select_specs_free(specs, i);
		return -1;
	}
	*ret = specs;
	return 0;
}

int select_specs_parse(char **texts, size_t n, struct spec **ret, struct diag *d)
{
	return parse(spec_parse, texts, n, ret, d);
}

int select_patterns_parse(char **texts, size_t n, struct spec **ret, struct diag *d)
{
	return parse(spec_parse_pattern, texts, n, ret, d);
}

int select_conditions_parse(char **texts, size_t n, struct spec **ret, struct diag *d)
{
	return parse(spec_parse_condition, texts, n, ret, d);
}

int select_signatures_parse(char **texts, size_t n, struct spec **ret, struct diag *d)
{
	return parse(spec_parse_signature, texts, n, ret, d);
}

int select_places_parse(char **texts, size_t n, struct spec **ret, struct diag *d)
{
	return parse(spec_parse_place, texts, n, ret, d);
}

void select_specs_free(struct spec *specs, size_t n)
{
	for (size_t i = 0; specs && i < n; i++)
		spec_fini(&specs[i]);
	free(specs);
}

/* --- choosing -------------------------------------------------------- */

/*
 * What the specs of a rank want of the function, in @req. 1: they are none; -1: no request can be
 * made of any of them, with @d set, or the function is named and not of all of them; or they don't
 * want the same, and c->conflict is set.
 */
static int ask(struct choice *c, struct gobin *bin, const struct gofunc *fn,
	       enum claim_rank rank, struct plan_request *req, struct diag *d)
{
	size_t first = c->nspecs;
	int err = 1;

	for (size_t i = 0; i < c->nspecs; i++) {
		const struct spec *s = &c->specs[i];
		struct plan_request r;
		struct diag why = { 0 };

		if (!c->hit[i] || claim_rank(s) != rank ||
		    (first < i && c->like[first] == c->like[i]))
			continue;
		if (request_make(s, c->p, bin, fn, c->mem, &r, &c->warnings, &why)) {
			err = first > i || rank >= CLAIM_NAME ? -1 : err;
			if (!d->message)
				*d = why;
			else
				diag_fini(&why);
			continue;
		}
		if (first < i)
			return claim_conflict(fn->name, &c->specs[first], s, c->mem, &c->conflict);
		first = i;
		*req = r;
		err = rank >= CLAIM_NAME && err < 0 ? -1 : 0;
	}
	return err;
}

/* Of the specs that name the function those that say most of it decide. */
static int decide(struct choice *c, struct gobin *bin, const struct gofunc *fn,
		  struct plan_request *req, struct diag *d)
{
	int err = 1;

	for (int rank = __CLAIM_MAX - 1; err && rank >= 0 && !c->conflict.message; rank--) {
		int got = ask(c, bin, fn, rank, req, d);

		err = got > 0 ? err : got;
		if (rank >= CLAIM_NAME && err < 0)
			break;
	}
	if (!err)
		diag_fini(d);
	return err;
}

static void add(struct choice *c, struct gobin *bin, const struct gofunc *fn, bool named)
{
	struct plan_request req;
	struct diag d = { 0 };
	bool lacks = decide(c, bin, fn, &req, &d);
	const char *refused = NULL;
	int err = -1;

	if (!lacks) {
		req.wraps = c->wraps;
		err = plan_add_request(c->p, bin, fn, &req, &d);
		refused = err ? plan_refused(c->p) : NULL;
	}
	for (size_t i = 0; i < c->nspecs; i++) {
		c->added[i] += c->hit[i] && !err;
		/* Of a pattern the reasons are counted. */
		if (err && c->hit[i] && !c->why[i].message &&
		    (!refused || c->specs[i].kind == SPEC_NAME))
			diag_copy(&c->why[i], &d);
	}
	if (err && !named)
		choice_leave_out(c, refused ? refused : choice_lack(c, &d));
	diag_fini(&d);
}

static void choose(struct choice *c, struct gobin *bin, const struct gofunc *fn, bool wrappers)
{
	bool any = false, named = false;

	c->wraps = NULL;
	for (size_t i = 0; i < c->nspecs; i++) {
		const struct spec *s = &c->specs[i];
		const char *wraps = NULL;

		c->hit[i] = spec_match(s, fn->name);
		/* A wrapper is meant only by its name, and if nothing else has it. */
		if (wrappers && (s->kind != SPEC_NAME || c->added[i]))
			c->hit[i] = false;
		named |= c->hit[i] && s->kind == SPEC_NAME;
		/* Or if it has the code of a method that is meant; --inlined has that place. */
		if (wrappers && !c->hit[i] && !c->p->o->inlined)
			wraps = select_wraps(bin, fn, s);
		c->hit[i] |= !!wraps;
		c->wraps = wraps ? wraps : c->wraps;
		c->found[i] += c->hit[i];
		any |= c->hit[i];
	}
	if (any)
		add(c, bin, fn, named);
}

/* --- all of it ---------------------------------------------------------- */

/* Which specs want the same. */
static void compare(struct choice *c)
{
	for (size_t i = 0; i < c->nspecs; i++)
		while (c->like[i] < i &&
		       !claim_same(&c->specs[c->like[i]], &c->specs[i], c->mem))
			c->like[i]++;
}

/* Names in other spellings. */
static int resolve(struct choice *c, struct gobin **bins, size_t nbins, struct diag *d)
{
	const struct name_set names = { .bins = bins, .nbins = nbins };

	for (size_t i = 0; i < c->nspecs; i++) {
		struct diag why = { 0 };

		if (loosename_resolve(&names, &c->specs[i], &why) &&
		    choice_failed(c, i, &why)) {
			*d = why;
			return -1;
		}
	}
	return 0;
}

int select_functions(struct plan *p, struct gobin **bins, size_t nbins,
		     struct spec *specs, size_t nspecs, struct arena *mem,
		     struct buf *skipped, struct diag *d)
{
	struct choice c = {
		.p = p,
		.mem = mem,
		.specs = specs,
		.nspecs = nspecs,
		.found = calloc(nspecs, sizeof(size_t)),
		.added = calloc(nspecs, sizeof(size_t)),
		.hit = calloc(nspecs, sizeof(bool)),
		.like = calloc(nspecs, sizeof(size_t)),
		.why = calloc(nspecs, sizeof(struct diag)),
	};
	int err = c.found && c.added && c.hit && c.like && c.why ? 0 :
		  diag_set(d, "out of memory");

	if (!err)
		err = resolve(&c, bins, nbins, d);
	if (!err)
		compare(&c);
	if (!err)
		err = select_places(&c, bins, nbins, false, d);
	if (!err && p->o->inlined)
		err = select_places(&c, bins, nbins, true, d);
	for (int wrappers = 0; !err && wrappers < 2; wrappers++)
		for (size_t i = 0; i < nbins; i++)
			for (const struct gofunc *f = NULL;
			     !c.conflict.message && (f = gobin_next(bins[i], f));)
				if ((f->entry || p->o->inlined) &&
				    !(f->flags & GOFUNC_WRAPPER) == !wrappers)
					choose(&c, bins[i], f, wrappers);
	if (!err && !c.conflict.message)
		err = select_sure(&c, bins, nbins, d);
	if (c.conflict.message) {
		*d = c.conflict;
		err = -1;
	}
	if (!err)
		err = missing_find(&c, bins, nbins, d);
	if (!err && copies_find(p, bins, nbins, specs, nspecs))
		err = diag_set(d, "out of memory");
	if (!err) {
		choice_describe(&c.reasons, skipped);
		if (skipped->len && c.warnings.len)
			buf_char(skipped, '\n');
		buf_mem(skipped, c.warnings.p, c.warnings.len);
	}
	buf_fini(&c.warnings);
	for (size_t i = 0; c.why && i < nspecs; i++)
		diag_fini(&c.why[i]);
	free(c.why);
	hmap_fini(&c.claims);
	free(c.found);
	free(c.added);
	free(c.hit);
	free(c.like);
	return err;
}
