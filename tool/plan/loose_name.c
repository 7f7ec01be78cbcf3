// SPDX-License-Identifier: GPL-2.0
/* Names of functions as people write or paste them. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "gotype/funcname.h"
#include "gotype/shown_name.h"
#include "plan/loose_name.h"

#define NAME_MAX_BYTES 1024

/* Functions that a name may mean. */
struct meant {
	char wanted[NAME_MAX_BYTES];	/* the name, as funcname_loose() makes it */
	bool local;	/* it has no package */
	bool instance;	/* it has type arguments */
	bool whole;	/* they have that name, with the whole package; or only its last element */
	char name[SUGGEST_MAX][NAME_MAX_BYTES];	/* the first of them */
	size_t n;	/* their number, SUGGEST_MAX at most */
};

static bool loosen(const char *from, char to[NAME_MAX_BYTES])
{
	return funcname_loose(from, to, NAME_MAX_BYTES);
}

/* Bytes of @written, what is written of @name, before funcname_local(); at most all. */
static size_t before_local(const char *name, const char *written)
{
	size_t all = strlen(written), n;
	char local[NAME_MAX_BYTES];

	if (!funcname_written(funcname_local(name), true, local, sizeof(local)))
		return 0;
	n = strlen(local);
	return n < all ? all - n : 0;
}

/* What text output calls it without --full, if that is another name; @to has NAME_MAX_BYTES. */
static bool as_shown(const char *name, char *to)
{
	char *brief = shown_name_short(name);
	size_t n = brief ? strlen(brief) : 0;
	bool other = n && n < NAME_MAX_BYTES && n < strlen(name);

	if (other)
		memcpy(to, brief, n + 1);
	free(brief);
	return other;
}

/* Is it @m->wanted? @local: of it. Sets *@whole: with the whole package. */
static bool is_loosely(const struct meant *m, const char *name, const char *local, bool *whole)
{
	const char *from = m->local ? local : name, *package;
	char loose[NAME_MAX_BYTES], called[NAME_MAX_BYTES];
	size_t n;

	if (!loosen(from, loose))
		return false;
	*whole = !strcmp(loose, m->wanted);
	if (*whole)
		return true;
	if (m->local)
		return false;
	/* The end of its path: "api/v3rpc.F". */
	for (from = name; (from = memchr(from, '/', (size_t)(local - from))); ) {
		from++;
		if (loosen(from, loose) && !strcmp(loose, m->wanted))
			return true;
	}
	if (local == name)
		return false;
	package = funcname_package(name, (size_t)(local - name) - 1, &n);
	snprintf(called, sizeof(called), "%.*s.%s", (int)n, package, local);
	if (loosen(called, loose) && !strcmp(loose, m->wanted))
		return true;
	return as_shown(name, called) && loosen(called, loose) && !strcmp(loose, m->wanted);
}

/* @name, which has fewer than NAME_MAX_BYTES bytes, may be meant. */
static void keep(struct meant *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->name[i], name))
			return;
	if (m->n < SUGGEST_MAX)
		memcpy(m->name[m->n++], name, strlen(name) + 1);
}

static void offer(struct meant *m, const char *name)
{
	char written[NAME_MAX_BYTES];
	size_t local;
	bool whole;

	if (m->instance ? strlen(name) >= sizeof(written) :
	    !funcname_written(name, true, written, sizeof(written)))
		return;
	if (m->instance)
		memcpy(written, name, strlen(name) + 1);
	local = m->instance ? (size_t)(funcname_local(name) - name) : before_local(name, written);
	if (!is_loosely(m, written, written + local, &whole) || (m->whole && !whole))
		return;
	if (whole && !m->whole)
		m->n = 0;
	m->whole |= whole;
	keep(m, written);
}

static bool has(const struct name_set *names, const struct spec *spec)
{
	struct name_walk w = { 0 };

	for (const struct gofunc *f; (f = name_set_next(names, &w));)
		if (spec_match(spec, f->name))
			return true;
	return false;
}

