// SPDX-License-Identifier: GPL-2.0
/*
 * What is to be changed, compiled twice: for the module, which sets it, and as values that a
 * record has, which are shown: what was there, and what it becomes.
 */
#include <stdlib.h>
#include <string.h>

#include "compile/edit_tree.h"

static int too_long(const struct exprjob *j, const struct expr *e)
{
	diag_set(j->d, "this takes more steps than the module does");
	diag_span(j->d, j->text, e->at, e->len);
	return -1;
}

static void *keep(struct arena *mem, const void *v, size_t n, size_t size)
{
	void *copy = arena_array(mem, n + 1, size);

	if (copy && n)
		memcpy(copy, v, n * size);
	return copy;
}

/* --- for the module --------------------------------------------------------------------- */

static int compile_set(struct filterjob *f, const struct editvalue *v)
{
	struct editword words[EDITWORDS_MAX];
	struct exprcode *c = &f->j->code;
	size_t n;

	c->reg = 0;
	if (editcode_words(f, v, words, &n) || editcode_set(f, v, words, n))
		return -1;
	return c->full ? too_long(f->j, v->to) : 0;
}

static int compile_program(struct filterjob *f, const struct editexpr *from,
			   const struct editvalue *v, struct edit *ret)
{
	struct exprcode *c = &f->j->code;

	c->nops = 0;
	for (size_t i = 0; i < from->n; i++)
		if (compile_set(f, &v[i]))
			return -1;
	if (from->delay)
		exprcode_set(c, GOPROBE_OP_DELAY, 0, from->delay);
	ret->ops = keep(f->j->scope->mem, c->ops, c->nops, sizeof(*c->ops));
	ret->nops = c->nops;
	ret->delay = from->delay;
	return ret->ops ? 0 : exprjob_no_memory(f->j);
}

/* --- to be shown ------------------------------------------------------------------------- */

/* Room in the frame; UINT32_MAX: none. */
static uint32_t reserve(struct exprcode *c, const struct gotype *t)
{
	uint32_t align = t->align > 1 ? t->align : 1, at = (c->size + align - 1) / align * align;

	if (t->size > PLAN_FRAME_MAX || at + t->size > PLAN_FRAME_MAX)
		return UINT32_MAX;
	c->size = at + (uint32_t)t->size;
	return at;
}

static int show_was(struct filterjob *f, const struct editvalue *v, struct plan_value *to)
{
	struct exprcode *c = &f->j->code;
	struct exprplace p;

	if (exprjob_compile(f->j, v->to, &p))
		return -1;
	to->stack = p.kind == EXPRPLACE_STACK || p.kind == EXPRPLACE_STATIC;
	if (!exprplace_store(c, &p, &to->offset))
		to->unavailable = "larger than a record can hold";
	return 0;
}

