// SPDX-License-Identifier: GPL-2.0
/*
 * Capture expressions against a function: what its names are, which types come
 * out, where the values are. Selectors, indices and dereferences mean what the Go
 * specification says, with nil and bounds checked when it happens.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exprc.h"
#include "exprplace.h"
#include "gofield.h"
#include "gofuncname.h"
#include "golayout.h"
#include "near.h"
#include "sigparse.h"
#include "varname.h"

#define WORD 8U
/* Steps that one expression can leave to the other side. */
#define STEPS_MAX 64

static const struct gotype int_type = {
	.kind = GOTYPE_INT, .name = "int", .size = 8, .align = 8,
};

static const struct gotype byte_type = {
	.kind = GOTYPE_UINT, .name = "uint8", .size = 1, .align = 1,
};

/**
 * struct job - a list being compiled
 * @scope: what names mean
 * @text: the user's text
 * @d: where errors go
 * @call: where arguments and results are; of a scope with a signature
 * @code: what has been made
 * @ops: room for it
 * @pieces: likewise
 * @steps: room for those of the value at hand: only one place in it has any
 * @unavailable: why the value at hand can't be had
 */
struct job {
	const struct exprc_scope *scope;
	const char *text;
	struct diag *d;
	struct goabi_call call;
	struct exprcode code;
	struct goprobe_op ops[EXPRCODE_OPS_MAX];
	struct goprobe_piece pieces[EXPRCODE_PIECES_MAX];
	struct exprstep steps[STEPS_MAX];
	const char *unavailable;
};

static int compile(struct job *j, const struct expr *e, struct exprplace *p);

/* --- errors ------------------------------------------------------------------ */

static int no_memory(struct job *j)
{
	return diag_set(j->d, "out of memory");
}

