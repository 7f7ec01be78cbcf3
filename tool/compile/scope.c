// SPDX-License-Identifier: GPL-2.0
/*
 * The variables of an instruction. A variable can have several pieces in registers and on the
 * stack; a variable that has no place is unavailable.
 */
#include <string.h>

#include "compile/scope.h"
#include "dwarf/scope.h"

#define WORD 8U
/* Deeper types are hostile. */
#define DEEP_MAX 16

const char goscope_nowhere[] =
	"optimized out here";

static const char why_place[] =
	"the debug information says where it is in a way that is not understood";
static const char why_parts[] =
	"the debug information does not say which of its parts are here";
static const char why_assembly[] = "written in assembly: its variables are not described";
static const char why_unknown[] = "the debug information does not describe it";

/* --- is all of it there? ---------------------------------------------------------- */

static bool has_bytes(const struct abi_part *parts, size_t n, uint64_t at, uint64_t size)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].at <= at && at + size <= (uint64_t)parts[i].at + parts[i].size)
			return true;
	return false;
}

static bool covers(const struct abi_part *parts, size_t n, uint64_t at, const struct gotype *t,
		   unsigned int deep)
{
	if (!t->size || has_bytes(parts, n, at, t->size))
		return true;
	if (deep == DEEP_MAX)
		return false;
	switch (t->kind) {
	case GOTYPE_STRUCT:
		for (size_t i = 0; i < t->nfields; i++)
			if (!covers(parts, n, at + t->fields[i].offset, t->fields[i].type,
				    deep + 1))
				return false;
		return true;
	case GOTYPE_ARRAY:
		/* In pieces there is one element at most. */
		return t->count == 1 && t->elem && covers(parts, n, at, t->elem, deep + 1);
	case GOTYPE_STRING:
	case GOTYPE_INTERFACE:
		return has_bytes(parts, n, at, WORD) && has_bytes(parts, n, at + WORD, WORD);
	case GOTYPE_SLICE:
		return has_bytes(parts, n, at, WORD) && has_bytes(parts, n, at + WORD, WORD) &&
		       has_bytes(parts, n, at + 2ULL * WORD, WORD);
	case GOTYPE_COMPLEX:
		return has_bytes(parts, n, at, t->size / 2) &&
		       has_bytes(parts, n, at + t->size / 2, t->size / 2);
	default:
		return false;
	}
}

bool scope_covers(const struct abi_part *parts, size_t n, uint64_t at,
		  const struct gotype *t)
{
	return covers(parts, n, at, t, 0);
}

/* --- places -------------------------------------------------------------------------- */

static bool is_register_size(const struct dwpiece *piece, uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8 ||
	       (size == 16 && piece->reg > 16);
}

/* Variables are counted from the frame address, which is behind the return address. */
static int64_t from_entry(const struct dwpiece *piece)
{
	return piece->offset + WORD;
}

/* One piece among several. NULL, or why not. */
static const char *add_part(const struct dwpiece *piece, struct abi_part *to, size_t *n)
{
	if (piece->kind == DWPIECE_NONE)
		return NULL;
	if (piece->kind == DWPIECE_STATIC)
		return why_place;
	if (piece->kind == DWPIECE_REG && !is_register_size(piece, piece->size))
		return why_place;
	to[(*n)++] = (struct abi_part){
		.reg = piece->reg, .is_float = piece->kind == DWPIECE_REG && piece->reg > 16,
		.size = piece->size, .at = piece->at,
		.on_stack = piece->kind == DWPIECE_STACK,
		.stack = piece->kind == DWPIECE_STACK ? from_entry(piece) : 0,
	};
	return NULL;
}

/*
 * Often nobody asks for the capacity of a slice any more, and it is nowhere, while all else is
 * there. The length is one that it can have.
 */
static void fix_slice(const struct gotype *t, struct abi_part *parts, size_t *n)
{
	if (t->kind != GOTYPE_SLICE || has_bytes(parts, *n, 2ULL * WORD, WORD))
		return;
	for (size_t i = 0; i < *n; i++) {
		if (parts[i].at != WORD || parts[i].size != WORD)
			continue;
		parts[*n] = parts[i];
		parts[*n].guessed = true;
		parts[(*n)++].at = 2 * WORD;
		return;
	}
}

