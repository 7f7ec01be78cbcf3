/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stack of a goroutine that does not run: its functions, and the places of their frames.
 * Unwinding uses the line table's distances from SP, as the runtime does. Frame pointers leave
 * out the caller of a function that has just begun, and not every release keeps that of a system
 * call (1.23 does, 1.19 does not). Pure: callbacks read memory and find functions.
 */
#ifndef GOPROBE_PROCESS_STACK_H
#define GOPROBE_PROCESS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gobin/gobin.h"

/* A stack. */
struct gostack {
	uint64_t lo;	/* its lowest address */
	uint64_t hi;	/* address behind it */
	uint64_t pc;	/* where the goroutine goes on, run-time address */
	uint64_t sp;	/* with this SP */
	uint64_t bias;	/* run-time addresses of its code less link-time ones */
	/* Exactly @len bytes at @at; false if they can't be read. */
	bool (*read)(void *ctx, uint64_t at, void *to, size_t len);
	/* What is known of link-time address @vaddr; false: nothing. */
	bool (*place)(void *ctx, uint64_t vaddr, struct gobin_place *ret);
	void *ctx;	/* their first argument */
};

/* A function on it. */
struct stack_frame {
	uint64_t pc;	/* link-time address where it goes on */
	/*
	 * Bytes from where it will return to up to the stack's end: as goprobe_record.depth, but of
	 * bytes.
	 */
	uint64_t depth;
	bool begun;	/* as of struct gobin_place */
};

/* How a walk ended. */
enum stack_end {
	STACK_WHOLE,	/* at the function that nobody has called */
	STACK_CUT,	/* there are more */
	STACK_BROKEN,	/* the next frame is unknown */
};

/* The @max innermost functions, innermost first, to @v; *@n: their number. */
enum stack_end stack_walk(const struct gostack *s, struct stack_frame *v, size_t max,
			  size_t *n);

#endif
