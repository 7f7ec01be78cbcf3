// SPDX-License-Identifier: GPL-2.0
/* Functions as rows of "goprobectl list". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "gobin/closure.h"
#include "gotype/funcname.h"
#include "output/function_list.h"
#include "output/screen.h"
#include "output/source_line.h"
#include "plan/survey.h"

static const char *const entries[] = {
	[PLAN_ENTRY_NONE] = "-",
	[PLAN_ENTRY_CHECK] = "check",
	[PLAN_ENTRY_PUSH] = "push",
	[PLAN_ENTRY_NOP] = "nop",
	[PLAN_ENTRY_JUMP] = "jump",
	[PLAN_ENTRY_FIRST] = "first",
};

/* The least; names and signatures make it wider, or push the other columns to the right. */
static const struct column col_func = { NULL, "FUNCTION", 60 };
static const struct column col_cost = { NULL, "COST", 6 };
static const struct column col_returns = { "returns", "RETURNS", -8 };
static const struct column col_inlined = { "inlined", "INLINED", -8 };
static const struct column col_where = { NULL, "WHERE", 0 };

/* The type of the variable that is field @i of a closure: by reference it is behind a pointer. */
static const char *type_of(const struct gotype *closure, size_t i)
{
	const struct gofield *f = &closure->fields[i];
	const struct gotype *t = f->name[0] == '&' && f->type->kind == GOTYPE_POINTER ?
				 f->type->elem : f->type;

	return !t || t->kind == GOTYPE_UNKNOWN ? "?" : t->name;
}

/* " captures n int, s string, ..." */
static void captured_text(struct buf *b, const struct gotype *closure)
{
	const char *mark = " captures ", *name;

	for (size_t i = 0; closure && i < closure->nfields; i++) {
		name = gobin_closure_variable(closure, i);
		if (!name)
			continue;
		buf_str(b, mark);
		buf_str(b, name);
		buf_char(b, ' ');
		shown_name_put_text(b, type_of(closure, i));
		mark = ", ";
	}
	if (closure && closure->more) {
		buf_str(b, mark);
		buf_str(b, "...");
	}
}

static void captured_json(struct buf *b, const struct gotype *closure)
{
	const char *name;

	json_raw(b, "captured", "[");
	for (size_t i = 0; i < closure->nfields; i++) {
		name = gobin_closure_variable(closure, i);
		if (!name)
			continue;
		json_element(b);
		buf_char(b, '{');
		json_str(b, "name", name);
		json_str(b, "type", type_of(closure, i));
		buf_char(b, '}');
	}
	buf_char(b, ']');
	json_flag(b, "more_captured", closure->more);
}

/* "main.foo(x int) error captures n int" */
static void name_text(struct row *r, const char *name, const char *sig,
		      const struct gotype *closure)
{
	struct buf *b = r->b;

	row_name(r, name);
	if (sig)
		shown_name_put_text(b, strncmp(sig, "func", 4) == 0 ? sig + 4 : sig);
	captured_text(b, closure);
}

static void name_json(struct buf *b, const struct gofunc *fn, const char *sig,
		      const struct gotype *closure)
{
	json_str(b, "func", fn->name);
	if (sig)
		json_str(b, "signature", sig);
	if (closure)
		captured_json(b, closure);
	source_line_json(b, fn->file, fn->line);
}

static void where_text(struct buf *b, const struct gofunc *fn, const char *refused)
{
	const char *path = fn->file ? screen_path(fn->file) : "-";

	if (fn->line > 0)
		source_line_text(b, path, fn->line);
	else
		plain_add(b, path);
	if (!refused)
		return;
	buf_str(b, "  (");
	buf_str(b, refused);
	buf_char(b, ')');
}

/* A function as a row. */
struct function {
	const struct gofunc *fn;
	const char *name;		/* as text has it */
	char *sig;			/* its signature, or NULL; owned */
	const struct gotype *closure;	/* what it captures, or NULL */
	const struct column *col;	/* the first column */
};

static void put(struct row *r, const struct function *f, const struct function_list_survey *info)
{
	const struct gofunc *fn = f->fn;

	row_begin(r, "function");
	if (row_is_json(r))
		name_json(r->b, fn, f->sig, f->closure);
	else if (row_cell(r, f->col))
		name_text(r, f->name, f->sig, f->closure);
	if (!info->refused) {
		if (row_is_json(r))
			json_str(r->b, "entry", entries[info->entry]);
		else
			row_str(r, &col_cost, info->entry == PLAN_ENTRY_FIRST ? "higher" : "low");
		row_u64(r, &col_returns, info->nrets);
		if (row_is_json(r))
			json_u64(r->b, "tails", info->ntails);
	} else if (row_is_json(r)) {
		json_str(r->b, "refused", info->refused);
	} else {
		row_none(r, &col_cost);
		row_none(r, &col_returns);
	}
	row_u64(r, &col_inlined, fn->ninlined);
	if (!row_is_json(r) && row_cell(r, &col_where))
		where_text(r->b, fn, info->refused);
	row_end(r);
}

void function_list_survey(struct gobin *bin, const struct gofunc *fn,
			  struct function_list_survey *ret)
{
	struct plan_func info;

	memset(&info, 0, sizeof(info));
	plan_survey(bin, fn, &info);
	ret->refused = info.refused;
	ret->nrets = (uint32_t)info.nrets;
	ret->ntails = (uint32_t)info.ntails;
	ret->entry = info.entry;
}

static struct function describe(const struct function_list *l, struct gobin *bin,
				const struct gofunc *fn)
{
	return (struct function){
		.fn = fn,
		.name = l->json ? NULL : shown_names_get(&l->names, fn->name),
		.sig = gobin_sig_text(bin, fn),
		.closure = funcname_is_closure(fn->name) && fn->entry ?
			   gobin_closure_type(bin, fn->entry) : NULL,
		.col = &l->func,
	};
}

void function_list_init(struct function_list *l, bool json)
{
	*l = (struct function_list){ .json = json, .func = col_func };
}

void function_list_fini(struct function_list *l)
{
	shown_names_fini(&l->names);
}

void function_list_add(struct function_list *l, const struct gofunc *fn)
{
	if (!l->json)
		shown_names_add(&l->names, fn->name);
}

void function_list_measure(struct function_list *l, struct gobin *bin, const struct gofunc *fn)
{
	struct function f;
	struct buf b = { 0 };

	if (l->json || screen.columns)
		return;
	f = describe(l, bin, fn);
	name_text(&(struct row){ .b = &b }, f.name, f.sig, f.closure);
	if (!b.failed)
		row_widen(&l->func, b.p, b.len);
	free(f.sig);
	buf_fini(&b);
}

void function_list_header(const struct function_list *l, struct buf *b)
{
	static const struct gofunc none;
	static const struct function_list_survey nothing;
	struct row r = { .b = b, .mode = ROW_HEADS };

	if (!l->json)
		put(&r, &(struct function){ .fn = &none, .col = &l->func }, &nothing);
}

void function_list_put(const struct function_list *l, struct gobin *bin, const struct gofunc *fn,
		       const struct function_list_survey *info, struct buf *b)
{
	struct function f = describe(l, bin, fn);

	put(&(struct row){ .b = b, .mode = row_mode(l->json) }, &f, info);
	free(f.sig);
}
