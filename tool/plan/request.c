// SPDX-License-Identifier: GPL-2.0
/* Requests: one probe spec applied to one function. */
#include "compile/cond.h"
#include "compile/edit.h"
#include "compile/expr.h"
#include "compile/group_by.h"
#include "compile/scope.h"
#include "compile/sig_parse.h"
#include "plan/place.h"
#include "plan/request.h"

/*
 * The line table knows how many bytes a function's arguments take, and so
 * whether a signature can be right.
 */
static void check_sig(const struct gosig *sig, const struct gobin *bin, const struct gofunc *fn,
		      struct buf *warnings)
{
	int32_t is = gobin_args_bytes(bin, fn);
	int32_t should = sigparse_args_bytes(sig, fn->flags & GOFUNC_ABI0);

	if (is < 0 || should < 0 || is == should)
		return;
	if (warnings->len)
		buf_char(warnings, '\n');
	buf_str(warnings, "warning: the signature given for ");
	buf_str(warnings, fn->name);
	buf_str(warnings, " takes ");
	buf_i64(warnings, should);
	buf_str(warnings, " bytes, and the function takes ");
	buf_i64(warnings, is);
	buf_str(warnings, ": values may be wrong");
}

static int compile(const struct expr_scope *scope, const struct expr_list *list,
		   const struct plan_capture **ret, struct diag *d)
{
	struct plan_capture *c = arena_alloc(scope->mem, sizeof(*c));

	*ret = c;
	return c ? expr_compile(scope, list, c, d) : diag_set(d, "out of memory");
}

static int compile_condition(const struct expr_scope *scope, const struct spec *spec,
			     const struct filter_pair **ret, struct diag *d)
{
	struct filter_pair *pair = arena_alloc(scope->mem, sizeof(*pair));

	*ret = pair;
	return pair ? cond_compile(scope, spec->text, spec->cond, pair, d) :
		      diag_set(d, "out of memory");
}

/*
 * Which calls that meet the condition of @spec return an error: counted where they return, so
 * nothing may be decided before. NULL: it is not known.
 */
static const struct filter_pair *compile_failed(const struct expr_scope *scope,
						const struct spec *spec)
{
	struct expr failed[3] = { 0 };
	const struct expr both = {
		.kind = EXPR_BINARY, .op = EXPR_AND, .x = spec->cond, .index = failed,
	};
	struct spec with = *spec;
	const struct filter_pair *ret;
	struct diag why = { 0 };
	int err;

	if (!name_failed(scope->sig, failed))
		return NULL;
	with.cond = spec->cond ? &both : failed;
	err = compile_condition(scope, &with, &ret, &why);
	diag_fini(&why);
	return err || ret->call.nops || ret->ret.duration || ret->unwound ? NULL : ret;
}

static int compile_key(const struct expr_scope *scope, const struct group_by_exprs *by,
		       const struct group_by **ret, struct diag *d)
{
	struct group_by *key = arena_alloc(scope->mem, sizeof(*key));

	*ret = key;
	return key ? group_by_compile(scope, by, key, d) : diag_set(d, "out of memory");
}

static int compile_edit(const struct expr_scope *scope, const struct spec *spec,
			struct plan_request *ret, struct diag *d)
{
	struct edit_pair *edit = arena_alloc(scope->mem, sizeof(*edit));

	ret->edit = edit;
	return edit ? edit_compile(scope, spec->text, spec->edit, ret->filter, edit, d) :
		      diag_set(d, "out of memory");
}

/* What is known of nothing but the convention: registers. */
static int registers(struct arena *mem, int32_t args_bytes, const struct plan_capture **ret,
		     struct diag *d)
{
	struct plan_capture *c = arena_alloc(mem, sizeof(*c));

	*ret = c;
	return c && !expr_registers(mem, args_bytes, c) ? 0 : diag_set(d, "out of memory");
}

/*
 * "main.f()" alone: show no values of its calls. If the signature is otherwise
 * unknown, "()" is the signature, provided that the line table agrees. NULL: it is not.
 */
