// SPDX-License-Identifier: GPL-2.0
/*
 * From functions and options to what the module is told. What is the same for
 * many functions (frames, plans) is made once.
 */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "goabi.h"
#include "hmap.h"
#include "insn.h"
#include "noprobe.h"
#include "plan.h"
#include "wiretypes.h"

/* goprobe_limits.frame_bytes of the module. */
#define FRAME_MAX 4096U

const struct plan_options plan_defaults = {
	.string_limit = 256,
	.elements = 64,
	.objects = 128,
	.bytes = 8192,
	.depth = 3,
};

static const char why_too_large[] = "larger than a record can hold";
static const char why_no_code[] = "its code is not in the file";
static const char why_no_memory[] = "out of memory";
static const char why_convention[] = "its calling convention is not clear";

/* A wire plan, found by a hash of what is in it. */
struct known {
	uint32_t id;
	struct known *next;
};

struct plan_private {
	struct plan_options opt;
	struct arena mem;
	struct wiretypes types;
	struct hmap plans;
	struct hmap added;		/* functions, by binary and entry */
	size_t funcs_cap;
	size_t plans_cap;
	size_t pieces_cap;
	size_t files_cap;
	size_t *points_cap;		/* by file */
};

static int grow(void *v, size_t need, size_t *cap, size_t size)
{
	void **p = v, *q;
	size_t n = *cap ? *cap : 16;

	if (need <= *cap)
		return 0;
	while (n < need)
		n *= 2;
	q = reallocarray(*p, n, size);
	if (!q)
		return -1;
	*p = q;
	*cap = n;
	return 0;
}

struct plan *plan_new(const struct plan_options *opt)
{
	struct plan *p = calloc(1, sizeof(*p));
	struct plan_private *priv = calloc(1, sizeof(*priv));

	if (!p || !priv) {
		free(p);
		free(priv);
		return NULL;
	}
	p->priv = priv;
	priv->opt = opt ? *opt : plan_defaults;
	priv->types.plan = p;
	priv->types.mem = &priv->mem;
	return p;
}

void plan_free(struct plan *p)
{
	struct plan_private *priv;

	if (!p)
		return;
	priv = p->priv;
	for (size_t i = 0; i < p->nfiles; i++)
		free(p->files[i].v);
	free(p->funcs);
	free(p->types);
	free(p->gotypes);
	free(p->refs);
	free(p->plans);
	free(p->pieces);
	free(p->files);
	free(priv->points_cap);
	wiretypes_fini(&priv->types);
	hmap_fini(&priv->plans);
	hmap_fini(&priv->added);
	arena_fini(&priv->mem);
	free(priv);
	free(p);
}

uint32_t plan_wire_type(const struct plan *p, const struct gotype *t)
{
	const struct plan_private *priv = p->priv;

	return wiretypes_find(&priv->types, t);
}

static bool is_morestack(void *ctx, uint64_t vaddr)
{
	static const char prefix[] = "runtime.morestack";
	const struct gofunc *fn = gobin_func_at(ctx, vaddr);

	return fn && fn->entry == vaddr &&
	       !strncmp(fn->name, prefix, sizeof(prefix) - 1);
}

/* On success @scan is to be finished with insn_scan_fini(). */
static void survey(struct gobin *bin, const struct gofunc *fn,
		   struct plan_func *info, struct insn_scan *scan)
{
	static const enum plan_entry kinds[] = {
		[INSN_ENTRY_NONE] = PLAN_ENTRY_NONE,
		[INSN_ENTRY_CHECK] = PLAN_ENTRY_CHECK,
		[INSN_ENTRY_PUSH] = PLAN_ENTRY_PUSH,
		[INSN_ENTRY_NOP] = PLAN_ENTRY_NOP,
		[INSN_ENTRY_FIRST] = PLAN_ENTRY_FIRST,
	};
	struct insn_code code = {
		.len = fn->end - fn->entry,
		.vaddr = fn->entry,
		.wrapper = fn->flags & GOFUNC_WRAPPER,
		.is_morestack = is_morestack,
		.ctx = bin,
	};

	memset(info, 0, sizeof(*info));
	memset(scan, 0, sizeof(*scan));
	info->bin = bin;
	info->fn = fn;
	info->refused = noprobe_reason(fn);
	if (info->refused)
		return;
	code.bytes = gobin_code(bin, fn->entry, code.len);
	if (!code.bytes) {
		info->refused = why_no_code;
		return;
	}
	if (insn_scan(&code, scan)) {
		info->refused = why_no_memory;
		return;
	}
	info->refused = scan->refused;
	info->entry = kinds[scan->entry];
	info->nrets = (uint32_t)scan->nrets;
	info->ntails = (uint32_t)scan->ntails;
}

void plan_survey(struct gobin *bin, const struct gofunc *fn,
		 struct plan_func *info)
{
	struct insn_scan scan;

	survey(bin, fn, info, &scan);
	insn_scan_fini(&scan);
}

