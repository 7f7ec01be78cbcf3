// SPDX-License-Identifier: GPL-2.0
/* Events to call trees, and these to lines. */
#include <stddef.h>
#include <string.h>

#include "base/json.h"
#include "base/plain.h"
#include "gotype/shown_name.h"
#include "output/row.h"
#include "output/screen.h"
#include "output/state_print.h"
#include "output/graph.h"
#include "output/source_line.h"
#include "plan/runtime_probe.h"

/* Limits of all trees together: half a gigabyte at most. */
#define CALLS_MAX (1U << 20)
#define TEXT_MAX (256U << 20)
#define OPEN_MAX (1U << 20)
#define GOROUTINE_MAX (1U << 16)

_Static_assert(GRAPH_SPLIT < CALLTREE_TEXTS, "that many are kept");

int graph_init(struct graph *g, const struct plan *plan, uint32_t levels, uint64_t calls)
{
	memset(g, 0, sizeof(*g));
	g->plan = plan;
	g->tree = calltree_new(&(struct calltree_limits){
		.levels = levels, .calls = calls, .all = CALLS_MAX, .bytes = TEXT_MAX,
		.open = OPEN_MAX, .goroutines = GOROUTINE_MAX,
		.funcs = (uint32_t)plan->nfuncs,
	});
	return g->tree ? 0 : -1;
}

void graph_fini(struct graph *g)
{
	calltree_free(g->tree);
	profile_fini(&g->profile);
	output_fini(&g->out);
}

static const struct graph_format *format(const struct graph *g)
{
	return (const struct graph_format *)((const char *)g->out.format -
					     offsetof(struct graph_format, out));
}

/* --- events to trees ------------------------------------------------- */

static struct calltree_who who(const struct output_event *e)
{
	return (struct calltree_who){
		.tgid = e->tgid, .tid = e->tid, .goid = e->goid, .system = e->system,
	};
}

/* Where the goroutine comes from. The byte before a return address belongs to the call. */
static struct calltree_origin origin(const struct output_event *e)
{
	const struct plan_frame *f = &e->fn->call;
	struct calltree_origin ret = { .by = e->fn->id };
	struct plan_goroutine g;

	if (!f->has_goroutine || e->system || !e->rec->frame ||
	    e->rec->frame_size < f->goroutine + sizeof(g))
		return ret;
	memcpy(&g, e->rec->frame + f->goroutine, sizeof(g));
	ret.parent = g.parent;
	ret.place = g.pc && e->biased ? g.pc - e->bias - 1 : 0;
	ret.known = ret.parent || ret.place;
	return ret;
}

/* Write what a call is to keep behind something: in JSON it begins with a comma then. */
static size_t begin_kept(struct graph *g)
{
	buf_char(&g->out.buf, ' ');
	return g->out.buf.len;
}

/* Keep with the call what was written from @at on. */
static void keep(struct graph *g, struct calltree_call *c, unsigned int which, size_t at)
{
	struct buf *b = &g->out.buf;

	if (b->failed)
		return;
	calltree_text(g->tree, c, which, b->p + at, b->len - at);
	b->len = at - 1;
}

static void keep_values(struct graph *g, const struct output_event *e, struct calltree_call *c)
{
	size_t at = begin_kept(g);

	format(g)->values(&g->out, e);
	keep(g, c, e->kind == OUTPUT_CALL ? GRAPH_ARGS : GRAPH_RESULTS, at);
}

static void keep_split(struct graph *g, const struct output_event *e, struct calltree_call *c)
{
	size_t at = begin_kept(g);

	format(g)->split(e->split, &g->out.buf);
	keep(g, c, GRAPH_SPLIT, at);
}

static struct calltree_call *leave(struct graph *g, const struct output_event *e,
				   const struct calltree_who *w)
{
	const struct calltree_leaving leaving = {
		.time = e->time, .took = e->split ? &e->duration : NULL,
		.end = output_end(e),
	};
	bool known;
	struct calltree_call *c =
		calltree_leave(g->tree, w, e->fn->id, e->rec->h.depth, &leaving, &known);

	g->unknown += !known;
	if (known && c && e->split && format(g)->split)
		keep_split(g, e, c);
	return known && e->kind == OUTPUT_RETURN ? c : NULL;
}

