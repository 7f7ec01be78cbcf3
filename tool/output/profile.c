// SPDX-License-Identifier: GPL-2.0
/* Call trees merged into one. */
#include <stdlib.h>

#include "output/profile.h"

/* What is reached from @up by a call of @fn; it becomes the first one there, as it may be next. */
static struct profile_node *find(struct profile *p, struct profile_node *up, uint32_t fn,
				 bool started)
{
	struct profile_node **at = &up->child, *node;

	while (*at && ((*at)->fn != fn || (*at)->started != started))
		at = &(*at)->next;
	node = *at;
	if (node) {
		*at = node->next;
	} else {
		node = p->n < PROFILE_NODES_MAX ? arena_alloc(&p->mem, sizeof(*node)) : NULL;
		if (!node)
			return NULL;
		p->n++;
		*node = (struct profile_node){ .parent = up, .fn = fn, .started = started };
	}
	node->next = up->child;
	up->child = node;
	return node;
}

static uint64_t count_calls(const struct calltree_call *c)
{
	uint64_t n = 1;

	for (c = c->child; c; c = c->next)
		n += count_calls(c);
	return n;
}

static void add(struct profile *p, struct profile_node *up, const struct calltree_call *c)
{
	struct profile_node *node = find(p, up, c->fn, c->started);

	if (!node) {
		p->left += count_calls(c);
		return;
	}
	node->calls++;
	node->untimed += c->end == CALLEND_OPEN || c->end == CALLEND_UNSEEN || c->vague;
	node->total_ns += c->duration;
	if (!c->vague && c->duration > c->inner)
		node->self_ns += c->duration - c->inner;
	for (c = c->child; c; c = c->next)
		add(p, node, c);
}

void profile_add(struct profile *p, const struct calltree_call *first)
{
	add(p, &p->top, first);
}

void profile_fini(struct profile *p)
{
	arena_fini(&p->mem);
}

/* --- order ----------------------------------------------------------- */

static bool is_before(const struct profile_node *a, const struct profile_node *b)
{
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns;
	return a->fn != b->fn ? a->fn < b->fn : a->started < b->started;
}

static struct profile_node *merge_lists(struct profile_node *a, struct profile_node *b)
{
	struct profile_node *first = NULL, **at = &first;

	while (a && b) {
		struct profile_node **from = is_before(a, b) ? &a : &b;

		*at = *from;
		*from = (*from)->next;
		at = &(*at)->next;
	}
	*at = a ? a : b;
	return first;
}

static struct profile_node *sort_list(struct profile_node *v)
{
	struct profile_node *half[2] = { NULL, NULL };

	if (!v || !v->next)
		return v;
	for (size_t i = 0; v; i++) {
		struct profile_node *next = v->next;

		v->next = half[i % 2];
		half[i % 2] = v;
		v = next;
	}
	return merge_lists(sort_list(half[0]), sort_list(half[1]));
}

static void sort_below(struct profile_node *up)
{
	up->child = sort_list(up->child);
	for (struct profile_node *node = up->child; node; node = node->next)
		sort_below(node);
}

void profile_sort(struct profile *p)
{
	sort_below(&p->top);
}

const struct profile_node *profile_next(const struct profile_node *node)
{
	if (node->child)
		return node->child;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}

/* --- functions ------------------------------------------------------- */

/* Does its time count already: is it within a call of the same function on the same goroutine? */
static bool is_within_same(const struct profile_node *node)
{
	for (const struct profile_node *up = node; !up->started && up->parent;) {
		up = up->parent;
		if (up->parent && up->fn == node->fn)
			return true;
	}
	return false;
}

static int by_self(const void *one, const void *other)
{
	const struct profile_func *a = one, *b = other;

	if (a->self_ns != b->self_ns)
		return a->self_ns < b->self_ns ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return a->fn < b->fn ? -1 : a->fn > b->fn;
}

struct profile_func *profile_flat(const struct profile *p, size_t nfuncs, size_t *n)
{
	struct profile_func *v = calloc(nfuncs + 1, sizeof(*v));

	*n = 0;
	if (!v)
		return NULL;
	for (const struct profile_node *node = p->top.child; node; node = profile_next(node)) {
		struct profile_func *f = &v[node->fn];

		f->calls += node->calls;
		f->untimed += node->untimed;
		f->self_ns += node->self_ns;
		if (!is_within_same(node))
			f->total_ns += node->total_ns;
	}
	for (uint32_t fn = 0; fn < nfuncs; fn++) {
		if (!v[fn].calls)
			continue;
		v[fn].fn = fn;
		v[(*n)++] = v[fn];
	}
	qsort(v, *n, sizeof(*v), by_self);
	return v;
}
