// SPDX-License-Identifier: GPL-2.0
/*
 * Real types of generic code's type parameters. The debug information gives a
 * parameter of such a type the number of a word of the dictionary
 * (DW_AT_go_dict_index; cmd/compile/internal/noder/reader.go: varDictIndex): it
 * is the address of the run-time type.
 *
 * Dictionaries are symbols called after their instantiation:
 * "main..dict.Sum[int]", before 1.20 a method's "main..dict.(*List[int]).Push",
 * since then one for all methods of a type, "main..dict.List[int]", and for those with type
 * parameters of their own (since 1.27) "main..dict.(*List[int]).Map[string]".
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gobin/dictionary.h"
#include "gotype/funcname.h"

#define MARK "..dict."
/* Bounds against hostile files. */
#define DICTS_MAX 262144U
#define WORDS_MAX 4096U
/* As deep as types are compared: names differ, layouts can't. */
#define COMPARE_DEPTH 6
/* A function with more instantiations keeps its shapes. */
#define CANDIDATES_MAX 64

struct godict {
	const char *name;
	uint64_t vaddr;
	uint64_t size;
};

void dictionary_init(struct dictionary *d, const struct elffile *ef, struct rtypes *types)
{
	memset(d, 0, sizeof(*d));
	d->ef = ef;
	d->types = types;
}

void dictionary_fini(struct dictionary *d)
{
	free(d->v);
	arena_fini(&d->names);
}

/* Can values of @real be where the code has @shape? */
static bool fits(const struct gotype *shape, const struct gotype *real, int depth)
{
	if (shape->kind == GOTYPE_UNKNOWN || shape->kind != real->kind ||
	    shape->size != real->size || shape->count != real->count ||
	    shape->nfields != real->nfields || shape->empty != real->empty)
		return false;
	/* All pointers may have one shape: *uint8. */
	if (!depth || shape->kind == GOTYPE_POINTER)
		return true;
	if (!shape->elem != !real->elem || !shape->key != !real->key ||
	    (shape->elem && !fits(shape->elem, real->elem, depth - 1)) ||
	    (shape->key && !fits(shape->key, real->key, depth - 1)))
		return false;
	for (size_t i = 0; i < shape->nfields; i++) {
		const struct gofield *s = &shape->fields[i];
		const struct gofield *r = &real->fields[i];

		if (s->offset != r->offset || !fits(s->type, r->type, depth - 1))
			return false;
	}
	return true;
}

const struct gotype *dictionary_type(struct dictionary *d, const struct goparam *p,
				     uint64_t dict)
{
	const struct gotype *t;
	uint64_t at, rtype;

	if (!p->dict_word || p->dict_word > WORDS_MAX || !dict ||
	    __builtin_add_overflow(dict, (p->dict_word - 1) * 8ULL, &at) ||
	    data_cache_read(d->types->src.data, at, &rtype, sizeof(rtype)))
		return NULL;
	t = rtype_type(d->types, rtype);
	return t && fits(p->type, t, COMPARE_DEPTH) ? t : NULL;
}