/* Is anything called so, also what was inlined wherever it is called? -1 with @d set. */
static int has_inlined(const struct name_set *names, const struct spec *spec,
		       struct diag *d)
{
	if (has(names, spec))
		return 1;
	if (name_set_load_inlined(names))
		return diag_set(d, "out of memory");
	return has(names, spec);
}

static int several(const struct meant *m, const struct spec *spec, struct diag *d)
{
	struct suggest near = { .n = m->n };

	for (size_t i = 0; i < m->n; i++)
		near.name[i] = m->name[i];
	diag_set(d, "'%s' can be more than one function", spec->pattern);
	suggest_set_hint(&near, d);
	return -1;
}

static void offer_all(const struct name_set *names, struct meant *m)
{
	struct name_walk w = { 0 };

	for (const struct gofunc *f; (f = name_set_next(names, &w));)
		if (!(f->flags & GOFUNC_WRAPPER))
			offer(m, f->name);
}

/* Does its path end so, or does text output call the package so? */
static bool is_shown_so(const char *path, const char *wanted)
{
	char called[NAME_MAX_BYTES], function[NAME_MAX_BYTES + sizeof(".f")];
	size_t n = strlen(path), len = strlen(wanted);

	if (len < n && path[n - len - 1] == '/' && !strcmp(path + n - len, wanted))
		return true;
	snprintf(function, sizeof(function), "%s.f", path);
	if (!as_shown(function, called))
		return false;
	called[strlen(called) - strlen(".f")] = 0;
	return !strcmp(called, wanted);
}

/* The package of @name, if @m->wanted is what people call it. */
static void offer_package(struct meant *m, const char *name)
{
	char written[NAME_MAX_BYTES];
	size_t n, len;
	const char *called;

	if (!funcname_written(name, true, written, sizeof(written)))
		return;
	n = before_local(name, written);
	if (!n)
		return;
	written[n - 1] = 0;
	/* What is made for types is of no package: "type:.eq.x/y.T", "go:struct { x/y.T }.F". */
	if (written[strcspn(written, " (){}*,;:")] || !strncmp(written, "type..", 6))
		return;
	called = funcname_package(written, n - 1, &len);
	if ((strlen(m->wanted) != len || memcmp(called, m->wanted, len) != 0) &&
	    strcmp(written, m->wanted) != 0 && !is_shown_so(written, m->wanted))
		return;
	keep(m, written);
}

/* Of packages that a name may mean, one with exactly that path is meant. */
static void prefer_whole(struct meant *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->name[i], m->wanted)) {
			memmove(m->name[0], m->name[i], strlen(m->name[i]) + 1);
			m->n = 1;
		}
}

/* The pattern means @rest, ".(*Cart).*", of one of the packages. 0, or -1 with @d set. */
static int choose_package(struct meant *m, struct spec *spec, const char *rest, struct diag *d)
{
	const char *package;
	char *pattern;

	prefer_whole(m);
	package = arena_strdup(&spec->mem, m->name[0]);
	for (size_t i = 0; i < m->n; i++) {
		if (strlen(m->name[i]) + strlen(rest) >= NAME_MAX_BYTES)
			return 0;
		strcat(m->name[i], rest);
	}
	if (m->n > 1)
		return several(m, spec, d);
	if (!m->n)
		return 0;
	pattern = strdup(m->name[0]);
	if (!package || !pattern) {
		free(pattern);
		return diag_set(d, "out of memory");
	}
	free(spec->pattern);
	spec->pattern = pattern;
	spec->package = package;
	return 0;
}

/* The package of a method of the type @m->wanted. */
static void offer_receiver(struct meant *m, const char *name)
{
	char written[NAME_MAX_BYTES];
	const char *type;
	bool pointer;
	size_t len;

	if (!funcname_receiver(name, &type, &len, &pointer) || len != strlen(m->wanted) ||
	    memcmp(type, m->wanted, len) != 0 ||
	    !funcname_written(name, true, written, sizeof(written)))
		return;
	len = before_local(name, written);
	if (!len)
		return;
	written[len - 1] = 0;
	keep(m, written);
}

