/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libgoprobe: library to trace calls and returns of functions in live Go programs.
 *
 * A trace has targets (processes, a file or a command), specs (the PATTERN arguments of
 * goprobectl attach), and options. Use it in this order:
 *
 *	t = goprobe_trace_new();
 *	goprobe_trace_pid(t, pid);
 *	goprobe_trace_add(t, "main.(*T).Handle(r.Method, n)");
 *	goprobe_trace_on_event(t, show, NULL);
 *	if (goprobe_trace_start(t) || goprobe_trace_run(t))
 *		fprintf(stderr, "%s\n", goprobe_trace_error(t));
 *	goprobe_trace_free(t);
 *
 * Functions of type int return 0, or -1 with a message in goprobe_trace_error(), unless
 * documented otherwise. After an error, only the functions for errors and
 * goprobe_trace_free() may be called. Only one thread at a time may use a trace; a process may
 * have several traces. The library prints nothing, does not change signals unless
 * GOPROBE_OPTION_SIGNALS is set, and leaves no breakpoints behind, even if the process crashes.
 * Tracing needs CAP_SYS_ADMIN in the initial user namespace and the module, which the library
 * does not load; goprobe_trace_plan() does not need the module.
 *
 * From version 1.0 on the interface is stable: functions, numbers of enums and the order of
 * members stay. Structs grow only at their end, so functions that fill or read one take its
 * size. Any other change would change the soname.
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
 * One message, without a capital and a full stop; NULL: no error. Valid until the next call.
 * Messages about conflicting options use the names of goprobectl attach.
 */
GOPROBE_API const char *goprobe_trace_error(const struct goprobe_trace *t);
/* The remedy for the error, or NULL. */
GOPROBE_API const char *goprobe_trace_hint(const struct goprobe_trace *t);
/* The spec with the error, or NULL; *@at, *@len: the place in the spec, in bytes. */
GOPROBE_API const char *goprobe_trace_place(const struct goprobe_trace *t, size_t *at,
					    size_t *len);

/* --- targets ---------------------------------------------------------------- */

/* A trace has processes (any number of calls), a file, or both; or a command; or a recording. */
GOPROBE_API int goprobe_trace_pid(struct goprobe_trace *t, int pid);
/*
 * Trace all processes that run the file at @path, or have loaded it as a library, now or later.
 * With goprobe_trace_pid(), trace only those of the given processes.
 */
GOPROBE_API int goprobe_trace_file(struct goprobe_trace *t, const char *path);
/*
 * Trace a command from its first instruction on. goprobe_trace_plan() forks it, and
 * goprobe_trace_start() lets it run. @argv ends with NULL.
 */
GOPROBE_API int goprobe_trace_command(struct goprobe_trace *t, const char *const *argv);
/*
 * Read a recording of goprobe_trace_record() instead of tracing. This needs the traced programs,
 * but neither the module nor privileges. The recording determines the functions and the captured
 * values; only event-count and output options apply. Events have their original times.
 * goprobe_trace_add() chooses which of the recorded functions are shown; without, all are.
 */
GOPROBE_API int goprobe_trace_replay(struct goprobe_trace *t, const char *path);
/* The present path of a recorded program that was moved; any number of calls. */
GOPROBE_API int goprobe_trace_program(struct goprobe_trace *t, const char *path);
/* Add functions, with their values and conditions; fails at once if @spec has an error. */
GOPROBE_API int goprobe_trace_add(struct goprobe_trace *t, const char *spec);

