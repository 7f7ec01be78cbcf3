// SPDX-License-Identifier: GPL-2.0
/*
 * Plans: functions and options become points, capture plans and types. Functions
 * share equal frames and capture plans.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hmap.h"
#include "compile/edit.h"
#include "gobin/noprobe.h"
#include "gotype/shown_name.h"
#include "plan/dynamic_type.h"
#include "plan/filter.h"
#include "plan/frame.h"
#include "plan/jumps.h"
#include "plan/limit.h"
#include "plan/survey.h"
#include "plan/type_table.h"

const struct plan_options plan_defaults = {
	.string_limit = 256,
	.elements = 64,
	.objects = 256,
	.bytes = 12288,
	.depth = 2,
	.held_bytes = PLAN_HELD_BYTES,
};

static const char why_alone[] = "one instruction alone, so a call and its return look the same";

/* An error, the struct behind it, the error that this wraps. */
#define TEXTS_DEPTH 2

struct plan_private {
	struct plan_options opt;
	struct arena mem;
	struct type_table types;
	struct dynamic_type dynamic;
	struct planframe frames;
	struct plan_filter filters;
	struct hmap added;		/* functions, by binary and entry */
	struct hmap added_at;		/* instructions, by binary and address */
	size_t funcs_cap;
	size_t files_cap;
	const char *refused;		/* plan_refused() */
};

struct plan *plan_new(const struct plan_options *opt)
{
	struct plan *p = calloc(1, sizeof(*p));
	struct plan_private *priv = calloc(1, sizeof(*priv));
	bool counts;

	if (!p || !priv) {
		free(p);
		free(priv);
		return NULL;
	}
	p->priv = priv;
	priv->opt = opt ? *opt : plan_defaults;
	opt = &priv->opt;
	p->o = opt;
	/* Its calls alone: no keys, stacks or values. */
	counts = opt->action == GOPROBE_ACTION_COUNT && !opt->by && !opt->stack;
	p->rows = counts && !opt->places;
	p->sure_inlined = counts && !opt->inlined && !opt->no_inlined;
	p->texts = opt->brief && !opt->depth;
	if (p->texts)
		priv->opt.depth = TEXTS_DEPTH;
	type_table_init(&priv->types, p, &priv->mem, opt->depth);
	dynamic_type_init(&priv->dynamic, p, &priv->mem, &priv->types);
	priv->frames = (struct planframe){ .plan = p, .mem = &priv->mem, .types = &priv->types };
	priv->filters = (struct plan_filter){ .plan = p, .mem = &priv->mem };
	return p;
}

void plan_free(struct plan *p)
{
	struct plan_private *priv;

	if (!p)
		return;
	priv = p->priv;
	for (size_t i = 0; i < p->nfiles; i++) {
		free(p->files[i].v);
		free(p->files[i].dynamic);
	}
	free(p->funcs);
	free(p->types);
	free(p->gotypes);
	free(p->refs);
	free(p->plans);
	free(p->pieces);
	free(p->ops);
	free(p->filters);
	free(p->filter_ops);
	free(p->files);
	free(p->missing);
	type_table_fini(&priv->types);
	dynamic_type_fini(&priv->dynamic);
	plan_frame_fini(&priv->frames);
	plan_filter_fini(&priv->filters);
	hmap_fini(&priv->added);
	hmap_fini(&priv->added_at);
	arena_fini(&priv->mem);
	free(priv);
	free(p);
}

const char *plan_refused(const struct plan *p)
{
	const struct plan_private *priv = p->priv;

	return priv->refused;
}

static struct plan_points *points_of(struct plan *p, struct gobin *bin)
{
	struct plan_private *priv = p->priv;

	for (size_t i = 0; i < p->nfiles; i++)
		if (p->files[i].bin == bin)
			return &p->files[i];
	if (grow(&p->files, p->nfiles + 1, &priv->files_cap, sizeof(*p->files)))
		return NULL;
	p->files[p->nfiles] = (struct plan_points){ .bin = bin };
	return &p->files[p->nfiles++];
}

