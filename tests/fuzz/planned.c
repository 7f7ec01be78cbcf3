// SPDX-License-Identifier: GPL-2.0
/*
 * Invariants of every plan. tests/unit/machine.c carries its programs out, and has the module's
 * rules written out a second time.
 */
#include "fuzz.h"

#include "machine.h"
#include "planned.h"

#define RUNS 4

struct machine *planned_machine(uint32_t seed)
{
	struct machine *m = calloc(1, sizeof(*m));
	uint64_t r = seed;

	if (!m)
		abort();
	m->fill = 1 + r;
	/* Small numbers, pointers, anything. */
	for (size_t i = 0; i < MACHINE_REGS; i++) {
		r = r * 6364136223846793005ULL + 1442695040888963407ULL;
		m->regs[i] = r >> (r >> 58);
	}
	for (size_t i = 0; i < __GOPROBE_TASK_MAX; i++)
		m->task[i] = r >> (8 + 4 * i);
	m->sp = 0xc000008000;
	m->duration = r >> 32;
	m->root = r % (GOPROBE_ROOT_MUTED + 1);
	m->under = r >> 7;
	m->member = r >> 9;
	return m;
}

static void run_filter(const struct plan *p, uint32_t id, uint32_t seed)
{
	const struct goprobe_filter *f;
	struct machine *m;

	if (!id)
		return;
	FUZZ_HOLDS(id <= p->nfilters);
	f = &p->filters[id - 1];
	FUZZ_HOLDS(f->nops && f->op <= p->nfilter_ops && f->nops <= p->nfilter_ops - f->op);
	for (uint32_t i = 0; i < RUNS; i++) {
		m = planned_machine(seed + i);
		machine_filter(m, p->filter_ops + f->op, f->nops);
		free(m);
	}
}

/* A frame of a runtime function has no items: without its fixed fields it is not a record. */
static void run_frame(const struct plan *p, const struct plan_frame *f, bool hidden, uint32_t seed)
{
	const struct goprobe_plan *plan;
	struct plan_capture c = {
		.values = f->values, .nvalues = MACHINE_ITEMS, .size = f->size,
	};
	struct machine *m;

	for (size_t i = 0; i < f->nvalues; i++)
		FUZZ_HOLDS(f->values[i].name && f->values[i].type);
	if (f->plan == GOPROBE_NO_PLAN)
		return;
	FUZZ_HOLDS(f->plan < p->nplans);
	plan = &p->plans[f->plan];
	FUZZ_HOLDS(plan->type < p->ntypes);
	FUZZ_HOLDS(plan->piece + plan->npieces <= p->npieces && plan->op + plan->nops <= p->nops);
	FUZZ_HOLDS(f->size <= p->types[plan->type].size && f->size <= PLAN_FRAME_MAX);
	c.pieces = plan->npieces ? p->pieces + plan->piece : NULL;
	c.npieces = plan->npieces;
	c.ops = plan->nops ? p->ops + plan->op : NULL;
	c.nops = plan->nops;
	for (uint32_t i = 0; i < RUNS; i++) {
		m = planned_machine(seed + i);
		m->may_end = hidden;
		machine_run(m, &c);
		free(m);
	}
}

static void see_types(const struct plan *p)
{
	for (size_t i = 0; i < p->ntypes; i++) {
		const struct goprobe_type *t = &p->types[i];

		FUZZ_HOLDS(t->ref <= p->nrefs && t->nrefs <= p->nrefs - t->ref);
		for (uint32_t k = 0; k < t->nrefs; k++) {
			const struct goprobe_ref *r = &p->refs[t->ref + k];

			FUZZ_HOLDS(r->kind < __GOPROBE_REF_MAX && r->type < p->ntypes);
			FUZZ_HOLDS(!k || r[-1].offset <= r->offset);
			FUZZ_HOLDS(r->offset < t->size);
		}
	}
}

static void see_points(const struct plan *p)
{
	for (size_t i = 0; i < p->nfiles; i++) {
		for (size_t k = 0; k < p->files[i].n; k++) {
			const struct goprobe_point *v = &p->files[i].v[k];

			FUZZ_HOLDS(v->kind < __GOPROBE_POINT_MAX);
			FUZZ_HOLDS(v->code_len && v->code_len <= GOPROBE_CODE_MAX);
			FUZZ_HOLDS(v->filter <= p->nfilters && v->edit <= p->nfilters);
			FUZZ_HOLDS(v->plan == GOPROBE_NO_PLAN || v->plan < p->nplans);
			run_filter(p, v->filter, (uint32_t)k);
			run_filter(p, v->edit, (uint32_t)k);
		}
	}
}

void planned_see(struct plan *p, uint32_t seed)
{
	struct diag d = { .message = NULL };

	if (plan_finish(p, &d)) {
		FUZZ_HOLDS(d.message);
		diag_fini(&d);
		return;
	}
	see_types(p);
	for (size_t i = 0; i < p->nfuncs; i++) {
		run_frame(p, &p->funcs[i]->call, p->funcs[i]->hidden, seed);
		run_frame(p, &p->funcs[i]->ret, p->funcs[i]->hidden, seed);
	}
	see_points(p);
}