/* Append the pieces of one value, joining what is contiguous on the stack. */
static int add_pieces(struct plan *p, size_t first,
		      const struct goabi_side *side,
		      const struct goabi_value *at, const struct plan_value *v)
{
	struct plan_private *priv = p->priv;
	struct goprobe_piece *last;

	if (grow(&p->pieces, p->npieces + at->nparts + 1, &priv->pieces_cap,
		 sizeof(*p->pieces)))
		return -1;
	last = p->npieces > first ? &p->pieces[p->npieces - 1] : NULL;
	if (!at->on_stack) {
		for (size_t i = 0; i < at->nparts; i++) {
			const struct goabi_part *part =
				&side->parts[at->part + i];

			p->pieces[p->npieces++] = (struct goprobe_piece){
				.source = part->is_float ?
					  GOPROBE_FROM_FLOAT_REG :
					  GOPROBE_FROM_INT_REG,
				.reg = part->reg,
				.size = part->size,
				.frame = v->offset + part->at,
			};
		}
		return 0;
	}
	/* Values lie on the stack as in the frame, alignment included. */
	if (last && last->source == GOPROBE_FROM_STACK &&
	    v->offset - last->frame == at->stack - (uint32_t)last->offset &&
	    v->offset - last->frame - last->size < 8) {
		last->size = v->offset - last->frame + (uint32_t)v->type->size;
		return 0;
	}
	p->pieces[p->npieces++] = (struct goprobe_piece){
		.source = GOPROBE_FROM_STACK,
		.size = (uint32_t)v->type->size,
		.frame = v->offset,
		.offset = (int32_t)at->stack,
	};
	return 0;
}

/* The wire plan of @type with the pieces from @first on, which it takes. */
static int intern_plan(struct plan *p, uint32_t type, size_t first,
		       uint32_t *ret)
{
	struct plan_private *priv = p->priv;
	size_t n = p->npieces - first, bytes = n * sizeof(*p->pieces);
	uint64_t key = hmap_hash(type, p->pieces + first, bytes);
	struct known *k, *head = hmap_get(&priv->plans, key);

	for (k = head; k; k = k->next) {
		const struct goprobe_plan *w = &p->plans[k->id];

		if (w->type == type && w->npieces == n &&
		    !memcmp(p->pieces + w->piece, p->pieces + first, bytes)) {
			p->npieces = first;
			*ret = k->id;
			return 0;
		}
	}
	k = arena_alloc(&priv->mem, sizeof(*k));
	if (!k || grow(&p->plans, p->nplans + 1, &priv->plans_cap,
		       sizeof(*p->plans)))
		return -1;
	p->plans[p->nplans] = (struct goprobe_plan){
		.type = type,
		.piece = (uint32_t)first,
		.npieces = (uint32_t)n,
		.string_limit = priv->opt.string_limit,
		.elements = priv->opt.elements,
		.objects = priv->opt.objects,
		.bytes = priv->opt.bytes,
		.depth = priv->opt.depth,
	};
	k->id = (uint32_t)p->nplans++;
	k->next = head;
	*ret = k->id;
	return hmap_put(&priv->plans, key, k);
}

/* Lay out @n values one after the other, and say where each comes from. */
static int build_frame(struct plan *p, const struct goparam *params, size_t n,
		       const struct goabi_side *side, struct plan_frame *f)
{
	struct plan_private *priv = p->priv;
	struct plan_value *v = arena_array(&priv->mem, n, sizeof(*v));
	size_t first = p->npieces;
	uint32_t type;

	f->plan = GOPROBE_NO_PLAN;
	if (!v)
		return -1;
	f->values = v;
	f->nvalues = n;
	for (size_t i = 0; i < n; i++) {
		const struct gotype *t = params[i].type;
		uint64_t at = f->size;

		if (t->align > 1)
			at = (at + t->align - 1) / t->align * t->align;
		v[i].name = params[i].name;
		v[i].type = t;
		v[i].stack = side->values[i].on_stack;
		v[i].unavailable = params[i].unavailable;
		if (!v[i].unavailable && at + t->size > FRAME_MAX)
			v[i].unavailable = why_too_large;
		if (v[i].unavailable || !t->size)
			continue;
		v[i].offset = (uint32_t)at;
		f->size = (uint32_t)(at + t->size);
		if (add_pieces(p, first, side, &side->values[i], &v[i]))
			return -1;
	}
	if (!f->size)
		return 0;
	if (wiretypes_frame(&priv->types, v, n, f->size, &type))
		return -1;
	return intern_plan(p, type, first, &f->plan);
}

static int build_frames(struct plan *p, struct plan_func *pf, bool abi0)
{
	const struct gosig *sig = pf->sig;
	size_t n = sig->nparams + sig->nresults;
	struct goabi_call call;
	struct goabi_value *places;
	int err;

	pf->call.plan = GOPROBE_NO_PLAN;
	pf->ret.plan = GOPROBE_NO_PLAN;
	pf->call.unavailable = sig->incomplete;
	if (!pf->call.unavailable && abi0 && !(pf->fn->flags & GOFUNC_ABI0))
		pf->call.unavailable = why_convention;
	if (pf->call.unavailable) {
		pf->ret.unavailable = pf->call.unavailable;
		return 0;
	}
	places = calloc(n + 1, sizeof(*places));
	if (!places)
		return -1;
	call.params.values = places;
	call.results.values = places + sig->nparams;
	err = goabi_assign(sig, abi0, &call);
	if (!err)
		err = build_frame(p, sig->params, sig->nparams, &call.params,
				  &pf->call);
	if (!err)
		err = build_frame(p, sig->results, sig->nresults,
				  &call.results, &pf->ret);
	free(places);
	return err;
}

