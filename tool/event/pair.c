// SPDX-License-Identifier: GPL-2.0
/*
 * Join calls and returns: a hash table of goroutines, each with its stack of
 * open calls, both out of pools that grow up to a limit.
 */
#include <stdlib.h>
#include <string.h>

#include "event/pair.h"

#define NONE UINT32_MAX
/* Lists of goroutines by process. */
#define PROCESSES 4096U
/* Panics at work that a goroutine is remembered with: the youngest takes the place of the last. */
#define THROWN_MAX 64U

/**
 * struct frame - an open call
 * @time: when it was entered
 * @depth: its depth
 * @goid: its goroutine
 * @losses: records lost when the pass before it ended
 * @dict: see pair_note()
 * @id: its function
 * @tid: its thread
 * @below: the next call of the goroutine, less deep; or the next free one
 */
struct frame {
	uint64_t time;
	uint64_t depth;
	uint64_t goid;
	uint64_t losses;
	uint64_t dict;
	uint32_t id;
	uint32_t tid;
	uint32_t below;
};

/**
 * struct thrown - a panic at work
 * @depth: of runtime.gopanic
 * @time: when
 * @id: its number
 * @text: what pair_panic() was told, or NULL
 * @older: the one whose deferred calls have raised it, less deep
 */
struct thrown {
	uint64_t depth;
	uint64_t time;
	uint64_t id;
	char *text;
	struct thrown *older;
};

/**
 * struct gor - a stack with open calls: a goroutine's, or a thread's system stack
 * @key: what names it in its process, see key_of()
 * @tgid: process
 * @top: its deepest open call
 * @thrown: the panic at work, or NULL
 * @nthrown: it, and those that it was raised in
 * @next: next in the hash chain, or next free one
 * @older: used less recently
 * @newer: used more recently
 * @mate: next in the list of its process, which others may be in, too
 * @mate_before: the one before
 */
struct gor {
	uint64_t key;
	uint32_t tgid;
	uint32_t top;
	struct thrown *thrown;
	uint32_t nthrown;
	uint32_t next;
	uint32_t older;
	uint32_t newer;
	uint32_t mate;
	uint32_t mate_before;
};

/**
 * struct pair - see event/pair.h
 * @frames: pool of open calls
 * @frames_cap: allocated
 * @frames_used: handed out at least once
 * @frames_free: list of those given back
 * @gors: pool of goroutines, likewise
 * @gors_cap: allocated
 * @gors_used: handed out at least once
 * @gors_free: list of those given back
 * @buckets: hash table, a power of two
 * @nbuckets: its size
 * @ngors: goroutines in it
 * @processes: the first goroutine of each list by process
 * @oldest: least recently used goroutine
 * @newest: most recently used one
 * @limit: most open calls
 * @open: open calls
 * @evicted: calls forgotten because of @limit
 * @losses: records lost when the current pass ended
 * @losses_before: when the pass before it ended
 * @over: panics that are over, but whose texts may be in use
 * @thrown: panics at work
 * @panics: all that there have been
 * @held: see pair_expect_held()
 */
struct pair {
	struct frame *frames;
	uint32_t frames_cap, frames_used, frames_free;
	struct gor *gors;
	uint32_t gors_cap, gors_used, gors_free;
	uint32_t *buckets;
	uint32_t nbuckets, ngors;
	uint32_t *processes;
	uint32_t oldest, newest;
	size_t limit;
	size_t open;
	uint64_t evicted;
	uint64_t losses;
	uint64_t losses_before;
	struct thrown *over;
	size_t thrown;
	uint64_t panics;
	bool held;
};

static uint32_t *buckets_new(uint32_t n)
{
	uint32_t *b = malloc(n * sizeof(*b));

	if (b)
		memset(b, 0xff, n * sizeof(*b));
	return b;
}

