// SPDX-License-Identifier: GPL-2.0
/*
 * Closures: the objects behind func values. Debug information describes the captured
 * variables since Go 1.23; a method value's object follows from the method.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "gobin/closure.h"
#include "gotype/funcname.h"

#define METHOD_VALUE "-fm"

/* The receiver's type of the method whose method value is called @name. */
static const struct gotype *receiver_of(struct gobin *bin, const char *name)
{
	size_t len = strlen(name) - strlen(METHOD_VALUE);

	for (const struct gofunc *f = NULL; (f = gobin_next(bin, f));) {
		const struct gosig *sig;

		if (f->flags & GOFUNC_INLINED || strncmp(f->name, name, len) || f->name[len])
			continue;
		sig = gobin_sig(bin, f);
		if (sig->receiver && !sig->params[0].unavailable)
			return sig->params[0].type;
	}
	return NULL;
}

static bool is_method_value(const char *name)
{
	size_t len = strlen(name);

	return len > strlen(METHOD_VALUE) &&
	       !strcmp(name + len - strlen(METHOD_VALUE), METHOD_VALUE);
}

const struct gotype *gobin_closure_type(struct gobin *bin, uint64_t entry)
{
	const struct gofunc *fn = gobin_func_at(bin, entry);
	struct dwarf *dw = gobin_dwinfo(bin);
	const struct gotype *recv;

	if (!fn || !dw || fn->entry != entry)
		return NULL;
	if (!is_method_value(fn->name))
		return dwarf_closure(dw, entry, gobin_code(bin, entry, fn->end - entry),
				     fn->end - entry);
	recv = receiver_of(bin, fn->name);
	return recv ? dwarf_closure_of(dw, entry, "recv", recv) : NULL;
}

const char *gobin_closure_variable(const struct gotype *closure, size_t i)
{
	const struct gofield *f = &closure->fields[i];
	const char *name = f->name + (f->name[0] == '&');

	/* The compiler's own begin with a dot. */
	return !f->offset || name[0] == '.' || !strcmp(name, "_") ? NULL : name;
}
