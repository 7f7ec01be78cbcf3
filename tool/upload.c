// SPDX-License-Identifier: GPL-2.0
/*
 * Give the module a plan: types, capture plans and points, each in batches of
 * what one message may hold. Ids are indexes in the plan's arrays.
 */
#include <stdlib.h>

#include "upload.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t batch(const struct goprobe_limits *limits, size_t size)
{
	return least(limits->batch, CLIENT_ARRAY_MAX / size);
}

static int check_limit(size_t n, size_t limit, const char *what, struct diag *d)
{
	if (n <= limit)
		return 0;
	diag_set(d, "this needs %zu %s, and the module allows %zu", n, what, limit);
	diag_hint(d, "choose fewer functions");
	return -1;
}

static int check_limits(const struct plan *p, const struct goprobe_limits *limits,
			size_t *points, struct diag *d)
{
	*points = 0;
	for (size_t i = 0; i < p->nfiles; i++)
		*points += p->files[i].n;
	if (check_limit(*points, limits->points, "breakpoints", d) ||
	    check_limit(p->nfiles, limits->files, "files", d) ||
	    check_limit(p->ntypes, limits->types, "types", d) ||
	    check_limit(p->nrefs, limits->refs, "references", d))
		return -1;
	return check_limit(p->nplans, limits->plans, "capture plans", d);
}

static int expect_id(uint32_t got, size_t want, struct diag *d)
{
	return got == want ? 0 : diag_set(d, "the module counts otherwise: id %u instead of %zu",
					  got, want);
}

/*
 * How many types from @done on make a message: no more than fit, and none that
 * refers to a later one, which the module would not know. Types come after what
 * they refer to, but for cycles; so only a cycle can be too large for a message.
 */
static size_t types_together(const struct plan *p, size_t done, size_t most, size_t most_refs)
{
	size_t good = 0, nrefs = 0, highest = 0;

	for (size_t n = 0; n < most && done + n < p->ntypes; n++) {
		const struct goprobe_type *t = &p->types[done + n];

		nrefs += t->nrefs;
		if (nrefs > most_refs)
			break;
		for (size_t i = 0; i < t->nrefs; i++)
			if (p->refs[t->ref + i].type > highest)
				highest = p->refs[t->ref + i].type;
		if (highest <= done + n)
			good = n + 1;
	}
	return good;
}

static int upload_types(struct client *c, const struct plan *p,
			const struct goprobe_limits *limits, struct diag *d)
{
	size_t most = batch(limits, sizeof(struct goprobe_type));
	size_t most_refs = batch(limits, sizeof(struct goprobe_ref));
	struct goprobe_type *types = calloc(most, sizeof(*types));
	struct goprobe_ref *refs = calloc(most_refs, sizeof(*refs));
	int err = types && refs ? 0 : diag_set(d, "out of memory");

	for (size_t done = 0; !err && done < p->ntypes;) {
		size_t n = types_together(p, done, most, most_refs), nrefs = 0;
		uint32_t first;

		for (size_t i = 0; i < n; i++) {
			const struct goprobe_type *t = &p->types[done + i];

			types[i] = *t;
			types[i].ref = nrefs;
			for (uint32_t k = 0; k < t->nrefs; k++)
				refs[nrefs++] = p->refs[t->ref + k];
		}
		err = n ? client_types_add(c, types, n, refs, nrefs, &first, d) :
			  diag_set(d, "too many types refer to each other in a circle");
		if (!err)
			err = expect_id(first, done, d);
		done += n;
	}
	free(types);
	free(refs);
	return err;
}

static int upload_plans(struct client *c, const struct plan *p,
			const struct goprobe_limits *limits, struct diag *d)
{
	size_t most = batch(limits, sizeof(struct goprobe_plan));
	size_t most_pieces = batch(limits, sizeof(struct goprobe_piece));
	size_t most_ops = batch(limits, sizeof(struct goprobe_op));
	struct goprobe_plan *plans = calloc(most, sizeof(*plans));
	struct goprobe_piece *pieces = calloc(most_pieces, sizeof(*pieces));
	struct goprobe_op *ops = calloc(most_ops, sizeof(*ops));
	int err = plans && pieces && ops ? 0 : diag_set(d, "out of memory");

	for (size_t done = 0; !err && done < p->nplans;) {
		size_t n = 0, npieces = 0, nops = 0;
		uint32_t first;

		for (; n < most && done + n < p->nplans; n++) {
			const struct goprobe_plan *one = &p->plans[done + n];

			if (npieces + one->npieces > most_pieces || nops + one->nops > most_ops)
				break;
			plans[n] = *one;
			plans[n].piece = npieces;
			plans[n].op = nops;
			for (uint32_t k = 0; k < one->npieces; k++)
				pieces[npieces++] = p->pieces[one->piece + k];
			for (uint32_t k = 0; k < one->nops; k++)
				ops[nops++] = p->ops[one->op + k];
		}
		err = n ? client_plans_add(c, plans, n, pieces, npieces, ops, nops, &first, d) :
			  diag_set(d, "a capture plan is too large");
		if (!err)
			err = expect_id(first, done, d);
		done += n;
	}
	free(plans);
	free(pieces);
	free(ops);
	return err;
}

static int upload_points(struct client *c, const struct plan *p, size_t all,
			 const struct goprobe_limits *limits, upload_progress_fn progress,
			 void *ctx, struct diag *d)
{
	/* Small enough that progress can be seen and Ctrl-C is felt. */
	size_t most = least(batch(limits, sizeof(struct goprobe_point)), 256), total = 0;

	for (size_t i = 0; i < p->nfiles; i++) {
		const struct plan_points *f = &p->files[i];
		uint32_t file;

		if (client_file_add(c, gobin_fd(f->bin), gobin_runtime(f->bin), &file, d))
			return -1;
		for (size_t done = 0, n; done < f->n; done += n) {
			if (!progress(ctx, total, all))
				return diag_set(d, "interrupted");
			n = least(most, f->n - done);
			if (client_points_add(c, file, f->v + done, n, d))
				return -1;
			total += n;
		}
	}
	return progress(ctx, total, all) ? 0 : diag_set(d, "interrupted");
}

/**
 * upload_plan - give the module a plan
 * @c: client with a new session
 * @p: the plan
 * @limits: of the module
 * @progress: called with the number of points placed and to be placed
 * @ctx: its first argument
 * @d: for errors
 *
 * Return: 0 or -1; then the session is unfinished and only good to be closed.
 */
int upload_plan(struct client *c, const struct plan *p, const struct goprobe_limits *limits,
		upload_progress_fn progress, void *ctx, struct diag *d)
{
	size_t points;

	if (check_limits(p, limits, &points, d))
		return -1;
	if (upload_types(c, p, limits, d) || upload_plans(c, p, limits, d))
		return -1;
	return upload_points(c, p, points, limits, progress, ctx, d);
}