/* An error about a name or an operator. */
static int wrong(struct job *j, const struct expr *e, const char *fmt, ...)
{
	char sentence[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	diag_set(j->d, "%s", sentence);
	diag_span(j->d, j->text, e->word, e->word_len);
	return -1;
}

/* As wrong(), about the operand: "'x' is of type int, ..." */
static int wrong_type(struct job *j, const struct expr *e, const struct expr *operand,
		      const struct gotype *t, const char *what)
{
	char sentence[512];

	snprintf(sentence, sizeof(sentence), "'%.*s' is of type %s, %s", (int)operand->len,
		 j->text + operand->at, t->name, what);
	wrong(j, e, "%s", sentence);
	return -1;
}

/* "it has a, b, c; did you mean 'a'?" from near names and all names. */
static void hint_names(struct job *j, const char *it, const char *names, const struct near *near)
{
	char *meant = near->n ? near_hint(near) : NULL;

	if (names && *names)
		diag_hint(j->d, "%s %s%s%s", it, names, meant ? "; " : "", meant ? meant : "");
	else if (meant)
		diag_hint(j->d, "%s", meant);
	free(meant);
}

/* --- names -------------------------------------------------------------------- */

static const struct goparam *params_of(const struct job *j, bool results, size_t *n)
{
	const struct gosig *sig = j->scope->sig;

	*n = sig && !sig->incomplete ? results ? sig->nresults : sig->nparams : 0;
	return sig ? results ? sig->results : sig->params : NULL;
}

static const struct goparam *find_param(const struct job *j, const char *name, bool results,
					size_t *at)
{
	size_t n;
	const struct goparam *v = params_of(j, results, &n);

	for (*at = 0; strcmp(name, "_") != 0 && *at < n; (*at)++)
		if (strcmp(v[*at].name, name) == 0)
			return &v[*at];
	return NULL;
}

static void param_place(struct job *j, const struct goparam *param, size_t i, struct exprplace *p)
{
	const struct goabi_side *side = j->scope->results ? &j->call.results : &j->call.params;
	const struct goabi_value *at = &side->values[i];

	*p = (struct exprplace){ .kind = EXPRPLACE_PARTS, .type = param->type };
	if (param->unavailable)
		j->unavailable = param->unavailable;
	if (at->on_stack) {
		p->kind = EXPRPLACE_STACK;
		p->at = at->stack;
	} else {
		p->parts = side->parts + at->part;
		p->nparts = at->nparts;
	}
}

/* A variable, by its name with package: 1, 0 or -1 as varname_find(). */
static int find_variable(struct job *j, const struct expr *e, const char *name,
			 struct exprplace *p)
{
	struct govar v;
	int found = varname_find(j->scope->bin, name, &v, j->d);

	if (found > 0 && !v.type)
		found = diag_set(j->d, "the type of '%s' is not known: the binary has no debug information",
				 name);
	if (found > 0)
		*p = (struct exprplace){ .kind = EXPRPLACE_STATIC, .type = v.type, .at = v.vaddr };
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

static int unknown_param(struct job *j, const struct expr *e)
{
	bool results = j->scope->results;
	const char *fn = j->scope->fn->name, *names = "";
	const struct gosig *sig = j->scope->sig;
	struct near near;
	size_t n;
	const struct goparam *v = params_of(j, results, &n);

	if (!sig || sig->incomplete) {
		wrong(j, e, "it is not known what '%s' is: %s", e->s,
		      sig ? sig->incomplete : "the function is not described");
		diag_hint(j->d, "write the signature before it: '%s(%s T): (%s)'", fn, e->s, e->s);
		return -1;
	}
	near_init(&near, e->s);
	for (size_t i = 0; names && i < n; i++) {
		if (strcmp(v[i].name, "_") == 0)
			continue;
		near_offer(&near, v[i].name);
		names = arena_printf(j->scope->mem, "%s%s%s", names, *names ? ", " : "", v[i].name);
	}
	wrong(j, e, "%s has no %s '%s'", fn, results ? "result" : "parameter", e->s);
	hint_names(j, results ? "it returns" : "it takes", names, &near);
	return -1;
}

/* It is one, but of the other side of the call. */
static int other_side(struct job *j, const struct expr *e)
{
	wrong(j, e, j->scope->results ? "'%s' is a parameter: it is known only when %s is called" :
	      "'%s' is a result: it is known only when %s returns", e->s, j->scope->fn->name);
	diag_hint(j->d, "the first list is of the call, the second one of the return: '%s(%s)(%s)'",
		  j->scope->fn->name, j->scope->results ? e->s : "", j->scope->results ? "" : e->s);
	return -1;
}

static int compile_name(struct job *j, const struct expr *e, struct exprplace *p)
{
	const struct gofunc *fn = j->scope->fn;
	const struct goparam *param;
	const char *name;
	int found;
	size_t i;

	if (!fn)
		return unknown_variable(j, e, e->s);
	param = find_param(j, e->s, j->scope->results, &i);
	if (param) {
		param_place(j, param, i, p);
		return 0;
	}
	if (find_param(j, e->s, !j->scope->results, &i))
		return other_side(j, e);
	/* As in the function itself, its package's variables need no package. */
	name = arena_printf(j->scope->mem, "%.*s%s", (int)(gofuncname_local(fn->name) - fn->name),
			    fn->name, e->s);
	if (!name)
		return no_memory(j);
	found = find_variable(j, e, name, p);
	if (found)
		return found > 0 ? 0 : -1;
	return unknown_param(j, e);
}

/* pkg.name, if pkg is nothing else: 1 if it is a variable, 0 or -1. */
static int compile_qualified(struct job *j, const struct expr *e, struct exprplace *p)
{
	const struct expr *pkg = e->x;
	const char *name;
	int found;
	size_t i;

	if (pkg->kind != EXPR_NAME || find_param(j, pkg->s, false, &i) ||
	    find_param(j, pkg->s, true, &i))
		return 0;
	name = arena_printf(j->scope->mem, "%s.%s", pkg->s, e->s);
	if (!name)
		return no_memory(j);
	found = find_variable(j, e, name, p);
	if (found || (j->scope->fn && !varname_has_package(j->scope->bin, pkg->s)))
		return found;
	return unknown_variable(j, e, name);
}

/* --- the rest is left to the other side -------------------------------------------- */

/* The type that is known of the value after all steps, or NULL. */
static const struct gotype *type_of(const struct exprplace *p)
{
	return p->steps.n ? p->steps.type : p->type;
}

static int add_step(struct job *j, const struct expr *e, struct exprplace *p,
		    struct exprstep step, const struct gotype *inner)
{
	if (p->steps.n == STEPS_MAX)
		return wrong(j, e, "this is too long");
	j->steps[p->steps.n++] = step;
	p->steps.type = inner;
	return 0;
}

/* The number that @e is, without looking into the program. */
static bool constant(const struct expr *e, uint64_t *ret)
{
	*ret = e->number;
	return e->kind == EXPR_NUMBER;
}

/* --- fields -------------------------------------------------------------------------- */

static const struct gotype *struct_of(const struct gotype *t)
{
	if (t->kind == GOTYPE_POINTER && t->elem)
		t = t->elem;
	return t->kind == GOTYPE_STRUCT ? t : NULL;
}

static int unknown_field(struct job *j, const struct expr *e, const struct gotype *t)
{
	const char *names = "";
	struct near near;

	near_init(&near, e->s);
	gofield_offer(t, &near);
	for (size_t i = 0; names && !near.n && i < t->nfields && i < 12; i++)
		names = arena_printf(j->scope->mem, "%s%s%s", names, i ? ", " : "",
				     t->fields[i].name);
	wrong(j, e, "%s has no field '%s'", t->name, e->s);
	hint_names(j, "it has", names, &near);
	return -1;
}

static int follow_path(struct job *j, const struct gofield_path *path, struct exprplace *p)
{
	for (size_t i = 0; i < path->n; i++) {
		if (p->type->kind == GOTYPE_POINTER)
			*p = exprplace_follow(&j->code, p, p->type->elem);
		*p = exprplace_part(p, path->v[i]->offset, path->v[i]->type);
	}
	return 0;
}

static int compile_field(struct job *j, const struct expr *e, struct exprplace *p)
{
	struct exprstep step = { .kind = EXPRSTEP_FIELD, .name = e->s };
	int found = compile_qualified(j, e, p);
	struct gofield_path path;
	const struct gotype *t, *in;

	if (found)
		return found > 0 ? 0 : -1;
	if (compile(j, e->x, p))
		return -1;
	t = type_of(p);
	if (!t || t->kind == GOTYPE_INTERFACE)
		return add_step(j, e, p, step, NULL);
	in = struct_of(t);
	if (!in)
		return wrong_type(j, e, e->x, t, "which has no fields");
	switch (gofield_find(in, e->s, &path)) {
	case GOFIELD_NONE:
		return unknown_field(j, e, in);
	case GOFIELD_SEVERAL:
		return wrong(j, e, "more than one embedded field of %s has a field '%s'", in->name,
			     e->s);
	case GOFIELD_ONE:
		break;
	}
	if (p->steps.n)
		return add_step(j, e, p, step, path.v[path.n - 1]->type);
	return follow_path(j, &path, p);
}

/* --- indices --------------------------------------------------------------------------- */

/* The index into a register of its own. */
static int compile_index(struct job *j, const struct expr *e, uint8_t *reg)
{
	struct exprplace p;

	if (e->kind == EXPR_STRING)
		return wrong(j, e, "an index is a number");
	if (e->negative)
		return wrong(j, e, "an index is not negative");
	if (compile(j, e, &p))
		return -1;
	if (p.steps.n)
		return wrong(j, e, "an index can't come out of a map or an interface");
	if (p.type->kind != GOTYPE_INT && p.type->kind != GOTYPE_UINT)
		return wrong_type(j, e, e, p.type, "and an index is a whole number");
	*reg = p.kind == EXPRPLACE_MEMORY || p.kind == EXPRPLACE_REGISTER ? p.reg :
	       exprcode_take(&j->code);
	exprplace_number(&j->code, &p, *reg);
	return 0;
}

/* p += index * size, where the index is in a register and has been checked. */
static void add_index(struct job *j, struct exprplace *p, uint8_t index,
		      const struct gotype *elem)
{
	exprcode_op(&j->code, (struct goprobe_op){ .code = GOPROBE_OP_MUL_I, .a = index,
						   .value = elem->size });
	exprcode_op(&j->code, (struct goprobe_op){ .code = GOPROBE_OP_ADD, .a = p->reg,
						   .b = index });
	p->type = elem;
}

/* Of a slice or a string. */
static int index_slice(struct job *j, const struct expr *e, struct exprplace *p)
{
	const struct gotype *elem = p->type->kind == GOTYPE_STRING ? &byte_type : p->type->elem;
	struct exprplace base = *p;
	uint8_t reg = p->kind == EXPRPLACE_MEMORY ? p->reg : exprcode_take(&j->code);
	uint8_t len = exprcode_take(&j->code), index;

	/* The length first: what it is found by may be in the same register. */
	exprplace_load(&j->code, &base, WORD, WORD, len);
	exprplace_load(&j->code, &base, 0, WORD, reg);
	if (compile_index(j, e->index, &index))
		return -1;
	exprplace_check(&j->code, index, len, GOPROBE_CHUNK_RANGE);
	*p = (struct exprplace){ .kind = EXPRPLACE_MEMORY, .reg = reg };
	add_index(j, p, index, elem);
	j->code.reg = reg + 1;
	return 0;
}

static int index_array(struct job *j, const struct expr *e, struct exprplace *p)
{
	const struct gotype *t = p->type;
	uint8_t index, count;
	uint64_t n;

	if (constant(e->index, &n)) {
		if (n >= t->count)
			return wrong(j, e->index, "index %s%llu is out of the range of %s",
				     e->index->negative ? "-" : "",
				     (unsigned long long)(e->index->negative ? -n : n), t->name);
		*p = exprplace_part(p, n * t->elem->size, t->elem);
		return 0;
	}
	/* What is in registers has one element at most. */
	if (p->kind != EXPRPLACE_PARTS)
		*p = exprplace_address(&j->code, p);
	if (compile_index(j, e->index, &index))
		return -1;
	count = exprcode_take(&j->code);
	exprcode_op(&j->code, (struct goprobe_op){ .code = GOPROBE_OP_IMM, .a = count,
						   .value = t->count });
	exprplace_check(&j->code, index, count, GOPROBE_CHUNK_RANGE);
	if (p->kind == EXPRPLACE_PARTS)
		p->type = t->elem;
	else
		add_index(j, p, index, t->elem);
	if (p->kind == EXPRPLACE_MEMORY)
		j->code.reg = p->reg + 1;
	return 0;
}

static int key_of(struct job *j, const struct expr *e, const struct gotype *map,
		  struct value_key *key)
{
	const struct expr *i = e->index;
	enum gotype_kind kind = map->key->kind;

	if (i->kind == EXPR_STRING && (kind == GOTYPE_STRING || kind == GOTYPE_INTERFACE)) {
		*key = (struct value_key){ .kind = GOTYPE_STRING, .s = i->s, .n = i->n };
		return 0;
	}
	if (i->kind == EXPR_NUMBER && (kind == GOTYPE_INT || kind == GOTYPE_UINT ||
				       kind == GOTYPE_FLOAT || kind == GOTYPE_INTERFACE)) {
		*key = (struct value_key){ .kind = GOTYPE_INT, .i = (int64_t)i->number };
		if (!i->negative && i->number > INT64_MAX)
			*key = (struct value_key){ .kind = GOTYPE_UINT, .u = i->number };
		if (kind == GOTYPE_FLOAT)
			*key = (struct value_key){ .kind = GOTYPE_FLOAT, .f = i->negative ?
						   (double)(int64_t)i->number : (double)i->number };
		return 0;
	}
	if (i->kind == EXPR_NAME && kind == GOTYPE_BOOL &&
	    (strcmp(i->s, "true") == 0 || strcmp(i->s, "false") == 0)) {
		*key = (struct value_key){ .kind = GOTYPE_BOOL, .u = i->s[0] == 't' };
		return 0;
	}
	wrong(j, i, "this is no key of %s", map->name);
	diag_span(j->d, j->text, i->at, i->len);
	diag_hint(j->d, "a key is written out: a string in quotes, or a number");
	return -1;
}

static int index_map(struct job *j, const struct expr *e, struct exprplace *p,
		     const struct gotype *map)
{
	struct exprstep step = { .kind = EXPRSTEP_KEY };

	if (!map->key || !map->elem)
		return wrong(j, e, "the key and element types of %s are not known", map->name);
	if (key_of(j, e, map, &step.key))
		return -1;
	return add_step(j, e, p, step, map->elem);
}

/* Behind a map or an interface: only what needs no other value. */
static int index_later(struct job *j, const struct expr *e, struct exprplace *p,
		       const struct gotype *t)
{
	struct exprstep step = { .kind = EXPRSTEP_INDEX };
	const struct gotype *elem = !t ? NULL : t->kind == GOTYPE_STRING ? &byte_type : t->elem;

	if (!t && e->index->kind == EXPR_STRING)
		step = (struct exprstep){ .kind = EXPRSTEP_KEY, .key = {
			.kind = GOTYPE_STRING, .s = e->index->s, .n = e->index->n } };
	else if (!constant(e->index, &step.index) || e->index->negative)
		return wrong(j, e->index, "behind a map or an interface an index is a plain number");
	return add_step(j, e, p, step, elem);
}

static int compile_indexed(struct job *j, const struct expr *e, struct exprplace *p)
{
	const struct gotype *t;

	if (compile(j, e->x, p))
		return -1;
	t = type_of(p);
	if (t && t->kind == GOTYPE_POINTER && t->elem && t->elem->kind == GOTYPE_ARRAY) {
		if (!p->steps.n)
			*p = exprplace_follow(&j->code, p, t->elem);
		t = t->elem;
	}
	if (t && t->kind == GOTYPE_MAP)
		return index_map(j, e, p, t);
	if (!t || t->kind == GOTYPE_INTERFACE)
		return index_later(j, e, p, NULL);
	if (t->kind == GOTYPE_CHAN || (p->steps.n && (t->kind == GOTYPE_SLICE ||
	    t->kind == GOTYPE_ARRAY || t->kind == GOTYPE_STRING)))
		return index_later(j, e, p, t);
	if (t->kind == GOTYPE_ARRAY)
		return index_array(j, e, p);
	if ((t->kind == GOTYPE_SLICE && t->elem) || t->kind == GOTYPE_STRING)
		return index_slice(j, e, p);
	wrong_type(j, e, e->x, t, "which has no elements");
	if (t->kind == GOTYPE_POINTER && t->elem && (t->elem->kind == GOTYPE_SLICE ||
						     t->elem->kind == GOTYPE_MAP))
		diag_hint(j->d, "the pointer must be followed first: (*%.*s)[...]", (int)e->x->len,
			  j->text + e->x->at);
	return -1;
}

/* --- pointers, lengths, assertions ----------------------------------------------------- */

static int compile_deref(struct job *j, const struct expr *e, struct exprplace *p)
{
	struct exprstep step = { .kind = EXPRSTEP_POINTER };
	const struct gotype *t;

	if (compile(j, e->x, p))
		return -1;
	t = type_of(p);
	if (t && t->kind != GOTYPE_POINTER)
		return wrong_type(j, e, e->x, t, "not a pointer");
	if (t && (!t->elem || t->elem->kind == GOTYPE_UNKNOWN))
		return wrong_type(j, e, e->x, t, "and what it points to is not known");
	if (p->steps.n)
		return add_step(j, e, p, step, t ? t->elem : NULL);
	*p = exprplace_follow(&j->code, p, t->elem);
	return 0;
}

/* Where the number of entries or elements is, in what a map or channel points to. */
static void counter_of(const struct job *j, const struct gotype *t, bool cap,
		       uint32_t *offset)
{
	const struct golayout *l = golayout_get(gobin_go_minor(j->scope->bin));

	/* A type that says more knows which maps the program was built with. */
	bool swiss = t->map ? t->map->swiss : gobin_go_minor(j->scope->bin) >= 24;

	if (t->kind == GOTYPE_CHAN)
		*offset = cap ? l->chan.dataqsiz : l->chan.qcount;
	else
		*offset = swiss ? l->swiss.used : l->hmap.count;
}

/* A nil map or channel has no entries: that is no failure. */
static void count_entries(struct job *j, struct exprplace *p, bool cap)
{
	struct exprplace at = exprplace_follow(&j->code, p, &int_type);
	uint32_t offset;

	counter_of(j, p->type, cap, &offset);
	exprcode_op(&j->code, (struct goprobe_op){ .code = GOPROBE_OP_JEQ, .a = at.reg,
						   .b = EXPRCODE_ZERO, .offset = 1 });
	exprplace_load(&j->code, &at, offset, WORD, at.reg);
	*p = (struct exprplace){ .kind = EXPRPLACE_REGISTER, .type = &int_type, .reg = at.reg };
}

static int compile_length(struct job *j, const struct expr *e, struct exprplace *p)
{
	bool cap = e->kind == EXPR_CAP;
	struct exprstep step = { .kind = cap ? EXPRSTEP_CAP : EXPRSTEP_LEN };
	const struct gotype *t;

	if (compile(j, e->x, p))
		return -1;
	t = type_of(p);
	if (!t || t->kind == GOTYPE_INTERFACE || p->steps.n)
		return add_step(j, e, p, step, &int_type);
	if (t->kind == GOTYPE_POINTER && t->elem && t->elem->kind == GOTYPE_ARRAY)
		t = t->elem;
	if (t->kind == GOTYPE_ARRAY) {
		*p = (struct exprplace){ .kind = EXPRPLACE_CONSTANT, .type = &int_type,
					 .at = t->count };
		return 0;
	}
	if (t->kind == GOTYPE_SLICE || (t->kind == GOTYPE_STRING && !cap)) {
		*p = exprplace_part(p, cap ? 2 * WORD : WORD, &int_type);
		return 0;
	}
	if (t->kind != GOTYPE_CHAN && (t->kind != GOTYPE_MAP || cap))
		return wrong_type(j, e, e->x, t, cap ? "which has no capacity" :
				  "which has no length");
	count_entries(j, p, cap);
	return 0;
}

/* The type word of the interface @p in a register, compared with @rtype. */
static void check_type(struct job *j, const struct exprplace *p, uint64_t rtype)
{
	struct exprplace word = { .kind = EXPRPLACE_MEMORY, .type = &int_type,
				  .reg = exprcode_take(&j->code) };
	uint8_t wanted = exprcode_take(&j->code);

	exprplace_load(&j->code, p, 0, WORD, word.reg);
	/* An itab's second word is the type: internal/abi.ITab. */
	if (!p->type->empty)
		exprplace_load(&j->code, &word, WORD, WORD, word.reg);
	exprcode_op(&j->code, (struct goprobe_op){ .code = GOPROBE_OP_STATIC, .a = wanted,
						   .value = rtype });
	exprcode_op(&j->code, (struct goprobe_op){ .code = GOPROBE_OP_JEQ, .a = word.reg,
						   .b = wanted, .offset = 1 });
	exprcode_op(&j->code, (struct goprobe_op){ .code = GOPROBE_OP_FAIL,
						   .value = GOPROBE_CHUNK_TYPE });
	j->code.reg = word.reg;
}

static int compile_assert(struct job *j, const struct expr *e, struct exprplace *p)
{
	struct sigparse types = { .bin = j->scope->bin, .mem = j->scope->mem, .text = j->text };
	struct exprstep step = { .kind = EXPRSTEP_ASSERT };
	const struct gotype *t, *wanted;

	if (compile(j, e->x, p))
		return -1;
	t = type_of(p);
	if (t && t->kind != GOTYPE_INTERFACE)
		return wrong_type(j, e, e->x, t, "not an interface");
	wanted = sigparse_type(&types, e->type, j->d);
	if (!wanted)
		return -1;
	if (wanted->kind == GOTYPE_INTERFACE) {
		wrong(j, e, "an interface never holds an interface, such as %s", wanted->name);
		diag_span(j->d, j->text, e->type->at, e->type->len);
		return -1;
	}
	step.name = wanted->name;
	if (p->steps.n || !wanted->rtype)
		return add_step(j, e, p, step, wanted);
	check_type(j, p, wanted->rtype);
	if (gobin_rtype_is_direct(j->scope->bin, wanted->rtype)) {
		*p = exprplace_part(p, WORD, wanted);
	} else {
		struct exprplace data = exprplace_part(p, WORD, &int_type);

		*p = exprplace_follow(&j->code, &data, wanted);
	}
	return 0;
}

/* --- expressions ------------------------------------------------------------------------ */

static int compile_number(const struct expr *e, struct exprplace *p)
{
	*p = (struct exprplace){ .kind = EXPRPLACE_CONSTANT, .type = &int_type, .at = e->number };
	return 0;
}

static int compile(struct job *j, const struct expr *e, struct exprplace *p)
{
	int found;

	switch (e->kind) {
	case EXPR_NAME:
		return compile_name(j, e, p);
	case EXPR_VARIABLE:
		found = find_variable(j, e, e->s, p);
		return found > 0 ? 0 : found < 0 ? -1 : unknown_variable(j, e, e->s);
	case EXPR_NUMBER:
		return compile_number(e, p);
	case EXPR_STRING:
		return wrong(j, e, "a string in quotes can only be a key");
	case EXPR_FIELD:
		return compile_field(j, e, p);
	case EXPR_INDEX:
		return compile_indexed(j, e, p);
	case EXPR_DEREF:
		return compile_deref(j, e, p);
	case EXPR_LEN:
	case EXPR_CAP:
		return compile_length(j, e, p);
	case EXPR_ASSERT:
		return compile_assert(j, e, p);
	}
	return -1;
}

/* --- lists -------------------------------------------------------------------------------- */

static const char why_too_large[] = "larger than a record can hold";

/* A copy of @n objects, to stay. */
static void *keep(struct arena *mem, const void *v, size_t n, size_t size)
{
	void *copy = arena_array(mem, n + 1, size);

	if (copy && n)
		memcpy(copy, v, n * size);
	return copy;
}

static const struct exprsteps *keep_steps(struct job *j, const struct exprsteps *from)
{
	struct exprsteps *steps = arena_alloc(j->scope->mem, sizeof(*steps));

	if (!steps)
		return NULL;
	*steps = *from;
	steps->v = keep(j->scope->mem, j->steps, from->n, sizeof(*j->steps));
	return steps->v ? steps : NULL;
}

/* Value @i of the list: a program of its own that can fail alone. */
static int compile_item(struct job *j, const struct expr *e, size_t i, struct plan_value *v)
{
	struct exprcode *c = &j->code;
	size_t first = c->nops, pieces = c->npieces;
	struct exprplace p;

	if (e->kind == EXPR_NUMBER)
		return wrong(j, e, "a number is no value of the program");
	c->reg = 0;
	j->unavailable = NULL;
	exprcode_op(c, (struct goprobe_op){ .code = GOPROBE_OP_TRY, .value = i });
	if (compile(j, e, &p))
		return -1;
	v->name = expr_text(j->scope->mem, j->text, e);
	v->type = p.type;
	v->stack = p.kind == EXPRPLACE_STACK || p.kind == EXPRPLACE_STATIC;
	v->unavailable = j->unavailable;
	if (!v->name)
		return no_memory(j);
	if (p.steps.n) {
		v->steps = keep_steps(j, &p.steps);
		if (!v->steps)
			return no_memory(j);
	}
	if (!v->unavailable && !exprplace_store(c, &p, &v->offset))
		v->unavailable = why_too_large;
	if (v->unavailable) {
		c->nops = first;
		c->npieces = pieces;
	}
	if (c->nops == first + 1)
		c->nops = first;
	else if (c->nops > first)
		c->ops[first].offset = (uint32_t)(c->nops - first - 1);
	if (c->full) {
		wrong(j, e, "this takes more steps than a record can");
		diag_span(j->d, j->text, e->at, e->len);
		return -1;
	}
	return 0;
}

static int assign(struct job *j)
{
	const struct gosig *sig = j->scope->sig;
	size_t n = sig && !sig->incomplete ? sig->nparams + sig->nresults : 0;
	struct goabi_value *v = arena_array(j->scope->mem, n + 1, sizeof(*v));

	if (!v)
		return no_memory(j);
	if (!n)
		return 0;
	j->call.params.values = v;
	j->call.results.values = v + sig->nparams;
	if (goabi_assign(sig, j->scope->abi0, &j->call))
		return diag_set(j->d, "the arguments of %s are too large", j->scope->fn->name);
	return 0;
}

static int compile_list(struct job *j, const struct expr_list *list, struct plan_capture *ret)
{
	struct arena *mem = j->scope->mem;
	struct plan_value *v = arena_array(mem, list->n + 1, sizeof(*v));
	const struct exprcode *c = &j->code;

	if (!v)
		return no_memory(j);
	if (assign(j))
		return -1;
	for (size_t i = 0; i < list->n; i++)
		if (compile_item(j, list->v[i], i, &v[i]))
			return -1;
	*ret = (struct plan_capture){
		.values = v, .nvalues = list->n, .size = c->size,
		.pieces = keep(mem, c->pieces, c->npieces, sizeof(*c->pieces)),
		.npieces = c->npieces,
		.ops = keep(mem, c->ops, c->nops, sizeof(*c->ops)), .nops = c->nops,
	};
	return ret->pieces && ret->ops ? 0 : no_memory(j);
}

int exprc_compile(const struct exprc_scope *scope, const struct expr_list *list,
		  struct plan_capture *ret, struct diag *d)
{
	struct job *j = calloc(1, sizeof(*j));
	int err;

	if (!j)
		return diag_set(d, "out of memory");
	j->scope = scope;
	j->text = list->text;
	j->d = d;
	j->code.ops = j->ops;
	j->code.pieces = j->pieces;
	err = compile_list(j, list, ret);
	free(j);
	return err;
}

/* --- what is not known ----------------------------------------------------------------------- */

int exprc_registers(struct arena *mem, int32_t args_bytes, struct plan_capture *ret)
{
	static const struct gotype word = {
		.kind = GOTYPE_POINTER, .name = "register", .size = WORD, .align = WORD,
	};
	static const char *const names[GOABI_INT_REGS] = {
		"$rax", "$rbx", "$rcx", "$rdi", "$rsi", "$r8", "$r9", "$r10", "$r11",
	};
	static const uint8_t regs[GOABI_INT_REGS] = { 0, 3, 2, 5, 4, 8, 9, 10, 11 };
	size_t n = args_bytes < 0 ? GOABI_INT_REGS : (args_bytes + WORD - 1) / WORD;
	struct goprobe_piece *pieces;
	struct plan_value *v;

	if (n > GOABI_INT_REGS)
		n = GOABI_INT_REGS;
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
