// SPDX-License-Identifier: GPL-2.0
/*
 * Calls as trees: a table of goroutines, each with its open calls. Goroutines without open calls
 * are forgotten when there are too many, by last use.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "event/call_tree.h"
#include "event/goroutine_table.h"

/* An open call. */
struct open_call {
	uint64_t depth;			/* its depth */
	uint64_t time;			/* when it was entered */
	uint32_t fn;			/* its function */
	uint32_t level;			/* its level in its tree, from 1 on */
	struct calltree_call *call;	/* it, or NULL: it is not kept */
	struct calltree_call *above;	/* else the nearest call above it that is kept, or NULL */
	bool left;			/* a limit of calls or bytes keeps it out, not its level */
};

/* A goroutine, or a thread's system stack. */
struct calltree_gor {
	/* its name, and its place in the table; listed by last use if it has no open calls */
	struct goroutine g;
	struct open_call *open;	/* its open calls, deepest last */
	size_t n;	/* their number */
	size_t cap;	/* capacity of @open */
	struct calltree_origin origin;	/* where it comes from */
	/* the tree that its next call belongs to, or NULL: to a new one */
	struct calltree_root *tree;
	struct calltree_call *below;	/* the call of @tree that it was started in */
	/* level of the call that it was started in, which may be deeper than @below */
	uint32_t level;
	struct calltree_gor *before;	/* link in the list of @tree */
	struct calltree_gor *after;	/* see @before */
};

/* See event/call_tree.h. */
struct calltree {
	struct calltree_limits limits;	/* how much is kept */
	struct goroutine_table gors;	/* all goroutines */
	struct goroutine_queue idle;	/* those without open calls, by last use */
	uint64_t calls;	/* calls kept, of trees that are not finished */
	uint64_t bytes;	/* of their texts */
	uint64_t open;	/* open calls, kept or not */
	struct calltree_root *first;	/* trees that are not finished, oldest first */
	struct calltree_root *last;	/* the newest of them */
	/* of the same ones, that which was not heard of for longest */
	struct calltree_root *coldest;
	struct calltree_root *warmest;	/* that which was heard of last */
	uint64_t cut;	/* how many were finished because of limits */
	struct calltree_root *ready;	/* finished ones */
	struct calltree_root *ready_last;	/* the last of them */
	uint64_t *left;	/* calls left out, by function */
};

struct calltree *calltree_new(const struct calltree_limits *limits)
{
	struct calltree *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->limits = *limits;
	t->left = calloc((size_t)limits->funcs + 1, sizeof(*t->left));
	if (!goroutine_table_init(&t->gors, sizeof(struct calltree_gor)) && t->left)
		return t;
	calltree_free(t);
	return NULL;
}

/* --- goroutines ------------------------------------------------------ */

static uint64_t key_of(const struct calltree_who *who)
{
	return goroutine_key(who->goid, who->tid, who->system);
}

static struct calltree_gor *gor_find(const struct calltree *t, uint32_t tgid, uint64_t key)
{
	return (struct calltree_gor *)goroutine_find(&t->gors, tgid, key);
}

/* Capacity for open calls that an idle goroutine keeps. */
#define IDLE_CAP 64U

static void idle_append(struct calltree *t, struct calltree_gor *g)
{
	/* One may have been deep, but not all can keep that memory at once. */
	if (g->cap > IDLE_CAP) {
		free(g->open);
		g->open = NULL;
		g->cap = 0;
	}
	goroutine_queue_append(&t->idle, &g->g);
}

/* Its next call begins a tree of its own. */
static void leave_tree(struct calltree_gor *g)
{
	if (!g->tree)
		return;
	*(g->before ? &g->before->after : &g->tree->gors) = g->after;
	if (g->after)
		g->after->before = g->before;
	g->tree = NULL;
	g->below = NULL;
}

static void join_tree(struct calltree_gor *g, struct calltree_root *r)
{
	g->tree = r;
	g->before = NULL;
	g->after = r->gors;
	if (r->gors)
		r->gors->before = g;
	r->gors = g;
}

/* It has no open calls. */
static void gor_free(struct calltree *t, struct calltree_gor *g)
{
	goroutine_queue_unlink(&t->idle, &g->g);
	leave_tree(g);
	free(g->open);
	goroutine_remove(&t->gors, &g->g);
}

