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

struct job *job_new(const struct expr_scope *scope, const char *text, bool cond,
		    struct diag *d)
{
	struct job *j = calloc(1, sizeof(*j));

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

void *job_keep(struct job *j, const void *v, size_t n, size_t size)
{
	void *copy = arena_array(j->scope->mem, n + 1, size);

	if (copy && n)
		memcpy(copy, v, n * size);
	if (!copy)
		job_no_memory(j);
	return copy;
}

int job_keep_capture(struct job *j, const struct plan_value *v, size_t n,
		     struct plan_capture *ret)
{
	const struct operand *c = &j->code;

	*ret = (struct plan_capture){
		.values = v, .nvalues = n, .size = c->size, .npieces = c->npieces, .nops = c->nops,
		.pieces = job_keep(j, c->pieces, c->npieces, sizeof(*c->pieces)),
		.ops = job_keep(j, c->ops, c->nops, sizeof(*c->ops)),
	};
	return ret->pieces && ret->ops ? 0 : -1;
}

int job_assign(struct job *j)
{
	const struct gosig *sig = j->scope->sig;
	size_t n = sig && !sig->incomplete && !j->scope->at ? sig->nparams + sig->nresults : 0;
	struct abi_value *v = arena_array(j->scope->mem, n + 1, sizeof(*v));

	if (!v)
		return job_no_memory(j);
	if (!n)
		return 0;
	j->call.params.values = v;
	j->call.results.values = v + sig->nparams;
	if (abi_assign(sig, j->scope->abi0, &j->call))
		return diag_set(j->d, "the arguments of %s are too large", j->scope->fn->name);
	return 0;
}

struct job_item job_begin_item(struct job *j, size_t i)
{
	struct job_item item = { .op = j->code.nops, .piece = j->code.npieces };

	j->code.reg = 0;
	j->code.nowhere = false;
	j->unavailable = NULL;
	j->secret = false;
	operand_set(&j->code, GOPROBE_OP_TRY, 0, i);
	return item;
}

void job_end_item(struct job *j, struct job_item item, const struct plan_value *v)
{
	struct operand *c = &j->code;

	if (v->unavailable && !v->length) {
		c->nops = item.op;
		c->npieces = item.piece;
	}
	if (c->nops == item.op + 1)
		c->nops = item.op;
	else if (c->nops > item.op)
		c->ops[item.op].offset = (uint32_t)(c->nops - item.op - 1);
}

/* --- errors ------------------------------------------------------------------ */

int job_no_memory(struct job *j)
{
	return diag_set(j->d, "out of memory");
}

const char *job_text(const struct job *j, const struct expr *e)
{
	const char *text = arena_printf(j->scope->mem, "%.*s", e->len > 60 ? 60 : (int)e->len,
					j->text + e->at);

	return text ? text : "this";
}

static int wrong(struct job *j, size_t at, size_t len, const char *fmt, va_list ap)
{
	char message[512];

	vsnprintf(message, sizeof(message), fmt, ap);
	diag_set(j->d, "%s", message);
	diag_span(j->d, j->text, at, len);
	return -1;
}

int job_wrong_all(struct job *j, const struct expr *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wrong(j, e->at, e->len, fmt, ap);
	va_end(ap);
	return -1;
}

int job_wrong(struct job *j, const struct expr *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wrong(j, e->word, e->word_len, fmt, ap);
	va_end(ap);
	return -1;
}

int job_wrong_type(struct job *j, const struct expr *e, const struct expr *operand,
		   const struct gotype *t, const char *what)
{
	return job_wrong(j, e, "'%s' is of type %s, %s", job_text(j, operand), t->name,
			 what);
}

/* "it has a, b, c; did you mean 'a'?" from near names and all names. */
void job_hint(struct job *j, const char *it, const char *names, const struct suggest *near)
{
	char *meant = near->n ? suggest_hint(near) : NULL;

	if (names && *names)
		diag_hint(j->d, "%s %s%s%s", it, names, meant ? "; " : "", meant ? meant : "");
	else if (meant)
		diag_hint(j->d, "%s", meant);
	free(meant);
}

/* --- deferred steps -------------------------------------------- */

/* The type that is known of the value after all steps, or NULL. */
const struct gotype *job_type_of(const struct operand_place *p)
{
	return p->steps.n ? p->steps.type : p->type;
}

int job_add_step(struct job *j, const struct expr *e, struct operand_place *p,
		 struct exprstep step, const struct gotype *inner)
{
	if (p->steps.n == JOB_STEPS_MAX)
		return job_wrong(j, e, "this is too long");
	j->steps[p->steps.n++] = step;
	p->steps.type = inner;
	return 0;
}
