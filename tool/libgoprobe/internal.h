/* SPDX-License-Identifier: GPL-2.0 */
/* Traces of libgoprobe/libgoprobe.h, for the files of libgoprobe. */
#ifndef GOPROBE_LIBGOPROBE_INTERNAL_H
#define GOPROBE_LIBGOPROBE_INTERNAL_H

#include "libgoprobe/libgoprobe.h"
#include "option/option.h"
#include "export/template.h"
#include "output/graph.h"
#include "recording/recorder.h"
#include "trace/record_run.h"
#include "trace/replay.h"
#include "trace/sink.h"

/* How far a trace has come. */
enum trace_state {
	TRACE_NEW,
	TRACE_PLANNED,
	TRACE_STARTED,
	TRACE_STOPPED,
};

/* See libgoprobe/libgoprobe.h. */
struct goprobe_trace {
	enum trace_state state;		/* how far it has come */
	struct diag diag;		/* the error */
	struct options o;		/* what is traced, and how */
	struct arena mem;		/* texts of @o */
	goprobe_event_fn on_event;	/* where events go, or NULL */
	void *event_ctx;		/* its first argument */
	goprobe_notice_fn on_notice;	/* where notices go, or NULL */
	void *notice_ctx;		/* its first argument */
	goprobe_progress_fn on_progress;	/* called for placed breakpoints, or NULL */
	void *progress_ctx;		/* its first argument */
	struct learn learn;		/* what records show that the module does not know */
	/* Where lines go: @graph.out; the rest is for formats that show trees of calls. */
	struct graph graph;
	struct template template;	/* of lines, or nothing */
	struct stream stream;		/* records on their way there */
	struct recorder recorder;	/* where they go instead */
	struct call_quota times;		/* which functions have been seen often enough */
	struct record_run watch;	/* the session, and its run */
	struct replay replay;		/* the recording that is played, if replay.path is set */
	/* An output that is never written: what is in its buffer is handed out. */
	struct output json;
	struct buf *texts;		/* what has been handed out of the event at hand */
	size_t ntexts;			/* their number */
	size_t texts_cap;		/* capacity of @texts */
};

/* As goprobe_trace_new(), with these options. The trace owns what @o owned. */
struct goprobe_trace *trace_new(struct options *o);
/* Once it was stopped: wait for its command. An exit code of goprobectl. */
int trace_exit_code(struct goprobe_trace *t);

/* The format whose lines are calls of goprobe_trace.on_event. */
extern const struct output_format libgoprobe_events;

#endif