/* "Cart.*": no package is called so; a type may be. 0, or -1 with @d set. */
static int resolve_receiver(const struct name_set *names, struct meant *m,
			    struct spec *spec, struct diag *d)
{
	struct name_walk w = { 0 };
	const char *rest;

	for (const struct gofunc *f; (f = name_set_next(names, &w));)
		if (f->entry && !(f->flags & GOFUNC_WRAPPER))
			offer_receiver(m, f->name);
	rest = arena_printf(&spec->mem, ".%s", spec->pattern);
	return rest ? choose_package(m, spec, rest, d) : diag_set(d, "out of memory");
}

/*
 * A regular expression, or a glob whose package has stars, that matches nothing: it is compared
 * with short names. 0, or -1 with @d set.
 */
static int resolve_shown(const struct name_set *names, struct spec *spec,
			 struct diag *d)
{
	int found = has_inlined(names, spec, d);

	if (found)
		return found < 0 ? -1 : 0;
	spec->shown = true;
	spec->shown = has(names, spec);
	return 0;
}

/* "http.*" for "net/http.*": the package of a glob that matches nothing. 0, or -1 with @d set. */
static int resolve_glob(const struct name_set *names, struct meant *m,
			struct spec *spec, struct diag *d)
{
	size_t n = spec_package_len(spec->pattern), wild = strcspn(spec->pattern, "*?[(");
	struct name_walk w = { 0 };
	const char *package;
	int err;

	if (!n && (spec->pattern[wild] == '*' || spec->pattern[wild] == '?'))
		return resolve_shown(names, spec, d);
	if (!n || n >= sizeof(m->wanted))
		return 0;
	err = has_inlined(names, spec, d);
	if (err)
		return err < 0 ? -1 : 0;
	memcpy(m->wanted, spec->pattern, n);
	m->wanted[n] = 0;
	for (const struct gofunc *f; (f = name_set_next(names, &w));)
		if (f->entry)
			offer_package(m, f->name);
	if (!m->n && !strchr(m->wanted, '/'))
		return resolve_receiver(names, m, spec, d);
	if (choose_package(m, spec, spec->pattern + n, d))
		return -1;
	/* Brackets may be missing only if nothing matches that has none. */
	package = spec->package;
	spec->package = NULL;
	if (package && !has(names, spec))
		spec->package = package;
	return 0;
}

static int resolve(const struct name_set *names, struct meant *m, struct spec *spec,
		   struct diag *d)
{
	char *pattern;

	offer_all(names, m);
	/* A function of that name may have been inlined wherever it is called. */
	if (name_set_load_inlined(names))
		return diag_set(d, "out of memory");
	if (!m->n)
		offer_all(names, m);
	if (!m->n || has(names, spec))
		return 0;
	if (m->n > 1)
		return several(m, spec, d);
	pattern = strdup(m->name[0]);
	if (!pattern)
		return diag_set(d, "out of memory");
	free(spec->pattern);
	spec->pattern = pattern;
	return 0;
}

int loosename_resolve(const struct name_set *names, struct spec *spec, struct diag *d)
{
	struct meant m = { .n = 0 };

	if (spec->kind == SPEC_GLOB)
		return resolve_glob(names, &m, spec, d);
	if (spec->kind == SPEC_REGEX)
		return resolve_shown(names, spec, d);
	if (spec->kind != SPEC_NAME || has(names, spec) || !loosen(spec->pattern, m.wanted))
		return 0;
	m.local = spec->pattern[0] == '(';
	m.instance = strchr(spec->pattern, '[');
	if (resolve(names, &m, spec, d))
		return -1;
	/* "Cart.Add": no package is called so; a type may be. */
	if (m.n || m.local || strchr(spec->pattern, '/'))
		return 0;
	m.local = true;
	return resolve(names, &m, spec, d);
}
