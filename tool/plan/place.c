// SPDX-License-Identifier: GPL-2.0
/* Places of specs, as instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hmap.h"
#include "base/suggest.h"
#include "dwarf/scope.h"
#include "gobin/pclntab.h"
#include "plan/call_place.h"
#include "plan/place.h"

uint64_t place_key(const struct place *place)
{
	uint64_t key = hmap_hash((uintptr_t)place->bin, &place->vaddr, sizeof(place->vaddr));

	return place->inlined ? hmap_hash(key, place->inlined, strlen(place->inlined)) : key;
}

void place_fini(struct places *p)
{
	free(p->v);
	memset(p, 0, sizeof(*p));
}

static int add(struct places *p, struct place place)
{
	if (grow(&p->v, p->n + 1, &p->cap, sizeof(*p->v)))
		return -1;
	p->v[p->n++] = place;
	return 0;
}

static int no_memory(struct diag *d)
{
	return diag_set(d, "out of memory");
}

static int wrong(const struct spec *spec, struct diag *d)
{
	diag_span(d, spec->text, 0, spec->end);
	return -1;
}

/* --- files ------------------------------------------------------------------------- */

/* Is @suffix all of @path, or what follows one of its slashes? */
static bool ends_with(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	return n >= k && !strcmp(path + n - k, suffix) &&
	       (n == k || path[n - k - 1] == '/' || suffix[0] == '/');
}

/* Does @dir, "/" and @name end with @suffix? */
static bool file_ends_with(const char *dir, const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);

	size_t m = dir ? strlen(dir) : 0, rest;

	if (!dir || k <= n)
		return ends_with(name, suffix);
	rest = k - n - 1;
	if (strcmp(suffix + k - n, name) != 0 || suffix[rest] != '/' || !rest)
		return false;
	return m >= rest && !strncmp(dir + m - rest, suffix, rest) &&
	       (m == rest || dir[m - rest - 1] == '/' || suffix[0] == '/');
}

/* --- lines -------------------------------------------------------------------------- */

/* The first instruction of a statement in one function, or in one inlined call. */
struct first {
	const struct gofunc *fn;
	int32_t instance;
	uint64_t vaddr;
};

/* A line being searched. */
struct search {
	struct gobin *bin;		/* in this binary */
	const char *file;		/* its file's name, or the end of that */
	int line;			/* its number */
	const struct gofunc *fn;	/* the function at hand */
	struct first *v;		/* what was found */
	size_t n;			/* their number */
	size_t cap;			/* their capacity */
	const char *path;		/* the file that has it */
	const char *other;		/* another one of that name */
	int below;			/* the nearest line before it that has code */
	int above;			/* the nearest one behind it */
	bool failed;			/* there is no memory */
};

/* Keep @vaddr if it is the first one of its function, or of its inlined call. */
static int keep(struct search *s, const struct gofunc *fn, uint64_t vaddr)
{
	int32_t instance = gobin_inlined_at(s->bin, fn, vaddr);

	for (size_t i = 0; i < s->n; i++) {
		struct first *f = &s->v[i];

		if (f->fn != fn || f->instance != instance)
			continue;
		if (vaddr < f->vaddr)
			f->vaddr = vaddr;
		return 0;
	}
	if (grow(&s->v, s->n + 1, &s->cap, sizeof(*s->v))) {
		s->failed = true;
		return -1;
	}
	s->v[s->n++] = (struct first){ fn, instance, vaddr };
	return 0;
}

/* What the line table says: which files and lines there are. */
static int look_at_run(void *ctx, const struct pclntab_line *run)
{
	struct search *s = ctx;

	if (!run->file || run->line <= 0 || !ends_with(run->file, s->file))
		return 0;
	if (!s->path)
		s->path = run->file;
	else if (s->path != run->file && strcmp(s->path, run->file) != 0)
		s->other = run->file;
	if (run->line < s->line && run->line > s->below)
		s->below = run->line;
	if (run->line > s->line && (!s->above || run->line < s->above))
		s->above = run->line;
	return 0;
}

static void look_at_lines(struct search *s)
{
	for (const struct gofunc *f = NULL; (f = gobin_next(s->bin, f));)
		if (f->entry)
			gobin_lines(s->bin, f, look_at_run, s);
}

