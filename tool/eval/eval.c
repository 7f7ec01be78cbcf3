// SPDX-License-Identifier: GPL-2.0
/*
 * The evaluation of compiled expressions on the memory of a process: records are made of pieces
 * and operations as include/uapi/goprobe.h describes them, but without registers.
 */
#include <string.h>

#include "eval/eval.h"
#include "gobin/closure.h"
#include "gobin/variable.h"
#include "plan/not_captured.h"

static bool dynamic(void *ctx, uint64_t address, struct value_dynamic *ret)
{
	struct eval *g = ctx;
	uint64_t vaddr = address - g->bias;

	ret->name = gobin_rtype_name(g->bin, vaddr);
	ret->type = gobin_rtype(g->bin, vaddr);
	ret->direct = gobin_rtype_is_direct(g->bin, vaddr);
	return ret->name || ret->type;
}

static bool func(void *ctx, uint64_t code, struct value_func *ret)
{
	struct eval *g = ctx;
	uint64_t entry = code - g->bias;

	ret->name = gobin_func_name(g->bin, entry);
	if (ret->name)
		ret->closure = gobin_closure_type(g->bin, entry);
	return ret->name;
}

static const struct runtime_layout *layout(void *ctx)
{
	struct eval *g = ctx;

	return runtime_layout_get(gobin_go_minor(g->bin));
}

static const char *unread(void *ctx, const struct record_chunk *c, uint64_t offset,
			  const struct gotype *t)
{
	const struct eval *g = ctx;
	const struct eval_type *type = !c ? &g->frame_type :
				       c->type < g->types.n ? g->types.v[c->type] : NULL;
	const struct goprobe_ref *ref;
	const char *why;

	if (!type)
		return NULL;
	why = not_captured_reason(&(struct not_captured_object){
		.refs = type->refs, .nrefs = type->nrefs, .size = type->size,
		.level = c ? c->level : 0,
	}, offset, t, g->limits.depth, &ref);
	if (why)
		return why;
	return g->rec.h.flags & GOPROBE_RECORD_F_BUDGET ? "record is full" : "not followed";
}

static bool variable(void *ctx, const char *name, uint64_t *ret)
{
	struct eval *g = ctx;
	uint64_t vaddr;

	return !gobin_variable_address(g->bin, name, &vaddr) &&
	       g->read(g->read_ctx, vaddr + g->bias, ret, sizeof(*ret));
}

void eval_init(struct eval *g)
{
	g->env = (struct value_env){
		.ctx = g, .dynamic = dynamic, .func = func, .layout = layout, .unread = unread,
		.variable = variable, .secrets = &g->limits.secrets,
	};
}

void eval_fini(struct eval *g)
{
	arena_fini(&g->mem);
	eval_types_fini(&g->types);
}

/* The item that the piece is part of. */
static uint64_t item_of(const struct plan_capture *c, const struct goprobe_piece *p)
{
	size_t i = c->nvalues;

	while (i-- && (c->values[i].unavailable || c->values[i].offset > p->frame))
		;
	return i;
}

int eval_take(struct eval *g, const struct plan_capture *c)
{
	arena_fini(&g->mem);
	memset(&g->rec.h, 0, sizeof(g->rec.h));
	memset(g->frame, 0, c->size);
	g->rec.frame = g->frame;
	g->rec.frame_size = c->size;
	g->rec.nchunks = 0;
	for (size_t i = 0; i < c->npieces; i++) {
		const struct goprobe_piece *p = &c->pieces[i];

		if (p->source != GOPROBE_FROM_STATIC ||
		    !g->read(g->read_ctx, p->address + g->bias, g->frame + p->frame, p->size))
			eval_missed(g, item_of(c, p), GOPROBE_CHUNK_FAULT);
	}
	eval_run(g, c);
	return eval_walk(g, c);
}
