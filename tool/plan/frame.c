// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: the contents of a function's records, and how the module assembles them.
 * Functions share equal parts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "compile/edit.h"
#include "gobin/abi.h"
#include "gobin/function_code.h"
#include "gobin/runtime_layout.h"
#include "plan/frame.h"
#include "x86/regs.h"

#define WORD 8U

static const char why_too_large[] = "larger than a record can hold";
static const char why_convention[] = "its calling convention is not clear";

/* A wire plan, found by a hash of what is in it. */
struct known {
	uint32_t id;
	struct known *next;
};

/* What a wire plan is made of while it is made: all from the first ones on. */
struct parts {
	size_t piece;
	size_t op;
};

void plan_frame_fini(struct planframe *f)
{
	hmap_fini(&f->known);
}

static struct parts parts_begin(const struct planframe *f)
{
	return (struct parts){ f->plan->npieces, f->plan->nops };
}

static int add_piece(struct planframe *f, struct goprobe_piece piece)
{
	struct plan *p = f->plan;

	if (grow(&p->pieces, p->npieces + 1, &f->pieces_cap, sizeof(*p->pieces)))
		return -1;
	p->pieces[p->npieces++] = piece;
	return 0;
}

static int add_registers(struct planframe *f, const struct abi_side *side,
			 const struct abi_value *at, uint32_t offset)
{
	for (size_t i = 0; i < at->nparts; i++) {
		const struct abi_part *part = &side->parts[at->part + i];
		struct goprobe_piece piece = {
			.source = part->is_float ? GOPROBE_FROM_FLOAT_REG :
						   GOPROBE_FROM_INT_REG,
			.reg = part->reg,
			.size = part->size,
			.frame = offset + part->at,
		};

		if (add_piece(f, piece))
			return -1;
	}
	return 0;
}

/* The pieces of one value, joining what is contiguous on the stack. */
static int add_value(struct planframe *f, const struct parts *first,
		     const struct abi_side *side,
		     const struct abi_value *at, uint32_t offset, uint32_t size)
{
	struct plan *p = f->plan;
	struct goprobe_piece *last;

	if (!at->on_stack)
		return add_registers(f, side, at, offset);
	last = p->npieces > first->piece ? &p->pieces[p->npieces - 1] : NULL;
	/* Values lie on the stack as in the frame, alignment included. */
	if (last && last->source == GOPROBE_FROM_STACK &&
	    offset - last->frame == at->stack - (uint32_t)last->offset &&
	    offset - last->frame - last->size < WORD) {
		last->size = offset - last->frame + size;
		return 0;
	}
	return add_piece(f, (struct goprobe_piece){
		.source = GOPROBE_FROM_STACK,
		.size = size,
		.frame = offset,
		.offset = (int32_t)at->stack,
	});
}

static bool same(const struct plan *p, const struct goprobe_plan *a,
		 const struct goprobe_plan *b)
{
	return a->type == b->type && a->bytes == b->bytes && a->stack == b->stack &&
	       a->nstack == b->nstack && a->npieces == b->npieces &&
	       a->nops == b->nops &&
	       (!a->npieces || !memcmp(p->pieces + a->piece, p->pieces + b->piece,
				       a->npieces * sizeof(*p->pieces))) &&
	       (!a->nops || !memcmp(p->ops + a->op, p->ops + b->op,
				    a->nops * sizeof(*p->ops)));
}

/* The wire plan of @fr, whose type is @type, with the parts from @first on, which it takes. */
static int intern_plan(struct planframe *f, uint32_t type, const struct parts *first,
		       struct plan_frame *fr)
{
	struct plan *p = f->plan;
	struct goprobe_plan w = {
		.type = type,
		.piece = (uint32_t)first->piece,
		.npieces = (uint32_t)(p->npieces - first->piece),
		.op = (uint32_t)first->op,
		.nops = (uint32_t)(p->nops - first->op),
		.string_limit = f->plan->o->string_limit,
		.elements = f->plan->o->elements,
		.objects = f->plan->o->objects,
		.bytes = f->bytes,
		.depth = f->depth,
		.stack = fr->stack,
		.nstack = fr->nstack,
	};
	/* Without pieces, or operations, there may be no table of them. */
	uint64_t key = hmap_hash(type, w.npieces ? p->pieces + w.piece : NULL,
				 w.npieces * sizeof(*p->pieces));
	struct known *k, *head;

