/* SPDX-License-Identifier: GPL-2.0 */
/* Formats of events, and what they share. */
#ifndef GOPROBE_OUTPUT_FORMAT_H
#define GOPROBE_OUTPUT_FORMAT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

#include "base/buf.h"
#include "event/pair.h"
#include "event/record.h"
#include "output/counters.h"
#include "output/row.h"
#include "plan/plan.h"
#include "value/decode.h"
#include "value/path.h"

enum output_kind {
	OUTPUT_CALL,
	OUTPUT_RETURN,
	OUTPUT_TAIL,	/* ended by a jump to another function: no results */
	OUTPUT_UNWOUND,	/* ended without returning */
	OUTPUT_AT,		/* execution reached an instruction */
};

struct stack;

/* The state of a call that has not returned. */
struct output_open {
	uint64_t age;			/* ns since it was made; if @before, at least */
	/* It was made before tracing began: its record has only function, process and goroutine. */
	bool before;
	const char *status;		/* what its goroutine does, "waiting", or NULL */
	const char *reason;		/* what it waits for, "chan receive", or NULL */
	const struct stack *stack;	/* its goroutine's, or NULL */
};

/* An event to show. Of OUTPUT_AT the place is @fn->at. */
struct output_event {
	enum output_kind kind;	/* what happened */
	const struct plan_func *fn;	/* to which function */
	const struct record *rec;	/* its record; NULL for OUTPUT_UNWOUND */
	struct value_ctx *v;	/* for its values; NULL for OUTPUT_UNWOUND */
	uint32_t tgid;		/* process */
	uint32_t tid;		/* thread */
	uint64_t goid;		/* goroutine */
	bool no_g;		/* there is no goroutine */
	bool system;		/* on a system stack */
	uint64_t time; /* CLOCK_MONOTONIC, ns; of OUTPUT_UNWOUND: when the call was entered */
	uint64_t seen;		/* OUTPUT_UNWOUND: time of the record that proves it */
	enum callend end;	/* OUTPUT_UNWOUND: what ended it */
	const char *panic; /* OUTPUT_UNWOUND: what output_format.panic wrote, or NULL */
	uint64_t panic_id;	/* its number */
	uint64_t number;	/* differs for different calls and places of a trace */
	/* Of the end of a call: what output_format.call wrote of it, or NULL. */
	const char *call;
	/* Link-time address of the dictionary with a generic function's types, or 0. */
	uint64_t dict;
	bool biased;		/* the load bias of its binary is known; not of OUTPUT_UNWOUND */
	uint64_t bias;		/* it */
	uint64_t duration;	/* ns from the call on; OUTPUT_RETURN and OUTPUT_TAIL */
	const char *no_duration;	/* why there is no @duration, or NULL */
	const uint64_t *split;	/* how @duration divides: ns by enum sched_state; or NULL */
	/* OUTPUT_CALL: it has not returned; or NULL: that does not matter. */
	const struct output_open *open;
	const struct stack *stack;	/* OUTPUT_CALL and OUTPUT_AT: who called, or NULL */
};

/* How the call ended whose end the event is. */
static inline enum callend output_end(const struct output_event *e)
{
	return e->kind == OUTPUT_UNWOUND ? e->end :
	       e->kind == OUTPUT_TAIL ? CALLEND_TAIL : CALLEND_RETURNED;
}

/* The counters of a session. */
struct output_summary {
	uint64_t events;	/* calls and returns printed, and places */
	uint64_t calls;		/* calls among them */
	uint64_t places;	/* hits of single instructions among them */
	uint64_t returns;	/* returns and tail jumps among them */
	uint64_t unwound;	/* calls that ended without returning */
	uint64_t open;		/* calls that had not returned when tracing ended */
	uint64_t doubtful;	/* calls whose end was not seen after records were lost */
	uint64_t forgotten;	/* open calls forgotten because there were too many */
	/*
	 * Calls that were open when their process exited, or executed another program; counted when
	 * another program begins in a process with that id.
	 */
	uint64_t gone;
	uint64_t malformed;	/* records that could not be decoded */
	uint64_t ns;		/* how long hits were recorded */
	uint64_t inlined_left_out;	/* plan_copies.places */
	const struct plan *plan;	/* what was to be traced, or NULL: plan.missing */
	uint64_t left_out;	/* events of a recording that were not asked for */
	bool edits;		/* calls were to be changed */
	uint64_t stats[__GOPROBE_STAT_MAX];	/* the module's, by enum goprobe_stat */
	uint64_t unknown;	/* the set of those that an old recording does not have */
};

