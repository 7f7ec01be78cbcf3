/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libgoprobe: calls and returns of functions of live Go programs, in a program of your own.
 *
 * A trace is made of what is traced (processes, a file or a command), of specs (what
 * goprobectl attach takes for PATTERN), and of options. Then, in this order:
 *
 *	t = goprobe_trace_new();
 *	goprobe_trace_pid(t, pid);
 *	goprobe_trace_add(t, "main.(*T).Handle(r.Method, n)");
 *	goprobe_trace_on_event(t, show, NULL);
 *	if (goprobe_trace_start(t) || goprobe_trace_run(t))
 *		fprintf(stderr, "%s\n", goprobe_trace_error(t));
 *	goprobe_trace_free(t);
 *
 * Functions that return int return 0, or -1 with a message in goprobe_trace_error(), unless
 * they say otherwise; after that the trace is good for nothing but its error and
 * goprobe_trace_free(). A trace belongs to one thread at a time; there may be several. The
 * library prints nothing, leaves signals alone unless GOPROBE_OPTION_SIGNALS is set, and
 * leaves no breakpoint behind, however the process ends. Tracing needs CAP_SYS_ADMIN in the
 * initial user namespace and the module, which it does not load; goprobe_trace_plan() does not
 * need the module.
 *
 * From version 1.0 on the interface is stable: functions, numbers of enums and the order of
 * members stay; structs grow at their end, which is why functions that fill or read one take its
 * size. The soname would change with anything else.
 */
#ifndef LIBGOPROBE_H
#define LIBGOPROBE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GOPROBE_API __attribute__((visibility("default")))

struct goprobe_trace;
struct goprobe_event;

/* "0.1.0" */
GOPROBE_API const char *goprobe_version(void);

/* NULL: out of memory. */
GOPROBE_API struct goprobe_trace *goprobe_trace_new(void);
/* Ends tracing, if it has not ended. NULL is fine. */
GOPROBE_API void goprobe_trace_free(struct goprobe_trace *t);

/* --- errors ------------------------------------------------------------- */

/*
 * One message, no capital, no full stop; NULL: no error. Good until the next call. Options are
 * named as goprobectl attach has them where two don't go together.
 */
GOPROBE_API const char *goprobe_trace_error(const struct goprobe_trace *t);
/* What to do about it, or NULL. */
GOPROBE_API const char *goprobe_trace_hint(const struct goprobe_trace *t);
/* The spec that the error points into, or NULL; *@at, *@len: the place, in bytes. */
GOPROBE_API const char *goprobe_trace_place(const struct goprobe_trace *t, size_t *at,
					    size_t *len);

/* --- what is traced -------------------------------------------------------- */

/* Processes, any number of times, or a file, or both; or a command; or a recording. */
GOPROBE_API int goprobe_trace_pid(struct goprobe_trace *t, int pid);
/*
 * All processes that run the file at @path, or have it as a library, now or later; with
 * goprobe_trace_pid() of these the chosen ones alone.
 */
GOPROBE_API int goprobe_trace_file(struct goprobe_trace *t, const char *path);
/*
 * A command, from its first instruction on: it is forked by goprobe_trace_plan(), and runs
 * from goprobe_trace_start() on. @argv ends with NULL.
 */
GOPROBE_API int goprobe_trace_command(struct goprobe_trace *t, const char *const *argv);
/*
 * What goprobe_trace_record() has written, in place of what is traced: neither the module nor
 * privileges are needed, but the programs are. It says itself which functions, and what was
 * captured of them; of the options those of events count. Events are as they were then.
 */
GOPROBE_API int goprobe_trace_replay(struct goprobe_trace *t, const char *path);
/* Where a program of the recording is now, if not where it was; any number of times. */
GOPROBE_API int goprobe_trace_program(struct goprobe_trace *t, const char *path);
/* Which functions, and what of them; fails at once if @spec can't be understood. */
GOPROBE_API int goprobe_trace_add(struct goprobe_trace *t, const char *spec);