	key = hmap_hash(key, w.nops ? p->ops + w.op : NULL, w.nops * sizeof(*p->ops));
	head = hmap_get(&f->known, key);
	for (k = head; k; k = k->next) {
		if (!same(p, &p->plans[k->id], &w))
			continue;
		p->npieces = first->piece;
		p->nops = first->op;
		fr->plan = k->id;
		return 0;
	}
	k = arena_alloc(f->mem, sizeof(*k));
	if (!k || grow(&p->plans, p->nplans + 1, &f->plans_cap, sizeof(*p->plans)))
		return -1;
	k->id = (uint32_t)p->nplans;
	k->next = head;
	p->plans[p->nplans++] = w;
	fr->plan = k->id;
	return hmap_put(&f->known, key, k);
}

/*
 * The type of the finished frame, and its plan. @hidden more values are behind
 * those that are shown.
 */
static int finish(struct planframe *f, struct gobin *bin, const struct parts *first,
		  size_t hidden, struct plan_frame *fr)
{
	uint32_t type;

	if (!fr->size)
		return 0;
	if (type_table_frame(f->types, bin, fr->values, fr->nvalues + hidden, fr->size,
			     f->texts, &type))
		return -1;
	return intern_plan(f, type, first, fr);
}

/* The place of a value of @size bytes behind what the frame has; UINT64_MAX: none. */
static uint64_t reserve(struct plan_frame *fr, uint64_t size, uint32_t align)
{
	uint64_t at = fr->size;

	if (align > 1)
		at = (at + align - 1) / align * align;
	if (size > PLAN_FRAME_MAX || at + size > PLAN_FRAME_MAX)
		return UINT64_MAX;
	fr->size = (uint32_t)(at + size);
	return at;
}

/* Values that are shown of an edit. */
static size_t shown(const struct edit *edit)
{
	return edit ? edit->show.nvalues : 0;
}

/* A part of a program that has been made for a frame, and items, of its own. */
static struct goprobe_op moved(struct goprobe_op op, uint32_t frame, size_t item)
{
	if (op.code == GOPROBE_OP_TRY)
		op.value += item;
	else if (op.code == GOPROBE_OP_FRAME || op.code == GOPROBE_OP_STORE ||
		 op.code == GOPROBE_OP_COPY)
		op.offset += frame;
	return op;
}

/*
 * Values of @edit, after those of the frame: value @item and the next ones, which the frame
 * has space for.
 */
static int add_edit(struct planframe *f, const struct edit *edit, size_t item,
		    struct plan_frame *fr)
{
	struct plan_value *v = (struct plan_value *)(uintptr_t)fr->values + item;
	const struct plan_capture *show = &edit->show;
	uint64_t at = reserve(fr, show->size, WORD);
	struct plan *p = f->plan;

	fr->first_edit = item;
	for (size_t i = 0; i < show->nvalues; i++) {
		v[i] = show->values[i];
		v[i].offset += (uint32_t)at;
		if (at == UINT64_MAX)
			v[i].unavailable = why_too_large;
	}
	if (at == UINT64_MAX)
		return 0;
	for (size_t i = 0; i < show->npieces; i++) {
		struct goprobe_piece piece = show->pieces[i];

		piece.frame += (uint32_t)at;
		if (add_piece(f, piece))
			return -1;
	}
	if (grow(&p->ops, p->nops + show->nops, &f->ops_cap, sizeof(*p->ops)))
		return -1;
	for (size_t i = 0; i < show->nops; i++)
		p->ops[p->nops++] = moved(show->ops[i], (uint32_t)at, item);
	return 0;
}

