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
#include "dynamic.h"
#include "faultin.h"
#include "program.h"
#include "seen.h"
#include "types.h"
#include "usercopy.h"

/* A frame that is longer is worth a call of memset(). */
#define GP_CAPTURE_CLEAR_WORDS	128

/* The walk is over: nothing more fits into the budgets. */
#define GP_CAPTURE_FULL	1

/* The byte at @address can't be read. Return: why, or -EAGAIN to have it brought in. */
noinline int gp_capture_absent(struct gp_capture *c, unsigned long address)
{
	u16 verdict = gp_faultin_verdict(c->faultin, address);

	if (verdict != GOPROBE_CHUNK_OK)
		return verdict;
	c->faultin->address = address;
	return -EAGAIN;
}

/* A piece of the stack, or of static data. */
static noinline int gp_capture_memory(struct gp_capture *c, const struct gp_piece *p)
{
	u64 base = p->source == GOPROBE_FROM_STACK ? c->sp : c->bias;
	u8 *to = c->to + p->frame;
	u32 size = p->size;
	int status;

	status = gp_capture_copy(c, to, base + p->offset, &size);
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
			gp_copy_low(c->to + p->frame,
				    (const u8 *)c->regs + p->from, p->size);
		} else if (p->source != GOPROBE_FROM_FLOAT_REG) {
			err = gp_capture_memory(c, p);
			if (err)
				return err;
		}
	}
	if (unlikely(plan->float_mask))
		gp_capture_floats(c);
	c->used = plan->frame_bytes;
	return 0;
}

static noinline int gp_capture_full(struct gp_capture *c)
{
	c->flags |= GOPROBE_RECORD_F_BUDGET;
	return GP_CAPTURE_FULL;
}

/* Append the header of a chunk. */
static __always_inline void gp_capture_add(struct gp_capture *c, u64 address, u32 type,
					   u32 level, u32 size, u32 status)
{
	struct goprobe_chunk *chunk = (void *)(c->to + c->used);

	chunk->address = address;
	chunk->type = type;
	chunk->size = size;
	chunk->status = status;
	chunk->level = level;
	c->found = chunk;
	c->used += sizeof(*chunk) + ALIGN(size, GP_RECORD_ALIGN);
	c->objects--;
}

/*
 * It has been copied already. A shorter way to it counts, if what it refers to has
 * not been followed yet.
 */
static __always_inline int gp_capture_again(struct gp_capture *c,
					    struct goprobe_chunk *chunk, u32 level)
{
	if (level < chunk->level && (u8 *)chunk >= c->to + c->next)
		chunk->level = level;
	c->found = chunk;
	return 0;
}

/*
 * Append what is at @address: @size bytes, or a multiple of @each that fits into the
 * budget. Return: 0, also if nothing fits; GP_CAPTURE_FULL; -EAGAIN as
 * gp_capture_copy(); -ENOSPC if the ring has no room.
 */
static __always_inline int gp_capture_chunk(struct gp_capture *c, u64 address,
					    u32 type, u32 level, u32 each, u32 size)
{
	u8 *bytes = c->to + c->used + sizeof(struct goprobe_chunk);
	u32 left = c->limit - c->used, padded;
	int status;

	if (unlikely(!c->objects || left < sizeof(struct goprobe_chunk) + GP_RECORD_ALIGN))
		return gp_capture_full(c);
	left = ALIGN_DOWN(left - sizeof(struct goprobe_chunk), GP_RECORD_ALIGN);
	if (unlikely(size > left)) {
		size = left / each * each;
		c->flags |= GOPROBE_RECORD_F_BUDGET;
		if (!size)
			return 0;
	}
	padded = ALIGN(size, GP_RECORD_ALIGN);
	if (unlikely(c->room - c->used < sizeof(struct goprobe_chunk) + padded))
		return -ENOSPC;
	/* The padding first: the last word may be written over. */
	if (size != padded)
		memset(bytes + padded - GP_RECORD_ALIGN, 0, GP_RECORD_ALIGN);
	status = gp_capture_copy(c, bytes, address, &size);
	if (unlikely(status != GOPROBE_CHUNK_OK)) {
		if (status < 0)
			return status;
		memset(bytes + size, 0, ALIGN(size, GP_RECORD_ALIGN) - size);
	}
	gp_capture_add(c, address, type, level, size, status);
	return 0;
}

/* The same, unless it is there already. */
static noinline int gp_capture_once(struct gp_capture *c, u64 address, u32 type,
				    u32 level, u32 each, u32 size)
{
	u32 *slot GP_UNINITIALIZED, at = c->used;
	struct goprobe_chunk *seen;
	int err;

	c->found = NULL;
	seen = gp_seen_find(c->seen, c->to, address, type, size, &slot);
	if (seen)
		return gp_capture_again(c, seen, level);
	err = gp_capture_chunk(c, address, type, level, each, size);
	if (c->found)
		gp_seen_note(c->seen, slot, at);
	return err;
}

