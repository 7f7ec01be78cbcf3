// SPDX-License-Identifier: GPL-2.0
/* The state of the compiler of expressions: errors, results, steps that are left to goprobectl. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/job.h"

const struct gotype exprjob_int = {
	.kind = GOTYPE_INT, .name = "int", .size = 8, .align = 8,
};

const struct gotype exprjob_string = {
	.kind = GOTYPE_STRING, .name = "string", .size = 16, .align = 8,
};

/* --- begin and end ---------------------------------------------------------------- */

struct exprjob *exprjob_new(const struct exprc_scope *scope, const char *text, bool cond,
			    struct diag *d)
{
	struct exprjob *j = calloc(1, sizeof(*j));

	if (!j) {
		diag_set(d, "out of memory");
		return NULL;
	}
	j->scope = scope;
	j->text = text;
	j->cond = cond;
	j->d = d;
	j->code.ops = j->ops;
	j->code.pieces = j->pieces;
	return j;
}

void *exprjob_keep(struct exprjob *j, const void *v, size_t n, size_t size)
{
	void *copy = arena_array(j->scope->mem, n + 1, size);

	if (copy && n)
		memcpy(copy, v, n * size);
	if (!copy)
		exprjob_no_memory(j);
	return copy;
}

int exprjob_keep_capture(struct exprjob *j, const struct plan_value *v, size_t n,
			 struct plan_capture *ret)
{
	const struct exprcode *c = &j->code;

	*ret = (struct plan_capture){
		.values = v, .nvalues = n, .size = c->size, .npieces = c->npieces, .nops = c->nops,
		.pieces = exprjob_keep(j, c->pieces, c->npieces, sizeof(*c->pieces)),
		.ops = exprjob_keep(j, c->ops, c->nops, sizeof(*c->ops)),
	};
	return ret->pieces && ret->ops ? 0 : -1;
}

struct exprjob_item exprjob_begin_item(struct exprjob *j, size_t i)
{
	struct exprjob_item item = { .op = j->code.nops, .piece = j->code.npieces };

	j->code.reg = 0;
	j->code.nowhere = false;
	j->unavailable = NULL;
	j->secret = false;
	exprcode_set(&j->code, GOPROBE_OP_TRY, 0, i);
	return item;
}

void exprjob_end_item(struct exprjob *j, struct exprjob_item item, const struct plan_value *v)
{
	struct exprcode *c = &j->code;

	if (v->unavailable) {
		c->nops = item.op;
		c->npieces = item.piece;
	}
	if (c->nops == item.op + 1)
		c->nops = item.op;
	else if (c->nops > item.op)
		c->ops[item.op].offset = (uint32_t)(c->nops - item.op - 1);
}

/* --- errors ------------------------------------------------------------------ */

int exprjob_no_memory(struct exprjob *j)
{
	return diag_set(j->d, "out of memory");
}

const char *exprjob_text(const struct exprjob *j, const struct expr *e)
{
	const char *text = arena_printf(j->scope->mem, "%.*s", e->len > 60 ? 60 : (int)e->len,
					j->text + e->at);

	return text ? text : "this";
}

static int wrong(struct exprjob *j, size_t at, size_t len, const char *fmt, va_list ap)
{
	char message[512];

	vsnprintf(message, sizeof(message), fmt, ap);
	diag_set(j->d, "%s", message);
	diag_span(j->d, j->text, at, len);
	return -1;
}

int exprjob_wrong_all(struct exprjob *j, const struct expr *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wrong(j, e->at, e->len, fmt, ap);
	va_end(ap);
	return -1;
}

int exprjob_wrong(struct exprjob *j, const struct expr *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wrong(j, e->word, e->word_len, fmt, ap);
	va_end(ap);
	return -1;
}

int exprjob_wrong_type(struct exprjob *j, const struct expr *e, const struct expr *operand,
		       const struct gotype *t, const char *what)
{
	return exprjob_wrong(j, e, "'%s' is of type %s, %s", exprjob_text(j, operand), t->name,
			     what);
}

/* "it has a, b, c; did you mean 'a'?" from near names and all names. */
void exprjob_hint(struct exprjob *j, const char *it, const char *names, const struct near *near)
{
	char *meant = near->n ? near_hint(near) : NULL;

	if (names && *names)
		diag_hint(j->d, "%s %s%s%s", it, names, meant ? "; " : "", meant ? meant : "");
	else if (meant)
		diag_hint(j->d, "%s", meant);
	free(meant);
}

/* --- deferred steps -------------------------------------------- */

/* The type that is known of the value after all steps, or NULL. */
const struct gotype *exprjob_type_of(const struct exprplace *p)
{
	return p->steps.n ? p->steps.type : p->type;
}

int exprjob_add_step(struct exprjob *j, const struct expr *e, struct exprplace *p,
		     struct exprstep step, const struct gotype *inner)
{
	if (p->steps.n == EXPRJOB_STEPS_MAX)
		return exprjob_wrong(j, e, "this is too long");
	j->steps[p->steps.n++] = step;
	p->steps.type = inner;
	return 0;
}
