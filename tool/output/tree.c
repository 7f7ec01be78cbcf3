// SPDX-License-Identifier: GPL-2.0
/* Events to call trees, and these to lines. */
#include <stddef.h>
#include <string.h>

#include "gotype/shape.h"
#include "output/state_print.h"
#include "output/tree.h"
#include "plan/runtime_probe.h"

/* For all trees together: about half a gigabyte, if it comes to that. */
#define CALLS_MAX (1U << 20)
#define TEXT_MAX (256U << 20)
#define OPEN_MAX (1U << 20)
#define GOROUTINES_MAX (1U << 16)

/* What a call was given; what it gave back, or the panic that ended it; how its time divides. */
enum { ARGS, RESULTS, SPLIT };

typedef void (*split_fn)(const uint64_t ns[__GOSTATES_MAX], struct buf *b);

_Static_assert(SPLIT < CALLTREE_TEXTS, "that many are kept");

int graph_init(struct graph *g, const struct plan *plan, uint32_t levels, uint64_t calls)
{
	memset(g, 0, sizeof(*g));
	g->plan = plan;
	g->tree = calltree_new(&(struct calltree_limits){
		.levels = levels, .calls = calls, .all = CALLS_MAX, .bytes = TEXT_MAX,
		.open = OPEN_MAX, .goroutines = GOROUTINES_MAX,
		.funcs = (uint32_t)plan->nfuncs,
	});
	return g->tree ? 0 : -1;
}

void graph_fini(struct graph *g)
{
	calltree_free(g->tree);
	buf_fini(&g->scratch);
	out_fini(&g->out);
}

static struct graph *graph_of(struct out *o)
{
	return (struct graph *)((char *)o - offsetof(struct graph, out));
}

/* --- events to trees ------------------------------------------------- */

static struct calltree_who who(const struct out_event *e)
{
	return (struct calltree_who){
		.tgid = e->tgid, .tid = e->tid, .goid = e->goid, .system = e->system,
	};
}

/* What g says of itself. The byte before a return address is of the call. */
static struct calltree_origin origin(const struct out_event *e)
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

typedef void (*values_fn)(struct out *o, const struct out_event *e);

/* Keep the values of @e with its call. */
static void keep_values(struct graph *g, const struct out_event *e, struct calltree_call *c,
			values_fn values)
{
	struct buf *b = &g->out.buf;
	size_t at = b->len;

	values(&g->out, e);
	if (!b->failed)
		calltree_text(g->tree, c, e->kind == OUT_CALL ? ARGS : RESULTS, b->p + at,
			      b->len - at);
	b->len = at;
}

/* Likewise how its time divides. */
static void keep_split(struct graph *g, const struct out_event *e, struct calltree_call *c,
		       split_fn split)
{
	struct buf *b = &g->out.buf;
	size_t at = b->len;

	split(e->split, b);
	if (!b->failed)
		calltree_text(g->tree, c, SPLIT, b->p + at, b->len - at);
	b->len = at;
}

static struct calltree_call *leave(struct graph *g, const struct out_event *e,
				   const struct calltree_who *w, split_fn split)
{
	bool known;
	struct calltree_call *c =
		calltree_leave(g->tree, w, e->fn->id, e->rec->h.depth, e->time,
			       e->kind == OUT_TAIL ? CALLTREE_TAIL : CALLTREE_RETURNED, &known);

	g->unknown += !known;
	if (known && c && e->split)
		keep_split(g, e, c, split);
	return known && e->kind == OUT_RETURN ? c : NULL;
}

/* A call that did not return: there is no record of that. */
static struct calltree_call *unwind(struct graph *g, const struct out_event *e,
				    const struct calltree_who *w)
{
	static const enum calltree_end ends[] = {
		[PAIR_UNWOUND] = CALLTREE_UNWOUND,
		[PAIR_PANIC] = CALLTREE_PANIC,
		[PAIR_GOEXIT] = CALLTREE_GOEXIT,
	};

	return calltree_unwind(g->tree, w, e->fn->id, e->time, e->seen, ends[e->end]);
}

