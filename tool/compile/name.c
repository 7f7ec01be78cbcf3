// SPDX-License-Identifier: GPL-2.0
/* The resolution of names: parameters, results, captured variables and package variables. */
#include <string.h>

#include "compile/place.h"
#include "compile/varname.h"
#include "dwarf/dwarf.h"
#include "gobin/closure.h"
#include "gobin/function_code.h"
#include "gotype/funcname.h"
#include "value/decode.h"
#include "x86/regs.h"

static const struct goparam *params_of(const struct job *j, bool results, size_t *n)
{
	const struct gosig *sig = j->scope->sig;

	*n = sig && !sig->incomplete ? results ? sig->nresults : sig->nparams : 0;
	return sig ? results ? sig->results : sig->params : NULL;
}

/* The variable x has the name "&x" if it is captured by reference. */
static const char *own_name(const char *name)
{
	return name + (name[0] == '&');
}

static const struct goparam *find_param(const struct job *j, const char *name, bool results,
					size_t *at)
{
	size_t n;
	const struct goparam *v = params_of(j, results, &n);

	for (*at = 0; strcmp(name, "_") != 0 && *at < n; (*at)++)
		if (strcmp(own_name(v[*at].name), name) == 0)
			return &v[*at];
	return NULL;
}

static bool is_error(const struct goparam *result)
{
	return result->type && result->type->name && strcmp(result->type->name, "error") == 0;
}

/* What the only result of type error is called if the source has no name for it. */
static const char unnamed_error[] = "err";

/* Is @v[i], one of @n results, that one? */
static bool is_unnamed_error(const struct goparam *v, size_t n, size_t i)
{
	if (!is_error(&v[i]) || (v[i].name[0] != '~' && strcmp(v[i].name, "_") != 0))
		return false;
	for (size_t k = 0; k < n; k++)
		if (k != i && is_error(&v[k]))
			return false;
	return true;
}

/* At an instruction the scope has captured variables, too. */
static const struct gotype *closure_of(const struct job *j)
{
	const struct gofunc *fn = j->scope->at ? NULL : j->scope->fn;

	return fn && funcname_is_closure(fn->name) ?
	       gobin_closure_type(j->scope->bin, fn->entry) : NULL;
}

static const struct gofield *find_captured(const struct job *j, const char *name)
{
	const struct gotype *t = closure_of(j);

	for (size_t i = 0; t && i < t->nfields; i++) {
		const char *variable = gobin_closure_variable(t, i);

		if (variable && !strcmp(variable, name))
			return &t->fields[i];
	}
	return NULL;
}

/* The variable @name of the function's package; NULL without memory. */
static const char *in_package(const struct job *j, const char *name)
{
	const char *fn = j->scope->fn->name;

	return arena_printf(j->scope->mem, "%.*s%s", (int)(funcname_local(fn) - fn), fn, name);
}

/* Each variable that the source calls so is meant first. */
static const struct goparam *find_result(const struct job *j, const char *name, size_t *at)
{
	const struct goparam *found = find_param(j, name, true, at);
	struct gobin_variable variable;
	struct diag d = { 0 };
	const char *package;
	int other;
	size_t n, i;
	const struct goparam *v = params_of(j, true, &n);

	if (found || strcmp(name, unnamed_error) != 0 || !j->scope->fn ||
	    find_param(j, name, false, &i) || find_captured(j, name))
		return found;
	for (*at = 0; *at < n && !is_unnamed_error(v, n, *at); (*at)++)
		;
	package = *at < n ? in_package(j, name) : NULL;
	if (!package)
		return NULL;
	other = varname_find(j->scope->bin, package, &variable, &d);
	diag_fini(&d);
	return other ? NULL : &v[*at];
}

/* The parameter, or result, that @name is. */
static const struct goparam *find_value(const struct job *j, const char *name, bool results,
					size_t *at)
{
	return results ? find_result(j, name, at) : find_param(j, name, false, at);
}