static struct calltree_gor *gor_new(struct calltree *t, uint32_t tgid, uint64_t key)
{
	struct calltree_gor *g;

	while (t->idle.n && t->idle.n >= t->limits.goroutines)
		gor_free(t, (struct calltree_gor *)t->idle.oldest);
	g = (struct calltree_gor *)goroutine_add(&t->gors, tgid, key);
	if (!g)
		return NULL;
	*g = (struct calltree_gor){ .g = g->g };
	goroutine_queue_append(&t->idle, &g->g);
	return g;
}

/* --- trees ----------------------------------------------------------- */

static void free_calls(struct calltree_call *c)
{
	while (c) {
		struct calltree_call *next = c->next;

		free_calls(c->child);
		for (int i = 0; i < CALLTREE_TEXTS; i++)
			free(c->text[i]);
		free(c);
		c = next;
	}
}

static void use_unlink(struct calltree *t, struct calltree_root *r)
{
	*(r->colder ? &r->colder->warmer : &t->coldest) = r->warmer;
	*(r->warmer ? &r->warmer->colder : &t->warmest) = r->colder;
}

static void use_append(struct calltree *t, struct calltree_root *r)
{
	r->colder = t->warmest;
	r->warmer = NULL;
	*(t->warmest ? &t->warmest->warmer : &t->coldest) = r;
	t->warmest = r;
}

/* It has been heard of. */
static void use(struct calltree *t, struct calltree_root *r)
{
	if (!r || r == t->warmest)
		return;
	use_unlink(t, r);
	use_append(t, r);
}

static struct calltree_root *tree_new(struct calltree *t, struct calltree_call *call)
{
	struct calltree_root *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->call = call;
	r->older = t->last;
	*(t->last ? &t->last->newer : &t->first) = r;
	t->last = r;
	use_append(t, r);
	return r;
}

/* Nothing more belongs to it. */
static void tree_finish(struct calltree *t, struct calltree_root *r)
{
	while (r->gors)
		leave_tree(r->gors);
	r->finished = true;
	t->calls -= r->calls;
	t->bytes -= r->bytes;
	use_unlink(t, r);
	*(r->older ? &r->older->newer : &t->first) = r->newer;
	*(r->newer ? &r->newer->older : &t->last) = r->older;
	r->newer = NULL;
	*(t->ready ? &t->ready_last->newer : &t->ready) = r;
	t->ready_last = r;
}

/* Finish it with the calls that are open: they are forgotten. */
static void tree_cut(struct calltree *t, struct calltree_root *r)
{
	for (struct calltree_gor *g = r->gors; g; g = g->after) {
		if (!g->n)
			continue;
		t->open -= g->n;
		g->n = 0;
		idle_append(t, g);
	}
	tree_finish(t, r);
}

/* Cut the tree that was not heard of for longest; false: @r is the only one. */
static bool cut_coldest(struct calltree *t, const struct calltree_root *r)
{
	struct calltree_root *cold = t->coldest;

	if (cold && cold == r)
		cold = cold->warmer;
	if (!cold)
		return false;
	t->cut++;
	tree_cut(t, cold);
	return true;
}

void calltree_begin(struct calltree *t, uint32_t tgid)
{
	struct goroutine *g = NULL;

	/* A tree that is not finished has a goroutine, all of one process. */
	while ((g = goroutine_of_process(&t->gors, tgid, g)))
		if (((struct calltree_gor *)g)->tree)
			tree_cut(t, ((struct calltree_gor *)g)->tree);
}

struct calltree_root *calltree_next(struct calltree *t)
{
	struct calltree_root *r = t->ready;

	if (r)
		t->ready = r->newer;
	return r;
}

void calltree_drop(struct calltree_root *r)
{
	free_calls(r->call);
	free(r);
}

void calltree_finish(struct calltree *t)
{
	while (t->first)
		tree_finish(t, t->first);
}

void calltree_free(struct calltree *t)
{
	struct calltree_root *r;

	if (!t)
		return;
	calltree_finish(t);
	for (r = calltree_next(t); r; r = calltree_next(t))
		calltree_drop(r);
	for (size_t i = 0; t->gors.buckets && i < t->gors.nbuckets; i++)
		for (struct goroutine *g = t->gors.buckets[i]; g; g = g->chain)
			free(((struct calltree_gor *)g)->open);
	goroutine_table_fini(&t->gors);
	free(t->left);
	free(t);
}