/* --- the parts of a value --------------------------------------------------------------- */

/* A part that the compiler can keep by itself. */
struct leaf {
	uint32_t at;
	uint32_t size;
};

#define LEAVES_MAX DWLOCAL_PIECES_MAX

static size_t leaf_list(const struct gotype *t, uint64_t at, struct leaf *v, size_t n,
			unsigned int deep)
{
	uint64_t parts = 1, size = t->size;

	if (n == LEAVES_MAX || deep == DEEP_MAX)
		return LEAVES_MAX;
	if (t->kind == GOTYPE_STRUCT) {
		for (size_t i = 0; i < t->nfields && n < LEAVES_MAX; i++)
			n = leaf_list(t->fields[i].type, at + t->fields[i].offset, v, n, deep + 1);
		return n;
	}
	if (t->kind == GOTYPE_ARRAY && t->count == 1 && t->elem)
		return leaf_list(t->elem, at, v, n, deep + 1);
	if (t->kind == GOTYPE_STRING || t->kind == GOTYPE_INTERFACE || t->kind == GOTYPE_COMPLEX)
		parts = 2;
	else if (t->kind == GOTYPE_SLICE)
		parts = 3;
	size /= parts;
	for (uint64_t i = 0; i < parts && size && n < LEAVES_MAX; i++)
		v[n++] = (struct leaf){ (uint32_t)(at + i * size), (uint32_t)size };
	return n;
}

/* What the compiler keeps in parts at most (cmd/compile/internal/ssa, CanSSA). */
#define SPLIT_WORDS 4
#define SPLIT_FIELDS 4

static bool is_split(const struct gotype *t, unsigned int deep)
{
	if (t->size > SPLIT_WORDS * WORD || deep == DEEP_MAX)
		return false;
	if (t->kind == GOTYPE_ARRAY)
		return t->count <= 1 && t->elem && is_split(t->elem, deep + 1);
	if (t->kind != GOTYPE_STRUCT)
		return true;
	for (size_t i = 0; i < t->nfields; i++)
		if (i == SPLIT_FIELDS || !is_split(t->fields[i].type, deep + 1))
			return false;
	return true;
}

/* Where a parameter is at the function's entry. */
struct passed {
	const struct abi_side *side;
	const struct abi_value *value;	/* NULL: not known */
};

/* The offset in the value of what was passed at @entry; -1: not known. */
static int64_t passed_at(const struct passed *p, const struct dwpiece *entry)
{
	if (!p->value)
		return -1;
	if (p->value->on_stack)
		return entry->kind == DWPIECE_STACK ? from_entry(entry) - p->value->stack : -1;
	for (size_t i = 0; i < p->value->nparts; i++) {
		const struct abi_part *part = &p->side->parts[p->value->part + i];

		if (entry->kind == DWPIECE_REG && part->reg == entry->reg)
			return part->at;
	}
	return -1;
}

/* The leaf that piece @i of @v is: the only one between those of its neighbours. -1: not known. */
static int leaf_of(const struct dwlocal *v, const struct passed *p, const struct leaf *leaf,
		   size_t n, size_t i)
{
	size_t from = i, until = n - (v->npieces - i - 1);
	int found = -1;

	for (size_t k = 0; k < v->nentry && v->nentry == v->npieces; k++) {
		int64_t at = passed_at(p, &v->entry[k]);

		for (size_t m = 0; at >= 0 && m < n; m++) {
			if (leaf[m].at != at)
				continue;
			if (k <= i && m + (i - k) > from)
				from = m + (i - k);
			if (k >= i && m + 1 - (k - i) < until)
				until = m + 1 - (k - i);
		}
	}
	for (size_t m = from; m < until; m++) {
		if (v->pieces[i].size && v->pieces[i].size != leaf[m].size)
			continue;
		if (found >= 0)
			return -1;
		found = (int)m;
	}
	return found;
}

