/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of goroutines as text and as JSON: chosen by state, time and functions, sorted, or counted
 * in groups. Stacks that are equal are kept once, so memory grows with a few words a goroutine.
 */
#ifndef GOPROBE_OUTPUT_GOROUTINE_LIST_H
#define GOPROBE_OUTPUT_GOROUTINE_LIST_H

#include "gotype/secret.h"
#include "output/stacks.h"
#include "process/goroutine_snapshot.h"

enum golist_group {
	GOLIST_ALONE,		/* a row for each goroutine */
	GOLIST_BY_STACK,
	GOLIST_BY_CREATOR,
	GOLIST_BY_STATE,
};

enum golist_sort {
	GOLIST_BY_GOID,
	GOLIST_BY_WAIT,		/* the longest first */
};

/* What is listed, and how. */
struct golist_opt {
	enum golist_group group;	/* rows, or groups */
	enum golist_sort sort;	/* of rows */
	size_t top;		/* rows or groups at most; 0: all */
	bool json;		/* as JSON */
	const char *state;	/* glob of states and of wait reasons, or NULL */
	const char *with;	/* glob of functions, one of which is on the stack, or NULL */
	uint64_t longer_than;	/* ns that they have waited at least, or 0 */
	/* The time by the process's CLOCK_MONOTONIC; 0: not known, nor is how long they wait. */
	uint64_t now;
	const struct secrets *secrets;	/* keys whose labels are redacted */
	const char *binary;	/* whose runtime has them, if the process has several; or NULL */
};

struct golist_row;

/* Goroutines. */
struct golist {
	struct golist_opt opt;	/* see there */
	struct symbols *of;	/* places of their program */
	struct stacks stacks;	/* their stacks, or the groups */
	struct golist_row *v;	/* the rows, by golist_sort() */
	size_t n;		/* their number */
	size_t cap;		/* capacity of @v */
	uint64_t seen;		/* goroutines that were offered */
	uint64_t chosen;	/* of these, those that are listed */
	uint64_t torn;		/* of these, those whose rows are torn */
	uint64_t undecided;	/* left out since it is not known for how long they have waited */
};

/* @of outlives @l. */
void golist_init(struct golist *l, const struct golist_opt *opt, struct symbols *of);
void golist_fini(struct golist *l);
/* Offer a goroutine; its status and reason outlive @l. 0, or -1 without memory. */
int golist_add(struct golist *l, const struct gosnap *s);
void golist_sort(struct golist *l);
/*
 * Append what is listed from row *@at on, below the heads of columns, until @bytes are in @b.
 * False: nothing is left.
 */
bool golist_print(struct golist *l, size_t *at, size_t bytes, struct buf *b);

#endif
