// SPDX-License-Identifier: GPL-2.0
/* From probe specs to functions: matching, and saying what was left out. */
#include <stdlib.h>
#include <string.h>

#include "insn.h"
#include "near.h"
#include "places.h"
#include "request.h"
#include "select.h"

static int parse(int (*parse_one)(const char *, struct spec *, struct diag *), char **texts,
		 size_t n, struct spec **ret, struct diag *d)
{
	struct spec *specs = calloc(n ? n : 1, sizeof(*specs));

	if (!specs)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < n; i++) {
		if (parse_one(texts[i], &specs[i], d)) {
			select_specs_free(specs, i);
			return -1;
		}
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

int select_no_match(struct gobin **bins, size_t nbins, const struct spec *spec,
		    struct diag *d)
{
	struct near near;

	diag_set(d, "no function of %s%s matches '%s'", gobin_path(bins[0]),
		 nbins > 1 ? " and the others" : "", spec->text);
	near_init(&near, spec->pattern);
	for (size_t i = 0; i < nbins; i++) {
		size_t n;
		const struct gofunc *f = gobin_funcs(bins[i], &n);

		for (size_t k = 0; k < n; k++)
			near_offer(&near, f[k].name);
	}

	char *hint = spec->kind == SPEC_NAME ? near_hint(&near) : NULL;

	if (hint)
		diag_hint(d, "%s", hint);
	else
		diag_hint(d, "'goprobectl list' shows what there is");
	free(hint);
	return -1;
}

/* --- what was left out ----------------------------------------------- */

#define REASONS_MAX 16

struct reasons {
	const char *why[REASONS_MAX];
	size_t count[REASONS_MAX];
	size_t n;
	size_t total;
};

static void left_out(struct reasons *r, const char *why)
{
	size_t i = 0;

	r->total++;
	while (i < r->n && strcmp(r->why[i], why) != 0)
		i++;
	if (i == REASONS_MAX)
		return;
	if (i == r->n) {
		r->why[r->n++] = why;
		r->count[i] = 0;
	}
	r->count[i]++;
}

static void describe(const struct reasons *r, struct buf *b)
{
	if (!r->total)
		return;
	buf_u64(b, r->total);
	buf_str(b, r->total == 1 ? " function or place left out: " :
				   " functions or places left out: ");
	for (size_t i = 0; i < r->n; i++) {
		if (i)
			buf_str(b, ", ");
		buf_u64(b, r->count[i]);
		buf_char(b, ' ');
		buf_str(b, r->why[i]);
	}
}

/* --- choosing -------------------------------------------------------- */

static const char why_lacks[] = "lack what is asked for";
static const char why_asked[] = "can't be had as is asked for";

/**
 * struct choice - functions being chosen
 * @p: where they go
 * @specs: what is wanted
 * @nspecs: how many
 * @found: for each spec, functions it matched
 * @added: for each spec, those that could be added
 * @hit: for each spec, does it match the function at hand
 * @mem: for what is wanted of functions
 * @warnings: about functions that were added
 * @refusal: why a plainly named function could not be added
 * @lacks: what the first other function lacks that a spec asks for
 * @reasons: why others were left out
 */
struct choice {
	struct plan *p;
	const struct spec *specs;
	size_t nspecs;
	size_t *found;
	size_t *added;
	bool *hit;
	struct arena *mem;
	struct buf warnings;
	struct diag refusal;
	struct diag lacks;
	struct reasons reasons;
};

/* The spec that says what is captured. */
static const struct spec *deciding(const struct choice *c)
{
	const struct spec *first = NULL;

	for (size_t i = 0; i < c->nspecs; i++) {
		if (c->hit[i] && request_is_special(&c->specs[i]))
			return &c->specs[i];
		if (c->hit[i] && !first)
			first = &c->specs[i];
	}
	return first;
}

static void add(struct choice *c, struct gobin *bin, const struct gofunc *fn, bool named)
{
	struct plan_request req;
	struct diag d = { 0 };
	bool lacks = request_make(deciding(c), bin, fn, c->mem, &req, &c->warnings, &d);
	int err = lacks ? -1 : plan_add_request(c->p, bin, fn, &req, &d);
	const char *why = lacks ? why_lacks : err ? plan_refused(c->p) : NULL;

	for (size_t i = 0; i < c->nspecs; i++)
		c->added[i] += c->hit[i] && !err;
	if (!err)
		return;
	if (!named)
		left_out(&c->reasons, why ? why : why_asked);
	if (named && !c->refusal.sentence)
		c->refusal = d;
	else if ((lacks || !why) && !c->lacks.sentence)
		c->lacks = d;
	else
		diag_fini(&d);
}

static void choose(struct choice *c, struct gobin *bin, const struct gofunc *fn, bool wrappers)
{
	bool any = false, named = false;

	for (size_t i = 0; i < c->nspecs; i++) {
		const struct spec *s = &c->specs[i];

		c->hit[i] = spec_match(s, fn->name);
		/* A wrapper is meant only by its name, and if nothing else has it. */
		if (wrappers && (s->kind != SPEC_NAME || c->added[i]))
			c->hit[i] = false;
		c->found[i] += c->hit[i];
		any |= c->hit[i];
		named |= c->hit[i] && s->kind == SPEC_NAME;
	}
	if (any)
		add(c, bin, fn, named);
}

/* --- places ------------------------------------------------------------ */

/* Those of spec @i. One that is meant alone must be had; of several the others are left out. */
static int add_places(struct choice *c, size_t i, const struct places *v, struct diag *d)
{
	const struct spec *spec = &c->specs[i];

	for (size_t k = 0; k < v->n; k++) {
		const struct place *place = &v->v[k];
		struct plan_request req;
		struct diag why = { 0 };
		struct insn_point point;
		const char *refused = plan_survey_at(place, &point);

		c->found[i]++;
		if (!request_make_at(spec, place, c->mem, &req, &why) &&
		    !plan_add_at(c->p, place, &req, &why)) {
			c->added[i]++;
			continue;
		}
		if (v->n == 1) {
			*d = why;
			return -1;
		}
		left_out(&c->reasons, refused ? refused : why_lacks);
		if (!refused && !c->lacks.sentence)
			c->lacks = why;
		else
			diag_fini(&why);
	}
	return 0;
}

/* A place names itself; there is nothing to look for among the functions. */
static int choose_places(struct choice *c, struct gobin **bins, size_t nbins, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; !err && i < c->nspecs; i++) {
		struct places v = { 0 };

		if (!spec_is_place(&c->specs[i]))
			continue;
		err = places_find(&v, bins, nbins, &c->specs[i], d) || add_places(c, i, &v, d);
		places_fini(&v);
	}
	return err;
}

