// SPDX-License-Identifier: GPL-2.0
/* A package variable that is watched: how it is read, how fast it changes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "compile/deferred_step.h"
#include "compile/expr.h"
#include "compile/sig_parse.h"
#include "compile/varname.h"
#include "eval/watchvar.h"

/* --- what to read ------------------------------------------------------------ */

/* "main.counter int64" */
static bool is_typed(const struct lex *lx)
{
	return lex_is(lex_peek(lx, 1), '.') && lex_peek(lx, 2)->kind == LEX_NAME &&
	       typexpr_follows(lx, 3);
}

/* A variable whose type the user gives. */
static int typed_variable(struct watchvar *v, const struct expr_scope *scope, struct lex *lx,
			  struct diag *d)
{
	struct gobin *bin = scope->bin;
	struct sigparse types = { .bin = bin, .mem = lx->mem, .text = v->text };
	struct plan_value *value = arena_alloc(lx->mem, sizeof(*value));
	struct goprobe_piece *piece = arena_alloc(lx->mem, sizeof(*piece));
	const struct lex_token *package = lex_peek(lx, 0), *last = lex_peek(lx, 2);
	char *name = arena_printf(lx->mem, "%s.%s", package->s, last->s);
	const struct typexpr *t;
	struct gobin_variable var;
	int found;

	lx->i += 3;
	if (!name || !value || !piece)
		return diag_set(d, "out of memory");
	if (typexpr_parse(lx, &t, d))
		return -1;
	found = varname_find(bin, name, &var, d);
	if (!found)
		varname_unknown(bin, name, d);
	if (found <= 0) {
		diag_span(d, v->text, package->at, last->at + last->len - package->at);
		return -1;
	}
	*value = (struct plan_value){ .name = name, .type = sigparse_type(&types, t, d) };
	if (!value->type)
		return -1;
	if (secret_is_name(scope->secrets, last->s, value->type) ||
	    secret_is_type(scope->secrets, value->type))
		value->unavailable = secret_why;
	if (value->type->size > PLAN_FRAME_MAX)
		return diag_set(d, "a value of type %s is too large", value->type->name);
	*piece = (struct goprobe_piece){ .source = GOPROBE_FROM_STATIC, .address = var.vaddr,
					 .size = value->type->size };
	v->c = (struct plan_capture){ .values = value, .nvalues = 1, .pieces = piece,
				      .npieces = value->type->size != 0,
				      .size = value->type->size };
	return 0;
}

int watchvar_compile(struct watchvar *v, const struct expr_scope *scope, struct diag *d)
{
	struct expr_list list = { .text = v->text, .n = 1 };
	const struct expr *e;
	struct lex lx;
	bool typed;

	if (lex_scan(&lx, scope->mem, v->text, 0, d))
		return -1;
	typed = is_typed(&lx);
	if (typed ? typed_variable(v, scope, &lx, d) : expr_parse(&lx, &e, d))
		return -1;
	if (lex_peek(&lx, 0)->kind != LEX_END)
		return lex_wrong(&lx, lex_peek(&lx, 0), d, "nothing can follow here");
	if (typed)
		return 0;
	list.v = &e;
	return expr_compile(scope, &list, &v->c, d);
}

int watchvar_list_compile(struct watchvar_list *l, char **texts, size_t n,
			  const struct expr_scope *scope, struct diag *d)
{
	l->v = arena_array(scope->mem, n, sizeof(*l->v));
	l->wrong = arena_array(scope->mem, n, sizeof(*l->wrong));
	if (!l->v || !l->wrong)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < n; i++) {
		struct watchvar_wrong *w = &l->wrong[l->nwrong];

		*w = (struct watchvar_wrong){ .text = texts[i] };
		l->v[l->n] = (struct watchvar){ .text = texts[i] };
		if (watchvar_compile(&l->v[l->n], scope, &w->why))
			l->nwrong++;
		else
			l->n++;
	}
	if (l->n)
		return 0;
	/* The command fails with it, as if it stood alone. */
	*d = l->wrong[--l->nwrong].why;
	return -1;
}

void watchvar_list_fini(struct watchvar_list *l)
{
	for (size_t i = 0; i < l->nwrong; i++)
		diag_fini(&l->wrong[i].why);
	*l = (struct watchvar_list){ .n = 0 };
}

void watchvar_list_print(const struct watchvar_list *l, FILE *to)
{
	for (size_t i = 0; i < l->nwrong; i++)
		diag_print(&l->wrong[i].why, "goprobectl", to);
}

