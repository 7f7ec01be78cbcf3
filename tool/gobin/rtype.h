/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types of a binary by its run-time type descriptors, which survive
 * stripping. Names are those of debug information: with the whole import
 * path, as in "*net/http.Request".
 */
#ifndef GOPROBE_GOBIN_RTYPE_H
#define GOPROBE_GOBIN_RTYPE_H

#include "base/arena.h"
#include "base/hmap.h"
#include "gobin/moduledata.h"
#include "gobin/rtype_desc.h"
#include "gotype/typeshell.h"

/* The type descriptors of one binary. */
struct rtypes {
	struct rtsource src;	/* where they are read from */
	const struct moduledata *link;	/* where they begin */
	struct arena *mem;	/* where types and names are kept */
	uint64_t left;		/* bytes of @mem that may still be taken */
	struct hmap names;	/* name by address of the descriptor */
	struct typeshells shells;	/* types by address of the descriptor */
	uint64_t *all;		/* addresses of all descriptors that can be found, once they were */
	size_t nall;		/* their number */
	struct hmap by_name;	/* address by hash of its name, once asked for */
};

/* Returns 0, or -1 if there is no memory. @link, @ef and @mem outlive @t. */
int rtype_init(struct rtypes *t, const struct elffile *ef,
	       const struct moduledata *link, struct arena *mem);
void rtype_fini(struct rtypes *t);

/*
 * The type whose descriptor is at link-time address @vaddr, with all types it
 * refers to; NULL if there is no descriptor. The same each time.
 */
const struct gotype *rtype_type(struct rtypes *t, uint64_t vaddr);

/* An interface's data word is the value itself, not a pointer to it. */
bool rtype_is_direct(struct rtypes *t, uint64_t vaddr);

/* Has it a method Error() string, as far as the linker has kept that? */
bool rtype_is_error(struct rtypes *t, uint64_t vaddr);

/* "*net/http.Request": name of the descriptor at @vaddr, or NULL. */
const char *rtype_name(struct rtypes *t, uint64_t vaddr);
/* "*http.Request": as Go prints it; not kept: to be freed. NULL if none. */
char *rtype_short_name(struct rtypes *t, uint64_t vaddr);

/* A value other than 0 ends the walk. */
typedef int (*rtype_fn)(void *ctx, uint64_t vaddr, const char *name);

/*
 * All descriptors that can be reached: what the linker lists, what itabs and
 * methods mention, and what these refer to. Returns what @fn returned last.
 */
int rtype_each(struct rtypes *t, rtype_fn fn, void *ctx);

/* Addresses of the same; @n: their number. */
const uint64_t *rtype_all(struct rtypes *t, size_t *n);

/*
 * The type called @name: "net/http.Request", or "http.Request" if no other
 * has that name. NULL: not found, or ambiguous.
 */
const struct gotype *rtype_find(struct rtypes *t, const char *name);

/*
 * Concrete types for which the binary has an itab for the interface whose
 * descriptor is at @iface; with 0: of all itabs. @fn gets the type's descriptor.
 */
int rtype_itabs(struct rtypes *t, uint64_t iface, rtype_fn fn, void *ctx);

/* As arena_alloc() of @t->mem, within the limit of bytes. */
static inline void *rtype_alloc(struct rtypes *t, size_t size)
{
	if (size > t->left)
		return NULL;
	t->left -= size;
	return arena_alloc(t->mem, size);
}

#endif