/* A length that can't be: say so in place of the bytes. */
static noinline int gp_capture_bad(struct gp_capture *c, u64 address, u32 type, u32 level)
{
	if (!c->objects || c->limit - c->used < sizeof(struct goprobe_chunk))
		return gp_capture_full(c);
	if (c->room - c->used < sizeof(struct goprobe_chunk))
		return -ENOSPC;
	gp_capture_add(c, address, type, level, 0, GOPROBE_CHUNK_BAD);
	return 0;
}

static __always_inline int gp_capture_string(struct gp_capture *c, const u8 *at,
					     u32 level)
{
	u64 address = gp_load(at), len = gp_load(at + 8);

	if (!address || !len)
		return 0;
	if (unlikely(len > GP_LEN_MAX))
		return gp_capture_bad(c, address, GOPROBE_TYPE_BYTES, level);
	return gp_capture_chunk(c, address, GOPROBE_TYPE_BYTES, level, 1,
				min_t(u64, len, c->plan->w.string_limit));
}

/* @n objects of @t, as many as the plan wants of them. */
static noinline int gp_capture_objects(struct gp_capture *c, const struct goprobe_ref *ref,
				       u64 address, u64 n, u32 level)
{
	const struct gp_type *t = gp_types_find(c->plan->types, ref->type);
	u32 elements = c->plan->w.elements;

	if (!n || !elements || !t || !t->size)
		return 0;
	if (unlikely(n > GP_LEN_MAX))
		return gp_capture_bad(c, address, ref->type, level);
	n = min_t(u64, n, max(elements >> ref->elements_shift, 1U));
	return gp_capture_once(c, address, ref->type, level, t->size, n * t->size);
}

/* How many objects a GOPROBE_REF_ARRAY of @object leads to. */
static u64 gp_capture_count(const struct goprobe_ref *ref, const u8 *object)
{
	u64 n = gp_load_low(object + ref->count_offset, ref->count_size);

	switch (ref->count) {
	case GOPROBE_COUNT_PLUS_1:
		return n == U64_MAX ? n : n + 1;
	case GOPROBE_COUNT_LOG2_LESS:
		n -= !!n;
		fallthrough;
	case GOPROBE_COUNT_LOG2:
		return n <= GP_LEN_BITS ? BIT_ULL(n) : U64_MAX;
	case GOPROBE_COUNT_IF_0:
		return !n;
	}
	return n;
}

static __always_inline int gp_capture_object(struct gp_capture *c, u64 address,
					     const struct gp_type *t, u32 level)
{
	if (!address || !t || !t->size)
		return 0;
	return gp_capture_once(c, address, t->id, level, t->size, t->size);
}

static noinline int gp_capture_func(struct gp_capture *c, u64 address, u32 level)
{
	u32 size = sizeof(u64), *slot GP_UNINITIALIZED;
	const struct gp_type *t = NULL;
	struct goprobe_chunk *seen;
	u64 code = 0;
	int status;

	if (!address)
		return 0;
	/* Not read again: what is not there would be a fault each time. */
	seen = gp_seen_find(c->seen, c->to, address, GOPROBE_TYPE_CODE, size, &slot);
	if (seen)
		return gp_capture_again(c, seen, level);
	status = gp_capture_copy(c, &code, address, &size);
	if (status < 0)
		return status;
	if (status == GOPROBE_CHUNK_OK)
		t = gp_dynamic_type(gp_dynamic_find(c->dynamic, code - c->bias));
	if (t)
		return gp_capture_object(c, address, t, level);
	return gp_capture_once(c, address, GOPROBE_TYPE_CODE, level, sizeof(code),
			       sizeof(code));
}

/* How many references have been followed behind one of an object at @level. */
static __always_inline u32 gp_capture_next(const struct goprobe_ref *ref, u32 level)
{
	return level + !(ref->flags & GOPROBE_REF_F_SAME_LEVEL);
}

static int gp_capture_other(struct gp_capture *c, const struct goprobe_ref *ref,
			    const u8 *object, u32 next);

/*
 * The data word of an interface is the value: what it refers to follows. The
 * verifier has seen to it that no interface is among that.
 */
static noinline int gp_capture_direct(struct gp_capture *c, const struct gp_type *t,
				      const u8 *word, u32 next)
{
	int err = 0;
	u32 i;

	for (i = 0; !err && i < t->nrefs; i++)
		err = gp_capture_other(c, &t->refs[i], word, next);
	return err;
}

