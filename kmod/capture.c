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

/* A frame that is longer is worth a call of memset(). */
#define GP_CAPTURE_CLEAR_WORDS	128

/* The byte at @address can't be read. Return: why, or -EAGAIN to have it brought in. */
static noinline int gp_capture_absent(struct gp_capture *c, unsigned long address)
{
	u16 verdict = gp_faultin_verdict(c->faultin, address);

	if (verdict != GOPROBE_CHUNK_OK)
		return verdict;
	c->faultin->address = address;
	return -EAGAIN;
}

/*
 * Copy from the target. Return: -EAGAIN if a page must be brought in first; else
 * how it ended (enum goprobe_chunk_status), with what was copied in *@size.
 */
static __always_inline int gp_capture_copy(struct gp_capture *c, u8 *to,
					   unsigned long address, u32 *size)
{
	u32 left = gp_user_copy(to, address, *size);

	if (likely(!left))
		return GOPROBE_CHUNK_OK;
	*size -= left;
	return gp_capture_absent(c, address + *size);
}

static noinline int gp_capture_stack(struct gp_capture *c, const struct gp_piece *p)
{
	u8 *to = c->to + p->frame;
	u32 size = p->size;
	int status;

	status = gp_capture_copy(c, to, c->sp + p->offset, &size);
	if (status < 0)
		return status;
	if (unlikely(status != GOPROBE_CHUNK_OK)) {
		memset(to + size, 0, p->size - size);
		c->flags |= GOPROBE_RECORD_F_FAULT;
	}
	return 0;
}

/* Float registers are rare, and their buffer is large: a function of its own. */
static noinline void gp_capture_floats(struct gp_capture *c)
{
	struct gp_float_regs floats GP_UNINITIALIZED;
	const struct gp_plan *plan = c->plan;
	u32 i;

	gp_arch_float_regs(&floats, plan->float_mask);
	for (i = 0; i < plan->npieces; i++) {
		const struct gp_piece *p = &plan->pieces[i];

		if (p->source == GOPROBE_FROM_FLOAT_REG)
			memcpy(c->to + p->frame, floats.reg[p->from], p->size);
	}
}

/* Fixed sizes are moves, a variable one would be a call. */
static __always_inline void gp_capture_int(u8 *to, const u8 *from, u32 size)
{
	if (likely(size == 8))
		memcpy(to, from, 8);
	else if (size == 4)
		memcpy(to, from, 4);
	else if (size == 1)
		memcpy(to, from, 1);
	else
		memcpy(to, from, 2);
}

static __always_inline void gp_capture_clear(u8 *frame, u32 bytes)
{
	u64 *word = (u64 *)frame;

	if (unlikely(bytes > GP_CAPTURE_CLEAR_WORDS)) {
		memset(frame, 0, bytes);
		return;
	}
	/* WRITE_ONCE(), or the compiler makes a memset() of it. */
	for (; bytes; bytes -= sizeof(*word))
		WRITE_ONCE(*word++, 0);
}