static void note_name(struct job *j, const char *name, const struct gotype *t)
{
	j->secret |= secret_is_name(j->scope->secrets, name, t);
}

static int captured_place(struct job *j, const struct expr *e, const struct gofield *f,
			  struct operand_place *p)
{
	if (f->type->kind == GOTYPE_UNKNOWN)
		return job_wrong(j, e,
				 "the code of %s does not show whether '%s' is captured by value",
				 j->scope->fn->name, e->s);
	*p = (struct operand_place){
		.kind = OPERAND_MEMORY, .type = f->type, .reg = operand_take(&j->code),
		.at = f->offset, .fixed = true,
	};
	note_name(j, f->name, f->type);
	operand_op2(&j->code, GOPROBE_OP_REG, p->reg, REGS_CLOSURE);
	if (f->name[0] == '&')
		*p = operand_follow(&j->code, p, f->type->elem);
	return 0;
}

bool name_is_param(const struct job *j, const char *name, bool results)
{
	size_t i;

	return find_value(j, name, results, &i) || (!results && find_captured(j, name));
}

bool name_failed(const struct gosig *sig, struct expr v[3])
{
	size_t n = sig && !sig->incomplete ? sig->nresults : 0;

	while (n && !is_error(&sig->results[n - 1]))
		n--;
	if (!n)
		return false;
	v[0].kind = EXPR_BINARY;
	v[0].op = EXPR_NE;
	v[0].x = &v[1];
	v[0].index = &v[2];
	v[1].kind = EXPR_NAME;
	v[1].s = own_name(sig->results[n - 1].name);
	v[2].kind = EXPR_NAME;
	v[2].s = "nil";
	return true;
}

void name_local(struct job *j, size_t i, struct operand_place *p)
{
	const struct goparam *param = &j->scope->sig->params[i];
	const struct scope_place *at = &j->scope->at->places[i];

	*p = (struct operand_place){
		.kind = !at->memory ? OPERAND_PARTS : at->is_static ? OPERAND_STATIC :
			OPERAND_STACK,
		.type = param->type, .at = (uint64_t)at->at,
		.parts = at->parts, .nparts = at->nparts,
	};
	if (param->unavailable)
		j->unavailable = param->unavailable;
	note_name(j, param->name, param->type);
	if (at->moved && !param->unavailable)
		*p = operand_follow(&j->code, p, param->type);
}

/*
 * An unused argument is lost when the function starts again with a larger stack:
 * function_code_again().
 */
static void check_lost(struct job *j)
{
	uint64_t again = j->scope->results ? 0 : function_code_again(j->scope->bin, j->scope->fn);
	uint8_t rbx, lost;

	if (!again)
		return;
	rbx = operand_take(&j->code);
	lost = operand_take(&j->code);
	operand_op2(&j->code, GOPROBE_OP_REG, rbx, REGS_RBX);
	operand_set(&j->code, GOPROBE_OP_STATIC, lost, again);
	operand_skip(&j->code, GOPROBE_OP_JNE, rbx, lost);
	operand_set(&j->code, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_UNUSED);
	j->code.reg = rbx;
}

static void param_place(struct job *j, const struct goparam *param, size_t i,
			struct operand_place *p)
{
	const struct abi_side *side = j->scope->results ? &j->call.results : &j->call.params;
	const struct abi_value *at = &side->values[i];

	*p = (struct operand_place){ .kind = OPERAND_PARTS, .type = param->type };
	if (param->unavailable)
		j->unavailable = param->unavailable;
	note_name(j, param->name, param->type);
	if (at->on_stack) {
		p->kind = OPERAND_STACK;
		p->at = at->stack;
	} else {
		p->parts = side->parts + at->part;
		p->nparts = at->nparts;
		check_lost(j);
	}
	/* A closure that is called where it is made takes its variables as parameters. */
	if (param->name[0] == '&' && param->type->kind == GOTYPE_POINTER && param->type->elem)
		*p = operand_follow(&j->code, p, param->type->elem);
}

