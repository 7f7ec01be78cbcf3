// SPDX-License-Identifier: GPL-2.0
/*
 * The parser of operands: Go's primary expressions with unary operators, as the Go specification
 * has them ("Primary expressions", "Unary operators"). A pair with expr_operator.c, which has the
 * binary operators: an operand can be an expression in brackets.
 */
#include <string.h>

#include "base/buf.h"
#include "base/plain.h"
#include "lang/internal.h"

struct expr *expr_parse_make(struct lex *lx, enum expr_kind kind, size_t at,
			     const struct lex_token *word, struct diag *d)
{
	struct expr *e = arena_alloc(lx->mem, sizeof(*e));

	if (!e) {
		diag_set(d, "out of memory");
		return NULL;
	}
	e->kind = kind;
	e->at = at;
	e->word = word->at;
	e->word_len = word->len;
	return e;
}

void expr_parse_end(const struct lex *lx, struct expr *e)
{
	const struct lex_token *last = &lx->v[lx->i - 1];

	e->len = last->at + last->len - e->at;
}

/* --- operands ----------------------------------------------------------- */

/* 5, -5, 'x', 1.5 or 10ms */
static int parse_number(struct lex *lx, const struct expr **ret, struct diag *d)
{
	size_t at = lex_peek(lx, 0)->at;
	bool negative = lex_accept(lx, '-');
	const struct lex_token *t = lex_next(lx);
	struct expr *e = expr_parse_make(lx, t->kind == LEX_FLOAT ? EXPR_FLOAT :
					 t->kind == LEX_DURATION ? EXPR_DURATION : EXPR_NUMBER,
					 at, t, d);

	if (!e)
		return -1;
	e->f = t->f;
	e->negative = negative;
	e->number = negative ? -t->number : t->number;
	expr_parse_end(lx, e);
	e->word = e->at;
	e->word_len = e->len;
	*ret = e;
	return 0;
}

/* '-' and a whole number of 64 bits are one operand: a key of a map can be negative. */
static bool is_negative(const struct lex *lx)
{
	const struct lex_token *t = lex_peek(lx, 1);

	return lex_is(lex_peek(lx, 0), '-') && (t->kind == LEX_NUMBER || t->kind == LEX_RUNE) &&
	       t->number <= 1ULL << 63;
}

/* net/http.Name or "net/http".Name */
static int parse_variable(struct lex *lx, const struct expr **ret, struct diag *d)
{
	const struct lex_token *path = lex_next(lx), *name;
	struct expr *e;

	lex_next(lx);
	name = lex_next(lx);
	if (name->kind != LEX_NAME)
		return lex_wrong(lx, name, d, "the name of a package's variable is missing here");
	e = expr_parse_make(lx, EXPR_VARIABLE, path->at, path, d);
	if (!e)
		return -1;
	e->s = arena_printf(lx->mem, "%s.%s", path->s, name->s);
	if (!e->s)
		return diag_set(d, "out of memory");
	e->n = strlen(e->s);
	expr_parse_end(lx, e);
	e->word_len = e->len;
	*ret = e;
	return 0;
}

static int parse_word(struct lex *lx, enum expr_kind kind, const struct expr **ret, struct diag *d)
{
	const struct lex_token *t = lex_next(lx);
	struct expr *e = expr_parse_make(lx, kind, t->at, t, d);

	if (!e)
		return -1;
	e->s = t->s;
	e->n = t->n;
	expr_parse_end(lx, e);
	*ret = e;
	return 0;
}

static int path_alone(struct lex *lx, const struct lex_token *t, struct diag *d)
{
	lex_wrong(lx, t, d, "a package's variable is missing after its path");
	diag_hint(d, "to divide, write blanks around '/'");
	return -1;
}

/* Does "(*T)(0x...)" come next? */
static bool is_conversion(const struct lex *lx)
{
	size_t depth = 0, k = 0;

	if (!lex_is(lex_peek(lx, 0), '(') || !lex_is(lex_peek(lx, 1), '*'))
		return false;
	for (;; k++) {
		const struct lex_token *t = lex_peek(lx, k);

		if (t->kind == LEX_END)
			return false;
		depth += lex_is(t, '(');
		if (lex_is(t, ')') && !--depth)
			break;
	}
	return lex_is(lex_peek(lx, k + 1), '(') && lex_peek(lx, k + 2)->kind == LEX_NUMBER;
}