static int add_point(struct plan *p, const struct plan_func *pf,
		     const struct insn_point *at, struct goprobe_point pt)
{
	uint64_t vaddr = pf->fn->entry + at->at;
	int64_t off = gobin_code_offset(pf->bin, vaddr);
	struct plan_points *file;

	pt.code_len = (uint8_t)gobin_copy_code(pf->bin, vaddr, pt.code, sizeof(pt.code));
	/* What is proven. */
	if (off < 0 || pt.code_len < at->len)
		return -1;
	file = points_of(p, pf->bin);
	if (!file || grow(&file->v, file->n + 1, &file->cap, sizeof(*file->v)))
		return -1;
	pt.offset = (uint64_t)off;
	pt.id = pf->id;
	file->v[file->n++] = pt;
	return 0;
}

static int add_ends(struct plan *p, const struct plan_func *pf, const struct insn_scan *s,
		    uint8_t flags)
{
	bool jumps = p->o->jumps && plan_jumps_at_ends(p, pf);
	int err = 0;

	for (size_t i = 0; !err && i < s->nrets; i++) {
		const struct insn_exit *jump = jumps && !s->exits[i].no_jump ? &s->exits[i] : NULL;

		err = add_point(p, pf, jump ? &jump->begin : &s->rets[i], (struct goprobe_point){
			.kind = GOPROBE_POINT_RETURN,
			.plan = pf->ret.plan,
			.flags = flags | (jump ? GOPROBE_POINT_F_JUMP : 0),
			.sp_adjust = jump ? (int32_t)jump->frame : 0,
			.action = pf->action,
			.filter = pf->ret_filter,
			.edit = pf->ret_edit,
		});
	}
	for (size_t i = 0; !err && i < s->ntails; i++)
		err = add_point(p, pf, &s->tails[i], (struct goprobe_point){
			.kind = GOPROBE_POINT_TAIL,
			.plan = GOPROBE_NO_PLAN,
			.flags = flags,
			.action = pf->action,
			.filter = pf->tail_filter,
		});
	return err;
}

static int add_points(struct plan *p, const struct plan_func *pf, const struct insn_scan *s)
{
	const uint8_t flags = (pf->in_tls ? GOPROBE_POINT_F_ABI0 : 0) |
			      (pf->paired ? GOPROBE_POINT_F_PAIRED : 0) |
			      (pf->keyed && pf->action == GOPROBE_ACTION_TIME ?
			       GOPROBE_POINT_F_KEYED : 0);
	bool jump = p->o->jumps && !s->no_jump && plan_jumps_at_entry(p, pf);
	bool at_end = pf->role == PLAN_ROLE_GO || pf->role == PLAN_ROLE_ERROR;
	int err = 0;

	if (!pf->only_ends && !at_end)
		err = add_point(p, pf, &s->call, (struct goprobe_point){
			.kind = GOPROBE_POINT_CALL,
			.plan = pf->call.plan,
			.flags = flags | (jump ? GOPROBE_POINT_F_JUMP : 0) |
				 (pf->held ? GOPROBE_POINT_F_PENDING : 0) |
				 (pf->unwound ? GOPROBE_POINT_F_UNWOUND : 0),
			.skip = s->entry == INSN_ENTRY_CHECK ? GOPROBE_SKIP_IF_BE :
				GOPROBE_SKIP_NEVER,
			.action = pf->action,
			.filter = pf->call_filter,
			.edit = pf->call_edit,
		});
	if (err || !pf->ends || (pf->hidden && !at_end))
		return err;
	return add_ends(p, pf, s, flags | (p->o->split && pf->paired ? GOPROBE_POINT_F_SPLIT : 0));
}

/* The largest record of a call that is held. */
static void hold(struct plan *p, const struct plan_func *pf)
{
	uint32_t bytes = sizeof(struct goprobe_record) + sizeof(uint64_t);

	if (pf->call.plan != GOPROBE_NO_PLAN) {
		const struct goprobe_plan *w = &p->plans[pf->call.plan];

		bytes += (pf->call.size + 7) / 8 * 8 + w->bytes;
		for (uint32_t i = 0; i < w->nops; i++)
			if (p->ops[w->op + i].code == GOPROBE_OP_TRY)
				bytes += sizeof(struct goprobe_chunk);
	}
	if (bytes > p->held_bytes)
		p->held_bytes = bytes;
}