/* A call that did not return: there is no record of that. */
static struct calltree_call *unwind(struct graph *g, const struct output_event *e,
				    const struct calltree_who *w)
{
	return calltree_unwind(g->tree, w, e->fn->id, e->time, e->seen, e->end);
}

static void take(struct graph *g, const struct output_event *e)
{
	const struct calltree_who w = who(e);
	struct calltree_call *c = NULL;
	struct calltree_origin from;

	if (e->kind == OUTPUT_UNWOUND) {
		c = unwind(g, e, &w);
		if (c && e->panic)
			calltree_text(g->tree, c, GRAPH_RESULTS, e->panic, strlen(e->panic));
		return;
	}
	if (e->rec->h.flags & GOPROBE_RECORD_F_NO_G) {
		g->outside++;
		return;
	}
	/* graph takes no places: they are no calls. */
	if (e->kind == OUTPUT_CALL) {
		from = origin(e);
		c = calltree_enter(g->tree, &w, e->fn->id, e->rec->h.depth, e->time, &from);
	} else if (e->kind != OUTPUT_AT) {
		c = leave(g, e, &w);
	}
	if (c && format(g)->values)
		keep_values(g, e, c);
}

static void print_ready(struct graph *g)
{
	struct calltree_root *r;

	for (r = calltree_next(g->tree); r; r = calltree_next(g->tree)) {
		format(g)->tree(g, r);
		g->trees++;
		g->calls += r->calls;
		calltree_drop(r);
	}
}

void graph_event(struct output *o, const struct output_event *e)
{
	graph_of(o)->last = e->kind == OUTPUT_UNWOUND ? e->seen : e->time;
	take(graph_of(o), e);
	print_ready(graph_of(o));
}

void graph_started(struct output *o, const struct output_event *e,
		   const struct runtime_probe_go *go)
{
	const struct calltree_who w = who(e);

	calltree_start(graph_of(o)->tree, &w, go->goid, &(struct calltree_origin){
		.known = true, .parent = e->goid, .by = e->fn->id,
		.place = go->pc && e->biased ? go->pc - e->bias - 1 : 0,
	});
	print_ready(graph_of(o));
}

void graph_begun(struct output *o, uint32_t tgid)
{
	calltree_begin(graph_of(o)->tree, tgid);
	print_ready(graph_of(o));
}

/* As attach shows it. */
void graph_text_lost(struct output *o, const struct goprobe_lost *l, uint64_t time)
{
	out_text.lost(o, l, time);
}

void graph_json_lost(struct output *o, const struct goprobe_lost *l, uint64_t time)
{
	out_json.lost(o, l, time);
}

void graph_no_lost(struct output *o, const struct goprobe_lost *l, uint64_t time)
{
	(void)o;
	(void)l;
	(void)time;
}

/* --- what the formats have in common --------------------------------- */

/* Where its go statement is. The main goroutine has no parent, and no go statement. */
static bool has_place(const struct graph *g, const struct calltree_origin *from, struct goline *ret)
{
	static const char runtime[] = "runtime.";

	return from->known && from->place &&
	       gobin_line(g->plan->funcs[from->by]->bin, from->place, ret) &&
	       (from->parent || strncmp(ret->func, runtime, sizeof(runtime) - 1) != 0);
}

bool graph_origin(const struct graph *g, const struct calltree_call *c, struct graph_origin *ret)
{
	*ret = (struct graph_origin){ .parent = 0 };
	if (!graph_begins(c))
		return false;
	ret->parent = c->origin.parent;
	ret->placed = has_place(g, &c->origin, &ret->at);
	if (ret->placed && !ret->at.file)
		ret->at.file = "";
	return ret->placed || ret->parent;
}

/* --- text ------------------------------------------------------------ */

#define COLUMN 10

static void text_header(struct output *o)
{
	screen_style(&o->buf, STYLE_DIM);
	buf_str(&o->buf, "     TOTAL      SELF  CALL");
	screen_style(&o->buf, STYLE_PLAIN);
	buf_char(&o->buf, '\n');
}

