// SPDX-License-Identifier: GPL-2.0
/* The packages of a binary, and their names. */
#include <string.h>

#include "gobin/packages.h"
#include "gotype/funcname.h"
#include "gotype/shown_name.h"

static void add_named(void *ctx, const char *path, const char *name)
{
	*(bool *)ctx = true;
	shown_name_add_package(path, strlen(path), name);
}

/* What the linker and the compiler make for types is of no package. */
static bool is_made(const char *name)
{
	return !strncmp(name, "type:", 5) || !strncmp(name, "type..", 6) ||
	       !strncmp(name, "go:", 3);
}

/*
 * A method that is promoted from another package, which alone sees it, has that one's path, too:
 * "my.org/shop.(*Cart).x.org/y.add".
 */
static bool is_promoted(const char *path, size_t n)
{
	const char *slash = memchr(path, '/', n), *dot = slash;

	while (dot && (dot = memchr(dot + 1, '.', (size_t)(path + n - dot - 1))))
		if (shown_name_has_package(path, (size_t)(dot - path)))
			return true;
	return false;
}

/* Neighbours are mostly of one package: the one before has *@n bytes at *@last. */
static void add_function(const char *name, const char **last, size_t *n)
{
	const char *local;

	if (*last && !strncmp(name, *last, *n) && name[*n] == '.' && !strchr(name + *n, '/'))
		return;
	local = is_made(name) ? name : funcname_local(name);
	if (local == name)
		return;
	*last = name;
	*n = (size_t)(local - name) - 1;
	/* An unnamed type has methods, too: "go.(*struct { x.org/y.T }).Get". */
	if (strcspn(name, " ()[]{}*,;\"") >= *n && !is_promoted(name, *n))
		shown_name_add_package(name, *n, NULL);
}

/* The table of names has those of inlined functions. Before Go 1.16 it is no table of its own. */
static void add_names(const struct pclntab *tab, const char **last, size_t *n)
{
	size_t at = tab->names;

	while (tab->format != PCLNTAB_GO12 && at < tab->cu && at < tab->len) {
		const char *name = (const char *)tab->data + at;

		add_function(name, last, n);
		at += strlen(name) + 1;
	}
}

void packages_show(const struct pclntab *tab, const struct gofuncs *funcs, const struct dwarf *dw)
{
	const char *last = NULL;
	bool named = false;
	size_t n = 0;

	if (dw)
		dwarf_packages(dw, add_named, &named);
	/* Debug information has all packages. */
	if (named)
		return;
	for (size_t i = 0; i < funcs->n; i++)
		add_function(funcs->v[i].name, &last, &n);
	add_names(tab, &last, &n);
}
