// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions: operators, as the Go specification has them ("Operators"), and the few calls
 * that there are.
 */
#include <string.h>

#include "lang/internal.h"

static const struct {
	const char *text;
	enum expr_op op;
	int precedence;
} operators[] = {
	/* What is longer is tried first. */
	{ "||", EXPR_OR, 1 }, { "&&", EXPR_AND, 2 },
	{ "==", EXPR_EQ, 3 }, { "!=", EXPR_NE, 3 }, { "<=", EXPR_LE, 3 }, { ">=", EXPR_GE, 3 },
	{ "<<", EXPR_SHL, 5 }, { ">>", EXPR_SHR, 5 }, { "&^", EXPR_AND_NOT, 5 },
	{ "<", EXPR_LT, 3 }, { ">", EXPR_GT, 3 },
	{ "+", EXPR_ADD, 4 }, { "-", EXPR_SUB, 4 }, { "|", EXPR_BIT_OR, 4 }, { "^", EXPR_XOR, 4 },
	{ "*", EXPR_MUL, 5 }, { "/", EXPR_DIV, 5 }, { "%", EXPR_MOD, 5 }, { "&", EXPR_BIT_AND, 5 },
};

#define NOPERATORS (sizeof(operators) / sizeof(*operators))
#define LOWEST 1
#define HIGHEST 5

/* Are the next tokens these characters, without blanks? */
static bool is_text(const struct lex *lx, const char *text)
{
	const struct lex_token *first = lex_peek(lx, 0);

	for (size_t i = 0; text[i]; i++) {
		const struct lex_token *t = lex_peek(lx, i);

		if (!lex_is(t, text[i]) || t->at != first->at + i)
			return false;
	}
	return true;
}

/* Which operator is next; NOPERATORS: none. */
static size_t operator_at(const struct lex *lx)
{
	size_t i = 0;

	while (i < NOPERATORS && !is_text(lx, operators[i].text))
		i++;
	return i;
}

static int too_many(struct lex *lx, const struct lex_token *t, struct diag *d)
{
	return lex_wrong(lx, t, d, "a condition has %d operators at most", EXPR_OPERATORS_MAX);
}

/* What looks like an operator and is none. */
static int check_operator(const struct lex *lx, struct diag *d)
{
	const struct lex_token *t = lex_peek(lx, 0);

	if (t->kind == LEX_ARROW) {
		lex_wrong(lx, t, d, "'<-' is one word in Go, and no comparison");
		diag_hint(d, "write '< -'");
		return -1;
	}
	if (!lex_is(t, '='))
		return 0;
	lex_wrong(lx, t, d, "nothing is assigned here");
	diag_hint(d, "write '==' to compare");
	return -1;
}

static int parse_level(struct lex *lx, int precedence, const struct expr **ret, struct diag *d)
{
	size_t at = lex_peek(lx, 0)->at;

	if (precedence > HIGHEST)
		return exprparse_unary(lx, ret, d);
	if (parse_level(lx, precedence + 1, ret, d))
		return -1;
	for (;;) {
		size_t op = operator_at(lx);
		const struct lex_token *t = lex_peek(lx, 0);
		struct expr *e;

		if (op == NOPERATORS)
			return check_operator(lx, d);
		if (operators[op].precedence != precedence)
			return 0;
		if (++lx->operators > EXPR_OPERATORS_MAX)
			return too_many(lx, t, d);
		e = exprparse_make(lx, EXPR_BINARY, at, t, d);
		if (!e)
			return -1;
		e->op = operators[op].op;
		e->word_len = strlen(operators[op].text);
		for (size_t i = 0; i < e->word_len; i++)
			lex_next(lx);
		e->x = *ret;
		if (parse_level(lx, precedence + 1, &e->index, d))
			return -1;
		exprparse_end(lx, e);
		*ret = e;
	}
}

int exprparse_binary(struct lex *lx, const struct expr **ret, struct diag *d)
{
	int err;

	if (lex_enter(lx, d))
		return -1;
	err = parse_level(lx, LOWEST, ret, d);
	lex_leave(lx);
	return err;
}

int expr_parse_cond(struct lex *lx, const struct expr **ret, struct diag *d)
{
	int err;

	lx->cond = true;
	lx->operators = 0;
	err = exprparse_binary(lx, ret, d);
	lx->cond = false;
	return err;
}

int expr_parse_value(struct lex *lx, const struct expr **ret, struct diag *d)
{
	int err;

	lx->parts = true;
	err = expr_parse_cond(lx, ret, d);
	lx->parts = false;
	return err;
}

