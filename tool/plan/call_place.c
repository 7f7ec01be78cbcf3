// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions that each call of an inlined function executes once.
 *
 * The first instruction of an inlined body need not be one: it may be in a loop of that body, or
 * have been moved to another place. What a compiler does not move is a call, a write to memory, and
 * a conditional jump of the body. If one of these comes before all others of the body, and no path
 * leads back to it within the body, each call executes it once. The other is the NOP that Go's
 * compiler leaves as the mark of the call, where no instruction of the call's line can be that
 * (cmd/compile/internal/ssagen/ssa.go, OpInlMark). Go 1.26 and newer execute calls that only
 * compute before the branch that decides about them, mark included (ssa/branchelim.go); so
 * their mark counts only if the body has what must not be executed in vain, and their
 * conditional jump only if it depends on memory.
 */
#include <stdlib.h>
#include <string.h>

#include "gobin/function_code.h"
#include "plan/call_place.h"

#define NOP 0x90
/* Instructions of a body that are tried, and levels of inlining. */
#define TRIES_MAX 16
#define LEVELS_MAX 256
/* The first release that moves marks. */
#define MOVES_MARKS 26

void call_place_fini(struct call_place *c)
{
	flow_fini(&c->flow);
	gobin_inlining_fini(&c->inlining);
	free(c->own);
	free(c->closed);
	free(c->reached);
	free(c->stack);
	memset(c, 0, sizeof(*c));
}

/* 0; -1: without memory, or the function is not understood. */
static int load(struct call_place *c, struct gobin *bin, const struct gofunc *fn)
{
	struct insn_code code;
	size_t n;

	if (c->bin == bin && c->fn == fn)
		return c->stack ? 0 : -1;
	call_place_fini(c);
	c->bin = bin;
	c->fn = fn;
	code = function_code_of(bin, fn);
	if (!code.bytes || flow_init(&c->flow, &code) ||
	    gobin_inlining(bin, fn, &c->inlining) || !c->inlining.n)
		return -1;
	n = c->flow.n;
	c->own = calloc(n, 1);
	c->closed = calloc(n, 1);
	c->reached = calloc(n, 1);
	c->stack = c->own && c->closed && c->reached ? calloc(n, sizeof(*c->stack)) : NULL;
	return c->stack ? 0 : -1;
}

/* Is entry @in @index, or inlined in it? */
static bool is_within(const struct gobin_inlining *v, int32_t in, int32_t index)
{
	for (int deep = 0; in >= 0 && deep < LEVELS_MAX; deep++) {
		if (in == index)
			return true;
		in = v->parent[in];
	}
	return false;
}

static void mark_own(struct call_place *c, int32_t index)
{
	for (size_t i = 0; i < c->flow.n; i++)
		c->own[i] = is_within(&c->inlining, c->inlining.of[c->flow.v[i].at], index);
}

static bool is_fixed(const struct flow_insn *insn)
{
	return insn->effect || insn->branch || insn->anywhere;
}

/* The first instruction of the piece of code that @i is in, which nothing enters or leaves. */
static size_t begin_of(const struct flow *f, size_t i)
{
	while (i && !f->v[i].target_of && f->v[i - 1].falls && !f->v[i - 1].branch)
		i--;
	return i;
}

static bool is_same_piece(const struct flow *f, size_t a, size_t b)
{
	return a == b || (!f->tables && begin_of(f, a) == begin_of(f, b));
}

/* Does the conditional jump @i depend on memory that the body reads just before? */
static bool depends_on_memory(const struct call_place *c, size_t i)
{
	for (size_t k = begin_of(&c->flow, i); k < i; k++)
		if (c->own[k] && c->flow.v[k].load)
			return true;
	return false;
}