static int parse_conversion(struct lex *lx, const struct expr **ret, struct diag *d)
{
	const struct lex_token *open = lex_next(lx), *t;
	struct expr *e = expr_parse_make(lx, EXPR_CONVERT, open->at, open, d);

	if (!e || typexpr_parse(lx, &e->type, d) ||
	    lex_expect(lx, ')', "a ')' is missing after a type", d) ||
	    lex_expect(lx, '(', "a '(' and an address are missing here", d))
		return -1;
	t = lex_next(lx);
	e->number = t->number;
	if (lex_expect(lx, ')', "a ')' is missing here", d))
		return -1;
	expr_parse_end(lx, e);
	*ret = e;
	return 0;
}

static int parse_operand(struct lex *lx, const struct expr **ret, struct diag *d)
{
	const struct lex_token *t = lex_peek(lx, 0);
	bool dot = lex_is(lex_peek(lx, 1), '.');

	if (is_conversion(lx))
		return parse_conversion(lx, ret, d);
	if (expr_parse_is_call(lx))
		return expr_parse_call(lx, ret, d);
	switch (t->kind) {
	case LEX_NAME:
		return parse_word(lx, EXPR_NAME, ret, d);
	case LEX_REGISTER:
		return parse_word(lx, EXPR_REGISTER, ret, d);
	case LEX_PATH:
		if (!dot)
			return path_alone(lx, t, d);
		return parse_variable(lx, ret, d);
	case LEX_STRING:
		return dot ? parse_variable(lx, ret, d) : parse_word(lx, EXPR_STRING, ret, d);
	case LEX_FLOAT:
	case LEX_DURATION:
	case LEX_NUMBER:
	case LEX_RUNE:
		return parse_number(lx, ret, d);
	default:
		break;
	}
	if (is_negative(lx))
		return parse_number(lx, ret, d);
	if (lex_is(t, '&')) {
		lex_wrong(lx, t, d, "there is no '&' here");
		diag_hint(d, "a pointer shows its address");
		return -1;
	}
	if (!lex_accept(lx, '('))
		return lex_wrong(lx, t, d, "an expression is missing here");
	return expr_parse_binary(lx, ret, d) ? -1 : lex_expect(lx, ')', "a ')' is missing here", d);
}

/* --- what follows them ----------------------------------------------------- */

/* The key of a context's value: T{}, T(constant), or an expression. */
static int parse_context_key(struct lex *lx, struct expr *e, struct diag *d)
{
	const struct lex_token *first = lex_peek(lx, 0);
	struct diag no_type = { 0 };
	size_t begin = lx->i;
	bool names = first->kind == LEX_NAME || first->kind == LEX_PATH;

	if (names && !typexpr_parse(lx, &e->type, &no_type)) {
		if (lex_accept(lx, '{'))
			return lex_expect(lx, '}', "only a key without contents, T{}, can be here",
					  d);
		if (lex_accept(lx, '('))
			return expr_parse_operand(lx, &e->index, d) ? -1 :
			       lex_expect(lx, ')', "a ')' is missing here", d);
	}
	diag_fini(&no_type);
	e->type = NULL;
	lx->i = begin;
	return expr_parse_operand(lx, &e->index, d);
}

/* Behind x.Value: "(key)" */
static struct expr *parse_value(struct lex *lx, size_t at, const struct lex_token *name,
				struct diag *d)
{
	struct expr *e = expr_parse_make(lx, EXPR_VALUE, at, name, d);

	lex_next(lx);
	if (!e || parse_context_key(lx, e, d) ||
	    lex_expect(lx, ')', "a ')' is missing here", d))
		return NULL;
	return e;
}

/* These return what they parsed, or NULL. */
static struct expr *parse_dot(struct lex *lx, size_t at, struct diag *d)
{
	const struct lex_token *t;
	struct expr *e;

	lex_next(lx);
	t = lex_next(lx);
	if (lex_is_name(t, "Value") && lex_is(lex_peek(lx, 0), '('))
		return parse_value(lx, at, t, d);
	if (t->kind == LEX_NAME) {
		e = expr_parse_make(lx, EXPR_FIELD, at, t, d);
		if (!e)
			return NULL;
		e->s = t->s;
		e->n = t->n;
		return e;
	}
	if (!lex_is(t, '(')) {
		lex_wrong(lx, t, d, "the name of a field is missing here");
		return NULL;
	}
	e = expr_parse_make(lx, EXPR_ASSERT, at, t, d);
	if (!e || typexpr_parse(lx, &e->type, d) ||
	    lex_expect(lx, ')', "a ')' is missing after a type", d))
		return NULL;
	return e;
}

/* "[i]" or "[i:k]" */
static struct expr *parse_index(struct lex *lx, size_t at, struct diag *d)
{
	struct expr *e = expr_parse_make(lx, EXPR_INDEX, at, lex_next(lx), d);
	const struct lex_token *colon = lex_peek(lx, 0);