enum goprobe_option {
	GOPROBE_OPTION_DEPTH = 1,	/* pointers followed one after another: 0 to 31 */
	GOPROBE_OPTION_STRING_LIMIT,	/* bytes of a string: 0 to 16384 */
	GOPROBE_OPTION_ELEMENTS,	/* of a slice, map or channel: 0 to 16384 */
	GOPROBE_OPTION_OBJECTS,		/* things pointed to in one call: 0 to 1024 */
	GOPROBE_OPTION_BYTES,		/* bytes of these things: 0 to 16384 */
	GOPROBE_OPTION_HELD,		/* calls that wait for a condition on results */
	GOPROBE_OPTION_RING_BYTES,	/* memory for each CPU's records: 64 KiB to 64 MiB */
	GOPROBE_OPTION_LOSSLESS,	/* 1: when it is full, the program waits */
	GOPROBE_OPTION_NO_RETURN,	/* 1: calls only, without results and durations */
	GOPROBE_OPTION_DURATION_NS,	/* how long to trace; 0: until something else ends it */
	GOPROBE_OPTION_EVENTS,		/* calls, returns, places after which it ends; 0: all */
	GOPROBE_OPTION_SIGNALS,		/* 1: SIGINT, SIGTERM, SIGHUP end it: blocked, as SIGPIPE */
	GOPROBE_OPTION_QUIET,		/* 1: no header; of the rest what goes wrong */
	GOPROBE_OPTION_PRETTY,		/* 1: of text: long values in several lines */
	GOPROBE_OPTION_SAMPLE,		/* one of so many; 0: all */
	GOPROBE_OPTION_SAMPLE_BY,	/* of what: enum goprobe_sample */
	GOPROBE_OPTION_RATE,		/* calls of a function in a second; 0: all */
	GOPROBE_OPTION_TIMES,		/* calls of a function, which is then left alone; 0: all */
	GOPROBE_OPTION_MAX_LOAD,	/* percent of a CPU's time that breakpoints may take */
	GOPROBE_OPTION_INLINED,		/* 1: functions also where they were inlined */
	GOPROBE_OPTION_REGISTERS,	/* 1: all integer registers, too */
	GOPROBE_OPTION_SPLIT,		/* 1: how the time of each call divides */
	GOPROBE_OPTION_DRY_RUN,		/* 1: show what would be changed, and change nothing */
};

/* What GOPROBE_OPTION_SAMPLE counts. */
enum goprobe_sample {
	GOPROBE_SAMPLE_CALL,		/* calls of each function */
	GOPROBE_SAMPLE_GOROUTINE,	/* goroutines, with all their calls */
	GOPROBE_SAMPLE_ROOT,		/* outermost calls of each function, with all in them */
};

/* Of GOPROBE_OPTION_MAX_LOAD: any load. 0 is 50 for each processor that there is. */
#define GOPROBE_LOAD_ANY UINT64_MAX

/* Before goprobe_trace_plan(). What is not set is as goprobectl attach has it. */
GOPROBE_API int goprobe_trace_set(struct goprobe_trace *t, enum goprobe_option option,
				  uint64_t value);

/* --- where events go: one of the three -------------------------------------- */

/*
 * To a function. Other than 0 ends the trace, as if by GOPROBE_OPTION_EVENTS. The event and
 * all that is had of it are good until the function returns, which must not call
 * functions of the trace but goprobe_trace_error().
 */
typedef int (*goprobe_event_fn)(void *ctx, const struct goprobe_event *e);
GOPROBE_API int goprobe_trace_on_event(struct goprobe_trace *t, goprobe_event_fn fn, void *ctx);

enum goprobe_format {
	GOPROBE_FORMAT_TEXT = 1,	/* as goprobectl attach prints them */
	GOPROBE_FORMAT_JSON,		/* docs/json.md */
};

/*
 * As lines, to the file at @path, or to standard output if that is NULL. Nobody reading any more
 * is no error and ends the trace; but SIGPIPE comes then, unless it is ignored or blocked, as
 * GOPROBE_OPTION_SIGNALS has it.
 */
GOPROBE_API int goprobe_trace_output(struct goprobe_trace *t, enum goprobe_format format,
				     const char *path);
/* Undecoded to a file that goprobe_trace_replay() and "goprobectl replay" read. */
GOPROBE_API int goprobe_trace_record(struct goprobe_trace *t, const char *path);

