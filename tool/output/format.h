/* SPDX-License-Identifier: GPL-2.0 */
/* Formats of events, and what they share. */
#ifndef GOPROBE_OUTPUT_FORMAT_H
#define GOPROBE_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

#include "base/buf.h"
#include "event/pair.h"
#include "event/record.h"
#include "output/row.h"
#include "plan/plan.h"
#include "value/decode.h"
#include "value/path.h"

enum out_kind {
	OUT_CALL,
	OUT_RETURN,
	OUT_TAIL,	/* ended by a jump to another function: no results */
	OUT_UNWOUND,	/* ended without returning */
	OUT_AT,		/* execution reached an instruction */
};

struct stack;

/**
 * struct out_open - the state of a call that has not returned
 * @age: ns since it was made; if @before, at least
 * @before: it was made before tracing began: its record has only function, process and goroutine
 * @status: what its goroutine does, "waiting", or NULL
 * @reason: what it waits for, "chan receive", or NULL
 * @stack: its goroutine's, or NULL
 */
struct out_open {
	uint64_t age;
	bool before;
	const char *status;
	const char *reason;
	const struct stack *stack;
};

/**
 * struct out_event - an event to show
 * @kind: what happened
 * @fn: to which function
 * @rec: its record; NULL for OUT_UNWOUND
 * @v: for its values; NULL for OUT_UNWOUND
 * @tgid: process
 * @tid: thread
 * @goid: goroutine
 * @no_g: there is no goroutine
 * @system: on a system stack
 * @time: CLOCK_MONOTONIC, ns; of OUT_UNWOUND: when the call was entered
 * @seen: OUT_UNWOUND: time of the record that proves it
 * @end: OUT_UNWOUND: what ended it
 * @panic: OUT_UNWOUND: what out_format.panic wrote of the panic, or NULL
 * @panic_id: its number
 * @call: of the end of a call: what out_format.call wrote of it, or NULL
 * @dict: link-time address of the dictionary with a generic function's
 *	types, or 0
 * @biased: the load bias of its binary is known; not of OUT_UNWOUND
 * @bias: it
 * @duration: ns from the call on; OUT_RETURN and OUT_TAIL
 * @no_duration: why there is no @duration, or NULL
 * @split: how @duration divides: ns by enum gostates; or NULL
 * @open: OUT_CALL: it has not returned; or NULL: that does not matter
 * @stack: OUT_CALL and OUT_AT: who called, or NULL
 *
 * Of OUT_AT the place is @fn->at.
 */
struct out_event {
	enum out_kind kind;
	const struct plan_func *fn;
	const struct record *rec;
	struct value_ctx *v;
	uint32_t tgid;
	uint32_t tid;
	uint64_t goid;
	bool no_g;
	bool system;
	uint64_t time;
	uint64_t seen;
	enum pair_end end;
	const char *panic;
	uint64_t panic_id;
	const char *call;
	uint64_t dict;
	bool biased;
	uint64_t bias;
	uint64_t duration;
	const char *no_duration;
	const uint64_t *split;
	const struct out_open *open;
	const struct stack *stack;
};

/**
 * struct out_summary - the counters of a session
 * @events: calls and returns printed, and places
 * @calls: calls among them
 * @places: hits of single instructions among them
 * @returns: returns and tail jumps among them
 * @unwound: calls that ended without returning
 * @open: calls that had not returned when tracing ended
 * @doubtful: calls whose end was not seen after records were lost
 * @forgotten: open calls forgotten because there were too many
 * @gone: calls that were open when their process exited, or executed another program; counted
 *	when another program begins in a process with that id
 * @lost: records lost, by enum goprobe_lost_cause
 * @no_room: calls lost because too many were open that a condition is about
 * @filtered: hits that did not pass their condition
 * @undecided: hits whose condition could not be evaluated
 * @sampled: calls that were left out of a sample
 * @limited: calls beyond a limit
 * @without_trap: filtered calls that a jump rejected
 * @jumps_lost: jumps that have disappeared
 * @no_member: descendants that could not be followed
 * @edits: calls were to be changed
 * @edited: then: hits after which something was changed
 * @not_edited: and those that could not be
 * @malformed: records that could not be decoded
 * @waits: records that waited for space in the buffer
 * @wait_ns: how long, together
 * @ns: how long hits were recorded
 */
