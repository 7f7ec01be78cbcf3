// SPDX-License-Identifier: GPL-2.0
/* The conditions of a plan. One that many functions have is made once. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/suggest.h"
#include "compile/group_by.h"
#include "compile/operand.h"
#include "gobin/runtime_layout.h"
#include "plan/filter.h"
#include "plan/limit.h"

/* A filter, found by a hash of what is in it. */
struct known {
	uint32_t id;
	struct known *next;
};

void plan_filter_fini(struct plan_filter *f)
{
	hmap_fini(&f->known);
}

/* --- functions that calls are inside of ---------------------------------------- */

static const struct gofunc *find(struct gobin *bin, const char *name, struct suggest *near)
{
	size_t n;
	const struct gofunc *v = gobin_funcs(bin, &n), *wrapper = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!v[i].entry)
			continue;
		suggest_offer(near, v[i].name);
		if (strcmp(v[i].name, name) != 0)
			continue;
		if (!(v[i].flags & GOFUNC_WRAPPER))
			return &v[i];
		wrapper = &v[i];
	}
	return wrapper;
}

static int not_there(struct gobin *bin, const struct filter *from, const struct expr *e,
		     const struct suggest *near, struct diag *d)
{
	diag_set(d, "no function of %s is called '%s'", gobin_path(bin), e->s);
	diag_span(d, from->text, e->at, e->len);
	suggest_set_hint(near, d);
	return -1;
}

static struct plan_filter_under *under(struct plan_filter *f, struct gobin *bin,
				       const struct filter *from, const struct expr *e,
				       struct diag *d)
{
	struct plan_filter_under *u;
	struct suggest near;

	for (u = f->unders; u; u = u->next)
		if (u->bin == bin && strcmp(u->fn->name, e->s) == 0)
			return u;
	u = arena_alloc(f->mem, sizeof(*u));
	if (!u) {
		diag_set(d, "out of memory");
		return NULL;
	}
	suggest_init(&near, e->s);
	*u = (struct plan_filter_under){
		.bin = bin, .fn = find(bin, e->s, &near), .text = from->text, .e = e,
		.next = f->unders,
	};
	if (!u->fn) {
		not_there(bin, from, e, &near, d);
		return NULL;
	}
	f->unders = u;
	return u;
}

void plan_filter_settle(struct plan_filter *f, const struct plan_filter_under *u, uint32_t id)
{
	struct plan *p = f->plan;

	for (size_t i = 0; i < p->nfilter_ops; i++)
		if (p->filter_ops[i].code == GOPROBE_OP_UNDER &&
		    p->filter_ops[i].value == (uintptr_t)u)
			p->filter_ops[i].value = id;
}

/* --- filters ---------------------------------------------------------------------- */

static bool same(const struct plan *p, uint32_t id, const struct goprobe_op *ops, size_t nops)
{
	const struct goprobe_filter *w = &p->filters[id - 1];

	return w->nops == nops && !memcmp(p->filter_ops + w->op, ops, nops * sizeof(*ops));
}

/* The filter of the operations from @first on, which it takes. */
static int intern(struct plan_filter *f, size_t first, bool alone, uint32_t *id)
{
	struct plan *p = f->plan;
	const struct goprobe_op *ops = p->filter_ops + first;
	size_t nops = p->nfilter_ops - first;
	uint64_t key = hmap_hash(0, ops, nops * sizeof(*ops));
	struct known *head = hmap_get(&f->known, key), *k;

	for (k = alone ? NULL : head; k; k = k->next) {
		if (!same(p, k->id, ops, nops))
			continue;
		p->nfilter_ops = first;
		*id = k->id;
		return 0;
	}
	if (grow(&p->filters, p->nfilters + 1, &f->filters_cap, sizeof(*p->filters)))
		return -1;
	p->filters[p->nfilters++] = (struct goprobe_filter){
		.op = (uint32_t)first, .nops = (uint32_t)nops,
	};
	*id = (uint32_t)p->nfilters;
	if (alone)
		return 0;
	k = arena_alloc(f->mem, sizeof(*k));
	if (!k)
		return -1;
	*k = (struct known){ .id = *id, .next = head };
	return hmap_put(&f->known, key, k);
}

