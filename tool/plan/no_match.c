// SPDX-License-Identifier: GPL-2.0
/* The error about a pattern that matches no function, and what may have been meant. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "gotype/funcname.h"
#include "gotype/shown_name.h"
#include "plan/loose_name.h"
#include "plan/no_match.h"

/* Functions of a recording that a message lists. */
#define SHOWN 5U

/* Functions that may have been meant. */
struct search {
	const struct name_set *names;	/* all that there are */
	struct arena mem;	/* for names */
	struct suggest near;	/* the nearest of them */
};

typedef void (*name_fn)(struct search *s, const char *name, size_t package, const void *ctx);

/* Call @fn with each name, as people write it; it outlives the search. */
static void each_name(struct search *s, name_fn fn, const void *ctx)
{
	struct name_walk w = { 0 };

	for (const struct gofunc *f; (f = name_set_next(s->names, &w));) {
		const char *name = f->name;
		size_t package = spec_package_len(name);
		char written[1024];

		if (strpbrk(name, "[%") &&
		    funcname_written(name, true, written, sizeof(written))) {
			/* "%2e" of a path has become a dot. */
			for (size_t c = 0, len = package; c < len; c++)
				package -= name[c] == '%' ? 2 : 0;
			name = arena_strdup(&s->mem, written);
		}
		if (name)
			fn(s, name, package, ctx);
	}
}

static void offer(struct search *s, const char *name, size_t package, const void *ctx)
{
	(void)package;
	(void)ctx;
	suggest_offer(&s->near, name);
}

/* --- globs ---------------------------------------------------------------------- */

static void offer_package(struct search *s, const char *name, size_t n, const void *ctx)
{
	const char *package = n ? arena_strndup(&s->mem, name, n) : NULL;

	(void)ctx;
	if (package)
		suggest_offer(&s->near, package);
}

/* As funcname_loose() makes it, in lower case. */
static char *loose(struct search *s, const char *text)
{
	size_t size = strlen(text) + 1;
	char *to = arena_alloc(&s->mem, size);

	if (!to || !funcname_loose(text, to, size))
		return NULL;
	for (char *p = to; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return to;
}

static void offer_loose(struct search *s, const char *name, size_t package, const void *pattern)
{
	size_t n = s->near.n;
	char *plain = n < SUGGEST_MAX ? loose(s, name) : NULL;

	(void)package;

	if (!plain || !spec_glob(pattern, plain))
		return;
	for (size_t i = 0; i < n; i++)
		if (strcmp(s->near.name[i], name) == 0)
			return;
	s->near.name[s->near.n++] = name;
}

/* Do any functions match? Then it is the only one in @near. */
static void offer_first(struct search *s, const char *name, size_t package, const void *pattern)
{
	(void)package;
	if (!s->near.n && spec_glob(pattern, name))
		s->near.name[s->near.n++] = pattern;
}

/* The patterns of near packages that match something. */
static void near_packages(struct search *s, const char *pattern, size_t package)
{
	struct suggest packages, found = { .n = 0 };
	const char *vendor = NULL;

	for (const char *p = pattern; (p = strstr(p, "vendor/")); p++)
		vendor = p < pattern + package ? p + strlen("vendor/") : vendor;
	if (vendor) {
		package -= (size_t)(vendor - pattern);
		pattern = vendor;
	}
	suggest_init(&s->near, arena_strndup(&s->mem, pattern, package) ?: "");
	each_name(s, offer_package, NULL);
	packages = s->near;
	/* The linker calls the package of a program main, whatever its path is. */
	if (!packages.n && memchr(pattern, '/', package) &&
	    strcspn(pattern, ".") < strcspn(pattern, "/"))
		packages.name[packages.n++] = "main";
	for (size_t i = 0; i < packages.n; i++) {
		const char *meant = arena_printf(&s->mem, "%s%s", packages.name[i],
						 pattern + package);

		s->near.n = 0;
		if (meant)
			each_name(s, offer_first, meant);
		if (s->near.n)
			found.name[found.n++] = meant;
	}
	s->near = found;
}

static void near_globs(struct search *s, const char *pattern)
{
	size_t package = spec_package_len(pattern);
	const char *plain;

	if (package)
		near_packages(s, pattern, package);
	plain = s->near.n ? NULL : loose(s, pattern);
	if (plain)
		each_name(s, offer_loose, plain);
}

/* --- the same in another package ---------------------------------------------------- */

/* A function's name as text output has it. */
static const char *shown(struct search *s, const char *name)
{
	char *brief = shown_name_short(name);
	const char *copy = brief ? arena_strdup(&s->mem, brief) : NULL;

	free(brief);
	return copy ?: name;
}

/* Does the package have a function of the wanted name, "Put" or "kvServer.Put"? */
static void offer_local(struct search *s, const char *name, size_t package, const void *wanted)
{
	const char *end = strrchr(wanted, '.') ?: wanted, *local;
	size_t n = strlen(end), len = strlen(name);

	/* Brackets of a receiver are before the last dot. */
	if (s->near.n == SUGGEST_MAX || !package || len < package + 1 + n ||
	    strcasecmp(name + len - n, end))
		return;
	local = loose(s, name + package + 1);
	if (local && !strcmp(local, wanted))
		s->near.name[s->near.n++] = shown(s, name);
}

/* "etcdserver.(*kvServer).Put" is of the package v3rpc. */
static void near_locals(struct search *s, const struct spec *spec)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t package = spec_package_len(spec->pattern);
	const char *wanted;

	s->near.n = 0;
	if (!package)
		return;
	wanted = spec->kind == SPEC_NAME ? loose(s, spec->pattern + package + 1) :
		 arena_printf(&s->mem, "*%s", spec->pattern + package);
	/* "*.*" is no proposal. */
	if (wanted && wanted[strcspn(wanted, letters)])
		each_name(s, spec->kind == SPEC_NAME ? offer_local : offer_first, wanted);
}

