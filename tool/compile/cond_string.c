// SPDX-License-Identifier: GPL-2.0
/* Conditions on strings and floats, to operations. */
#include <string.h>

#include "compile/cond_tree.h"

#define WORD 8U

/* --- strings ------------------------------------------------------------------------ */

/**
 * struct text - a string while it is tested
 * @place: where its two words are
 * @len: register with its length
 * @p: register for its address
 */
struct text {
	struct exprplace place;
	uint8_t len;
	uint8_t p;
};

/* The length is loaded, the address is not: often the length is enough. */
static int begin(struct filterjob *f, const struct filternode *n, struct text *t)
{
	struct exprcode *c = &f->j->code;

	if (filtercode_place(f, n, &t->place))
		return -1;
	t->len = exprcode_take(c);
	t->p = exprcode_take(c);
	exprplace_load(c, &t->place, WORD, WORD, t->len);
	return 0;
}

static void load_address(struct exprcode *c, const struct text *t)
{
	exprplace_load(c, &t->place, 0, WORD, t->p);
}

static uint64_t bytes_at(const char *s, size_t n)
{
	uint64_t v = 0;

	/* As the processor loads them: the first one is the lowest. */
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)(uint8_t)s[i] << 8 * i;
	return v;
}

/* Go to @differs unless the @size bytes at @at of @s are @from bytes behind the address. */
static void check_bytes(struct exprcode *c, uint8_t p, uint8_t reg, uint64_t from, const char *s,
			size_t size, struct filterlabel *differs)
{
	exprcode_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_LOAD, .a = reg, .b = p, .size = (uint32_t)size, .value = from });
	exprcode_set(c, GOPROBE_OP_JNE_I, reg, bytes_at(s, size));
	filtercode_jump(c, differs);
}

/* As many as a load takes at a time; the last one overlaps the one before. */
void filtertext_bytes(struct exprcode *c, uint8_t p, uint64_t from, const char *s, size_t n,
		      struct filterlabel *differs)
{
	uint8_t reg = exprcode_take(c);
	size_t size = WORD;

	while (size > n)
		size /= 2;
	for (size_t at = 0; size && at < n; at += size) {
		if (n - at < size)
			at = n - size;
		check_bytes(c, p, reg, from + at, s + at, size, differs);
	}
}

/* The tests are over: what comes here is the same, what went to @differs is not. */
static void decide(struct exprcode *c, bool want, struct filterlabel *to,
		   struct filterlabel *differs)
{
	if (want) {
		exprcode_op2(c, GOPROBE_OP_JUMP, 0, 0);
		filtercode_jump(c, to);
	}
	filtercode_here(c, differs);
}

static void jump_len(struct exprcode *c, uint8_t code, uint8_t len, uint64_t n,
		     struct filterlabel *to)
{
	exprcode_set(c, code, len, n);
	filtercode_jump(c, to);
}

/* @n is text of @s, @len bytes: all of it, or its beginning, or its end. */
static int compare_const(struct filterjob *f, const struct filternode *n,
			 const struct filterconst *s, enum filternode_kind kind,
			 struct filterlabel *differs)
{
	struct exprcode *c = &f->j->code;
	uint64_t from = 0;
	struct text t;

	if (begin(f, n, &t))
		return -1;
	if (kind == FILTERNODE_BINARY)
		jump_len(c, GOPROBE_OP_JNE_I, t.len, s->n, differs);
	else
		jump_len(c, GOPROBE_OP_JSLT_I, t.len, s->n, differs);
	if (!s->n)
		return 0;
	load_address(c, &t);
	if (kind == FILTERNODE_SUFFIX) {
		exprcode_op2(c, GOPROBE_OP_ADD, t.p, t.len);
		from = -(uint64_t)s->n;
	}
	filtertext_bytes(c, t.p, from, s->s, s->n, differs);
	return 0;
}

static int compare_two(struct filterjob *f, const struct filternode *n,
		       struct filterlabel *differs)
{
	struct exprcode *c = &f->j->code;
	struct filterlabel same = { 0 };
	struct text l, r;

