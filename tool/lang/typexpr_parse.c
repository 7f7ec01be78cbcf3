// SPDX-License-Identifier: GPL-2.0
/* The parser of Go types and signatures. */
#include <string.h>

#include "lang/typexpr_parse.h"

/* --- types -------------------------------------------------------------- */

static int no_memory(struct diag *d)
{
	return diag_set(d, "out of memory");
}

static int parse_params(struct lex *lx, const struct typexpr_param **ret, size_t *n,
			struct diag *d);

/* Type arguments: "[int,string]"; @name is continued. */
static int parse_arguments(struct lex *lx, const char **name, struct diag *d)
{
	const char *comma = "";

	lex_next(lx);
	*name = arena_printf(lx->mem, "%s[", *name);
	do {
		const struct typexpr *t;

		if (typexpr_parse(lx, &t, d))
			return -1;
		if (*name)
			*name = arena_printf(lx->mem, "%s%s%s", *name, comma, t->name);
		comma = ",";
	} while (lex_accept(lx, ','));
	if (lex_expect(lx, ']', "a ']' is missing after type arguments", d))
		return -1;
	if (*name)
		*name = arena_printf(lx->mem, "%s]", *name);
	return *name ? 0 : no_memory(d);
}

/* The name that binaries use for a type with two names. */
static const char *canonical(const char *name)
{
	if (strcmp(name, "byte") == 0)
		return "uint8";
	if (strcmp(name, "rune") == 0)
		return "int32";
	return strcmp(name, "any") == 0 ? "interface {}" : name;
}

static int parse_name(struct lex *lx, struct typexpr *t, struct diag *d)
{
	const struct lex_token *first = lex_next(lx);

	t->kind = TYPEXPR_NAME;
	t->name = canonical(first->s);
	if (lex_accept(lx, '.')) {
		const struct lex_token *last = lex_next(lx);

		if (last->kind != LEX_NAME)
			return lex_wrong(lx, last, d, "the name of a type is missing here");
		t->name = arena_printf(lx->mem, "%s.%s", first->s, last->s);
	} else if (first->kind != LEX_NAME) {
		return lex_wrong(lx, first, d, "this is a package, not a type");
	}
	if (!t->name)
		return no_memory(d);
	return lex_is(lex_peek(lx, 0), '[') ? parse_arguments(lx, &t->name, d) : 0;
}

static int parse_array(struct lex *lx, struct typexpr *t, struct diag *d)
{
	const struct lex_token *n;

	lex_next(lx);
	if (lex_accept(lx, ']')) {
		t->kind = TYPEXPR_SLICE;
		if (typexpr_parse(lx, &t->elem, d))
			return -1;
		t->name = arena_printf(lx->mem, "[]%s", t->elem->name);
		return t->name ? 0 : no_memory(d);
	}
	t->kind = TYPEXPR_ARRAY;
	n = lex_next(lx);
	if (n->kind != LEX_NUMBER)
		return lex_wrong(lx, n, d, "an array's length is a number");
	t->count = n->number;
	if (lex_expect(lx, ']', "a ']' is missing after an array's length", d) ||
	    typexpr_parse(lx, &t->elem, d))
		return -1;
	t->name = arena_printf(lx->mem, "[%llu]%s", (unsigned long long)t->count, t->elem->name);
	return t->name ? 0 : no_memory(d);
}

static int parse_map(struct lex *lx, struct typexpr *t, struct diag *d)
{
	t->kind = TYPEXPR_MAP;
	lex_next(lx);
	if (lex_expect(lx, '[', "a '[' is missing after 'map'", d) ||
	    typexpr_parse(lx, &t->key, d) ||
	    lex_expect(lx, ']', "a ']' is missing after a map's key type", d) ||
	    typexpr_parse(lx, &t->elem, d))
		return -1;
	t->name = arena_printf(lx->mem, "map[%s]%s", t->key->name, t->elem->name);
	return t->name ? 0 : no_memory(d);
}