struct pair *pair_new(size_t limit)
{
	struct pair *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->nbuckets = 256;
	p->buckets = buckets_new(p->nbuckets);
	p->processes = buckets_new(PROCESSES);
	p->frames_free = NONE;
	p->gors_free = NONE;
	p->oldest = NONE;
	p->newest = NONE;
	p->limit = limit;
	if (p->buckets && p->processes)
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
}

void pair_free(struct pair *p)
{
	if (!p)
		return;
	settle(p);
	for (uint32_t i = p->oldest; i != NONE; i = p->gors[i].newer)
		thrown_free(p->gors[i].thrown);
	free(p->frames);
	free(p->gors);
	free(p->buckets);
	free(p->processes);
	free(p);
}

/* Goroutine ids do not get that large. */
#define KEY_SYSTEM (1ULL << 63)

/*
 * Depth is counted from the top of the stack that is in use. On a system stack
 * that is the thread's own, whichever goroutine (or none) it works for.
 */
static uint64_t key_of(const struct goprobe_record *h)
{
	return h->flags & GOPROBE_RECORD_F_SYSTEM ? h->tid | KEY_SYSTEM : h->goid;
}

static uint32_t *bucket_of(struct pair *p, uint32_t tgid, uint64_t key)
{
	uint64_t h = (key ^ (uint64_t)tgid << 32) * 0x9e3779b97f4a7c15ULL;

	return &p->buckets[(h >> 32) & (p->nbuckets - 1)];
}

static uint32_t gor_find(struct pair *p, const struct goprobe_record *h)
{
	uint64_t key = key_of(h);
	uint32_t i = *bucket_of(p, h->tgid, key);

	while (i != NONE && (p->gors[i].key != key || p->gors[i].tgid != h->tgid))
		i = p->gors[i].next;
	return i;
}

static void lru_unlink(struct pair *p, uint32_t i)
{
	struct gor *g = &p->gors[i];

	*(g->older != NONE ? &p->gors[g->older].newer : &p->oldest) = g->newer;
	*(g->newer != NONE ? &p->gors[g->newer].older : &p->newest) = g->older;
}

static void lru_append(struct pair *p, uint32_t i)
{
	struct gor *g = &p->gors[i];

	g->older = p->newest;
	g->newer = NONE;
	*(p->newest != NONE ? &p->gors[p->newest].newer : &p->oldest) = i;
	p->newest = i;
}

static uint32_t *process_of(struct pair *p, uint32_t tgid)
{
	return &p->processes[tgid % PROCESSES];
}

static void mates_unlink(struct pair *p, uint32_t i)
{
	struct gor *g = &p->gors[i];

	*(g->mate_before != NONE ? &p->gors[g->mate_before].mate :
	  process_of(p, g->tgid)) = g->mate;
	if (g->mate != NONE)
		p->gors[g->mate].mate_before = g->mate_before;
}

static void mates_add(struct pair *p, uint32_t i)
{
	struct gor *g = &p->gors[i];
	uint32_t *first = process_of(p, g->tgid);

	g->mate_before = NONE;
	g->mate = *first;
	if (g->mate != NONE)
		p->gors[g->mate].mate_before = i;
	*first = i;
}

static void rehash(struct pair *p)
{
	uint32_t n = p->nbuckets * 2;
	uint32_t *b = buckets_new(n);

	if (!b)
		return;		/* chains get longer, that is all */
	free(p->buckets);
	p->buckets = b;
	p->nbuckets = n;
	for (uint32_t i = p->oldest; i != NONE; i = p->gors[i].newer) {
		uint32_t *slot = bucket_of(p, p->gors[i].tgid, p->gors[i].key);

		p->gors[i].next = *slot;
		*slot = i;
	}
}

/* Grow a pool of @size byte objects to hold one more. */
static bool pool_grow(void *pool, uint32_t *cap, size_t size)
{
	void **v = pool;
	uint32_t n = *cap ? *cap * 2 : 256;
	void *bigger = realloc(*v, n * size);

	if (!bigger)
		return false;
	*v = bigger;
	*cap = n;
	return true;
}

