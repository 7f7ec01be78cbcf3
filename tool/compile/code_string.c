// SPDX-License-Identifier: GPL-2.0
/* The lowering of tests of strings to operations. */
#include "compile/typed.h"

#define WORD 8U

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

	if (place_compile(j, n->e, &t->place))
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

/* End the tests: here the strings are the same, at @differs they are not. */
static void decide(struct operand *c, bool want, struct jump_label *to, struct jump_label *differs)
{
	if (want)
		jump_always(c, to);
	jump_here(c, differs);
}

/* Go to @differs unless @n is @s, or begins or ends with it: @kind. */
static int compare_const(struct job *j, const struct typed *n,
			 const struct constant *s, enum typed_kind kind,
			 struct jump_label *differs)
{
	struct operand *c = &j->code;
	uint64_t from = 0;
	struct text t;

	if (begin(j, n, &t))
		return -1;
	if (kind == TYPED_BINARY)
		jump_if(c, GOPROBE_OP_JNE_I, t.len, s->n, differs);
	else
		jump_if(c, GOPROBE_OP_JSLT_I, t.len, s->n, differs);
	if (!s->n)
		return 0;
	load_address(c, &t);
	if (kind == TYPED_SUFFIX) {
		operand_op2(c, GOPROBE_OP_ADD, t.p, t.len);
		from = -(uint64_t)s->n;
	}
	jump_unless_bytes(c, t.p, from, s->s, s->n, differs);
	return 0;
}

static int compare_two(struct job *j, const struct typed *n, struct jump_label *differs)
{
	struct operand *c = &j->code;
	struct jump_label same = { 0 };
	struct text l, r;

	if (begin(j, n->l, &l) || begin(j, n->r, &r))
		return -1;
	operand_op2(c, GOPROBE_OP_JNE, l.len, r.len);
	jump_to(c, differs);
	/* Empty strings can have any address. */
	jump_if(c, GOPROBE_OP_JEQ_I, l.len, 0, &same);
	load_address(c, &l);
	load_address(c, &r);
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_SAME, .a = l.p, .b = r.p, .size = FILTER_SAME_MAX,
		.value = l.len });
	jump_if(c, GOPROBE_OP_JEQ_I, l.p, 0, differs);
	/* The beginnings are the same. Longer strings fail: their ends were not compared. */
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_JLT_I, .a = l.len, .offset = 1, .value = FILTER_SAME_MAX + 1 });
	operand_set(c, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_BAD);
	jump_here(c, &same);
	return 0;
}

/* Go to @to if the automaton accepts @n->l, and @want; or if it does not, and not @want. */
static int match(struct job *j, const struct typed *n, bool want, struct jump_label *to)
{
	const struct automaton *a = n->e->automaton;
	struct operand *c = &j->code;
	struct text t;

	if (begin(j, n->l, &t))
		return -1;
	load_address(c, &t);
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_MATCH, .a = t.p, .b = t.len, .size = FILTER_SAME_MAX,
		.value = a->columns });
	operand_data(c, a->bytes, a->n);
	jump_if(c, want ? GOPROBE_OP_JNE_I : GOPROBE_OP_JEQ_I, t.p, 0, to);
	return 0;
}

int code_test_string(struct job *j, const struct typed *n, bool want, struct jump_label *to)
{
	bool affix = n->kind != TYPED_BINARY;
	struct jump_label differs = { 0 };
	int err;

	if (n->kind == TYPED_MATCH)
		return match(j, n, want, to);
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