enum goprobe_option {
	GOPROBE_OPTION_DEPTH = 1,	/* pointers followed one after another: 0 to 31 */
	GOPROBE_OPTION_STRING_LIMIT,	/* bytes of a string: 0 to 16384 */
	GOPROBE_OPTION_ELEMENTS,	/* of a slice, map or channel: 0 to 16384 */
	GOPROBE_OPTION_OBJECTS,		/* referenced objects in one call: 0 to 1024 */
	GOPROBE_OPTION_BYTES,		/* bytes of these objects: 0 to 16384 */
	GOPROBE_OPTION_HELD,		/* calls that wait for a condition on results */
	GOPROBE_OPTION_RING_BYTES,	/* memory for each CPU's records: 64 KiB to 64 MiB */
	GOPROBE_OPTION_LOSSLESS,	/* 1: when it is full, the program waits */
	GOPROBE_OPTION_NO_RETURN,	/* 1: calls only, without results and durations */
	GOPROBE_OPTION_DURATION_NS,	/* how long to trace; 0: until something else ends it */
	GOPROBE_OPTION_EVENTS,		/* calls, returns, places after which it ends; 0: all */
	GOPROBE_OPTION_SIGNALS,		/* 1: block SIGPIPE; SIGINT, SIGTERM, SIGHUP end it */
	GOPROBE_OPTION_QUIET,		/* 1: no header, and only warnings otherwise */
	GOPROBE_OPTION_PRETTY,		/* 1: in text, long values in several lines */
	GOPROBE_OPTION_SAMPLE,		/* N: one of N; 0: all */
	GOPROBE_OPTION_SAMPLE_BY,	/* the unit of the sample: enum goprobe_sample */
	GOPROBE_OPTION_RATE,		/* calls of each function per second; 0: all */
	GOPROBE_OPTION_TIMES,		/* calls of a function until its breakpoints go; 0: all */
	GOPROBE_OPTION_MAX_LOAD,	/* percent of a CPU's time that breakpoints may take */
	GOPROBE_OPTION_INLINED,		/* 1: functions also where they were inlined */
	GOPROBE_OPTION_REGISTERS,	/* 1: all integer registers as well */
	GOPROBE_OPTION_SPLIT,		/* 1: how the time of each call divides */
	GOPROBE_OPTION_DRY_RUN,		/* 1: show what would be changed, and change nothing */
	GOPROBE_OPTION_CREATOR,		/* 1: record who starts each goroutine */
	GOPROBE_OPTION_STACK,		/* functions of the stack with each call; 0: none */
	GOPROBE_OPTION_NO_REDACT,	/* 1: show passwords, tokens, cards and the like */
	GOPROBE_OPTION_TRAPLESS,	/* when breakpoints become jumps: enum goprobe_trapless */
};

/* The unit of GOPROBE_OPTION_SAMPLE. */
enum goprobe_sample {
	GOPROBE_SAMPLE_CALL,		/* calls of each function */
	GOPROBE_SAMPLE_GOROUTINE,	/* goroutines, with all their calls */
	GOPROBE_SAMPLE_ROOT,		/* outermost calls of each function, with all inside them */
};

/* When hits need no trap, because jumps in the program's code replace breakpoints. */
enum goprobe_trapless {
	GOPROBE_TRAPLESS_OFF,
	GOPROBE_TRAPLESS_AUTO,		/* when they have had many hits, if the module allows it */
	GOPROBE_TRAPLESS_ALWAYS,	/* from the beginning, or tracing fails */
};

/* Value of GOPROBE_OPTION_MAX_LOAD for no limit. 0 means 50 for each processor. */
#define GOPROBE_LOAD_ANY UINT64_MAX

/* Call it before goprobe_trace_plan(). The defaults are those of goprobectl attach. */
GOPROBE_API int goprobe_trace_set(struct goprobe_trace *t, enum goprobe_option option,
				  uint64_t value);

/*
 * Redact values of parameters, results, fields and keys with these names, "email,zip", besides
 * passwords, tokens, cards and the like. Any number of calls.
 */
GOPROBE_API int goprobe_trace_redact(struct goprobe_trace *t, const char *names);

/* --- destination of events: one of the three -------------------------------- */

/*
 * Hand events to a function. A result other than 0 ends the trace, as GOPROBE_OPTION_EVENTS does.
 * The event and all pointers from it are valid until the function returns. The function must not
 * call functions of the trace except goprobe_trace_error().
 */
typedef int (*goprobe_event_fn)(void *ctx, const struct goprobe_event *e);
GOPROBE_API int goprobe_trace_on_event(struct goprobe_trace *t, goprobe_event_fn fn, void *ctx);

