// SPDX-License-Identifier: GPL-2.0
/* Expressions of --by, to operations that make keys. */
#include <stdlib.h>
#include <string.h>

#include "compile/cond_tree.h"
#include "compile/group_by.h"
#include "compile/job.h"

#define WORD 8U

int bykey_parse(struct bykey_exprs *by, const char *text, struct diag *d)
{
	struct lex lx;

	if (by->n == BYKEY_EXPRS_MAX)
		return diag_set(d, "--by can be given %d times at most", BYKEY_EXPRS_MAX);
	if (lex_scan(&lx, &by->mem, text, 0, d) || expr_parse_operand(&lx, &by->v[by->n], d))
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

static int wrong(struct exprjob *j, const struct expr *e, const char *why)
{
	diag_set(j->d, "'%.*s' %s", (int)e->len, j->text + e->at, why);
	diag_span(j->d, j->text, e->at, e->len);
	return -1;
}

static const struct gofield *some_field(const struct gotype *t)
{
	for (size_t i = 0; i < t->nfields; i++)
		if (t->fields[i].type->kind <= GOTYPE_STRING && t->fields[i].name[0] != '_')
			return &t->fields[i];
	return NULL;
}

/* "'x' is of type T, which is no key; its length can be one: 'len(x)'" */
static int wrong_type(struct exprjob *j, const struct expr *e, const struct gotype *t)
{
	/* Of "*x" fields are those of x. */
	const struct expr *of = t->kind == GOTYPE_STRUCT && e->kind == EXPR_DEREF ? e->x : e;
	const struct gofield *field = some_field(t);
	const char *text = j->text + of->at;
	int len = (int)of->len;

	diag_set(j->d, "'%.*s' is of type %s, which can't be a key", (int)e->len,
		 j->text + e->at, t->name);
	diag_span(j->d, j->text, e->at, e->len);
	if (t->kind == GOTYPE_STRUCT && field)
		diag_hint(j->d, "name one of its fields, such as '%.*s.%s'", len, text,
			  field->name);
	else if (t->kind == GOTYPE_ARRAY)
		diag_hint(j->d, "name one of its elements, such as '%.*s[0]'", len, text);
	else if (t->kind == GOTYPE_SLICE || t->kind == GOTYPE_MAP)
		diag_hint(j->d, "its length can be one: 'len(%.*s)'", len, text);
	else
		diag_hint(j->d, "numbers, strings, booleans and pointers can, and the types that interfaces hold");
	return -1;
}

/* False if a value of that type can't be part of a key. */
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

static void put_float(struct exprcode *c, const struct exprplace *p, uint8_t reg)
{
	const struct goabi_part *part = p->kind == EXPRPLACE_PARTS ?
					exprplace_register(p, p->at) : NULL;
	uint32_t size = (uint32_t)p->type->size;

	if (part && part->is_float)
		exprcode_op(c, (struct goprobe_op){
			.code = GOPROBE_OP_FLOAT, .a = reg, .b = part->reg, .size = size });
	else
		exprplace_load(c, p, 0, size, reg);
	put_word(c, reg);
}

static void put_string(struct exprcode *c, const struct exprplace *p)
{
	uint8_t len = exprcode_take(c), at = exprcode_take(c);

	exprplace_load(c, p, WORD, WORD, len);
	exprplace_load(c, p, 0, WORD, at);
	exprcode_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_KEY_BYTES, .a = at, .b = len, .size = BYKEY_STRING_MAX });
}

/* Where the program has been loaded must not matter; nil has no type, and stays 0. */
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

static void put(struct exprcode *c, const struct exprplace *p, enum bykey_kind kind)
{
	uint8_t reg;

	if (kind == BYKEY_STRING) {
		put_string(c, p);
		return;
	}
	if (kind == BYKEY_TYPE) {
		put_type(c, p);
		return;
	}
	reg = exprcode_take(c);
	if (p->type->kind == GOTYPE_FLOAT) {
		put_float(c, p, reg);
		return;
	}
	exprplace_number(c, p, reg);
	put_word(c, reg);
}