	if (begin(f, n->l, &l) || begin(f, n->r, &r))
		return -1;
	exprcode_op2(c, GOPROBE_OP_JNE, l.len, r.len);
	filtercode_jump(c, differs);
	/* Those without bytes may be anywhere. */
	jump_len(c, GOPROBE_OP_JEQ_I, l.len, 0, &same);
	load_address(c, &l);
	load_address(c, &r);
	exprcode_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_SAME, .a = l.p, .b = r.p, .size = FILTER_SAME_MAX,
		.value = l.len });
	jump_len(c, GOPROBE_OP_JEQ_I, l.p, 0, differs);
	/* So far they are the same; whether the rest is was not looked at. */
	exprcode_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_JLT_I, .a = l.len, .offset = 1, .value = FILTER_SAME_MAX + 1 });
	exprcode_set(c, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_BAD);
	filtercode_here(c, &same);
	return 0;
}

int filtertext_test(struct filterjob *f, const struct filternode *n, bool want,
		    struct filterlabel *to)
{
	bool affix = n->kind != FILTERNODE_BINARY;
	struct filterlabel differs = { 0 };
	int err;

	/* "!=" holds where "==" does not. */
	if (!affix && n->op == EXPR_NE)
		want = !want;
	if (affix || n->r->kind == FILTERNODE_CONST)
		err = compare_const(f, n->l, affix ? &n->value : &n->r->value, n->kind,
				    want ? &differs : to);
	else
		err = compare_two(f, n, want ? &differs : to);
	if (!err)
		decide(&f->j->code, want, to, &differs);
	return err;
}

/* --- floats --------------------------------------------------------------------------- */

/* Its bits in a register. */
int filterfloat_bits(struct filterjob *f, const struct filternode *n, const struct gotype *t,
		     uint8_t *reg)
{
	struct exprcode *c = &f->j->code;
	const struct goabi_part *part;
	uint8_t first = c->reg;
	struct exprplace p;

	if (n->kind == FILTERNODE_CONST) {
		float f32 = (float)n->value.f;
		uint32_t bits32;
		uint64_t bits;

		memcpy(&bits, &n->value.f, sizeof(bits));
		memcpy(&bits32, &f32, sizeof(bits32));
		*reg = exprcode_take(c);
		exprcode_set(c, GOPROBE_OP_IMM, *reg, t->size == sizeof(f32) ? bits32 : bits);
		return 0;
	}
	if (filtercode_place(f, n, &p))
		return -1;
	c->reg = first;
	*reg = exprcode_take(c);
	part = p.kind == EXPRPLACE_PARTS ? exprplace_register(&p, p.at) : NULL;
	if (part && part->is_float)
		exprcode_op(c, (struct goprobe_op){
			.code = GOPROBE_OP_FLOAT, .a = *reg, .b = part->reg,
			.size = (uint32_t)t->size });
	else
		exprplace_load(c, &p, 0, (uint32_t)t->size, *reg);
	return 0;
}

/* Its order in a register; what is no number (NaN) goes to @nan. */
static int load_order(struct filterjob *f, const struct filternode *n, const struct gotype *t,
		      uint8_t *reg, struct filterlabel *nan)
{
	if (filterfloat_bits(f, n, t, reg))
		return -1;
	exprcode_op(&f->j->code, (struct goprobe_op){
		.code = GOPROBE_OP_ORDER, .a = *reg, .b = *reg, .size = (uint32_t)t->size });
	filtercode_jump(&f->j->code, nan);
	return 0;
}

int filterfloat_test(struct filterjob *f, const struct filternode *n, enum expr_op op, bool want,
		     struct filterlabel *to)
{
	const struct gotype *t = n->l->type;
	struct exprcode *c = &f->j->code;
	struct filterlabel end = { 0 };
	bool turned = op == EXPR_GT || op == EXPR_LE;
	/* Of NaN nothing holds but "!=". */
	struct filterlabel *nan = (n->op == EXPR_NE) == want ? to : &end;
	uint8_t l, r;

	if (load_order(f, n->l, t, &l, nan) || load_order(f, n->r, t, &r, nan))
		return -1;
	exprcode_op2(c, op == EXPR_EQ ? GOPROBE_OP_JEQ : op == EXPR_NE ? GOPROBE_OP_JNE :
		     op == EXPR_LT || op == EXPR_GT ? GOPROBE_OP_JSLT : GOPROBE_OP_JSGE,
		     turned ? r : l, turned ? l : r);
	filtercode_jump(c, to);
	filtercode_here(c, &end);
	return 0;
}