/* What its records have in them. */
static int add_frames(struct plan *p, struct plan_func *pf, const struct plan_request *req)
{
	struct plan_private *priv = p->priv;
	int err;

	if (pf->action != GOPROBE_ACTION_RECORD) {
		pf->call.plan = GOPROBE_NO_PLAN;
		pf->ret.plan = GOPROBE_NO_PLAN;
		return 0;
	}
	pf->sig = req->sig ? req->sig : gobin_sig(pf->bin, pf->fn);
	/* What a panic holds is captured in any case: plan_frame_build(). */
	if (pf->hidden && pf->role == PLAN_ROLE_PANIC && !priv->types.depth)
		priv->types.depth = 1;
	err = (!pf->hidden && dynamic_type_trace(&priv->dynamic, pf->bin, pf->fn)) ||
	      plan_frame_build(&priv->frames, pf, req);
	if (!err && pf->held)
		hold(p, pf);
	return err ? -1 : 0;
}

/* @pf says what its points do. 0, or -1 without memory. */
static int add_func(struct plan *p, const struct plan_func *info, const struct insn_scan *scan,
		    const struct plan_request *req)
{
	struct plan_private *priv = p->priv;
	struct plan_func *pf = arena_alloc(&priv->mem, sizeof(*pf));

	if (!pf || grow(&p->funcs, p->nfuncs + 1, &priv->funcs_cap, sizeof(*p->funcs)))
		return -1;
	*pf = *info;
	pf->id = (uint32_t)p->nfuncs;
	pf->failed = req->failed;
	pf->role = req->role;
	pf->wraps = req->wraps;
	pf->hidden = req->role;
	if (add_frames(p, pf, req) || add_points(p, pf, scan))
		return -1;
	p->funcs[p->nfuncs++] = pf;
	shown_name_expect(pf->fn->name);
	p->nhidden += pf->hidden;
	return 0;
}

/* What is changed of the calls of @pf. 0, or -1 with @d set. */
static int decide_edit(struct plan *p, struct plan_func *pf, const struct plan_request *req,
		       struct diag *d)
{
	struct plan_private *priv = p->priv;
	const struct edit_pair *edit = req->edit;

	if (!edit)
		return 0;
	if (pf->abi0 && !(pf->fn->flags & GOFUNC_ABI0))
		return diag_set(d, "%s can't be changed: its calling convention is not clear",
				pf->fn->name);
	if (edit->ret.nops && p->o->no_return)
		return diag_set(d, "what is changed 'on return' needs the returns of %s, and --no-return leaves them out",
				pf->fn->name);
	p->edits |= !p->o->dry_run;
	p->delays |= !p->o->dry_run && (edit->call.delay || edit->ret.delay);
	if (!p->o->dry_run &&
	    (plan_filter_add_edit(&priv->filters, edit->call.ops, edit->call.nops,
				  &pf->call_edit) ||
	     plan_filter_add_edit(&priv->filters, edit->ret.ops, edit->ret.nops, &pf->ret_edit)))
		return diag_set(d, "out of memory");
	return 0;
}

/*
 * Calls that are timed, or remembered, differ from their ends by the place. Of an instruction
 * that is both the module would not know which. 0, or -1 with @d set.
 */
static int check_alone(struct plan_private *priv, const struct plan_func *pf,
		       const struct insn_scan *scan, struct diag *d)
{
	if (!pf->ends || pf->only_ends || !insn_is_alone(scan) ||
	    (pf->action != GOPROBE_ACTION_TIME && !pf->paired))
		return 0;
	priv->refused = why_alone;
	diag_set(d, "%s is %s", pf->fn->name, why_alone);
	diag_hint(d, "'goprobectl count' counts its calls, and attach --no-return shows them");
	return -1;
}

static int refuse(const char *name, const char *why, struct diag *d)
{
	diag_set(d, "%s can't be probed: %s", name, why);
	if (noprobe_hint(why))
		diag_hint(d, "%s", noprobe_hint(why));
	return -1;
}

