// SPDX-License-Identifier: GPL-2.0
/*
 * The compiler of operands: it resolves names in a function, finds types, and the places of
 * values. Selectors, indices and dereferences mean what the Go specification says; the program
 * checks nil and bounds at run time. A pair with index.c: what is indexed is an operand, and so is
 * an index.
 */
#include <inttypes.h>
#include <string.h>

#include "base/suggest.h"
#include "compile/place.h"
#include "compile/sig_parse.h"
#include "gobin/runtime_layout.h"
#include "gotype/selector.h"

#define WORD 8U

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
	struct suggest near;

	suggest_init(&near, e->s);
	selector_offer(t, &near);
	for (size_t i = 0; names && !near.n && i < t->nfields && i < 12; i++)
		names = arena_printf(j->scope->mem, "%s%s%s", names, i ? ", " : "",
				     t->fields[i].name);
	job_wrong(j, e, "%s has no field '%s'", t->name, e->s);
	job_hint(j, "it has", names, &near);
	return -1;
}

static int follow_path(struct job *j, const struct selector_path *path, struct operand_place *p)
{
	for (size_t i = 0; i < path->n; i++) {
		if (p->type->kind == GOTYPE_POINTER)
			*p = operand_follow(&j->code, p, p->type->elem);
		*p = operand_part(p, path->v[i]->offset, path->v[i]->type);
	}
	return 0;
}

static int compile_field(struct job *j, const struct expr *e, struct operand_place *p)
{
	struct exprstep step = { .kind = EXPRSTEP_FIELD, .name = e->s };
	int found = name_qualified(j, e, p);
	struct selector_path path;
	const struct gotype *t, *in;

	if (found)
		return found > 0 ? 0 : -1;
	if (place_compile(j, e->x, p))
		return -1;
	t = job_type_of(p);
	if (!t || t->kind == GOTYPE_INTERFACE) {
		j->secret |= secret_is_name(j->scope->secrets, e->s, NULL);
		return job_add_step(j, e, p, step, NULL);
	}
	in = struct_of(t);
	if (!in)
		return job_wrong_type(j, e, e->x, t, "which has no fields");
	switch (selector_find(in, e->s, &path)) {
	case SELECTOR_NONE:
		return unknown_field(j, e, in);
	case SELECTOR_SEVERAL:
		return job_wrong(j, e, "more than one embedded field of %s has a field '%s'",
				 in->name, e->s);
	case SELECTOR_ONE:
		break;
	}
	for (size_t i = 0; i < path.n; i++)
		j->secret |= secret_is_field(j->scope->secrets, path.v[i]);
	if (p->steps.n)
		return job_add_step(j, e, p, step, path.v[path.n - 1]->type);
	return follow_path(j, &path, p);
}

/* --- pointers, lengths, assertions ----------------------------------------------------- */

static int compile_deref(struct job *j, const struct expr *e, struct operand_place *p)
{
	struct exprstep step = { .kind = EXPRSTEP_POINTER };
	const struct gotype *t;

	if (place_compile(j, e->x, p))
		return -1;
	t = job_type_of(p);
	if (t && t->kind != GOTYPE_POINTER)
		return job_wrong_type(j, e, e->x, t, "not a pointer");
	if (t && (!t->elem || t->elem->kind == GOTYPE_UNKNOWN))
		return job_wrong_type(j, e, e->x, t, "and what it points to is not known");
	if (p->steps.n)
		return job_add_step(j, e, p, step, t ? t->elem : NULL);
	/* Without deferred steps the type is that of the place. */
	*p = operand_follow(&j->code, p, p->type->elem);
	return 0;
}

/* The offset of the number of entries or elements in the header of a map or channel. */
static void counter_of(const struct job *j, const struct gotype *t, bool cap,
		       uint32_t *offset)
{
	const struct runtime_layout *l = runtime_layout_get(gobin_go_minor(j->scope->bin));

	/* The layout of the map, if it is known, says which maps the program was built with. */
	bool swiss = t->map ? t->map->swiss : gobin_go_minor(j->scope->bin) >= 24;

	if (t->kind == GOTYPE_CHAN)
		*offset = cap ? l->chan.dataqsiz : l->chan.qcount;
	else
		*offset = swiss ? l->swiss.used : l->hmap.count;
}

/* A channel of a timer has length and capacity 0: see value_chan(). */
static void count_channel(struct job *j, const struct operand_place *at, uint32_t offset,
			  uint32_t timer)
{
	struct goprobe_op nil = {
		.code = GOPROBE_OP_JEQ, .a = at->reg, .b = OPERAND_ZERO, .offset = 4,
	};
	uint8_t reg = operand_take(&j->code);

	operand_op(&j->code, nil);	/* passes all that follows */
	operand_load(&j->code, at, timer, WORD, reg);
	operand_load(&j->code, at, offset, WORD, at->reg);
	operand_skip(&j->code, GOPROBE_OP_JEQ, reg, OPERAND_ZERO);
	operand_set(&j->code, GOPROBE_OP_IMM, at->reg, 0);
	j->code.reg = reg;
}

