// SPDX-License-Identifier: GPL-2.0
/*
 * The matching of returns with calls: a table of goroutines, each with its stack of open calls,
 * which come out of a pool that grows up to a limit.
 */
#include <stdlib.h>

#include "event/goroutine_table.h"
#include "event/pair.h"

#define NONE UINT32_MAX
/* Panics at work that a goroutine is remembered with: the youngest takes the place of the last. */
#define THROWN_MAX 64U

/* An open call. */
struct frame {
	uint64_t time;	/* when it was entered */
	uint64_t depth;	/* its depth */
	uint64_t goid;	/* its goroutine */
	uint64_t losses;	/* records lost when the pass before it ended */
	uint64_t dict;	/* see pair_note() */
	uint64_t number;	/* see pair_number() */
	char *text;	/* see pair_text() */
	uint32_t id;	/* its function */
	uint32_t tid;	/* its thread */
	uint32_t below;	/* the next call of the goroutine, less deep; or the next free one */
};

/* A panic at work. */
struct thrown {
	uint64_t depth;		/* of runtime.gopanic */
	uint64_t time;		/* when */
	uint64_t id;		/* its number */
	char *text;		/* text that pair_panic() got, or NULL */
	struct thrown *older;	/* the one whose deferred calls have raised it, less deep */
};

/* A stack with open calls: a goroutine's, or a thread's system stack. */
struct gor {
	struct goroutine g;	/* its name, and its place in the table */
	uint32_t top;		/* its deepest open call */
	uint32_t nthrown;	/* it, and those that it was raised in */
	struct thrown *thrown;	/* the panic at work, or NULL */
};

/* See event/pair.h. */
struct pair {
	struct frame *frames;	/* pool of open calls */
	uint32_t frames_cap;	/* allocated */
	uint32_t frames_used;	/* handed out at least once */
	uint32_t frames_free;	/* list of those given back */
	struct goroutine_table gors;	/* all goroutines */
	struct goroutine_queue used;	/* the same by last use */
	size_t limit;	/* most open calls */
	size_t open;	/* open calls */
	uint64_t evicted;	/* calls forgotten because of @limit */
	uint64_t losses;	/* records lost when the current pass ended */
	uint64_t losses_before;	/* when the pass before it ended */
	struct thrown *over;	/* panics that are over, but whose texts may be in use */
	char *text;	/* of a call that is over, but may be in use */
	size_t thrown;	/* panics at work */
	uint64_t panics;	/* all that there have been */
	bool held;	/* see pair_expect_held() */
};

struct pair *pair_new(size_t limit)
{
	struct pair *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->frames_free = NONE;
	p->limit = limit;
	if (!goroutine_table_init(&p->gors, sizeof(struct gor)))
		return p;
	pair_free(p);
	return NULL;
}

static void thrown_free(struct thrown *t)
{
	while (t) {
		struct thrown *older = t->older;

		free(t->text);
		free(t);
		t = older;
	}
}

/* Nobody uses what the last call of a function here has returned. */
static void settle(struct pair *p)
{
	thrown_free(p->over);
	p->over = NULL;
	free(p->text);
	p->text = NULL;
}

static void free_texts(struct pair *p, uint32_t top)
{
	for (; top != NONE; top = p->frames[top].below)
		free(p->frames[top].text);
}

void pair_free(struct pair *p)
{
	if (!p)
		return;
	settle(p);
	for (struct goroutine *g = p->used.oldest; g; g = g->newer) {
		thrown_free(((struct gor *)g)->thrown);
		free_texts(p, ((struct gor *)g)->top);
	}
	free(p->frames);
	goroutine_table_fini(&p->gors);
	free(p);
}

/*
 * Depth is counted from the top of the stack that is in use. On a system stack
 * that is the thread's own, whichever goroutine (or none) it works for.
 */
static uint64_t key_of(const struct goprobe_record *h)
{
	return goroutine_key(h->goid, h->tid, h->flags & GOPROBE_RECORD_F_SYSTEM);
}

static struct gor *gor_find(const struct pair *p, const struct goprobe_record *h)
{
	return (struct gor *)goroutine_find(&p->gors, h->tgid, key_of(h));
}

static struct gor *gor_new(struct pair *p, const struct goprobe_record *h)
{
	struct gor *g = (struct gor *)goroutine_add(&p->gors, h->tgid, key_of(h));