/* --- calls ----------------------------------------------------------- */

static bool has_space(const struct calltree *t)
{
	return t->calls < t->limits.all && t->bytes < t->limits.bytes;
}

/* Stay within limits with another call of @r, or of a new tree: cut others. */
static bool make_space(struct calltree *t, const struct calltree_root *r)
{
	if (r && r->calls >= t->limits.calls)
		return false;
	while (!has_space(t))
		if (!cut_coldest(t, r))
			return false;
	return true;
}

/* A call below @parent, or the first one of a tree. */
static struct calltree_call *keep(struct calltree *t, struct calltree_gor *g,
				  struct calltree_call *parent)
{
	struct calltree_call *c = calloc(1, sizeof(*c));
	struct calltree_root *r = c && !g->tree ? tree_new(t, c) : g->tree;

	if (!c || !r) {
		free(c);
		return NULL;
	}
	if (!g->tree)
		join_tree(g, r);
	c->root = r;
	c->parent = parent;
	if (parent) {
		*(parent->last ? &parent->last->next : &parent->child) = c;
		parent->last = c;
	}
	r->calls++;
	t->calls++;
	return c;
}

/* Where the next call of @g belongs, as far as it is not kept itself. */
static struct open_call place(const struct calltree_gor *g)
{
	const struct open_call *top = g->n ? &g->open[g->n - 1] : NULL;

	if (top)
		return (struct open_call){
			.level = top->level + 1, .left = top->left,
			.above = top->call ? top->call : top->above,
		};
	return (struct open_call){ .level = g->tree ? g->level + 1 : 1, .above = g->below };
}

static void leave_out(struct calltree *t, struct calltree_root *r, uint32_t fn)
{
	if (r)
		r->left++;
	if (fn < t->limits.funcs)
		t->left[fn]++;
}

/* Keep the call that begins at @o within limits; else count it. */
static void try_to_keep(struct calltree *t, struct calltree_gor *g, struct open_call *o)
{
	if (!o->left && o->level > t->limits.levels) {
		if (o->above)
			o->above->below++;
		return;
	}
	if (!o->left && make_space(t, g->tree))
		o->call = keep(t, g, o->above);
	o->left = !o->call;
	if (o->left)
		leave_out(t, g->tree, o->fn);
}

static void push(struct calltree *t, struct calltree_gor *g, const struct open_call *o)
{
	if (!g->n)
		goroutine_queue_unlink(&t->idle, &g->g);
	g->open[g->n++] = *o;
	t->open++;
	if (g->tree)
		g->tree->open++;
}

/* What the end of a call means to the one it was called by. */
static void report_to_caller(struct calltree_gor *g, uint64_t ns, bool vague)
{
	struct calltree_call *caller = g->n ? g->open[g->n - 1].call : NULL;

	if (!caller)
		return;
	caller->inner += ns;
	caller->vague |= vague;
}

/* The deepest open call is over. Its tree may be, too. */
static struct calltree_call *pop(struct calltree *t, struct calltree_gor *g,
				 const struct calltree_leaving *leaving)
{
	const struct open_call *o = &g->open[--g->n];
	struct calltree_call *call = o->call;
	uint64_t ns = leaving->time > o->time ? leaving->time - o->time : 0;
	bool unseen = leaving->end == CALLEND_UNSEEN;
	struct calltree_root *r = g->tree;

	if (unseen || leaving->took)
		ns = unseen ? 0 : *leaving->took;
	t->open--;
	if (call) {
		call->end = leaving->end;
		call->duration = ns;
		call->seen = leaving->time;
	}
	report_to_caller(g, ns, unseen);
	if (!g->n) {
		idle_append(t, g);
		/* What it calls next is not below what began the tree. */
		if (!g->below)
			leave_tree(g);
	}
	use(t, r);
	if (r && !--r->open)
		tree_finish(t, r);
	return call;
}

/* The deepest open call is over, and its end was not seen. */
static struct calltree_call *pop_unseen(struct calltree *t, struct calltree_gor *g)
{
	return pop(t, g, &(struct calltree_leaving){ .end = CALLEND_UNSEEN });
}

/* Calls that others prove to be over: at @depth, if that is @closed, and deeper. */
static void pop_deeper(struct calltree *t, struct calltree_gor *g, uint64_t depth, bool closed)
{
	while (g->n && (g->open[g->n - 1].depth > depth ||
			(closed && g->open[g->n - 1].depth == depth)))
		pop_unseen(t, g);
}