struct output;
struct fast_value;
struct template;

struct runtime_probe_go;

/* A format of the output. */
struct output_format {
	const char *name;						/* as in "-o name" */
	void (*header)(struct output *o); /* begins the output */
	void (*event)(struct output *o, const struct output_event *e);	/* one event */
	/*
	 * Write the value of a panic, of which @e is the call of runtime.gopanic: what
	 * output_event.panic is to be.
	 */
	void (*panic)(struct output *o, const struct output_event *e);
	/* Write what the end of call @e is to have: output_event.call; or NULL. */
	void (*call)(struct output *o, const struct output_event *e);
	/* The goroutine of @e has started another one; or NULL. */
	void (*started)(struct output *o, const struct output_event *e,
			const struct runtime_probe_go *go);
	/* A program begins in process @tgid: what was open there was another's; or NULL. */
	void (*begun)(struct output *o, uint32_t tgid);
	/*
	 * The end of the call that is output_event.number was not seen, but it is over at @time; or
	 * NULL.
	 */
	void (*vanished)(struct output *o, uint64_t number, uint64_t time);
	/* Records are missing here. */
	void (*lost)(struct output *o, const struct goprobe_lost *lost, uint64_t time);
	/* Ends it; what is for a person and no data goes to @talk. */
	void (*summary)(struct output *o, const struct output_summary *s, struct buf *talk);
};

extern const struct output_format out_text;
extern const struct output_format out_json;

struct pollfd;

/* What takes lines in place of a descriptor. */
struct output_taker {
	/*
	 * take @n bytes of whole lines, or none, and do what is possible without waiting;
	 * @wait: wait rather than drop lines
	 */
	void (*take)(struct output_taker *t, const char *p, size_t n, bool wait);
	/*
	 * what to wait for until the next @take, whose time is due after the number of ms that
	 * is returned; -1: there is no such time
	 */
	int (*poll)(const struct output_taker *t, struct pollfd *fd);
	/*
	 * send what is left, which takes a bounded time, and say in @talk what was dropped, and
	 * unless @quiet what was sent; 0, or -errno if anything was dropped. -EAGAIN: @talk
	 * says what it waits for; the caller prints that and calls again
	 */
	int (*finish)(struct output_taker *t, bool quiet, struct buf *talk);
	void (*fini)(struct output_taker *t);	/* free it */
};

/* An open output. */
struct output {
	const struct output_format *format;	/* its format */
	int fd;		/* where lines go */
	bool owned;	/* @fd is closed by output_close(), or by output_fini() without a word */
	/* Takes lines instead of @fd, and is freed by output_fini(); or NULL. */
	struct output_taker *taker;
	struct buf buf;	/* lines, of which the first @written bytes have been written */
	size_t written;	/* see @buf */
	int err;	/* of the first write that has failed: -errno */
	bool file;	/* @fd is a file, or /dev/null: writing does not wait for a reader */
	/* What makes CLOCK_MONOTONIC a time since 1970, ns; of live events, see clock_follow(). */
	uint64_t epoch;
	uint64_t looked;	/* when that was looked at */
	char host[HOST_NAME_MAX + 1];	/* of live events, the name of this machine; else "" */
	bool pids;	/* show process ids: there may be more than one */
	uint64_t second;	/* cached: when the second began that @clock shows, ns since 1970 */
	char clock[10];	/* cached: "15:04:05." */
	uint64_t panic_shown;	/* of the panic that was shown last */
	const struct template *template;	/* of out_template */
	/* Remembered of the values of each function's calls and returns, or NULL. */
	struct fast_value **quick;
	size_t nquick;	/* allocated there */
};

void output_init(struct output *o, const struct output_format *format, int fd);
void output_fini(struct output *o);
/*
 * Write what is buffered. Unless @wait: as much as the reader takes now, so that
 * records can be taken from the kernel meanwhile; but see OUTPUT_PENDING_MAX.
 * 0 or -errno.
 */
int output_flush(struct output *o, bool wait);
/* What to wait for before output_flush() can do more, as out_taker.poll has it. */
int output_poll(const struct output *o, struct pollfd *fd);
/* Write what is left, and close it: 0, or -errno if anything that was written is not there. */
int output_close(struct output *o);
/* Bytes that wait for a slow reader; with more, the tool waits for it. */
#define OUTPUT_PENDING_MAX (64U << 20)
/* The buffer is freed after the reader has taken all, if it is larger than this. */
#define OUTPUT_KEEP (4U << 20)

