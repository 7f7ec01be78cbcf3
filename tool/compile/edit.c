// SPDX-License-Identifier: GPL-2.0
/*
 * The compiler of edits. It compiles each twice: as a program that the module runs, and as a
 * capture of the old and the new values, which goprobectl shows.
 */
#include <stdlib.h>

#include "capture/op_class.h"
#include "compile/edit_tree.h"

static int too_long(struct job *j, const struct expr *e)
{
	return job_wrong_all(j, e, "this takes more steps than the module does");
}

/* --- for the module --------------------------------------------------------------------- */

static int compile_set(struct job *j, const struct editvalue *v)
{
	struct editword words[EDITWORDS_MAX];
	struct operand *c = &j->code;
	size_t n;

	c->reg = 0;
	if (editcode_words(j, v, words, &n) || editcode_set(j, v, words, n))
		return -1;
	return c->full ? too_long(j, v->to) : 0;
}

static int compile_program(struct job *j, const struct editexpr *from,
			   const struct editvalue *v, struct edit *ret)
{
	struct operand *c = &j->code;

	c->nops = 0;
	for (size_t i = 0; i < from->n; i++)
		if (compile_set(j, &v[i]))
			return -1;
	if (from->delay)
		operand_set(c, GOPROBE_OP_DELAY, 0, from->delay);
	ret->ops = job_keep(j, c->ops, c->nops, sizeof(*c->ops));
	ret->nops = c->nops;
	ret->delay = from->delay;
	return ret->ops ? 0 : -1;
}

/* --- for the record ------------------------------------------------------------------------- */

/* Reserve bytes of the frame; UINT32_MAX: it is full. */
static uint32_t reserve(struct operand *c, const struct gotype *t)
{
	uint32_t align = t->align > 1 ? t->align : 1, at = (c->size + align - 1) / align * align;

	if (t->size > PLAN_FRAME_MAX || at + t->size > PLAN_FRAME_MAX)
		return UINT32_MAX;
	c->size = at + (uint32_t)t->size;
	return at;
}

static int show_was(struct job *j, const struct editvalue *v, struct plan_value *to)
{
	struct operand *c = &j->code;
	struct operand_place p;

	if (place_compile(j, v->to, &p))
		return -1;
	to->unavailable = j->secret ? secret_why : NULL;
	to->stack = p.kind == OPERAND_STACK || p.kind == OPERAND_STATIC;
	if (!to->unavailable && !operand_store(c, &p, &to->offset))
		to->unavailable = "larger than a record can hold";
	return 0;
}

static int show_nothing(struct job *j, const struct editvalue *v, struct plan_value *to)
{
	(void)j;
	(void)v;
	to->unavailable = secret_why;
	return 0;
}