static int add(void *ctx, const char *name, uint64_t value, uint64_t size,
	       unsigned int type)
{
	struct dictionary *d = ctx;
	struct godict *v;

	if (type != STT_OBJECT || !strstr(name, MARK))
		return 0;
	if (d->n >= DICTS_MAX || grow(&d->v, d->n + 1, &d->cap, sizeof(*d->v)))
		return 1;
	v = &d->v[d->n];
	v->name = arena_strdup(&d->names, name);
	v->vaddr = value;
	v->size = size;
	if (!v->name)
		return 1;
	d->n++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct godict *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void load(struct dictionary *d)
{
	d->loaded = true;
	elffile_symbols(d->ef, add, d);
	if (d->n)
		qsort(d->v, d->n, sizeof(*d->v), by_name);
}

/* The bracket that closes the one at @open, or NULL. */
static const char *closing(const char *open)
{
	int depth = 0;

	for (const char *s = open; *s; s++) {
		depth += (*s == '[') - (*s == ']');
		if (!depth)
			return s;
	}
	return NULL;
}

/* The part of a function's local name whose type arguments are in the dictionary. */
static const char *instantiated(const char *local, bool per_method, size_t *len)
{
	const char *end = local, *open = local;

	while ((open = strchr(open, '[')) && (open = closing(open)))
		end = ++open;
	*len = per_method && end > local ? strlen(local) : (size_t)(end - local);
	/* All methods of the type share one, but for those with type parameters. */
	if (!per_method && !strncmp(local, "(*", 2) && !memchr(local, ')', *len)) {
		local += 2;
		*len -= 2;
	}
	return local;
}

/* Are both the same but for what is in brackets? */
static bool is_same_but_arguments(const char *a, size_t len, const char *b)
{
	const char *end = a + len;

	for (; a < end && *a == *b; a++, b++) {
		if (*a != '[')
			continue;
		a = closing(a);
		b = closing(b);
		if (!a || !b)
			return false;
	}
	return a == end && !*b;
}

/* The parameter or result @i. */
static struct goparam *value(struct gosig *sig, size_t i)
{
	const struct goparam *p = i < sig->nparams ? &sig->params[i] :
				  &sig->results[i - sig->nparams];

	return (struct goparam *)(uintptr_t)p;
}

/* Can the dictionary be passed to the function? */
static bool is_possible(struct dictionary *d, const struct godict *k,
			struct gosig *sig)
{
	for (size_t i = 0; i < sig->nparams + sig->nresults; i++) {
		const struct goparam *p = value(sig, i);

		if (p->dict_word && (p->dict_word > k->size / 8 ||
				     !dictionary_type(d, p, k->vaddr)))
			return false;
	}
	return true;
}

/* The first dictionary whose name does not come before @name. */
static size_t find(const struct dictionary *d, const char *name)
{
	size_t lo = 0, hi = d->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(d->v[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The only dictionary that is possible, or NULL. */
static const struct godict *the_one(struct dictionary *d, const char *name,
				    struct gosig *sig)
{
	size_t len, prefix, n = 0, pkg = (size_t)(funcname_local(name) - name);
	const char *part = instantiated(name + pkg, d->types->src.minor < 20, &len);
	const char *open = memchr(part, '[', len);
	const struct godict *found = NULL;
	char *begin;

	if (!open || !pkg)
		return NULL;
	/* The package's dot is the first of the mark's. */
	begin = arena_printf(&d->names, "%.*s" MARK "%.*s", (int)pkg - 1, name,
			     (int)(open + 1 - part), part);
	if (!begin)
		return NULL;
	prefix = strlen(begin);
	for (size_t i = find(d, begin); i < d->n && !strncmp(d->v[i].name, begin, prefix); i++) {
		const char *local = d->v[i].name + pkg - 1 + strlen(MARK);

		if (!is_same_but_arguments(part, len, local))
			continue;
		if (n++ == CANDIDATES_MAX)
			return NULL;
		if (!is_possible(d, &d->v[i], sig))
			continue;
		if (found)
			return NULL;
		found = &d->v[i];
	}
	return found;
}

void dictionary_settle(struct dictionary *d, const char *name, struct gosig *sig)
{
	size_t n = sig->nparams + sig->nresults, words = 0;
	const struct godict *k;

	for (size_t i = 0; i < n; i++)
		words += value(sig, i)->dict_word != 0;
	if (!words)
		return;
	if (!d->loaded)
		load(d);
	k = the_one(d, name, sig);
	for (size_t i = 0; k && i < n; i++) {
		struct goparam *p = value(sig, i);
		const struct gotype *t = dictionary_type(d, p, k->vaddr);

		if (t)
			p->type = t;
	}
}