/* A word that only conditions and keys know. */
static bool put_task(struct exprjob *j, const struct expr *e)
{
	static const char *const words[] = {
		[GOPROBE_TASK_GOID] = "goid", [GOPROBE_TASK_TGID] = "pid",
		[GOPROBE_TASK_TID] = "tid",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!filtertype_is_word(j, e, words[i]))
			continue;
		exprcode_set(&j->code, GOPROBE_OP_TASK, 0, i);
		put_word(&j->code, 0);
		return true;
	}
	return false;
}

/* --- keys ------------------------------------------------------------------------------ */

static int compile_value(struct exprjob *j, const struct expr *e, struct bykey_part *part)
{
	struct exprplace p;

	if (e->kind == EXPR_NUMBER)
		return exprjob_wrong(j, e, "a number is no value of the program");
	j->unavailable = NULL;
	if (exprjob_compile(j, e, &p)) {
		if (j->scope->sig->incomplete && j->d->hint)
			diag_hint(j->d, "write its signature behind the pattern: '%s(x T)'",
				  j->scope->fn->name);
		return -1;
	}
	if (p.steps.n) {
		wrong(j, e, "is found by goprobectl, after the call: too late for a key");
		diag_hint(j->d,
			  "entries of maps and elements of channels can only be shown; what an interface holds needs its type, as in x.(T)");
		return -1;
	}
	if (j->unavailable) {
		diag_set(j->d, "'%.*s' can't be had: %s", (int)e->len, j->text + e->at,
			 j->unavailable);
		diag_span(j->d, j->text, e->at, e->len);
		return -1;
	}
	if (!kind_of(p.type, &part->kind))
		return wrong_type(j, e, p.type);
	part->type = p.type;
	put(&j->code, &p, part->kind);
	return 0;
}

static int compile_part(struct exprjob *j, const struct expr *e, struct bykey_part *part)
{
	j->code.reg = 0;
	part->name = expr_text(j->scope->mem, j->text, e);
	if (!part->name)
		return exprjob_no_memory(j);
	part->kind = BYKEY_SCALAR;
	part->type = &exprjob_int;
	if (filtertype_is_word(j, e, "creator")) {
		if (!filtercode_creator(j, e, 0))
			return -1;
		put_word(&j->code, 0);
	} else if (!put_task(j, e) && compile_value(j, e, part)) {
		return -1;
	}
	return j->code.full ? wrong(j, e, "takes more steps than a key can") : 0;
}

/* What the key needs must be known at one side of the call. */
static int check_sides(struct exprjob *j, const struct bykey_exprs *by, struct bykey *key)
{
	for (size_t i = 0; i < by->n; i++) {
		unsigned int needs = filter_needs(j, by->v[i]);

		j->text = by->text[i];
		key->params |= !!(needs & FILTER_NEEDS_PARAM);
		key->results |= !!(needs & FILTER_NEEDS_RESULT);
		if (!key->params || !key->results)
			continue;
		diag_set(j->d, "parameters are known only at the call, results only at the return: a key can't have both");
		diag_span(j->d, j->text, by->v[i]->at, by->v[i]->len);
		return -1;
	}
	return 0;
}

static int compile(struct exprjob *j, struct exprc_scope *scope, const struct bykey_exprs *by,
		   struct bykey *key)
{
	struct goprobe_op *ops;

	if (exprjob_assign(j) || check_sides(j, by, key))
		return -1;
	scope->results = key->results;
	for (size_t i = 0; i < by->n; i++) {
		j->text = by->text[i];
		if (compile_part(j, by->v[i], &key->parts[i]))
			return -1;
	}
	ops = arena_array(scope->mem, j->code.nops, sizeof(*ops));
	if (!ops)
		return exprjob_no_memory(j);
	memcpy(ops, j->ops, j->code.nops * sizeof(*ops));
	key->n = by->n;
	key->ops = ops;
	key->nops = j->code.nops;
	return 0;
}

int bykey_compile(const struct exprc_scope *scope, const struct bykey_exprs *by,
		  struct bykey *ret, struct diag *d)
{
	struct exprc_scope side = *scope;
	struct exprjob *j = calloc(1, sizeof(*j));
	int err;

	*ret = (struct bykey){ .n = 0 };
	if (!j)
		return diag_set(d, "out of memory");
	j->scope = &side;
	j->d = d;
	j->cond = true;
	j->code.ops = j->ops;
	j->code.pieces = j->pieces;
	err = compile(j, &side, by, ret);
	free(j);
	return err;
}