static const struct gosig *empty_sig(const struct spec *spec, const struct sigparse *types,
				     const struct gofunc *fn)
{
	static const struct typexpr_sig empty;
	struct diag d = { 0 };
	const struct gosig *sig;
	int32_t is, should;

	if (spec->kind != SPEC_NAME || !spec->call || spec->call->n || spec->ret ||
	    !gobin_sig(types->bin, fn)->incomplete)
		return NULL;
	sig = sigparse_sig(types, &empty, fn, &d);
	diag_fini(&d);
	is = gobin_args_bytes(types->bin, fn);
	should = sig ? sigparse_args_bytes(sig, fn->flags & GOFUNC_ABI0) : -1;
	return is >= 0 && is == should ? sig : NULL;
}

int request_make(const struct spec *spec, const struct plan *p, struct gobin *bin,
		 const struct gofunc *fn, struct arena *mem, struct plan_request *ret,
		 struct buf *warnings, struct diag *d)
{
	struct sigparse types = { .bin = bin, .mem = mem, .text = spec->text };
	struct expr_scope scope = {
		.bin = bin, .fn = fn, .abi0 = fn->flags & GOFUNC_ABI0, .secrets = &p->o->secrets,
		.mem = mem,
	};
	bool list = true;
	int err = 0;

	*ret = (struct plan_request){ 0 };
	if (fn->flags & GOFUNC_INLINED)
		return 0;
	if (spec->sig) {
		ret->sig = sigparse_sig(&types, spec->sig, fn, d);
		if (!ret->sig)
			return -1;
		check_sig(ret->sig, bin, fn, warnings);
	} else {
		ret->sig = empty_sig(spec, &types, fn);
		list = !ret->sig;
	}
	scope.sig = ret->sig ? ret->sig : gobin_sig(bin, fn);
	if (spec->call && list)
		err = compile(&scope, spec->call, &ret->call, d);
	else if (scope.sig->incomplete && !scope.abi0)
		err = registers(mem, gobin_args_bytes(bin, fn), &ret->call, d);
	scope.results = true;
	if (!err && spec->ret)
		err = compile(&scope, spec->ret, &ret->ret, d);
	if (!err && spec->cond)
		err = compile_condition(&scope, spec, &ret->filter, d);
	if (!err && p->o->errors)
		ret->failed = compile_failed(&scope, spec);
	if (!err && p->o->by)
		err = compile_key(&scope, p->o->by, &ret->key, d);
	if (!err && spec_edits(spec))
		err = compile_edit(&scope, spec, ret, d);
	return err;
}

/* All variables that can be seen. */
static int locals(const struct expr_scope *scope, const struct plan_capture **ret,
		  struct diag *d)
{
	struct plan_capture *c = arena_alloc(scope->mem, sizeof(*c));

	*ret = c;
	return c ? expr_locals(scope, c, d) : diag_set(d, "out of memory");
}

int request_make_at(const struct spec *spec, const struct plan *p,
		    const struct place *place, struct arena *mem, struct plan_request *ret,
		    struct diag *d)
{
	struct expr_scope scope = {
		.bin = place->bin, .fn = place->fn, .pc = place->vaddr, .secrets = &p->o->secrets,
		.mem = mem,
		.at = scope_make(place->bin, place->fn, place->vaddr, place->inlined, mem),
	};
	int err = 0;

	*ret = (struct plan_request){ 0 };
	if (!scope.at)
		return diag_set(d, "out of memory");
	scope.sig = &scope.at->sig;
	if (spec->call)
		err = compile(&scope, spec->call, &ret->call, d);
	else if (!scope.sig->incomplete)
		err = locals(&scope, &ret->call, d);
	else
		ret->why = scope.sig->incomplete;
	if (!err && spec->cond)
		err = compile_condition(&scope, spec, &ret->filter, d);
	if (!err && p->o->by)
		err = compile_key(&scope, p->o->by, &ret->key, d);
	return err;
}
