// SPDX-License-Identifier: GPL-2.0
/*
 * Spec precedence: which of several matching specs applies to a function or place.
 *
 * Two specs of one rank that differ are an error. They are not joined by "||": if one condition
 * is undecided (it dereferences nil), the other could not pass.
 */
#include <string.h>

#include "lang/lex.h"
#include "plan/claim.h"
#include "plan/request.h"

enum claim_rank claim_rank(const struct spec *s)
{
	bool asks = request_is_special(s);

	if (s->kind == SPEC_NAME || spec_is_place(s))
		return asks ? CLAIM_NAME_ASKS : CLAIM_NAME;
	return asks ? CLAIM_PATTERN_ASKS : CLAIM_PATTERN;
}

/* What follows the pattern, in tokens. It has been parsed, so only memory can be missing. */
static int tokens(const struct spec *s, struct arena *mem, struct lex *lx)
{
	struct diag d = { 0 };
	int err = lex_scan(lx, mem, s->text, s->end, &d);

	diag_fini(&d);
	return err;
}

static bool same_token(const struct lex *a, const struct lex *b, size_t i)
{
	const struct lex_token *x = &a->v[i], *y = &b->v[i];

	return x->kind == y->kind && x->len == y->len &&
	       !memcmp(a->text + x->at, b->text + y->at, x->len);
}

/* How many tokens are the same from the beginning on. */
static size_t same_tokens(const struct lex *a, const struct lex *b)
{
	size_t n = 0;

	while (n < a->n && n < b->n && same_token(a, b, n))
		n++;
	return n;
}

bool claim_same(const struct spec *a, const struct spec *b, struct arena *mem)
{
	struct lex x, y;

	if (tokens(a, mem, &x) || tokens(b, mem, &y))
		return false;
	return x.n == y.n && same_tokens(&x, &y) == x.n;
}

/* The token behind "if", which is no name that anything else can have; or the end. */
static size_t behind_if(const struct lex *lx)
{
	size_t i = 0;

	while (i < lx->n && !lex_is_name(&lx->v[i], "if"))
		i++;
	return i + (i < lx->n);
}

/* One spec that is both, if they differ in their conditions only; else NULL. */
static const char *joined(const char *what, const struct spec *a, const struct spec *b,
			  struct arena *mem)
{
	struct lex x, y;
	size_t i, from, len;

	if (spec_is_place(a) || spec_edits(a) || spec_edits(b) || !a->cond || !b->cond ||
	    tokens(a, mem, &x) || tokens(b, mem, &y))
		return NULL;
	i = behind_if(&x);
	if (behind_if(&y) != i || i == x.n || i == y.n || same_tokens(&x, &y) < i)
		return NULL;
	from = a->end;
	len = x.v[i].at - from;
	return arena_printf(mem, "%s%.*s(%s) || (%s)", what, (int)len, a->text + from,
			    a->text + x.v[i].at, b->text + y.v[i].at);
}

int claim_conflict(const char *what, const struct spec *a, const struct spec *b,
		   struct arena *mem, struct diag *d)
{
	bool named = claim_rank(a) >= CLAIM_NAME;
	const char *one = joined(what, a, b, mem);

	diag_set(d, "'%s' and '%s' both mean %s, and want different things of it", a->text,
		 b->text, what);
	if (one)
		diag_hint(d, named ? "write one: '%s'" :
			  "what names it alone counts more; add '%s'", one);
	else if (named)
		diag_hint(d, "write one that says what is shown, 'if' and 'set'; or leave one out");
	else
		diag_hint(d, "what names it alone counts more; add a spec for %s", what);
	return -1;
}