int plan_add_request(struct plan *p, struct gobin *bin, const struct gofunc *fn,
		     const struct plan_request *req, struct diag *d)
{
	struct plan_private *priv = p->priv;
	uint64_t key = hmap_hash((uintptr_t)bin, &fn->entry, sizeof(fn->entry));
	struct insn_scan scan;
	struct plan_func info;
	int err = 0;

	if (fn->entry && req->role != PLAN_ROLE_ERROR && hmap_get(&priv->added, key))
		return 0;
	plan_survey_scan(bin, fn, p->o->jumps, req->edit && req->edit->call.nsets, &info,
			 &scan);
	priv->refused = info.refused;
	if (info.refused)
		err = refuse(fn->name, info.refused, d);
	else if (plan_filter_decide(&priv->filters, &info, req, p->o->no_return, d) ||
		 check_alone(priv, &info, &scan, d) || decide_edit(p, &info, req, d))
		err = -1;
	else if (add_func(p, &info, &scan, req) || hmap_put(&priv->added, key, p))
		err = diag_set(d, "out of memory");
	insn_scan_fini(&scan);
	return err;
}

int plan_add_errors(struct plan *p, struct diag *d)
{
	size_t n = p->nfuncs;

	for (size_t i = 0; i < n; i++) {
		struct plan_func *of = p->funcs[i];
		const struct plan_request req = { .filter = of->failed, .role = PLAN_ROLE_ERROR };

		if (!of->failed)
			continue;
		if (plan_add_request(p, of->bin, of->fn, &req, d))
			return -1;
		of->errors = p->funcs[p->nfuncs - 1]->id;
	}
	return 0;
}

int plan_add(struct plan *p, struct gobin *bin, const struct gofunc *fn,
	     struct diag *d)
{
	return plan_add_request(p, bin, fn, &(struct plan_request){ NULL }, d);
}

/* --- single instructions --------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* NULL without memory. */
static const struct plan_at *describe_at(struct plan_private *priv, const struct place *place)
{
	struct plan_at *at = arena_alloc(&priv->mem, sizeof(*at));
	const struct gofunc *fn = place->fn;
	struct goline line = { 0 };
	uint64_t offset = place->vaddr - fn->entry;

	if (!at)
		return NULL;
	gobin_line(place->bin, place->vaddr, &line);
	at->vaddr = place->vaddr;
	at->file = line.file;
	at->line = line.line;
	at->begins = place->inlined;
	at->unsure = place->unsure;
	if (place->inlined)
		at->inlined = place->inlined;
	else if (line.func && strcmp(line.func, fn->name) != 0)
		at->inlined = line.func;
	at->name = !line.file ? arena_printf(&priv->mem, "%s+0x%llx", fn->name,
					     (unsigned long long)offset) :
		   arena_printf(&priv->mem, "%s+0x%llx %s:%d", fn->name,
				(unsigned long long)offset, base_name(line.file), line.line);
	if (at->name && at->inlined)
		at->name = arena_printf(&priv->mem, "%s (%s, inlined)", at->name, at->inlined);
	return at->name ? at : NULL;
}

/* @info says what it does. 0, or -1 without memory. */
static int add_at(struct plan *p, const struct plan_func *info, const struct insn_point *point,
		  const struct plan_request *req)
{
	struct plan_private *priv = p->priv;
	struct plan_func *pf = arena_alloc(&priv->mem, sizeof(*pf));
	struct goprobe_point wire;
	int32_t sp;

	if (!pf || grow(&p->funcs, p->nfuncs + 1, &priv->funcs_cap, sizeof(*p->funcs)) ||
	    gobin_sp(info->bin, info->fn, info->at->vaddr, &sp))
		return -1;
	*pf = *info;
	pf->id = (uint32_t)p->nfuncs;
	if (add_frames(p, pf, req))
		return -1;
	wire = (struct goprobe_point){
		.kind = GOPROBE_POINT_AT,
		.plan = pf->call.plan,
		.flags = pf->abi0 ? GOPROBE_POINT_F_ABI0 : 0,
		.sp_adjust = sp,
		.action = pf->action,
		.filter = pf->call_filter,
	};
	if (add_point(p, pf, point, wire))
		return -1;
	p->funcs[p->nfuncs++] = pf;
	shown_name_expect(pf->fn->name);
	return 0;
}

