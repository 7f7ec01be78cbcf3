// SPDX-License-Identifier: GPL-2.0
/* Jumps of a plan: which points may become jumps, and which keep their trap. */
#include <arch/detour.h>

#include "plan/jumps.h"

static bool may_time(const struct plan *p, const struct plan_func *pf)
{
	/* That a call which others' conditions name is open the module needs to know itself. */
	return !pf->around && !pf->call_filter && !pf->ret_filter && !p->o->split && !pf->keyed &&
	       !pf->in_tls;
}

/* Records without a filter. plan_jumps_keep_at_ends() and the module look at what is in them. */
static bool may_record(const struct plan_func *pf)
{
	return !pf->hidden && !pf->paired && !pf->in_tls;
}

bool plan_jumps_at_entry(const struct plan *p, const struct plan_func *pf)
{
	/* A jump can at least reject calls that do not pass their condition. */
	bool rejects = pf->call_filter && !pf->paired;

	if (pf->action == GOPROBE_ACTION_TIME)
		return may_time(p, pf);
	return pf->action == GOPROBE_ACTION_COUNT ||
	       (pf->action == GOPROBE_ACTION_RECORD && !pf->call_edit &&
		(rejects || may_record(pf)));
}

bool plan_jumps_at_ends(const struct plan *p, const struct plan_func *pf)
{
	if (pf->action == GOPROBE_ACTION_TIME)
		return may_time(p, pf);
	return pf->action == GOPROBE_ACTION_RECORD && !pf->ret_edit && !pf->ret_filter &&
	       may_record(pf);
}

void plan_jumps_keep_trap(struct gobin *bin, struct goprobe_point *pt)
{
	bool jump = pt->flags & GOPROBE_POINT_F_JUMP;
	struct gp_detour_site site;

	pt->flags &= (uint8_t)~GOPROBE_POINT_F_JUMP;
	if (!jump || pt->kind != GOPROBE_POINT_RETURN ||
	    gp_detour_find_exit(pt->code, pt->code_len, 0, &site))
		return;
	pt->offset += site.branch_len;
	pt->sp_adjust = 0;
	pt->code_len = (uint8_t)gobin_copy_code(bin, gobin_code_vaddr(bin, pt->offset), pt->code,
						sizeof(pt->code));
}

/* Does a reference of the frame's type need more than its copy? */
static bool is_frame_final(const struct plan *p, const struct goprobe_plan *w)
{
	const struct goprobe_type *t = &p->types[w->type];

	for (uint32_t i = 0; i < t->nrefs; i++)
		if (w->depth || p->refs[t->ref + i].kind == GOPROBE_REF_WIPE)
			return false;
	return true;
}

/* Can code in the process write what the plan has in a record? It can read registers alone. */
static bool is_in_registers(const struct plan *p, uint32_t plan)
{
	/* RBP, RSP, and what detours use themselves. */
	static const uint32_t other = 1U << 6 | 1U << 7 | 1U << 12 | 1U << 13 | 1U << 15;
	const struct goprobe_plan *w;

	if (plan == GOPROBE_NO_PLAN)
		return true;
	w = &p->plans[plan];
	if (w->nops || w->nstack || w->npieces > GP_DETOUR_WORDS || !is_frame_final(p, w))
		return false;
	for (uint32_t i = 0; i < w->npieces; i++) {
		const struct goprobe_piece *piece = &p->pieces[w->piece + i];

		if (piece->source != GOPROBE_FROM_INT_REG || other >> piece->reg & 1)
			return false;
	}
	return true;
}

/* At a RET a trap costs less than at its epilogue. Entries say why they keep it. */
void plan_jumps_keep_at_ends(struct plan *p)
{
	for (size_t i = 0; i < p->nfiles; i++)
		for (size_t k = 0; k < p->files[i].n; k++) {
			struct goprobe_point *pt = &p->files[i].v[k];

			if (pt->kind == GOPROBE_POINT_RETURN &&
			    pt->action == GOPROBE_ACTION_RECORD && !is_in_registers(p, pt->plan))
				plan_jumps_keep_trap(p->files[i].bin, pt);
		}
}