static void column(struct graph *g, bool there, uint64_t ns)
{
	struct buf *b = &g->out.buf;
	size_t at = b->len;

	if (there)
		buf_duration(b, ns);
	else
		buf_char(b, '-');
	if (!b->failed)
		plain_pad_left(b, at, COLUMN);
}

/* "main.go:42" */
static void text_place(struct buf *b, const struct goline *at)
{
	const char *slash = strrchr(at->file, '/');

	source_line_text(b, slash ? slash + 1 : *at->file ? at->file : "?", at->line);
}

static bool is_same(const struct calltree_who *a, const struct calltree_who *b)
{
	return a->tgid == b->tgid && a->goid == b->goid && a->system == b->system &&
	       (!a->system || a->tid == b->tid);
}

/* "goroutine 34, started by goroutine 1 at main.go:42", unless the tree before was its, too */
static void text_whose(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;
	struct graph_origin from;

	if (g->trees && is_same(&g->shown, &c->who))
		return;
	g->shown = c->who;
	screen_style(b, STYLE_DIM);
	if (g->out.pids)
		buf_number(b, "process ", c->who.tgid);
	if (g->out.pids)
		buf_str(b, ", ");
	if (c->who.system)
		buf_number(b, "system stack of thread ", c->who.tid);
	if (c->who.system && c->who.goid)
		buf_str(b, ", ");
	if (!c->who.system || c->who.goid)
		buf_number(b, "goroutine ", c->who.goid);
	if (graph_origin(g, c, &from))
		buf_str(b, ", started");
	if (from.parent)
		buf_number(b, " by goroutine ", from.parent);
	if (from.placed) {
		buf_str(b, " at ");
		text_place(b, &from.at);
		buf_str(b, " (");
		shown_name_put(b, from.at.func);
		buf_char(b, ')');
	}
	screen_style(b, STYLE_PLAIN);
	buf_char(b, '\n');
}

/* Lines from the first column to the call: "│  ├─ ". */
static void text_lines(struct buf *b, const struct calltree_call *c, bool innermost)
{
	if (!c->parent)
		return;
	text_lines(b, c->parent, false);
	screen_branch(b, innermost, c->next);
}

/*
 * "goroutine 35, main.go:57: " before what is called first there. @before: of calls made in the
 * same one, the one before: what has been named once is a number.
 */
static void text_started(struct graph *g, const struct calltree_call *c,
			 const struct calltree_call *before)
{
	bool again = before && before->started && before->who.goid == c->who.goid;
	struct buf *b = &g->out.buf;
	struct graph_origin from;

	if (!c->started)
		return;
	buf_number(b, "goroutine ", c->who.goid);
	if (!again && graph_origin(g, c, &from) && from.placed) {
		buf_str(b, ", ");
		text_place(b, &from.at);
	}
	buf_str(b, ": ");
}

/* The first of the calls that a panic ends stands above the others. */
static bool same_panic(const struct calltree_call *c)
{
	const char *panic = graph_panic(c), *above = c->parent ? graph_panic(c->parent) : NULL;

	return c->end == CALLEND_PANIC && c->parent && c->parent->end == CALLEND_PANIC && panic &&
	       above && !strcmp(panic, above);
}

static void text_end(struct buf *b, const struct calltree_call *c)
{
	if (c->end != CALLEND_RETURNED) {
		buf_str(b, callend_is_unwound(c->end) ? " (did not return: " : " (");
		callend_put(b, c->end, graph_panic(c), same_panic(c));
		buf_char(b, ')');
	}
	if (!c->below)
		return;
	buf_number(b, " [", c->below);
	buf_str(b, c->below == 1 ? " call below]" : " calls below]");
}

/* Returns where the arguments begin. @columns: the most of the name. */
static size_t text_function(struct graph *g, const struct calltree_call *c, size_t columns)
{
	struct buf *b = &g->out.buf;
	size_t at;

	screen_style(b, STYLE_BOLD);
	at = b->len;
	shown_name_put(b, graph_name(g, c));
	screen_shorten_name(b, at, b->len - at, columns);
	screen_style(b, STYLE_PLAIN);
	at = b->len;
	buf_str(b, c->text[GRAPH_ARGS] ? c->text[GRAPH_ARGS] : "(...)");
	return at;
}

