// SPDX-License-Identifier: GPL-2.0
/* Names of functions as people write or paste them. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "gotype/funcname.h"
#include "plan/loose_name.h"

#define NAME_MAX_BYTES 1024

/* Functions that a name may mean. */
struct meant {
	char wanted[NAME_MAX_BYTES];	/* the name, as loosen() makes it */
	bool local;	/* it has no package */
	bool instance;	/* it has type arguments */
	bool whole;	/* they have that name, with the whole package; or only its last element */
	char name[SUGGEST_MAX][NAME_MAX_BYTES];	/* the first of them */
	size_t n;	/* their number, SUGGEST_MAX at most */
};

/* Without the brackets of receivers, and the mark of shapes; false if it is too long. */
static bool loosen(const char *from, char *to)
{
	static const char shape[] = "go.shape.";
	size_t n = 0;

	while (*from && n < NAME_MAX_BYTES - 1) {
		if (!strncmp(from, shape, sizeof(shape) - 1))
			from += sizeof(shape) - 1;
		else if (from[0] == '(' && from[1] == '*')
			from += 2;
		else if (*from == ')')
			from++;
		else
			to[n++] = *from++;
	}
	to[n] = 0;
	return !*from;
}

/* Is it @m->wanted? Sets *@whole: with the whole package. */
static bool is_loosely(const struct meant *m, const char *name, bool *whole)
{
	const char *local = funcname_local(name), *from = m->local ? local : name;
	char loose[NAME_MAX_BYTES];

	if (!loosen(from, loose))
		return false;
	*whole = !strcmp(loose, m->wanted);
	if (*whole)
		return true;
	if (m->local)
		return false;
	for (from = local; from > name && from[-1] != '/'; from--)
		;
	return loosen(from, loose) && !strcmp(loose, m->wanted);
}

static void offer(struct meant *m, const char *name)
{
	char written[NAME_MAX_BYTES];
	bool whole;

	if (m->instance ? strlen(name) >= sizeof(written) :
	    !funcname_written(name, true, written, sizeof(written)))
		return;
	if (m->instance)
		memcpy(written, name, strlen(name) + 1);
	if (!is_loosely(m, written, &whole) || (m->whole && !whole))
		return;
	if (whole && !m->whole)
		m->n = 0;
	m->whole |= whole;
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->name[i], written))
			return;
	if (m->n < SUGGEST_MAX)
		memcpy(m->name[m->n++], written, strlen(written) + 1);
}

static bool has(struct gobin *const *bins, size_t nbins, const struct spec *spec)
{
	for (size_t i = 0; i < nbins; i++)
		for (const struct gofunc *f = NULL; (f = gobin_next(bins[i], f));)
			if (spec_match(spec, f->name))
				return true;
	return false;
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

static int resolve(struct gobin *const *bins, size_t nbins, struct meant *m, struct spec *spec,
		   struct diag *d)
{
	char *pattern;

	for (size_t i = 0; i < nbins; i++)
		for (const struct gofunc *f = NULL; (f = gobin_next(bins[i], f));)
			if (f->entry && !(f->flags & GOFUNC_WRAPPER))
				offer(m, f->name);
	if (!m->n)
		return 0;
	/* A function of that name may have been inlined wherever it is called. */
	for (size_t i = 0; i < nbins; i++)
		if (gobin_load_inlined(bins[i]))
			return diag_set(d, "out of memory");
	if (has(bins, nbins, spec))
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

int loosename_resolve(struct gobin *const *bins, size_t nbins, struct spec *specs, size_t nspecs,
		      struct diag *d)
{
	for (size_t i = 0; i < nspecs; i++) {
		struct spec *spec = &specs[i];
		struct meant m = { .n = 0 };

		if (spec->kind != SPEC_NAME || has(bins, nbins, spec) ||
		    !loosen(spec->pattern, m.wanted))
			continue;
		m.local = spec->pattern[0] == '(';
		m.instance = strchr(spec->pattern, '[');
		if (resolve(bins, nbins, &m, spec, d))
			return -1;
		/* "Cart.Add": no package is called so; a type may be. */
		if (m.n || m.local || strchr(spec->pattern, '/'))
			continue;
		m.local = true;
		if (resolve(bins, nbins, &m, spec, d))
			return -1;
	}
	return 0;
}
