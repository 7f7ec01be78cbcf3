/* SPDX-License-Identifier: GPL-2.0 */
/* Traces of libgoprobe/libgoprobe.h, for the files of libgoprobe. */
#ifndef GOPROBE_LIBGOPROBE_INTERNAL_H
#define GOPROBE_LIBGOPROBE_INTERNAL_H

#include "libgoprobe/libgoprobe.h"
#include "option/option.h"
#include "export/template.h"
#include "output/tree.h"
#include "recording/writer.h"
#include "trace/loop.h"
#include "trace/replay.h"
#include "trace/session.h"
#include "trace/sink.h"

/* How far a trace has come. */
enum trace_state {
	TRACE_NEW,
	TRACE_PLANNED,
	TRACE_STARTED,
	TRACE_STOPPED,
};

/**
 * struct goprobe_trace - see libgoprobe/libgoprobe.h
 * @state: how far it has come
 * @diag: the error
 * @o: what is traced, and how
 * @mem: texts of @o
 * @on_event: where events go, or NULL
 * @event_ctx: its first argument
 * @on_notice: where notices go, or NULL
 * @notice_ctx: its first argument
 * @on_progress: called for placed breakpoints, or NULL
 * @progress_ctx: its first argument
 * @tracing: what is traced, and by which session
 * @learn: what records show that the module does not know
 * @graph: where lines go: @graph.out; the rest is for formats that show trees of calls
 * @template: of lines, or nothing
 * @stream: records on their way there
 * @recorder: where they go instead
 * @times: which functions have been seen often enough
 * @watch: the session being watched
 * @replay: the recording that is played, if replay.path is set
 * @json: an output that is never written: what is in its buffer is handed out
 * @texts: what has been handed out of the event at hand
 * @ntexts: their number
 * @texts_cap: capacity of @texts
 */
struct goprobe_trace {
	enum trace_state state;
	struct diag diag;
	struct options o;
	struct arena mem;
	goprobe_event_fn on_event;
	void *event_ctx;
	goprobe_notice_fn on_notice;
	void *notice_ctx;
	goprobe_progress_fn on_progress;
	void *progress_ctx;
	struct tracing tracing;
	struct learn learn;
	struct graph graph;
	struct template template;
	struct stream stream;
	struct recorder recorder;
	struct times times;
	struct watch watch;
	struct replay replay;
	struct out json;
	struct buf *texts;
	size_t ntexts;
	size_t texts_cap;
};

/* As goprobe_trace_new(), with these options. The trace owns what @o owned. */
struct goprobe_trace *trace_new(struct options *o);

/* The format whose lines are calls of goprobe_trace.on_event. */
extern const struct out_format libgoprobe_events;

#endif
