// SPDX-License-Identifier: GPL-2.0
/* Calls that were open before anything was traced. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "trace/existing_calls.h"

/* Functions of a stack that are looked at. */
#define FRAMES 4096U
/* The module reports at most this many open calls of a goroutine. */
#define KNOWN_MAX 4096U
/* Processes of which the memory is held: each is a descriptor. */
#define HELD_MAX 256U

/* A Go runtime of a process. */
struct existing_calls_process {
	struct goroutine_reader reader;	/* its goroutines */
	uint32_t file;		/* of the plan: whose runtime it is */
	bool no_clock;		/* its CLOCK_MONOTONIC is not ours */
	int held;		/* see procmem_hold() */
	bool exited;		/* it has exited, or executed another program */
};

/* Functions of the plan at a place. */
struct wanted {
	size_t n;			/* their number */
	const struct plan_func **v;	/* functions */
	bool *inlined;			/* and of each: is it a part of another one? */
};

/* A call that was found on a stack, and is not one that the module knows. */
struct call {
	struct call *next;
	uint32_t id;
	uint32_t depth;
	bool inlined;
	bool known;
};

/* A goroutine that may have calls that were made before. */
struct suspect {
	uint32_t process;	/* index of its process */
	uint64_t g;		/* address of its runtime.g */
	uint64_t goid;		/* its id */
	struct goroutine first;	/* as it was when it was looked at for the first time */
	uint64_t first_time;	/* when that was */
	bool rested;		/* it has not run since */
	uint32_t looks;		/* how often it was looked at */
	uint64_t hash;		/* of the calls that it had when it rested last, or 0 */
	bool reported;		/* all that it has have been reported */
	bool unknown;		/* what it has could not be reported */
	bool over;		/* it has none, and will never have any */
	struct goroutine now;	/* as the last look found it, if it has @looked */
	bool looked;		/* its stack has been read in this look */
	enum stack_end end;	/* how far */
	struct call *calls;	/* those on it */
	uint32_t nknown;	/* open calls of it that the module has reported of */
	struct suspect *same;	/* another one with the same id, in another process */
};

/* --- what is looked for ---------------------------------------------- */

static uint64_t entry_key(uint32_t file, uint64_t entry)
{
	return hmap_hash(file, &entry, sizeof(entry));
}

static uint64_t name_key(uint32_t file, const char *name)
{
	return hmap_hash(file, name, strlen(name));
}

static int add_function(struct existing_calls *b, struct plan_func *pf)
{
	uint32_t file = 0;

	if (pf->hidden || pf->around || pf->refused || pf->call_filter)
		return 0;
	while (b->plan->files[file].bin != pf->bin)
		file++;
	return hmap_put(&b->functions, entry_key(file, pf->fn->entry), pf) ||
	       hmap_put(&b->names, name_key(file, pf->fn->name), pf) ? -1 : 0;
}

int existing_calls_init(struct existing_calls *b, const struct plan *plan, struct symbols *files,
			uint64_t started, struct diag *d)
{
	*b = (struct existing_calls){ .plan = plan, .files = files, .started = started };
	for (size_t i = 0; i < plan->nfuncs; i++)
		if (add_function(b, plan->funcs[i]))
			return diag_set(d, "out of memory");
	return 0;
}

static void let_go(struct existing_calls_process *p)
{
	if (p->held >= 0)
		close(p->held);
	p->held = -1;
}

/* What is read of it now is not of the program that was looked for. */
static bool has_exited(struct existing_calls_process *p)
{
	if (!p->exited)
		p->exited = p->held >= 0 ? procmem_exited(p->held) :
			  kill(p->reader.m.pid, 0) && errno == ESRCH;
	if (p->exited)
		let_go(p);
	return p->exited;
}

void existing_calls_fini(struct existing_calls *b)
{
	hmap_fini(&b->functions);
	hmap_fini(&b->names);
	hmap_fini(&b->wanted);
	hmap_fini(&b->by_goid);
	arena_fini(&b->mem);
	arena_fini(&b->look_mem);
	for (size_t i = 0; i < b->nprocesses; i++)
		let_go(&b->processes[i]);
	free(b->processes);
	free(b->v);
	memset(b, 0, sizeof(*b));
}