static int append(struct plan_filter *f, const struct goprobe_op *ops, size_t nops)
{
	struct plan *p = f->plan;

	if (grow(&p->filter_ops, p->nfilter_ops + nops, &f->ops_cap, sizeof(*p->filter_ops)))
		return -1;
	memcpy(p->filter_ops + p->nfilter_ops, ops, nops * sizeof(*ops));
	p->nfilter_ops += nops;
	for (size_t i = 0; i < nops; i++)
		p->searches |= ops[i].code == GOPROBE_OP_MATCH || ops[i].code == GOPROBE_OP_FIND;
	return 0;
}

static int too_long(struct plan_filter *f, size_t first, struct diag *d)
{
	f->plan->nfilter_ops = first;
	return diag_set(d, "the condition, and the key or the limits, together take more steps than the module does");
}

/*
 * The id of a filter of functions of @bin, which is made unless there is one that is the
 * same; 0 if @from lets all pass, and there is no more. 0, or -1 with @d set.
 */
static int add(struct plan_filter *f, struct gobin *bin, const struct filter *from,
	       const struct plan_filter_more *more, uint32_t *id, struct diag *d)
{
	struct plan *p = f->plan;
	size_t first = p->nfilter_ops;

	*id = 0;
	if (!from->nops && !more->nops && !more->nmore)
		return 0;
	/* What passes goes on to the end, and so to what is more. */
	if ((from->nops && append(f, from->ops, from->nops)) ||
	    (more->nops && append(f, more->ops, more->nops)) ||
	    (more->nmore && append(f, more->more, more->nmore)))
		return diag_set(d, "out of memory");
	if (p->nfilter_ops - first > OPERAND_OPS_MAX)
		return too_long(f, first, d);
	for (size_t i = 0; i < from->nunders; i++) {
		struct plan_filter_under *u = under(f, bin, from, from->unders[i].e, d);

		if (!u) {
			p->nfilter_ops = first;
			return -1;
		}
		p->filter_ops[first + from->unders[i].op].value = (uintptr_t)u;
	}
	return intern(f, first, from->numbers || more->counts, id) ? diag_set(d, "out of memory") :
								      0;
}

int plan_filter_ops(struct plan_filter *f, const struct goprobe_op *ops, size_t nops, uint32_t *id)
{
	size_t first = f->plan->nfilter_ops;

	return append(f, ops, nops) || intern(f, first, false, id) ? -1 : 0;
}

static int add_one(struct plan_filter *f, struct goprobe_op op, uint32_t *id)
{
	return plan_filter_ops(f, &op, 1, id);
}

/* The id of the filter that is always undecided. -1 without memory. */
static int add_undecided(struct plan_filter *f, uint32_t *id)
{
	return add_one(f, (struct goprobe_op){ .code = GOPROBE_OP_FAIL,
					       .value = GOPROBE_CHUNK_FAULT }, id);
}

int plan_filter_add_edit(struct plan_filter *f, const struct goprobe_op *ops, size_t nops,
			 uint32_t *id)
{
	size_t first = f->plan->nfilter_ops;

	*id = 0;
	return nops && (append(f, ops, nops) || intern(f, first, false, id)) ? -1 : 0;
}

/* Calls are held; what they were is not wanted any more when they return. */
static int decide_stuck(struct plan_filter *f, struct plan_func *pf,
			const struct filter_pair *filter, struct diag *d)
{
	static const struct goprobe_op never = { .code = GOPROBE_OP_REJECT };

	if (filter->returns) {
		diag_set(d, "this condition is decided when %s returns, and only calls that have not returned are of interest",
			 pf->fn->name);
		return -1;
	}
	pf->held = true;
	pf->paired = true;
	if (add_one(f, never, &pf->ret_filter))
		return diag_set(d, "out of memory");
	pf->tail_filter = pf->ret_filter;
	return 0;
}

/* --- what points do ----------------------------------------------------------------- */

/*
 * Calls are counted where they are made, or where they return, if that is all that matters;
 * otherwise the number of durations is the count.
 */
static void decide_count(struct plan_func *pf, const struct filter_pair *filter)
{
	bool call = filter->call.nops || (pf->key && pf->key->params);
	bool ret = filter->returns ||
		   (pf->key && (pf->key->results || pf->key->value.results));

	pf->ends = ret;
	if (!ret)
		return;
	if (!call && !filter->ret.duration) {
		pf->only_ends = true;
		return;
	}
	pf->action = GOPROBE_ACTION_TIME;
	pf->count_ends = true;
}

