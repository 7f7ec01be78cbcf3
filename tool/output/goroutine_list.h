/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of goroutines as text and as JSON: chosen by state, time and functions, sorted, or counted
 * in groups. Stacks that are equal are kept once, so memory grows with a few words a goroutine.
 */
#ifndef GOPROBE_OUTPUT_GOROUTINE_LIST_H
#define GOPROBE_OUTPUT_GOROUTINE_LIST_H

#include "gotype/secret.h"
#include "lang/spec.h"
#include "output/stacks.h"
#include "process/goroutine_snapshot.h"

enum goroutine_list_group {
	GOROUTINE_LIST_ALONE,		/* a row for each goroutine */
	GOROUTINE_LIST_BY_STACK,
	GOROUTINE_LIST_BY_CREATOR,
	GOROUTINE_LIST_BY_STATE,
};

enum goroutine_list_sort {
	GOROUTINE_LIST_BY_GOID,
	GOROUTINE_LIST_BY_WAIT,		/* the longest first */
};

/* What is listed, and how. */
struct goroutine_list_opt {
	enum goroutine_list_group group;	/* rows, or groups */
	enum goroutine_list_sort sort;	/* of rows */
	size_t top;		/* rows or groups at most; 0: all */
	bool json;		/* as JSON */
	const char *state;	/* glob of states and of wait reasons, or NULL */
	const struct spec *with;	/* functions, one of them on the stack, or NULL */
	uint64_t longer_than;	/* ns that they have waited at least, or 0 */
	/* The time by the process's CLOCK_MONOTONIC; 0: not known, nor is how long they wait. */
	uint64_t now;
	const struct secret_list *secrets;	/* keys whose labels are redacted */
	bool growth;	/* groups, and how much they have grown since the first look */
	const char *binary;	/* whose runtime has them, if the process has several; or NULL */
};

struct goroutine_list_row;

/* Goroutines. */
struct goroutine_list {
	struct goroutine_list_opt opt;	/* see there */
	struct symbols *of;	/* places of their program */
	struct stacks stacks;	/* their stacks, or the groups */
	struct hmap first;	/* by struct stack: 1 more than it had at the first look */
	bool looked;		/* that has been */
	size_t grown;		/* groups that have grown since */
	struct hmap wanted;	/* by struct symbol: is a function of @opt.with there? */
	struct goroutine_list_row *v;	/* the rows, by goroutine_list_sort() */
	size_t n;		/* their number */
	size_t cap;		/* capacity of @v */
	uint64_t seen;		/* goroutines that were offered */
	uint64_t chosen;	/* of these, those that are listed */
	uint64_t torn;		/* of these, those whose rows are torn */
	uint64_t undecided;	/* left out since it is not known for how long they have waited */
};

/* @of outlives @l. */
void goroutine_list_init(struct goroutine_list *l, const struct goroutine_list_opt *opt,
			 struct symbols *of);
void goroutine_list_fini(struct goroutine_list *l);
/* Before all goroutines are offered once more. */
void goroutine_list_again(struct goroutine_list *l);
/* Offer a goroutine; its status and reason outlive @l. 0, or -1 without memory. */
int goroutine_list_add(struct goroutine_list *l, const struct goroutine_snapshot *s);
/* In the order in which they are listed. 0, or -1 without memory. */
int goroutine_list_sort(struct goroutine_list *l);
/*
 * Append what is listed from row *@at on, below the heads of columns, until @bytes are in @b.
 * False: nothing is left.
 */
bool goroutine_list_print(struct goroutine_list *l, size_t *at, size_t bytes, struct buf *b);

#endif
