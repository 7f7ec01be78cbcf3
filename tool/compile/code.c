// SPDX-License-Identifier: GPL-2.0
/*
 * The lowering of typed trees to operations. A comparison of a number with a constant becomes
 *
 *	REG a, b; SIGN or LOW a, a, size; J.._I a, value, over the next; REJECT
 *
 * The module recognizes up to four of these in a row, and runs no interpreter for them: see
 * kmod/hit/filter.c.
 *
 * A register holds a number extended from the width of its type to 64 bits. So all comparisons
 * are of 64 bits, and only operations that can overflow the width extend their result.
 */
#include <string.h>

#include "compile/typed.h"
#include "gobin/runtime_layout.h"

#define WORD 8U

/* --- numbers ----------------------------------------------------------------------- */

static int load(struct job *j, const struct typed *n, uint8_t *reg)
{
	struct operand *c = &j->code;
	uint8_t first = c->reg;
	struct operand_place p;

	/* No error is possible: the type pass has compiled it before. */
	if (place_compile(j, n->e, &p))
		return -1;
	c->reg = first;
	*reg = operand_take(c);
	operand_number(c, &p, *reg);
	return 0;
}

/* @a @op= @b, both of type @t. */
static void calculate(struct operand *c, enum expr_op op, const struct gotype *t, uint8_t a,
		      uint8_t b)
{
	static const uint8_t codes[][2] = {
		[EXPR_ADD] = { GOPROBE_OP_ADD, GOPROBE_OP_ADD },
		[EXPR_SUB] = { GOPROBE_OP_SUB, GOPROBE_OP_SUB },
		[EXPR_MUL] = { GOPROBE_OP_MUL, GOPROBE_OP_MUL },
		[EXPR_DIV] = { GOPROBE_OP_DIV, GOPROBE_OP_SDIV },
		[EXPR_MOD] = { GOPROBE_OP_MOD, GOPROBE_OP_SMOD },
		[EXPR_SHL] = { GOPROBE_OP_SHL, GOPROBE_OP_SHL },
		[EXPR_SHR] = { GOPROBE_OP_SHR, GOPROBE_OP_SAR },
		[EXPR_BIT_AND] = { GOPROBE_OP_AND, GOPROBE_OP_AND },
		[EXPR_AND_NOT] = { GOPROBE_OP_AND, GOPROBE_OP_AND },
		[EXPR_BIT_OR] = { GOPROBE_OP_OR, GOPROBE_OP_OR },
		[EXPR_XOR] = { GOPROBE_OP_XOR, GOPROBE_OP_XOR },
	};

	if (op == EXPR_AND_NOT) {
		uint8_t ones = operand_take(c);

		operand_set(c, GOPROBE_OP_IMM, ones, -1ULL);
		operand_op2(c, GOPROBE_OP_XOR, b, ones);
	}
	operand_op2(c, codes[op][t->kind == GOTYPE_INT], a, b);
	if (op == EXPR_ADD || op == EXPR_SUB || op == EXPR_MUL || op == EXPR_DIV || op == EXPR_SHL)
		operand_extend(c, t, a);
}

/* Use an operation with an immediate; false if there is no such operation. */
static bool calculate_const(struct operand *c, const struct typed *n, uint8_t a)
{
	uint64_t value = (uint64_t)n->r->value.i;

	if (n->op == EXPR_ADD || n->op == EXPR_SUB)
		operand_set(c, GOPROBE_OP_ADD_I, a, n->op == EXPR_ADD ? value : -value);
	else if (n->op == EXPR_MUL)
		operand_set(c, GOPROBE_OP_MUL_I, a, value);
	else
		return false;
	operand_extend(c, n->type, a);
	return true;
}

/* A shift by a negative number panics in Go. */
static void check_count(struct operand *c, const struct typed *count, uint8_t reg)
{
	if (count->kind == TYPED_CONST || count->type->kind != GOTYPE_INT)
		return;
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_JSGE_I, .a = reg, .offset = 1 });
	operand_set(c, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_RANGE);
}