static __always_inline int gp_capture_frame(struct gp_capture *c)
{
	const struct gp_plan *plan = c->plan;
	const struct gp_piece *p = plan->pieces, *end = p + plan->npieces;
	int err;

	gp_capture_clear(c->to, plan->frame_bytes);
	for (; p < end; p++) {
		if (p->source == GOPROBE_FROM_INT_REG) {
			gp_capture_int(c->to + p->frame,
				       (const u8 *)c->regs + p->from, p->size);
		} else if (p->source == GOPROBE_FROM_STACK) {
			err = gp_capture_stack(c, p);
			if (err)
				return err;
		}
	}
	if (unlikely(plan->float_mask))
		gp_capture_floats(c);
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
static __always_inline int gp_capture_chunk(struct gp_capture *c, u64 address,
					    u32 type, u32 each, u32 count)
{
	struct goprobe_chunk *chunk = (void *)(c->to + c->used);
	u32 left = c->plan->frame_bytes + c->plan->w.bytes - c->used;
	u8 *bytes = (u8 *)(chunk + 1);
	u32 size, padded;
	int status;

	if (unlikely(!c->objects || left < sizeof(*chunk) + GP_RECORD_ALIGN)) {
		c->flags |= GOPROBE_RECORD_F_BUDGET;
		return 0;
	}
	left = ALIGN_DOWN(left - sizeof(*chunk), GP_RECORD_ALIGN);
	if (unlikely((u64)count * each > left)) {
		count = left / each;
		c->flags |= GOPROBE_RECORD_F_BUDGET;
		if (!count)
			return 0;
	}
	size = each * count;
	padded = ALIGN(size, GP_RECORD_ALIGN);
	if (type != GOPROBE_TYPE_BYTES && gp_capture_seen(c, address, type, size))
		return 0;
	if (unlikely(c->room - c->used < sizeof(*chunk) + padded))
		return -ENOSPC;
	/* The padding first: the last word may be written over. */
	if (size != padded)
		memset(bytes + padded - GP_RECORD_ALIGN, 0, GP_RECORD_ALIGN);
	status = gp_capture_copy(c, bytes, address, &size);
	if (unlikely(status != GOPROBE_CHUNK_OK)) {
		if (status < 0)
			return status;
		padded = ALIGN(size, GP_RECORD_ALIGN);
		memset(bytes + size, 0, padded - size);
	}
	chunk->address = address;
	chunk->type = type;
	chunk->size = size;
	chunk->status = status;
	c->used += sizeof(*chunk) + padded;
	c->objects--;
	return 0;
}

/* A length that can't be: say so in place of the bytes. */
static noinline int gp_capture_bad(struct gp_capture *c, u64 address, u32 type)
{
	struct goprobe_chunk *chunk = (void *)(c->to + c->used);
	u32 left = c->plan->frame_bytes + c->plan->w.bytes - c->used;

	if (!c->objects || left < sizeof(*chunk)) {
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
	c->objects--;
	return 0;
}

static __always_inline int gp_capture_string(struct gp_capture *c, const u8 *at)
{
	u64 address = gp_load(at), len = gp_load(at + 8);

	if (!address || !len)
		return 0;
	if (unlikely(len > GP_LEN_MAX))
		return gp_capture_bad(c, address, GOPROBE_TYPE_BYTES);
	return gp_capture_chunk(c, address, GOPROBE_TYPE_BYTES, 1,
				min_t(u64, len, c->plan->w.string_limit));
}

static noinline int gp_capture_other(struct gp_capture *c,
				     const struct goprobe_ref *ref, const u8 *at)
{
	const struct gp_plan *plan = c->plan;
	u64 address = gp_load(at), n = 1;
	u32 type = ref->type, each;

	if (!address)
		return 0;
	if (ref->kind == GOPROBE_REF_IFACE) {
		address += 8;
		type = GOPROBE_TYPE_ITAB;
		each = 8;
	} else {
		each = plan->types[type].size;
		if (!each)
			return 0;
	}
	if (ref->kind == GOPROBE_REF_SLICE) {
		n = gp_load(at + 8);
		if (!n || !plan->w.elements)
			return 0;
		if (n > GP_LEN_MAX)
			return gp_capture_bad(c, address, type);
		n = min_t(u64, n, plan->w.elements);
	}
	return gp_capture_chunk(c, address, type, each, n);
}

/* Follow the references of one object of type @t. */
static __always_inline int gp_capture_refs(struct gp_capture *c,
					   const struct goprobe_type *t, const u8 *at)
{
	const struct goprobe_ref *ref = &c->plan->refs[t->ref];
	const struct goprobe_ref *end = ref + t->nrefs;
	int err = 0;

	for (; !err && ref < end; ref++) {
		if (ref->kind == GOPROBE_REF_STRING)
			err = gp_capture_string(c, at + ref->offset);
		else
			err = gp_capture_other(c, ref, at + ref->offset);
	}
	return err;
}

/*
 * Breadth first: the chunks that have been appended are the queue. One level
 * ends where the chunks ended when it began.
 */
static noinline int gp_capture_walk(struct gp_capture *c)
{
	u32 depth = c->plan->w.depth, at = c->plan->frame_bytes, level_end;
	int err;

	while (--depth && at < c->used) {
		for (level_end = c->used; at < level_end;) {
			const struct goprobe_chunk *chunk = (void *)(c->to + at);
			const u8 *object = (const u8 *)(chunk + 1);
			u32 left = chunk->size;
			const struct goprobe_type *t;

			at += sizeof(*chunk) + ALIGN(left, GP_RECORD_ALIGN);
			if (chunk->type >= GOPROBE_TYPE_ITAB)
				continue;
			t = &c->plan->types[chunk->type];
			for (; t->nrefs && left >= t->size; left -= t->size) {
				err = gp_capture_refs(c, t, object);
				if (err)
					return err;
				object += t->size;
			}
		}
	}
	return 0;
}

/**
 * gp_capture_run() - capture frame and chunks
 * @c: filled in by the caller but for @used and @objects; @flags are added to
 *
 * Return: 0; -EAGAIN if c->faultin->address must be brought in, then run again;
 * -ENOSPC if there is no room.
 */
int gp_capture_run(struct gp_capture *c)
{
	const struct gp_plan *plan = c->plan;
	const struct goprobe_type *t;
	int err = gp_capture_frame(c);

	if (unlikely(err) || !plan->w.depth)
		return err;
	c->objects = plan->w.objects;
	t = &plan->types[plan->w.type];
	err = gp_capture_refs(c, t, c->to);
	if (err || plan->w.depth == 1 || c->used == plan->frame_bytes)
		return err;
	return gp_capture_walk(c);
}

/**
 * gp_capture_prepare() - find out whether gp_capture_quick() can do it
 * @plan: complete but for what this fills in
 */
void gp_capture_prepare(struct gp_plan *plan)
{
	const struct goprobe_type *t = &plan->types[plan->w.type];
	u32 nrefs = plan->w.depth ? t->nrefs : 0, filled = 0, i;
	u64 bytes;

	plan->frame_refs = &plan->refs[t->ref];
	for (i = 0; i < plan->npieces; i++) {
		const struct gp_piece *p = &plan->pieces[i];

		if (p->source != GOPROBE_FROM_INT_REG || p->size != 8 ||
		    p->frame != filled)
			return;
		filled += p->size;
	}
	for (i = 0; i < nrefs; i++)
		if (plan->frame_refs[i].kind != GOPROBE_REF_STRING)
			return;
	bytes = nrefs * (sizeof(struct goprobe_chunk) +
			 (u64)ALIGN(plan->w.string_limit, GP_RECORD_ALIGN));
	if (filled != plan->frame_bytes || nrefs > plan->w.objects ||
	    bytes > plan->w.bytes || (nrefs && !plan->w.string_limit))
		return;
	plan->quick = true;
	plan->quick_refs = nrefs;
	plan->quick_bytes = plan->frame_bytes + bytes;
}