/* Lay out @n values one after the other, and say where each comes from. */
static int lay_out(struct planframe *f, const struct goparam *params, size_t n,
		   const struct abi_side *side, const struct parts *first,
		   const struct edit *edit, struct plan_frame *fr)
{
	/* With space for hidden values. */
	struct plan_value *v = arena_array(f->mem, 2 * n + shown(edit), sizeof(*v));

	if (!v)
		return -1;
	fr->values = v;
	fr->nvalues = n;
	for (size_t i = 0; i < n; i++) {
		const struct gotype *t = params[i].type;
		uint64_t at;

		v[i].name = params[i].name;
		v[i].type = t;
		v[i].stack = side->values[i].on_stack;
		v[i].unavailable = params[i].unavailable;
		if (!v[i].unavailable && (secret_is_name(&f->plan->o->secrets, params[i].name, t) ||
					  secret_is_type(&f->plan->o->secrets, t)))
			v[i].unavailable = secret_why;
		v[i].param = params[i].dict_word ? &params[i] : NULL;
		if (v[i].unavailable || !t->size)
			continue;
		at = reserve(fr, t->size, t->align);
		if (at == UINT64_MAX) {
			v[i].unavailable = why_too_large;
			continue;
		}
		v[i].offset = (uint32_t)at;
		if (add_value(f, first, side, &side->values[i], v[i].offset,
			      (uint32_t)t->size))
			return -1;
	}
	return 0;
}

/* The dictionary has the type arguments of a generic function. */
static int add_dictionary(struct planframe *f, const struct abi_call *call,
			  const struct parts *first, struct plan_frame *fr)
{
	uint64_t at = reserve(fr, WORD, WORD);

	if (at == UINT64_MAX)
		return 0;
	fr->has_dict = true;
	fr->dict = (uint32_t)at;
	return add_value(f, first, &call->params, &call->dict, fr->dict, WORD);
}

/*
 * A function that uses none of the arguments in registers does not keep them when it starts again
 * with a larger stack. They are unavailable then.
 */
static int add_lost(struct planframe *f, const struct plan_func *pf, struct plan_frame *fr)
{
	uint64_t again = function_code_again(pf->bin, pf->fn);
	struct plan *p = f->plan;
	struct goprobe_op *op;
	size_t n = 0;

	for (size_t i = 0; i < fr->nvalues; i++)
		n += !fr->values[i].stack && fr->values[i].type->size;
	if (!again || !n)
		return 0;
	if (grow(&p->ops, p->nops + 3 + 2 * n, &f->ops_cap, sizeof(*p->ops)))
		return -1;
	op = p->ops + p->nops;
	*op++ = (struct goprobe_op){ .code = GOPROBE_OP_REG, .b = REGS_RBX };
	*op++ = (struct goprobe_op){ .code = GOPROBE_OP_STATIC, .a = 1, .value = again };
	*op++ = (struct goprobe_op){ .code = GOPROBE_OP_JNE, .b = 1, .offset = (uint32_t)(2 * n) };
	for (size_t i = 0; i < fr->nvalues; i++) {
		if (fr->values[i].stack || !fr->values[i].type->size)
			continue;
		*op++ = (struct goprobe_op){ .code = GOPROBE_OP_TRY, .offset = 1, .value = i };
		*op++ = (struct goprobe_op){ .code = GOPROBE_OP_FAIL,
					     .value = GOPROBE_CHUNK_UNUSED };
	}
	p->nops = (size_t)(op - p->ops);
	return 0;
}

/* Is it a pointer whose element type is only in the dictionary? */
static bool is_shaped_pointer(const struct plan_value *v)
{
	return v->param && !v->unavailable &&
	       (v->type->kind == GOTYPE_POINTER || v->type->kind == GOTYPE_MAP ||
		v->type->kind == GOTYPE_CHAN);
}

static const struct gotype any = {
	.kind = GOTYPE_INTERFACE, .name = "interface {}", .size = 2 * WORD, .align = WORD,
	.empty = true,
};

/*
 * All pointers have the same shape. An empty interface of the type that the
 * dictionary has, and of the pointer, leads the module to the real type.
 */