struct out_summary {
	uint64_t events;
	uint64_t calls;
	uint64_t places;
	uint64_t returns;
	uint64_t unwound;
	uint64_t open;
	uint64_t doubtful;
	uint64_t forgotten;
	uint64_t gone;
	uint64_t lost[__GOPROBE_LOST_MAX];
	uint64_t no_room;
	uint64_t filtered;
	uint64_t undecided;
	uint64_t sampled;
	uint64_t limited;
	uint64_t without_trap;
	uint64_t jumps_lost;
	uint64_t no_member;
	bool edits;
	uint64_t edited;
	uint64_t not_edited;
	uint64_t malformed;
	uint64_t waits;
	uint64_t wait_ns;
	uint64_t ns;
};

struct out;
struct quick;
struct template;

struct hidden_go;

/**
 * struct out_format - a format of the output
 * @name: as in "-o name"
 * @header: begins the output
 * @event: one event
 * @panic: write the value of a panic, of which @e is the call of runtime.gopanic: what
 *	out_event.panic is to be
 * @call: write what the end of call @e is to have: out_event.call; or NULL
 * @started: the goroutine of @e has started another one; or NULL
 * @begun: a program begins in process @tgid: what was open there was another's; or NULL
 * @lost: records are missing here
 * @summary: ends it; what is for a person and no data goes to @talk
 */
struct out_format {
	const char *name;
	void (*header)(struct out *o);
	void (*event)(struct out *o, const struct out_event *e);
	void (*panic)(struct out *o, const struct out_event *e);
	void (*call)(struct out *o, const struct out_event *e);
	void (*started)(struct out *o, const struct out_event *e, const struct hidden_go *go);
	void (*begun)(struct out *o, uint32_t tgid);
	void (*lost)(struct out *o, const struct goprobe_lost *lost, uint64_t time);
	void (*summary)(struct out *o, const struct out_summary *s, struct buf *talk);
};

extern const struct out_format out_text;
extern const struct out_format out_json;

struct pollfd;

/**
 * struct out_taker - what takes lines in place of a descriptor
 * @take: take @n bytes of whole lines, or none, and do what is possible without waiting; @wait:
 *	wait rather than drop lines
 * @poll: what to wait for until the next @take, whose time is due after the number of ms that is
 *	returned; -1: there is no such time
 * @finish: send what is left, which takes a bounded time, and say in @talk what was dropped,
 *	and unless @quiet what was sent; 0, or -errno if anything was dropped
 * @fini: free it
 */
struct out_taker {
	void (*take)(struct out_taker *t, const char *p, size_t n, bool wait);
	int (*poll)(const struct out_taker *t, struct pollfd *fd);
	int (*finish)(struct out_taker *t, bool quiet, struct buf *talk);
	void (*fini)(struct out_taker *t);
};

/**
 * struct out - an open output
 * @format: its format
 * @fd: where lines go
 * @owned: @fd is closed by out_close(), or by out_fini() without a word
 * @taker: takes lines instead of @fd, and is freed by out_fini(); or NULL
 * @buf: lines, of which the first @written bytes have been written
 * @written: see @buf
 * @err: of the first write that has failed: -errno
 * @file: @fd is a file, or /dev/null: writing does not wait for a reader
 * @epoch: what makes CLOCK_MONOTONIC a time since 1970, ns; of live events, see clock_follow()
 * @looked: when that was looked at
 * @pids: show process ids: there may be more than one
 * @second: cached: when the second began that @clock shows, ns since 1970
 * @clock: cached: "15:04:05."
 * @panic_shown: of the panic that was shown last
 * @template: of out_template
 * @quick: remembered of the values of each function's calls and returns, or NULL
 * @nquick: allocated there
 */