	if (!e || (!lex_is(colon, ':') && expr_parse_binary(lx, &e->index, d)))
		return NULL;
	colon = lex_peek(lx, 0);
	if (lex_accept(lx, ':')) {
		e->kind = EXPR_SLICE;
		e->word = colon->at;
		if (!lex_is(lex_peek(lx, 0), ']') && expr_parse_binary(lx, &e->high, d))
			return NULL;
	}
	return lex_expect(lx, ']', "a ']' is missing here", d) ? NULL : e;
}

static int parse_primary(struct lex *lx, const struct expr **ret, struct diag *d)
{
	size_t at = lex_peek(lx, 0)->at;
	/* Each link is a level of the tree, and so of the recursion of all passes. */
	unsigned int links = 0;

	if (parse_operand(lx, ret, d))
		return -1;
	for (;;) {
		const struct lex_token *t = lex_peek(lx, 0);
		struct expr *e;

		if (lex_is(t, '.'))
			e = parse_dot(lx, at, d);
		else if (lex_is(t, '['))
			e = parse_index(lx, at, d);
		else
			return 0;
		if (!e)
			return -1;
		if (++links > LEX_DEPTH_MAX)
			return lex_wrong(lx, t, d, "this nests too deeply");
		e->x = *ret;
		expr_parse_end(lx, e);
		*ret = e;
	}
}

static enum expr_op sign_of(const struct lex_token *t)
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

static int parse_unary(struct lex *lx, const struct expr **ret, struct diag *d)
{
	const struct lex_token *t = lex_peek(lx, 0);
	enum expr_op sign = sign_of(t);
	struct expr *e;

	if (is_negative(lx) || (!lex_is(t, '*') && !sign))
		return parse_primary(lx, ret, d);
	e = expr_parse_make(lx, sign ? EXPR_UNARY : EXPR_DEREF, t->at, t, d);
	if (!e)
		return -1;
	lex_next(lx);
	e->op = sign;
	if (expr_parse_operand(lx, &e->x, d))
		return -1;
	expr_parse_end(lx, e);
	*ret = e;
	return 0;
}

int expr_parse_operand(struct lex *lx, const struct expr **ret, struct diag *d)
{
	int err;

	if (lex_enter(lx, d))
		return -1;
	err = parse_unary(lx, ret, d);
	lex_leave(lx);
	return err;
}

/* --- lists -------------------------------------------------------------------- */

int expr_parse_list(struct lex *lx, struct expr_list *ret, struct diag *d)
{
	const struct lex_token *open = lex_peek(lx, 0);

	*ret = (struct expr_list){ .text = lx->text, .at = open->at };
	ret->v = arena_array(lx->mem, EXPR_LIST_MAX, sizeof(*ret->v));
	if (!ret->v)
		return diag_set(d, "out of memory");
	if (lex_expect(lx, '(', "a '(' is missing here", d))
		return -1;
	while (!lex_is(lex_peek(lx, 0), ')')) {
		const struct lex_token *t = lex_peek(lx, 0);

		if (ret->n == EXPR_LIST_MAX)
			return lex_wrong(lx, t, d, "more than %d values are requested",
					 EXPR_LIST_MAX);
		if (expr_parse(lx, &ret->v[ret->n], d))
			return -1;
		ret->n++;
		if (!lex_accept(lx, ','))
			break;
	}
	if (lex_expect(lx, ')', "',' or ')' is missing here", d))
		return -1;
	ret->len = lx->v[lx->i - 1].at + 1 - ret->at;
	return 0;
}

const char *expr_text(struct arena *mem, const char *text, const struct expr *e)
{
	struct buf plain = { 0 };
	char *s = arena_strndup(mem, text + e->at, e->len);

	if (!s || plain_name(s, e->len))
		return s;
	/* It is in one line where it is shown, and the text may be a stranger's recording's. */
	for (size_t i = 0; i < e->len; i++)
		s[i] = strchr("\t\r\n", s[i]) ? ' ' : s[i];
	plain_add(&plain, s);
	s = plain.failed ? NULL : arena_strndup(mem, plain.p, plain.len);
	buf_fini(&plain);
	return s;
}

/* --- comparison ----------------------------------------------------------------- */

bool expr_same(const struct expr *a, const struct expr *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || a->op != b->op || a->number != b->number ||
	    a->negative != b->negative || a->n != b->n || !a->s != !b->s || a->type || b->type)
		return false;
	return (!a->s || !memcmp(a->s, b->s, a->n)) && expr_same(a->x, b->x) &&
	       expr_same(a->index, b->index) && expr_same(a->high, b->high);
}
