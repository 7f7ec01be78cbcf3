// SPDX-License-Identifier: GPL-2.0
/* The compiler of capture lists, of variables at an instruction, and of unknown arguments. */
#include <stdlib.h>

#include "capture/op_class.h"
#include "compile/expr.h"
#include "compile/typed.h"

#define WORD 8U

/* --- lists -------------------------------------------------------------------------------- */

static const char why_too_large[] = "larger than a record can hold";

static const struct deferred_step *keep_steps(struct job *j, const struct deferred_step *from)
{
	struct deferred_step *steps = arena_alloc(j->scope->mem, sizeof(*steps));

	if (!steps)
		return NULL;
	*steps = *from;
	steps->v = job_keep(j, j->steps, from->n, sizeof(*j->steps));
	return steps->v ? steps : NULL;
}

/* Of what has lost its pointer the length may still be there. */
static void store_length(struct job *j, const struct operand_place *p, struct plan_value *v)
{
	struct operand_place length;

	if (j->code.nowhere || p->kind != OPERAND_PARTS || p->steps.n ||
	    (p->type->kind != GOTYPE_SLICE && p->type->kind != GOTYPE_STRING))
		return;
	length = operand_part(p, WORD, &exprjob_int);
	v->length = operand_is_whole(&length) && !place_is_guessed(&length) &&
		    operand_store(&j->code, &length, &v->offset);
}

/* Copy the place to the frame, or set why it is unavailable. */
static int store_item(struct job *j, const struct operand_place *p, struct plan_value *v)
{
	struct operand *c = &j->code;

	v->type = p->type;
	v->stack = p->kind == OPERAND_STACK || p->kind == OPERAND_STATIC ||
		   (j->scope->at && p->kind == OPERAND_PARTS);
	v->unavailable = j->secret ? secret_why : j->unavailable ?: operand_unreadable(p);
	if (p->steps.n) {
		v->steps = keep_steps(j, &p->steps);
		if (!v->steps)
			return job_no_memory(j);
	}
	if (!v->unavailable && j->scope->at && (c->nowhere || !operand_is_whole(p)))
		v->unavailable = goscope_nowhere;
	if (v->unavailable == goscope_nowhere)
		store_length(j, p, v);
	if (!v->unavailable && !operand_store(c, p, &v->offset))
		v->unavailable = why_too_large;
	return 0;
}

/* An expression with operators: its value is computed in a register. */
static int compute(struct job *j, const struct expr *e, struct operand_place *p)
{
	struct operand *c = &j->code;
	const struct typed *n = typed_expr(j, e);
	size_t first = c->nops;

	if (!n)
		return -1;
	if (typed_word_needs(j, e) & ~(EXPR_NEEDS_PARAM | EXPR_NEEDS_RESULT))
		return job_wrong_all(j, e,
				     "what is said of the call itself, as 'n', 'goid' or 'under', is for conditions");
	if (typed_is_const(n))
		return job_wrong_all(j, e, "'%s' is the same for all calls",
				     job_text(j, e));
	c->reg = 0;
	*p = (struct operand_place){ .kind = OPERAND_REGISTER, .type = n->type };
	if (code_number(j, n, &p->reg))
		return -1;
	while (first < c->nops && gp_op_class(c->ops[first].code) & GP_OP_PLAIN)
		first++;
	if (first == c->nops)
		return 0;
	return job_wrong_all(j, e, c->ops[first].code == GOPROBE_OP_MATCH ?
			     "contains() and matches() are for conditions and keys" :
			     "two strings can be compared in a condition only");
}

/* Value @i of the list: a program of its own that can fail alone. */
static int compile_item(struct job *j, const struct expr *e, size_t i, struct plan_value *v)
{
	struct job_item item;
	struct operand_place p;

	if (e->kind == EXPR_NUMBER || e->kind == EXPR_FLOAT || e->kind == EXPR_DURATION)
		return job_wrong(j, e, "a number is no value of the program");
	item = job_begin_item(j, i);
	if (e->kind >= EXPR_BINARY ? compute(j, e, &p) : place_compile(j, e, &p))
		return -1;
	v->name = expr_text(j->scope->mem, j->text, e);
	if (!v->name)
		return job_no_memory(j);
	if (store_item(j, &p, v))
		return -1;
	job_end_item(j, item, v);
	return j->code.full ?
	       job_wrong_all(j, e, "this takes more steps than a record can") : 0;
}

