// SPDX-License-Identifier: GPL-2.0
/*
 * Dynamic types that interfaces may hold. An interface with methods holds types for
 * which the linker has made an itab. "any" holds types that are named where the traced
 * functions are called, or where values are put into contexts, types of the packages of
 * the traced functions, common types, and types with an itab. All others are learned
 * when they appear.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gobin/closure.h"
#include "gobin/type_use.h"
#include "plan/dynamic_type.h"

struct dyntype {
	struct gobin *bin;
	uint64_t vaddr;
	uint32_t level;
	uint32_t flags;
	const struct wiretype *type;	/* NULL: it has no bytes */
	struct dyntype *next;
};

/* What an interface of type @t may hold is wanted @level references from a frame. */
struct dyniface {
	struct gobin *bin;
	const struct gotype *t;		/* NULL: functions */
	uint32_t level;
	struct dyniface *next;
};

/* Found in any more often than others, besides types without a package. */
static const char *const common[] = {
	"time.Duration", "time.Time", "*time.Time", "*errors.errorString", "*fmt.wrapError", "*runtime.TypeAssertionError",
	"runtime.boundsError", "runtime.errorString", "runtime.plainError", "runtime.errorAddressString",
	"*runtime.PanicNilError",
};

/* How people end the names of types that are keys of a context's values. */
static const char *const keys[] = { "Key", "key", "KeyType", "keyType" };

/* What puts any value into a context. */
static const char with_value[] = "context.WithValue";

void dynamic_type_fini(struct dynamic_type *d)
{
	hmap_fini(&d->packages);
	free(d->traced);
	hmap_fini(&d->known);
	hmap_fini(&d->ifaces);
}

static uint64_t key_of(const struct gobin *bin, uint64_t vaddr)
{
	return hmap_hash((uintptr_t)bin, &vaddr, sizeof(vaddr));
}

static enum dynamic_type_added add(struct dynamic_type *d, struct dyntype wanted,
				   const struct gotype *t, enum wire_role role)
{
	uint64_t key = key_of(wanted.bin, wanted.vaddr);
	struct dyntype *e = hmap_get(&d->known, key);

	if (e && e->level <= wanted.level)
		return DYNAMIC_TYPE_KNOWN;
	if (!e && d->n >= d->most)
		return DYNAMIC_TYPE_KNOWN;
	e = arena_alloc(d->mem, sizeof(*e));
	if (!e || hmap_put(&d->known, key, e))
		return DYNAMIC_TYPE_NO_MEMORY;
	d->n++;
	*e = wanted;
	/* What the word itself refers to is as near as what it would point to. */
	if (e->flags & GOPROBE_DYNAMIC_F_DIRECT && wanted.level)
		wanted.level--;
	e->type = !t ? NULL : type_table_want(d->types, e->bin, t, role, wanted.level);
	if (!e->type)
		return DYNAMIC_TYPE_KNOWN;
	*d->last = e;
	d->last = &e->next;
	return DYNAMIC_TYPE_NEW;
}

enum dynamic_type_added dynamic_type_add(struct dynamic_type *d, struct gobin *bin, uint64_t vaddr,
					 uint32_t level)
{
	const struct dyntype *e = hmap_get(&d->known, key_of(bin, vaddr));
	const struct gotype *t;

	if ((e && e->level <= level) || level > d->types->depth)
		return DYNAMIC_TYPE_KNOWN;
	t = gobin_rtype(bin, vaddr);
	if (!t)
		return DYNAMIC_TYPE_KNOWN;
	return add(d, (struct dyntype){
		.bin = bin,
		.vaddr = vaddr,
		.level = level,
		.flags = gobin_rtype_is_direct(bin, vaddr) ? GOPROBE_DYNAMIC_F_DIRECT : 0,
	}, t, gobin_rtype_is_error(bin, vaddr) ? WIRE_ERROR : WIRE_VALUE);
}