static inline size_t output_pending(const struct output *o)
{
	return o->buf.len - o->written;
}

/* Why there are no arguments of a call with out_open.before. */
#define OUTPUT_BEFORE "arguments not known: entered before attach"

/* Arguments of a call, results of a return, or what is shown of a place. */
static inline const struct plan_frame *output_frame(const struct output_event *e)
{
	return e->kind == OUTPUT_CALL || e->kind == OUTPUT_AT ? &e->fn->call : &e->fn->ret;
}

/* Its name for programs: "call", and "return" of both ends that a record shows. */
extern const char *const output_kinds[];

/* The function, or of a place what people call that. */
static inline const char *output_name(const struct output_event *e)
{
	return e->kind == OUTPUT_AT ? plan_func_name(e->fn) : e->fn->fn->name;
}

/* Ends whose records were seen have a duration, or a text in its place. */
static inline bool output_has_duration(const struct output_event *e)
{
	return e->kind == OUTPUT_RETURN || e->kind == OUTPUT_TAIL;
}

/* Why it has no values at all, or NULL; not of OUTPUT_UNWOUND. */
static inline const char *output_no_values(const struct output_event *e)
{
	if (e->open && e->open->before)
		return OUTPUT_BEFORE;
	return e->kind == OUTPUT_TAIL ? callend_words(CALLEND_TAIL) : output_frame(e)->unavailable;
}

/* The stack that is shown below it, or NULL. */
static inline const struct stack *output_stack(const struct output_event *e)
{
	return e->open && e->open->stack ? e->open->stack : e->stack;
}

/* Is it a receiver or a context? */
static inline bool output_yields(const struct plan_frame *f, size_t i)
{
	return i < (size_t)f->receiver + f->context;
}

/*
 * The @i-th value of a line of text. A context and a receiver are last: they are long and say least
 * of a call.
 */
static inline size_t output_nth(const struct plan_frame *f, size_t i)
{
	size_t last = f->receiver + f->context;

	return i + last < f->nvalues ? i + last : f->nvalues - 1 - i;
}

/* What is shown of a value. */
struct output_shown {
	struct value_at at;		/* it, if there is no @why */
	const char *why;		/* why it can't be shown */
	bool has_length;		/* but how long it is: */
	uint64_t length;		/* bytes of a string, or elements of a slice */
	const struct gotype *type;	/* its type, or NULL if that is not known */
	uint8_t number[8];		/* of a len() or cap(): the bytes that @at may point to */
};

/* Value @val of @f, the event's frame; good as long as the record. */
void output_value(const struct output_event *e, const struct plan_frame *f,
		  const struct plan_value *val, struct output_shown *ret);
/* Integer register @i, as goreg_names has them, of an event whose frame has them: see there. */
bool output_register(const struct output_event *e, size_t i, uint64_t *ret);
/* "(x=1, y=2)": the values of @e, a call or a return, as text. */
void output_text_values(struct output *o, const struct output_event *e);
/* "1": one of them, without its name. */
void output_text_value(struct buf *b, const struct output_event *e, const struct plan_value *val);
/* The value of a panic: output_format.panic of the two formats. */
void output_text_panic(struct output *o, const struct output_event *e);
void output_json_panic(struct output *o, const struct output_event *e);
/* ,"args":[...] or ,"results":[...]; there must be a frame of them. */
void output_json_values(struct output *o, const struct output_event *e);
/* What is changed of a call or a return, behind its values; nothing if that is not so. */
void output_text_edit(struct buf *b, const struct output_event *e);
void output_json_edit(struct buf *b, const struct output_event *e);
/* {"name":N,"type":T,"value":V}: one of them. */
void output_json_value(struct buf *b, const struct output_event *e, const struct plan_value *val);
uint64_t output_lost(const struct output_summary *s);
/* What the summary is about, for counters_facts(). */
unsigned int output_about(const struct output_summary *s);
/* The facts of a summary that text and JSON share. Returns their number. */
#define OUTPUT_OWN_FACTS 7
#define OUTPUT_FACTS (OUTPUT_OWN_FACTS + COUNTERS_MAX)
size_t output_facts(const struct output_summary *s, struct fact ret[OUTPUT_FACTS]);
/* Of records that are lost, by cause. Returns their number. */
size_t output_lost_facts(const struct output_summary *s, struct fact ret[OUTPUT_FACTS]);
/* {"kind":"summary",... without its end, for the members of others. */
void output_json_summary(struct buf *b, const struct output_summary *s);

#endif
