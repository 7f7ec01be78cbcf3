// SPDX-License-Identifier: GPL-2.0
/* The parser of binary operators, as in the Go specification ("Operators"), and of calls. */
#include <string.h>

#include "lang/internal.h"

static const struct {
	const char *text;
	enum expr_op op;
	int precedence;
} operators[] = {
	/* Longer operators come first. */
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

/* Are the next tokens the characters of @text, without blanks? */
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

/* The index of the next operator; NOPERATORS: no operator is next. */
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

/* Report a token that only looks like an operator. */
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
		return expr_parse_operand(lx, ret, d);
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
		e = expr_parse_make(lx, EXPR_BINARY, at, t, d);
		if (!e)
			return -1;
		e->op = operators[op].op;
		e->word_len = strlen(operators[op].text);
		for (size_t i = 0; i < e->word_len; i++)
			lex_next(lx);
		e->x = *ret;
		if (parse_level(lx, precedence + 1, &e->index, d))
			return -1;
		expr_parse_end(lx, e);
		*ret = e;
	}
}

/* Operands count how deep it nests. */
int expr_parse_binary(struct lex *lx, const struct expr **ret, struct diag *d)
{
	return parse_level(lx, LOWEST, ret, d);
}

int expr_parse(struct lex *lx, const struct expr **ret, struct diag *d)
{
	lx->operators = 0;
	return expr_parse_binary(lx, ret, d);
}

/* --- calls -------------------------------------------------------------------- */

/* The name of a function has many forms, so it is all text up to the ')'. */
static int parse_function(struct lex *lx, struct expr *e, struct diag *d)
{
	const struct lex_token *open = &lx->v[lx->i - 1], *first = lex_peek(lx, 0);
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
	return e->s ? 0 : diag_set(d, "out of memory");
}

static int parse_goroutine(struct lex *lx, struct expr *e, struct diag *d)
{
	const struct lex_token *t = lex_next(lx);

	if (t->kind != LEX_NUMBER || !t->number)
		return lex_wrong(lx, t, d, "the id of a goroutine, a number from 1 on, is missing here");
	e->number = t->number;
	return 0;
}

static int parse_string(struct lex *lx, struct expr *e, const char *message, struct diag *d)
{
	const struct lex_token *t = lex_next(lx);

	if (t->kind != LEX_STRING)
		return lex_wrong(lx, t, d, "%s", message);
	e->s = t->s;
	e->n = t->n;
	return 0;
}

static int parse_key(struct lex *lx, struct expr *e, struct diag *d)
{
	return parse_string(lx, e, "the key of a label is a string in quotes", d);
}

static int parse_argument(struct lex *lx, struct expr *e, struct diag *d)
{
	return expr_parse_operand(lx, &e->x, d);
}

/* x, "text" */
static int parse_affix(struct lex *lx, struct expr *e, struct diag *d)
{
	if (parse_argument(lx, e, d) ||
	    lex_expect(lx, ',', "a ',' and a string in quotes are missing here", d))
		return -1;
	return parse_string(lx, e, "only a string in quotes can be here", d);
}

/* x, "text" */
static int parse_contains(struct lex *lx, struct expr *e, struct diag *d)
{
	struct automaton *a = arena_alloc(lx->mem, sizeof(*a));
	struct automaton_error err;

	if (!a)
		return diag_set(d, "out of memory");
	if (parse_affix(lx, e, d))
		return -1;
	e->automaton = a;
	if (!automaton_of_text(lx->mem, e->s, e->n, a, &err))
		return 0;
	return lex_wrong(lx, &lx->v[lx->i - 1], d, "this can't be looked for: %s", err.why);
}

/* x, /regular expression/ */
static int parse_matches(struct lex *lx, struct expr *e, struct diag *d)
{
	struct automaton *a = arena_alloc(lx->mem, sizeof(*a));
	struct automaton_error err;
	const struct lex_token *t;

	if (!a)
		return diag_set(d, "out of memory");
	if (parse_argument(lx, e, d) ||
	    lex_expect(lx, ',', "a ',' and a regular expression are missing here", d))
		return -1;
	t = lex_next(lx);
	if (t->kind != LEX_REGEX && t->kind != LEX_STRING)
		return lex_wrong(lx, t, d, "a regular expression, such as /^a+$/, is missing here");
	e->s = t->s;
	e->n = t->n;
	e->automaton = a;
	if (!automaton_of_regex(lx->mem, e->s, e->n, a, &err))
		return 0;
	lex_wrong(lx, t, d, "bad regular expression: %s", err.why);
	/* Where it stands as it was written, the place is known. */
	if (t->kind == LEX_REGEX && t->n + 2 == t->len)
		diag_span(d, lx->text, t->at + 1 + err.at, err.n);
	return -1;
}

/* A function of the language. */
static const struct call {
	const char *name;	/* its name */
	const char *title;	/* its name in package strings, or NULL */
	enum expr_kind kind;	/* of its node */
	int (*parse)(struct lex *lx, struct expr *e, struct diag *d);	/* parses its arguments */
} calls[] = {
	{ "len", NULL, EXPR_LEN, parse_argument }, { "cap", NULL, EXPR_CAP, parse_argument },
	{ "label", NULL, EXPR_LABEL, parse_key },
	{ "hasPrefix", "HasPrefix", EXPR_PREFIX, parse_affix },
	{ "hasSuffix", "HasSuffix", EXPR_SUFFIX, parse_affix },
	{ "contains", "Contains", EXPR_CONTAINS, parse_contains },
	{ "matches", NULL, EXPR_MATCHES, parse_matches },
	{ "under", NULL, EXPR_UNDER, parse_function },
	{ "descendant", NULL, EXPR_DESCENDANT, parse_goroutine },
};

/* The tokens before the '(' of a call; 0: no call is next. *@call is NULL for unknown functions. */
static size_t call_at(const struct lex *lx, const struct call **call)
{
	bool of_strings = lex_is_name(lex_peek(lx, 0), "strings") && lex_is(lex_peek(lx, 1), '.');
	const struct lex_token *name = lex_peek(lx, of_strings ? 2 : 0);
	size_t n = of_strings ? 3 : 1;

	*call = NULL;
	if (name->kind != LEX_NAME || !lex_is(lex_peek(lx, n), '('))
		return 0;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		const char *s = of_strings ? calls[i].title : calls[i].name;

		if (s && !strcmp(s, name->s))
			*call = &calls[i];
	}
	return *call || !of_strings ? n : 0;
}

bool expr_parse_is_call(const struct lex *lx)
{
	const struct call *call;

	return call_at(lx, &call);
}

int expr_parse_call(struct lex *lx, const struct expr **ret, struct diag *d)
{
	const struct lex_token *name = lex_peek(lx, 0);
	const struct call *call;
	size_t n = call_at(lx, &call);
	struct expr *e;

	if (!call) {
		lex_wrong(lx, name, d, "'%.64s' can't be called: nothing is run in the program",
			  name->s);
		diag_hint(d,
			  "only len(), cap(), label(), and in conditions hasPrefix(), hasSuffix(), contains(), matches(), under(), descendant() can be called");
		return -1;
	}
	e = expr_parse_make(lx, call->kind, name->at, name, d);
	if (!e)
		return -1;
	while (n--)
		name = lex_next(lx);
	e->word_len = name->at + name->len - e->word;
	lex_next(lx);
	if (call->parse(lx, e, d) || lex_expect(lx, ')', "a ')' is missing here", d))
		return -1;
	expr_parse_end(lx, e);
	*ret = e;
	return 0;
}