/* A nil map or channel has no entries; it does not fail. */
static void count_entries(struct job *j, struct operand_place *p, bool cap)
{
	uint32_t timer = runtime_layout_get(gobin_go_minor(j->scope->bin))->chan.timer, offset;
	struct operand_place at = operand_follow(&j->code, p, &exprjob_int);

	counter_of(j, p->type, cap, &offset);
	if (p->type->kind == GOTYPE_CHAN && timer) {
		count_channel(j, &at, offset, timer);
	} else {
		operand_skip(&j->code, GOPROBE_OP_JEQ, at.reg, OPERAND_ZERO);
		operand_load(&j->code, &at, offset, WORD, at.reg);
	}
	*p = (struct operand_place){.kind = OPERAND_REGISTER, .type = &exprjob_int, .reg = at.reg};
}

bool place_is_guessed(const struct operand_place *p)
{
	const struct abi_part *part = p->kind == OPERAND_PARTS ?
					operand_register(p, p->at) : NULL;

	return part && part->guessed;
}

static int compile_length(struct job *j, const struct expr *e, struct operand_place *p)
{
	bool cap = e->kind == EXPR_CAP;
	struct exprstep step = { .kind = cap ? EXPRSTEP_CAP : EXPRSTEP_LEN };
	bool secret = j->secret;
	const struct gotype *t;

	if (place_compile(j, e->x, p))
		return -1;
	/* How long a secret is may be shown. */
	j->secret = secret;
	t = job_type_of(p);
	if (!t || t->kind == GOTYPE_INTERFACE || p->steps.n)
		return job_add_step(j, e, p, step, &exprjob_int);
	if (t->kind == GOTYPE_POINTER && t->elem && t->elem->kind == GOTYPE_ARRAY)
		t = t->elem;
	if (t->kind == GOTYPE_ARRAY) {
		*p = (struct operand_place){ .kind = OPERAND_CONSTANT, .type = &exprjob_int,
					 .at = t->count };
		return 0;
	}
	if (t->kind == GOTYPE_SLICE || (t->kind == GOTYPE_STRING && !cap)) {
		*p = operand_part(p, cap ? 2 * WORD : WORD, &exprjob_int);
		if (place_is_guessed(p))
			j->unavailable = goscope_nowhere;
		return 0;
	}
	if (t->kind != GOTYPE_CHAN && (t->kind != GOTYPE_MAP || cap))
		return job_wrong_type(j, e, e->x, t, cap ? "which has no capacity" :
				  "which has no length");
	count_entries(j, p, cap);
	return 0;
}

/* Fail unless the dynamic type of the interface @p is @rtype. */
static void check_type(struct job *j, const struct operand_place *p, uint64_t rtype)
{
	struct operand_place word = { .kind = OPERAND_MEMORY, .type = &exprjob_int,
				  .reg = operand_take(&j->code) };
	uint8_t wanted = operand_take(&j->code);

	operand_load(&j->code, p, 0, WORD, word.reg);
	/* An itab's second word is the type: internal/abi.ITab. */
	if (!p->type->empty)
		operand_load(&j->code, &word, WORD, WORD, word.reg);
	operand_set(&j->code, GOPROBE_OP_STATIC, wanted, rtype);
	operand_skip(&j->code, GOPROBE_OP_JEQ, word.reg, wanted);
	operand_set(&j->code, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_TYPE);
	j->code.reg = word.reg;
}

/*
 * The name of the type with the whole paths of packages. Types of the binary have such names; a
 * type that was composed ("*http.Header") has the name that the user typed.
 */
static const char *whole_name(struct arena *mem, const struct gotype *t)
{
	static const struct {
		enum gotype_kind kind;
		const char *begins;
	} as[] = {
		{ GOTYPE_POINTER, "*" }, { GOTYPE_SLICE, "[]" }, { GOTYPE_CHAN, "chan " },
		{ GOTYPE_CHAN, "chan<- " }, { GOTYPE_CHAN, "<-chan " },
	};
	const char *elem = NULL;

	for (size_t i = 0; t->elem && i < sizeof(as) / sizeof(as[0]); i++) {
		if (t->kind != as[i].kind || strncmp(t->name, as[i].begins, strlen(as[i].begins)))
			continue;
		elem = whole_name(mem, t->elem);
		return elem ? arena_printf(mem, "%s%s", as[i].begins, elem) : NULL;
	}
	if (t->kind == GOTYPE_ARRAY && t->elem && t->name[0] == '[') {
		elem = whole_name(mem, t->elem);
		return elem ? arena_printf(mem, "[%" PRIu64 "]%s", t->count, elem) : NULL;
	}
	if (t->kind == GOTYPE_MAP && t->key && t->elem && !strncmp(t->name, "map[", 4)) {
		const char *key = whole_name(mem, t->key);

		elem = whole_name(mem, t->elem);
		return key && elem ? arena_printf(mem, "map[%s]%s", key, elem) : NULL;
	}
	return t->name;
}

