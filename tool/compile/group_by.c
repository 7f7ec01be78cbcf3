// SPDX-License-Identifier: GPL-2.0
/* The compiler of group-by keys. */
#include <stdlib.h>

#include "compile/typed.h"
#include "compile/group_by.h"

#define WORD 8U

int bykey_parse(struct bykey_exprs *by, const char *text, struct diag *d)
{
	struct lex lx;

	if (by->n == BYKEY_EXPRS_MAX)
		return diag_set(d, "--by can be given %d times at most", BYKEY_EXPRS_MAX);
	if (lex_scan(&lx, &by->mem, text, 0, d) || expr_parse(&lx, &by->v[by->n], d))
		return -1;
	if (lex_peek(&lx, 0)->kind != LEX_END) {
		lex_wrong(&lx, lex_peek(&lx, 0), d, "nothing can follow here");
		diag_hint(d, "each expression has its own --by");
		return -1;
	}
	by->text[by->n++] = text;
	return 0;
}

void bykey_fini(struct bykey_exprs *by)
{
	arena_fini(&by->mem);
}

uint32_t bykey_bytes(const struct bykey_exprs *by)
{
	return (uint32_t)by->n * (WORD + BYKEY_STRING_MAX);
}

/* --- what can be a key ------------------------------------------------------------- */

static const struct gofield *some_field(const struct gotype *t)
{
	for (size_t i = 0; i < t->nfields; i++)
		if (t->fields[i].type->kind <= GOTYPE_STRING && t->fields[i].name[0] != '_')
			return &t->fields[i];
	return NULL;
}

/* "'x' is of type T, which can't be a key; its length can be one: 'len(x)'" */
static int wrong_type(struct exprjob *j, const struct expr *e, const struct gotype *t)
{
	/* The fields of "*x" are those of x. */
	const struct expr *of = t->kind == GOTYPE_STRUCT && e->kind == EXPR_DEREF ? e->x : e;
	const struct gofield *field = some_field(t);
	const char *text = exprjob_text(j, of);

	exprjob_wrong_all(j, e, "'%s' is of type %s, which can't be a key", exprjob_text(j, e),
			  t->name);
	if (t->kind == GOTYPE_STRUCT && field)
		diag_hint(j->d, "name one of its fields, such as '%s.%s'", text, field->name);
	else if (t->kind == GOTYPE_ARRAY)
		diag_hint(j->d, "name one of its elements, such as '%s[0]'", text);
	else if (t->kind == GOTYPE_SLICE || t->kind == GOTYPE_MAP)
		diag_hint(j->d, "its length can be one: 'len(%s)'", text);
	else
		diag_hint(j->d, "numbers, strings, booleans and pointers can, and the types that interfaces hold");
	return -1;
}

/* The kind of a key of type @t; false if no key has that type. */
static bool kind_of(const struct gotype *t, enum bykey_kind *kind)
{
	switch (t->kind) {
	case GOTYPE_BOOL:
	case GOTYPE_INT:
	case GOTYPE_UINT:
	case GOTYPE_FLOAT:
		*kind = BYKEY_SCALAR;
		return t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8;
	case GOTYPE_STRING:
		*kind = BYKEY_STRING;
		return true;
	case GOTYPE_POINTER:
	case GOTYPE_CHAN:
		*kind = BYKEY_ADDRESS;
		return true;
	case GOTYPE_INTERFACE:
		*kind = BYKEY_TYPE;
		return true;
	default:
		return false;
	}
}

/* --- operations ---------------------------------------------------------------------- */

static void put_word(struct exprcode *c, uint8_t reg)
{
	exprcode_op2(c, GOPROBE_OP_KEY, reg, 0);
}

static void put_string(struct exprcode *c, const struct exprplace *p)
{
	uint8_t len = exprcode_take(c), at = exprcode_take(c);

	exprplace_load(c, p, WORD, WORD, len);
	exprplace_load(c, p, 0, WORD, at);
	exprcode_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_KEY_BYTES, .a = at, .b = len, .size = BYKEY_STRING_MAX });
}

