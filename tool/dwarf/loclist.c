// SPDX-License-Identifier: GPL-2.0
/* Lists of ranges and of locations: two forms up to DWARF 4, one in 5. */
#include <string.h>

#include "dwarf/constants.h"
#include "dwarf/die.h"

/* One entry: where it holds, and (of locations) an expression. */
struct entry {
	uint64_t lo;
	uint64_t hi;
	const uint8_t *expr;
	size_t len;
};

struct list {
	struct die *r;
	const struct dwunit *unit;
	const uint8_t *p;
	const uint8_t *end;
	uint64_t base;
	bool locations;
};

static bool word(struct list *l, uint64_t *ret)
{
	if (l->end - l->p < 8)
		return false;
	memcpy(ret, l->p, 8);
	l->p += 8;
	return true;
}

static bool expression(struct list *l, struct entry *e, uint64_t len)
{
	if (len > (uint64_t)(l->end - l->p))
		return false;
	e->expr = l->p;
	e->len = len;
	l->p += len;
	return true;
}

/* .debug_ranges, .debug_loc: pairs of addresses. */
static bool next_old(struct list *l, struct entry *e)
{
	uint64_t lo, hi;

	while (word(l, &lo) && word(l, &hi)) {
		if (!lo && !hi)
			return false;
		if (lo == UINT64_MAX) {
			l->base = hi;
			continue;
		}
		e->lo = l->base + lo;
		e->hi = l->base + hi;
		if (!l->locations)
			return true;
		if (l->end - l->p < 2)
			return false;
		l->p += 2;
		return expression(l, e, l->p[-2] | (uint64_t)l->p[-1] << 8);
	}
	return false;
}

static bool addrx(struct list *l, uint64_t *ret)
{
	return die_addrx(l->r, l->unit, dwarf_uleb(&l->p, l->end), ret);
}

/* The bounds of a DW_RLE_* or DW_LLE_*: their numbers agree, but for two. */
static bool bounds(struct list *l, unsigned int kind, struct entry *e)
{
	switch (kind) {
	case DW_LLE_startx_endx:
		return addrx(l, &e->lo) && addrx(l, &e->hi);
	case DW_LLE_startx_length:
		if (!addrx(l, &e->lo))
			return false;
		e->hi = e->lo + dwarf_uleb(&l->p, l->end);
		return true;
	case DW_LLE_offset_pair:
		e->lo = l->base + dwarf_uleb(&l->p, l->end);
		e->hi = l->base + dwarf_uleb(&l->p, l->end);
		return true;
	case DW_LLE_start_end:
		return word(l, &e->lo) && word(l, &e->hi);
	case DW_LLE_start_length:
		if (!word(l, &e->lo))
			return false;
		e->hi = e->lo + dwarf_uleb(&l->p, l->end);
		return true;
	case DW_LLE_default_location:
		e->lo = 0;
		e->hi = UINT64_MAX;
		return true;
	}
	return false;
}

/* .debug_rnglists, .debug_loclists. */
static bool next_new(struct list *l, struct entry *e)
{
	while (l->p < l->end) {
		unsigned int kind = *l->p++;

		/* Of ranges 5 is the base address and so on. */
		if (!l->locations && kind >= DW_RLE_base_address)
			kind++;
		if (kind == DW_LLE_end_of_list)
			return false;
		if (kind == DW_LLE_base_addressx) {
			if (!addrx(l, &l->base))
				return false;
		} else if (kind == DW_LLE_base_address) {
			if (!word(l, &l->base))
				return false;
		} else {
			return bounds(l, kind, e) &&
			       (!l->locations ||
				expression(l, e, dwarf_uleb(&l->p, l->end)));
		}
	}
	return false;
}

static bool next(struct list *l, struct entry *e)
{
	return l->unit->version >= 5 ? next_new(l, e) : next_old(l, e);
}

static bool start(struct list *l, struct die *r, const struct dwunit *u,
		  bool locations, uint64_t off)
{
	enum dwsect_id id = u->version >= 5 ?
			    (locations ? DWSECT_LOCLISTS : DWSECT_RNGLISTS) :
			    (locations ? DWSECT_LOC : DWSECT_RANGES);
	const struct dwsect *s = sections_get(&r->sects, id);

	if (off >= s->n)
		return false;
	*l = (struct list){
		.r = r, .unit = u, .p = s->p + off, .end = s->p + s->n,
		.base = u->low_pc, .locations = locations,
	};
	return true;
}

int loclist_ranges(struct die *r, const struct dwdie *root, die_range_fn fn,
		   void *ctx)
{
	struct dwval v, high;
	struct entry e;
	struct list l;
	int ret = 0;

	if (die_attr(r, root, DW_AT_ranges, &v)) {
		if (v.class != DWVAL_OFFSET ||
		    !start(&l, r, root->unit, false, v.u))
			return 0;
		while (!ret && next(&l, &e)) {
			if (e.lo < e.hi)
				ret = fn(ctx, e.lo, e.hi);
		}
		return ret;
	}
	if (!die_attr(r, root, DW_AT_low_pc, &v) || v.class != DWVAL_ADDRESS ||
	    !die_attr(r, root, DW_AT_high_pc, &high))
		return 0;
	if (high.class == DWVAL_NUMBER)
		high.u += v.u;
	else if (high.class != DWVAL_ADDRESS)
		return 0;
	return v.u < high.u ? fn(ctx, v.u, high.u) : 0;
}

bool loclist_location(struct die *r, const struct dwdie *d, uint64_t pc,
		      const uint8_t **p, size_t *n)
{
	struct entry e = { 0 };
	struct dwval v;
	struct list l;

	if (!die_attr(r, d, DW_AT_location, &v))
		return false;
	if (v.class == DWVAL_BLOCK) {
		*p = v.p;
		*n = v.n;
		return v.n;
	}
	if (v.class != DWVAL_OFFSET || !start(&l, r, d->unit, true, v.u))
		return false;
	while (next(&l, &e)) {
		if (pc < e.lo || pc >= e.hi)
			continue;
		*p = e.expr;
		*n = e.len;
		return e.len;
	}
	return false;
}

bool loclist_moves(struct die *r, const struct dwdie *d)
{
	struct entry first = { 0 }, e;
	struct dwval v;
	struct list l;

	if (!die_attr(r, d, DW_AT_location, &v) || v.class != DWVAL_OFFSET ||
	    !start(&l, r, d->unit, true, v.u) || !next(&l, &first))
		return false;
	while (next(&l, &e))
		if (e.len != first.len || memcmp(e.expr, first.expr, e.len) != 0)
			return true;
	return false;
}