static bool is_wanted(void *ctx, const char *dir, const char *name)
{
	const struct search *s = ctx;

	return file_ends_with(dir, name, s->file);
}

static int take_row(void *ctx, uint64_t vaddr, int line, bool prologue_end)
{
	struct search *s = ctx;
	const struct gofunc *fn = line == s->line ? gobin_func_at(s->bin, vaddr) : NULL;

	(void)prologue_end;
	return fn ? keep(s, fn, vaddr) : 0;
}

static int take_run(void *ctx, const struct pclntab_line *run)
{
	struct search *s = ctx;

	if (!run->file || run->line != s->line || !ends_with(run->file, s->file))
		return 0;
	return keep(s, s->fn, run->from);
}

/* Statements of debug information; if it has marked none, what the line table has. */
static int search(struct search *s)
{
	if (gobin_dwinfo(s->bin))
		dwarf_lines(gobin_dwinfo(s->bin), is_wanted, take_row, s);
	if (s->n)
		return s->failed ? -1 : 0;
	for (s->fn = NULL; !s->failed && (s->fn = gobin_next(s->bin, s->fn));)
		if (s->fn->entry)
			gobin_lines(s->bin, s->fn, take_run, s);
	return s->failed ? -1 : 0;
}

static int by_vaddr(const void *a, const void *b)
{
	const struct first *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

static int take_all(struct places *p, struct search *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_vaddr);
	for (size_t i = 0; i < s->n; i++) {
		const struct first *f = &s->v[i];
		struct place place = { .bin = s->bin, .fn = f->fn, .vaddr = f->vaddr };

		/* The prologue may run twice, and has no variables yet. */
		if (place.vaddr == f->fn->entry && f->instance < 0)
			place.vaddr = gobin_own_code(s->bin, f->fn);
		if (add(p, place))
			return -1;
	}
	return 0;
}

static int no_line(const struct search *s, const struct spec *spec, struct diag *d)
{
	char nearest[64];

	if (s->below && s->above)
		snprintf(nearest, sizeof(nearest), "lines with code are %d and %d", s->below,
			 s->above);
	else
		snprintf(nearest, sizeof(nearest), "line with code is %d",
			 s->below ? s->below : s->above);
	diag_set(d, "%s:%d has no code; the nearest %s", s->path, s->line, nearest);
	return wrong(spec, d);
}

static int no_file(struct gobin **bins, size_t nbins, const struct spec *spec, struct diag *d)
{
	struct suggest near;

	suggest_init(&near, spec->pattern);
	for (size_t i = 0; i < nbins; i++) {
		for (const struct gofunc *f = NULL; (f = gobin_next(bins[i], f));) {
			const char *slash = f->file ? strrchr(f->file, '/') : NULL;

			if (f->file)
				suggest_offer(&near, slash ? slash + 1 : f->file);
		}
	}
	diag_set(d, "%s%s has no code of a file called '%s'", gobin_path(bins[0]),
		 nbins > 1 ? " and the others" : "", spec->pattern);
	suggest_set_hint(&near, d);
	return wrong(spec, d);
}

static int several_files(const struct search *s, const struct spec *spec, struct diag *d)
{
	diag_set(d, "more than one file is called '%s'", spec->pattern);
	diag_hint(d, "write more of its path: %s or %s", s->path, s->other);
	return wrong(spec, d);
}

static int find_line(struct places *p, struct gobin **bins, size_t nbins, const struct spec *spec,
		     struct diag *d)
{
	struct search last = { .n = 0 };
	size_t before = p->n;

	for (size_t i = 0; i < nbins; i++) {
		struct search s = { .bin = bins[i], .file = spec->pattern,
				    .line = (int)spec->number };
		int err = 0;

		look_at_lines(&s);
		if (s.path)
			last = s;
		if (s.other)
			return several_files(&s, spec, d);
		if (s.path)
			err = search(&s) || take_all(p, &s);
		free(s.v);
		if (err)
			return no_memory(d);
	}
	if (p->n > before)
		return 0;
	return last.path ? no_line(&last, spec, d) : no_file(bins, nbins, spec, d);
}

/* --- offsets and addresses ------------------------------------------------------------- */

