// SPDX-License-Identifier: GPL-2.0
/* Lookahead: do the next tokens begin a type, a parameter, or a list of parameters? */
#include <string.h>

#include "lang/typexpr_parse.h"

static const char *const predeclared[] = {
	"any", "bool", "byte", "complex128", "complex64", "error", "float32", "float64",
	"int", "int16", "int32", "int64", "int8", "rune", "string", "uint", "uint16",
	"uint32", "uint64", "uint8", "uintptr",
};

/* Types that begin with a word of the language. */
static const char *const keywords[] = { "chan", "func", "interface", "map", "struct" };

static bool is_one_of(const char *s, const char *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(s, v[i]) == 0)
			return true;
	return false;
}

#define IS_ONE_OF(s, v) is_one_of(s, v, sizeof(v) / sizeof((v)[0]))

bool typexpr_is_predeclared(const char *name)
{
	return IS_ONE_OF(name, predeclared);
}

static bool is_keyword(const struct lex_token *t)
{
	return t->kind == LEX_NAME && IS_ONE_OF(t->s, keywords);
}

/* The next token distinguishes the word "set" from a package of that name; so for the others. */
bool typexpr_is_clause(const struct lex *lx, size_t k)
{
	const struct lex_token *t = lex_peek(lx, k), *next = lex_peek(lx, k + 1);

	if (lex_is_name(t, "set"))
		return next->kind != LEX_END && !lex_is(next, '.');
	if (lex_is_name(t, "delay"))
		return next->kind == LEX_DURATION || next->kind == LEX_NUMBER;
	return lex_is_name(t, "if") || (lex_is_name(t, "on") && lex_is_name(next, "return"));
}

bool typexpr_begins(const struct lex_token *t)
{
	if (lex_is_name(t, "if"))
		return false;
	return t->kind == LEX_NAME || t->kind == LEX_PATH || t->kind == LEX_STRING ||
	       t->kind == LEX_ARROW || lex_is(t, '*') || lex_is(t, '[') || lex_is(t, '(');
}

/* Tokens of the bracketed group that begins @k tokens ahead. */
static size_t skip_group(const struct lex *lx, size_t k)
{
	size_t depth = 0, from = k;

	for (;; k++) {
		const struct lex_token *t = lex_peek(lx, k);

		if (t->kind == LEX_END)
			return k - from;
		if (t->kind != LEX_PUNCT)
			continue;
		depth += t->punct == '(' || t->punct == '[' || t->punct == '{';
		if (strchr(")]}", t->punct) && !--depth)
			return k - from + 1;
	}
}

/*
 * "x *T" and "x [4]*T" have a type, which begins @from tokens ahead, with its "*" @k tokens ahead.
 * "x * y", "x*y" and "x[4]*y" have an operator.
 */
static bool is_pointer(const struct lex *lx, size_t from, size_t k)
{
	const struct lex_token *before = lex_peek(lx, from - 1), *star = lex_peek(lx, k);

	return lex_is(star, '*') && before->at + before->len < lex_peek(lx, from)->at &&
	       star->at + 1 == lex_peek(lx, k + 1)->at;
}

bool typexpr_follows(const struct lex *lx, size_t k)
{
	const struct lex_token *next = lex_peek(lx, k);
	size_t from = k;

	if (next->kind == LEX_ELLIPSIS)
		return true;
	/* b []byte, b [4]byte, but b[4] and b[4][5] are elements */
	while (lex_is(next, '[')) {
		if (lex_is(lex_peek(lx, k + 1), ']'))
			return true;
		k += skip_group(lx, k);
		next = lex_peek(lx, k);
	}
	return next->kind == LEX_NAME || next->kind == LEX_PATH || next->kind == LEX_ARROW ||
	       is_pointer(lx, k, k) || is_pointer(lx, from, k);
}

/* Does a list's item, @k tokens ahead, begin as no expression can? */
static bool is_param(const struct lex *lx, size_t k)
{
	const struct lex_token *t = lex_peek(lx, k), *next = lex_peek(lx, k + 1);

	if (t->kind == LEX_ELLIPSIS || t->kind == LEX_ARROW || lex_is(t, '['))
		return true;
	if (t->kind != LEX_NAME)
		return false;
	if (is_keyword(t))
		return !lex_is(next, '.') && !lex_is(next, ',') && !lex_is(next, ')');
	return typexpr_follows(lx, k + 1);
}

static bool is_predeclared_item(const struct lex *lx, size_t k)
{
	while (lex_is(lex_peek(lx, k), '*'))
		k++;

	const struct lex_token *t = lex_peek(lx, k), *next = lex_peek(lx, k + 1);

	return t->kind == LEX_NAME && typexpr_is_predeclared(t->s) &&
	       (lex_is(next, ',') || lex_is(next, ')'));
}

bool typexpr_is_params(const struct lex *lx, size_t *after)
{
	size_t all = skip_group(lx, 0), predeclared_items = 0, items = 0;
	bool params = false;

	*after = all;
	for (size_t k = 1; k + 1 < all; k++) {
		params |= is_param(lx, k);
		predeclared_items += is_predeclared_item(lx, k);
		items++;
		while (k + 1 < all && !lex_is(lex_peek(lx, k), ',')) {
			const struct lex_token *t = lex_peek(lx, k);

			k += t->kind == LEX_PUNCT && strchr("([{", t->punct) ?
			     skip_group(lx, k) : 1;
		}
	}
	return params || (items && predeclared_items == items);
}

bool typexpr_is_named(const struct lex *lx)
{
	const struct lex_token *t = lex_peek(lx, 0), *next = lex_peek(lx, 1);

	if (t->kind != LEX_NAME || is_keyword(t))
		return false;
	if (lex_is(next, '[')) {
		const struct lex_token *after = lex_peek(lx, 1 + skip_group(lx, 1));

		/* List[int] is a type; b [4]int and b []int have one. */
		return !lex_is(after, ',') && !lex_is(after, ')') && after->kind != LEX_END;
	}
	return next->kind == LEX_ELLIPSIS || typexpr_begins(next);
}