static void want(struct wanted *w, const struct plan_func *pf, bool inlined)
{
	if (!pf)
		return;
	w->v[w->n] = pf;
	w->inlined[w->n++] = inlined;
}

/* What is wanted of @place, which is in @file; NULL without memory. */
static const struct wanted *wanted_at(struct existing_calls *b, uint32_t file,
				      const struct symbol *place)
{
	struct wanted *w = hmap_get(&b->wanted, (uintptr_t)place);

	if (w)
		return w;
	w = arena_alloc(&b->mem, sizeof(*w));
	if (w) {
		w->v = arena_array(&b->mem, place->n + 1, sizeof(struct plan_func *));
		w->inlined = arena_array(&b->mem, place->n + 1, sizeof(*w->inlined));
	}
	if (!w || !w->v || !w->inlined || hmap_put(&b->wanted, (uintptr_t)place, w)) {
		b->failed = true;
		return NULL;
	}
	for (size_t i = 0; i < place->n; i++) {
		const struct gobin_frame *f = &place->frames[i];

		if (f->inlined && f->func)
			want(w, hmap_get(&b->names, name_key(file, f->func)), true);
	}
	want(w, hmap_get(&b->functions, entry_key(file, place->entry)), false);
	return w;
}

/* --- where ------------------------------------------------------------ */

static int add_suspects(struct existing_calls *b, uint32_t process, const uint64_t *g, size_t n)
{
	const struct goroutine_reader *r = &b->processes[process].reader;
	struct suspect *v;

	if (!n)
		return 0;
	v = reallocarray(b->v, b->n + n, sizeof(*v));
	if (!v)
		return -1;
	b->v = v;
	for (size_t i = 0; i < n; i++) {
		struct goroutine gr;

		if (!goroutine_read(r, g[i], &gr) || gr.status == GOROUTINE_DEAD ||
		    gr.status == GOROUTINE_DEAD_EXTRA)
			continue;
		b->v[b->n++] = (struct suspect){
			.process = process, .g = g[i], .goid = gr.goid, .unknown = true,
		};
	}
	return 0;
}

/* The goroutines of the runtime of @p->file; takes @p->held. 0, or -1 with @d set. */
static int add_runtime(struct existing_calls *b, struct existing_calls_process *p, struct diag *d)
{
	struct existing_calls_process *v;
	uint64_t *g;
	size_t n;
	int err;

	if (goroutine_reader_find_turns(&p->reader, d) || goroutine_all(&p->reader, &g, &n, d))
		return -1;
	p->no_clock = !procmem_same_clock(&p->reader.m);
	v = reallocarray(b->processes, b->nprocesses + 1, sizeof(*v));
	err = !v;
	if (v) {
		b->processes = v;
		b->processes[b->nprocesses++] = *p;
		p->held = -1;
		err = add_suspects(b, (uint32_t)b->nprocesses - 1, g, n);
	}
	free(g);
	return err ? diag_set(d, "out of memory") : 0;
}

/* A process may have several: each Go library of a C program has its own. */
int existing_calls_add(struct existing_calls *b, pid_t pid, struct diag *d)
{
	struct diag absent = { 0 };
	bool found = false;

	/* Nothing to look for: it has a condition. */
	if (!b->functions.n)
		return 0;
	for (uint32_t i = 0; i < b->plan->nfiles; i++) {
		struct existing_calls_process p = { .file = i, .held = -1 };

		if (b->nprocesses < HELD_MAX)
			p.held = procmem_hold(pid);
		diag_fini(&absent);
		if (!goroutine_reader_init(&p.reader, pid, b->plan->files[i].bin, &absent)) {
			found = true;
			add_runtime(b, &p, d);
		}
		let_go(&p);
	}
	if (found)
		diag_fini(&absent);
	else
		*d = absent;
	return d->message || !found ? -1 : 0;
}