static int parse_chan(struct lex *lx, struct typexpr *t, struct diag *d)
{
	const char *how = "chan";

	t->kind = TYPEXPR_CHAN;
	if (lex_next(lx)->kind == LEX_ARROW) {
		const struct lex_token *word = lex_next(lx);

		if (!lex_is_name(word, "chan"))
			return lex_wrong(lx, word, d, "'<-' is followed by 'chan' in a type");
		how = "<-chan";
	} else if (lex_peek(lx, 0)->kind == LEX_ARROW) {
		lex_next(lx);
		how = "chan<-";
	}
	if (typexpr_parse(lx, &t->elem, d))
		return -1;
	t->name = arena_printf(lx->mem, "%s %s", how, t->elem->name);
	return t->name ? 0 : no_memory(d);
}

/* "(int, ...string) (int, error)" */
static const char *sig_name(struct arena *mem, const char *word, const struct typexpr_sig *sig)
{
	const char *s = word;

	for (int side = 0; s && side < 2; side++) {
		const struct typexpr_param *p = side ? sig->results : sig->params;
		size_t n = side ? sig->nresults : sig->nparams;
		const char *open = side ? n > 1 ? " (" : " " : "(";

		if (side && !n)
			break;
		s = arena_printf(mem, "%s%s", s, open);
		for (size_t i = 0; s && i < n; i++)
			s = arena_printf(mem, "%s%s%s%s", s, i ? ", " : "",
					 p[i].variadic ? "..." : "",
					 p[i].type->name + (p[i].variadic ? 2 : 0));
		if (s && (!side || n > 1))
			s = arena_printf(mem, "%s)", s);
	}
	return s;
}

static int parse_func(struct lex *lx, struct typexpr *t, struct diag *d)
{
	struct typexpr_sig sig;

	t->kind = TYPEXPR_FUNC;
	lex_next(lx);
	if (typexpr_parse_sig(lx, &sig, d))
		return -1;
	t->name = sig_name(lx->mem, "func", &sig);
	return t->name ? 0 : no_memory(d);
}

/* --- structs and interfaces ---------------------------------------------- */

/* One line of a struct: "a, b int" or an embedded type. Fields go to @v. */
static int parse_field_line(struct lex *lx, struct typexpr_param *v, size_t *n, struct diag *d)
{
	const struct lex_token *first = lex_peek(lx, 0), *next = lex_peek(lx, 1);
	const struct typexpr *type;
	size_t from = *n;

	if (first->kind == LEX_NAME && !lex_is(next, '.') && !lex_is(next, ';') &&
	    !lex_is(next, '}') && next->kind != LEX_STRING) {
		do {
			const struct lex_token *t = lex_next(lx);

			if (t->kind != LEX_NAME)
				return lex_wrong(lx, t, d, "the name of a field is missing here");
			v[(*n)++] = (struct typexpr_param){ .name = t->s, .at = t->at,
							    .len = t->len };
		} while (lex_accept(lx, ','));
	} else {
		v[(*n)++] = (struct typexpr_param){ .at = first->at, .len = first->len };
	}
	if (typexpr_parse(lx, &type, d))
		return -1;
	for (size_t i = from; i < *n; i++)
		v[i].type = type;
	/* A tag, which does not change the layout. */
	if (lex_peek(lx, 0)->kind == LEX_STRING)
		lex_next(lx);
	return 0;
}

static int parse_struct(struct lex *lx, struct typexpr *t, struct diag *d)
{
	struct typexpr_param *v = arena_array(lx->mem, lx->n - lx->i + 1, sizeof(*v));
	const char *s = "struct {";

	t->kind = TYPEXPR_STRUCT;
	t->fields = v;
	lex_next(lx);
	if (!v)
		return no_memory(d);
	if (lex_expect(lx, '{', "a '{' is missing after 'struct'", d))
		return -1;
	while (!lex_is(lex_peek(lx, 0), '}')) {
		if (parse_field_line(lx, v, &t->nfields, d))
			return -1;
		if (!lex_accept(lx, ';'))
			break;
	}
	if (lex_expect(lx, '}', "a struct's fields end with ';' or '}'", d))
		return -1;
	for (size_t i = 0; s && i < t->nfields; i++)
		s = arena_printf(lx->mem, "%s%s %s%s%s", s, i ? ";" : "",
				 v[i].name ? v[i].name : "", v[i].name ? " " : "",
				 v[i].type->name);
	t->name = s ? arena_printf(lx->mem, t->nfields ? "%s }" : "%s}", s) : NULL;
	return t->name ? 0 : no_memory(d);
}