/* A variable, by its name with package: 1, 0 or -1 as varname_find(). */
static int find_variable(struct job *j, const struct expr *e, const char *name,
			 struct operand_place *p)
{
	struct gobin_variable v;
	int found = varname_find(j->scope->bin, name, &v, j->d);

	if (found > 0 && !v.type) {
		found = diag_set(j->d, "the type of '%s' is not known: %s", name,
				 gobin_no_types(j->scope->bin));
		/* In a list, a type would make a signature. */
		if (!j->scope->fn)
			diag_hint(j->d, "write its type behind it, as in '%s int64'", name);
	}
	if (found > 0) {
		*p = (struct operand_place){.kind = OPERAND_STATIC, .type = v.type, .at = v.vaddr};
		note_name(j, funcname_local(name), v.type);
	}
	if (found < 0)
		diag_span(j->d, j->text, e->at, e->len);
	return found;
}

static int unknown_variable(struct job *j, const struct expr *e, const char *name)
{
	varname_unknown(j->scope->bin, name, j->d);
	diag_span(j->d, j->text, e->at, e->len);
	return -1;
}

/* The names of one side of the call, "a, b"; NULL without memory. */
static const char *names_of(const struct job *j, bool results, struct suggest *near)
{
	const char *names = "";
	size_t n;
	const struct goparam *v = params_of(j, results, &n);

	for (size_t i = 0; names && i < n; i++) {
		const char *name = results && is_unnamed_error(v, n, i) ? unnamed_error :
				   own_name(v[i].name);

		if (strcmp(name, "_") == 0)
			continue;
		suggest_offer(near, name);
		names = arena_printf(j->scope->mem, "%s%s%s", names, *names ? ", " : "", name);
	}
	return names;
}

/* The names that are known at the call: "k; it has captured n, s". NULL without memory. */
static const char *names_at_call(const struct job *j, struct suggest *near)
{
	const char *names = names_of(j, false, near), *mark = "; it has captured ";
	const struct gotype *t = closure_of(j);
	bool closure = funcname_is_closure(j->scope->fn->name);

	if (names && !*names && closure)
		names = "nothing";
	if (names && closure && !t && gobin_go_minor(j->scope->bin) < DWARF_CAPTURED_MINOR)
		return arena_printf(j->scope->mem,
				    "%s; what it has captured is described since Go 1.%d", names,
				    DWARF_CAPTURED_MINOR);
	for (size_t i = 0; names && t && i < t->nfields; i++) {
		const char *variable = gobin_closure_variable(t, i);

		if (!variable)
			continue;
		suggest_offer(near, variable);
		names = arena_printf(j->scope->mem, "%s%s%s", names, mark, variable);
		mark = ", ";
	}
	return names && t && t->more ?
	       arena_printf(j->scope->mem, "%s%swhat is not described", names,
			    mark[0] == ',' ? ", and " : mark) : names;
}

/* An unknown name in a condition or key, which can use both sides of the call. */
static int no_value(struct job *j, const struct expr *e, struct suggest *near)
{
	const char *takes = names_at_call(j, near), *returns = names_of(j, true, near);
	const char *meant = NULL;
	size_t n;
	const struct goparam *v = params_of(j, true, &n);

	job_wrong(j, e, "%s has no parameter and no result '%s'", j->scope->fn->name, e->s);
	if (n && strcmp(e->s, "err") == 0 && is_error(&v[n - 1]))
		meant = v[n - 1].name;
	if (!takes || !returns)
		return -1;
	takes = arena_printf(j->scope->mem, "%s%s%s%s%s", *takes ? takes : "nothing",
			     *returns ? "; it returns " : "", returns,
			     meant ? "; its error is " : "", meant ? meant : "");
	job_hint(j, "it takes", takes, near);
	return -1;
}