static int binary(struct job *j, const struct typed *n, uint8_t *reg)
{
	struct operand *c = &j->code;
	uint8_t r;

	if (code_number(j, n->l, reg))
		return -1;
	if (n->r->kind == TYPED_CONST && calculate_const(c, n, *reg))
		return 0;
	if (code_number(j, n->r, &r))
		return -1;
	if (n->op == EXPR_SHL || n->op == EXPR_SHR)
		check_count(c, n->r, r);
	calculate(c, n->op, n->type, *reg, r);
	c->reg = *reg + 1;
	return 0;
}

static int unary(struct job *j, const struct typed *n, uint8_t *reg)
{
	struct operand *c = &j->code;
	uint8_t x, first = operand_take(c);

	*reg = first;
	/* -x is 0 - x, and ^x is -1 - x. */
	operand_set(c, GOPROBE_OP_IMM, first, n->op == EXPR_XOR ? -1ULL : 0);
	if (code_number(j, n->l, &x))
		return -1;
	operand_op2(c, GOPROBE_OP_SUB, first, x);
	operand_extend(c, n->type, first);
	c->reg = first + 1;
	return 0;
}

/* A boolean expression as 1 or 0. */
static int boolean(struct job *j, const struct typed *n, uint8_t *reg)
{
	struct jump_label no = { 0 }, end = { 0 };
	struct operand *c = &j->code;

	*reg = operand_take(c);
	if (code_test(j, n, false, &no))
		return -1;
	operand_set(c, GOPROBE_OP_IMM, *reg, 1);
	jump_always(c, &end);
	jump_here(c, &no);
	operand_set(c, GOPROBE_OP_IMM, *reg, 0);
	jump_here(c, &end);
	c->reg = *reg + 1;
	return 0;
}

/* A constant as a register holds it; of a float its bits. */
static uint64_t constant(const struct typed *n)
{
	const struct constant *v = &n->value;
	float f32 = (float)v->f;
	uint32_t bits32;
	uint64_t bits;

	if (v->kind != CONSTANT_FLOAT)
		return v->kind == CONSTANT_INT ? (uint64_t)v->i :
		       v->kind == CONSTANT_BOOL ? v->b : 0;
	memcpy(&bits32, &f32, sizeof(bits32));
	memcpy(&bits, &v->f, sizeof(bits));
	return n->type->size == sizeof(f32) ? bits32 : bits;
}

static int under(struct job *j, const struct typed *n, uint8_t reg)
{
	struct operand *c = &j->code;

	j->unders[j->nunders++] = (struct filter_under){ .op = c->nops, .e = n->e };
	operand_set(c, GOPROBE_OP_UNDER, reg, 0);
	return 0;
}

/* Is it the goroutine itself, or one of the set of its descendants? */
static int descendant(struct job *j, const struct typed *n, uint8_t reg)
{
	struct operand *c = &j->code;

	operand_set(c, GOPROBE_OP_TASK, reg, GOPROBE_TASK_GOID);
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_JNE_I, .a = reg, .offset = 2, .value = n->e->number });
	operand_set(c, GOPROBE_OP_IMM, reg, 1);
	operand_op(c, (struct goprobe_op){ .code = GOPROBE_OP_JUMP, .offset = 1 });
	operand_op2(c, GOPROBE_OP_IN_SET, reg, reg);
	return 0;
}

/* The goroutine that started this one: 0 without a goroutine. */
static int creator(struct job *j, const struct expr *e, uint8_t reg)
{
	int minor = gobin_go_minor(j->scope->bin);
	uint32_t parent = runtime_layout_get(minor)->g.parent;

	if (!parent) {
		job_wrong(j, e, "Go 1.%d does not record which goroutine has started another",
			  minor);
		diag_hint(j->d, "1.21 and later do");
		return -1;
	}
	operand_set(&j->code, GOPROBE_OP_TASK, reg, GOPROBE_TASK_G);
	operand_op(&j->code, (struct goprobe_op){
		.code = GOPROBE_OP_JEQ_I, .a = reg, .offset = 1 });
	operand_load_at(&j->code, reg, reg, parent, WORD);
	return 0;
}