/* --- a look ----------------------------------------------------------- */

static void add_call(struct existing_calls *b, struct suspect *s, const struct plan_func *pf,
		     uint64_t depth, bool inlined)
{
	struct call *c = arena_alloc(&b->look_mem, sizeof(*c));

	if (!c) {
		b->failed = true;
		return;
	}
	*c = (struct call){
		.next = s->calls, .id = pf->id, .depth = (uint32_t)(depth / 8), .inlined = inlined,
	};
	s->calls = c;
}

static void read_stack(struct existing_calls *b, struct suspect *s, struct stack_frame *frames)
{
	const struct existing_calls_process *p = &b->processes[s->process];
	unsigned int how = SYMBOL_WRAPPERS | SYMBOL_RETURN;
	size_t n;

	s->end = goroutine_walk(&p->reader, &s->now, frames, FRAMES, &n);
	for (size_t i = 0; i < n; i++) {
		const struct symbol *place = symbols_at(&b->files[p->file], frames[i].pc, how);
		const struct wanted *w = place ? wanted_at(b, p->file, place) : NULL;

		if (!w) {
			b->failed = true;
			return;
		}
		how = place->caller;
		/* A call that has just begun may not have reached its breakpoint. */
		for (size_t k = 0; frames[i].begun && k < w->n; k++)
			add_call(b, s, w->v[k], frames[i].depth, w->inlined[k]);
	}
}

/* By the goroutine's id: the module's ids of processes may be others than ours. */
static void file_calls(struct existing_calls *b, struct suspect *s)
{
	s->same = hmap_get(&b->by_goid, s->goid);
	b->failed |= hmap_put(&b->by_goid, s->goid, s) < 0;
}

static void look_at(struct existing_calls *b, struct suspect *s, struct stack_frame *frames)
{
	const struct goroutine_reader *r = &b->processes[s->process].reader;

	s->unknown = true;
	if (!goroutine_read(r, s->g, &s->now))
		return;
	if (s->now.goid != s->goid || s->now.status == GOROUTINE_DEAD ||
	    s->now.status == GOROUTINE_DEAD_EXTRA) {
		s->over = true;
		return;
	}
	if (!goroutine_rests(&s->now))
		return;
	goroutine_find_thread(r, &s->now);
	if (!s->looks) {
		s->first = s->now;
		s->first_time = clock_now(CLOCK_MONOTONIC);
		s->rested = true;
	}
	read_stack(b, s, frames);
	s->looked = true;
	if (s->calls)
		file_calls(b, s);
}

static bool is_late(const struct existing_calls *b)
{
	return b->until && clock_now(CLOCK_MONOTONIC) >= b->until;
}

void existing_calls_look(struct existing_calls *b, bool all)
{
	struct stack_frame *frames = b->n ? malloc(FRAMES * sizeof(*frames)) : NULL;

	hmap_fini(&b->by_goid);
	arena_fini(&b->look_mem);
	b->failed |= b->n && !frames;
	for (size_t i = 0; frames && i < b->n; i++) {
		struct suspect *s = &b->v[i];

		s->looked = false;
		s->calls = NULL;
		s->nknown = 0;
		if (s->reported && !all)
			continue;
		/* It leaves when the look is over. */
		if (b->processes[s->process].exited)
			continue;
		if (is_late(b)) {
			s->unknown = true;
			continue;
		}
		look_at(b, s, frames);
		s->looks++;
	}
	free(frames);
}

void existing_calls_known(struct existing_calls *b, const struct goprobe_open_call *o)
{
	for (struct suspect *s = hmap_get(&b->by_goid, o->goid); s; s = s->same) {
		s->nknown++;
		for (struct call *c = s->calls; c; c = c->next)
			c->known |= c->id == o->id && c->depth == o->depth;
	}
}