static int unknown_param(struct job *j, const struct expr *e)
{
	bool results = j->scope->results && !j->scope->at;
	const char *fn = j->scope->fn->name, *names;
	const struct gosig *sig = j->scope->sig;
	struct suggest near;

	if (j->scope->at && sig->incomplete) {
		job_wrong(j, e, "it is not known what '%s' is: %s", e->s, sig->incomplete);
		diag_hint(j->d, "registers are available: $rax, $sp; and --registers");
		return -1;
	}
	if (!sig || sig->incomplete) {
		job_wrong(j, e, "it is not known what '%s' is: %s", e->s,
			  sig ? sig->incomplete : "the function is not described");
		if (j->cond)
			diag_hint(j->d, "write the signature before it: '%s(%s T) if ...'", fn,
				  e->s);
		else
			diag_hint(j->d, "write the signature before it: '%s(%s T): (%s)'", fn, e->s,
				  e->s);
		return -1;
	}
	suggest_init(&near, e->s);
	if (j->cond && !j->scope->at)
		return no_value(j, e, &near);
	names = results || j->scope->at ? names_of(j, results, &near) : names_at_call(j, &near);
	if (j->scope->at) {
		job_wrong(j, e, "no variable '%s' can be seen at %s+0x%llx", e->s, fn,
			  (unsigned long long)(j->scope->pc - j->scope->fn->entry));
		job_hint(j, "there are", names, &near);
		return -1;
	}
	job_wrong(j, e, "%s has no %s '%s'", fn, results ? "result" : "parameter", e->s);
	job_hint(j, results ? "it returns" : "it takes", names, &near);
	return -1;
}

/* The name is one of the other side of the call. */
static int other_side(struct job *j, const struct expr *e, const char *what)
{
	bool results = j->scope->results;
	const char *fn = j->scope->fn->name;

	job_wrong(j, e, "'%s' is a %s: it is known only when %s %s", e->s, what, fn,
		  results ? "is called" : "returns");
	diag_hint(j->d,
		  "the first list is of the call, the second one of the return: '%s(%s)(%s)'", fn,
		  results ? e->s : "", results ? "" : e->s);
	return -1;
}

int name_compile(struct job *j, const struct expr *e, struct operand_place *p)
{
	const struct gofunc *fn = j->scope->fn;
	const struct gofield *captured;
	const struct goparam *param;
	const char *name;
	int found;
	size_t i;

	if (!fn)
		return unknown_variable(j, e, e->s);
	param = find_value(j, e->s, j->scope->results && !j->scope->at, &i);
	if (param && j->scope->at) {
		name_local(j, i, p);
		return 0;
	}
	if (param) {
		param_place(j, param, i, p);
		return 0;
	}
	if (!j->scope->at && find_value(j, e->s, !j->scope->results, &i))
		return other_side(j, e, j->scope->results ? "parameter" : "result");
	captured = find_captured(j, e->s);
	if (captured && j->scope->results)
		return other_side(j, e, "captured variable");
	if (captured)
		return captured_place(j, e, captured, p);
	/* As in the function itself, variables of its package need no prefix. */
	name = in_package(j, e->s);
	if (!name)
		return job_no_memory(j);
	found = find_variable(j, e, name, p);
	if (found)
		return found > 0 ? 0 : -1;
	return unknown_param(j, e);
}

/* pkg.name, if pkg is no parameter: 1 if it is a variable, 0 or -1. */
int name_qualified(struct job *j, const struct expr *e, struct operand_place *p)
{
	const struct expr *pkg = e->x;
	const char *name;
	int found;

	if (pkg->kind != EXPR_NAME || name_is_param(j, pkg->s, false) ||
	    name_is_param(j, pkg->s, true))
		return 0;
	name = arena_printf(j->scope->mem, "%s.%s", pkg->s, e->s);
	if (!name)
		return job_no_memory(j);
	found = find_variable(j, e, name, p);
	if (found || (j->scope->fn && !varname_has_package(j->scope->bin, pkg->s)))
		return found;
	return unknown_variable(j, e, name);
}

int name_variable(struct job *j, const struct expr *e, struct operand_place *p)
{
	int found = find_variable(j, e, e->s, p);

	return found > 0 ? 0 : found < 0 ? -1 : unknown_variable(j, e, e->s);
}