static uint32_t gor_new(struct pair *p, const struct goprobe_record *h)
{
	uint32_t i = p->gors_free;

	if (i != NONE) {
		p->gors_free = p->gors[i].next;
	} else {
		if (p->gors_used == p->gors_cap &&
		    !pool_grow(&p->gors, &p->gors_cap, sizeof(*p->gors)))
			return NONE;
		i = p->gors_used++;
	}
	if (p->ngors >= p->nbuckets)
		rehash(p);

	uint64_t key = key_of(h);
	uint32_t *slot = bucket_of(p, h->tgid, key);

	p->gors[i] = (struct gor){ .key = key, .tgid = h->tgid, .top = NONE, .next = *slot };
	*slot = i;
	p->ngors++;
	lru_append(p, i);
	mates_add(p, i);
	return i;
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

/* Panics of goroutine @i at @depth and deeper are over, if they were raised before @time. */
static void thrown_end(struct pair *p, uint32_t i, uint64_t depth, uint64_t time)
{
	struct gor *g = &p->gors[i];

	while (g->thrown && g->thrown->depth >= depth && g->thrown->time <= time)
		thrown_pop(p, g);
}

static void gor_free(struct pair *p, uint32_t i)
{
	uint32_t *link = bucket_of(p, p->gors[i].tgid, p->gors[i].key);

	thrown_end(p, i, 0, UINT64_MAX);
	while (*link != i)
		link = &p->gors[*link].next;
	*link = p->gors[i].next;
	lru_unlink(p, i);
	mates_unlink(p, i);
	p->gors[i].next = p->gors_free;
	p->gors_free = i;
	p->ngors--;
}

static void frame_free(struct pair *p, uint32_t f)
{
	p->frames[f].below = p->frames_free;
	p->frames_free = f;
	p->open--;
}

/* The panic that ends the call, if it does not return: one that was raised in it. */
static const struct thrown *cause(const struct gor *g, const struct frame *f)
{
	const struct thrown *t = g->thrown;

	return t && t->depth >= f->depth && t->time >= f->time ? t : NULL;
}

/* A goroutine without calls is kept as long as it panics: calls that were held may follow. */
static void gor_release(struct pair *p, uint32_t i)
{
	if (p->gors[i].top == NONE && !p->gors[i].thrown)
		gor_free(p, i);
}

/* Take the deepest open call of goroutine @i away; the goroutine with the last. */
static void pop(struct pair *p, uint32_t i, struct pair_call *ret)
{
	struct gor *g = &p->gors[i];
	uint32_t f = g->top;
	const struct frame *frame = &p->frames[f];
	const struct thrown *t = cause(g, frame);

	*ret = (struct pair_call){
		.id = frame->id,
		.tgid = g->tgid,
		.tid = frame->tid,
		.goid = frame->goid,
		.depth = frame->depth,
		.time = frame->time,
		.dict = frame->dict,
		.system = g->key & KEY_SYSTEM,
		.doubtful = frame->losses != p->losses,
		.end = t ? PAIR_PANIC : PAIR_UNWOUND,
		.panic = t ? t->text : NULL,
		.panic_id = t ? t->id : 0,
	};
	g->top = frame->below;
	frame_free(p, f);
	gor_release(p, i);
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
	uint32_t i = gor_find(p, h);

	settle(p);
	if (i == NONE)
		return false;
	if (p->gors[i].top != NONE && is_over(&p->frames[p->gors[i].top], h)) {
		pop(p, i, ret);
		return true;
	}
	thrown_end(p, i, h->depth, h->time);
	gor_release(p, i);
	return false;
}

/* Forget the calls of the goroutine that was not heard of for longest. */
static void evict(struct pair *p)
{
	uint32_t i = p->oldest;
	struct pair_call forgotten;

	thrown_end(p, i, 0, UINT64_MAX);
	for (bool last = p->gors[i].top == NONE; !last; p->evicted++) {
		last = p->frames[p->gors[i].top].below == NONE;
		pop(p, i, &forgotten);
	}
	if (p->oldest == i)
		gor_release(p, i);
}

bool pair_enter(struct pair *p, const struct goprobe_record *h)
{
	uint32_t i = gor_find(p, h);

	if (i != NONE && i != p->newest) {
		lru_unlink(p, i);
		lru_append(p, i);
	}
	if (p->open + p->thrown >= p->limit && p->ngors) {
		/* Its own calls go too, if there are no others. */
		if (i == p->oldest)
			i = NONE;
		evict(p);
	}

	uint32_t f = p->frames_free;

	if (f == NONE && p->frames_used == p->frames_cap &&
	    !pool_grow(&p->frames, &p->frames_cap, sizeof(*p->frames)))
		return false;
	if (i == NONE)
		i = gor_new(p, h);
	if (i == NONE)
		return false;
	if (f != NONE)
		p->frames_free = p->frames[f].below;
	else
		f = p->frames_used++;
	p->frames[f] = (struct frame){
		.time = h->time,
		.depth = h->depth,
		.goid = h->goid,
		.losses = p->losses_before,
		.id = h->id,
		.tid = h->tid,
		.below = p->gors[i].top,
	};
	p->gors[i].top = f;
	p->open++;
	return true;
}

void pair_panic(struct pair *p, const struct goprobe_record *h, char *text)
{
	uint32_t i = gor_find(p, h);
	struct thrown *t;

	settle(p);
	if (i == NONE && p->held)
		i = gor_new(p, h);
	t = i != NONE ? malloc(sizeof(*t)) : NULL;
	if (!t) {
		if (i != NONE)
			gor_release(p, i);
		free(text);
		return;
	}

	struct gor *g = &p->gors[i];

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
		  enum pair_end end, struct pair_call *ret)
{
	uint32_t i = gor_find(p, h);

	settle(p);
	if (i == NONE)
		return false;
	if (p->gors[i].top == NONE || p->frames[p->gors[i].top].depth <= depth) {
		thrown_end(p, i, depth + 1, UINT64_MAX);
		gor_release(p, i);
		return false;
	}
	pop(p, i, ret);
	ret->end = end;
	if (end != PAIR_PANIC)
		ret->panic = NULL;
	return true;
}

void pair_expect_held(struct pair *p)
{
	p->held = true;
}

void pair_note(struct pair *p, uint64_t dict)
{
	p->frames[p->gors[p->newest].top].dict = dict;
}

bool pair_leave(struct pair *p, const struct goprobe_record *h, struct pair_call *ret)
{
	uint32_t i = gor_find(p, h);

	if (i == NONE || p->gors[i].top == NONE)
		return false;

	const struct frame *top = &p->frames[p->gors[i].top];

	if (top->depth != h->depth || top->id != h->id)
		return false;
	pop(p, i, ret);
	return true;
}

/* Goroutine @i was another program's. */
static void drop(struct pair *p, uint32_t i, pair_gone_fn gone, void *ctx)
{
	struct pair_call c;

	thrown_end(p, i, 0, UINT64_MAX);
	if (p->gors[i].top == NONE) {
		gor_free(p, i);
		return;
	}
	/* It leaves with its last call. */
	for (bool last = false; !last; gone(ctx, &c)) {
		last = p->frames[p->gors[i].top].below == NONE;
		pop(p, i, &c);
	}
}

void pair_begin(struct pair *p, uint32_t tgid, pair_gone_fn gone, void *ctx)
{
	settle(p);
	for (uint32_t i = *process_of(p, tgid), next; i != NONE; i = next) {
		next = p->gors[i].mate;
		if (p->gors[i].tgid == tgid)
			drop(p, i, gone, ctx);
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