static int show_is(struct job *j, const struct editvalue *v, struct plan_value *to)
{
	struct editword words[EDITWORDS_MAX];
	struct operand *c = &j->code;
	size_t n;

	if (editcode_words(j, v, words, &n))
		return -1;
	/* It can be made of what is redacted. */
	if (j->secret)
		return show_nothing(j, v, to);
	to->offset = reserve(c, v->type);
	if (to->offset == UINT32_MAX) {
		to->offset = 0;
		to->unavailable = "larger than a record can hold";
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		operand_op(c, (struct goprobe_op){
			.code = GOPROBE_OP_STORE, .a = words[i].reg, .size = words[i].size,
			.offset = to->offset + words[i].at });
	return 0;
}

/* Value @i of the capture: a program of its own, which can fail alone. */
static int show_item(struct job *j, const struct editvalue *v, size_t i,
		     int (*make)(struct job *j, const struct editvalue *v,
				 struct plan_value *to), struct plan_value *to)
{
	struct job_item item = job_begin_item(j, i);
	const struct operand *c = &j->code;

	to->type = v->type;
	if (make(j, v, to))
		return -1;
	if (c->full)
		return too_long(j, v->to);
	/* A record's program has fewer operations than a filter's. */
	for (size_t k = item.op; j->scope->fn && k < c->nops; k++)
		if (!(gp_op_class(c->ops[k].code) & GP_OP_PLAIN))
			to->unavailable = "not worked out twice";
	job_end_item(j, item, to);
	return 0;
}

static int compile_show(struct job *j, const struct editvalue *v, size_t n,
			struct edit *ret)
{
	struct arena *mem = j->scope->mem;
	struct edit_set *sets = arena_array(mem, n + 1, sizeof(*sets));
	struct plan_value *values = arena_array(mem, 2 * n + 1, sizeof(*values));
	struct operand *c = &j->code;

	if (!sets || !values)
		return job_no_memory(j);
	c->nops = 0;
	c->npieces = 0;
	c->size = 0;
	for (size_t i = 0; i < n; i++) {
		struct plan_value *was = &values[2 * i], *is = was + 1;
		const char *name = expr_text(mem, j->text, v[i].to);

		if (!name)
			return job_no_memory(j);
		sets[i] = (struct edit_set){ .name = name, .was = 2 * i, .is = 2 * i + 1 };
		was->name = name;
		is->name = name;
		if (show_item(j, &v[i], 2 * i, show_was, was) ||
		    show_item(j, &v[i], 2 * i + 1,
			      was->unavailable == secret_why ? show_nothing : show_is, is))
			return -1;
	}
	ret->sets = sets;
	ret->nsets = n;
	return job_keep_capture(j, values, 2 * n, &ret->show);
}

/* --- both ------------------------------------------------------------------------------------ */

/* Setting a place twice has no clear meaning. */
static int check_twice(struct job *j, const struct editexpr *from, size_t i)
{
	const struct expr *to = from->v[i].to;

	for (size_t k = 0; k < i; k++)
		if (expr_same(from->v[k].to, to))
			return job_wrong_all(j, to, "'%s' is set twice", job_text(j, to));
	return 0;
}

static int compile_side(struct job *j, const struct editexpr *from, struct edit *ret)
{
	struct editvalue v[EDIT_PARSE_MAX];

	*ret = (struct edit){ .nops = 0 };
	if (!edit_parse_any(from))
		return 0;
	for (size_t i = 0; i < from->n; i++)
		if (check_twice(j, from, i) || edit_check(j, &from->v[i], &v[i]))
			return -1;
	return compile_program(j, from, v, ret) || compile_show(j, v, from->n, ret) ? -1 : 0;
}

static int known_too_late(const char *text, const struct editexpr *from, struct diag *d)
{
	diag_set(d, "whether the condition holds is known when the call returns: too late to change it");
	if (from->n)
		diag_span(d, text, from->v[0].to->at, from->v[0].to->len);
	diag_hint(d, "what is changed 'on return' can depend on results and the duration");
	return -1;
}

int edit_compile(const struct expr_scope *scope, const char *text,
		 const struct editexpr from[2], const struct filter_pair *filter,
		 struct edit_pair *ret, struct diag *d)
{
	struct expr_scope side = *scope;
	struct job *j;
	int err;

	if (filter && filter->returns && edit_parse_any(&from[0]))
		return known_too_late(text, &from[0], d);
	j = job_new(&side, text, true, d);
	err = j ? job_assign(j) : -1;
	if (!err) {
		side.results = false;
		err = compile_side(j, &from[0], &ret->call);
	}
	if (!err) {
		side.results = true;
		err = compile_side(j, &from[1], &ret->ret);
	}
	free(j);
	return err;
}

int edit_compile_memory(const struct expr_scope *scope, const char *text,
			const struct editexpr *from, struct edit *ret, struct diag *d)
{
	struct job *j = job_new(scope, text, true, d);
	int err = j ? compile_side(j, from, ret) : -1;

	free(j);
	return err;
}