void watchvar_list_json(const struct watchvar_list *l, struct buf *b)
{
	if (!l->nwrong)
		return;
	json_raw(b, "not_read", "[");
	for (size_t i = 0; i < l->nwrong; i++) {
		const struct diag *why = &l->wrong[i].why;

		json_element(b);
		buf_char(b, '{');
		json_str(b, "expr", l->wrong[i].text);
		json_str(b, "reason", why->message ? why->message : "out of memory");
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

/* --- how fast it changes ------------------------------------------------------ */

/* The number in it, or in a sync/atomic type; a time.Duration is no number here. */
static bool number_of(const struct value_at *at, struct watchvar_number *ret)
{
	const struct gotype *t = at->type;
	const uint8_t *p = at->p;

	if (t->kind == GOTYPE_STRUCT && strncmp(t->name, "sync/atomic.", 12) == 0 && t->nfields) {
		const struct gofield *last = &t->fields[t->nfields - 1];

		if (last->offset + last->type->size > at->len)
			return false;
		p += last->offset;
		t = last->type;
	}
	if (t->size > at->len || strcmp(t->name, "time.Duration") == 0)
		return false;
	switch (t->kind) {
	case GOTYPE_INT:
	case GOTYPE_UINT:
		ret->bits = 8 * t->size;
		return value_integer(t, p, &ret->i);
	case GOTYPE_FLOAT:
		ret->bits = 0;
		ret->f = value_float(p, t->size);
		return isfinite(ret->f);
	default:
		return false;
	}
}

/*
 * From one to the next. Integers wrap around: of the two ways from 127 to -128 in an int8 the
 * shorter one is taken.
 */
static double change(const struct watchvar_number *from, const struct watchvar_number *to)
{
	uint64_t d = (uint64_t)to->i - (uint64_t)from->i;

	if (!to->bits)
		return to->f - from->f;
	return (double)((int64_t)(d << (64 - to->bits)) >> (64 - to->bits));
}

/* Change per second; false if it is unknown. */
static bool rate_of(struct watchvar *v, const struct value_at *at, uint64_t ns, double *ret)
{
	struct watchvar_number before = v->last;
	bool known = v->known;

	v->known = at && number_of(at, &v->last);
	if (!known || !v->known || !ns || before.bits != v->last.bits)
		return false;
	*ret = change(&before, &v->last) * 1e9 / ns;
	return true;
}

/* --- what to show -------------------------------------------------------------- */

/* "+12.5/s": small rates have a decimal. */
static void put_rate(struct buf *b, double rate)
{
	char s[64];

	snprintf(s, sizeof(s), fabs(rate) < 100 && rate != rint(rate) ? " (%+.1f/s)" : " (%+.0f/s)",
		 rate);
	buf_str(b, s);
}

void watchvar_text(struct value_ctx *values, const struct watchvar_value *at, struct buf *b)
{
	if (at->why) {
		buf_char(b, '<');
		buf_str(b, at->why);
		buf_char(b, '>');
		return;
	}
	value_start(values, b);
	value_text(values, b, at->at.type, at->at.p, at->at.len);
}

static void put_text(struct value_ctx *values, struct buf *b, struct watchvar *v,
		     const struct watchvar_value *at, uint64_t ns)
{
	double rate;

	buf_str(b, "  ");
	buf_str(b, v->c.values[0].name);
	buf_char(b, '=');
	watchvar_text(values, at, b);
	if (rate_of(v, at->why ? NULL : &at->at, ns, &rate))
		put_rate(b, rate);
}

void watchvar_json(const struct watchvar *v, struct value_ctx *values,
		   const struct watchvar_value *at, struct buf *b)
{
	const struct plan_value *val = &v->c.values[0];
	const struct gotype *t = !at->why ? at->at.type : val->steps ? val->steps->type :
				 val->type;

	json_str(b, "name", val->name);
	json_str(b, "type", t ? value_type_name(t) : "?");
	if (at->why) {
		json_str(b, "unavailable", at->why);
		return;
	}
	json_element(b);
	value_start(values, b);
	value_json(values, b, at->at.type, at->at.p, at->at.len);
}

static void put_json(struct value_ctx *values, struct buf *b, struct watchvar *v,
		     const struct watchvar_value *at, uint64_t ns)
{
	double rate;

	json_element(b);
	buf_char(b, '{');
	watchvar_json(v, values, at, b);
	if (rate_of(v, at->why ? NULL : &at->at, ns, &rate)) {
		json_key(b, "rate");
		buf_float(b, rate, sizeof(rate));
	}
	buf_char(b, '}');
}

int watchvar_read(const struct watchvar *v, struct eval *g, struct value_ctx *values,
		  struct watchvar_value *ret)
{
	const struct plan_value *val = &v->c.values[0];

	if (eval_take(g, &v->c))
		return -1;
	values->now = clock_now(CLOCK_REALTIME);
	value_record(values, &g->rec);
	ret->at = (struct value_at){ .type = val->type, .p = g->frame + val->offset,
				     .len = v->c.size - val->offset };
	ret->why = val->unavailable ? val->unavailable : value_missed(&g->rec, 0);
	if (!ret->why && val->steps)
		ret->why = deferred_step_go(val->steps, values, &ret->at, ret->number);
	return 0;
}

int watchvar_put(struct watchvar *v, struct eval *g, struct value_ctx *values, struct buf *b,
		 bool json, uint64_t ns)
{
	struct watchvar_value at;

	if (watchvar_read(v, g, values, &at))
		return -1;
	value_start(values, b);
	if (json)
		put_json(values, b, v, &at, ns);
	else
		put_text(values, b, v, &at, ns);
	return 0;
}
