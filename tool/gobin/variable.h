/* SPDX-License-Identifier: GPL-2.0 */
/* Package variables of a Go binary. */
#ifndef GOPROBE_GOBIN_VARIABLE_H
#define GOPROBE_GOBIN_VARIABLE_H

#include <stdint.h>

#include "gobin/gobin.h"

/* A package variable. */
struct gobin_variable {
	const struct gotype *type;	/* its type, or NULL without debug information */
	uint64_t vaddr;			/* link-time address */
	uint64_t size;			/* bytes */
};

/*
 * The variable @name ("net/http.DefaultClient"), from debug information, else
 * (without type) from the symbol table. 0, or -1 if it is not found.
 */
int gobin_variable_find(struct gobin *bin, const char *name, struct gobin_variable *ret);

/* Where it is, with symbols alone if there are any, which is quick. 0, or -1. */
int gobin_variable_address(struct gobin *bin, const char *name, uint64_t *vaddr);

/* A variable during a walk; it is good during the call only. */
struct gobin_variable_at {
	const char *name;			/* its whole name */
	const struct gobin_variable *symbol;	/* what the symbol table has, or NULL */
	const struct dwvar_at *described;	/* what debug information has, or NULL */
};

/* A value other than 0 ends the walk, and is what it returns. */
typedef int (*gobin_variable_fn)(void *ctx, const struct gobin_variable_at *at);

/* All variables, in no order. */
int gobin_variable_each(struct gobin *bin, gobin_variable_fn fn, void *ctx);
/* The one at hand. 0, or -1 without its type although it is described. */
int gobin_variable_get(const struct gobin_variable_at *at, struct gobin_variable *ret);

#endif