static void take(struct graph *g, const struct out_event *e, values_fn values,
		 split_fn split)
{
	const struct calltree_who w = who(e);
	struct calltree_call *c = NULL;
	struct calltree_origin from;

	if (e->kind == OUT_UNWOUND) {
		c = unwind(g, e, &w);
		if (c && e->panic)
			calltree_text(g->tree, c, RESULTS, e->panic, strlen(e->panic));
		return;
	}
	if (e->rec->h.flags & GOPROBE_RECORD_F_NO_G) {
		g->outside++;
		return;
	}
	/* graph takes no places: they are no calls. */
	if (e->kind == OUT_CALL) {
		from = origin(e);
		c = calltree_enter(g->tree, &w, e->fn->id, e->rec->h.depth, e->time, &from);
	} else if (e->kind != OUT_AT) {
		c = leave(g, e, &w, split);
	}
	if (c)
		keep_values(g, e, c, values);
}

static void started(struct out *o, const struct out_event *e, const struct hidden_go *go)
{
	const struct calltree_who w = who(e);

	calltree_start(graph_of(o)->tree, &w, go->goid, &(struct calltree_origin){
		.known = true, .parent = e->goid, .by = e->fn->id,
		.place = go->pc && e->biased ? go->pc - e->bias - 1 : 0,
	});
}

static void begun(struct out *o, uint32_t tgid)
{
	calltree_begin(graph_of(o)->tree, tgid);
}

/* --- what the formats have in common --------------------------------- */

typedef void (*print_fn)(struct graph *g, const struct calltree_root *r);

static void print_ready(struct graph *g, print_fn print)
{
	struct calltree_root *r;

	for (r = calltree_next(g->tree); r; r = calltree_next(g->tree)) {
		print(g, r);
		g->trees++;
		g->calls += r->calls;
		calltree_drop(r);
	}
}

/* Where the go statement is; of the main goroutine, which has no parent, there is none. */
static bool place(const struct graph *g, const struct calltree_origin *from, struct goline *ret)
{
	static const char runtime[] = "runtime.";

	return from->known && from->place &&
	       gobin_line(g->plan->funcs[from->by]->bin, from->place, ret) &&
	       (from->parent || strncmp(ret->func, runtime, sizeof(runtime) - 1) != 0);
}

static const char *name(const struct graph *g, const struct calltree_call *c)
{
	return g->plan->funcs[c->fn]->fn->name;
}

static uint64_t self_ns(const struct calltree_call *c)
{
	return c->duration > c->inner ? c->duration - c->inner : 0;
}

static bool has_ended(const struct calltree_call *c)
{
	return c->end != CALLTREE_OPEN && c->end != CALLTREE_UNSEEN;
}

static bool is_unwound(const struct calltree_call *c)
{
	return c->end == CALLTREE_UNWOUND || c->end == CALLTREE_PANIC ||
	       c->end == CALLTREE_GOEXIT;
}

/* --- text ------------------------------------------------------------ */

#define COLUMN 10

static void text_header(struct out *o)
{
	buf_str(&o->buf, "     TOTAL      SELF  CALL\n");
}

static void column(struct graph *g, bool there, uint64_t ns)
{
	struct buf *s = &g->scratch;

	s->len = 0;
	if (there)
		buf_duration(s, ns);
	else
		buf_char(s, '-');
	if (s->len < COLUMN)
		buf_fill(&g->out.buf, ' ', COLUMN - s->len);
	buf_mem(&g->out.buf, s->p, s->len);
}

/* "main.go:42" */
static void text_place(struct buf *b, const struct goline *at)
{
	const char *slash = at->file ? strrchr(at->file, '/') : NULL;

	buf_str(b, slash ? slash + 1 : at->file ? at->file : "?");
	buf_number(b, ":", at->line);
}