/* The goroutine, added if it is new; NULL: there are too many open calls. */
static struct calltree_gor *prepare(struct calltree *t, const struct calltree_who *who,
				    uint64_t depth, const struct calltree_origin *origin)
{
	struct calltree_gor *g = gor_find(t, who->tgid, key_of(who));

	if (g)
		pop_deeper(t, g, depth, true);
	else
		g = gor_new(t, who->tgid, key_of(who));
	if (!g)
		return NULL;
	use(t, g->tree);
	while (t->open >= t->limits.open)
		if (!cut_coldest(t, g->tree))
			return NULL;
	if (grow(&g->open, g->n + 1, &g->cap, sizeof(*g->open)))
		return NULL;
	if (origin && !g->origin.known)
		g->origin = *origin;
	return g;
}

struct calltree_call *calltree_enter(struct calltree *t, const struct calltree_who *who,
				     uint32_t fn, uint64_t depth, uint64_t time,
				     const struct calltree_origin *origin)
{
	struct calltree_gor *g = prepare(t, who, depth, origin);
	struct open_call o;

	if (!g) {
		leave_out(t, NULL, fn);
		return NULL;
	}
	o = place(g);
	o.depth = depth;
	o.time = time;
	o.fn = fn;
	try_to_keep(t, g, &o);
	if (o.call) {
		o.call->fn = fn;
		o.call->who = *who;
		o.call->time = time;
		o.call->started = !g->n && g->below;
		if (!g->n)
			o.call->origin = g->origin;
	}
	push(t, g, &o);
	return o.call;
}

struct calltree_call *calltree_leave(struct calltree *t, const struct calltree_who *who,
				     uint32_t fn, uint64_t depth,
				     const struct calltree_leaving *leaving, bool *known)
{
	struct calltree_gor *g = gor_find(t, who->tgid, key_of(who));
	const struct open_call *top;

	*known = false;
	if (!g)
		return NULL;
	pop_deeper(t, g, depth, false);
	top = g->n ? &g->open[g->n - 1] : NULL;
	if (!top || top->depth != depth)
		return NULL;
	*known = top->fn == fn;
	return *known ? pop(t, g, leaving) : pop_unseen(t, g);
}

struct calltree_call *calltree_unwind(struct calltree *t, const struct calltree_who *who,
				      uint32_t fn, uint64_t began, uint64_t time,
				      enum callend end)
{
	struct calltree_gor *g = gor_find(t, who->tgid, key_of(who));
	const struct open_call *top = g && g->n ? &g->open[g->n - 1] : NULL;

	if (!top || top->fn != fn || top->time != began)
		return NULL;
	return pop(t, g, &(struct calltree_leaving){ .time = time, .end = end });
}

void calltree_start(struct calltree *t, const struct calltree_who *who, uint64_t goid,
		    const struct calltree_origin *origin)
{
	struct calltree_gor *g = gor_find(t, who->tgid, goid), *parent;
	const struct open_call *top;

	if (goid == who->goid)
		return;
	/* The goroutine that had this id has exited. */
	while (g && g->n)
		pop_unseen(t, g);
	if (g)
		gor_free(t, g);
	g = gor_new(t, who->tgid, goid);
	if (!g)
		return;
	/* The one who starts is the goroutine, on whichever stack that is done. */
	parent = gor_find(t, who->tgid, who->goid);
	top = parent && parent->n ? &parent->open[parent->n - 1] : NULL;
	g->origin = *origin;
	if (!top || top->left || !parent->tree)
		return;
	use(t, parent->tree);
	join_tree(g, parent->tree);
	g->below = top->call ? top->call : top->above;
	g->level = top->level;
}

void calltree_text(struct calltree *t, struct calltree_call *c, int which, const char *s,
		   size_t len)
{
	char *text = malloc(len + 1);

	if (!text)
		return;
	memcpy(text, s, len);
	text[len] = 0;
	c->text[which] = text;
	c->root->bytes += len;
	if (!c->root->finished)
		t->bytes += len;
}

uint64_t calltree_left(const struct calltree *t, uint32_t fn)
{
	return fn < t->limits.funcs ? t->left[fn] : 0;
}

uint64_t calltree_cut(const struct calltree *t)
{
	return t->cut;
}