static int word(struct job *j, const struct typed *n, uint8_t reg)
{
	struct operand *c = &j->code;

	switch (n->word) {
	case EXPRWORD_GOID:
		operand_set(c, GOPROBE_OP_TASK, reg, GOPROBE_TASK_GOID);
		return 0;
	case EXPRWORD_PID:
		operand_set(c, GOPROBE_OP_TASK, reg, GOPROBE_TASK_TGID);
		return 0;
	case EXPRWORD_TID:
		operand_set(c, GOPROBE_OP_TASK, reg, GOPROBE_TASK_TID);
		return 0;
	case EXPRWORD_CREATOR:
		return creator(j, n->e, reg);
	case EXPRWORD_N:
		operand_op2(c, GOPROBE_OP_MOVE, reg, 0);
		return 0;
	default:
		operand_op2(c, GOPROBE_OP_DURATION, reg, 0);
		return 0;
	}
}

int code_number(struct job *j, const struct typed *n, uint8_t *reg)
{
	struct operand *c = &j->code;

	switch (n->kind) {
	case TYPED_PLACE:
		return load(j, n, reg);
	case TYPED_CONST:
		*reg = operand_take(c);
		operand_set(c, GOPROBE_OP_IMM, *reg, constant(n));
		return 0;
	case TYPED_WORD:
		*reg = operand_take(c);
		return word(j, n, *reg);
	case TYPED_UNDER:
		*reg = operand_take(c);
		return under(j, n, *reg);
	case TYPED_DESCENDANT:
		*reg = operand_take(c);
		return descendant(j, n, *reg);
	default:
		return n->type->kind == GOTYPE_BOOL ? boolean(j, n, reg) :
		       n->kind == TYPED_BINARY ? binary(j, n, reg) : unary(j, n, reg);
	}
}

/* --- tests --------------------------------------------------------------------------- */

static enum expr_op opposite(enum expr_op op)
{
	static const enum expr_op to[] = {
		[EXPR_EQ] = EXPR_NE, [EXPR_NE] = EXPR_EQ, [EXPR_LT] = EXPR_GE, [EXPR_GE] = EXPR_LT,
		[EXPR_LE] = EXPR_GT, [EXPR_GT] = EXPR_LE,
	};

	return to[op];
}

/* Compare with a constant. There are only < and >=: x <= 5 is x < 6. */
static int compare_const(struct job *j, const struct typed *n, enum expr_op op,
			 struct jump_label *to)
{
	const struct gotype *t = n->l->type;
	struct operand *c = &j->code;
	uint64_t value = constant(n->r);
	bool sign = t->kind == GOTYPE_INT;
	uint8_t reg;

	if (code_number(j, n->l, &reg))
		return -1;
	if (op == EXPR_LE || op == EXPR_GT) {
		/* Only where a load can fail: see typed_operator.c. */
		if (n->r->value.i == constant_max(t)) {
			if (op == EXPR_LE)
				jump_always(c, to);
			return 0;
		}
		value++;
		op = op == EXPR_LE ? EXPR_LT : EXPR_GE;
	}
	jump_if(c, op == EXPR_EQ ? GOPROBE_OP_JEQ_I : op == EXPR_NE ? GOPROBE_OP_JNE_I :
		op == EXPR_LT ? (sign ? GOPROBE_OP_JSLT_I : GOPROBE_OP_JLT_I) :
		(sign ? GOPROBE_OP_JSGE_I : GOPROBE_OP_JGE_I), reg, value, to);
	return 0;
}

static int compare_two(struct job *j, const struct typed *n, enum expr_op op,
		       struct jump_label *to)
{
	bool sign = n->l->type->kind == GOTYPE_INT, turned = op == EXPR_GT || op == EXPR_LE;
	struct operand *c = &j->code;
	uint8_t l, r;