static int decide_record(const struct plan_filter *f, struct plan_func *pf,
			 const struct filter_pair *filter, bool no_return, struct diag *d)
{
	if (filter->returns && no_return) {
		diag_set(d, "this condition is decided when %s returns, and --no-return leaves that out",
			 pf->fn->name);
		return -1;
	}
	if (filter->returns && f->plan->o->limits.by == PLAN_SAMPLE_ROOT &&
	    plan_limit_any(&f->plan->o->limits)) {
		diag_set(d, "the condition of %s is decided when it returns, and whether a tree of calls is shown when it begins",
			 pf->fn->name);
		diag_hint(d, "--sample-by call, or leave out what is about results and the duration");
		return -1;
	}
	pf->held = filter->returns;
	pf->unwound = filter->unwound;
	f->plan->unwinds |= pf->unwound;
	pf->paired |= !no_return && (pf->call_filter || filter->returns);
	return 0;
}

/* Is the key made where the call returns? What can be made at both is, where that is decided. */
static bool key_at_return(const struct plan_func *pf, const struct filter_pair *filter)
{
	if (pf->key && (pf->key->params || pf->key->results))
		return pf->key->results;
	return pf->action == GOPROBE_ACTION_COUNT &&
	       (filter->returns || (pf->key && pf->key->value.results));
}

/* The same of its value. */
static bool value_at_return(const struct plan_func *pf, const struct filter_pair *filter)
{
	const struct group_by_value *v = &pf->key->value;

	return v->results || (!v->params && (filter->returns || pf->key->results));
}

/* What is known only at the call can't be counted at the return. */
static int check_value(const struct plan_func *pf, const struct filter_pair *filter,
		       struct diag *d)
{
	const struct group_by_value *v = &pf->key->value;

	if (!v->params || (!filter->returns && !pf->key->results))
		return 0;
	diag_set(d, "'%s' is known when %s is called, and its %s when it returns: a value can't wait for that",
		 v->name, pf->fn->name, filter->returns ? "condition" : "--by");
	diag_hint(d, "'goprobectl attach' shows both sides of each call");
	return -1;
}

#define STACK_OPS 10

/*
 * The key that stacks are counted by. g.gopc is where the go statement returns to; the main
 * goroutine has none in the source. An unavailable word is 0.
 */
static size_t stack_ops(const struct plan_filter *f, const struct gobin *bin, struct goprobe_op *to)
{
	const struct goprobe_op ops[STACK_OPS] = {
		{ .code = GOPROBE_OP_IMM, .a = 1 },
		{ .code = GOPROBE_OP_TASK, .a = 0, .value = GOPROBE_TASK_GOID },
		{ .code = GOPROBE_OP_JEQ_I, .a = 0, .value = 1, .offset = 5 },
		{ .code = GOPROBE_OP_TASK, .a = 0, .value = GOPROBE_TASK_G },
		{ .code = GOPROBE_OP_JEQ_I, .a = 0, .value = 0, .offset = 3 },
		{ .code = GOPROBE_OP_LOAD, .a = 1, .b = 0, .size = 8,
		  .value = runtime_layout_get(gobin_go_minor(bin))->g.gopc },
		{ .code = GOPROBE_OP_STATIC, .a = 2 },
		{ .code = GOPROBE_OP_SUB, .a = 1, .b = 2 },
		{ .code = GOPROBE_OP_KEY, .a = 1 },
		{ .code = GOPROBE_OP_KEY_STACK, .value = f->plan->o->stack },
	};
	size_t first = f->plan->o->creator ? 0 : STACK_OPS - 1;

	memcpy(to, ops + first, (STACK_OPS - first) * sizeof(*ops));
	return STACK_OPS - first;
}

/* Behind the key at @key come the stack, if stacks are counted, and the value, if it is there. */
static int add_more(struct plan_filter *f, struct plan_func *pf, struct plan_filter_more *key,
		    struct plan_filter_more *value_at)
{
	const struct group_by_value *v = value_at ? &pf->key->value : NULL;
	size_t nvalue = v ? v->nops : 0;
	struct goprobe_op *ops = arena_alloc(f->mem, (STACK_OPS + nvalue) * sizeof(*ops));

	if (!ops)
		return -1;
	key->more = ops;
	key->nmore = f->plan->o->stack ? stack_ops(f, pf->bin, ops) : 0;
	ops += key->nmore;
	if (nvalue)
		memcpy(ops, v->ops, nvalue * sizeof(*ops));
	if (value_at && value_at != key)
		value_at->more = ops;
	if (value_at)
		value_at->nmore += nvalue;
	return 0;
}