	if (!g)
		return NULL;
	g->top = NONE;
	goroutine_queue_append(&p->used, &g->g);
	return g;
}

/* The youngest panic of @g is over. */
static void thrown_pop(struct pair *p, struct gor *g)
{
	struct thrown *t = g->thrown;

	g->thrown = t->older;
	t->older = p->over;
	p->over = t;
	g->nthrown--;
	p->thrown--;
}

/* Panics of @g at @depth and deeper are over, if they were raised before @time. */
static void thrown_end(struct pair *p, struct gor *g, uint64_t depth, uint64_t time)
{
	while (g->thrown && g->thrown->depth >= depth && g->thrown->time <= time)
		thrown_pop(p, g);
}

static void gor_free(struct pair *p, struct gor *g)
{
	thrown_end(p, g, 0, UINT64_MAX);
	goroutine_queue_unlink(&p->used, &g->g);
	goroutine_remove(&p->gors, &g->g);
}

/* A frame of the pool; NONE without memory. */
static uint32_t frame_new(struct pair *p)
{
	uint32_t f = p->frames_free, cap = p->frames_cap ? p->frames_cap * 2 : 256;
	struct frame *bigger;

	if (f != NONE) {
		p->frames_free = p->frames[f].below;
		return f;
	}
	if (p->frames_used == p->frames_cap) {
		bigger = realloc(p->frames, cap * sizeof(*bigger));
		if (!bigger)
			return NONE;
		p->frames = bigger;
		p->frames_cap = cap;
	}
	return p->frames_used++;
}

static void frame_free(struct pair *p, uint32_t f)
{
	p->frames[f].below = p->frames_free;
	p->frames_free = f;
}

/* The panic that ends the call, if it does not return: one that was raised in it. */
static const struct thrown *cause(const struct gor *g, const struct frame *f)
{
	const struct thrown *t = g->thrown;

	return t && t->depth >= f->depth && t->time >= f->time ? t : NULL;
}

/* A goroutine without calls is kept as long as it panics: calls that were held may follow. */
static void gor_release(struct pair *p, struct gor *g)
{
	if (g->top == NONE && !g->thrown)
		gor_free(p, g);
}

/* Take the deepest open call of @g away; the goroutine with the last. */
static void pop(struct pair *p, struct gor *g, struct pair_call *ret)
{
	uint32_t f = g->top;
	const struct frame *frame = &p->frames[f];
	const struct thrown *t = cause(g, frame);

	*ret = (struct pair_call){
		.id = frame->id,
		.tgid = g->g.tgid,
		.tid = frame->tid,
		.goid = frame->goid,
		.depth = frame->depth,
		.time = frame->time,
		.dict = frame->dict,
		.number = frame->number,
		.text = frame->text,
		.system = goroutine_is_system(&g->g),
		.doubtful = frame->losses != p->losses,
		.end = t ? CALLEND_PANIC : CALLEND_UNWOUND,
		.panic = t ? t->text : NULL,
		.panic_id = t ? t->id : 0,
	};
	free(p->text);
	p->text = frame->text;
	g->top = frame->below;
	frame_free(p, f);
	p->open--;
	gor_release(p, g);
}

static bool is_over(const struct frame *top, const struct goprobe_record *h)
{
	/*
	 * At the same depth: a new call replaces what was there, a return ends
	 * its own call; if it is another function's, that call's end was missed.
	 */
	if (top->depth == h->depth)
		return h->kind == GOPROBE_RECORD_CALL || top->id != h->id;
	return top->depth > h->depth;
}

bool pair_unwind(struct pair *p, const struct goprobe_record *h, struct pair_call *ret)
{
	struct gor *g = gor_find(p, h);

	settle(p);
	if (!g)
		return false;
	if (g->top != NONE && is_over(&p->frames[g->top], h)) {
		pop(p, g, ret);
		return true;
	}
	thrown_end(p, g, h->depth, h->time);
	gor_release(p, g);
	return false;
}

/* Forget the calls of the goroutine that was not heard of for longest. */
static void evict(struct pair *p)
{
	struct gor *g = (struct gor *)p->used.oldest;
	struct pair_call forgotten;

	thrown_end(p, g, 0, UINT64_MAX);
	if (g->top == NONE) {
		gor_free(p, g);
		return;
	}
	/* It leaves with its last call. */
	for (bool last = false; !last; p->evicted++) {
		last = p->frames[g->top].below == NONE;
		pop(p, g, &forgotten);
	}
}