static int parse_method(struct lex *lx, const char **s, bool first, struct diag *d)
{
	const struct lex_token *name = lex_next(lx);
	struct typexpr_sig sig = { 0 };
	const char *text;

	if (name->kind != LEX_NAME)
		return lex_wrong(lx, name, d, "a method's name is missing here");
	if (lex_is(lex_peek(lx, 0), '(') && typexpr_parse_sig(lx, &sig, d))
		return -1;
	text = sig_name(lx->mem, name->s, &sig);
	*s = text ? arena_printf(lx->mem, "%s%s %s", *s, first ? "" : ";", text) : NULL;
	return *s ? 0 : no_memory(d);
}

static int parse_interface(struct lex *lx, struct typexpr *t, struct diag *d)
{
	const char *s = "interface {";

	t->kind = TYPEXPR_INTERFACE;
	t->empty = true;
	lex_next(lx);
	if (lex_expect(lx, '{', "a '{' is missing after 'interface'", d))
		return -1;
	while (!lex_is(lex_peek(lx, 0), '}')) {
		if (parse_method(lx, &s, t->empty, d))
			return -1;
		t->empty = false;
		if (!lex_accept(lx, ';'))
			break;
	}
	if (lex_expect(lx, '}', "an interface's methods end with ';' or '}'", d))
		return -1;
	t->name = arena_printf(lx->mem, t->empty ? "%s}" : "%s }", s);
	return t->name ? 0 : no_memory(d);
}

/* --- all of them ----------------------------------------------------------- */

static int parse_pointer(struct lex *lx, struct typexpr *t, struct diag *d)
{
	t->kind = TYPEXPR_POINTER;
	lex_next(lx);
	if (typexpr_parse(lx, &t->elem, d))
		return -1;
	t->name = arena_printf(lx->mem, "*%s", t->elem->name);
	return t->name ? 0 : no_memory(d);
}

static int parse_kind(struct lex *lx, struct typexpr *t, struct diag *d)
{
	const struct lex_token *first = lex_peek(lx, 0);

	if (lex_is(first, '*'))
		return parse_pointer(lx, t, d);
	if (lex_is(first, '['))
		return parse_array(lx, t, d);
	if (lex_is_name(first, "map"))
		return parse_map(lx, t, d);
	if (lex_is_name(first, "chan") || first->kind == LEX_ARROW)
		return parse_chan(lx, t, d);
	if (lex_is_name(first, "func"))
		return parse_func(lx, t, d);
	if (lex_is_name(first, "struct"))
		return parse_struct(lx, t, d);
	if (lex_is_name(first, "interface"))
		return parse_interface(lx, t, d);
	if (first->kind == LEX_NAME || first->kind == LEX_PATH || first->kind == LEX_STRING)
		return parse_name(lx, t, d);
	return lex_wrong(lx, first, d, "a type is missing here");
}

static int parse_type(struct lex *lx, const struct typexpr **ret, struct diag *d)
{
	size_t at = lex_peek(lx, 0)->at;
	struct typexpr *t;

	if (lex_accept(lx, '(')) {
		if (typexpr_parse(lx, ret, d))
			return -1;
		return lex_expect(lx, ')', "a ')' is missing after a type", d);
	}
	t = arena_alloc(lx->mem, sizeof(*t));
	if (!t)
		return no_memory(d);
	if (parse_kind(lx, t, d))
		return -1;
	t->at = at;
	t->len = lx->v[lx->i - 1].at + lx->v[lx->i - 1].len - at;
	*ret = t;
	return 0;
}

int typexpr_parse(struct lex *lx, const struct typexpr **ret, struct diag *d)
{
	int err;

	if (lex_enter(lx, d))
		return -1;
	err = parse_type(lx, ret, d);
	lex_leave(lx);
	return err;
}

/* --- signatures -------------------------------------------------------------- */