/* Where the functions that are meant were inlined. */
static int choose_inlined(struct choice *c, struct gobin **bins, size_t nbins, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; !err && i < c->nspecs; i++) {
		struct places v = { 0 };

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
	}
	return err;
}

static int inlined_away(struct choice *c, struct gobin *bin, const struct gofunc *fn,
			struct diag *d)
{
	plan_add(c->p, bin, fn, d);
	diag_hint(d, "--inlined probes the places where that is: 'goprobectl list --points' shows them");
	return -1;
}

/* Nothing with code matches; perhaps something that was inlined away does. */
static int no_code(struct choice *c, struct gobin **bins, size_t nbins, const struct spec *s,
		   struct diag *d)
{
	for (size_t i = 0; i < nbins; i++) {
		const struct gofunc *f;
		size_t n;

		if (gobin_load_inlined(bins[i]))
			return diag_set(d, "out of memory");
		f = gobin_funcs(bins[i], &n);
		for (size_t k = 0; k < n; k++)
			if (!f[k].entry && spec_match(s, f[k].name))
				return inlined_away(c, bins[i], &f[k], d);
	}
	return select_no_match(bins, nbins, s, d);
}

static int check(struct choice *c, struct gobin **bins, size_t nbins, struct diag *d)
{
	for (size_t i = 0; i < c->nspecs; i++) {
		const struct spec *s = &c->specs[i];

		if (!c->found[i])
			return no_code(c, bins, nbins, s, d);
		if (c->added[i])
			continue;
		if (s->kind == SPEC_NAME && c->refusal.sentence) {
			*d = c->refusal;
			memset(&c->refusal, 0, sizeof(c->refusal));
			return -1;
		}

		if (c->lacks.sentence) {
			*d = c->lacks;
			memset(&c->lacks, 0, sizeof(c->lacks));
			if (c->found[i] > 1)
				diag_hint(d, "none of the %zu functions that match has what is asked for; the first one is told of",
					  c->found[i]);
			return -1;
		}

		struct buf b = { 0 };

		describe(&c->reasons, &b);
		diag_set(d, "no function that '%s' matches can be probed", s->text);
		diag_hint(d, "%.*s", (int)b.len, b.len ? b.p : "");
		buf_fini(&b);
		return -1;
	}
	return 0;
}

int select_functions(struct plan *p, struct gobin **bins, size_t nbins,
		     const struct spec *specs, size_t nspecs, struct arena *mem,
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
	};
	int err = c.found && c.added && c.hit ? 0 : diag_set(d, "out of memory");

	if (!err)
		err = choose_places(&c, bins, nbins, d);
	if (!err && p->inlined)
		err = choose_inlined(&c, bins, nbins, d);
	for (int wrappers = 0; !err && wrappers < 2; wrappers++) {
		for (size_t i = 0; i < nbins; i++) {
			size_t n;
			const struct gofunc *f = gobin_funcs(bins[i], &n);

			for (size_t k = 0; k < n; k++)
				if (!(f[k].flags & GOFUNC_WRAPPER) == !wrappers)
					choose(&c, bins[i], &f[k], wrappers);
		}
	}
	if (!err)
		err = check(&c, bins, nbins, d);
	if (!err) {
		describe(&c.reasons, skipped);
		if (skipped->len && c.warnings.len)
			buf_char(skipped, '\n');
		buf_mem(skipped, c.warnings.p, c.warnings.len);
	}
	buf_fini(&c.warnings);
	diag_fini(&c.refusal);
	diag_fini(&c.lacks);
	free(c.found);
	free(c.added);
	free(c.hit);
	return err;
}