/* Leave out what the module knows, and what may have been called since. */
static void leave_out(struct suspect *s)
{
	struct call **at = &s->calls;

	while (*at) {
		if ((*at)->known || ((*at)->inlined && !s->rested))
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
}

static uint64_t hash_calls(const struct suspect *s)
{
	uint64_t h = 1;

	for (const struct call *c = s->calls; c; c = c->next) {
		const uint32_t what[] = { c->id, c->depth };

		h = hmap_hash(h, what, sizeof(what));
	}
	return h;
}

/* Since when its calls have been open, at least. Nobody calls while it waits. */
static uint64_t since(const struct existing_calls *b, const struct suspect *s, bool inlined)
{
	uint64_t since = inlined ? s->first_time : b->started;

	if (s->now.since && s->now.since < since && !b->processes[s->process].no_clock &&
	    (s->now.status == GOROUTINE_WAITING || s->now.status == GOROUTINE_SYSCALL))
		since = s->now.since;
	return since;
}

static int report(struct existing_calls *b, struct suspect *s, const struct goroutine_state *state,
		  uint64_t now, uint64_t enough, existing_calls_fn fn, void *ctx)
{
	const struct existing_calls_process *p = &b->processes[s->process];
	bool all = true, reported = s->reported;
	int ret = 0;

	for (const struct call *c = s->calls; c && !ret; c = c->next) {
		uint64_t from = since(b, s, c->inlined);
		const struct existing_calls_call call = {
			.id = c->id, .file = p->file, .pid = p->reader.m.pid, .goid = s->goid,
			.depth = c->depth, .since = from, .age = now > from ? now - from : 0,
			.reported = reported, .state = state,
		};

		all &= call.age >= enough;
		ret = fn(ctx, &call);
	}
	s->reported = all;
	return ret;
}

static int settle(struct existing_calls *b, struct suspect *s, uint64_t enough,
		  existing_calls_fn fn, void *ctx)
{
	struct goroutine_reader *r = &b->processes[s->process].reader;
	uint64_t now = clock_now(CLOCK_MONOTONIC), hash;
	struct goroutine_state state = { 0 };
	struct goroutine again;
	bool confirmed;

	s->rested &= goroutine_rested(r, &s->first, &s->now);
	leave_out(s);
	/* Only if it will be reported. */
	if (s->calls && !s->reported)
		goroutine_state_of(r, &s->now, &state);
	if (!goroutine_read(r, s->g, &again) || has_exited(&b->processes[s->process]))
		return 0;
	goroutine_find_thread(r, &again);
	if (!goroutine_rested(r, &s->now, &again)) {
		s->rested = false;
		return 0;
	}
	if (s->nknown >= KNOWN_MAX)
		return 0;
	s->unknown = s->end != STACK_WHOLE;
	if (!s->calls) {
		s->over = !s->unknown;
		return 0;
	}
	/*
	 * That a goroutine has not run is reported by a number that wraps around: of what is
	 * always at work it may be wrong, but hardly twice.
	 */
	hash = hash_calls(s);
	confirmed = hash == s->hash || s->reported;
	s->hash = hash;
	s->unknown |= !confirmed;
	return confirmed ? report(b, s, &state, now, enough, fn, ctx) : 0;
}

void existing_calls_settle(struct existing_calls *b, uint64_t enough, existing_calls_fn fn,
			   void *ctx)
{
	size_t left = 0;
	int ret = 0;

	for (size_t i = 0; i < b->n && !b->failed; i++) {
		struct suspect *s = &b->v[i];

		if (!s->looked || ret)
			continue;
		if (is_late(b))
			s->unknown = true;
		else
			ret = settle(b, s, enough, fn, ctx);
	}
	hmap_fini(&b->by_goid);
	for (size_t i = 0; i < b->nprocesses; i++)
		has_exited(&b->processes[i]);
	for (size_t i = 0; i < b->n; i++)
		if (!b->v[i].over && !b->processes[b->v[i].process].exited)
			b->v[left++] = b->v[i];
	b->n = left;
}

size_t existing_calls_unknown(const struct existing_calls *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->v[i].unknown;
	return n;
}
