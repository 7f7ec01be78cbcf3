/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sessions: from targets and specs to points of the module, as all commands that trace
 * need it.
 */
#ifndef GOPROBE_TRACE_SESSION_H
#define GOPROBE_TRACE_SESSION_H

#include "option/option.h"
#include "plan/plan.h"
#include "process/target.h"
#include "trace/client.h"
#include "trace/overload.h"
#include "trace/progress.h"
#include "trace/interrupt.h"
#include "trace/upload.h"

/* What is traced, and by which session. All zero, it is empty. */
struct session {
	const struct options *o;	/* what the user asked for; session_open() sets it */
	struct arena wanted;	/* what is captured of functions; outlives @plan */
	struct plan *plan;	/* the plan */
	struct target target;	/* what is traced */
	struct client *client;	/* connection to the module */
	struct upload upload;	/* what the module has of @plan */
	struct interrupt interrupt;	/* whether to give up */
	struct goprobe_key_limit keys;	/* capacity of the table of keys; 0: no keys */
	/* when points become jumps; PLAN_JUMPS_OFF if the module or the target allows none */
	enum plan_jumps trapless;
	struct goprobe_breaker breaker;	/* the module's breaker; 0 percent: none */
	bool nobody;		/* no process had the file when tracing was prepared */
	void *ctx;	/* first argument of the next two */
	/* where notices go, a line without its end; NULL: session_print() */
	void (*say)(void *ctx, const char *text);
	/* called as breakpoints are placed, false: give up; NULL: as @say */
	bool (*progress)(void *ctx, size_t points, size_t all);
	struct progress placing;	/* what has been said of the placing of breakpoints */
	uint64_t placing_ns;	/* how long it took */
	/* of whose processes all are traced, until it is said that it was replaced; or NULL */
	const char *file;
	uint64_t look;	/* when it is to be looked at, CLOCK_MONOTONIC, ns */
};

#define SESSION_HELD 16384U
/* Goroutines that descend from one, at once. */
#define SESSION_MEMBERS 262144U

/* Signals, processes and binaries. @o must outlive @t. */
int session_open(struct session *t, const struct options *o, struct diag *d);
/* Which functions, and what of them. What is left out is said. */
int session_plan(struct session *t, struct diag *d);
/* Set the breakpoints. */
int session_arm(struct session *t, struct diag *d);
/*
 * Print a notice for a person, in one line. Characters of paths that are not printable are
 * escaped. It is printed even with --quiet.
 */
void session_say(const struct session *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for @n bytes, line by line; the ends of lines in them are trusted. */
void session_say_lines(const struct session *t, const char *text, size_t n);
/* A notice to standard error, with who says it if something went wrong. */
void session_print(void *ctx, const char *text);
/*
 * To be called now and then while it traces: says, once, that another file has taken the place of
 * the one whose processes are traced.
 */
void session_look(struct session *t);
/*
 * "tracing 2 functions at 7 breakpoints; Ctrl-C ends": once calls are recorded. Also a line of
 * JSON, if @json is a buffer for it.
 */
void session_say_started(const struct session *t, const char *doing, struct buf *json);
/*
 * "main.foo is also inlined at 3 places, not counted: --inlined", if @doing is "counting": what
 * of the functions is not traced. Nothing, if all of them is.
 */
void session_say_copies(const struct session *t, const char *doing);
/*
 * Before what is said at the end: a new line behind the terminal's "^C"; and which process has
 * ended, if that is why.
 */
void session_say_end(const struct session *t);
/* "taking 50773 breakpoints away": before that, if it takes long. */
void session_say_ending(const struct session *t);
/*
 * Report that the breaker ended the session at this number of hits a second (0: it did not): to
 * a person, and in a line of JSON, if there is a buffer for that.
 */
void session_say_broken(const struct session *t, uint64_t hits, struct buf *json);
/* A warning: of goroutines that run already descendants can't be found. @why: because of this. */
void session_say_unknown(const struct session *t, const struct diag *why);
/* Wait until the command has ended, if there is one; say so if that is not at once. */
void session_await_command(struct session *t);
/* Take away what is left of the session. */
void session_disarm(struct session *t);
void session_fini(struct session *t);

#endif
