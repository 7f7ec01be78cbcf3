/* SPDX-License-Identifier: GPL-2.0 */
/* Events to call trees, and these to lines: the output of goprobectl graph. */
#ifndef GOPROBE_OUTPUT_GRAPH_H
#define GOPROBE_OUTPUT_GRAPH_H

#include <stddef.h>

#include "event/call_tree.h"
#include "output/format.h"
#include "output/profile.h"

/* An output of trees. */
struct graph {
	struct output out;		/* where lines go; first, as formats are given this */
	const struct plan *plan;	/* what is traced */
	struct calltree *tree;	/* what has been seen */
	struct calltree_who shown;	/* whose tree was printed last, if there are @trees */
	uint64_t trees;		/* printed so far */
	uint64_t calls;		/* printed so far */
	uint64_t outside;	/* calls and returns outside any goroutine, which are in no tree */
	/*
	 * Returns of calls that began before tracing, or whose record was lost, or whose tree was
	 * printed early, since trees took too much memory.
	 */
	uint64_t unknown;
	struct profile profile;	/* of formats that show trees of one shape as one */
	uint64_t last;		/* time of the last event */
	bool begun;		/* a format that has a beginning has written it */
	bool brief;		/* a format for programs is shown to people: with short names */
};

/* A format of trees. */
struct graph_format {
	/* As others have it; event, started and begun are those of GRAPH_EVENTS. */
	struct output_format out;
	/* Write the values of a call or a return: the text of its call; or NULL. */
	void (*values)(struct output *o, const struct output_event *e);
	/* How its time divides, in the same way; or NULL. */
	void (*split)(const uint64_t ns[__GOSTATES_MAX], struct buf *b);
	/* Write a tree, or add it to what @finish writes. */
	void (*tree)(struct graph *g, const struct calltree_root *r);
	void (*finish)(struct graph *g);	/* no more trees will come; or NULL */
};

extern const struct graph_format graph_text;
extern const struct graph_format graph_json;

/* What all have in common. */
#define GRAPH_EVENTS .event = graph_event, .started = graph_started, .begun = graph_begun
void graph_event(struct output *o, const struct output_event *e);
void graph_started(struct output *o, const struct output_event *e,
		   const struct runtime_probe_go *go);
void graph_begun(struct output *o, uint32_t tgid);
void graph_text_lost(struct output *o, const struct goprobe_lost *l, uint64_t time);
void graph_json_lost(struct output *o, const struct goprobe_lost *l, uint64_t time);
void graph_no_lost(struct output *o, const struct goprobe_lost *l, uint64_t time);
void graph_no_header(struct output *o);
void graph_text_summary(struct output *o, const struct output_summary *s, struct buf *talk);
void graph_json_summary(struct output *o, const struct output_summary *s, struct buf *talk);

/* Texts of a call: arguments; results, or the panic that ended it; how its time divides. */
enum graph_text { GRAPH_ARGS, GRAPH_RESULTS, GRAPH_SPLIT };

static inline struct graph *graph_of(struct output *o)
{
	return (struct graph *)((char *)o - offsetof(struct graph, out));
}

static inline uint64_t graph_self_ns(const struct calltree_call *c)
{
	return c->duration > c->inner ? c->duration - c->inner : 0;
}

static inline bool graph_has_ended(const struct calltree_call *c)
{
	return c->end != CALLEND_OPEN && c->end != CALLEND_UNSEEN;
}

/* Is the time without calls below known? */
static inline bool graph_knows_self(const struct calltree_call *c)
{
	return graph_has_ended(c) && !c->vague;
}

/* The panic that ended it, as calltree_call.text, or NULL. */
static inline const char *graph_panic(const struct calltree_call *c)
{
	return callend_is_unwound(c->end) ? c->text[GRAPH_RESULTS] : NULL;
}

/* In the same way, what it returned. */
static inline const char *graph_results(const struct calltree_call *c)
{
	return callend_is_unwound(c->end) ? NULL : c->text[GRAPH_RESULTS];
}

static inline const char *graph_name(const struct graph *g, const struct calltree_call *c)
{
	return g->plan->funcs[c->fn]->fn->name;
}

/* Is it the first one of its goroutine in a tree? Then formats say where that comes from. */
static inline bool graph_begins(const struct calltree_call *c)
{
	return !c->parent || c->started;
}

/* Where a goroutine comes from. */
struct graph_origin {
	uint64_t parent;	/* the goroutine that started it, or 0 */
	bool placed;		/* its go statement is known: */
	struct goline at;	/* where that is; without a file, that is "" */
};

/* That of a call's goroutine; false: it is not the first one there, or nothing is known. */
bool graph_origin(const struct graph *g, const struct calltree_call *c, struct graph_origin *ret);

/* @levels and @calls: of one tree. Before sink_open(), which fills @out. 0 or -1. */
int graph_init(struct graph *g, const struct plan *plan, uint32_t levels, uint64_t calls);
void graph_fini(struct graph *g);
/* No more events will come: print what is open, and what @finish of the format writes. */
void graph_finish(struct graph *g);

#endif
