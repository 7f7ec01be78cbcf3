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

/**
 * struct tracing - what is traced, and by which session
 * @wanted: what is captured of functions; outlives @plan
 * @plan: the plan
 * @target: what is traced
 * @client: connection to the module
 * @upload: what the module has of @plan
 * @interrupt: whether to give up
 * @held: limit of pending calls; 0: as many as memory allows, up to TRACING_HELD
 * @keys: capacity of the table of keys; 0: no keys
 * @max_load: as @ring_bytes, @lossless and @quiet, of struct options
 * @trapless: when points become jumps; PLAN_JUMPS_OFF if the module or the target allows none
 * @breaker: the module's breaker; 0 percent: none
 * @ring_bytes: see @max_load
 * @lossless: see @max_load
 * @quiet: see @max_load; say nothing but what goes wrong
 * @inlines: --inlined is an option of the command
 * @ctx: first argument of the next two
 * @say: where notices go, a line without its end; NULL: tracing_print()
 * @progress: called as breakpoints are placed, false: give up; NULL: as @say
 * @placing: what has been said of the placing of breakpoints
 * @placing_ns: how long it took
 * @file: of whose processes all are traced, until it is said that it was replaced; or NULL
 * @look: when it is to be looked at, CLOCK_MONOTONIC, ns
 *
 * All zero, it is empty.
 */
struct tracing {
	struct arena wanted;
	struct plan *plan;
	struct target target;
	struct client *client;
	struct upload upload;
	struct interrupt interrupt;
	uint32_t held;
	struct goprobe_key_limit keys;
	uint64_t max_load;
	enum plan_jumps trapless;
	struct goprobe_breaker breaker;
	uint32_t ring_bytes;
	bool lossless;
	bool quiet;
	bool nobody;		/* no process had the file when tracing was prepared */
	bool inlines;
	void *ctx;
	void (*say)(void *ctx, const char *text);
	bool (*progress)(void *ctx, size_t points, size_t all);
	struct progress placing;
	uint64_t placing_ns;
	const char *file;
	uint64_t look;
};

#define TRACING_HELD 16384U
/* Goroutines that descend from one, at once. */
#define TRACING_MEMBERS 262144U

/* Signals, processes and binaries. */
int tracing_open(struct tracing *t, const struct options *o, struct diag *d);
/* Which functions, and what of them. What is left out is said. */
int tracing_plan(struct tracing *t, const struct options *o,
		 const struct plan_options *options, struct diag *d);
/* Set the breakpoints. */
int tracing_arm(struct tracing *t, struct diag *d);
/*
 * Print a notice for a person, in one line. Characters of paths that are not printable are
 * escaped. It is printed even if @quiet is set.
 */
void tracing_say(const struct tracing *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for @n bytes, line by line; the ends of lines in them are trusted. */
void tracing_say_lines(const struct tracing *t, const char *text, size_t n);
/* A notice to standard error, with who says it if something went wrong. */
void tracing_print(void *ctx, const char *text);
/*
 * To be called now and then while it traces: says, once, that another file has taken the place of
 * the one whose processes are traced.
 */
void tracing_look(struct tracing *t);
/*
 * "tracing 2 functions at 7 breakpoints; Ctrl-C ends": once calls are recorded. Also a line of
 * JSON, if @json is a buffer for it.
 */
void tracing_say_started(const struct tracing *t, const char *doing, struct buf *json);
/*
 * "main.foo is also inlined at 3 places, not counted: --inlined", if @doing is "counting": what
 * of the functions is not traced. Nothing, if all of them is.
 */
void tracing_say_copies(const struct tracing *t, const char *doing);
/* "taking 50773 breakpoints away": before that, if it takes long. */
void tracing_say_ending(const struct tracing *t);
/*
 * Report that the breaker ended the session at this number of hits a second (0: it did not): to
 * a person, and in a line of JSON, if there is a buffer for that.
 */
void tracing_say_broken(const struct tracing *t, uint64_t hits, struct buf *json);
/* A warning: of goroutines that run already descendants can't be found. @why: because of this. */
void tracing_say_unknown(const struct tracing *t, const struct diag *why);
/* Wait until the command has ended, if there is one; say so if that is not at once. */
void tracing_await_command(struct tracing *t);
/* Take away what is left of the session. */
void tracing_disarm(struct tracing *t);
void tracing_fini(struct tracing *t);

#endif