/* Is it all of the value, as it was passed on the stack? */
static bool is_passed_whole(const struct dwlocal *v, const struct passed *p)
{
	return p->value && p->value->on_stack && !passed_at(p, v->pieces);
}

/* Give each piece of @v its place in the value, in @to. NULL, or why that is not known. */
static const char *arrange(const struct dwlocal *v, const struct gotype *t,
			   const struct passed *p, struct dwpiece *to)
{
	struct leaf leaf[LEAVES_MAX];
	size_t n = leaf_list(t, 0, leaf, 0, 0);

	memcpy(to, v->pieces, v->npieces * sizeof(*to));
	if (!v->listed || n <= 1 ||
	    (v->npieces == 1 && !to->size && (!is_split(t, 0) || is_passed_whole(v, p))))
		return NULL;
	if (n >= LEAVES_MAX || v->npieces > n)
		return why_parts;
	for (size_t i = 0; i < v->npieces; i++) {
		int m = leaf_of(v, p, leaf, n, i);

		if (m < 0)
			return why_parts;
		to[i].at = leaf[m].at;
		to[i].size = leaf[m].size;
	}
	return NULL;
}

static const char *place_parts(const struct dwpiece *pieces, size_t n, const struct gotype *t,
			       struct arena *mem, struct scope_place *p)
{
	/* And one more for a capacity. */
	struct abi_part *parts = arena_array(mem, n + 1, sizeof(*parts));
	const char *why;

	if (!parts)
		return "out of memory";
	for (size_t i = 0; i < n; i++) {
		why = add_part(&pieces[i], parts, &p->nparts);
		if (why)
			return why;
	}
	fix_slice(t, parts, &p->nparts);
	p->parts = parts;
	return NULL;
}

/* Find the place of a value of type @t: NULL, or why it is unknown. */
static const char *place(const struct dwlocal *v, const struct gotype *t,
			 const struct passed *passed, struct arena *mem, struct scope_place *p)
{
	struct dwpiece pieces[DWLOCAL_PIECES_MAX];
	const struct dwpiece *first = pieces;
	struct abi_part *part;
	const char *why;

	if (!v->npieces)
		return goscope_nowhere;
	why = arrange(v, t, passed, pieces);
	if (why)
		return why;
	if (v->npieces > 1 || first->size)
		return place_parts(pieces, v->npieces, t, mem, p);
	if (first->kind != DWPIECE_REG) {
		p->memory = true;
		p->is_static = first->kind == DWPIECE_STATIC;
		p->at = p->is_static ? first->offset : from_entry(first);
		return NULL;
	}
	if (t->size && !is_register_size(first, t->size))
		return why_place;
	part = arena_alloc(mem, sizeof(*part));
	if (!part)
		return "out of memory";
	*part = (struct abi_part){ .reg = first->reg, .is_float = first->reg > 16,
				     .size = (uint32_t)t->size };
	p->parts = part;
	p->nparts = 1;
	return NULL;
}

/* --- names ----------------------------------------------------------------------------- */

static const char *name_of(const struct dwlocal *v)
{
	return v->name[0] == '&' && v->name[1] ? v->name + 1 : v->name;
}

static bool is_moved(const struct dwlocal *v)
{
	return v->name[0] == '&' && v->name[1] && v->type->kind == GOTYPE_POINTER &&
	       v->type->elem;
}

/*
 * Is it a name of Go's source? The compiler's own variables, such as parts of others ("s.len") and
 * results without a name ("~r0"), have characters that no name can have.
 */
static bool is_of_source(const char *name)
{
	static const char dot[] = "\xc2\xb7";		/* a middle dot, of older releases */

	return name[0] && strcmp(name, "_") != 0 && !name[strcspn(name, ".~#&")] &&
	       !strstr(name, dot);
}