static const struct gofunc *named(struct gobin *bin, const char *name)
{
	const struct gofunc *wrapper = NULL;

	for (const struct gofunc *f = NULL; (f = gobin_next(bin, f));) {
		if (!f->entry || strcmp(f->name, name) != 0)
			continue;
		if (!(f->flags & GOFUNC_WRAPPER))
			return f;
		wrapper = f;
	}
	return wrapper;
}

/* @spec names no function. Names are compared only now: there may be thousands of places. */
static int no_function(struct gobin **bins, size_t nbins, const struct spec *spec, struct diag *d)
{
	struct suggest near;

	suggest_init(&near, spec->pattern);
	for (size_t i = 0; i < nbins; i++)
		for (const struct gofunc *f = NULL; (f = gobin_next(bins[i], f));)
			if (f->entry)
				suggest_offer(&near, f->name);
	diag_set(d, "no function of %s%s is called '%s'", gobin_path(bins[0]),
		 nbins > 1 ? " and the others" : "", spec->pattern);
	suggest_set_hint(&near, d);
	return wrong(spec, d);
}

static int find_offset(struct places *p, struct gobin **bins, size_t nbins,
		       const struct spec *spec, struct diag *d)
{
	bool found = false;

	for (size_t i = 0; i < nbins; i++) {
		const struct gofunc *fn = named(bins[i], spec->pattern);
		struct place place = { .bin = bins[i], .fn = fn };

		if (!fn)
			continue;
		found = true;
		if (spec->number >= fn->end - fn->entry) {
			diag_set(d, "%s has %llu bytes: there is no offset %#llx", fn->name,
				 (unsigned long long)(fn->end - fn->entry),
				 (unsigned long long)spec->number);
			return wrong(spec, d);
		}
		place.vaddr = fn->entry + spec->number;
		if (add(p, place))
			return no_memory(d);
	}
	return found ? 0 : no_function(bins, nbins, spec, d);
}

static int find_address(struct places *p, struct gobin **bins, size_t nbins,
			const struct spec *spec, struct diag *d)
{
	bool found = false;

	for (size_t i = 0; i < nbins; i++) {
		const struct gofunc *fn = gobin_func_at(bins[i], spec->number);
		struct place place = { .bin = bins[i], .fn = fn, .vaddr = spec->number };

		if (!fn)
			continue;
		found = true;
		if (add(p, place))
			return no_memory(d);
	}
	if (found)
		return 0;
	diag_set(d, "no Go function of %s%s has the address %#llx", gobin_path(bins[0]),
		 nbins > 1 ? " and the others" : "", (unsigned long long)spec->number);
	diag_hint(d, "addresses are those of the file, as 'go tool objdump' shows them, wherever it is loaded");
	return wrong(spec, d);
}

int place_find(struct places *p, struct gobin **bins, size_t nbins, const struct spec *spec,
	       struct diag *d)
{
	switch (spec->kind) {
	case SPEC_LINE:
		return find_line(p, bins, nbins, spec, d);
	case SPEC_OFFSET:
		return find_offset(p, bins, nbins, spec, d);
	case SPEC_ADDRESS:
		return find_address(p, bins, nbins, spec, d);
	default:
		return 0;
	}
}

/* --- inlined functions ------------------------------------------------------------------- */

struct inlined_search {
	struct places *places;
	struct gobin *bin;
	const struct spec *spec;
	bool exact;
	struct call_place calls;
};

static int take_site(void *ctx, const struct gobin_site *site)
{
	struct inlined_search *s = ctx;
	struct place place = { .bin = s->bin, .fn = site->fn, .vaddr = site->vaddr,
			       .inlined = site->func };
	uint64_t vaddr;
	bool first;

	if (!spec_match(s->spec, site->func))
		return 0;
	vaddr = call_place_find(&s->calls, s->bin, site, &first);
	if (s->exact && vaddr && !first)
		place.vaddr = vaddr;
	place.unsure = !vaddr || (!first && !s->exact);
	return add(s->places, place);
}

int place_inlined(struct places *p, struct gobin *bin, const struct spec *spec, bool exact)
{
	struct inlined_search s = { .places = p, .bin = bin, .spec = spec, .exact = exact };
	int err = 0;

	for (const struct gofunc *f = NULL; !err && (f = gobin_next(bin, f));)
		if (f->entry)
			err = gobin_sites(bin, f, take_site, &s);
	call_place_fini(&s.calls);
	return err;
}
