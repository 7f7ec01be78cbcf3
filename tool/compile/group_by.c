// SPDX-License-Identifier: GPL-2.0
/* The compiler of group-by keys, and of the values that are counted by them. */
#include <errno.h>
#include <stdlib.h>

#include "compile/typed.h"
#include "compile/group_by.h"

#define WORD 8U

static int parse(struct group_by_exprs *by, const char *text, const struct expr **ret,
		 const char *hint, struct diag *d)
{
	struct lex lx;

	if (lex_scan(&lx, &by->mem, text, 0, d) || expr_parse(&lx, ret, d))
		return -1;
	if (lex_peek(&lx, 0)->kind == LEX_END)
		return 0;
	lex_wrong(&lx, lex_peek(&lx, 0), d, "nothing can follow here");
	diag_hint(d, "%s", hint);
	return -1;
}

int group_by_parse(struct group_by_exprs *by, const char *text, struct diag *d)
{
	if (by->n == GROUP_BY_EXPRS_MAX)
		return diag_set(d, "--by can be given %d times at most", GROUP_BY_EXPRS_MAX);
	if (parse(by, text, &by->v[by->n], "each expression has its own --by", d))
		return -1;
	by->text[by->n++] = text;
	return 0;
}

int group_by_parse_value(struct group_by_exprs *by, const char *text, struct diag *d)
{
	if (by->value) {
		diag_set(d, "--hist and --sum are about one value: give one of them, once");
		diag_hint(d, "--hist shows the sum, too");
		return -1;
	}
	by->value_text = text;
	return parse(by, text, &by->value, "calls have one value; --by groups them", d);
}

/* A number, and the character @end behind it. */
static bool take_number(const char **s, char end, int64_t *ret)
{
	char *behind;

	errno = 0;
	*ret = strtoll(*s, &behind, 10);
	if (errno || behind == *s || *behind != end)
		return false;
	*s = behind + 1;
	return true;
}

int group_by_parse_range(struct group_by_exprs *by, const char *text, struct diag *d)
{
	struct group_by_range *r = &by->range;
	const char *s = text;
	int64_t step;
	uint64_t n;

	if (!take_number(&s, ',', &r->low) || !take_number(&s, ',', &r->high) ||
	    !take_number(&s, 0, &step) || step < 1 || r->low >= r->high) {
		diag_set(d, "'%s' is no value for --linear", text);
		diag_hint(d, "it takes LO,HI,STEP: 0,1000,100 makes ten buckets from 0 to below 1000");
		return -1;
	}
	r->step = step;
	n = ((uint64_t)r->high - r->low - 1) / r->step + 1;
	r->n = n;
	if (n <= GROUP_BY_RANGE_MAX)
		return 0;
	diag_set(d, "'%s' makes %llu buckets, and a histogram has %d at most", text,
		 (unsigned long long)n, GROUP_BY_RANGE_MAX);
	diag_hint(d, "make STEP larger");
	return -1;
}

void group_by_fini(struct group_by_exprs *by)
{
	arena_fini(&by->mem);
}

