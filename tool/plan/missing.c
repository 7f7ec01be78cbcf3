// SPDX-License-Identifier: GPL-2.0
/* Patterns and places of which nothing is traced, beside others that are. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/plain.h"
#include "plan/choice.h"
#include "plan/missing.h"
#include "plan/no_match.h"

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
		if (gobin_load_inlined(bins[i]))
			return diag_set(d, "out of memory");
		for (const struct gofunc *f = NULL; (f = gobin_next(bins[i], f));)
			if (!f->entry && spec_match(s, f->name))
				return inlined_away(c, bins[i], f, d);
	}
	return nomatch(&(struct name_set){ .bins = bins, .nbins = nbins }, s, d);
}

/* Why nothing is traced of spec @i, in c->why[i]. */
static void explain(struct choice *c, struct gobin **bins, size_t nbins, size_t i)
{
	const struct spec *s = &c->specs[i];
	struct diag *why = &c->why[i];
	struct buf b = { 0 };

	if (why->message) {
		if (c->found[i] > 1 && s->kind != SPEC_NAME)
			diag_hint(why, "none of the %zu functions that match has the requested values; this is the first one's reason",
				  c->found[i]);
		return;
	}
	if (!c->found[i]) {
		no_code(c, bins, nbins, s, why);
		return;
	}
	choice_describe(&c->reasons, &b);
	diag_set(why, "no function that '%s' matches can be probed", s->text);
	diag_hint(why, "%.*s", (int)b.len, b.len ? b.p : "");
	buf_fini(&b);
}

/* What is changed of calls belongs together: half of it may do harm. */
static int refuse(const struct choice *c, size_t i, struct diag *d)
{
	diag_copy(d, &c->why[i]);
	if (c->nspecs > 1 && !d->hint)
		diag_hint(d, "nothing is traced, as this would change calls");
	return -1;
}

static int add(struct choice *c, size_t i, struct diag *d)
{
	const struct diag *why = &c->why[i];
	const char *hint = why->hint, *text = arena_printf(c->mem, "%s%s%s", why->message ?: "",
							   hint ? "; " : "", hint ?: "");
	const char *spec = arena_strdup(c->mem, c->specs[i].text);

	if (!text || !spec)
		return diag_set(d, "out of memory");
	c->p->missing[c->p->nmissing++] = (struct plan_missing){ spec, text };
	return 0;
}

int missing_find(struct choice *c, struct gobin **bins, size_t nbins, struct diag *d)
{
	struct plan *p = c->p;
	size_t first = c->nspecs, n = 0;

	for (size_t i = 0; i < c->nspecs; i++) {
		if (c->added[i])
			continue;
		explain(c, bins, nbins, i);
		if (diag_no_memory(&c->why[i]))
			return diag_set(d, "out of memory");
		if (spec_edits(&c->specs[i]))
			return refuse(c, i, d);
		first = n++ ? first : i;
	}
	if (!n)
		return 0;
	p->missing = calloc(n, sizeof(*p->missing));
	if (!p->missing)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < c->nspecs; i++)
		if (!c->added[i] && (n < c->nspecs || i != first) && add(c, i, d))
			return -1;
	if (n < c->nspecs)
		return 0;
	diag_copy(d, &c->why[first]);
	return -1;
}

void missing_put(const struct plan *p, struct buf *b)
{
	if (!p->nmissing)
		return;
	buf_u64(b, p->nmissing);
	buf_str(b, p->nmissing == 1 ? " pattern traces nothing" : " patterns trace nothing");
	for (size_t i = 0; i < p->nmissing; i++) {
		buf_str(b, i ? ", '" : ": '");
		plain_add(b, p->missing[i].spec);
		buf_char(b, '\'');
	}
	buf_char(b, '\n');
}

void missing_json(const struct plan *p, struct buf *b)
{
	if (!p->nmissing)
		return;
	json_raw(b, "not_traced", "[");
	for (size_t i = 0; i < p->nmissing; i++) {
		json_element(b);
		buf_char(b, '{');
		json_str(b, "pattern", p->missing[i].spec);
		json_str(b, "reason", p->missing[i].why);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}
