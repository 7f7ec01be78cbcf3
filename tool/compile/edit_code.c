// SPDX-License-Identifier: GPL-2.0
/*
 * The lowering of assignments to operations. All new values are computed from the old ones: the
 * module writes them when the program ends.
 */
#include "compile/edit_tree.h"

#define WORD 8U

/* --- new values -------------------------------------------------------------- */

/* Number @e, or that of register @otherwise, in a register of its own. */
static int bound(struct job *j, const struct expr *e, uint8_t otherwise, uint8_t *reg)
{
	struct operand *c = &j->code;
	const struct gotype *t;
	struct operand_place p;
	uint8_t first;
	int sum;

	*reg = operand_take(c);
	if (!e) {
		operand_op2(c, GOPROBE_OP_MOVE, *reg, otherwise);
		return 0;
	}
	first = c->reg;
	if (e->kind == EXPR_BINARY) {
		sum = index_load(j, e);
		if (sum < 0)
			return -1;
		operand_op2(c, GOPROBE_OP_MOVE, *reg, (uint8_t)sum);
		c->reg = first;
		return 0;
	}
	if (index_check(j, e) || place_compile(j, e, &p))
		return -1;
	t = job_type_of(&p);
	if (p.steps.n || !t || !constant_is_whole(t))
		return job_wrong_all(j, e, "an index is a whole number that the module finds");
	operand_number(c, &p, *reg);
	c->reg = first;
	return 0;
}

/* The operation fails unless @a >= @b, unsigned. */
static void check_not_less(struct operand *c, uint8_t a, uint8_t b)
{
	operand_skip(c, GOPROBE_OP_JGE, a, b);
	operand_set(c, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_RANGE);
}

/*
 * Move the address with the beginning, unless nothing is left: then it would point behind the
 * object, into another one. Go's compiler does the same. @left: register with the remaining
 * capacity.
 */
static void move_address(struct operand *c, const struct gotype *t, uint8_t address, uint8_t low,
			 uint8_t left)
{
	uint64_t size = t->kind == GOTYPE_STRING ? 1 : t->elem ? t->elem->size : 0;

	operand_set(c, GOPROBE_OP_MUL_I, low, size);
	operand_op(c, (struct goprobe_op){ .code = GOPROBE_OP_JEQ_I, .a = left, .offset = 1 });
	operand_op2(c, GOPROBE_OP_ADD, address, low);
}

/* s[low:high], 0 <= low <= high <= len(s): memory between len and cap can belong to others. */
static int part(struct job *j, const struct editvalue *v, struct editword *words, size_t *n)
{
	bool slice = v->type->kind == GOTYPE_SLICE;
	struct operand *c = &j->code;
	uint8_t address = operand_take(c), len = operand_take(c), cap = operand_take(c);
	uint8_t low, high, first = c->reg;
	struct operand_place p;

	if (place_compile(j, v->to, &p))
		return -1;
	/* The address comes last: it may be in the register that finds the place. */
	operand_load(c, &p, WORD, WORD, len);
	if (slice)
		operand_load(c, &p, 2 * WORD, WORD, cap);
	operand_load(c, &p, 0, WORD, address);
	c->reg = first;
	if (bound(j, v->low, OPERAND_ZERO, &low) || bound(j, v->high, len, &high))
		return -1;
	check_not_less(c, len, high);
	check_not_less(c, high, low);
	operand_op2(c, GOPROBE_OP_MOVE, len, high);
	operand_op2(c, GOPROBE_OP_SUB, len, low);
	if (v->low) {
		if (slice)
			operand_op2(c, GOPROBE_OP_SUB, cap, low);
		move_address(c, v->type, address, low, slice ? cap : len);
	}
	words[0] = (struct editword){ .at = 0, .size = WORD, .reg = address, .same = !v->low };
	words[1] = (struct editword){ .at = WORD, .size = WORD, .reg = len };
	words[2] = (struct editword){ .at = 2 * WORD, .size = WORD, .reg = cap, .same = !v->low };
	*n = slice ? 3 : 2;
	c->reg = first;
	return 0;
}

/* nil or "": all words are 0, or the length alone. */
static int zero(struct job *j, const struct editvalue *v, struct editword *words, size_t *n)
{
	struct operand *c = &j->code;
	struct operand_place p;
	uint8_t address;

	for (*n = 0; *n * WORD < v->type->size; (*n)++)
		words[*n] = (struct editword){ .at = *n * WORD, .size = WORD,
					       .reg = OPERAND_ZERO };
	if (v->kind == EDITVALUE_ZERO)
		return 0;
	address = operand_take(c);
	if (place_compile(j, v->to, &p))
		return -1;
	operand_load(c, &p, 0, WORD, address);
	words[0].reg = address;
	words[0].same = true;
	c->reg = address + 1;
	return 0;
}

int editcode_words(struct job *j, const struct editvalue *v, struct editword *words,
		   size_t *n)
{
	words[0] = (struct editword){ .size = (uint32_t)v->type->size };
	*n = 1;
	switch (v->kind) {
	case EDITVALUE_NUMBER:
		return code_number(j, v->node, &words[0].reg);
	case EDITVALUE_PART:
		return part(j, v, words, n);
	default:
		return zero(j, v, words, n);
	}
}

/* --- their places ----------------------------------------------------------------------- */

static void set_register(struct operand *c, const struct operand_place *p, const struct editword *w)
{
	const struct abi_part *to = operand_register(p, p->at + w->at);

	if (!to || to->size != w->size) {
		c->full = true;
		return;
	}
	operand_op(c, (struct goprobe_op){
		.code = to->is_float ? GOPROBE_OP_SET_FLOAT : GOPROBE_OP_SET, .a = w->reg,
		.b = to->reg, .size = to->is_float ? to->size : 0 });
}

int editcode_set(struct job *j, const struct editvalue *v, const struct editword *words,
		 size_t n)
{
	struct operand *c = &j->code;
	struct operand_place p;

	if (place_compile(j, v->to, &p))
		return -1;
	if (p.kind != OPERAND_PARTS && p.kind != OPERAND_MEMORY)
		p = operand_address(c, &p);
	for (size_t i = 0; i < n; i++) {
		if (words[i].same)
			continue;
		if (p.kind == OPERAND_PARTS)
			set_register(c, &p, &words[i]);
		else
			operand_op(c, (struct goprobe_op){
				.code = GOPROBE_OP_WRITE, .a = words[i].reg, .b = p.reg,
				.size = words[i].size, .value = p.at + words[i].at });
	}
	return 0;
}
