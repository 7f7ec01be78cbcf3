// SPDX-License-Identifier: GPL-2.0
/*
 * Operations that search the target's memory: an automaton that reads bytes, and a key among the
 * elements of a table. Their constants are in the operations behind (GOPROBE_OP_DATA).
 *
 * Context: as capture.c. What user space has put into the constants changes the result only: an
 * index outside of them finds 0.
 *
 * Leaf, and compiled into goprobectl: as program.c.
 */
#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "capture/capture.h"
#include "capture/faultin.h"
#endif
#include "capture/search.h"

/* Bytes that are read at a time. */
#define GP_SEARCH_PART	128

/* A string's header: address, length. */
#define GP_SEARCH_HEADER	16

/* The target decides about @at. */
static __always_inline u8 gp_search_data(const struct gp_op *op, u32 at)
{
	u32 behind = at / 8;

	if (behind >= op->offset)
		return 0;
	behind = array_index_nospec(behind, op->offset);
	return ((const u8 *)&op[1 + behind].value)[at % 8];
}

/* The state behind @state: GOPROBE_MATCH_NO and _YES are final. */
static __always_inline u8 gp_search_next(const struct gp_op *op, u8 state, u32 class)
{
	u32 columns = min_t(u64, op->value, GOPROBE_MATCH_COLUMNS_MAX);

	return gp_search_data(op, 256 + (state - GOPROBE_MATCH_START) * columns + class);
}

/**
 * gp_search_match() - GOPROBE_OP_MATCH
 * @c: reads the target
 * @op: the operation
 * @r: registers
 *
 * Return: as gp_capture_copy(); GOPROBE_CHUNK_BAD: all bytes that may be read do not decide.
 */
noinline int gp_search_match(struct gp_capture *c, const struct gp_op *op, u64 *r)
{
	u64 address = r[op->a], len = r[op->b];
	u32 left = min_t(u64, len, op->size), size, i;
	u8 part[GP_SEARCH_PART] GP_UNINITIALIZED;
	u8 state = GOPROBE_MATCH_START;
	int status;

	if (left && address < GP_NIL_END)
		return GOPROBE_CHUNK_NIL;
	for (; left && state >= GOPROBE_MATCH_START; left -= size, address += size) {
		size = min_t(u32, left, GP_SEARCH_PART);
		status = gp_capture_copy(c, part, address, &size);
		if (status != GOPROBE_CHUNK_OK)
			return status;
		for (i = 0; i < size && state >= GOPROBE_MATCH_START; i++)
			state = gp_search_next(op, state, gp_search_data(op, part[i]));
	}
	if (state >= GOPROBE_MATCH_START && len > op->size)
		return GOPROBE_CHUNK_BAD;
	if (state >= GOPROBE_MATCH_START && op->value)
		state = gp_search_next(op, state, op->value - 1);
	r[op->a] = state == GOPROBE_MATCH_YES;
	return GOPROBE_CHUNK_OK;
}

/* Are the bytes at @address those of the key? Return: as gp_capture_copy(). */
static int gp_search_compare(struct gp_capture *c, const struct gp_op *op, u64 address, bool *same)
{
	u8 part[GP_SEARCH_PART] GP_UNINITIALIZED;
	u32 at, size, i;
	int status;

	*same = true;
	for (at = 0; at < op->size; at += size) {
		size = min_t(u32, op->size - at, GP_SEARCH_PART);
		status = gp_capture_copy(c, part, address + at, &size);
		if (status != GOPROBE_CHUNK_OK)
			return status;
		for (i = 0; i < size; i++)
			*same = *same && part[i] == gp_search_data(op, at + i);
		if (!*same)
			break;
	}
	return GOPROBE_CHUNK_OK;
}

/* As gp_search_compare(), of the element at @address: perhaps a string. */
static int gp_search_element(struct gp_capture *c, const struct gp_op *op, u64 address, bool *same)
{
	u64 header[2];
	u32 size = GP_SEARCH_HEADER;
	int status;

	if (!(op->value & GOPROBE_FIND_F_STRING))
		return gp_search_compare(c, op, address, same);
	*same = false;
	status = gp_capture_copy(c, header, address, &size);
	if (status != GOPROBE_CHUNK_OK || header[1] != op->size)
		return status;
	/* Empty strings can have any address. */
	*same = !op->size;
	if (*same)
		return GOPROBE_CHUNK_OK;
	return header[0] < GP_NIL_END ? GOPROBE_CHUNK_NIL :
					gp_search_compare(c, op, header[0], same);
}

/**
 * gp_search_find() - GOPROBE_OP_FIND
 * @c: reads the target
 * @op: the operation
 * @r: registers
 *
 * Return: as gp_capture_copy().
 */
noinline int gp_search_find(struct gp_capture *c, const struct gp_op *op, u64 *r)
{
	u8 least = op->value >> GOPROBE_FIND_LEAST_SHIFT;
	u8 most = op->value >> GOPROBE_FIND_MOST_SHIFT;
	u8 taken[GOPROBE_FIND_ELEMENTS];
	u32 size = sizeof(taken), i;
	u64 at = r[op->a];
	bool same = false;
	int status;

	if (min(at, r[op->b]) < GP_NIL_END)
		return GOPROBE_CHUNK_NIL;
	status = gp_capture_copy(c, taken, r[op->b], &size);
	for (i = 0; status == GOPROBE_CHUNK_OK && i < GOPROBE_FIND_ELEMENTS; i++) {
		if (taken[i] >= least && taken[i] <= most)
			status = gp_search_element(c, op, at, &same);
		if (same)
			break;
		at += (u32)op->value;
	}
	r[op->a] = i;
	return status;
}
