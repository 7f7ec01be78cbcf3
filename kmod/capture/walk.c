// SPDX-License-Identifier: GPL-2.0
/*
 * Walk of the references of a record's frame, breadth first. The queue holds the chunks whose types
 * have references, in the order in which they were appended.
 *
 * Context: as capture.c. The plan's budgets bound all work, whatever the target's memory holds. The
 * walk copies a chunk before it looks at it. So it follows what the record shows, even if the
 * target changes its memory meanwhile.
 *
 * The most frequent references (strings, pointers, slices) are followed in line, with one
 * comparison for all budgets and the space in the ring together. Read docs/measurements.md before
 * you change that.
 *
 * Functions that append return a negative number if the walk ends here, 0 if they appended nothing,
 * and 1 if they appended something.
 *
 * Leaf: includes nothing that does I/O.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "capture/capture.h"
#include "capture/dynamic_types.h"
#include "capture/faultin.h"
#include "capture/types.h"
#include "capture/visited.h"
#include "capture/walk.h"

#define GP_CHUNK	((u32)sizeof(struct goprobe_chunk))

/* Nothing more fits into the budgets: the walk ends without an error. */
#define GP_WALK_FULL	(-E2BIG)

/* Walks that search for the number of elements that fit. */
#define GP_WALK_STEPS	6

/* gp_walk_refs() uses the flag as a number. */
static_assert(GOPROBE_REF_F_SAME_LEVEL == 1 && GOPROBE_REF_F_ALL == 1);

/*
 * A chunk of @size bytes would exceed a budget or the space in the ring. Return: the bytes of the
 * chunk, a multiple of @each, that the budget allows; GP_WALK_FULL; -ENOSPC if the ring has not
 * enough space.
 */
static noinline long gp_walk_trim(struct gp_capture *c, u32 each, u32 size)
{
	u32 used = c->at - c->to, left = c->limit - used;

	if (!c->objects || left < GP_CHUNK + GP_RECORD_ALIGN) {
		c->flags |= GOPROBE_RECORD_F_BUDGET;
		return GP_WALK_FULL;
	}
	left = ALIGN_DOWN(left - GP_CHUNK, GP_RECORD_ALIGN);
	if (size > left) {
		c->flags |= GOPROBE_RECORD_F_BUDGET;
		size = left / each * each;
		if (!size)
			return 0;
	}
	if (c->space - used < GP_CHUNK + ALIGN(size, GP_RECORD_ALIGN))
		return -ENOSPC;
	return size;
}

/* Write the header of the chunk at c->at; its bytes are already there. */
static __always_inline void gp_walk_add(struct gp_capture *c, u64 address, u32 type,
					u32 level, u32 size, u32 padded, u32 status)
{
	struct goprobe_chunk *chunk = (void *)c->at;

	chunk->address = address;
	chunk->type = type;
	chunk->size = size;
	chunk->status = status;
	chunk->level = level;
	c->at = (u8 *)(chunk + 1) + padded;
	if (!--c->objects)
		c->end = c->to;
}

/* Some bytes of the chunk at c->at could not be read. */
static noinline int gp_walk_absent(struct gp_capture *c, u64 address, u32 type, u32 level,
				   u32 size, u32 left)
{
	u8 *bytes = c->at + GP_CHUNK;
	int status = gp_faultin_ask(c->faultin, address + size - left);
	u32 padded;

	if (status < 0)
		return status;
	size -= left;
	padded = ALIGN(size, GP_RECORD_ALIGN);
	memset(bytes + size, 0, padded - size);
	gp_walk_add(c, address, type, level, size, padded, status);
	return 1;
}

/*
 * Append @size bytes at @address, or a multiple of @each that fits into the budget. Return: 1; 0 if
 * nothing fits; GP_WALK_FULL; -EAGAIN as gp_capture_copy(); -ENOSPC if the ring has not enough
 * space.
 */
static __always_inline int gp_walk_chunk(struct gp_capture *c, u64 address, u32 type,
					 u32 level, u32 each, u32 size)
{
	u8 *bytes = c->at + GP_CHUNK;
	u32 padded = ALIGN(size, GP_RECORD_ALIGN), left;

	if (unlikely(c->end - bytes < (long)padded)) {
		long fits = gp_walk_trim(c, each, size);

		if (fits <= 0)
			return fits;
		size = fits;
		padded = ALIGN(size, GP_RECORD_ALIGN);
	}
	/* Clear the padding first: the copy may overwrite a part of the last word. */
	if (size != padded)
		memset(bytes + padded - GP_RECORD_ALIGN, 0, GP_RECORD_ALIGN);
	left = gp_user_copy(bytes, address, size);
	if (unlikely(left))
		return gp_walk_absent(c, address, type, level, size, left);
	gp_walk_add(c, address, type, level, size, padded, GOPROBE_CHUNK_OK);
	return 1;
}