/* Is variable @i hidden by another of the same name, or made by the compiler? */
static bool is_hidden(const struct dwscope *s, size_t i, uint32_t level)
{
	const char *name = name_of(&s->v[i]);

	if (!is_of_source(name))
		return true;
	for (size_t k = 0; k < s->n; k++) {
		bool hides = s->v[k].level < s->v[i].level ||
			     (s->v[k].level == s->v[i].level && k > i);

		if (hides && s->v[k].level >= level && !strcmp(name_of(&s->v[k]), name))
			return true;
	}
	return false;
}

/* Where the function's own parameters are at its entry. */
struct entry {
	const struct gosig *sig;	/* NULL: not known */
	struct abi_call call;		/* its places are the caller's */
};

static struct passed passed_of(const struct entry *e, const struct dwlocal *v)
{
	for (size_t i = 0; e->sig && v->param && v->nentry && i < e->sig->nparams; i++)
		if (!strcmp(e->sig->params[i].name, v->name) && !e->sig->params[i].unavailable)
			return (struct passed){ &e->call.params, &e->call.params.values[i] };
	return (struct passed){ 0 };
}

static void find_entry(struct gobin *bin, const struct gofunc *fn, struct arena *mem,
		       struct entry *e)
{
	const struct gosig *sig = gobin_sig(bin, fn);
	struct abi_value *v = arena_array(mem, sig->nparams + sig->nresults + 1, sizeof(*v));

	e->call.params.values = v;
	e->call.results.values = v ? v + sig->nparams : NULL;
	if (v && !sig->incomplete && !abi_assign(sig, fn->flags & GOFUNC_ABI0, &e->call))
		e->sig = sig;
}

/*
 * Variables of calls from @level on outwards. Its own are first, and parameters are the first of
 * these; with @params only they are its own.
 */
static int fill(struct goscope *ret, const struct dwscope *s, const struct entry *entry,
		uint32_t level, bool params_only, struct arena *mem)
{
	struct goparam *params = arena_array(mem, s->n + 1, sizeof(*params));
	struct scope_place *places = arena_array(mem, s->n + 1, sizeof(*places));
	struct passed passed;
	size_t n = 0;

	if (!params || !places)
		return -1;
	for (size_t i = 0; i < s->n; i++) {
		const struct dwlocal *v = &s->v[i];

		if (v->level < level || is_hidden(s, i, level))
			continue;
		places[n].moved = is_moved(v);
		params[n].name = name_of(v);
		params[n].type = places[n].moved ? v->type->elem : v->type;
		passed = passed_of(entry, v);
		params[n].unavailable = place(v, v->type, &passed, mem, &places[n]);
		n++;
		ret->own += v->level == level && (v->param || !params_only);
	}
	ret->sig.params = params;
	ret->sig.nparams = n;
	ret->places = places;
	return 0;
}

/* Which of the calls at @vaddr is that of @inlined; 0 is the innermost one. */
static uint32_t level_of(struct gobin *bin, uint64_t vaddr, const char *inlined)
{
	struct gobin_frame v[GOBIN_FRAMES_MAX];
	size_t n = inlined ? gobin_frames(bin, vaddr, v, GOBIN_FRAMES_MAX) : 0;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].func, inlined))
			return (uint32_t)i;
	return 0;
}

const struct goscope *scope_make(struct gobin *bin, const struct gofunc *fn, uint64_t vaddr,
				 const char *inlined, struct arena *mem)
{
	struct goscope *ret = arena_alloc(mem, sizeof(*ret));
	struct goline line = { 0 };
	struct entry entry = { 0 };
	struct dwscope s;

	if (!ret)
		return NULL;
	gobin_line(bin, vaddr, &line);
	ret->sig.incomplete = gobin_no_types_of(bin, fn);
	if (ret->sig.incomplete)
		return ret;
	find_entry(bin, fn, mem, &entry);
	if (fn->flags & GOFUNC_ASM)
		ret->sig.incomplete = why_assembly;
	else if (dwarf_scope(gobin_dwinfo(bin), fn->entry, vaddr, line.line, &s))
		ret->sig.incomplete = why_unknown;
	else if (fill(ret, &s, &entry, level_of(bin, vaddr, inlined), inlined, mem))
		return NULL;
	return ret;
}