static int compile_assert(struct job *j, const struct expr *e, struct operand_place *p)
{
	struct sigparse types = { .bin = j->scope->bin, .mem = j->scope->mem, .text = j->text };
	struct exprstep step = { .kind = EXPRSTEP_ASSERT };
	const struct gotype *t, *wanted;

	if (place_compile(j, e->x, p))
		return -1;
	t = job_type_of(p);
	if (t && t->kind != GOTYPE_INTERFACE)
		return job_wrong_type(j, e, e->x, t, "not an interface");
	wanted = sigparse_type(&types, e->type, j->d);
	if (!wanted)
		return -1;
	if (wanted->kind == GOTYPE_INTERFACE) {
		job_wrong(j, e, "an interface never holds an interface, such as %s",
			  wanted->name);
		diag_span(j->d, j->text, e->type->at, e->type->len);
		return -1;
	}
	step.name = whole_name(j->scope->mem, wanted);
	if (!step.name)
		return job_no_memory(j);
	if (p->steps.n || !wanted->rtype)
		return job_add_step(j, e, p, step, wanted);
	check_type(j, p, wanted->rtype);
	if (gobin_rtype_is_direct(j->scope->bin, wanted->rtype)) {
		*p = operand_part(p, WORD, wanted);
	} else {
		struct operand_place data = operand_part(p, WORD, &exprjob_int);

		*p = operand_follow(&j->code, &data, wanted);
	}
	return 0;
}

/* --- expressions ------------------------------------------------------------------------ */

static int compile_number(const struct expr *e, struct operand_place *p)
{
	*p = (struct operand_place){ .kind = OPERAND_CONSTANT, .type = &exprjob_int,
				 .at = e->number };
	return 0;
}

/* (*T)(0xc000012340) */
static int compile_conversion(struct job *j, const struct expr *e, struct operand_place *p)
{
	struct sigparse types = { .bin = j->scope->bin, .mem = j->scope->mem, .text = j->text };
	const struct gotype *t;

	if (j->scope->fn)
		return job_wrong(j, e,
				 "an address is only good for a moment: 'read' and 'watch' look at one");
	t = sigparse_type(&types, e->type, j->d);
	if (!t)
		return -1;
	*p = (struct operand_place){ .kind = OPERAND_CONSTANT, .type = t, .at = e->number };
	return 0;
}

static int compile_operand(struct job *j, const struct expr *e, struct operand_place *p)
{
	switch (e->kind) {
	case EXPR_NAME:
		return name_compile(j, e, p);
	case EXPR_VARIABLE:
		return name_variable(j, e, p);
	case EXPR_NUMBER:
		return compile_number(e, p);
	case EXPR_STRING:
		return job_wrong(j, e, "a string in quotes can only be a key");
	case EXPR_FIELD:
		return compile_field(j, e, p);
	case EXPR_INDEX:
		return index_compile(j, e, p);
	case EXPR_DEREF:
		return compile_deref(j, e, p);
	case EXPR_LEN:
	case EXPR_CAP:
		return compile_length(j, e, p);
	case EXPR_ASSERT:
		return compile_assert(j, e, p);
	case EXPR_REGISTER:
		return register_compile(j, e, p);
	case EXPR_LABEL:
		return label_compile(j, e, p);
	case EXPR_VALUE:
		return contextvalue_compile(j, e, p);
	case EXPR_CONVERT:
		return compile_conversion(j, e, p);
	case EXPR_SLICE:
		job_wrong(j, e, "a part of a slice can't be captured here");
		diag_hint(j->d, j->cond ? "an edit can cut a slice or string: 'set s = s[:3]'" :
			  "--elements says how many elements are copied");
		return -1;
	default:
		return job_wrong(j, e, "only a variable can be here, or what it leads to");
	}
}

int place_compile(struct job *j, const struct expr *e, struct operand_place *p)
{
	int err = compile_operand(j, e, p);

	j->secret |= !err && secret_is_type(j->scope->secrets, job_type_of(p));
	return err;
}