static int add_real(struct planframe *f, const struct plan_value *v, size_t item,
		    struct plan_frame *fr, struct plan_value *hidden)
{
	struct plan *p = f->plan;
	uint64_t at = reserve(fr, any.size, any.align);
	const struct goprobe_op ops[] = {
		{ .code = GOPROBE_OP_TRY, .offset = 5, .value = item },
		{ .code = GOPROBE_OP_FRAME, .size = WORD, .offset = fr->dict },
		{ .code = GOPROBE_OP_LOAD, .size = WORD,
		  .value = (uint64_t)(v->param->dict_word - 1) * WORD },
		{ .code = GOPROBE_OP_STORE, .size = WORD, .offset = (uint32_t)at },
		{ .code = GOPROBE_OP_FRAME, .size = WORD, .offset = v->offset },
		{ .code = GOPROBE_OP_STORE, .size = WORD, .offset = (uint32_t)at + WORD },
	};
	const size_t n = sizeof(ops) / sizeof(*ops);

	if (at == UINT64_MAX) {
		hidden->unavailable = why_too_large;
		return 0;
	}
	hidden->type = &any;
	hidden->offset = (uint32_t)at;
	if (grow(&p->ops, p->nops + n, &f->ops_cap, sizeof(*p->ops)))
		return -1;
	memcpy(p->ops + p->nops, ops, sizeof(ops));
	p->nops += n;
	return 0;
}

/* Number of hidden values, or -1 without memory. */
static int add_reals(struct planframe *f, struct plan_frame *fr)
{
	/* lay_out() made them. */
	struct plan_value *v = (struct plan_value *)(uintptr_t)fr->values;
	size_t n = fr->nvalues;

	for (size_t i = 0; fr->has_dict && i < fr->nvalues; i++) {
		if (!is_shaped_pointer(&v[i]))
			continue;
		if (add_real(f, &v[i], n, fr, &v[n]))
			return -1;
		n++;
	}
	return (int)(n - fr->nvalues);
}

/* Whose frame comes next decides what is in it, and how much may be behind it. */
static void begin_frame(struct planframe *f, const struct plan_func *pf, bool results)
{
	const struct plan_options *o = f->plan->o;
	uint32_t held = o->held_bytes < o->bytes ? o->held_bytes : o->bytes;

	f->bytes = pf->held && !results ? held : o->bytes;
	/* The end of a call has the callers that its beginning had. */
	f->callers = results || pf->hidden ? 0 : o->callers;
	f->texts = f->plan->texts && !pf->hidden;
}

/* The goroutine's id from g, as item @item; 0 if it cannot be read. */
static int add_goroutine(struct planframe *f, struct gobin *bin, size_t item,
			 struct plan_frame *fr)
{
	const struct runtime_layout_g *l = &runtime_layout_get(gobin_go_minor(bin))->g;
	uint64_t at = reserve(fr, sizeof(struct plan_goroutine), WORD);
	struct plan *p = f->plan;
	const struct goprobe_op ops[] = {
		{ .code = GOPROBE_OP_TRY, .offset = 5, .value = item },
		{ .code = GOPROBE_OP_REG, .b = gobin_runtime(bin)->g_reg },
		{ .code = GOPROBE_OP_LOAD, .a = 1, .size = WORD, .value = l->gopc },
		{ .code = GOPROBE_OP_STORE, .a = 1, .size = WORD, .offset = (uint32_t)at + WORD },
		{ .code = GOPROBE_OP_LOAD, .a = 1, .size = WORD, .value = l->parent },
		{ .code = GOPROBE_OP_STORE, .a = 1, .size = WORD, .offset = (uint32_t)at },
	};
	size_t n = sizeof(ops) / sizeof(*ops) - (l->parent ? 0 : 2);

	if (at == UINT64_MAX)
		return 0;
	if (grow(&p->ops, p->nops + n, &f->ops_cap, sizeof(*p->ops)))
		return -1;
	memcpy(p->ops + p->nops, ops, n * sizeof(*ops));
	p->ops[p->nops].offset = (uint32_t)n - 1;
	p->nops += n;
	fr->has_goroutine = true;
	fr->goroutine = (uint32_t)at;
	return 0;
}

