// SPDX-License-Identifier: GPL-2.0
/* Load bias of processes, found by matching records with their points. */
#include <stdlib.h>
#include <string.h>

#include "plan/jumps.h"
#include "plan/load_bias.h"

#define PAGE_MASK 0xfffULL

/* A process whose bias is known. */
struct known {
	const struct gobin *bin;	/* which of its binaries */
	uint32_t tgid;			/* process */
	uint64_t bias;			/* its bias */
};

/* A small cache, replaced in turn: it is asked for one process at a time. */
#define KNOWN_MAX 16

/* A point's link-time address. */
struct spot {
	uint32_t id;	/* goprobe_point.id: its function */
	uint32_t kind;	/* GOPROBE_POINT_* */
	uint64_t vaddr;	/* address */
};

struct load_bias {
	const struct plan *plan;
	struct spot *spots;
	size_t nspots;
	struct known known[KNOWN_MAX];
	size_t next;
};

static int by_id(const void *a, const void *b)
{
	const struct spot *pa = a, *pb = b;

	return pa->id < pb->id ? -1 : pa->id > pb->id;
}

static void add_spot(struct load_bias *b, struct gobin *bin, const struct goprobe_point *pt)
{
	b->spots[b->nspots++] = (struct spot){
		.id = pt->id, .kind = pt->kind, .vaddr = gobin_code_vaddr(bin, pt->offset),
	};
}

struct load_bias *load_bias_new(const struct plan *p)
{
	struct load_bias *b = calloc(1, sizeof(*b));
	size_t n = 0;

	for (size_t i = 0; i < p->nfiles; i++)
		n += 2 * p->files[i].n;
	if (b)
		b->spots = calloc(n + 1, sizeof(*b->spots));
	if (!b || !b->spots) {
		free(b);
		return NULL;
	}
	b->plan = p;
	for (size_t i = 0; i < p->nfiles; i++) {
		const struct plan_points *f = &p->files[i];

		for (size_t k = 0; k < f->n; k++) {
			struct goprobe_point pt = f->v[k];

			add_spot(b, f->bin, &pt);
			/* A recording does not say which of the two it was. */
			plan_jumps_keep_trap(f->bin, &pt);
			if (pt.offset != f->v[k].offset)
				add_spot(b, f->bin, &pt);
		}
	}
	qsort(b->spots, b->nspots, sizeof(*b->spots), by_id);
	return b;
}

void load_bias_free(struct load_bias *b)
{
	if (!b)
		return;
	free(b->spots);
	free(b);
}

static const struct spot *first_spot(const struct load_bias *b, uint32_t id)
{
	size_t lo = 0, hi = b->nspots;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->spots[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return &b->spots[lo];
}

/*
 * A mapping moves code by whole pages, so only points at the same place in a
 * page can be the one; if there are two of them, another record has to decide.
 */
static bool find(const struct load_bias *b, const struct goprobe_record *h, uint64_t *ret)
{
	const struct spot *end = b->spots + b->nspots;
	size_t n = 0;

	for (const struct spot *p = first_spot(b, h->id); p < end && p->id == h->id; p++) {
		/* Record kinds and point kinds have the same numbers. */
		if (p->kind != h->kind || ((p->vaddr ^ h->ip) & PAGE_MASK))
			continue;
		n++;
		*ret = h->ip - p->vaddr;
	}
	return n == 1;
}

bool load_bias_of(struct load_bias *b, const struct goprobe_record *h, uint64_t *ret)
{
	if (h->id >= b->plan->nfuncs)
		return false;

	const struct plan_func *f = b->plan->funcs[h->id];

	for (size_t i = 0; i < KNOWN_MAX; i++) {
		struct known *k = &b->known[i];

		if (k->bin != f->bin || k->tgid != h->tgid)
			continue;
		/* The process may have executed a program, at another address. */
		if (h->ip - k->bias >= f->fn->entry && h->ip - k->bias < f->fn->end) {
			*ret = k->bias;
			return true;
		}
		k->bin = NULL;
	}
	if (!find(b, h, ret))
		return false;
	b->known[b->next++ % KNOWN_MAX] = (struct known){
		.bin = f->bin, .tgid = h->tgid, .bias = *ret,
	};
	return true;
}

_Static_assert((int)GOPROBE_POINT_CALL == (int)GOPROBE_RECORD_CALL &&
	       (int)GOPROBE_POINT_RETURN == (int)GOPROBE_RECORD_RETURN &&
	       (int)GOPROBE_POINT_TAIL == (int)GOPROBE_RECORD_TAIL &&
	       (int)GOPROBE_POINT_AT == (int)GOPROBE_RECORD_AT, "find() compares them");