enum dynamic_type_added dynamic_type_add_func(struct dynamic_type *d, struct gobin *bin,
					      uint64_t vaddr, uint32_t level)
{
	const struct dyntype *e = hmap_get(&d->known, key_of(bin, vaddr));

	if ((e && e->level <= level) || level > d->types->depth)
		return DYNAMIC_TYPE_KNOWN;
	return add(d, (struct dyntype){ .bin = bin, .vaddr = vaddr, .level = level },
		   gobin_closure_type(bin, vaddr), WIRE_VALUE);
}

/* --- types to describe in advance ------------------------------------------ */

/* What is looked for among a binary's types. */
struct wish {
	struct dynamic_type *d;	/* where it goes */
	struct gobin *bin;	/* the binary */
	uint32_t level;		/* of the interfaces' values */
	bool own;		/* types of the packages of traced functions; else what is common */
};

/* The length of "net/http" in "net/http.(*Server).Serve" and "net/http.Server". */
static size_t package_len(const char *name)
{
	size_t at = 0;

	for (size_t i = 0; name[i] && !strchr("[({ ", name[i]); i++)
		if (name[i] == '/')
			at = i + 1;
	at += strcspn(name + at, ".[({ ");
	return name[at] == '.' ? at : 0;
}

static uint64_t package_key(const struct gobin *bin, const char *name)
{
	return hmap_hash((uintptr_t)bin, name, package_len(name));
}

/* Is @name, of a type or function, of the package of a traced function? */
static bool is_own(const struct wish *w, const char *name)
{
	return package_len(name) && hmap_get(&w->d->packages, package_key(w->bin, name));
}

int dynamic_type_trace(struct dynamic_type *d, const struct gobin *bin, const struct gofunc *fn)
{
	struct dyntraced *t;

	if (fn->entry) {
		if (grow(&d->traced, d->ntraced + 1, &d->traced_cap, sizeof(*d->traced)))
			return -1;
		t = &d->traced[d->ntraced++];
		*t = (struct dyntraced){ .bin = bin, .entry = fn->entry };
	}
	return package_len(fn->name) ? hmap_put(&d->packages, package_key(bin, fn->name), d) : 0;
}

/* Is a type of such a package named in the type @name, as in "[]*main.Item"? */
static bool mentions_own(const struct wish *w, const char *name)
{
	if (is_own(w, name))
		return true;
	for (const char *p = name; *p; p++)
		if (strchr("*[](){}, ", *p) && is_own(w, p + 1))
			return true;
	return false;
}

/* "*http.contextKey", "main.key" */
static bool is_key(const char *name)
{
	size_t len = strlen(name), n;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		n = strlen(keys[i]);
		if (len > n && strcmp(name + len - n, keys[i]) == 0)
			return true;
	}
	return false;
}

static bool is_wanted(const struct wish *w, const char *name)
{
	if (w->own)
		return mentions_own(w, name);
	/* int, []string, map[string]*bool, struct { X int } */
	if (!strchr(name, '.'))
		return true;
	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (strcmp(name, common[i]) == 0)
			return true;
	return is_key(name);
}

static int add_wish(void *ctx, uint64_t vaddr, const char *name)
{
	struct wish *w = ctx;

	(void)name;
	return dynamic_type_add(w->d, w->bin, vaddr, w->level) == DYNAMIC_TYPE_NO_MEMORY ? -1 : 0;
}

static int add_if_wanted(void *ctx, uint64_t vaddr, const char *name)
{
	return is_wanted(ctx, name) ? add_wish(ctx, vaddr, name) : 0;
}

/* What callers of traced functions may pass, what these may return, and values of contexts. */
static int add_used(struct wish *w)
{
	struct dynamic_type *d = w->d;
	struct hmap entries = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < d->ntraced; i++)
		if (d->traced[i].bin == w->bin)
			err = hmap_put(&entries, d->traced[i].entry, d);
	for (const struct gofunc *f = NULL; !err && (f = gobin_next(w->bin, f)) && f->entry;)
		if (!strcmp(f->name, with_value))
			err = hmap_put(&entries, f->entry, d);
	if (!err)
		err = type_use_each(w->bin, &entries, add_wish, w);
	hmap_fini(&entries);
	return err;
}

