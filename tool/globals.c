// SPDX-License-Identifier: GPL-2.0
/*
 * Compiled expressions on the memory of a process: pieces and operations as
 * include/uapi/goprobe.h describes them, as far as no function is needed.
 */
#include <string.h>

#include "closure.h"
#include "globals.h"

/* As the module: what lies below is a nil pointer, or a field of one. */
#define NIL_END 4096U

static bool dynamic(void *ctx, uint64_t address, struct value_dynamic *ret)
{
	struct globals *g = ctx;
	uint64_t vaddr = address - g->bias;

	ret->name = gobin_rtype_name(g->bin, vaddr);
	ret->type = gobin_rtype(g->bin, vaddr);
	ret->direct = gobin_rtype_is_direct(g->bin, vaddr);
	return ret->name || ret->type;
}

static bool func(void *ctx, uint64_t code, struct value_func *ret)
{
	struct globals *g = ctx;
	const struct gofunc *f = gobin_func_at(g->bin, code - g->bias);

	if (!f || f->entry != code - g->bias)
		return false;
	ret->name = f->name;
	ret->closure = gobin_closure_type(g->bin, f->entry);
	return true;
}

static const struct golayout *layout(void *ctx)
{
	struct globals *g = ctx;

	return golayout_get(gobin_go_minor(g->bin));
}

/* Here everything is followed, until it is enough. */
static const char *unread(void *ctx, const struct record_chunk *c, uint64_t offset,
			  const struct gotype *t)
{
	const struct globals *g = ctx;
	uint32_t level = c ? c->level + (t->kind != GOTYPE_STRING) : 1;

	(void)offset;
	return level > g->limits.depth ? VALUE_DEEP : "record is full";
}

void globals_init(struct globals *g)
{
	g->env = (struct value_env){
		.ctx = g, .dynamic = dynamic, .func = func, .layout = layout, .unread = unread,
	};
}

void globals_fini(struct globals *g)
{
	arena_fini(&g->mem);
}

void globals_chunk(struct globals *g, const struct record_chunk *chunk)
{
	if (g->rec.nchunks < RECORD_CHUNKS_MAX)
		g->rec.chunks[g->rec.nchunks++] = *chunk;
}

static void missed(struct globals *g, uint64_t item, uint32_t status)
{
	globals_chunk(g, &(struct record_chunk){
		.address = item, .type = GOPROBE_TYPE_MISSED, .status = status,
	});
}

/* --- the program ------------------------------------------------------------ */

static uint32_t load(struct globals *g, uint64_t base, const struct goprobe_op *o, void *to)
{
	uint64_t at = base + o->value;

	if (base < NIL_END || at < NIL_END)
		return GOPROBE_CHUNK_NIL;
	return g->read(g->read_ctx, at, to, o->size) ? GOPROBE_CHUNK_OK : GOPROBE_CHUNK_FAULT;
}

static bool jumps(const struct goprobe_op *o, uint64_t a, uint64_t b)
{
	switch (o->code) {
	case GOPROBE_OP_JEQ:
		return a == b;
	case GOPROBE_OP_JLT:
		return a < b;
	case GOPROBE_OP_JSGE:
		return (int64_t)a >= (int64_t)b;
	}
	return false;
}

/* Status of the operation: enum goprobe_chunk_status. */
static uint32_t step(struct globals *g, uint64_t *r, const struct goprobe_op *o)
{
	uint64_t b = r[o->b], word = 0;
	uint32_t status;

	switch (o->code) {
	case GOPROBE_OP_IMM:
		r[o->a] = o->value;
		break;
	case GOPROBE_OP_STATIC:
		r[o->a] = o->value + g->bias;
		break;
	case GOPROBE_OP_LOAD:
		status = load(g, b, o, &word);
		r[o->a] = word;
		return status;
	case GOPROBE_OP_SIGN:
		r[o->a] = (int64_t)(b << (64 - o->size * 8)) >> (64 - o->size * 8);
		break;
	case GOPROBE_OP_ADD:
		r[o->a] += b;
		break;
	case GOPROBE_OP_ADD_I:
		r[o->a] += o->value;
		break;
	case GOPROBE_OP_MUL_I:
		r[o->a] *= o->value;
		break;
	case GOPROBE_OP_MOVE:
		r[o->a] = b;
		break;
	case GOPROBE_OP_STORE:
		memcpy(g->frame + o->offset, &r[o->a], o->size);
		break;
	case GOPROBE_OP_COPY:
		status = load(g, b, o, g->frame + o->offset);
		if (status)
			memset(g->frame + o->offset, 0, o->size);
		return status;
	case GOPROBE_OP_FAIL:
		return (uint32_t)o->value;
	}
	return GOPROBE_CHUNK_OK;
}

static void run(struct globals *g, const struct plan_capture *c)
{
	uint64_t r[16] = { 0 }, item = 0;
	size_t resume = 0;

	for (size_t i = 0; i < c->nops; i++) {
		const struct goprobe_op *o = &c->ops[i];
		uint32_t status;

		if (o->code == GOPROBE_OP_TRY) {
			item = o->value;
			resume = i + 1 + o->offset;
		} else if (jumps(o, r[o->a], r[o->b])) {
			i += o->offset;
		} else {
			status = step(g, r, o);
			if (status == GOPROBE_CHUNK_OK)
				continue;
			missed(g, item, status);
			i = resume - 1;
		}
	}
}

/* Item of the value that the piece is part of. */
static uint64_t item_of(const struct plan_capture *c, const struct goprobe_piece *p)
{
	size_t i = c->nvalues;

	while (i-- && (c->values[i].unavailable || c->values[i].offset > p->frame))
		;
	return i;
}

int globals_take(struct globals *g, const struct plan_capture *c)
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
			missed(g, item_of(c, p), GOPROBE_CHUNK_FAULT);
	}
	run(g, c);
	return globals_walk(g, c);
}