/* Returns where the results begin. "()" says nothing. */
static size_t text_results(struct buf *b, const struct calltree_call *c)
{
	const char *results = graph_results(c);
	size_t at = b->len;

	if (!results || !strcmp(results, "()"))
		return at;
	buf_str(b, " => ");
	at = b->len;
	buf_str(b, results);
	return at;
}

/* The call behind its times; @pieces: its arguments and results. */
static void text_call(struct graph *g, const struct calltree_call *c, size_t columns,
		      struct screen_piece *pieces)
{
	struct buf *b = &g->out.buf;

	pieces[0].at = text_function(g, c, columns);
	pieces[0].len = b->len - pieces[0].at;
	pieces[1].at = text_results(b, c);
	pieces[1].len = b->len - pieces[1].at;
	text_end(b, c);
	if (c->text[GRAPH_SPLIT] && *c->text[GRAPH_SPLIT]) {
		buf_str(b, "  (");
		buf_str(b, c->text[GRAPH_SPLIT]);
		buf_char(b, ')');
	}
}

static void text_calls(struct graph *g, const struct calltree_call *c)
{
	const struct calltree_call *before = NULL;
	struct buf *b = &g->out.buf;

	for (; c; c = c->next) {
		struct screen_piece pieces[2] = { 0 };
		size_t start = b->len, at;

		column(g, graph_has_ended(c), c->duration);
		column(g, graph_knows_self(c), graph_self_ns(c));
		buf_str(b, "  ");
		text_lines(b, c, true);
		text_started(g, c, before);
		at = b->len;
		text_call(g, c, SIZE_MAX, pieces);
		/* As in lines of events, values have half of the line at least. */
		if (screen_is_too_wide(b, start)) {
			b->len = at;
			text_call(g, c, screen.columns / 2, pieces);
		}
		screen_fit(b, start, pieces, 2);
		buf_char(b, '\n');
		text_calls(g, c->child);
		before = c;
	}
}

static void text_tree(struct graph *g, const struct calltree_root *r)
{
	struct buf *b = &g->out.buf;

	text_whose(g, r->call);
	text_calls(g, r->call);
	if (!r->left)
		return;
	buf_number(b, "                      ", r->left);
	buf_str(b, r->left == 1 ? " more call is left out: the tree was full (--calls)\n" :
				  " more calls are left out: the tree was full (--calls)\n");
}

/* What both formats say of trees at the end. */
#define FACTS 6

static void tree_facts(const struct graph *g, struct fact ret[FACTS])
{
	const struct fact facts[FACTS] = {
		{ "trees", g->trees, NULL, NULL, FACT_ALWAYS },
		{ "tree_calls", g->calls, NULL, NULL, FACT_ALWAYS },
		{ "outside", g->outside, "event", "outside any goroutine, in no tree",
		  FACT_ALWAYS },
		{ "unknown", g->unknown, "return", "of calls that were not seen, in no tree",
		  FACT_ALWAYS },
		{ "cut_short", calltree_cut(g->tree), "tree",
		  "printed before its end: too many calls in all", FACT_ALWAYS },
		{ "unmerged", g->profile.left, "call", "left out: too many different paths",
		  0 },
	};

	memcpy(ret, facts, sizeof(facts));
}

void graph_text_summary(struct output *o, const struct output_summary *s, struct buf *talk)
{
	struct graph *g = graph_of(o);
	struct fact facts[FACTS];

	row_count(talk, g->trees, "tree");
	buf_str(talk, " of ");
	row_count(talk, g->calls, "call");
	buf_str(talk, ": ");
	out_text.summary(o, s, talk);
	tree_facts(g, facts);
	row_facts_text(talk, facts, FACTS);
	for (uint32_t i = 0; i < g->plan->nfuncs; i++) {
		uint64_t left = calltree_left(g->tree, i);

		if (!left)
			continue;
		row_count(talk, left, "call");
		buf_str(talk, " of ");
		shown_name_put(talk, g->plan->funcs[i]->fn->name);
		buf_str(talk, " left out: too many for their tree (--calls), or for all\n");
	}
}