	if (code_number(j, n->l, &l) || code_number(j, n->r, &r))
		return -1;
	operand_op2(c, op == EXPR_EQ ? GOPROBE_OP_JEQ : op == EXPR_NE ? GOPROBE_OP_JNE :
		    op == EXPR_LT || op == EXPR_GT ? (sign ? GOPROBE_OP_JSLT : GOPROBE_OP_JLT) :
		    (sign ? GOPROBE_OP_JSGE : GOPROBE_OP_JGE), turned ? r : l, turned ? l : r);
	jump_to(c, to);
	return 0;
}

/* A float's sort key in place of its bits; NaN goes to @nan. */
static void order(struct operand *c, const struct gotype *t, uint8_t reg, struct jump_label *nan)
{
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_ORDER, .a = reg, .b = reg, .size = (uint32_t)t->size });
	jump_to(c, nan);
}

static int compare_floats(struct job *j, const struct typed *n, enum expr_op op, bool want,
			  struct jump_label *to)
{
	const struct gotype *t = n->l->type;
	struct operand *c = &j->code;
	struct jump_label end = { 0 };
	bool turned = op == EXPR_GT || op == EXPR_LE;
	/* Only "!=" holds for NaN. */
	struct jump_label *nan = (n->op == EXPR_NE) == want ? to : &end;
	uint8_t l, r;

	/* Both are evaluated before NaN decides: Go, too, dereferences nil on the right. */
	if (code_number(j, n->l, &l) || code_number(j, n->r, &r))
		return -1;
	order(c, t, l, nan);
	order(c, t, r, nan);
	operand_op2(c, op == EXPR_EQ ? GOPROBE_OP_JEQ : op == EXPR_NE ? GOPROBE_OP_JNE :
		    op == EXPR_LT || op == EXPR_GT ? GOPROBE_OP_JSLT : GOPROBE_OP_JSGE,
		    turned ? r : l, turned ? l : r);
	jump_to(c, to);
	jump_here(c, &end);
	return 0;
}

static int compare(struct job *j, const struct typed *n, bool want, struct jump_label *to)
{
	enum expr_op op = want ? n->op : opposite(n->op);

	if (n->r->kind == TYPED_CONST && n->r->value.kind == CONSTANT_STRING)
		return code_test_string(j, n, want, to);
	switch (n->l->type->kind) {
	case GOTYPE_STRING:
		return code_test_string(j, n, want, to);
	case GOTYPE_FLOAT:
		return compare_floats(j, n, op, want, to);
	default:
		return n->r->kind == TYPED_CONST ? compare_const(j, n, op, to) :
							compare_two(j, n, op, to);
	}
}

static int logic(struct job *j, const struct typed *n, bool want, struct jump_label *to)
{
	struct operand *c = &j->code;
	struct jump_label end = { 0 };
	uint8_t first = c->reg;
	/* The first operand alone decides if it has this value. */
	bool decides = n->op == EXPR_OR;

	if (code_test(j, n->l, decides, want == decides ? to : &end))
		return -1;
	c->reg = first;
	if (code_test(j, n->r, want, to))
		return -1;
	jump_here(c, &end);
	return 0;
}

int code_test(struct job *j, const struct typed *n, bool want, struct jump_label *to)
{
	struct operand *c = &j->code;
	uint8_t reg;

	switch (n->kind) {
	case TYPED_CONST:
		if (n->value.b == want)
			jump_always(c, to);
		return 0;
	case TYPED_PREFIX:
	case TYPED_SUFFIX:
	case TYPED_MATCH:
		return code_test_string(j, n, want, to);
	case TYPED_UNARY:
		return code_test(j, n->l, !want, to);
	case TYPED_BINARY:
		return n->op == EXPR_OR || n->op == EXPR_AND ? logic(j, n, want, to) :
							       compare(j, n, want, to);
	default:
		if (code_number(j, n, &reg))
			return -1;
		jump_if(c, want ? GOPROBE_OP_JNE_I : GOPROBE_OP_JEQ_I, reg, 0, to);
		return 0;
	}
}