int plan_add_at(struct plan *p, const struct place *place, const struct plan_request *req,
		struct diag *d)
{
	struct plan_private *priv = p->priv;
	uint64_t key = place_key(place);
	struct plan_func info = {
		.bin = place->bin, .fn = place->fn, .abi0 = place->fn->flags & GOFUNC_ABI0,
	};
	struct insn_point point;

	if (hmap_get(&priv->added_at, key))
		return 0;
	info.refused = plan_survey_at(place, &point);
	if (info.refused)
		return diag_set(d, "%s+%#llx can't be probed: %s", place->fn->name,
				(unsigned long long)(place->vaddr - place->fn->entry),
				info.refused);
	info.at = describe_at(priv, place);
	if (!info.at)
		return diag_set(d, "out of memory");
	if (plan_filter_decide(&priv->filters, &info, req, true, d))
		return -1;
	if (add_at(p, &info, &point, req) || hmap_put(&priv->added_at, key, p))
		return diag_set(d, "out of memory");
	return 0;
}

/* --- functions that others' conditions name ------------------------------------- */

/* The function of @u that is traced for its own sake, so that its calls are known; or NULL. */
static struct plan_func *find_traced(struct plan *p, const struct plan_filter_under *u)
{
	for (size_t i = 0; i < p->nfuncs; i++) {
		struct plan_func *pf = p->funcs[i];

		if (pf->bin == u->bin && pf->fn == u->fn && !pf->at &&
		    pf->action < GOPROBE_ACTION_STATE)
			return pf;
	}
	return NULL;
}

static void pair_point(struct gobin *bin, struct goprobe_point *pt)
{
	plan_jumps_keep_trap(bin, pt);
	pt->flags |= GOPROBE_POINT_F_PAIRED;
}

/* For all points of @pf; NULL: of all functions. */
static void each_point(struct plan *p, const struct plan_func *pf,
		       void (*change)(struct gobin *bin, struct goprobe_point *pt))
{
	for (size_t i = 0; i < p->nfiles; i++)
		for (size_t k = 0; k < p->files[i].n; k++)
			if (!pf || p->files[i].v[k].id == pf->id)
				change(p->files[i].bin, &p->files[i].v[k]);
}

void plan_keep_traps(struct plan *p)
{
	each_point(p, NULL, plan_jumps_keep_trap);
}

/* Points that only notify the module. 0, or -1 with @d set. */
static int add_around(struct plan *p, struct plan_func *info, const struct insn_scan *scan,
		      struct diag *d)
{
	static const struct plan_request nothing;

	info->around = true;
	if (add_func(p, info, scan, &nothing))
		return diag_set(d, "out of memory");
	p->naround++;
	return 0;
}

/* The points behind the first @n of their file go before these. */
static void put_first(struct plan_points *file, size_t n)
{
	struct goprobe_point pt;

	for (size_t i = n; i < file->n; i++) {
		pt = file->v[i];
		memmove(file->v + i - n + 1, file->v + i - n, n * sizeof(*file->v));
		file->v[i - n] = pt;
	}
}

int plan_add_notification(struct plan *p, struct gobin *bin, const struct gofunc *fn,
			  const struct plan_notification *note, struct diag *d)
{
	struct plan_private *priv = p->priv;
	struct plan_points *file;
	struct insn_scan scan;
	struct plan_func info;
	size_t n = 0;
	int err = 0;

	plan_survey_points(bin, fn, &info, &scan);
	info.action = note->action;
	info.ends = note->ret;
	info.only_ends = note->ret;
	for (size_t i = 0; i < p->nfiles; i++)
		n = p->files[i].bin == bin ? p->files[i].n : n;
	if (info.refused)
		err = diag_set(d, "%s can't be probed: %s", fn->name, info.refused);
	else if (plan_filter_ops(&priv->filters, note->ops, note->nops,
				 note->ret ? &info.ret_filter : &info.call_filter))
		err = diag_set(d, "out of memory");
	else
		err = add_around(p, &info, &scan, d);
	insn_scan_fini(&scan);
	file = err ? NULL : points_of(p, bin);
	if (file && note->first)
		put_first(file, n);
	return err;
}