enum goprobe_format {
	GOPROBE_FORMAT_TEXT = 1,	/* as goprobectl attach prints them */
	GOPROBE_FORMAT_JSON,		/* docs/json.md */
};

/*
 * Write lines to the file at @path, or to standard output if @path is NULL. If the reader closes
 * the pipe, the trace ends without an error. The process gets SIGPIPE then, unless it ignores or
 * blocks that signal, for example with GOPROBE_OPTION_SIGNALS.
 */
GOPROBE_API int goprobe_trace_output(struct goprobe_trace *t, enum goprobe_format format,
				     const char *path);
/* Write undecoded records to a file for goprobe_trace_replay() and "goprobectl replay". */
GOPROBE_API int goprobe_trace_record(struct goprobe_trace *t, const char *path);

/* --- notices and progress --------------------------------------------------- */

/* Notices for a person: single lines without "\n" and without terminal control characters. */
typedef void (*goprobe_notice_fn)(void *ctx, const char *text);
GOPROBE_API void goprobe_trace_on_notice(struct goprobe_trace *t, goprobe_notice_fn fn,
					 void *ctx);
/* @placed of @all breakpoints are placed. A result other than 0 cancels. */
typedef int (*goprobe_progress_fn)(void *ctx, size_t placed, size_t all);
GOPROBE_API void goprobe_trace_on_progress(struct goprobe_trace *t, goprobe_progress_fn fn,
					   void *ctx);

/* --- running ----------------------------------------------------------------- */

/* Read the binaries and plan all breakpoints. goprobe_trace_start() calls it if necessary. */
GOPROBE_API int goprobe_trace_plan(struct goprobe_trace *t);
/* Place the breakpoints and start recording. */
GOPROBE_API int goprobe_trace_start(struct goprobe_trace *t);
/* Call goprobe_trace_poll() until the end, then goprobe_trace_stop(). */
GOPROBE_API int goprobe_trace_run(struct goprobe_trace *t);
/*
 * Wait for events for at most @timeout_ms (-1: without limit), and hand out those that are
 * available, perhaps in several calls. 1: call it again; 0: tracing should end; -1: an error.
 */
GOPROBE_API int goprobe_trace_poll(struct goprobe_trace *t, int timeout_ms);
/*
 * For event loops: the descriptor is readable when goprobe_trace_poll() should be called. Call it
 * also after goprobe_trace_timeout() milliseconds.
 */
GOPROBE_API int goprobe_trace_fd(const struct goprobe_trace *t);
GOPROBE_API int goprobe_trace_timeout(const struct goprobe_trace *t);
/* Remove the breakpoints, hand out the remaining events, write the summary. Call it once. */
GOPROBE_API int goprobe_trace_stop(struct goprobe_trace *t);
/*
 * Wait for the command to end. Its exit status, or 128 + its signal; 0 without a command, if
 * SIGCHLD is ignored, or if other code has waited for the command.
 */
GOPROBE_API int goprobe_trace_exit_status(struct goprobe_trace *t);

/**
 * struct goprobe_counts - counters of a trace
 * @events: calls, returns and places handed out
 * @calls: calls among them
 * @returns: returns among them
 * @unwound: calls that ended without returning, by panic or Goexit
 * @open: calls that have not returned
 * @doubtful: calls whose end was not seen after records were lost
 * @forgotten: open calls that were discarded because there were too many
 * @lost: records that were not handed out: sum of the next four
 * @lost_ring_full: lost because the reader was too slow
 * @lost_no_ring: lost because a CPU had no memory for its ring
 * @lost_no_room: lost because too many calls with a condition were open
 * @malformed: lost because they could not be decoded, which is a bug
 * @filtered: hits that did not meet their condition
 * @undecided: hits with a condition that could not be evaluated
 * @waits: records that waited for space (GOPROBE_OPTION_LOSSLESS)
 * @wait_ns: sum of these waits
 * @ns: duration of the trace, after its end
 * @recorded_bytes: bytes written by goprobe_trace_record()
 * @sampled: calls that were left out of a sample
 * @limited: calls beyond a limit
 * @broken: hits per second when GOPROBE_OPTION_MAX_LOAD ended the trace; otherwise 0
 * @gone: calls that were open when their process exited, or executed another program, and a
 *	program started in a process with the same id
 * @not_traced: patterns of which nothing is traced, though others are; a notice gave the reason
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
	uint64_t not_traced;
};

/* @size: sizeof(*@ret). The counters are exact after goprobe_trace_stop(). */
GOPROBE_API void goprobe_trace_counts(const struct goprobe_trace *t, struct goprobe_counts *ret,
				      size_t size);