/* The integer registers. */
static int add_all_registers(struct planframe *f, struct plan_frame *fr)
{
	uint64_t at = reserve(fr, REGS_INTS * WORD, WORD);

	if (at == UINT64_MAX)
		return 0;
	for (size_t i = 0; i < REGS_INTS; i++) {
		struct goprobe_piece piece = {
			.source = GOPROBE_FROM_INT_REG, .reg = goreg_names[i].reg,
			.size = WORD, .frame = (uint32_t)(at + i * WORD),
		};

		if (add_piece(f, piece))
			return -1;
	}
	fr->has_registers = true;
	fr->registers = (uint32_t)at;
	return 0;
}

/* The call stack, if there is space. */
static void add_call_stack(const struct planframe *f, struct plan_frame *fr)
{
	uint64_t at = reserve(fr, (1ULL + f->callers) * WORD, WORD);

	if (at == UINT64_MAX)
		return;
	fr->stack = (uint32_t)at;
	fr->nstack = f->callers;
}

/* What comes with all values. */
static int add_more(struct planframe *f, struct plan_frame *fr)
{
	if (f->callers)
		add_call_stack(f, fr);
	return f->registers ? add_all_registers(f, fr) : 0;
}

/* A frame that has nothing else. */
static int build_more(struct planframe *f, struct gobin *bin, struct plan_frame *fr)
{
	struct parts first = parts_begin(f);

	return add_more(f, fr) ? -1 : finish(f, bin, &first, 0, fr);
}

/* What is changed there, or NULL. */
static const struct edit *edit_of(const struct plan_request *req, bool results)
{
	const struct edit *edit = !req->edit ? NULL : results ? &req->edit->ret : &req->edit->call;

	return edit && edit->nops ? edit : NULL;
}

/* Is parameter @i a context? */
static bool is_context(const struct gosig *sig, size_t i)
{
	const struct gotype *t = i < sig->nparams ? sig->params[i].type : NULL;

	return t && t->kind == GOTYPE_INTERFACE && !strcmp(t->name, "context.Context");
}

static int build_whole(struct planframe *f, struct plan_func *pf,
		       const struct abi_call *call, const struct plan_request *req,
		       bool results)
{
	const struct edit *edit = edit_of(req, results);
	const struct gosig *sig = pf->sig;
	struct plan_frame *fr = results ? &pf->ret : &pf->call;
	struct parts first = parts_begin(f);
	int err, hidden = 0;

	begin_frame(f, pf, results);
	if (results) {
		err = lay_out(f, sig->results, sig->nresults, &call->results, &first, edit, fr);
		if (!err && edit)
			err = add_edit(f, edit, fr->nvalues, fr);
		hidden = (int)shown(edit);
	} else {
		err = lay_out(f, sig->params, sig->nparams, &call->params, &first, edit, fr);
		fr->receiver = sig->receiver && sig->nparams;
		fr->context = is_context(sig, fr->receiver);
		if (!err)
			err = add_lost(f, pf, fr);
		if (!err && sig->dict)
			err = add_dictionary(f, call, &first, fr);
		if (!err)
			hidden = add_reals(f, fr);
		if (!err && hidden >= 0 && edit) {
			err = add_edit(f, edit, fr->nvalues + (size_t)hidden, fr);
			hidden += (int)shown(edit);
		}
		if (!err && hidden >= 0 && f->goroutine)
			err = add_goroutine(f, pf->bin, fr->nvalues + hidden, fr);
	}
	if (!err)
		err = add_more(f, fr);
	return err || hidden < 0 ? -1 : finish(f, pf->bin, &first, (size_t)hidden, fr);
}

