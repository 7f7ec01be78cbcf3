/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Matching of calls and returns. Pure.
 *
 * (process, goid, depth) names one activation: depth is the distance from the
 * top of the goroutine's stack, which survives stack growth and migration. The
 * open calls of a goroutine form a stack of rising depth. A call at depth d
 * proves that open calls at depth >= d have ended without returning, a return
 * at depth d that those deeper than d have: by panic, Goexit or, after losses,
 * by a return that was not seen. Process ids are reused: pair_begin() reports a process that
 * has executed another program, or that has the id of one that was killed.
 */
#ifndef GOPROBE_EVENT_PAIR_H
#define GOPROBE_EVENT_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <goprobe.h>

#include "event/call_end.h"

struct pair;

/* An open call. */
struct pair_call {
	uint32_t id;		/* goprobe_point.id of its function */
	uint32_t tgid;		/* process */
	uint32_t tid;		/* thread it was entered on */
	uint64_t goid;		/* goroutine */
	uint64_t depth;		/* see goprobe_record.depth */
	uint64_t time;		/* when, CLOCK_MONOTONIC, ns */
	uint64_t dict;		/* what pair_note() said */
	uint64_t number;	/* what pair_number() said */
	/* What pair_text() said, or NULL; good until the next call of any function here. */
	const char *text;
	/*
	 * On a system stack, which belongs to the thread, not the goroutine; the runtime leaves
	 * those without returning as a matter of course.
	 */
	bool system;
	bool doubtful;		/* records were lost since, perhaps its return among them */
	enum callend end;	/* how it ended, unless pair_leave() returned it */
	/*
	 * What pair_panic() said of the panic that ended it, or NULL; good until the next call of
	 * any function here.
	 */
	const char *panic;
	uint64_t panic_id;
};

/* @limit: most open calls to remember; the coldest goroutine's go first. */
struct pair *pair_new(size_t limit);
void pair_free(struct pair *p);

/*
 * Before pair_enter() and pair_leave(): take away, one by one, the calls of
 * which record @h (of kind CALL, RETURN or TAIL) proves that they are over.
 * False when there are no more.
 */
bool pair_unwind(struct pair *p, const struct goprobe_record *h, struct pair_call *ret);

/* Open a call. False if memory ran out: its return will find no call. */
bool pair_enter(struct pair *p, const struct goprobe_record *h);
/* The call that was opened last is of a generic function with this dictionary. */
void pair_note(struct pair *p, uint64_t dict);
/* The same call has this number. */
void pair_number(struct pair *p, uint64_t number);

/* The same call is described by @text, from malloc() or NULL. */
void pair_text(struct pair *p, char *text);

/* Close the call that record @h (RETURN or TAIL) ends; false if it is unknown. */
bool pair_leave(struct pair *p, const struct goprobe_record *h, struct pair_call *ret);

/* Calls that a panic ends may be reported at once: then panics without open calls count. */
void pair_expect_held(struct pair *p);
/*
 * Record @h: the goroutine panics, at the depth of runtime.gopanic. @text, from
 * malloc(), describes it, or is NULL. Call pair_unwind() for the record before, as for a call.
 */
void pair_panic(struct pair *p, const struct goprobe_record *h, char *text);
/*
 * Take away, one by one, the calls of @h's goroutine that are deeper than @depth, which
 * have ended by @end. False when there are no more; then no panic below that is at
 * work.
 */
bool pair_abandon(struct pair *p, const struct goprobe_record *h, uint64_t depth,
		  enum callend end, struct pair_call *ret);

/* A call that was open when its process ended, or executed another program. */
typedef void (*pair_exited_fn)(void *ctx, const struct pair_call *call);
/* A program begins in process @tgid: calls that are open there were another one's. */
void pair_begin(struct pair *p, uint32_t tgid, pair_exited_fn exited, void *ctx);

/*
 * Before the records of a pass: @total records had been lost when it ended. A
 * loss is known by its number before it shows in the stream, so from this on a
 * call is doubtful if anything was lost between the pass before it and now.
 */
void pair_losses(struct pair *p, uint64_t total);

/* Panics that are remembered. */
size_t pair_thrown(const struct pair *p);
/* Calls that are open. */
size_t pair_open(const struct pair *p);
/* Calls forgotten because of the limit. */
uint64_t pair_evicted(const struct pair *p);

#endif