/* --- what is said ------------------------------------------------------------------- */

/* "main.Map[int]": the linker's names of instances are by shape, and hard to guess. */
static bool hint_instances(struct search *s, const char *pattern, struct diag *d)
{
	char written[1024];

	if (!strchr(pattern, '[') || !funcname_written(pattern, true, written, sizeof(written)))
		return false;
	s->near.n = 0;
	each_name(s, offer_first, written);
	if (s->near.n)
		diag_hint(d, "'%s' matches all instances", written);
	return s->near.n;
}

static void offer_init(struct search *s, const char *name, size_t package, const void *pattern)
{
	size_t n = strlen(pattern);

	(void)package;
	if (!s->near.n && !strncmp(name, pattern, n) &&
	    (!name[n] || (name[n] == '.' && isdigit((unsigned char)name[n + 1]))))
		s->near.name[s->near.n++] = name;
}

/*
 * "main.init", "main.init.1": the linker numbers a package's init functions, and calls what
 * initialises its variables "init".
 */
static bool hint_init(struct search *s, const char *pattern, struct diag *d)
{
	static const char word[] = ".init";
	const char *local = funcname_local(pattern);
	const char *at = local > pattern ? strstr(local - 1, word) : NULL;
	char *init = at && strspn(at + strlen(word), ".0123456789") ==
		     strlen(at + strlen(word)) ?
		     arena_strndup(&s->mem, pattern, (size_t)(at - pattern) + strlen(word)) : NULL;

	if (!init)
		return false;
	s->near.n = 0;
	each_name(s, offer_init, init);
	if (s->near.n)
		diag_hint(d, "'%s*' matches its init functions; they run before main.main, so start the program: '-- COMMAND', or -b FILE before it starts",
			  init);
	else
		diag_hint(d, "that package has no init function, and its variables need no code");
	return true;
}

/* The last word of a pattern that may be part of a name, and its length. */
static const char *last_word(const char *pattern, size_t *n)
{
	const char *end = pattern + strlen(pattern), *begin;

	while (end > pattern && !isalnum((unsigned char)end[-1]) && end[-1] != '_')
		end--;
	begin = end;
	while (begin > pattern && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
		begin--;
	*n = (size_t)(end - begin);
	return begin;
}

/* A list of all functions is too long to be read. */
static void hint_search(struct gobin *bin, const struct spec *spec, struct diag *d)
{
	static const char what[] = "finds functions by parts of their names";
	size_t n;
	const char *word = last_word(spec->pattern, &n);

	if (!n) {
		word = "WORD";
		n = strlen(word);
	}
	if (gobin_process(bin))
		diag_hint(d, "'goprobectl search -p %d %.*s' %s", gobin_process(bin), (int)n, word,
			  what);
	else
		diag_hint(d, "'goprobectl search -b %s %.*s' %s", gobin_path(bin), (int)n, word,
			  what);
}

/* Of a choice: what is in it. */
static void hint_all(const struct name_set *names, struct diag *d)
{
	struct buf b = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < names->nonly; i++) {
		const char *name = names->only[i]->name;
		char *brief = shown_name_short(name);

		/* A function has several places: they follow each other. */
		n += !i || strcmp(name, names->only[i - 1]->name);
		if (n <= SHOWN && (!i || strcmp(name, names->only[i - 1]->name))) {
			buf_str(&b, n > 1 ? ", '" : "'");
			buf_str(&b, brief ?: name);
			buf_char(&b, '\'');
		}
		free(brief);
	}
	if (n > SHOWN) {
		buf_str(&b, " and ");
		buf_u64(&b, n - SHOWN);
		buf_str(&b, n == SHOWN + 1 ? " other" : " others");
	}
	if (n && !b.failed)
		diag_hint(d, "it has %.*s", (int)b.len, b.p);
	buf_fini(&b);
}

/* Names near that of @spec are the hint of @d; false if there are none. */
static bool hint_near(struct search *s, const struct spec *spec, struct diag *d)
{
	suggest_init(&s->near, spec->pattern);
	if (spec->kind == SPEC_NAME)
		each_name(s, offer, NULL);
	else if (spec->kind == SPEC_GLOB)
		near_globs(s, spec->pattern);
	return (spec->kind == SPEC_NAME && hint_init(s, spec->pattern, d)) ||
	       suggest_set_hint(&s->near, d) || hint_instances(s, spec->pattern, d);
}

int nomatch(const struct name_set *names, const struct spec *spec, struct diag *d)
{
	struct search s = { .names = names };

	diag_set(d, "no function of %s%s matches '%s'", gobin_path(names->bins[0]),
		 names->nbins > 1 ? " and the others" : "", spec->text);
	if (hint_near(&s, spec, d))
		;
	else if (spec->kind == SPEC_NAME && !access(spec->pattern, F_OK))
		diag_hint(d, "there is a file of that name: the shell expands a pattern that is not quoted, as in 'main.*'");
	else if (near_locals(&s, spec), !suggest_set_hint(&s.near, d))
		hint_search(names->bins[0], spec, d);
	arena_fini(&s.mem);
	return -1;
}

int nomatch_recorded(const struct name_set *names, const char *path, const struct spec *spec,
		     struct diag *d)
{
	struct search s = { .names = names };

	diag_set(d, "%s has nothing that matches '%s'", path, spec->text);
	if (!hint_near(&s, spec, d) && (near_locals(&s, spec), !suggest_set_hint(&s.near, d)))
		hint_all(names, d);
	arena_fini(&s.mem);
	return -1;
}
