// SPDX-License-Identifier: GPL-2.0
/*
 * Assemble a record's frame and walk its references, as a verified plan says.
 *
 * Context: the hitting task, preemption off, page faults disabled. Everything is
 * bounded by the plan's budgets, whatever the target's memory holds. A chunk
 * is copied before it is looked at, so that what is followed is what the
 * record shows, however the target changes its memory meanwhile.
 *
 * Leaf: includes nothing that does I/O. KUnit replaces gp_user_copy().
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "arch/arch.h"
#include "capture.h"
#include "faultin.h"
#include "usercopy.h"

/* Longer than any Go object can be: such a length is not one. */
#define GP_LEN_MAX	(1ULL << 47)

static u64 gp_load(const u8 *at)
{
	u64 word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/*
 * Copy from the target. Return: -EAGAIN if a page must be brought in first; else
 * 0, with what was copied in *@size and how it ended in *@status.
 */
static __always_inline int gp_capture_copy(struct gp_capture *c, u8 *to,
					   unsigned long address, u32 *size,
					   u16 *status)
{
	u32 left = gp_user_copy(to, address, *size);
	u16 verdict;

	if (likely(!left)) {
		*status = GOPROBE_CHUNK_OK;
		return 0;
	}
	*size -= left;
	verdict = gp_faultin_verdict(c->faultin, address + *size);
	if (verdict == GOPROBE_CHUNK_OK) {
		c->faultin->address = address + *size;
		return -EAGAIN;
	}
	*status = verdict;
	return 0;
}

static int gp_capture_stack(struct gp_capture *c, const struct gp_piece *p)
{
	u8 *to = c->to + p->frame;
	u32 size = p->size;
	u16 status;
	int err;

	err = gp_capture_copy(c, to, c->sp + p->offset, &size, &status);
	if (err)
		return err;
	if (unlikely(status != GOPROBE_CHUNK_OK)) {
		memset(to + size, 0, p->size - size);
		c->flags |= GOPROBE_RECORD_F_FAULT;
	}
	return 0;
}

static int gp_capture_frame(struct gp_capture *c)
{
	const struct gp_plan *plan = c->plan;
	struct gp_float_regs floats;
	u32 i;
	int err;

	memset(c->to, 0, plan->frame_bytes);
	if (plan->float_mask)
		gp_arch_float_regs(&floats, plan->float_mask);
	for (i = 0; i < plan->npieces; i++) {
		const struct gp_piece *p = &plan->pieces[i];
		u8 *to = c->to + p->frame;

		switch (p->source) {
		case GOPROBE_FROM_INT_REG:
			memcpy(to, (const u8 *)c->regs + p->from, p->size);
			break;
		case GOPROBE_FROM_FLOAT_REG:
			memcpy(to, floats.reg[p->from], p->size);
			break;
		case GOPROBE_FROM_STACK:
			err = gp_capture_stack(c, p);
			if (err)
				return err;
			break;
		}
	}
	c->used = plan->frame_bytes;
	return 0;
}

/* Has an object of @type at @address been copied already? Ends cycles. */
static bool gp_capture_seen(const struct gp_capture *c, u64 address, u32 type,
			    u32 size)
{
	u32 at = c->plan->frame_bytes;

	while (at < c->used) {
		const struct goprobe_chunk *chunk = (const void *)(c->to + at);

		if (chunk->address == address && chunk->type == type &&
		    chunk->size >= size)
			return true;
		at += sizeof(*chunk) + ALIGN((u32)chunk->size, GP_RECORD_ALIGN);
	}
	return false;
}

/*
 * Append what is at @address: @count objects of @each bytes. Return: 0, also if
 * a budget does not allow it; -EAGAIN as gp_capture_copy(); -ENOSPC if the ring
 * has no room.
 */
static int gp_capture_chunk(struct gp_capture *c, u64 address, u32 type,
			    u32 each, u32 count, u32 *objects)
{
	u32 spent = c->used - c->plan->frame_bytes;
	struct goprobe_chunk *chunk = (void *)(c->to + c->used);
	u32 left, size;
	u16 status;
	int err;

	if (!*objects || c->plan->w.bytes - spent < sizeof(*chunk) + GP_RECORD_ALIGN)
		goto budget;
	left = ALIGN_DOWN(c->plan->w.bytes - spent - sizeof(*chunk), GP_RECORD_ALIGN);
	left = min_t(u32, left, ALIGN_DOWN(U16_MAX, GP_RECORD_ALIGN));
	if (count > left / each) {
		count = left / each;
		c->flags |= GOPROBE_RECORD_F_BUDGET;
		if (!count)
			return 0;
	}
	size = each * count;
	if (type != GOPROBE_TYPE_BYTES && gp_capture_seen(c, address, type, size))
		return 0;
	if (c->room - c->used < sizeof(*chunk) + ALIGN(size, GP_RECORD_ALIGN))
		return -ENOSPC;
	/* The padding first: the last word may be written over. */
	if (size & (GP_RECORD_ALIGN - 1))
		memset((u8 *)(chunk + 1) + ALIGN_DOWN(size, GP_RECORD_ALIGN), 0,
		       GP_RECORD_ALIGN);
	err = gp_capture_copy(c, (u8 *)(chunk + 1), address, &size, &status);
	if (err)
		return err;
	if (unlikely(size & (GP_RECORD_ALIGN - 1)) && status != GOPROBE_CHUNK_OK)
		memset((u8 *)(chunk + 1) + size, 0, ALIGN(size, GP_RECORD_ALIGN) - size);
	chunk->address = address;
	chunk->type = type;
	chunk->size = size;
	chunk->status = status;
	c->used += sizeof(*chunk) + ALIGN(size, GP_RECORD_ALIGN);
	(*objects)--;
	return 0;

budget:
	c->flags |= GOPROBE_RECORD_F_BUDGET;
	return 0;
}

/* A length that can't be: say so in place of the bytes. */
static int gp_capture_bad(struct gp_capture *c, u64 address, u32 type,
			  u32 *objects)
{
	struct goprobe_chunk *chunk = (void *)(c->to + c->used);
	u32 spent = c->used - c->plan->frame_bytes;

	if (!*objects || c->plan->w.bytes - spent < sizeof(*chunk)) {
		c->flags |= GOPROBE_RECORD_F_BUDGET;
		return 0;
	}
	if (c->room - c->used < sizeof(*chunk))
		return -ENOSPC;
	chunk->address = address;
	chunk->type = type;
	chunk->size = 0;
	chunk->status = GOPROBE_CHUNK_BAD;
	c->used += sizeof(*chunk);
	(*objects)--;
	return 0;
}

static int gp_capture_ref(struct gp_capture *c, const struct goprobe_ref *ref,
			  const u8 *at, u32 *objects)
{
	const struct goprobe_plan *w = &c->plan->w;
	u64 address = gp_load(at), len;
	u32 each;

	if (!address)
		return 0;
	switch (ref->kind) {
	case GOPROBE_REF_POINTER:
		each = c->plan->types[ref->type].size;
		return each ? gp_capture_chunk(c, address, ref->type, each, 1,
					       objects) : 0;
	case GOPROBE_REF_STRING:
		len = gp_load(at + 8);
		if (!len)
			return 0;
		if (len > GP_LEN_MAX)
			return gp_capture_bad(c, address, GOPROBE_TYPE_BYTES, objects);
		return gp_capture_chunk(c, address, GOPROBE_TYPE_BYTES, 1,
					min_t(u64, len, w->string_limit), objects);
	case GOPROBE_REF_SLICE:
		len = gp_load(at + 8);
		each = c->plan->types[ref->type].size;
		if (!len || !each || !w->elements)
			return 0;
		if (len > GP_LEN_MAX)
			return gp_capture_bad(c, address, ref->type, objects);
		return gp_capture_chunk(c, address, ref->type, each,
					min_t(u64, len, w->elements), objects);
	case GOPROBE_REF_IFACE:
		return gp_capture_chunk(c, address + 8, GOPROBE_TYPE_ITAB, 8, 1,
					objects);
	}
	return 0;
}

/* Follow the references of the objects of @type that stand in @size bytes. */
static int gp_capture_scan(struct gp_capture *c, u32 type, u32 at, u32 size,
			   u32 *objects)
{
	const struct goprobe_type *t = &c->plan->types[type];
	const struct goprobe_ref *ref = &c->plan->refs[t->ref];
	u32 end, i;
	int err;

	if (!t->nrefs)
		return 0;
	for (end = at + size; end - at >= t->size; at += t->size) {
		for (i = 0; i < t->nrefs; i++) {
			err = gp_capture_ref(c, &ref[i], c->to + at + ref[i].offset,
					     objects);
			if (err)
				return err;
		}
	}
	return 0;
}

/*
 * Breadth first: the chunks that have been appended are the queue. One level
 * ends where the chunks ended when it began.
 */
static int gp_capture_walk(struct gp_capture *c)
{
	u32 objects = c->plan->w.objects;
	u32 depth = c->plan->w.depth;
	u32 at, level_end;
	int err;

	if (!depth--)
		return 0;
	at = c->used;
	err = gp_capture_scan(c, c->plan->w.type, 0,
			      c->plan->types[c->plan->w.type].size, &objects);
	for (; !err && depth && at < c->used; depth--) {
		for (level_end = c->used; !err && at < level_end;) {
			const struct goprobe_chunk *chunk = (void *)(c->to + at);
			u32 size = chunk->size;

			at += sizeof(*chunk);
			if (chunk->type < GOPROBE_TYPE_ITAB)
				err = gp_capture_scan(c, chunk->type, at, size, &objects);
			at += ALIGN(size, GP_RECORD_ALIGN);
		}
	}
	return err;
}

/**
 * gp_capture_run() - capture frame and chunks
 * @c: filled in by the caller but for @used; @flags are added to
 *
 * Return: 0; -EAGAIN if c->faultin->address must be brought in, then run again;
 * -ENOSPC if there is no room.
 */
int gp_capture_run(struct gp_capture *c)
{
	int err = gp_capture_frame(c);

	if (err)
		return err;
	return gp_capture_walk(c);
}
