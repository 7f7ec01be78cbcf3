// SPDX-License-Identifier: GPL-2.0
/* Durations of calls in two recordings, by function, compared. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "export/compare.h"
#include "gotype/shown_name.h"
#include "output/row.h"

/* The calls of a function in one recording. */
struct compare_calls {
	uint64_t *ns;	/* their durations */
	size_t n;	/* their number */
	size_t cap;	/* capacity of @ns */
	uint64_t sum;	/* of the durations */
};

/* A function. */
struct compare_func {
	const char *name;				/* its name */
	struct compare_calls side[COMPARE_SIDES];	/* its calls */
	struct compare_func *same;			/* another one with the same hash */
};

/* --- durations ------------------------------------------------------- */

static struct compare_func *find(struct compare *c, const char *name)
{
	uint64_t key = hmap_hash(0, name, strlen(name));
	struct compare_func *first = hmap_get(&c->by_name, key), *f = first;

	while (f && strcmp(f->name, name) != 0)
		f = f->same;
	if (f)
		return f;
	f = arena_alloc(&c->mem, sizeof(*f));
	if (!f || grow(&c->v, c->n + 1, &c->cap, sizeof(*c->v)))
		return NULL;
	*f = (struct compare_func){ .name = arena_strdup(&c->mem, name), .same = first };
	if (!f->name || hmap_put(&c->by_name, key, f))
		return NULL;
	c->v[c->n++] = f;
	return f;
}

int compare_add(struct compare *c, enum compare_side side, const char *func, uint64_t ns)
{
	struct compare_func *f = find(c, func);
	struct compare_calls *calls = f ? &f->side[side] : NULL;

	if (!f || grow(&calls->ns, calls->n + 1, &calls->cap, sizeof(*calls->ns)))
		return -1;
	calls->ns[calls->n++] = ns;
	calls->sum += ns;
	return 0;
}

void compare_fini(struct compare *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (int side = 0; side < COMPARE_SIDES; side++)
			free(c->v[i]->side[side].ns);
	free(c->v);
	hmap_fini(&c->by_name);
	arena_fini(&c->mem);
}

/* --- what has changed ------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* The duration that @permille of the calls are not above. They are in order, and there are some. */
static uint64_t quantile(const struct compare_calls *calls, unsigned int permille)
{
	size_t rank = (calls->n * permille + 999) / 1000;

	return calls->ns[rank ? rank - 1 : 0];
}

/* What the new calls would have taken less, or more, in the old recording, ns. */
static double shift(const struct compare_func *f)
{
	const struct compare_calls *old = &f->side[COMPARE_OLD], *new = &f->side[COMPARE_NEW];
	double before = old->n ? (double)old->sum / old->n : 0;
	double after = new->n ? (double)new->sum / new->n : 0;
	double each = before > after ? before - after : after - before;

	return each * (new->n ? new->n : old->n);
}

static int by_shift(const void *a, const void *b)
{
	const struct compare_func *one = *(struct compare_func *const *)a;
	const struct compare_func *other = *(struct compare_func *const *)b;
	double x = shift(one), y = shift(other);

	return x != y ? (x < y ? 1 : -1) : strcmp(one->name, other->name);
}

/* --- rows ------------------------------------------------------------ */

#define WIDTH 10

static const struct column calls_columns[COMPARE_SIDES] = {
	{ "old_calls", "OLD CALLS", -WIDTH }, { "new_calls", "NEW CALLS", -WIDTH - 1 },
};

static const struct {
	unsigned int permille;
	struct column side[COMPARE_SIDES];
	struct column change;
} quantiles[] = {
	{ 500, { { "old_p50_ns", "OLD P50", -WIDTH }, { "new_p50_ns", "NEW P50", -WIDTH } },
	  { NULL, "CHANGE", -WIDTH } },
	{ 990, { { "old_p99_ns", "OLD P99", -WIDTH }, { "new_p99_ns", "NEW P99", -WIDTH } },
	  { NULL, "CHANGE", -WIDTH } },
};

static const struct column sum_columns[COMPARE_SIDES] = {
	{ "old_sum_ns", "OLD SUM", -WIDTH }, { "new_sum_ns", "NEW SUM", -WIDTH },
};

static const struct column col_func = { "func", "FUNCTION", 0 };

/* "+12.3 %"; from ten times on "x 25.1" */
static void put_change(struct row *r, const struct column *c, uint64_t old, uint64_t new)
{
	uint64_t more = new > old ? new - old : old - new;

	if (!old) {
		row_none(r, c);
		return;
	}
	if (!row_cell(r, c))
		return;
	if (new / 10 >= old) {
		uint64_t tenths = (uint64_t)((long double)new / old * 10);

		buf_number(r->b, "x ", tenths / 10);
		buf_number(r->b, ".", tenths % 10);
		return;
	}
	buf_char(r->b, new < old ? '-' : '+');
	row_share(r->b, more, old);
}

static void put_func(const struct compare_func *f, const char *name, struct row *r)
{
	const struct compare_calls *old = &f->side[COMPARE_OLD], *new = &f->side[COMPARE_NEW];

	row_begin(r, "latency_diff");
	for (int side = 0; side < COMPARE_SIDES; side++)
		row_u64(r, &calls_columns[side], f->side[side].n);
	for (int side = 0; side < COMPARE_SIDES; side++)
		row_ns(r, &sum_columns[side], f->side[side].n, f->side[side].sum);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		uint64_t q[COMPARE_SIDES] = { 0 };

		for (int side = 0; side < COMPARE_SIDES; side++) {
			if (f->side[side].n)
				q[side] = quantile(&f->side[side], quantiles[i].permille);
			row_ns(r, &quantiles[i].side[side], f->side[side].n, q[side]);
		}
		put_change(r, &quantiles[i].change, old->n && new->n ? q[COMPARE_OLD] : 0,
			   q[COMPARE_NEW]);
	}
	row_func(r, &col_func, name);
	row_end(r);
}

void compare_put(struct compare *c, bool json, struct buf *b)
{
	struct row r = { .b = b, .mode = ROW_HEADS };
	struct shown_names names = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		struct compare_calls *side = c->v[i]->side;

		for (int k = 0; k < COMPARE_SIDES; k++)
			if (side[k].n)
				qsort(side[k].ns, side[k].n, sizeof(*side[k].ns), by_value);
		shown_names_add(&names, c->v[i]->name);
	}
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_shift);
	if (!json)
		put_func(&(struct compare_func){ .name = "" }, "", &r);
	r.mode = row_mode(json);
	for (size_t i = 0; i < c->n; i++)
		put_func(c->v[i], json ? c->v[i]->name : shown_names_get(&names, c->v[i]->name),
			 &r);
	shown_names_fini(&names);
}
