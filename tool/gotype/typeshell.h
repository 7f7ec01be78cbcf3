/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types while they are made. Each is a shell when something first refers to it
 * and is filled from a queue, so that neither cycles nor long chains of
 * references recurse; what it contains by value is settled at the end. Pure.
 */
#ifndef GOPROBE_GOTYPE_TYPESHELL_H
#define GOPROBE_GOTYPE_TYPESHELL_H

#include "base/hmap.h"
#include "gotype/type.h"

enum typeshell_state { TYPESHELL_QUEUED, TYPESHELL_SETTLING, TYPESHELL_SETTLED };

/* A type that something refers to. */
struct typeshell {
	/* What it becomes; comes first: the table and all users have pointers to it. */
	struct gotype type;
	struct typeshell *next;		/* in the queue */
	enum typeshell_state state;	/* how far it is */
	unsigned int nesting;		/* how deep types are inside of it */
	unsigned int weight;		/* types inside, each as often as it occurs */
};

/* The types of one binary that were requested so far. A zeroed one is empty and usable. */
struct typeshells {
	struct hmap by_key;		/* struct typeshell by the key that identifies its type */
	struct typeshell *first;	/* of the queue: those that are not settled yet */
	struct typeshell *last;		/* of the queue */
};

void typeshell_fini(struct typeshells *s);

/* A shell, or what it has become; NULL if nothing has referred to it. */
struct typeshell *typeshell_get(const struct typeshells *s, uint64_t key);

/*
 * Make the zeroed memory at @t the shell of @key and append it to the queue; @t
 * lives as long as @s, at least. Returns 0, or -1 if there is no memory.
 */
int typeshell_add(struct typeshells *s, uint64_t key, struct typeshell *t);

/*
 * Fill in the type, and add shells for the types that it refers to. An array or a
 * struct with alignment 0 gets that of its elements or fields.
 */
typedef void (*typeshell_fn)(void *ctx, struct typeshell *t);

/* Have @fill fill all shells that there are and come by it, and settle them. */
void typeshell_settle(struct typeshells *s, typeshell_fn fill, void *ctx);

/* Of the type nothing is known but its name and size. */
void typeshell_unknown(struct gotype *g);

#endif