static int build_capture(struct planframe *f, struct gobin *bin, const struct plan_capture *c,
			 const struct edit *edit, bool goroutine, struct plan_frame *fr)
{
	struct plan_value *v = arena_array(f->mem, c->nvalues + shown(edit), sizeof(*v));
	struct parts first = parts_begin(f);
	struct plan *p = f->plan;

	/* What is asked for is shown. */
	f->texts = false;
	if (!v || c->size > PLAN_FRAME_MAX ||
	    grow(&p->ops, p->nops + c->nops, &f->ops_cap, sizeof(*p->ops)))
		return -1;
	if (c->nvalues)
		memcpy(v, c->values, c->nvalues * sizeof(*v));
	fr->values = v;
	fr->nvalues = c->nvalues;
	fr->size = c->size;
	for (size_t i = 0; i < c->npieces; i++)
		if (add_piece(f, c->pieces[i]))
			return -1;
	for (size_t i = 0; i < c->nops; i++)
		p->ops[p->nops++] = c->ops[i];
	if ((edit && add_edit(f, edit, c->nvalues, fr)) ||
	    (goroutine && add_goroutine(f, bin, c->nvalues + shown(edit), fr)) ||
	    add_more(f, fr))
		return -1;
	return finish(f, bin, &first, shown(edit), fr);
}

/* Places of arguments and results; or the reason why they are unknown. */
static const char *places(const struct plan_func *pf)
{
	if (pf->sig->incomplete)
		return pf->sig->incomplete;
	return pf->abi0 && !(pf->fn->flags & GOFUNC_ABI0) ? why_convention : NULL;
}

/* What is not asked for in particular is captured whole. */
static int build_rest(struct planframe *f, struct plan_func *pf, const struct plan_request *req)
{
	const struct gosig *sig = pf->sig;
	struct abi_call call;
	struct abi_value *values = calloc(sig->nparams + sig->nresults + 1,
					  sizeof(*values));
	int err;

	if (!values)
		return -1;
	call.params.values = values;
	call.results.values = values + sig->nparams;
	err = abi_assign(sig, pf->abi0, &call);
	if (!err && !req->call)
		err = build_whole(f, pf, &call, req, false);
	if (!err && !req->ret)
		err = build_whole(f, pf, &call, req, true);
	free(values);
	return err;
}

/* Of what is not known there are at least the call stack and the registers. */
static int build_unknown(struct planframe *f, struct plan_func *pf,
			 const struct plan_request *req)
{
	int err = 0;

	if (!req->call) {
		begin_frame(f, pf, false);
		err = build_more(f, pf->bin, &pf->call);
	}
	if (!err && !req->ret && !pf->at) {
		begin_frame(f, pf, true);
		err = build_more(f, pf->bin, &pf->ret);
	}
	return err;
}

int plan_frame_build(struct planframe *f, struct plan_func *pf, const struct plan_request *req)
{
	const char *why = pf->at ? req->why : places(pf);
	int err = 0;

	/* Of a panic's value at least the first object. */
	f->depth = f->plan->o->depth || !pf->hidden ? f->plan->o->depth : 1;
	/* Where g is in no register, its goroutine is not known. */
	f->goroutine = f->plan->o->goroutine && !pf->hidden && !pf->abi0 &&
		       gobin_runtime(pf->bin)->g_reg != GOPROBE_REG_NONE;
	f->registers = f->plan->o->registers && !pf->hidden;
	pf->call.plan = GOPROBE_NO_PLAN;
	pf->ret.plan = GOPROBE_NO_PLAN;
	/* A delay needs no values. */
	pf->call.edit = edit_of(req, false);
	pf->ret.edit = edit_of(req, true);
	pf->call.dry_run = f->plan->o->dry_run;
	pf->ret.dry_run = f->plan->o->dry_run;
	begin_frame(f, pf, false);
	if (req->call)
		err = build_capture(f, pf->bin, req->call, edit_of(req, false), f->goroutine,
				    &pf->call);
	else
		pf->call.unavailable = why;
	if (err)
		return err;
	begin_frame(f, pf, true);
	if (req->ret)
		err = build_capture(f, pf->bin, req->ret, edit_of(req, true), false, &pf->ret);
	else
		pf->ret.unavailable = why;
	if (err || (req->call && req->ret))
		return err;
	if (!why)
		return pf->at ? 0 : build_rest(f, pf, req);
	return f->registers || f->plan->o->callers ? build_unknown(f, pf, req) : 0;
}