/* "goroutine 34, started by goroutine 1 at main.go:42" */
static void text_whose(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;
	struct goline at;
	bool placed = place(g, &c->origin, &at);

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
	if (placed || c->origin.parent)
		buf_str(b, ", started");
	if (c->origin.parent)
		buf_number(b, " by goroutine ", c->origin.parent);
	if (placed) {
		buf_str(b, " at ");
		text_place(b, &at);
		buf_str(b, " (");
		buf_str(b, at.func);
		buf_char(b, ')');
	}
	buf_char(b, '\n');
}

/* What leads from the first column to the call: "│  ├─ ". */
static void text_lines(struct buf *b, const struct calltree_call *c, bool innermost)
{
	if (!c->parent)
		return;
	text_lines(b, c->parent, false);
	if (innermost)
		buf_str(b, c->next ? "├─ " : "└─ ");
	else
		buf_str(b, c->next ? "│  " : "   ");
}

/* "goroutine 35, main.go:57: " before what is called first there. */
static void text_started(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;
	struct goline at;

	if (!c->started)
		return;
	buf_number(b, "goroutine ", c->who.goid);
	if (place(g, &c->origin, &at)) {
		buf_str(b, ", ");
		text_place(b, &at);
	}
	buf_str(b, ": ");
}

/* A panic that is longer is shown once, at the first of the calls that it ends. */
#define PANIC_SHORT 32

static bool same_panic(const struct calltree_call *c)
{
	const struct calltree_call *up = c->parent;

	return c->end == CALLTREE_PANIC && up && up->end == CALLTREE_PANIC && c->text[RESULTS] &&
	       up->text[RESULTS] && strlen(c->text[RESULTS]) > PANIC_SHORT &&
	       !strcmp(c->text[RESULTS], up->text[RESULTS]);
}

static void text_end(struct buf *b, const struct calltree_call *c)
{
	static const char *const ends[] = {
		[CALLTREE_OPEN] = " (not returned)",
		[CALLTREE_RETURNED] = "",
		[CALLTREE_TAIL] = " (ended by a jump to another function)",
		[CALLTREE_UNWOUND] = " (did not return: panic or Goexit",
		[CALLTREE_PANIC] = " (did not return: panic",
		[CALLTREE_GOEXIT] = " (did not return: Goexit",
		[CALLTREE_UNSEEN] = " (its end was not seen: records were lost)",
	};

	if (same_panic(c)) {
		buf_str(b, " (did not return: the same panic)");
	} else if (is_unwound(c)) {
		buf_str(b, ends[c->end]);
		buf_str(b, c->text[RESULTS] ? ": " : "");
		buf_str(b, c->text[RESULTS] ? c->text[RESULTS] : "");
		buf_char(b, ')');
	} else {
		buf_str(b, ends[c->end]);
	}
	if (!c->below)
		return;
	buf_number(b, " [", c->below);
	buf_str(b, c->below == 1 ? " call below]" : " calls below]");
}