static int show_is(struct filterjob *f, const struct editvalue *v, struct plan_value *to)
{
	struct editword words[EDITWORDS_MAX];
	struct exprcode *c = &f->j->code;
	size_t n;

	if (editcode_words(f, v, words, &n))
		return -1;
	to->offset = reserve(c, v->type);
	if (to->offset == UINT32_MAX) {
		to->offset = 0;
		to->unavailable = "larger than a record can hold";
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		exprcode_op(c, (struct goprobe_op){
			.code = GOPROBE_OP_STORE, .a = words[i].reg, .size = words[i].size,
			.offset = to->offset + words[i].at });
	return 0;
}

/* Item @i of the capture: a program of its own, that can fail alone. */
static int show_item(struct filterjob *f, const struct editvalue *v, size_t i,
		     int (*make)(struct filterjob *f, const struct editvalue *v,
				 struct plan_value *to), struct plan_value *to)
{
	struct exprcode *c = &f->j->code;
	size_t first = c->nops, pieces = c->npieces;

	to->type = v->type;
	c->reg = 0;
	exprcode_set(c, GOPROBE_OP_TRY, 0, i);
	if (make(f, v, to))
		return -1;
	if (c->full)
		return too_long(f->j, v->to);
	/* Not all that a condition can do, a record can. */
	for (size_t k = first; f->j->scope->fn && k < c->nops; k++)
		if (c->ops[k].code > GOPROBE_OP_END)
			to->unavailable = "not worked out twice";
	if (to->unavailable) {
		c->nops = first;
		c->npieces = pieces;
	} else if (c->nops == first + 1) {
		c->nops = first;
	} else {
		c->ops[first].offset = (uint32_t)(c->nops - first - 1);
	}
	return 0;
}

static int compile_show(struct filterjob *f, const struct editvalue *v, size_t n,
			struct edit *ret)
{
	struct arena *mem = f->j->scope->mem;
	struct edit_set *sets = arena_array(mem, n + 1, sizeof(*sets));
	struct plan_value *values = arena_array(mem, 2 * n + 1, sizeof(*values));
	struct exprcode *c = &f->j->code;

	if (!sets || !values)
		return exprjob_no_memory(f->j);
	c->nops = 0;
	c->npieces = 0;
	c->size = 0;
	for (size_t i = 0; i < n; i++) {
		struct plan_value *was = &values[2 * i], *is = was + 1;
		const char *name = expr_text(mem, f->j->text, v[i].to);

		if (!name)
			return exprjob_no_memory(f->j);
		sets[i] = (struct edit_set){ .name = name, .was = 2 * i, .is = 2 * i + 1 };
		was->name = name;
		is->name = name;
		if (show_item(f, &v[i], 2 * i, show_was, was) ||
		    show_item(f, &v[i], 2 * i + 1, show_is, is))
			return -1;
	}
	ret->sets = sets;
	ret->nsets = n;
	ret->show = (struct plan_capture){
		.values = values, .nvalues = 2 * n, .size = c->size,
		.pieces = keep(mem, c->pieces, c->npieces, sizeof(*c->pieces)),
		.npieces = c->npieces,
		.ops = keep(mem, c->ops, c->nops, sizeof(*c->ops)), .nops = c->nops,
	};
	return ret->show.pieces && ret->show.ops ? 0 : exprjob_no_memory(f->j);
}

/* --- both ------------------------------------------------------------------------------------ */

/* The same thing twice: which one would be left? */
static int check_twice(struct filterjob *f, const struct editexpr *from, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (!expr_same(from->v[k].to, from->v[i].to))
			continue;
		diag_set(f->j->d, "'%.*s' is set twice", (int)from->v[i].to->len,
			 f->j->text + from->v[i].to->at);
		diag_span(f->j->d, f->j->text, from->v[i].to->at, from->v[i].to->len);
		return -1;
	}
	return 0;
}

static int compile_side(struct filterjob *f, const struct editexpr *from, struct edit *ret)
{
	struct editvalue v[EDITEXPR_MAX];

	*ret = (struct edit){ .nops = 0 };
	if (!editexpr_any(from))
		return 0;
	for (size_t i = 0; i < from->n; i++)
		if (check_twice(f, from, i) || edittype_check(f, &from->v[i], &v[i]))
			return -1;
	return compile_program(f, from, v, ret) || compile_show(f, v, from->n, ret) ? -1 : 0;
}

/* A job for a scope, which has to be freed with its @j. NULL without memory. */
static struct filterjob *begin(const struct exprc_scope *scope, const char *text, struct diag *d)
{
	struct exprjob *j = calloc(1, sizeof(*j));
	struct filterjob *f = calloc(1, sizeof(*f));

	if (!j || !f) {
		free(j);
		free(f);
		diag_set(d, "out of memory");
		return NULL;
	}
	j->scope = scope;
	j->text = text;
	j->d = d;
	j->cond = true;
	j->code.ops = j->ops;
	j->code.pieces = j->pieces;
	f->j = j;
	return f;
}

static void end(struct filterjob *f)
{
	if (f)
		free(f->j);
	free(f);
}

static int known_too_late(const char *text, const struct editexpr *from, struct diag *d)
{
	diag_set(d, "whether the condition holds is known when the call returns: too late to change it");
	if (from->n)
		diag_span(d, text, from->v[0].to->at, from->v[0].to->len);
	diag_hint(d, "what is changed 'on return' can depend on results and the duration");
	return -1;
}

int edit_compile(const struct exprc_scope *scope, const char *text,
		 const struct editexpr from[2], const struct filter_pair *filter,
		 struct edit_pair *ret, struct diag *d)
{
	struct exprc_scope side = *scope;
	struct filterjob *f;
	int err;

	if (filter && filter->returns && editexpr_any(&from[0]))
		return known_too_late(text, &from[0], d);
	f = begin(&side, text, d);
	err = f ? exprjob_assign(f->j) : -1;
	if (!err) {
		side.results = false;
		err = compile_side(f, &from[0], &ret->call);
	}
	if (!err) {
		side.results = true;
		err = compile_side(f, &from[1], &ret->ret);
	}
	end(f);
	return err;
}

int edit_compile_memory(const struct exprc_scope *scope, const char *text,
			const struct editexpr *from, struct edit *ret, struct diag *d)
{
	struct filterjob *f = begin(scope, text, d);
	int err = f ? compile_side(f, from, ret) : -1;

	end(f);
	return err;
}