/*
 * The chunk has already been copied. A shorter path to it counts, if its references have not been
 * followed yet.
 */
static __always_inline int gp_walk_again(struct gp_capture *c, struct goprobe_chunk *chunk,
					 u32 level)
{
	if (level < chunk->level && chunk > c->now)
		chunk->level = level;
	return 0;
}

/* Queue the chunk. Its references are followed if its level then allows it. */
static __always_inline void gp_walk_later(struct gp_capture *c,
					  struct goprobe_chunk *chunk,
					  const struct gp_type *t)
{
	if (!t->nrefs || unlikely(chunk->size < t->size))
		return;
	c->last->chunk = chunk;
	c->last->type = t;
	c->last++;
}

/* As gp_walk_chunk(), @size bytes of objects of type @t, unless they are already copied. */
static __always_inline int gp_walk_objects(struct gp_capture *c, u64 address,
					   const struct gp_type *t, u32 level, u32 size)
{
	struct goprobe_chunk *chunk;
	u32 *slot;
	int ret;

	chunk = gp_visited_find(c->visited, c->to, address, t->id, size, &slot);
	if (chunk)
		return gp_walk_again(c, chunk, level);
	chunk = (void *)c->at;
	ret = gp_walk_chunk(c, address, t->id, level, t->size, size);
	if (ret > 0) {
		gp_visited_note(c->visited, slot, (u8 *)chunk - c->to);
		gp_walk_later(c, chunk, t);
	}
	return ret;
}

/*
 * As gp_walk_chunk(), 8 bytes whose type is no session type, unless they are already copied;
 * *@found: where, or NULL.
 */
static noinline int gp_walk_word(struct gp_capture *c, u64 address, u32 type, u32 level,
				 const struct goprobe_chunk **found)
{
	struct goprobe_chunk *chunk;
	u32 *slot;
	int ret;

	chunk = gp_visited_find(c->visited, c->to, address, type, sizeof(u64), &slot);
	*found = chunk;
	if (chunk)
		return gp_walk_again(c, chunk, level);
	chunk = (void *)c->at;
	ret = gp_walk_chunk(c, address, type, level, sizeof(u64), sizeof(u64));
	if (ret > 0) {
		gp_visited_note(c->visited, slot, (u8 *)chunk - c->to);
		*found = chunk;
	}
	return ret;
}

/* An impossible length: append a chunk that reports it, without bytes. */
static noinline int gp_walk_bad(struct gp_capture *c, u64 address, u32 type, u32 level)
{
	u32 used = c->at - c->to;

	if (!c->objects || c->limit - used < GP_CHUNK) {
		c->flags |= GOPROBE_RECORD_F_BUDGET;
		return GP_WALK_FULL;
	}
	if (c->space - used < GP_CHUNK)
		return -ENOSPC;
	gp_walk_add(c, address, type, level, 0, 0, GOPROBE_CHUNK_BAD);
	return 1;
}

static __always_inline int gp_walk_string(struct gp_capture *c, u64 address, u64 len,
					  u32 level)
{
	u32 limit = c->plan->w.string_limit;

	if (!len)
		return 0;
	if (len > limit) {
		if (unlikely(len > GP_LEN_MAX))
			return gp_walk_bad(c, address, GOPROBE_TYPE_BYTES, level);
		len = limit;
	}
	return gp_walk_chunk(c, address, GOPROBE_TYPE_BYTES, level, 1, len);
}

/* Number of objects to which a GOPROBE_REF_ARRAY of @object leads. */
static noinline u64 gp_walk_count(const struct goprobe_ref *ref, const u8 *object)
{
	u64 n = gp_load_low(object + ref->count_offset, ref->count_size);
	bool half;

	switch (ref->count) {
	case GOPROBE_COUNT_PLUS_1:
		return n == U64_MAX ? n : n + 1;
	case GOPROBE_COUNT_FLAGS_LOG2:
		half = !(n & GOPROBE_COUNT_FLAG_FULL);
		n >>= 8;
		if (half && n)
			n--;
		fallthrough;
	case GOPROBE_COUNT_LOG2:
		return n <= GP_LEN_BITS ? BIT_ULL(n) : U64_MAX;
	case GOPROBE_COUNT_IF_0:
		return !n;
	}
	return n;
}