/* --- an event ----------------------------------------------------------------- */

enum goprobe_event_kind {
	GOPROBE_EVENT_CALL = 1,	/* a function was entered */
	GOPROBE_EVENT_RETURN,	/* a function returned */
	GOPROBE_EVENT_UNWOUND,	/* a call ended without returning */
	GOPROBE_EVENT_LOST,	/* records are missing here: no function, no values */
	GOPROBE_EVENT_AT,	/* a place in the code was reached */
};

GOPROBE_API enum goprobe_event_kind goprobe_event_kind(const struct goprobe_event *e);
/* Full name, "shop.(*Cart).Add". GOPROBE_EVENT_LOST has "", and 0 for the next three. */
GOPROBE_API const char *goprobe_event_func(const struct goprobe_event *e);
GOPROBE_API uint32_t goprobe_event_pid(const struct goprobe_event *e);
GOPROBE_API uint32_t goprobe_event_tid(const struct goprobe_event *e);
/* 0: outside any goroutine. */
GOPROBE_API uint64_t goprobe_event_goid(const struct goprobe_event *e);
/* ns since 1970; for GOPROBE_EVENT_UNWOUND, the time of the call. */
GOPROBE_API uint64_t goprobe_event_time(const struct goprobe_event *e);
/* For GOPROBE_EVENT_RETURN: 1, and *@ns since the call; 0 if that is unknown. */
GOPROBE_API int goprobe_event_duration(const struct goprobe_event *e, uint64_t *ns);
/* For GOPROBE_EVENT_LOST: the number of lost records. */
GOPROBE_API uint64_t goprobe_event_lost(const struct goprobe_event *e);
/* The number of arguments or results. */
GOPROBE_API size_t goprobe_event_nvalues(const struct goprobe_event *e);
/* The event as a line of JSON without "\n" (docs/json.md); NULL: out of memory. */
GOPROBE_API const char *goprobe_event_json(const struct goprobe_event *e);

enum goprobe_value_kind {
	GOPROBE_VALUE_NONE,	/* unavailable, with the reason in goprobe_value.unavailable */
	GOPROBE_VALUE_BOOL,	/* u is 0 or 1 */
	GOPROBE_VALUE_INT,	/* i */
	GOPROBE_VALUE_UINT,	/* u */
	GOPROBE_VALUE_FLOAT,	/* f */
	GOPROBE_VALUE_STRING,	/* bytes, nbytes, len; also for a []byte */
	GOPROBE_VALUE_POINTER,	/* u: an address; 0: nil */
	GOPROBE_VALUE_OTHER,	/* use goprobe_event_value_json() */
};

/**
 * struct goprobe_value - an argument or a result
 * @kind: which members are set
 * @name: "n", "_", "~r0", or the expression of the spec
 * @type: the type in Go's syntax
 * @unavailable: why the value is unavailable, or NULL
 * @i: see enum goprobe_value_kind
 * @u: see enum goprobe_value_kind
 * @f: see enum goprobe_value_kind
 * @bytes: the captured part of the string, without a terminating 0
 * @nbytes: number of captured bytes
 * @len: full length of the string
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

/* @size: sizeof(*@ret). -1: there is no value @i. */
GOPROBE_API int goprobe_event_value(const struct goprobe_event *e, size_t i,
				    struct goprobe_value *ret, size_t size);
/* {"name":N,"type":T,"value":V}, as in docs/json.md, with all values that it refers to. */
GOPROBE_API const char *goprobe_event_value_json(const struct goprobe_event *e, size_t i);

#ifdef __cplusplus
}
#endif

#endif