/* --- notices and progress --------------------------------------------------- */

/* Notices for a person, one line each, without its end; what controls a terminal is not in them. */
typedef void (*goprobe_notice_fn)(void *ctx, const char *text);
GOPROBE_API void goprobe_trace_on_notice(struct goprobe_trace *t, goprobe_notice_fn fn,
					 void *ctx);
/* @placed of @all breakpoints; other than 0: give up. */
typedef int (*goprobe_progress_fn)(void *ctx, size_t placed, size_t all);
GOPROBE_API void goprobe_trace_on_progress(struct goprobe_trace *t, goprobe_progress_fn fn,
					   void *ctx);

/* --- running ----------------------------------------------------------------- */

/* Read the binaries and decide on everything. goprobe_trace_start() does it if need be. */
GOPROBE_API int goprobe_trace_plan(struct goprobe_trace *t);
/* Set the breakpoints; from now on calls are recorded. */
GOPROBE_API int goprobe_trace_start(struct goprobe_trace *t);
/* goprobe_trace_poll() until the end, then goprobe_trace_stop(). */
GOPROBE_API int goprobe_trace_run(struct goprobe_trace *t);
/*
 * Wait for @timeout_ms at most (-1: as long as it takes), and hand out what there is: perhaps
 * not all at once. 1: to be called again; 0: there is a reason to end; -1: an error.
 */
GOPROBE_API int goprobe_trace_poll(struct goprobe_trace *t, int timeout_ms);
/*
 * For those who wait themselves: readable when goprobe_trace_poll() is worth calling, which
 * it is after goprobe_trace_timeout() milliseconds in any case.
 */
GOPROBE_API int goprobe_trace_fd(const struct goprobe_trace *t);
GOPROBE_API int goprobe_trace_timeout(const struct goprobe_trace *t);
/* Take the breakpoints away, hand out what is left, write the summary. Once. */
GOPROBE_API int goprobe_trace_stop(struct goprobe_trace *t);
/*
 * Wait for the command to end, if there is one: its status, or 128 + its signal; else 0, as well
 * if SIGCHLD is ignored, or somebody else has waited for it.
 */
GOPROBE_API int goprobe_trace_exit_status(struct goprobe_trace *t);

/**
 * struct goprobe_counts - what has been seen so far, and what has not
 * @events: calls, returns and places handed out
 * @calls: calls among them
 * @returns: returns among them
 * @unwound: calls that ended without returning, by panic or Goexit
 * @open: calls that have not returned
 * @doubtful: calls whose end was not seen after records were lost
 * @forgotten: open calls given up because there were too many
 * @lost: records that were not handed out: of the next four together
 * @lost_ring_full: because the reader was too slow
 * @lost_no_ring: because a CPU had no memory for its ring
 * @lost_no_room: because too many calls were open that a condition is about
 * @malformed: because they could not be decoded, which is a bug
 * @filtered: hits that did not pass their condition
 * @undecided: hits whose condition could not be decided
 * @waits: records that waited for space (GOPROBE_OPTION_LOSSLESS)
 * @wait_ns: how long, together
 * @ns: how long was traced, once it is over
 * @recorded_bytes: of goprobe_trace_record()
 * @sampled: calls that were left out of a sample
 * @limited: calls beyond a limit
 * @broken: hits a second when they took more than GOPROBE_OPTION_MAX_LOAD, which has ended it; or 0
 * @gone: calls that were open when their process ended, or executed another program, and a
 *	program began in a process with the same id
 */
struct goprobe_counts {
	uint64_t events;
	uint64_t calls;
	uint64_t returns;
	uint64_t unwound;
	uint64_t open;
	uint64_t doubtful;
	uint64_t forgotten;
	uint64_t lost;
	uint64_t lost_ring_full;
	uint64_t lost_no_ring;
	uint64_t lost_no_room;
	uint64_t malformed;
	uint64_t filtered;
	uint64_t undecided;
	uint64_t waits;
	uint64_t wait_ns;
	uint64_t ns;
	uint64_t recorded_bytes;
	uint64_t sampled;
	uint64_t limited;
	uint64_t broken;
	uint64_t gone;
};

