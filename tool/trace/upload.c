// SPDX-License-Identifier: GPL-2.0
/*
 * Give the module a plan: types, capture plans and points, each in batches of
 * what one message may hold. Ids are indexes in the plan's arrays.
 */
#include <stdlib.h>

#include "compile/group_by.h"
#include "trace/upload.h"

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

static size_t count(const struct plan *p, uint8_t action)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nfuncs; i++)
		n += p->funcs[i]->action == action;
	return n;
}

static int check_limits(const struct plan *p, const struct goprobe_limits *limits,
			size_t *points, struct diag *d)
{
	size_t timed, counted;

	*points = 0;
	/* Nothing would ever be sent. */
	if (!limits->batch)
		return diag_set(d, "the module takes nothing in a message: it is broken");
	for (size_t i = 0; i < p->nfiles; i++)
		*points += p->files[i].n;
	if (check_limit(*points, limits->points, "breakpoints", d) ||
	    check_limit(p->nfiles, limits->files, "files", d) ||
	    check_limit(p->ntypes, limits->types, "types", d) ||
	    check_limit(p->nrefs, limits->refs, "references", d))
		return -1;
	timed = count(p, GOPROBE_ACTION_TIME);
	counted = count(p, GOPROBE_ACTION_COUNT);
	/* Histograms of values take as much memory as those of durations. */
	if (p->o->by && p->o->by->value)
		timed += counted;
	if (check_limit(count(p, GOPROBE_ACTION_TIME) + counted, limits->tallies,
			"functions to be counted", d) ||
	    check_limit(timed, limits->timed, "functions to be timed", d) ||
	    check_limit(p->nfilters, limits->filters, "conditions", d))
		return -1;
	return check_limit(p->nplans, limits->plans, "capture plans", d);
}

/* A command whose objects get ids from @want on; the reply has that in @id. */
static int add(struct upload *u, enum goprobe_cmd cmd, struct attrs *a, const uint32_t *id,
	       size_t want, struct diag *d)
{
	if (client_ask(u->client, cmd, a, d))
		return -1;
	return *id == want ? 0 : diag_set(d, "the module counts otherwise: id %u instead of %zu",
					  *id, want);
}

/* A type and its references go together; what they refer to may come later. */
static int upload_types(struct upload *u, struct diag *d)
{
	const struct plan *p = u->plan;
	size_t most = batch(&u->limits, sizeof(struct goprobe_type));
	size_t most_refs = batch(&u->limits, sizeof(struct goprobe_ref));
	struct goprobe_type *types = calloc(most, sizeof(*types));
	int err = types ? 0 : diag_set(d, "out of memory");

	while (!err && u->ntypes < p->ntypes) {
		const struct goprobe_type *from = &p->types[u->ntypes];
		size_t n = 0, nrefs = 0;

		for (; n < most && u->ntypes + n < p->ntypes; n++) {
			if (nrefs + from[n].nrefs > most_refs)
				break;
			types[n] = from[n];
			types[n].ref = nrefs;
			nrefs += from[n].nrefs;
		}

		struct attrs a = {
			.types = types, .ntypes = n, .refs = p->refs + from->ref, .nrefs = nrefs,
		};

		err = n ? add(u, GOPROBE_CMD_TYPES_ADD, &a, &a.first, u->ntypes, d) :
			  diag_set(d, "a type has too many references");
		u->ntypes += n;
	}
	free(types);
	return err;
}

static int upload_dynamic(struct upload *u, struct diag *d)
{
	const struct plan *p = u->plan;
	size_t most = batch(&u->limits, sizeof(struct goprobe_dynamic));

	for (size_t i = 0; i < p->nfiles; i++) {
		const struct plan_points *f = &p->files[i];

		while (u->ndynamic[i] < f->ndynamic) {
			struct attrs a = {
				.file = i, .dynamic = f->dynamic + u->ndynamic[i],
				.ndynamic = least(most, f->ndynamic - u->ndynamic[i]),
			};

			if (client_ask(u->client, GOPROBE_CMD_DYNAMIC_ADD, &a, d))
				return -1;
			u->ndynamic[i] += a.ndynamic;
		}
	}
	return 0;
}