/*
 * The module is notified when a call of @u's function is open: by the points of @pf, if that is
 * traced with its ends, or by others. 0, or -1 with @d set.
 */
static int notify_open(struct plan *p, const struct plan_filter_under *u, struct plan_func *pf,
		       struct diag *d)
{
	struct insn_scan scan;
	struct plan_func info;
	int err = 0;

	plan_survey_points(u->bin, u->fn, &info, &scan);
	info.action = GOPROBE_ACTION_TIME;
	info.ends = true;
	if (info.refused) {
		err = diag_set(d, "%s can't be probed: %s", u->fn->name, info.refused);
	} else if (check_alone(p->priv, &info, &scan, d)) {
		diag_hint(d, "it calls nothing, so nothing is under it");
		err = -1;
	} else if (pf && pf->ends) {
		pf->paired |= pf->action == GOPROBE_ACTION_RECORD;
		each_point(p, pf, pf->paired ? pair_point : plan_jumps_keep_trap);
	} else {
		/* What only counts its calls goes on doing so. */
		err = add_around(p, &info, &scan, d);
	}
	insn_scan_fini(&scan);
	return err;
}

static int settle_under(struct plan *p, const struct plan_filter_under *u, struct diag *d)
{
	struct plan_private *priv = p->priv;
	struct plan_func *pf = find_traced(p, u);
	int err;

	if (pf && (pf->call_filter || pf->ret_filter))
		err = diag_set(d, "%s is traced with a %s of its own, so not all of its calls are known",
			       u->fn->name, pf->keyed ? "key" :
			       plan_limit_any(&p->o->limits) ? "limit" : "condition");
	else
		err = notify_open(p, u, pf, d);
	if (err)
		diag_span(d, u->text, u->e->at, u->e->len);
	else
		plan_filter_settle(&priv->filters, u,
				   pf && pf->ends ? pf->id : p->funcs[p->nfuncs - 1]->id);
	return err;
}

static int settle_unders(struct plan *p, struct diag *d)
{
	struct plan_private *priv = p->priv;

	for (; priv->filters.unders; priv->filters.unders = priv->filters.unders->next)
		if (settle_under(p, priv->filters.unders, d))
			return -1;
	return 0;
}

int plan_finish(struct plan *p, struct diag *d)
{
	struct plan_private *priv = p->priv;

	if (settle_unders(p, d))
		return -1;
	if (dynamic_type_begin(&priv->dynamic) || type_table_make(&priv->types) ||
	    dynamic_type_settle(&priv->dynamic))
		return diag_set(d, "out of memory");
	plan_jumps_keep_at_ends(p);
	priv->types.most = TYPE_TABLE_LEARN_MAX;
	priv->types.most_refs = TYPE_TABLE_LEARN_REFS_MAX;
	priv->dynamic.most = DYNAMIC_TYPE_LEARN_MAX;
	return 0;
}

int plan_learn_type(struct plan *p, struct gobin *bin, uint64_t vaddr, uint32_t level)
{
	struct plan_private *priv = p->priv;

	return dynamic_type_add(&priv->dynamic, bin, vaddr, level);
}

int plan_learn_func(struct plan *p, struct gobin *bin, uint64_t vaddr, uint32_t level)
{
	struct plan_private *priv = p->priv;

	return dynamic_type_add_func(&priv->dynamic, bin, vaddr, level);
}

int64_t plan_frame_size(void *plan, uint32_t id)
{
	const struct plan *p = plan;

	if (id >= p->nplans || p->plans[id].type >= p->ntypes)
		return -1;
	return p->types[p->plans[id].type].size;
}

struct goprobe_runtime plan_runtime(const struct plan_points *f)
{
	struct goprobe_runtime rt = *gobin_runtime(f->bin);

	rt.code_delta = (int64_t)(gobin_code_vaddr(f->bin, f->v->offset) - f->v->offset);
	return rt;
}