struct out {
	const struct out_format *format;
	int fd;
	bool owned;
	struct out_taker *taker;
	struct buf buf;
	size_t written;
	int err;
	bool file;
	uint64_t epoch;
	uint64_t looked;
	bool pids;
	uint64_t second;
	char clock[10];
	uint64_t panic_shown;
	const struct template *template;
	struct quick **quick;
	size_t nquick;
};

/* The format of that name, or NULL. */
const struct out_format *out_format_find(const char *name);
void out_init(struct out *o, const struct out_format *format, int fd);
void out_fini(struct out *o);
/*
 * Write what is buffered. Unless @wait: as much as the reader takes now, so that
 * records can be taken from the kernel meanwhile; but see OUT_PENDING_MAX.
 * 0 or -errno.
 */
int out_flush(struct out *o, bool wait);
/* What to wait for before out_flush() can do more, as out_taker.poll has it. */
int out_poll(const struct out *o, struct pollfd *fd);
/* Write what is left, and close it: 0, or -errno if anything that was written is not there. */
int out_close(struct out *o);
/* Bytes that wait for a slow reader; with more, the tool waits for it. */
#define OUT_PENDING_MAX (64U << 20)
/* The buffer is freed after the reader has taken all, if it is larger than this. */
#define OUT_KEEP (4U << 20)

static inline size_t out_pending(const struct out *o)
{
	return o->buf.len - o->written;
}

/* Why there are no arguments of a call with out_open.before. */
#define OUT_BEFORE "arguments not known: entered before attach"

/* Arguments of a call, results of a return, or what is shown of a place. */
static inline const struct plan_frame *out_frame(const struct out_event *e)
{
	return e->kind == OUT_CALL || e->kind == OUT_AT ? &e->fn->call : &e->fn->ret;
}

/* The @i-th value of a line of text. A receiver is last: it is long and says least of a call. */
static inline size_t out_nth(const struct plan_frame *f, size_t i)
{
	return f->receiver ? (i + 1) % f->nvalues : i;
}

/**
 * struct out_shown - what is shown of a value
 * @at: it, if there is no @why
 * @why: why it can't be shown
 * @type: its type, or NULL if that is not known
 * @number: of a len() or cap(): the bytes that @at may point to
 */
struct out_shown {
	struct value_at at;
	const char *why;
	const struct gotype *type;
	uint8_t number[8];
};

/* Value @val of @f, the event's frame; good as long as the record. */
void out_value(const struct out_event *e, const struct plan_frame *f,
	       const struct plan_value *val, struct out_shown *ret);
/* Integer register @i, as goreg_names has them, of an event whose frame has them: see there. */
bool out_register(const struct out_event *e, size_t i, uint64_t *ret);
/* "<why>", in place of a value */
void out_text_missing(struct buf *b, const char *why);
/* "(x=1, y=2)": the values of @e, a call or a return, as text. */
void out_text_values(struct out *o, const struct out_event *e);
/* "1": one of them, without its name. */
void out_text_value(struct buf *b, const struct out_event *e, const struct plan_value *val);
/* The value of a panic: out_format.panic of the two formats. */
void out_text_panic(struct out *o, const struct out_event *e);
void out_json_panic(struct out *o, const struct out_event *e);
/* ,"args":[...] or ,"results":[...]; there must be a frame of them. */
void out_json_values(struct out *o, const struct out_event *e);
/* out_edit: what is changed of a call or a return, behind its values; nothing if that is not so. */
void out_text_edit(struct buf *b, const struct out_event *e);
void out_json_edit(struct buf *b, const struct out_event *e);
/* {"name":N,"type":T,"value":V}: one of them. */
void out_json_value(struct buf *b, const struct out_event *e, const struct plan_value *val);
/* "ring_full" */
const char *out_cause(uint32_t cause);
uint64_t out_lost(const struct out_summary *s);
/* The counters of a summary that text and JSON share. */
#define OUT_FACTS 12
void out_facts(const struct out_summary *s, struct fact ret[OUT_FACTS]);
/* {"kind":"summary",... without its end, for the members of others. */
void out_json_summary(struct buf *b, const struct out_summary *s);

#endif
