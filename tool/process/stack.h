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

/**
 * struct gostack - a stack
 * @lo: its lowest address
 * @hi: address behind it
 * @pc: where the goroutine goes on, run-time address
 * @sp: with this SP
 * @bias: run-time addresses of its code less link-time ones
 * @read: exactly @len bytes at @at; false if they can't be read
 * @place: what is known of link-time address @vaddr; false: nothing
 * @ctx: their first argument
 */
struct gostack {
	uint64_t lo;
	uint64_t hi;
	uint64_t pc;
	uint64_t sp;
	uint64_t bias;
	bool (*read)(void *ctx, uint64_t at, void *to, size_t len);
	bool (*place)(void *ctx, uint64_t vaddr, struct gobin_place *ret);
	void *ctx;
};

/**
 * struct gostack_frame - a function on it
 * @pc: link-time address where it goes on
 * @depth: bytes from where it will return to up to the stack's end: as
 *	goprobe_record.depth, but of bytes
 * @begun: as of struct gobin_place
 */
struct gostack_frame {
	uint64_t pc;
	uint64_t depth;
	bool begun;
};

/* How a walk ended. */
enum gostack_end {
	GOSTACK_WHOLE,	/* at the function that nobody has called */
	GOSTACK_CUT,	/* there are more */
	GOSTACK_BROKEN,	/* the next frame is unknown */
};

/* The @max innermost functions, innermost first, to @v; *@n: their number. */
enum gostack_end gostack_walk(const struct gostack *s, struct gostack_frame *v, size_t max,
			      size_t *n);

#endif
