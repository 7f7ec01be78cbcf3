/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dictionaries: what the type parameters of generic code are. Code is compiled
 * once for all types of one shape; each instantiation passes a dictionary, a
 * read-only table of words in the binary, some of which are run-time types.
 */
#ifndef GOPROBE_GOBIN_DICTIONARY_H
#define GOPROBE_GOBIN_DICTIONARY_H

#include "elf/elffile.h"
#include "gobin/gobin.h"
#include "gobin/rtype.h"

struct godict;

/* The dictionaries of one binary. */
struct dictionary {
	const struct elffile *ef;	/* the file */
	struct rtypes *types;	/* its run-time types */
	struct godict *v;	/* dictionaries that have a symbol, by name, once they are needed */
	size_t n;		/* their number */
	size_t cap;		/* capacity of @v */
	struct arena names;	/* their names */
	bool loaded;		/* @v has been looked for */
};

void dictionary_init(struct dictionary *d, const struct elffile *ef, struct rtypes *types);
void dictionary_fini(struct dictionary *d);

/*
 * The type that @p has in a call with the dictionary at link-time address
 * @dict: its values look as those of p->type. NULL if that is not known.
 */
const struct gotype *dictionary_type(struct dictionary *d, const struct goparam *p,
				     uint64_t dict);

/*
 * Give the parameters and results of function @name (with its shapes) their real
 * types, if only one of the binary's dictionaries can be passed to it.
 */
void dictionary_settle(struct dictionary *d, const char *name, struct gosig *sig);

#endif