bool pair_enter(struct pair *p, const struct goprobe_record *h)
{
	struct gor *g = gor_find(p, h);
	uint32_t f;

	if (g && &g->g != p->used.newest) {
		goroutine_queue_unlink(&p->used, &g->g);
		goroutine_queue_append(&p->used, &g->g);
	}
	if (p->open + p->thrown >= p->limit && p->used.n) {
		/* Its own calls go too, if there are no others. */
		if (g && &g->g == p->used.oldest)
			g = NULL;
		evict(p);
	}
	f = frame_new(p);
	if (f == NONE)
		return false;
	if (!g)
		g = gor_new(p, h);
	if (!g) {
		frame_free(p, f);
		return false;
	}
	p->frames[f] = (struct frame){
		.time = h->time,
		.depth = h->depth,
		.goid = h->goid,
		.losses = p->losses_before,
		.id = h->id,
		.tid = h->tid,
		.below = g->top,
	};
	g->top = f;
	p->open++;
	return true;
}

void pair_panic(struct pair *p, const struct goprobe_record *h, char *text)
{
	struct gor *g = gor_find(p, h);
	struct thrown *t;

	settle(p);
	if (!g && p->held)
		g = gor_new(p, h);
	t = g ? malloc(sizeof(*t)) : NULL;
	if (!t) {
		if (g)
			gor_release(p, g);
		free(text);
		return;
	}
	if (g->nthrown == THROWN_MAX)
		thrown_pop(p, g);
	*t = (struct thrown){
		.depth = h->depth, .time = h->time, .id = ++p->panics, .text = text,
		.older = g->thrown,
	};
	g->thrown = t;
	g->nthrown++;
	p->thrown++;
}

bool pair_abandon(struct pair *p, const struct goprobe_record *h, uint64_t depth,
		  enum callend end, struct pair_call *ret)
{
	struct gor *g = gor_find(p, h);

	settle(p);
	if (!g)
		return false;
	if (g->top == NONE || p->frames[g->top].depth <= depth) {
		thrown_end(p, g, depth + 1, UINT64_MAX);
		gor_release(p, g);
		return false;
	}
	pop(p, g, ret);
	ret->end = end;
	if (end != CALLEND_PANIC)
		ret->panic = NULL;
	return true;
}

void pair_expect_held(struct pair *p)
{
	p->held = true;
}

void pair_note(struct pair *p, uint64_t dict)
{
	p->frames[((struct gor *)p->used.newest)->top].dict = dict;
}

void pair_number(struct pair *p, uint64_t number)
{
	p->frames[((struct gor *)p->used.newest)->top].number = number;
}

void pair_text(struct pair *p, char *text)
{
	p->frames[((struct gor *)p->used.newest)->top].text = text;
}

bool pair_leave(struct pair *p, const struct goprobe_record *h, struct pair_call *ret)
{
	struct gor *g = gor_find(p, h);
	const struct frame *top = g && g->top != NONE ? &p->frames[g->top] : NULL;

	if (!top || top->depth != h->depth || top->id != h->id)
		return false;
	pop(p, g, ret);
	return true;
}

/* Goroutine @g was another program's. */
static void drop(struct pair *p, struct gor *g, pair_exited_fn exited, void *ctx)
{
	struct pair_call c;

	thrown_end(p, g, 0, UINT64_MAX);
	if (g->top == NONE) {
		gor_free(p, g);
		return;
	}
	/* It leaves with its last call. */
	for (bool last = false; !last; exited(ctx, &c)) {
		last = p->frames[g->top].below == NONE;
		pop(p, g, &c);
	}
}

void pair_begin(struct pair *p, uint32_t tgid, pair_exited_fn exited, void *ctx)
{
	struct goroutine *g = goroutine_of_process(&p->gors, tgid, NULL), *next;

	settle(p);
	for (; g; g = next) {
		next = goroutine_of_process(&p->gors, tgid, g);
		drop(p, (struct gor *)g, exited, ctx);
	}
}

void pair_losses(struct pair *p, uint64_t total)
{
	p->losses_before = p->losses;
	p->losses = total;
}

size_t pair_open(const struct pair *p)
{
	return p->open;
}

size_t pair_thrown(const struct pair *p)
{
	return p->thrown;
}

uint64_t pair_evicted(const struct pair *p)
{
	return p->evicted;
}