/* The two words of an interface. */
static noinline int gp_capture_iface(struct gp_capture *c, const struct goprobe_ref *ref,
				     const u8 *at, u32 next)
{
	u64 type = gp_load(at);
	unsigned long dynamic;
	int err;

	if (!type)
		return 0;
	if (ref->kind == GOPROBE_REF_IFACE) {
		err = gp_capture_once(c, type + 8, GOPROBE_TYPE_ITAB, next, 8, 8);
		if (err || !c->found || c->found->size < 8)
			return err;
		type = gp_load(c->found + 1);
	}
	dynamic = gp_dynamic_find(c->dynamic, type - c->bias);
	/* What the word refers to is as near as a value that it would point to. */
	if (gp_dynamic_is_direct(dynamic))
		return gp_capture_direct(c, gp_dynamic_type(dynamic), at + 8, next);
	return gp_capture_object(c, gp_load(at + 8), gp_dynamic_type(dynamic), next);
}

static noinline int gp_capture_other(struct gp_capture *c, const struct goprobe_ref *ref,
				     const u8 *object, u32 next)
{
	const u8 *at = object + ref->offset;
	u64 address = gp_load(at);

	if (!address)
		return 0;
	switch (ref->kind) {
	case GOPROBE_REF_POINTER:
		return gp_capture_object(c, address,
					 gp_types_find(c->plan->types, ref->type), next);
	case GOPROBE_REF_SLICE:
		return gp_capture_objects(c, ref, address, gp_load(at + 8), next);
	case GOPROBE_REF_ARRAY:
		return gp_capture_objects(c, ref, address, gp_capture_count(ref, object),
					  next);
	case GOPROBE_REF_FUNC:
		return gp_capture_func(c, address, next);
	}
	return gp_capture_iface(c, ref, at, next);
}

/* Follow one reference of an object at @level. */
static __always_inline int gp_capture_ref(struct gp_capture *c,
					  const struct goprobe_ref *ref,
					  const u8 *object, u32 level)
{
	u32 next = gp_capture_next(ref, level);

	if (next > c->plan->w.depth)
		return 0;
	if (ref->kind == GOPROBE_REF_STRING)
		return gp_capture_string(c, object + ref->offset, next);
	return gp_capture_other(c, ref, object, next);
}

/* Follow the references of one object of type @t. */
static __always_inline int gp_capture_refs(struct gp_capture *c, const struct gp_type *t,
					   const u8 *object, u32 level)
{
	const struct goprobe_ref *ref = t->refs, *end = ref + t->nrefs;
	int err = 0;

	for (; !err && ref < end; ref++)
		err = gp_capture_ref(c, ref, object, level);
	return err;
}

/*
 * Breadth first, from c->next on: the chunks that have been appended are the queue.
 */
static noinline int gp_capture_walk(struct gp_capture *c)
{
	u32 depth = c->plan->w.depth;
	int err;

	while (c->next < c->used) {
		const struct goprobe_chunk *chunk = (void *)(c->to + c->next);
		const struct gp_type *t = gp_types_find(c->plan->types, chunk->type);
		const u8 *object = (const u8 *)(chunk + 1);
		u32 left = chunk->size, level = chunk->level;

		c->next += sizeof(*chunk) + ALIGN(left, GP_RECORD_ALIGN);
		if (!t || !t->nrefs || (level >= depth && !t->same_level))
			continue;
		for (; left >= t->size; left -= t->size, object += t->size) {
			err = gp_capture_refs(c, t, object, level);
			if (err)
				return err;
		}
	}
	return 0;
}

/* What the frame refers to, and what that refers to. */
static __always_inline int gp_capture_follow(struct gp_capture *c)
{
	const struct gp_plan *plan = c->plan;
	int err;

	c->objects = plan->w.objects;
	c->limit = c->used + plan->w.bytes;
	c->next = c->used;
	gp_seen_begin(c->seen);
	err = gp_capture_refs(c, plan->frame, c->to, 0);
	if (!err && c->next < c->used)
		err = gp_capture_walk(c);
	return err == GP_CAPTURE_FULL ? 0 : err;
}

/**
 * gp_capture_run() - capture frame and chunks
 * @c: filled in by the caller
 *
 * Return: 0; -EAGAIN if c->faultin->address must be brought in, then run again;
 * -ENOSPC if there is no room.
 */
int gp_capture_run(struct gp_capture *c)
{
	const struct gp_plan *plan = c->plan;
	int err = gp_capture_frame(c);

	if (!err && plan->w.nops)
		err = gp_program_run(c);
	if (unlikely(err) || !plan->w.depth || !plan->frame->nrefs)
		return err;
	return gp_capture_follow(c);
}