uint32_t group_by_bytes(const struct group_by_exprs *by)
{
	/* A value alone makes no key, but the module has a table of keys all the same. */
	return by->n ? (uint32_t)by->n * (WORD + GROUP_BY_STRING_MAX + WORD) : WORD;
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
static int wrong_type(struct job *j, const struct expr *e, const struct gotype *t)
{
	/* The fields of "*x" are those of x. */
	const struct expr *of = t->kind == GOTYPE_STRUCT && e->kind == EXPR_DEREF ? e->x : e;
	const struct gofield *field = some_field(t);
	const char *text = job_text(j, of);

	job_wrong_all(j, e, "'%s' is of type %s, which can't be a key", job_text(j, e),
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
static bool kind_of(const struct gotype *t, enum group_by_kind *kind)
{
	switch (t->kind) {
	case GOTYPE_BOOL:
	case GOTYPE_INT:
	case GOTYPE_UINT:
	case GOTYPE_FLOAT:
		*kind = GROUP_BY_SCALAR;
		return t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8;
	case GOTYPE_STRING:
	case GOTYPE_SLICE:
		*kind = GROUP_BY_STRING;
		return typed_is_text(t);
	case GOTYPE_POINTER:
	case GOTYPE_CHAN:
		*kind = GROUP_BY_ADDRESS;
		return true;
	case GOTYPE_INTERFACE:
		*kind = GROUP_BY_TYPE;
		return true;
	default:
		return false;
	}
}

/* --- operations ---------------------------------------------------------------------- */

static void put_word(struct operand *c, uint8_t reg)
{
	operand_op2(c, GOPROBE_OP_KEY, reg, 0);
}

static void put_string(struct operand *c, const struct operand_place *p)
{
	uint8_t len = operand_take(c), at = operand_take(c);

	operand_load(c, p, WORD, WORD, len);
	operand_load(c, p, 0, WORD, at);
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_KEY_BYTES, .a = at, .b = len, .size = GROUP_BY_STRING_MAX,
		.value = GROUP_BY_HASHED_MAX });
}

/* The link-time address of the dynamic type; nil has no type, and stays 0. */
static void put_type(struct operand *c, const struct operand_place *p)
{
	struct operand_place word = { .kind = OPERAND_MEMORY, .reg = operand_take(c) };
	uint8_t bias = operand_take(c);
	size_t jump;

	operand_load(c, p, 0, WORD, word.reg);
	jump = c->nops;
	operand_op2(c, GOPROBE_OP_JEQ, word.reg, OPERAND_ZERO);
	/* An itab's second word is the type: internal/abi.ITab. */
	if (!p->type->empty)
		operand_load(c, &word, WORD, WORD, word.reg);
	operand_set(c, GOPROBE_OP_STATIC, bias, 0);
	operand_op2(c, GOPROBE_OP_SUB, word.reg, bias);
	if (!c->full)
		c->ops[jump].offset = (uint32_t)(c->nops - jump - 1);
	put_word(c, word.reg);
}

static int put(struct job *j, const struct typed *n, enum group_by_kind kind)
{
	struct operand_place p;
	uint8_t reg;

	if (kind != GROUP_BY_STRING && kind != GROUP_BY_TYPE) {
		if (code_number(j, n, &reg))
			return -1;
		put_word(&j->code, reg);
		return 0;
	}
	if (place_compile(j, n->e, &p))
		return -1;
	(kind == GROUP_BY_STRING ? put_string : put_type)(&j->code, &p);
	return 0;
}

/* --- keys ------------------------------------------------------------------------------ */

static int check_node(struct job *j, const struct typed *n, struct group_by_part *part)
{
	if (typed_word_needs(j, n->e) &
	    ~(EXPR_NEEDS_PARAM | EXPR_NEEDS_RESULT | EXPR_NEEDS_GOROUTINE))
		return job_wrong_all(j, n->e,
				     "'n', 'duration', 'panicked', 'under' and 'descendant' are for conditions, not for keys");
	if (typed_is_const(n))
		return job_wrong_all(j, n->e, "'%s' is the same for all calls",
				     job_text(j, n->e));
	part->type = n->type;
	return kind_of(n->type, &part->kind) ? 0 : wrong_type(j, n->e, n->type);
}

/* Keys and values are printed. */
static int check_secret(struct job *j, const struct expr *e)
{
	if (!j->secret)
		return 0;
	job_wrong_all(j, e, "'%s' is redacted, so it can't be a key or a value: these are printed",
		      job_text(j, e));
	diag_hint(j->d, "a name or type in it says that it is secret; --no-redact allows it");
	return -1;
}

static const struct typed *typed_part(struct job *j, const struct expr *e)
{
	const struct typed *n;

	j->secret = false;
	n = typed_expr(j, e);
	if (!n && j->scope->sig->incomplete && j->d->hint)
		diag_hint(j->d, "write its signature behind the pattern: '%s(x T)'",
			  j->scope->fn->name);
	return n;
}

static int compile_part(struct job *j, const struct expr *e, struct group_by_part *part)
{
	const struct typed *n = typed_part(j, e);

	part->name = expr_text(j->scope->mem, j->text, e);
	if (!part->name)
		return job_no_memory(j);
	j->code.reg = 0;
	if (!n || check_node(j, n, part) || check_secret(j, e) || put(j, n, part->kind))
		return -1;
	return j->code.full ? job_wrong_all(j, e, "'%s' takes more steps than a key can",
					    job_text(j, e)) : 0;
}

/* --- values ---------------------------------------------------------------------------- */

/* "'s' is of type string, which is no integer; did you mean 'len(s)'?" */
static int no_integer(struct job *j, const struct expr *e, const struct gotype *t)
{
	const struct gofield *field = t->kind == GOTYPE_STRUCT ? some_field(t) : NULL;
	const char *text = job_text(j, e);

	job_wrong_all(j, e, "'%s' is of type %s, which is no integer", text, t->name);
	switch (t->kind) {
	case GOTYPE_STRING:
	case GOTYPE_SLICE:
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
		diag_hint(j->d, "did you mean 'len(%s)'?", text);
		break;
	case GOTYPE_BOOL:
		diag_hint(j->d, "--by %s counts both values", text);
		break;
	default:
		if (!field)
			diag_hint(j->d, "integers and lengths have a sum and a histogram");
		else
			diag_hint(j->d, "name one of its fields, such as '%s.%s'", text,
				  field->name);
	}
	return -1;
}

static int check_value(struct job *j, const struct typed *n, struct group_by_value *v)
{
	unsigned int needs = typed_word_needs(j, n->e);

	if (needs & EXPR_NEEDS_DURATION) {
		job_wrong_all(j, n->e, "how long calls take is no value to be summed");
		diag_hint(j->d, "'goprobectl latency' shows durations, with a histogram");
		return -1;
	}
	if (needs & ~(EXPR_NEEDS_PARAM | EXPR_NEEDS_RESULT | EXPR_NEEDS_GOROUTINE))
		return job_wrong_all(j, n->e,
				     "'n', 'panicked', 'under' and 'descendant' are for conditions, not for values");
	if (typed_is_const(n))
		return job_wrong_all(j, n->e, "'%s' is the same for all calls",
				     job_text(j, n->e));
	v->type = n->type;
	v->is_signed = n->type->kind == GOTYPE_INT;
	if (!v->is_signed && n->type->kind != GOTYPE_UINT)
		return no_integer(j, n->e, n->type);
	if (v->is_signed || v->range.low >= 0)
		return 0;
	job_wrong_all(j, n->e, "'%s' is of type %s, so no value is below 0",
		      job_text(j, n->e), n->type->name);
	diag_hint(j->d, "--linear can begin at 0");
	return -1;
}

/* The bucket of the value in @reg: 0 is below the range, range->n + 1 above. */
static void put_bucket(struct operand *c, const struct group_by_value *v, uint8_t reg)
{
	uint8_t to = operand_take(c), step = operand_take(c);
	const struct goprobe_op ops[] = {
		{ .code = GOPROBE_OP_IMM, .a = to },
		{ .code = v->is_signed ? GOPROBE_OP_JSLT_I : GOPROBE_OP_JLT_I, .a = reg,
		  .offset = 7, .value = v->range.low },
		{ .code = GOPROBE_OP_IMM, .a = to, .value = v->range.n + 1 },
		{ .code = v->is_signed ? GOPROBE_OP_JSGE_I : GOPROBE_OP_JGE_I, .a = reg,
		  .offset = 5, .value = v->range.high },
		{ .code = GOPROBE_OP_MOVE, .a = to, .b = reg },
		{ .code = GOPROBE_OP_ADD_I, .a = to, .value = 0 - (uint64_t)v->range.low },
		{ .code = GOPROBE_OP_IMM, .a = step, .value = v->range.step },
		{ .code = GOPROBE_OP_DIV, .a = to, .b = step },
		{ .code = GOPROBE_OP_ADD_I, .a = to, .value = 1 },
		{ .code = GOPROBE_OP_BUCKET, .a = to },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		operand_op(c, ops[i]);
}

/* Its program is behind that of the key, in the same memory. */
static int compile_value(struct job *j, const struct expr *e, struct group_by_value *v)
{
	size_t first = j->code.nops;
	const struct typed *n;
	uint8_t reg;

	j->code.reg = 0;
	n = typed_part(j, e);
	v->name = expr_text(j->scope->mem, j->text, e);
	if (!v->name)
		return job_no_memory(j);
	if (!n || check_value(j, n, v) || check_secret(j, e) || code_number(j, n, &reg))
		return -1;
	operand_op2(&j->code, v->is_signed ? GOPROBE_OP_SVALUE : GOPROBE_OP_VALUE, reg, 0);
	if (v->range.step)
		put_bucket(&j->code, v, reg);
	if (j->code.full)
		return job_wrong_all(j, e, "'%s' takes more steps than a value can",
				     job_text(j, e));
	v->nops = j->code.nops - first;
	v->ops = job_keep(j, j->ops + first, v->nops, sizeof(*v->ops));
	return v->ops ? 0 : -1;
}

static int check_value_sides(struct job *j, const struct group_by_exprs *by,
			     struct group_by_value *v)
{
	unsigned int needs = typed_word_needs(j, by->value);

	j->text = by->value_text;
	v->range = by->range;
	v->params = needs & EXPR_NEEDS_PARAM;
	v->results = needs & EXPR_NEEDS_RESULT;
	if (!v->params || !v->results)
		return 0;
	return job_wrong_all(j, by->value,
			     "parameters are known only at the call, results only at the return: a value can't have both");
}

/* --- both ------------------------------------------------------------------------------ */

/* One side of the call must know all that the key needs. */
static int check_sides(struct job *j, const struct group_by_exprs *by, struct group_by *key)
{
	for (size_t i = 0; i < by->n; i++) {
		unsigned int needs = typed_word_needs(j, by->v[i]);

		j->text = by->text[i];
		key->params |= !!(needs & EXPR_NEEDS_PARAM);
		key->results |= !!(needs & EXPR_NEEDS_RESULT);
		if (!key->params || !key->results)
			continue;
		return job_wrong_all(j, by->v[i],
				     "parameters are known only at the call, results only at the return: a key can't have both");
	}
	return 0;
}

static int compile(struct job *j, struct expr_scope *scope, const struct group_by_exprs *by,
		   struct group_by *key)
{
	if (job_assign(j) || check_sides(j, by, key))
		return -1;
	scope->results = key->results;
	for (size_t i = 0; i < by->n; i++) {
		j->text = by->text[i];
		if (compile_part(j, by->v[i], &key->parts[i]))
			return -1;
	}
	key->n = by->n;
	key->nops = j->code.nops;
	key->ops = job_keep(j, j->ops, key->nops, sizeof(*key->ops));
	if (!key->ops || !by->value)
		return key->ops ? 0 : -1;
	if (check_value_sides(j, by, &key->value))
		return -1;
	scope->results = key->value.results;
	return compile_value(j, by->value, &key->value);
}

int group_by_compile(const struct expr_scope *scope, const struct group_by_exprs *by,
		     struct group_by *ret, struct diag *d)
{
	struct expr_scope side = *scope;
	struct job *j = job_new(&side, NULL, true, d);
	int err;

	*ret = (struct group_by){ .n = 0 };
	err = j ? compile(j, &side, by, ret) : -1;
	free(j);
	return err;
}