static int upload_plans(struct upload *u, struct diag *d)
{
	const struct plan *p = u->plan;
	size_t most = batch(&u->limits, sizeof(struct goprobe_plan));
	size_t most_pieces = batch(&u->limits, sizeof(struct goprobe_piece));
	size_t most_ops = batch(&u->limits, sizeof(struct goprobe_op));
	struct goprobe_plan *plans = calloc(most, sizeof(*plans));
	struct goprobe_piece *pieces = calloc(most_pieces, sizeof(*pieces));
	struct goprobe_op *ops = calloc(most_ops, sizeof(*ops));
	int err = plans && pieces && ops ? 0 : diag_set(d, "out of memory");

	for (size_t done = 0; !err && done < p->nplans;) {
		size_t n = 0, npieces = 0, nops = 0;

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

		struct attrs a = {
			.plans = plans, .nplans = n, .pieces = pieces, .npieces = npieces,
			.ops = ops, .nops = nops,
		};

		err = n ? add(u, GOPROBE_CMD_PLANS_ADD, &a, &a.first, done, d) :
			  diag_set(d, "a capture plan is too large");
		done += n;
	}
	free(plans);
	free(pieces);
	free(ops);
	return err;
}

static int upload_filters(struct upload *u, struct diag *d)
{
	const struct plan *p = u->plan;
	size_t most = batch(&u->limits, sizeof(struct goprobe_filter));
	size_t most_ops = batch(&u->limits, sizeof(struct goprobe_op));
	struct goprobe_filter *filters = calloc(most, sizeof(*filters));
	struct goprobe_op *ops = calloc(most_ops, sizeof(*ops));
	int err = filters && ops ? 0 : diag_set(d, "out of memory");

	for (size_t done = 0, n; !err && done < p->nfilters; done += n) {
		size_t nops = 0;

		for (n = 0; n < most && done + n < p->nfilters; n++) {
			const struct goprobe_filter *one = &p->filters[done + n];

			if (nops + one->nops > most_ops || one->nops > u->limits.ops)
				break;
			filters[n] = (struct goprobe_filter){ .op = nops, .nops = one->nops };
			for (uint32_t k = 0; k < one->nops; k++)
				ops[nops++] = p->filter_ops[one->op + k];
		}

		struct attrs a = { .filters = filters, .nfilters = n, .ops = ops, .nops = nops };

		/* They are counted from 1. */
		err = n ? add(u, GOPROBE_CMD_FILTERS_ADD, &a, &a.first, done + 1, d) :
			  diag_set(d, "a condition is too long");
	}
	free(filters);
	free(ops);
	return err;
}

static int upload_file(struct upload *u, size_t i, struct diag *d)
{
	const struct plan_points *f = &u->plan->files[i];
	struct goprobe_runtime rt = plan_runtime(f);
	struct attrs a = { .fd = gobin_fd(f->bin), .runtime = &rt };

	return add(u, GOPROBE_CMD_FILE_ADD, &a, &a.file, i, d);
}

static int upload_points(struct upload *u, size_t all, upload_progress_fn progress, void *ctx,
			 struct diag *d)
{
	const struct plan *p = u->plan;
	/* Small enough that progress can be seen and Ctrl-C is felt. */
	size_t most = least(batch(&u->limits, sizeof(struct goprobe_point)), 256), total = 0;

	for (size_t i = 0; i < p->nfiles; i++) {
		const struct plan_points *f = &p->files[i];

		for (size_t done = 0; done < f->n;) {
			struct attrs a = {
				.file = i, .points = f->v + done,
				.npoints = least(most, f->n - done),
			};

			if (!progress(ctx, total, all))
				return diag_set(d, "interrupted");
			if (client_ask(u->client, GOPROBE_CMD_POINTS_ADD, &a, d))
				return -1;
			done += a.npoints;
			total += a.npoints;
		}
	}
	return progress(ctx, total, all) ? 0 : diag_set(d, "interrupted");
}

int upload_plan(struct upload *u, upload_progress_fn progress, void *ctx, struct diag *d)
{
	size_t points;

	if (check_limits(u->plan, &u->limits, &points, d))
		return -1;
	u->ndynamic = calloc(u->plan->nfiles + 1, sizeof(*u->ndynamic));
	if (!u->ndynamic)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < u->plan->nfiles; i++)
		if (upload_file(u, i, d))
			return -1;
	if (upload_types(u, d) || upload_plans(u, d) || upload_filters(u, d) ||
	    upload_dynamic(u, d))
		return -1;
	return upload_points(u, points, progress, ctx, d);
}

int upload_more(struct upload *u, struct diag *d)
{
	return upload_types(u, d) || upload_dynamic(u, d) ? -1 : 0;
}

void upload_fini(struct upload *u)
{
	free(u->ndynamic);
	u->ndynamic = NULL;
}
