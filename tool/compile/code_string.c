// SPDX-License-Identifier: GPL-2.0
/* The lowering of tests of strings and floats to operations. */
#include <string.h>

#include "compile/typed.h"

#define WORD 8U

/* --- strings ------------------------------------------------------------------------ */

/* A string while it is tested. */
struct text {
	struct operand_place place;	/* where its two words are */
	uint8_t len;		/* register with its length */
	uint8_t p;		/* register for its address */
};

/* Load the length only: often it decides. */
static int begin(struct job *j, const struct typed *n, struct text *t)
{
	struct operand *c = &j->code;

	if (code_place(j, n, &t->place))
		return -1;
	t->len = operand_take(c);
	t->p = operand_take(c);
	operand_load(c, &t->place, WORD, WORD, t->len);
	return 0;
}

static void load_address(struct operand *c, const struct text *t)
{
	operand_load(c, &t->place, 0, WORD, t->p);
}

static uint64_t bytes_at(const char *s, size_t n)
{
	uint64_t v = 0;

	/* Little-endian: the first byte is the lowest. */
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)(uint8_t)s[i] << 8 * i;
	return v;
}

/* Go to @differs unless the @size bytes at @at of @s are @from bytes behind the address. */
static void check_bytes(struct operand *c, uint8_t p, uint8_t reg, uint64_t from, const char *s,
			size_t size, struct codelabel *differs)
{
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_LOAD, .a = reg, .b = p, .size = (uint32_t)size, .value = from });
	operand_set(c, GOPROBE_OP_JNE_I, reg, bytes_at(s, size));
	code_jump(c, differs);
}

/* Compare a word at a time; the last load overlaps the one before. */
void code_bytes(struct operand *c, uint8_t p, uint64_t from, const char *s, size_t n,
		struct codelabel *differs)
{
	uint8_t reg = operand_take(c);
	size_t size = WORD;

	while (size > n)
		size /= 2;
	for (size_t at = 0; size && at < n; at += size) {
		if (n - at < size)
			at = n - size;
		check_bytes(c, p, reg, from + at, s + at, size, differs);
	}
}

/* End the tests: here the strings are the same, at @differs they are not. */
static void decide(struct operand *c, bool want, struct codelabel *to, struct codelabel *differs)
{
	if (want) {
		operand_op2(c, GOPROBE_OP_JUMP, 0, 0);
		code_jump(c, to);
	}
	code_here(c, differs);
}

static void jump_len(struct operand *c, uint8_t code, uint8_t len, uint64_t n,
		     struct codelabel *to)
{
	operand_set(c, code, len, n);
	code_jump(c, to);
}

/* Go to @differs unless @n is @s, or begins or ends with it: @kind. */
static int compare_const(struct job *j, const struct typed *n,
			 const struct constant *s, enum typed_kind kind,
			 struct codelabel *differs)
{
	struct operand *c = &j->code;
	uint64_t from = 0;
	struct text t;

	if (begin(j, n, &t))
		return -1;
	if (kind == TYPED_BINARY)
		jump_len(c, GOPROBE_OP_JNE_I, t.len, s->n, differs);
	else
		jump_len(c, GOPROBE_OP_JSLT_I, t.len, s->n, differs);
	if (!s->n)
		return 0;
	load_address(c, &t);
	if (kind == TYPED_SUFFIX) {
		operand_op2(c, GOPROBE_OP_ADD, t.p, t.len);
		from = -(uint64_t)s->n;
	}
	code_bytes(c, t.p, from, s->s, s->n, differs);
	return 0;
}

static int compare_two(struct job *j, const struct typed *n, struct codelabel *differs)
{
	struct operand *c = &j->code;
	struct codelabel same = { 0 };
	struct text l, r;

	if (begin(j, n->l, &l) || begin(j, n->r, &r))
		return -1;
	operand_op2(c, GOPROBE_OP_JNE, l.len, r.len);
	code_jump(c, differs);
	/* Empty strings can have any address. */
	jump_len(c, GOPROBE_OP_JEQ_I, l.len, 0, &same);
	load_address(c, &l);
	load_address(c, &r);
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_SAME, .a = l.p, .b = r.p, .size = FILTER_SAME_MAX,
		.value = l.len });
	jump_len(c, GOPROBE_OP_JEQ_I, l.p, 0, differs);
	/* The beginnings are the same. Longer strings fail: their ends were not compared. */
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_JLT_I, .a = l.len, .offset = 1, .value = FILTER_SAME_MAX + 1 });
	operand_set(c, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_BAD);
	code_here(c, &same);
	return 0;
}

int code_test_string(struct job *j, const struct typed *n, bool want, struct codelabel *to)
{
	bool affix = n->kind != TYPED_BINARY;
	struct codelabel differs = { 0 };
	int err;

	/* "!=" holds where "==" does not. */
	if (!affix && n->op == EXPR_NE)
		want = !want;
	if (affix || n->r->kind == TYPED_CONST)
		err = compare_const(j, n->l, affix ? &n->value : &n->r->value, n->kind,
				    want ? &differs : to);
	else
		err = compare_two(j, n, want ? &differs : to);
	if (!err)
		decide(&j->code, want, to, &differs);
	return err;
}

/* --- floats --------------------------------------------------------------------------- */

/* A float's sort key in place of its bits; NaN goes to @nan. */
static void order(struct operand *c, const struct gotype *t, uint8_t reg, struct codelabel *nan)
{
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_ORDER, .a = reg, .b = reg, .size = (uint32_t)t->size });
	code_jump(c, nan);
}

int code_test_float(struct job *j, const struct typed *n, enum expr_op op, bool want,
		    struct codelabel *to)
{
	const struct gotype *t = n->l->type;
	struct operand *c = &j->code;
	struct codelabel end = { 0 };
	bool turned = op == EXPR_GT || op == EXPR_LE;
	/* Only "!=" holds for NaN. */
	struct codelabel *nan = (n->op == EXPR_NE) == want ? to : &end;
	uint8_t l, r;

	/* Both are evaluated before NaN decides: Go, too, dereferences nil on the right. */
	if (code_number(j, n->l, &l) || code_number(j, n->r, &r))
		return -1;
	order(c, t, l, nan);
	order(c, t, r, nan);
	operand_op2(c, op == EXPR_EQ ? GOPROBE_OP_JEQ : op == EXPR_NE ? GOPROBE_OP_JNE :
		    op == EXPR_LT || op == EXPR_GT ? GOPROBE_OP_JSLT : GOPROBE_OP_JSGE,
		    turned ? r : l, turned ? l : r);
	code_jump(c, to);
	code_here(c, &end);
	return 0;
}
