// SPDX-License-Identifier: GPL-2.0
/* Libraries that few commands need: they are loaded when they are used first. */
#include <dlfcn.h>

#include "base/library.h"

void *library_load(const char *const *names, const char *packages, struct diag *d)
{
	void *lib = NULL;

	for (; !lib && *names; names++)
		lib = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
	if (lib)
		return lib;
	diag_set(d, "a library is missing: %s", dlerror());
	diag_hint(d, "install the package %s", packages);
	return NULL;
}