const struct graph_format graph_text = {
	.out = {
		.name = "text", GRAPH_EVENTS, .header = text_header, .panic = output_text_panic,
		.lost = graph_text_lost, .summary = graph_text_summary,
	},
	.values = output_text_values,
	.split = state_print_text,
	.tree = text_tree,
};

/* --- JSON ------------------------------------------------------------ */

void graph_no_header(struct output *o)
{
	(void)o;
}

static void json_values(struct output *o, const struct output_event *e)
{
	const char *why = output_no_values(e);

	if (!why) {
		output_json_values(o, e);
		return;
	}
	json_str(&o->buf, e->kind == OUTPUT_CALL ? "args_unavailable" : "results_unavailable", why);
}

static void json_origin(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;
	struct graph_origin from;

	if (!graph_origin(g, c, &from)) {
		json_raw(b, "started_by", "null");
		return;
	}
	json_raw(b, "started_by", "{");
	json_known(b, "goid", from.parent, from.parent);
	if (from.placed) {
		json_str(b, "func", from.at.func);
		source_line_json(b, from.at.file, from.at.line);
	}
	buf_char(b, '}');
}

static void json_call(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;

	buf_char(b, '{');
	json_str(b, "func", graph_name(g, c));
	json_u64(b, "tid", c->who.tid);
	json_u64(b, "goid", c->who.goid);
	if (graph_begins(c))
		json_origin(g, c);
	json_flag(b, "system", c->who.system);
	json_u64(b, "time_ns", c->time + g->out.epoch);
	json_known(b, "duration_ns", graph_has_ended(c), c->duration);
	json_known(b, "self_ns", graph_knows_self(c), graph_self_ns(c));
	json_str(b, "ended", callend_key(c->end));
	if (c->text[GRAPH_SPLIT])
		buf_str(b, c->text[GRAPH_SPLIT]);
	if (c->text[GRAPH_ARGS])
		buf_str(b, c->text[GRAPH_ARGS]);
	if (graph_panic(c))
		json_raw(b, "panic", graph_panic(c));
	buf_str(b, graph_results(c) ?: "");
	if (c->below)
		json_u64(b, "calls_below", c->below);
	json_raw(b, "calls", "[");
	for (const struct calltree_call *k = c->child; k; k = k->next) {
		json_element(b);
		json_call(g, k);
	}
	buf_str(b, "]}");
}

static void json_tree(struct graph *g, const struct calltree_root *r)
{
	struct buf *b = &g->out.buf;

	json_line(b, "call_tree");
	json_u64(b, "pid", r->call->who.tgid);
	json_u64(b, "goid", r->call->who.goid);
	json_u64(b, "left_out", r->left);
	json_key(b, "call");
	json_call(g, r->call);
	json_end_line(b);
}

/* The summary of attach, with the facts of trees. */
void graph_json_summary(struct output *o, const struct output_summary *s, struct buf *talk)
{
	struct graph *g = graph_of(o);
	struct fact facts[FACTS];
	struct buf *b = &o->buf;

	(void)talk;
	output_json_summary(b, s);
	tree_facts(g, facts);
	row_facts_json(b, facts, FACTS);
	json_raw(b, "left_out", "{");
	for (uint32_t i = 0; i < g->plan->nfuncs; i++) {
		uint64_t left = calltree_left(g->tree, i);

		if (!left)
			continue;
		json_name(b, g->plan->funcs[i]->fn->name);
		buf_u64(b, left);
	}
	buf_char(b, '}');
	json_end_line(b);
}

const struct graph_format graph_json = {
	.out = {
		.name = "json", GRAPH_EVENTS, .header = graph_no_header, .panic = output_json_panic,
		.lost = graph_json_lost, .summary = graph_json_summary,
	},
	.values = json_values,
	.split = state_print_json,
	.tree = json_tree,
};

void graph_finish(struct graph *g)
{
	calltree_finish(g->tree);
	print_ready(g);
	if (format(g)->finish)
		format(g)->finish(g);
}
