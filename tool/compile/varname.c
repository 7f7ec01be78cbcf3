// SPDX-License-Identifier: GPL-2.0
/* Package variables by full and short names. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "compile/varname.h"
#include "elf/elffile.h"
#include "gotype/shown_name.h"

/* Variables that are called as the wanted one. */
struct search {
	const char *wanted;	/* what the user wrote */
	char *first;		/* one of them; owned */
	char *second;		/* another one; owned */
};

static const char *local_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

static bool is_wanted(const void *wanted, const char *called)
{
	return !strcmp(called, wanted);
}

static int look(void *ctx, const struct gobin_variable_at *at)
{
	struct search *s = ctx;

	if (strcmp(local_name(at->name), local_name(s->wanted)) != 0 ||
	    !shown_name_any(at->name, is_wanted, s->wanted))
		return 0;
	if (!s->first)
		s->first = strdup(at->name);
	else if (strcmp(s->first, at->name) != 0)
		s->second = strdup(at->name);
	return !!s->second;
}

int varname_find(struct gobin *bin, const char *name, struct gobin_variable *ret, struct diag *d)
{
	struct search s = { .wanted = name };
	int found = !gobin_variable_find(bin, name, ret);

	if (found || !strchr(name, '.'))
		return found;
	gobin_variable_each(bin, look, &s);
	if (s.second) {
		found = diag_set(d, "more than one package variable is called '%s'", name);
		diag_hint(d, "did you mean '%s' or '%s'?", s.first, s.second);
	} else if (s.first) {
		found = !gobin_variable_find(bin, s.first, ret);
	}
	free(s.first);
	free(s.second);
	return found;
}

static bool is_of_package(const void *package, const char *called)
{
	size_t n = strlen(package);

	return !strncmp(called, package, n) && called[n] == '.' && !strchr(called + n, '/');
}

static int look_package(void *ctx, const struct gobin_variable_at *at)
{
	return is_of_package(ctx, at->name) || shown_name_any(at->name, is_of_package, ctx);
}

bool varname_has_package(struct gobin *bin, const char *package)
{
	return gobin_variable_each(bin, look_package, (void *)(uintptr_t)package);
}

/* --- what may have been meant ------------------------------------------------- */

/* Near names, copied: gobin_variable_each() ends the life of a name with the call. */
struct offers {
	struct suggest near;
	struct arena mem;
};

/* As text output has it, which is understood, too. */
static const char *copy_shown(struct arena *mem, const char *name)
{
	char *brief = shown_name_short(name);
	const char *copy = arena_strdup(mem, brief ?: name);

	free(brief);
	return copy ?: "?";
}

static int offer(void *ctx, const struct gobin_variable_at *at)
{
	struct offers *o = ctx;

	suggest_offer(&o->near, at->name);
	for (size_t i = 0; i < o->near.n; i++)
		if (o->near.name[i] == at->name)
			o->near.name[i] = copy_shown(&o->mem, at->name);
	return 0;
}

/* "main.conf" for "main.config", "server.Default" for "http.Default": one of them is right. */
static int offer_part(void *ctx, const struct gobin_variable_at *at)
{
	struct offers *o = ctx;
	const char *word = local_name(o->near.wanted), *local = local_name(at->name);
	char *package = arena_strndup(&o->mem, o->near.wanted, (size_t)(word - o->near.wanted));
	size_t n = package ? strlen(package) : 0;
	bool same = false;

	if (n) {
		package[n - 1] = 0;
		same = is_of_package(package, at->name) ||
		       shown_name_any(at->name, is_of_package, package);
	}
	if (*word && (same ? !!strcasestr(local, word) : !strcmp(local, word)))
		o->near.name[o->near.n++] = copy_shown(&o->mem, at->name);
	return o->near.n == SUGGEST_MAX;
}

/* The command that finds it by a part of the name. */
static void hint_search(struct gobin *bin, const char *name, struct diag *d)
{
	static const char what[] = "finds package variables by parts of their names";
	const char *word = local_name(name);
	int n;

	word += strspn(word, "*?[]()/^\\");
	n = (int)strcspn(word, "*?[]()/$|\\ ");
	word = n ? word : "WORD";
	n = n ?: (int)strlen(word);
	if (gobin_process(bin))
		diag_hint(d, "'goprobectl search -p %d --vars %.*s' %s", gobin_process(bin), n,
			  word, what);
	else
		diag_hint(d, "'goprobectl search -b %s --vars %.*s' %s", gobin_path(bin), n, word,
			  what);
}

void varname_hint(struct gobin *bin, const char *name, struct diag *d)
{
	struct offers o = { 0 };

	suggest_init(&o.near, name);
	gobin_variable_each(bin, offer, &o);
	if (!o.near.n)
		gobin_variable_each(bin, offer_part, &o);
	if (!suggest_set_hint(&o.near, d))
		hint_search(bin, name, d);
	arena_fini(&o.mem);
}

bool varname_are_known(struct gobin *bin)
{
	return gobin_dwinfo(bin) || elffile_section(gobin_file(bin), ".symtab");
}

int varname_unknown(struct gobin *bin, const char *name, struct diag *d)
{
	if (!varname_are_known(bin)) {
		diag_set(d, "it is not known where '%s' is: %s, and no symbol table", name,
			 gobin_no_types(bin));
		diag_hint(d, "a build without -ldflags=-s has one");
	} else {
		diag_set(d, "no package variable is called '%s'", name);
		varname_hint(bin, name, d);
	}
	return -1;
}