static int compile_list(struct job *j, const struct expr_list *list, struct plan_capture *ret)
{
	struct plan_value *v = arena_array(j->scope->mem, list->n + 1, sizeof(*v));

	if (!v)
		return job_no_memory(j);
	if (job_assign(j))
		return -1;
	for (size_t i = 0; i < list->n; i++)
		if (compile_item(j, list->v[i], i, &v[i]))
			return -1;
	return job_keep_capture(j, v, list->n, ret);
}

/* One variable. A variable that exceeds a record is unavailable. */
static int compile_local(struct job *j, size_t i, struct plan_value *v)
{
	struct operand *c = &j->code, before = *c;
	struct job_item item = job_begin_item(j, i);
	struct operand_place p;

	v->name = j->scope->sig->params[i].name;
	name_local(j, i, &p);
	if (store_item(j, &p, v))
		return -1;
	job_end_item(j, item, v);
	if (!c->full)
		return 0;
	*c = before;
	v->unavailable = why_too_large;
	return 0;
}

static int compile_locals(struct job *j, struct plan_capture *ret)
{
	size_t n = j->scope->at->own;
	struct plan_value *v = arena_array(j->scope->mem, n + 1, sizeof(*v));

	if (!v)
		return job_no_memory(j);
	for (size_t i = 0; i < n; i++)
		if (compile_local(j, i, &v[i]))
			return -1;
	return job_keep_capture(j, v, n, ret);
}

int expr_compile(const struct expr_scope *scope, const struct expr_list *list,
		 struct plan_capture *ret, struct diag *d)
{
	struct job *j = job_new(scope, list->text, false, d);
	int err = j ? compile_list(j, list, ret) : -1;

	free(j);
	return err;
}

int expr_locals(const struct expr_scope *scope, struct plan_capture *ret, struct diag *d)
{
	struct job *j = job_new(scope, NULL, false, d);
	int err = j ? compile_locals(j, ret) : -1;

	free(j);
	return err;
}

/* --- unknown arguments ----------------------------------------------------------------------- */

int expr_registers(struct arena *mem, int32_t args_bytes, struct plan_capture *ret)
{
	static const struct gotype word = {
		.kind = GOTYPE_POINTER, .name = GOTYPE_REGISTER, .size = WORD, .align = WORD,
	};
	static const char *const names[ABI_INT_REGS] = {
		"$rax", "$rbx", "$rcx", "$rdi", "$rsi", "$r8", "$r9", "$r10", "$r11",
	};
	static const uint8_t regs[ABI_INT_REGS] = { 0, 3, 2, 5, 4, 8, 9, 10, 11 };
	size_t n = args_bytes < 0 ? ABI_INT_REGS : (args_bytes + WORD - 1) / WORD;
	struct goprobe_piece *pieces;
	struct plan_value *v;

	if (n > ABI_INT_REGS)
		n = ABI_INT_REGS;
	v = arena_array(mem, n + 1, sizeof(*v));
	pieces = arena_array(mem, n + 1, sizeof(*pieces));
	if (!v || !pieces)
		return -1;
	for (size_t i = 0; i < n; i++) {
		v[i] = (struct plan_value){ .name = names[i], .type = &word, .offset = i * WORD };
		pieces[i] = (struct goprobe_piece){ .source = GOPROBE_FROM_INT_REG, .reg = regs[i],
						    .size = WORD, .frame = i * WORD };
	}
	*ret = (struct plan_capture){ .values = v, .nvalues = n, .size = n * WORD,
				      .pieces = pieces, .npieces = n };
	return 0;
}
