/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call trees merged into one: calls of a function that were reached by the same path are one node,
 * with their number and their times. Pure.
 */
#ifndef GOPROBE_OUTPUT_PROFILE_H
#define GOPROBE_OUTPUT_PROFILE_H

#include "base/arena.h"
#include "event/call_tree.h"

/* Nodes that are kept: with their links about 100 MB. */
#define PROFILE_NODES_MAX (1U << 20)

/* All calls that were reached by one path. */
struct profile_node {
	struct profile_node *parent;	/* the node above, or NULL */
	/* nodes below it; after profile_sort() in the order of their time */
	struct profile_node *child;
	struct profile_node *next;	/* the next node below @parent */
	uint32_t fn;	/* function id */
	bool started;	/* the calls begin goroutines that calls of @parent have started */
	uint64_t calls;	/* their number */
	uint64_t untimed;	/* how many of them have no time: their ends were not seen */
	uint64_t total_ns;	/* from call to return, all together */
	uint64_t self_ns;	/* the same, without calls below on the same goroutine */
};

/* All nodes. All zero is an empty one. */
struct profile {
	struct profile_node top;	/* the node above those of first calls */
	size_t n;			/* number of nodes */
	uint64_t left;			/* calls that are in no node: there are too many */
	struct arena mem;		/* memory of nodes */
};

/* Add a tree. */
void profile_add(struct profile *p, const struct calltree_call *first);
/* The most time first; of equals, the lower function id. */
void profile_sort(struct profile *p);
void profile_fini(struct profile *p);
/* The next node of a walk from the top: first what is below, then what is beside; or NULL. */
const struct profile_node *profile_next(const struct profile_node *node);

/* All calls of a function. */
struct profile_func {
	uint32_t fn;		/* its id */
	uint64_t calls;		/* their number */
	uint64_t untimed;	/* as of a node */
	uint64_t total_ns;	/* their time; of calls within each other that of the outer one */
	uint64_t self_ns;	/* see struct profile_node */
};

/*
 * The functions with ids below @nfuncs, those with most time in themselves first. *@n: how many
 * were called. From malloc(), or NULL without memory.
 */
struct profile_func *profile_flat(const struct profile *p, size_t nfuncs, size_t *n);

#endif
