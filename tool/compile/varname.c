// SPDX-License-Identifier: GPL-2.0
/* Package variables by full and short names. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "compile/varname.h"
#include "elf/elffile.h"

static const char *short_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* Names that end as the wanted one; owned. */
struct search {
	const char *wanted;
	char *first;
	char *second;
};

static int look(void *ctx, const char *name)
{
	struct search *s = ctx;

	if (strcmp(short_name(name), s->wanted) != 0)
		return 0;
	if (!s->first)
		s->first = strdup(name);
	else if (strcmp(s->first, name) != 0)
		s->second = strdup(name);
	return !!s->second;
}

int varname_find(struct gobin *bin, const char *name, struct gobin_variable *ret, struct diag *d)
{
	struct search s = { .wanted = name };
	int found = !gobin_variable_find(bin, name, ret);

	/* A path that is given is meant. */
	if (found || strchr(name, '/') || !strchr(name, '.'))
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

static int look_package(void *ctx, const char *name)
{
	const char *package = ctx;
	size_t n = strlen(package);

	return (strncmp(name, package, n) == 0 && name[n] == '.') ||
	       (strncmp(short_name(name), package, n) == 0 && short_name(name)[n] == '.');
}

bool varname_has_package(struct gobin *bin, const char *package)
{
	return gobin_variable_each(bin, look_package, (void *)(uintptr_t)package);
}

/* Near names, copied: gobin_variable_each() ends the life of a name with the call. */
struct offers {
	struct suggest near;
	struct arena mem;
};

static int offer(void *ctx, const char *name)
{
	struct offers *o = ctx;

	suggest_offer(&o->near, name);
	for (size_t i = 0; i < o->near.n; i++)
		if (o->near.name[i] == name)
			o->near.name[i] = arena_strdup(&o->mem, name) ?: "?";
	return 0;
}

int varname_unknown(struct gobin *bin, const char *name, struct diag *d)
{
	struct offers o = { 0 };

	suggest_init(&o.near, name);
	gobin_variable_each(bin, offer, &o);
	if (!gobin_dwinfo(bin) && !elffile_section(gobin_file(bin), ".symtab")) {
		diag_set(d, "it is not known where '%s' is: %s, and no symbol table", name,
			 gobin_no_types(bin));
		diag_hint(d, "a build without -ldflags=-s has one");
	} else {
		diag_set(d, "no package variable is called '%s'", name);
		suggest_set_hint(&o.near, d);
	}
	arena_fini(&o.mem);
	return -1;
}
