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
static const char why_assembly[] = "written in assembly: its variables are not described";
static const char why_unknown[] = "the debug information does not describe it";

/* --- is all of it there? ---------------------------------------------------------- */

static bool has_bytes(const struct goabi_part *parts, size_t n, uint64_t at, uint64_t size)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].at <= at && at + size <= (uint64_t)parts[i].at + parts[i].size)
			return true;
	return false;
}

static bool covers(const struct goabi_part *parts, size_t n, uint64_t at, const struct gotype *t,
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

bool goscope_covers(const struct goabi_part *parts, size_t n, uint64_t at,
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
static const char *add_part(const struct dwpiece *piece, struct goabi_part *to, size_t *n)
{
	if (piece->kind == DWPIECE_NONE)
		return NULL;
	if (piece->kind == DWPIECE_STATIC)
		return why_place;
	if (piece->kind == DWPIECE_REG && !is_register_size(piece, piece->size))
		return why_place;
	to[(*n)++] = (struct goabi_part){
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
static void fix_slice(const struct gotype *t, struct goabi_part *parts, size_t *n)
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

static const char *place_parts(const struct dwlocal *v, const struct gotype *t,
			       struct arena *mem, struct goscope_place *p)
{
	/* And one more for a capacity. */
	struct goabi_part *parts = arena_array(mem, v->npieces + 1, sizeof(*parts));
	const char *why;

	if (!parts)
		return "out of memory";
	for (size_t i = 0; i < v->npieces; i++) {
		why = add_part(&v->pieces[i], parts, &p->nparts);
		if (why)
			return why;
	}
	fix_slice(t, parts, &p->nparts);
	p->parts = parts;
	return NULL;
}

/* Find the place of a value of type @t: NULL, or why it is unknown. */
static const char *place(const struct dwlocal *v, const struct gotype *t, struct arena *mem,
			 struct goscope_place *p)
{
	const struct dwpiece *first = v->pieces;
	struct goabi_part *part;

	if (!v->npieces)
		return goscope_nowhere;
	if (v->npieces > 1 || first->size)
		return place_parts(v, t, mem, p);
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
	*part = (struct goabi_part){ .reg = first->reg, .is_float = first->reg > 16,
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

/* Is variable @i hidden by another of the same name, or made by the compiler? */
static bool is_hidden(const struct dwscope *s, size_t i, uint32_t level)
{
	const char *name = name_of(&s->v[i]);

	if (name[0] == '.' || !strcmp(name, "_"))
		return true;
	for (size_t k = 0; k < s->n; k++) {
		bool hides = s->v[k].level < s->v[i].level ||
			     (s->v[k].level == s->v[i].level && k > i);

		if (hides && s->v[k].level >= level && !strcmp(name_of(&s->v[k]), name))
			return true;
	}
	return false;
}

/*
 * Variables of calls from @level on outwards. Its own are first, and parameters are the first of
 * these; with @params only they are its own.
 */
static int fill(struct goscope *ret, const struct dwscope *s, uint32_t level, bool params_only,
		struct arena *mem)
{
	struct goparam *params = arena_array(mem, s->n + 1, sizeof(*params));
	struct goscope_place *places = arena_array(mem, s->n + 1, sizeof(*places));
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
		params[n].unavailable = place(v, v->type, mem, &places[n]);
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

const struct goscope *goscope_make(struct gobin *bin, const struct gofunc *fn, uint64_t vaddr,
				   const char *inlined, struct arena *mem)
{
	struct goscope *ret = arena_alloc(mem, sizeof(*ret));
	struct goline line = { 0 };
	struct dwscope s;

	if (!ret)
		return NULL;
	gobin_line(bin, vaddr, &line);
	ret->sig.incomplete = gobin_no_types_of(bin, fn);
	if (ret->sig.incomplete)
		return ret;
	if (fn->flags & GOFUNC_ASM)
		ret->sig.incomplete = why_assembly;
	else if (dwinfo_scope(gobin_dwinfo(bin), fn->entry, vaddr, line.line, &s))
		ret->sig.incomplete = why_unknown;
	else if (fill(ret, &s, level_of(bin, vaddr, inlined), inlined, mem))
		return NULL;
	return ret;
}