/* Is each other fixed instruction of the body behind @i only? */
static bool is_before_all(struct call_place *c, size_t i)
{
	const struct flow *f = &c->flow;

	memset(c->closed, 0, f->n);
	c->closed[i] = 1;
	flow_reach(f, SIZE_MAX, c->closed, c->reached, c->stack);
	for (size_t k = 0; k < f->n; k++)
		if (k != i && c->own[k] && is_fixed(&f->v[k]) && c->reached[k])
			return false;
	return true;
}

/* Can @i be executed once more without anything else's branch, call or write between? */
static bool is_repeated(struct call_place *c, size_t i)
{
	const struct flow *f = &c->flow;

	for (size_t k = 0; k < f->n; k++)
		c->closed[k] = !c->own[k] && is_fixed(&f->v[k]);
	flow_reach(f, i, c->closed, c->reached, c->stack);
	return c->reached[i];
}

/* The fixed instruction that a call begins with; c->flow.n if no instruction is sure. */
static size_t find_fixed(struct call_place *c)
{
	const struct flow *f = &c->flow;
	bool moves = gobin_go_minor(c->bin) >= MOVES_MARKS;
	int tries = 0;

	for (size_t i = 0; i < f->n && tries < TRIES_MAX; i++) {
		if (!c->own[i] || !is_fixed(&f->v[i]) || f->v[i].anywhere)
			continue;
		tries++;
		if (f->v[i].branch && moves && (f->v[i].fused || !depends_on_memory(c, i)))
			continue;
		if (is_before_all(c, i) && !is_repeated(c, i))
			return i;
	}
	return f->n;
}

/* The NOP that marks the call; c->flow.n without one, or if the call may pass it by. */
static size_t find_mark(struct call_place *c, const struct gobin_site *site)
{
	const uint8_t *code = gobin_code(c->bin, site->mark, 1);
	size_t i = code && *code == NOP ? flow_find(&c->flow, site->mark - c->fn->entry) :
					  c->flow.n;

	if (i == c->flow.n || gobin_go_minor(c->bin) < MOVES_MARKS)
		return i;
	for (size_t k = 0; k < c->flow.n; k++)
		if (c->own[k] && (is_fixed(&c->flow.v[k]) || c->flow.v[k].load))
			return i;
	return c->flow.n;
}

/* "norm" of "main.(*point).norm" and of its method value, "main.point.norm-fm" */
static const char *method_of(const char *name, size_t *len)
{
	const char *dot = strrchr(name, '.');
	size_t n = dot ? strlen(dot) : 0;

	*len = n > 3 && !strcmp(dot + n - 3, "-fm") ? n - 3 : n;
	return dot;
}

bool callplace_is_wrapper(const struct gobin_site *site)
{
	size_t n, m;
	const char *of = method_of(site->func, &n), *by = method_of(site->fn->name, &m);

	return site->fn->flags & GOFUNC_WRAPPER && !strcmp(site->caller, site->fn->name) &&
	       n && n == m && !strncmp(of, by, n);
}

/* Behind the prologue of a wrapper; 0 if something jumps back there. */
static uint64_t begin_wrapper(const struct call_place *c)
{
	uint64_t vaddr = gobin_own_code(c->bin, c->fn);
	size_t i = flow_find(&c->flow, vaddr - c->fn->entry);

	return i < c->flow.n && i && !c->flow.v[i].target_of && !c->flow.tables ? vaddr : 0;
}

uint64_t call_place_find(struct call_place *c, struct gobin *bin, const struct gobin_site *site,
			 bool *first)
{
	const struct flow *f = &c->flow;
	size_t at, i;

	*first = false;
	if (load(c, bin, site->fn) || (size_t)site->index >= c->inlining.n)
		return 0;
	mark_own(c, site->index);
	i = find_mark(c, site);
	if (i == f->n)
		i = find_fixed(c);
	if (i == f->n)
		return callplace_is_wrapper(site) ? begin_wrapper(c) : 0;
	at = flow_find(f, site->vaddr - site->fn->entry);
	*first = at < f->n && is_same_piece(f, at, i);
	return site->fn->entry + f->v[i].at;
}