/* @size: of *@ret. Exact after goprobe_trace_stop(). */
GOPROBE_API void goprobe_trace_counts(const struct goprobe_trace *t, struct goprobe_counts *ret,
				      size_t size);

/* --- an event ----------------------------------------------------------------- */

enum goprobe_event_kind {
	GOPROBE_EVENT_CALL = 1,	/* a function was entered */
	GOPROBE_EVENT_RETURN,	/* it returned */
	GOPROBE_EVENT_UNWOUND,	/* a call ended without returning */
	GOPROBE_EVENT_LOST,	/* records are missing here: no function, no values */
	GOPROBE_EVENT_AT,	/* a place in the code was reached */
};

GOPROBE_API enum goprobe_event_kind goprobe_event_kind(const struct goprobe_event *e);
/* Full name, "shop.(*Cart).Add"; "" of GOPROBE_EVENT_LOST, as are the next three 0. */
GOPROBE_API const char *goprobe_event_func(const struct goprobe_event *e);
GOPROBE_API uint32_t goprobe_event_pid(const struct goprobe_event *e);
GOPROBE_API uint32_t goprobe_event_tid(const struct goprobe_event *e);
/* 0: there was no goroutine. */
GOPROBE_API uint64_t goprobe_event_goid(const struct goprobe_event *e);
/* ns since 1970; of GOPROBE_EVENT_UNWOUND: when the call was made. */
GOPROBE_API uint64_t goprobe_event_time(const struct goprobe_event *e);
/* Of GOPROBE_EVENT_RETURN: *@ns from the call on, and 1; 0: that is not known. */
GOPROBE_API int goprobe_event_duration(const struct goprobe_event *e, uint64_t *ns);
/* Of GOPROBE_EVENT_LOST: how many. */
GOPROBE_API uint64_t goprobe_event_lost(const struct goprobe_event *e);
/* How many arguments or results there are. */
GOPROBE_API size_t goprobe_event_nvalues(const struct goprobe_event *e);
/* The event as a line of JSON without its end (docs/json.md); NULL: out of memory. */
GOPROBE_API const char *goprobe_event_json(const struct goprobe_event *e);

enum goprobe_value_kind {
	GOPROBE_VALUE_NONE,	/* it can't be had: goprobe_value.unavailable says why */
	GOPROBE_VALUE_BOOL,	/* u is 0 or 1 */
	GOPROBE_VALUE_INT,	/* i */
	GOPROBE_VALUE_UINT,	/* u */
	GOPROBE_VALUE_FLOAT,	/* f */
	GOPROBE_VALUE_STRING,	/* bytes, nbytes, len; also of a []byte */
	GOPROBE_VALUE_POINTER,	/* u: an address; 0: nil */
	GOPROBE_VALUE_OTHER,	/* goprobe_event_value_json() shows it */
};

/**
 * struct goprobe_value - an argument or a result
 * @kind: which of the others says something
 * @name: "n", "_", "~r0", or the expression that was asked for
 * @type: as Go writes it
 * @unavailable: why it can't be had, or NULL
 * @i: see enum goprobe_value_kind
 * @u: see enum goprobe_value_kind
 * @f: see enum goprobe_value_kind
 * @bytes: what was captured of the string; no 0 at its end
 * @nbytes: bytes of that
 * @len: of the string itself, of which a limit may have cut the rest
 */
struct goprobe_value {
	enum goprobe_value_kind kind;
	const char *name;
	const char *type;
	const char *unavailable;
	int64_t i;
	uint64_t u;
	double f;
	const char *bytes;
	size_t nbytes;
	uint64_t len;
};

/* @size: of *@ret. -1: there is no value @i. */
GOPROBE_API int goprobe_event_value(const struct goprobe_event *e, size_t i,
				    struct goprobe_value *ret, size_t size);
/* {"name":N,"type":T,"value":V}, as in docs/json.md, with all that is behind it. */
GOPROBE_API const char *goprobe_event_value_json(const struct goprobe_event *e, size_t i);

#ifdef __cplusplus
}
#endif

#endif