static void text_calls(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;

	for (; c; c = c->next) {
		column(g, has_ended(c), c->duration);
		column(g, has_ended(c) && !c->vague, self_ns(c));
		buf_str(b, "  ");
		text_lines(b, c, true);
		text_started(g, c);
		goshape_put(b, name(g, c));
		buf_str(b, c->text[ARGS] ? c->text[ARGS] : "(...)");
		/* "()" tells nothing. */
		if (!is_unwound(c) && c->text[RESULTS] && strcmp(c->text[RESULTS], "()") != 0) {
			buf_str(b, " => ");
			buf_str(b, c->text[RESULTS]);
		}
		text_end(b, c);
		if (c->text[SPLIT] && *c->text[SPLIT]) {
			buf_str(b, "  (");
			buf_str(b, c->text[SPLIT]);
			buf_char(b, ')');
		}
		buf_char(b, '\n');
		text_calls(g, c->child);
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

static void text_event(struct out *o, const struct out_event *e)
{
	take(graph_of(o), e, out_text_values, splitshow_text);
	print_ready(graph_of(o), text_tree);
}

static void text_started_go(struct out *o, const struct out_event *e, const struct hidden_go *go)
{
	started(o, e, go);
	print_ready(graph_of(o), text_tree);
}

static void text_begun(struct out *o, uint32_t tgid)
{
	begun(o, tgid);
	print_ready(graph_of(o), text_tree);
}

static void text_lost(struct out *o, const struct goprobe_lost *lost, uint64_t time)
{
	out_text.lost(o, lost, time);
}

static void say(struct buf *talk, uint64_t n, const char *what)
{
	buf_u64(talk, n);
	buf_str(talk, what);
}

static void text_summary(struct out *o, const struct out_summary *s, struct buf *talk)
{
	struct graph *g = graph_of(o);
	uint64_t cut = calltree_cut(g->tree);

	say(talk, g->trees, g->trees == 1 ? " tree of " : " trees of ");
	say(talk, g->calls, g->calls == 1 ? " call: " : " calls: ");
	out_text.summary(o, s, talk);
	if (g->outside)
		say(talk, g->outside, " calls and returns outside any goroutine, in no tree\n");
	if (g->unknown)
		say(talk, g->unknown, " returns of calls that were not seen, in no tree\n");
	if (cut)
		say(talk, cut, cut == 1 ?
		    " tree printed before it was finished: too many calls in all\n" :
		    " trees printed before they were finished: too many calls in all\n");
	for (uint32_t i = 0; i < g->plan->nfuncs; i++) {
		uint64_t left = calltree_left(g->tree, i);

		if (!left)
			continue;
		say(talk, left, left == 1 ? " call of " : " calls of ");
		goshape_put(talk, g->plan->funcs[i]->fn->name);
		buf_str(talk, " left out: too many for their tree (--calls), or for all\n");
	}
}

const struct out_format graph_text = {
	.name = "text",
	.header = text_header,
	.event = text_event,
	.panic = out_text_panic,
	.started = text_started_go,
	.begun = text_begun,
	.lost = text_lost,
	.summary = text_summary,
};

/* --- JSON ------------------------------------------------------------ */

static void json_header(struct out *o)
{
	(void)o;
}

static void json_values(struct out *o, const struct out_event *e)
{
	const char *why = out_frame(e)->unavailable;

	if (!why) {
		out_json_values(o, e);
		return;
	}
	buf_str(&o->buf, e->kind == OUT_CALL ? ",\"args_unavailable\":" :
					       ",\"results_unavailable\":");
	buf_json_str(&o->buf, why);
}

static void json_origin(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;
	struct goline at;
	bool placed = place(g, &c->origin, &at);

	buf_str(b, ",\"started_by\":");
	if (!placed && !c->origin.parent) {
		buf_str(b, "null");
		return;
	}
	buf_str(b, "{\"goid\":");
	if (c->origin.parent)
		buf_u64(b, c->origin.parent);
	else
		buf_str(b, "null");
	if (placed) {
		buf_str(b, ",\"func\":");
		buf_json_str(b, at.func);
		buf_str(b, ",\"file\":");
		buf_json_str(b, at.file ? at.file : "");
		buf_number(b, ",\"line\":", at.line);
	}
	buf_char(b, '}');
}

static void json_duration(struct buf *b, const char *key, bool there, uint64_t ns)
{
	buf_str(b, key);
	if (there)
		buf_u64(b, ns);
	else
		buf_str(b, "null");
}

static void json_call(struct graph *g, const struct calltree_call *c)
{
	static const char *const ends[] = {
		[CALLTREE_OPEN] = "open",
		[CALLTREE_RETURNED] = "return",
		[CALLTREE_TAIL] = "jump",
		[CALLTREE_UNWOUND] = "unwound",
		[CALLTREE_PANIC] = "panic",
		[CALLTREE_GOEXIT] = "goexit",
		[CALLTREE_UNSEEN] = "unseen",
	};
	struct buf *b = &g->out.buf;

	buf_str(b, "{\"func\":");
	buf_json_str(b, name(g, c));
	buf_number(b, ",\"tid\":", c->who.tid);
	buf_number(b, ",\"goid\":", c->who.goid);
	if (!c->parent || c->started)
		json_origin(g, c);
	if (c->who.system)
		buf_str(b, ",\"system\":true");
	buf_number(b, ",\"time_ns\":", c->time + g->out.epoch);
	json_duration(b, ",\"duration_ns\":", has_ended(c), c->duration);
	json_duration(b, ",\"self_ns\":", has_ended(c) && !c->vague, self_ns(c));
	buf_str(b, ",\"ended\":\"");
	buf_str(b, ends[c->end]);
	buf_char(b, '"');
	if (c->text[SPLIT]) {
		buf_str(b, ",\"split\":");
		buf_str(b, c->text[SPLIT]);
	}
	if (c->text[ARGS])
		buf_str(b, c->text[ARGS]);
	if (c->text[RESULTS] && is_unwound(c))
		buf_str(b, ",\"panic\":");
	if (c->text[RESULTS])
		buf_str(b, c->text[RESULTS]);
	if (c->below)
		buf_number(b, ",\"calls_below\":", c->below);
	buf_str(b, ",\"calls\":[");
	for (const struct calltree_call *k = c->child; k; k = k->next) {
		json_call(g, k);
		if (k->next)
			buf_char(b, ',');
	}
	buf_str(b, "]}");
}

static void json_tree(struct graph *g, const struct calltree_root *r)
{
	struct buf *b = &g->out.buf;

	buf_number(b, "{\"kind\":\"call_tree\",\"pid\":", r->call->who.tgid);
	buf_number(b, ",\"goid\":", r->call->who.goid);
	buf_number(b, ",\"left_out\":", r->left);
	buf_str(b, ",\"call\":");
	json_call(g, r->call);
	buf_str(b, "}\n");
}

static void json_event(struct out *o, const struct out_event *e)
{
	take(graph_of(o), e, json_values, splitshow_json);
	print_ready(graph_of(o), json_tree);
}

static void json_started_go(struct out *o, const struct out_event *e, const struct hidden_go *go)
{
	started(o, e, go);
	print_ready(graph_of(o), json_tree);
}

static void json_begun(struct out *o, uint32_t tgid)
{
	begun(o, tgid);
	print_ready(graph_of(o), json_tree);
}

static void json_lost(struct out *o, const struct goprobe_lost *lost, uint64_t time)
{
	out_json.lost(o, lost, time);
}

/* As that of attach, with what is known of trees. */
static void json_summary(struct out *o, const struct out_summary *s, struct buf *talk)
{
	static const char end[] = "}\n";
	struct graph *g = graph_of(o);
	struct buf *b = &o->buf;
	bool first = true;

	out_json.summary(o, s, talk);
	if (b->failed)
		return;
	b->len -= sizeof(end) - 1;
	buf_number(b, ",\"trees\":", g->trees);
	buf_number(b, ",\"tree_calls\":", g->calls);
	buf_number(b, ",\"outside\":", g->outside);
	buf_number(b, ",\"unknown\":", g->unknown);
	buf_number(b, ",\"cut_short\":", calltree_cut(g->tree));
	buf_str(b, ",\"left_out\":{");
	for (uint32_t i = 0; i < g->plan->nfuncs; i++) {
		uint64_t left = calltree_left(g->tree, i);

		if (!left)
			continue;
		if (!first)
			buf_char(b, ',');
		first = false;
		buf_json_str(b, g->plan->funcs[i]->fn->name);
		buf_number(b, ":", left);
	}
	buf_char(b, '}');
	buf_str(b, end);
}

const struct out_format graph_json = {
	.name = "json",
	.header = json_header,
	.event = json_event,
	.panic = out_json_panic,
	.started = json_started_go,
	.begun = json_begun,
	.lost = json_lost,
	.summary = json_summary,
};

void graph_finish(struct graph *g)
{
	calltree_finish(g->tree);
	print_ready(g, g->out.format == &graph_json ? json_tree : text_tree);
}