/* The filters of the points of @pf, and the key that one of them makes, or the limits. */
static int add_filters(struct plan_filter *f, struct plan_func *pf,
		       const struct filter_pair *filter, struct diag *d)
{
	const struct plan_limits *limits = &f->plan->o->limits;
	struct goprobe_op call_ops[PLAN_LIMIT_OPS_MAX], ret_ops[PLAN_LIMIT_OPS_MAX];
	struct plan_filter_more call = plan_limit_call(limits, filter->returns, call_ops);
	struct plan_filter_more ret = plan_limit_return(limits, filter->returns, ret_ops);
	struct plan_filter_more *key = key_at_return(pf, filter) ? &ret : &call, *value = NULL;

	/* What makes keys has no limits. */
	if (pf->key)
		*key = (struct plan_filter_more){ .ops = pf->key->ops, .nops = pf->key->nops };
	for (size_t i = 0; pf->key && i < pf->key->n; i++)
		f->plan->key_hashes |= pf->key->parts[i].kind == GROUP_BY_STRING;
	if (pf->key && pf->key->value.name) {
		if (check_value(pf, filter, d))
			return -1;
		/* The key may be made before. */
		value = value_at_return(pf, filter) ? &ret : &call;
	}
	if ((f->plan->o->stack || value) && add_more(f, pf, key, value))
		return diag_set(d, "out of memory");
	if (add(f, pf->bin, &filter->call, &call, &pf->call_filter, d) ||
	    add(f, pf->bin, &filter->ret, &ret, &pf->ret_filter, d))
		return -1;
	/* A jump to another function has no results yet. */
	pf->tail_filter = pf->ret_filter;
	if ((filter->ret.results ||
	     (pf->key && (pf->key->results || pf->key->value.results))) && pf->ntails &&
	    add_undecided(f, &pf->tail_filter))
		return diag_set(d, "out of memory");
	return 0;
}

/* One set of goroutines is kept, for all conditions. */
static int decide_set(const struct plan_filter *f, const struct filter_pair *filter, struct diag *d)
{
	const struct expr *e = filter->descendant;
	struct plan *p = f->plan;

	if (!e || !p->descendant || p->descendant == e->number) {
		p->descendant = e ? e->number : p->descendant;
		return 0;
	}
	diag_set(d, "only the descendants of one goroutine can be followed");
	diag_span(d, filter->call.text, e->at, e->len);
	return -1;
}

static int only_shown(const struct plan_func *pf, const struct filter_pair *filter, struct diag *d)
{
	const struct expr *e = filter->unwound;

	diag_set(d, "calls of %s that a panic ends can be shown, by attach, but not be counted or timed",
		 pf->fn->name);
	diag_span(d, filter->call.text, e->at, e->len);
	return -1;
}

int plan_filter_decide(struct plan_filter *f, struct plan_func *pf, const struct plan_request *req,
		       bool no_return, struct diag *d)
{
	static const struct filter_pair all;
	const struct filter_pair *filter = req->filter ? req->filter : &all;
	const struct plan_options *o = f->plan->o;

	pf->action = req->role == PLAN_ROLE_ERROR ? GOPROBE_ACTION_COUNT : o->action;
	pf->ends = !no_return && !pf->at;
	pf->key = req->key;
	pf->keyed = pf->key || o->stack;
	/* What is recorded with its division is remembered. */
	pf->paired = o->split && pf->action == GOPROBE_ACTION_RECORD && pf->ends && !req->role;
	/* Runtime functions that are traced to follow other calls have no limit. */
	if (!req->filter && !pf->keyed && !o->stuck &&
	    (req->role || !plan_limit_any(&o->limits)))
		return 0;
	if (filter->unwound && pf->action != GOPROBE_ACTION_RECORD)
		return only_shown(pf, filter, d);
	if (decide_set(f, filter, d) || add_filters(f, pf, filter, d))
		return -1;
	/* It is neither a call nor an end: nothing belongs together. */
	if (pf->at)
		return 0;
	if (o->stuck)
		return decide_stuck(f, pf, filter, d);
	if (pf->action == GOPROBE_ACTION_COUNT)
		decide_count(pf, filter);
	return pf->action == GOPROBE_ACTION_RECORD ? decide_record(f, pf, filter, no_return, d) :
						     0;
}