static noinline int gp_walk_object(struct gp_capture *c, u64 address,
				   const struct gp_type *t, u32 level)
{
	if (!address || !t || !t->size)
		return 0;
	return gp_walk_objects(c, address, t, level, t->size);
}

static noinline int gp_walk_func(struct gp_capture *c, u64 address, u32 level)
{
	u32 size = sizeof(u64), *slot GP_UNINITIALIZED;
	const struct goprobe_chunk *found;
	const struct gp_type *t = NULL;
	struct goprobe_chunk *visited;
	u64 code = 0;
	int status;

	/* Do not read it again: absent memory would fault each time. */
	visited = gp_visited_find(c->visited, c->to, address, GOPROBE_TYPE_CODE, size, &slot);
	if (visited)
		return gp_walk_again(c, visited, level);
	status = gp_capture_copy(c, &code, address, &size);
	if (status < 0)
		return status;
	if (status == GOPROBE_CHUNK_OK)
		t = gp_dynamic_type(gp_dynamic_find(c->dynamic, code - c->bias));
	if (t)
		return gp_walk_object(c, address, t, level);
	return gp_walk_word(c, address, GOPROBE_TYPE_CODE, level, &found);
}

static int gp_walk_rare(struct gp_capture *c, const struct goprobe_ref *ref,
			const u8 *object, u64 address, u32 level);

/* Number of objects of a slice or array that the plan wants; -1: impossible length. */
static noinline long gp_walk_wanted(const struct gp_capture *c, const struct goprobe_ref *ref,
				    const u8 *object)
{
	u32 elements = c->elements;
	u64 n;

	n = ref->kind == GOPROBE_REF_SLICE ? gp_load(object + ref->offset + 8) :
					     gp_walk_count(ref, object);
	if (!elements)
		return 0;
	if (unlikely(n > GP_LEN_MAX))
		return -1;
	return min_t(u64, n, max(elements >> ref->elements_shift, 1U));
}

/* Follow a pointer to one or more objects. */
static __always_inline int gp_walk_pointer(struct gp_capture *c,
					   const struct goprobe_ref *ref,
					   const u8 *object, u64 address, u32 level)
{
	const struct gp_type *t = gp_types_find(c->plan->types, ref->type);
	u32 size;

	if (!t || !t->size)
		return 0;
	size = t->size;
	if (ref->kind != GOPROBE_REF_POINTER) {
		long n = gp_walk_wanted(c, ref, object);

		if (n <= 0)
			return n ? gp_walk_bad(c, address, ref->type, level) : 0;
		size *= n;
	}
	return gp_walk_objects(c, address, t, level, size);
}

/* The first word at @ref is @address, which is not nil. The target is at @level. */
static __always_inline int gp_walk_ref(struct gp_capture *c, const struct goprobe_ref *ref,
				       const u8 *object, u64 address, u32 level)
{
	switch (ref->kind) {
	case GOPROBE_REF_STRING:
		return gp_walk_string(c, address, gp_load(object + ref->offset + 8), level);
	case GOPROBE_REF_POINTER:
	case GOPROBE_REF_SLICE:
	case GOPROBE_REF_ARRAY:
		return gp_walk_pointer(c, ref, object, address, level);
	}
	return gp_walk_rare(c, ref, object, address, level);
}

/*
 * The data word of an interface is the value. Its references are on the level of a value to which
 * the word would point. The verifier has checked that the value contains no interface.
 */
static noinline int gp_walk_direct(struct gp_capture *c, const struct gp_type *t,
				   const u8 *word, u32 level)
{
	u64 address = gp_load(word);
	int ret = 0;
	u32 i;

	for (i = 0; ret >= 0 && address && i < t->nrefs; i++)
		ret = gp_walk_ref(c, &t->refs[i], word, address, level);
	return ret;
}

/* Follow the two words of an interface. */
static noinline int gp_walk_iface(struct gp_capture *c, u8 kind, const u8 *at, u64 type,
				  u32 level)
{
	const struct goprobe_chunk *itab;
	unsigned long dynamic;
	int ret;

	if (kind == GOPROBE_REF_IFACE) {
		ret = gp_walk_word(c, type + 8, GOPROBE_TYPE_ITAB, level, &itab);
		if (ret < 0 || !itab || itab->size < sizeof(u64))
			return ret;
		type = gp_load(itab + 1);
	}
	dynamic = gp_dynamic_find(c->dynamic, type - c->bias);
	if (gp_dynamic_is_direct(dynamic))
		return gp_walk_direct(c, gp_dynamic_type(dynamic), at + 8, level);
	return gp_walk_object(c, gp_load(at + 8), gp_dynamic_type(dynamic), level);
}