static struct plan_points *points_of(struct plan *p, struct gobin *bin,
				     size_t **cap)
{
	struct plan_private *priv = p->priv;
	size_t same = priv->files_cap;

	for (size_t i = 0; i < p->nfiles; i++) {
		if (p->files[i].bin == bin) {
			*cap = &priv->points_cap[i];
			return &p->files[i];
		}
	}
	if (grow(&p->files, p->nfiles + 1, &priv->files_cap,
		 sizeof(*p->files)) ||
	    grow(&priv->points_cap, p->nfiles + 1, &same,
		 sizeof(*priv->points_cap)))
		return NULL;
	p->files[p->nfiles] = (struct plan_points){ .bin = bin };
	priv->points_cap[p->nfiles] = 0;
	*cap = &priv->points_cap[p->nfiles];
	return &p->files[p->nfiles++];
}

static int add_point(struct plan *p, const struct plan_func *pf,
		     const struct insn_point *at, struct goprobe_point pt)
{
	uint64_t vaddr = pf->fn->entry + at->at;
	int64_t off = gobin_code_offset(pf->bin, vaddr);
	const uint8_t *code = NULL;
	struct plan_points *file;
	size_t *cap, len = GOPROBE_CODE_MAX;

	/* Fewer bytes at the end of the segment; never less than are proven. */
	while (len >= at->len && !code) {
		code = gobin_code(pf->bin, vaddr, len);
		len -= !code;
	}
	file = points_of(p, pf->bin, &cap);
	if (off < 0 || !code || !file ||
	    grow(&file->v, file->n + 1, cap, sizeof(*file->v)))
		return -1;
	pt.offset = (uint64_t)off;
	pt.id = pf->id;
	pt.code_len = (uint8_t)len;
	memcpy(pt.code, code, len);
	file->v[file->n++] = pt;
	return 0;
}

static int add_points(struct plan *p, const struct plan_func *pf,
		      const struct insn_scan *s, bool abi0)
{
	const struct plan_private *priv = p->priv;
	const uint8_t flags = abi0 ? GOPROBE_POINT_F_ABI0 : 0;
	int err;

	err = add_point(p, pf, &s->call, (struct goprobe_point){
		.kind = GOPROBE_POINT_CALL,
		.plan = pf->call.plan,
		.flags = flags,
		.skip = s->entry == INSN_ENTRY_CHECK ? GOPROBE_SKIP_IF_BE :
			GOPROBE_SKIP_NEVER,
	});
	if (priv->opt.no_return)
		return err;
	for (size_t i = 0; !err && i < s->nrets; i++)
		err = add_point(p, pf, &s->rets[i], (struct goprobe_point){
			.kind = GOPROBE_POINT_RETURN,
			.plan = pf->ret.plan,
			.flags = flags,
		});
	for (size_t i = 0; !err && i < s->ntails; i++)
		err = add_point(p, pf, &s->tails[i], (struct goprobe_point){
			.kind = GOPROBE_POINT_TAIL,
			.plan = GOPROBE_NO_PLAN,
			.flags = flags,
		});
	return err;
}

static int add_func(struct plan *p, const struct plan_func *info,
		    const struct insn_scan *scan)
{
	struct plan_private *priv = p->priv;
	struct plan_func *pf = arena_alloc(&priv->mem, sizeof(*pf));
	bool abi0 = (info->fn->flags & GOFUNC_ABI0) || scan->abi0;

	if (!pf || grow(&p->funcs, p->nfuncs + 1, &priv->funcs_cap,
			sizeof(*p->funcs)))
		return -1;
	*pf = *info;
	pf->id = (uint32_t)p->nfuncs;
	pf->sig = gobin_sig(pf->bin, pf->fn);
	if (build_frames(p, pf, abi0) || add_points(p, pf, scan, abi0))
		return -1;
	p->funcs[p->nfuncs++] = pf;
	return 0;
}

int plan_add(struct plan *p, struct gobin *bin, const struct gofunc *fn,
	     struct diag *d)
{
	struct plan_private *priv = p->priv;
	uint64_t key = hmap_hash((uintptr_t)bin, &fn->entry, sizeof(fn->entry));
	struct insn_scan scan;
	struct plan_func info;
	int err = 0;

	if (fn->entry && hmap_get(&priv->added, key))
		return 0;
	survey(bin, fn, &info, &scan);
	if (info.refused)
		err = diag_set(d, "%s can't be probed: %s", fn->name,
			       info.refused);
	else if (add_func(p, &info, &scan) || hmap_put(&priv->added, key, p))
		err = diag_set(d, "out of memory");
	insn_scan_fini(&scan);
	return err;
}