/* The link-time address of the dynamic type; nil has no type, and stays 0. */
static void put_type(struct exprcode *c, const struct exprplace *p)
{
	struct exprplace word = { .kind = EXPRPLACE_MEMORY, .reg = exprcode_take(c) };
	uint8_t bias = exprcode_take(c);
	size_t jump;

	exprplace_load(c, p, 0, WORD, word.reg);
	jump = c->nops;
	exprcode_op2(c, GOPROBE_OP_JEQ, word.reg, EXPRCODE_ZERO);
	/* An itab's second word is the type: internal/abi.ITab. */
	if (!p->type->empty)
		exprplace_load(c, &word, WORD, WORD, word.reg);
	exprcode_set(c, GOPROBE_OP_STATIC, bias, 0);
	exprcode_op2(c, GOPROBE_OP_SUB, word.reg, bias);
	if (!c->full)
		c->ops[jump].offset = (uint32_t)(c->nops - jump - 1);
	put_word(c, word.reg);
}

static int put(struct exprjob *j, const struct typed *n, enum bykey_kind kind)
{
	struct exprplace p;
	uint8_t reg;

	if (kind != BYKEY_STRING && kind != BYKEY_TYPE) {
		if (code_number(j, n, &reg))
			return -1;
		put_word(&j->code, reg);
		return 0;
	}
	if (code_place(j, n, &p))
		return -1;
	(kind == BYKEY_STRING ? put_string : put_type)(&j->code, &p);
	return 0;
}

/* --- keys ------------------------------------------------------------------------------ */

static int check_node(struct exprjob *j, const struct typed *n, struct bykey_part *part)
{
	if (exprword_needs(j, n->e) &
	    ~(EXPR_NEEDS_PARAM | EXPR_NEEDS_RESULT | EXPR_NEEDS_GOROUTINE))
		return exprjob_wrong_all(j, n->e,
					 "'n', 'duration', 'panicked', 'under' and 'descendant' are for conditions, not for keys");
	if (typed_is_const(n))
		return exprjob_wrong_all(j, n->e, "'%s' is the same for all calls",
					 exprjob_text(j, n->e));
	part->type = n->type;
	return kind_of(n->type, &part->kind) ? 0 : wrong_type(j, n->e, n->type);
}

static int compile_part(struct exprjob *j, const struct expr *e, struct bykey_part *part)
{
	const struct typed *n = typed_expr(j, e);

	if (!n && j->scope->sig->incomplete && j->d->hint)
		diag_hint(j->d, "write its signature behind the pattern: '%s(x T)'",
			  j->scope->fn->name);
	part->name = expr_text(j->scope->mem, j->text, e);
	if (!part->name)
		return exprjob_no_memory(j);
	j->code.reg = 0;
	if (!n || check_node(j, n, part) || put(j, n, part->kind))
		return -1;
	return j->code.full ? exprjob_wrong_all(j, e, "'%s' takes more steps than a key can",
						exprjob_text(j, e)) : 0;
}

/* One side of the call must know all that the key needs. */
static int check_sides(struct exprjob *j, const struct bykey_exprs *by, struct bykey *key)
{
	for (size_t i = 0; i < by->n; i++) {
		unsigned int needs = exprword_needs(j, by->v[i]);

		j->text = by->text[i];
		key->params |= !!(needs & EXPR_NEEDS_PARAM);
		key->results |= !!(needs & EXPR_NEEDS_RESULT);
		if (!key->params || !key->results)
			continue;
		return exprjob_wrong_all(j, by->v[i],
					 "parameters are known only at the call, results only at the return: a key can't have both");
	}
	return 0;
}

static int compile(struct exprjob *j, struct exprc_scope *scope, const struct bykey_exprs *by,
		   struct bykey *key)
{
	if (exprjob_assign(j) || check_sides(j, by, key))
		return -1;
	scope->results = key->results;
	for (size_t i = 0; i < by->n; i++) {
		j->text = by->text[i];
		if (compile_part(j, by->v[i], &key->parts[i]))
			return -1;
	}
	key->n = by->n;
	key->nops = j->code.nops;
	key->ops = exprjob_keep(j, j->ops, key->nops, sizeof(*key->ops));
	return key->ops ? 0 : -1;
}

int bykey_compile(const struct exprc_scope *scope, const struct bykey_exprs *by,
		  struct bykey *ret, struct diag *d)
{
	struct exprc_scope side = *scope;
	struct exprjob *j = exprjob_new(&side, NULL, true, d);
	int err;

	*ret = (struct bykey){ .n = 0 };
	err = j ? compile(j, &side, by, ret) : -1;
	free(j);
	return err;
}