static int add_any(struct wish *w)
{
	int err = add_used(w);

	w->own = true;
	if (!err)
		err = gobin_each_rtype(w->bin, add_if_wanted, w);
	w->own = false;
	if (!err)
		err = gobin_each_rtype(w->bin, add_if_wanted, w);
	/* What is in an interface with methods is in any, too, sooner than what is in none. */
	return err ? err : gobin_itabs(w->bin, 0, add_wish, w);
}

/* "main.F.func1", "main.F.func1.2", "main.T.M-fm", "main.F.gowrap1" */
static bool is_closure(const char *name)
{
	return strstr(name, ".func") || strstr(name, "-fm") || strstr(name, "wrap");
}

static int add_closures(struct wish *w)
{
	for (const struct gofunc *f = NULL; (f = gobin_next(w->bin, f));) {
		if (!f->entry || !is_closure(f->name) || !is_own(w, f->name))
			continue;
		if (dynamic_type_add_func(w->d, w->bin, f->entry, w->level) ==
		    DYNAMIC_TYPE_NO_MEMORY)
			return -1;
	}
	return 0;
}

static int look_for(struct dynamic_type *d, const struct dyniface *i)
{
	struct wish w = { .d = d, .bin = i->bin, .level = i->level };

	if (!i->t)
		return add_closures(&w);
	if (i->t->empty)
		return add_any(&w);
	/* Without a descriptor nobody knows which itabs are for it: any may be. */
	return gobin_itabs(i->bin, i->t->rtype, add_wish, &w);
}

static int seen(void *ctx, struct gobin *bin, const struct gotype *t, uint32_t level)
{
	struct dynamic_type *d = ctx;
	/* All empty interfaces are alike, and all functions. */
	uint64_t key = !t ? (uintptr_t)bin | 1 : t->empty ? (uintptr_t)bin : (uintptr_t)t;
	struct dyniface *i = hmap_get(&d->ifaces, key);

	if (level > d->types->depth || (i && i->level <= level))
		return 0;
	if (!i) {
		i = arena_alloc(d->mem, sizeof(*i));
		if (!i || hmap_put(&d->ifaces, key, i))
			return -1;
		*i = (struct dyniface){ .bin = bin, .t = t, .next = d->waiting };
		if (!d->begun)
			d->waiting = i;
	}
	i->level = level;
	return d->begun ? look_for(d, i) : 0;
}

int dynamic_type_begin(struct dynamic_type *d)
{
	d->begun = true;
	for (; d->waiting; d->waiting = d->waiting->next)
		if (look_for(d, d->waiting))
			return -1;
	return 0;
}

void dynamic_type_init(struct dynamic_type *d, struct plan *p, struct arena *mem,
		       struct type_table *w)
{
	memset(d, 0, sizeof(*d));
	d->plan = p;
	d->mem = mem;
	d->types = w;
	d->most = DYNAMIC_TYPE_MAX;
	d->last = &d->pending;
	w->seen = seen;
	w->seen_ctx = d;
}

/* --- the way into the plan -------------------------------------------- */

static int declare(struct plan *p, const struct dyntype *e)
{
	for (size_t i = 0; i < p->nfiles; i++) {
		struct plan_points *f = &p->files[i];
		size_t cap = f->dynamic_cap;

		if (f->bin != e->bin)
			continue;
		if (grow(&f->dynamic, f->ndynamic + 1, &cap, sizeof(*f->dynamic)))
			return -1;
		f->dynamic_cap = cap;
		f->dynamic[f->ndynamic++] = (struct goprobe_dynamic){
			.address = e->vaddr,
			.type = e->type->id,
			.flags = e->flags,
		};
		return 0;
	}
	return 0;
}

int dynamic_type_settle(struct dynamic_type *d)
{
	struct dyntype *e;

	for (e = d->pending; e; e = e->next)
		if (e->type->id != TYPE_TABLE_NONE && declare(d->plan, e))
			return -1;
	d->pending = NULL;
	d->last = &d->pending;
	return 0;
}