static noinline int gp_walk_rare(struct gp_capture *c, const struct goprobe_ref *ref,
				 const u8 *object, u64 address, u32 level)
{
	if (ref->kind == GOPROBE_REF_FUNC)
		return gp_walk_func(c, address, level);
	return gp_walk_iface(c, ref->kind, object + ref->offset, address, level);
}

/*
 * Follow the references of the objects of type @t in the @left bytes at @object, which are @level
 * references away. @t has references.
 */
static __always_inline int gp_walk_refs(struct gp_capture *c, const struct gp_type *t,
					const u8 *object, u32 left, u32 level)
{
	const struct goprobe_ref *ref, *const end = t->refs + t->nrefs;
	const u32 each = t->size;
	int ret;

	for (; left >= each; left -= each, object += each) {
		ref = t->refs;
		do {
			u64 address = gp_load(object + ref->offset);
			/* GOPROBE_REF_F_SAME_LEVEL is the only flag. */
			u32 next = level + 1 - ref->flags;

			if (!address || next > c->depth)
				continue;
			ret = gp_walk_ref(c, ref, object, address, next);
			if (unlikely(ret < 0))
				return ret;
		} while (++ref < end);
	}
	return 0;
}

/* The next object whose references the walk follows, or NULL. */
static __always_inline const struct gp_todo *gp_walk_next(struct gp_capture *c)
{
	while (c->next < c->last) {
		const struct gp_todo *todo = c->next++;

		if (todo->chunk->level < c->depth || todo->type->same_level)
			return todo;
	}
	return NULL;
}

static __always_inline int gp_walk_all(struct gp_capture *c)
{
	const struct gp_type *t = c->plan->frame;
	const struct gp_todo *todo;
	const u8 *object = c->to;
	u32 left = t->size, level = 0;

	for (;;) {
		int ret = gp_walk_refs(c, t, object, left, level);

		if (ret < 0)
			return ret;
		todo = gp_walk_next(c);
		if (!todo)
			return 0;
		c->now = todo->chunk;
		t = todo->type;
		object = (const u8 *)(c->now + 1);
		left = c->now->size;
		level = c->now->level;
	}
}

/* Walk with at most @elements of each array. */
static __always_inline int gp_walk_with(struct gp_capture *c, u32 elements)
{
	const struct gp_plan *plan = c->plan;
	int err;

	c->elements = elements;
	c->depth = plan->w.depth;
	c->objects = plan->w.objects;
	c->limit = c->used + plan->w.bytes;
	c->end = c->objects ? c->to + min(c->limit, c->space) : c->to;
	c->at = c->to + c->used;
	c->now = NULL;
	c->last = c->visited->todo;
	c->next = c->last;
	gp_visited_begin(c->visited);
	err = gp_walk_all(c);
	return err == GP_WALK_FULL ? 0 : err;
}

/*
 * With all elements that the plan allows, the record was full before the walk reached what they
 * refer to. Find how many elements fit together with what they refer to. So a plan with a higher
 * limit never shows less than a plan with a limit that fits. Each step is a walk within the same
 * budgets.
 */
static noinline int gp_walk_fitting(struct gp_capture *c)
{
	u32 fits = GOPROBE_ELEMENTS_ANY, over = c->plan->w.elements, last = over, step;
	int err = 0;

	for (step = 0; step < GP_WALK_STEPS && over - fits > fits / 8; step++) {
		last = over / 4 > fits ? fits * 2 : fits + (over - fits) / 2;
		c->flags &= ~GOPROBE_RECORD_F_BUDGET;
		err = gp_walk_with(c, last);
		if (err)
			return err;
		if (c->flags & GOPROBE_RECORD_F_BUDGET)
			over = last;
		else
			fits = last;
	}
	if (last != fits)
		err = gp_walk_with(c, fits);
	c->flags |= GOPROBE_RECORD_F_BUDGET;
	return err;
}

/**
 * gp_walk_run() - append what the frame refers to, directly and indirectly
 * @c: its frame has references and is filled; c->used covers it
 *
 * Return: 0; -EAGAIN: bring c->faultin->address in; -ENOSPC: the ring has not enough space.
 */
int gp_walk_run(struct gp_capture *c)
{
	u32 elements = c->plan->w.elements;
	int err = gp_walk_with(c, elements);

	if (unlikely(c->flags & GOPROBE_RECORD_F_BUDGET) && !err &&
	    elements > GOPROBE_ELEMENTS_ANY)
		err = gp_walk_fitting(c);
	c->used = c->at - c->to;
	return err;
}