/* "name type", "type", or a name alone, which looks like a type. */
static int parse_param(struct lex *lx, struct typexpr_param *p, struct diag *d)
{
	const struct lex_token *first = lex_peek(lx, 0);
	struct typexpr *slice;

	if (typexpr_is_named(lx))
		p->name = lex_next(lx)->s;
	p->variadic = lex_peek(lx, 0)->kind == LEX_ELLIPSIS;
	if (p->variadic)
		lex_next(lx);
	if (typexpr_parse(lx, &p->type, d))
		return -1;
	p->at = first->at;
	p->len = lx->v[lx->i - 1].at + lx->v[lx->i - 1].len - p->at;
	if (!p->variadic)
		return 0;
	slice = arena_alloc(lx->mem, sizeof(*slice));
	if (!slice)
		return no_memory(d);
	*slice = (struct typexpr){
		.kind = TYPEXPR_SLICE, .elem = p->type, .at = p->at, .len = p->len,
		.name = arena_printf(lx->mem, "[]%s", p->type->name),
	};
	p->type = slice;
	return slice->name ? 0 : no_memory(d);
}

/* Could the type be a parameter's name? */
static bool is_plain(const struct typexpr *t)
{
	return t->kind == TYPEXPR_NAME && !strpbrk(t->name, ".[");
}

/* "a, b int": what looked like a type is a name if a later item has one. */
static int settle_names(const struct lex *lx, struct typexpr_param *v, size_t n, struct diag *d)
{
	const struct typexpr *type = NULL;
	bool named = false;

	for (size_t i = 0; i < n; i++)
		named |= !!v[i].name;
	for (size_t i = n; named && i--;) {
		if (v[i].name) {
			type = v[i].type;
			continue;
		}
		if (!type || !is_plain(v[i].type)) {
			diag_set(d, "some parameters have a name and this one has none");
			diag_span(d, lx->text, v[i].at, v[i].len);
			diag_hint(d, "call it '_'");
			return -1;
		}
		/* As written: an alias has become another name. */
		v[i].name = arena_strndup(lx->mem, lx->text + v[i].at, v[i].len);
		v[i].type = type;
		if (!v[i].name)
			return no_memory(d);
	}
	return 0;
}

static int parse_params(struct lex *lx, const struct typexpr_param **ret, size_t *n,
			struct diag *d)
{
	struct typexpr_param *v = arena_array(lx->mem, lx->n - lx->i + 1, sizeof(*v));

	if (!v)
		return no_memory(d);
	*ret = v;
	*n = 0;
	if (lex_expect(lx, '(', "a '(' is missing here", d))
		return -1;
	while (!lex_is(lex_peek(lx, 0), ')')) {
		if (parse_param(lx, &v[(*n)++], d))
			return -1;
		if (!lex_accept(lx, ','))
			break;
		if (v[*n - 1].variadic)
			return lex_wrong(lx, lex_peek(lx, 0), d,
					 "only the last parameter is variadic");
	}
	if (lex_expect(lx, ')', "',' or ')' is missing here", d))
		return -1;
	return settle_names(lx, v, *n, d);
}

static int parse_sig(struct lex *lx, struct typexpr_sig *sig, struct diag *d)
{
	const struct lex_token *next;
	struct typexpr_param *result;

	if (parse_params(lx, &sig->params, &sig->nparams, d))
		return -1;
	next = lex_peek(lx, 0);
	if (lex_is(next, '('))
		return parse_params(lx, &sig->results, &sig->nresults, d);
	if (typexpr_is_clause(lx, 0) || !typexpr_begins(next) || next->kind == LEX_STRING)
		return 0;
	result = arena_alloc(lx->mem, sizeof(*result));
	if (!result)
		return no_memory(d);
	result->at = next->at;
	sig->results = result;
	sig->nresults = 1;
	if (typexpr_parse(lx, &result->type, d))
		return -1;
	result->len = result->type->len;
	return 0;
}

int typexpr_parse_sig(struct lex *lx, struct typexpr_sig *ret, struct diag *d)
{
	int err;

	*ret = (struct typexpr_sig){ .at = lex_peek(lx, 0)->at };
	if (lex_enter(lx, d))
		return -1;
	err = parse_sig(lx, ret, d);
	lex_leave(lx);
	if (!err)
		ret->len = lx->v[lx->i - 1].at + lx->v[lx->i - 1].len - ret->at;
	return err;
}
