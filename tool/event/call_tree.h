/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls as trees: a call is below the one that was open on its goroutine, the first
 * calls of a goroutine are below the call that was open where it was started. Pure.
 *
 * A tree begins with a call that is below no other, and is finished when that has
 * ended and no other call of it is open. Memory is bounded: a full tree's calls are
 * followed, so that all others stay right, but not kept, and are counted. When all
 * trees together exceed the limit, the one without events for longest is finished
 * as it is, with calls that are open: a killed process never ends them.
 */
#ifndef GOPROBE_EVENT_CALL_TREE_H
#define GOPROBE_EVENT_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/call_end.h"

struct calltree;

/* How much is kept. */
struct calltree_limits {
	uint32_t levels;	/* levels of a tree */
	uint64_t calls;		/* calls of one tree */
	uint64_t all;		/* calls of all trees that are not finished, together */
	uint64_t bytes;		/* what calltree_text() has been given of these */
	uint64_t open;		/* calls that are open at once */
	/* Goroutines without open calls of which it is known where they come from. */
	uint64_t goroutines;
	uint32_t funcs;		/* function ids are below that */
};

/* Whose call it is. */
struct calltree_who {
	uint32_t tgid;	/* process */
	uint32_t tid;	/* thread */
	uint64_t goid;	/* goroutine */
	bool system;	/* on the thread's system stack, on behalf of @goid */
};

/* Where a goroutine comes from. */
struct calltree_origin {
	bool known;		/* anything is known of it */
	uint64_t parent;	/* the goroutine that started it, or 0 */
	uint64_t place;		/* the caller's: where in the program */
	uint32_t by;		/* the caller's: whose @place it is */
};

#define CALLTREE_TEXTS 3

/* A call that is kept. */
struct calltree_call {
	struct calltree_root *root;	/* its tree */
	struct calltree_call *parent;	/* the call it is below, or NULL */
	struct calltree_call *child;	/* the first one that is below it */
	struct calltree_call *last;	/* the last one */
	struct calltree_call *next;	/* the next one below @parent */
	uint32_t fn;	/* its function */
	struct calltree_who who;	/* whose it is */
	bool started;	/* it begins below @parent on a goroutine that @parent has started */
	/* where its goroutine comes from; if @started or there is no @parent */
	struct calltree_origin origin;
	uint64_t time;	/* when it was entered, ns */
	uint64_t duration;	/* ns; 0 if CALLEND_OPEN or CALLEND_UNSEEN */
	uint64_t seen;	/* time of the record that shows its end, or 0 */
	uint64_t from;	/* begin of its span, ns; as @until for export/span.c */
	uint64_t until;	/* end of its span */
	uint64_t inner;	/* how much of it was spent in calls below it on the same goroutine */
	bool vague;	/* @inner lacks a call whose end was not seen */
	enum callend end;	/* how it ended */
	uint64_t below;	/* calls below it that are beyond the limit of levels */
	char *text[CALLTREE_TEXTS];	/* see calltree_text() */
};

/* A finished tree. */
struct calltree_root {
	struct calltree_call *call;	/* its first call */
	uint64_t calls;	/* how many are kept */
	/* how many were left out, because of calltree_limits.calls, .all or .bytes */
	uint64_t left;
	uint64_t open;	/* open calls of it, kept or not; as the rest for event/call_tree.c */
	uint64_t bytes;	/* of texts */
	bool finished;	/* nothing more belongs to it */
	struct calltree_gor *gors;	/* goroutines whose next call belongs to it */
	struct calltree_root *older;	/* link in the list of those not finished */
	struct calltree_root *newer;	/* see @older */
	struct calltree_root *colder;	/* link in the same list by use */
	struct calltree_root *warmer;	/* see @colder */
};

struct calltree *calltree_new(const struct calltree_limits *limits);
void calltree_free(struct calltree *t);

/*
 * Calls and their ends, in order of time. @depth: goprobe_record.depth. Each returns
 * the call if it is kept: good until the next calltree_drop(). @origin: where the
 * goroutine comes from, if calltree_start() did not say; or NULL.
 */
struct calltree_call *calltree_enter(struct calltree *t, const struct calltree_who *who,
				     uint32_t fn, uint64_t depth, uint64_t time,
				     const struct calltree_origin *origin);
/* The end of a call. */
struct calltree_leaving {
	uint64_t time;		/* of its record */
	enum callend end;	/* CALLEND_RETURNED or CALLEND_TAIL */
	const uint64_t *took;	/* its duration, if measured; NULL: its records' times say it */
};

/* *@known: the call was seen. */
struct calltree_call *calltree_leave(struct calltree *t, const struct calltree_who *who,
				     uint32_t fn, uint64_t depth,
				     const struct calltree_leaving *leaving, bool *known);
/* The deepest open call, if it is of @fn and began at @began, has not returned at @time. */
struct calltree_call *calltree_unwind(struct calltree *t, const struct calltree_who *who,
				      uint32_t fn, uint64_t began, uint64_t time,
				      enum callend end);
/* @who has started goroutine @goid just now; @origin describes it. */
void calltree_start(struct calltree *t, const struct calltree_who *who, uint64_t goid,
		    const struct calltree_origin *origin);

/* A program begins in process @tgid: trees of another one there are finished as they are. */
void calltree_begin(struct calltree *t, uint32_t tgid);

/*
 * What the caller wants to be kept with the call: @len bytes, as calltree_call.text[@which].
 * Once for each; lost if memory is short.
 */
void calltree_text(struct calltree *t, struct calltree_call *c, int which, const char *s,
		   size_t len);

/* A finished tree, oldest end first, or NULL; to be given to calltree_drop(). */
struct calltree_root *calltree_next(struct calltree *t);
void calltree_drop(struct calltree_root *r);
/* No more is to come: all trees are finished, in the order they began. */
void calltree_finish(struct calltree *t);

/* How many calls of the function were left out, of all trees. */
uint64_t calltree_left(const struct calltree *t, uint32_t fn);
/* How many trees were finished early because of the limits. */
uint64_t calltree_cut(const struct calltree *t);

#endif