enum expr_op exprparse_sign(const struct lex_token *t)
{
	if (t->kind != LEX_PUNCT)
		return EXPR_OP_NONE;
	switch (t->punct) {
	case '!':
		return EXPR_NOT;
	case '-':
		return EXPR_SUB;
	case '^':
		return EXPR_XOR;
	case '+':
		return EXPR_PLUS;
	default:
		return EXPR_OP_NONE;
	}
}

/* --- calls -------------------------------------------------------------------- */

/* Tokens before the '(' of a call of @name, or of strings.@title; 0: it is none. */
static size_t is_call_of(const struct lex *lx, const char *name, const char *title)
{
	if (lex_is_name(lex_peek(lx, 0), name) && lex_is(lex_peek(lx, 1), '('))
		return 1;
	return title && lex_is_name(lex_peek(lx, 0), "strings") && lex_is(lex_peek(lx, 1), '.') &&
	       lex_is_name(lex_peek(lx, 2), title) && lex_is(lex_peek(lx, 3), '(') ? 3 : 0;
}

static size_t is_prefix(const struct lex *lx)
{
	return is_call_of(lx, "hasPrefix", "HasPrefix");
}

static size_t is_suffix(const struct lex *lx)
{
	return is_call_of(lx, "hasSuffix", "HasSuffix");
}

static size_t is_under(const struct lex *lx)
{
	return is_call_of(lx, "under", NULL);
}

static size_t is_descendant(const struct lex *lx)
{
	return is_call_of(lx, "descendant", NULL);
}

bool exprparse_is_call(const struct lex *lx)
{
	return is_prefix(lx) || is_suffix(lx) || is_under(lx) || is_descendant(lx);
}

/* "(pkg.Func)": a function's name has many forms, so it is taken as it is. */
static int parse_function(struct lex *lx, struct expr *e, struct diag *d)
{
	const struct lex_token *open = lex_next(lx), *first = lex_peek(lx, 0);
	size_t close = lex_close(lx->text, open->at), end;

	if (!close)
		return lex_wrong(lx, &lx->v[lx->n], d, "a ')' is missing here");
	for (end = close; end > first->at && lx->text[end - 1] == ' '; end--)
		;
	if (first->at >= end)
		return lex_wrong(lx, first, d, "the name of a function is missing here");
	e->n = end - first->at;
	e->s = arena_strndup(lx->mem, lx->text + first->at, e->n);
	while (lex_peek(lx, 0)->kind != LEX_END && lex_peek(lx, 0)->at < close)
		lex_next(lx);
	return e->s ? lex_expect(lx, ')', "a ')' is missing here", d) : diag_set(d, "out of memory");
}

/* "(5)" */
static int parse_goroutine(struct lex *lx, struct expr *e, struct diag *d)
{
	const struct lex_token *t;

	lex_next(lx);
	t = lex_next(lx);
	if (t->kind != LEX_NUMBER || !t->number)
		return lex_wrong(lx, t, d, "the id of a goroutine, a number from 1 on, is missing here");
	e->number = t->number;
	return lex_expect(lx, ')', "a ')' is missing here", d);
}

/* "(x, "text")" */
static int parse_text(struct lex *lx, struct expr *e, struct diag *d)
{
	const struct lex_token *t;

	lex_next(lx);
	lx->cond = false;
	if (expr_parse(lx, &e->x, d))
		return -1;
	lx->cond = true;
	if (lex_expect(lx, ',', "a ',' and a string in quotes are missing here", d))
		return -1;
	t = lex_next(lx);
	if (t->kind != LEX_STRING)
		return lex_wrong(lx, t, d, "only a string in quotes can be here");
	e->s = t->s;
	e->n = t->n;
	return lex_expect(lx, ')', "a ')' is missing here", d);
}

int exprparse_call(struct lex *lx, const struct expr **ret, struct diag *d)
{
	const struct lex_token *name = lex_peek(lx, 0);
	static const struct {
		size_t (*is)(const struct lex *lx);
		enum expr_kind kind;
		int (*parse)(struct lex *lx, struct expr *e, struct diag *d);
	} calls[] = {
		{ is_prefix, EXPR_PREFIX, parse_text }, { is_under, EXPR_UNDER, parse_function },
		{ is_descendant, EXPR_DESCENDANT, parse_goroutine },
		{ is_suffix, EXPR_SUFFIX, parse_text },
	};
	size_t i = 0, n;
	struct expr *e;

	/* It is one of them. */
	while (!calls[i].is(lx))
		i++;
	n = calls[i].is(lx);
	e = exprparse_make(lx, calls[i].kind, name->at, name, d);
	if (!e)
		return -1;
	while (n--)
		name = lex_next(lx);
	e->word_len = name->at + name->len - e->word;
	if (calls[i].parse(lx, e, d))
		return -1;
	exprparse_end(lx, e);
	*ret = e;
	return 0;
}
