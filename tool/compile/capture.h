/* SPDX-License-Identifier: GPL-2.0 */
/* Captured values of a call, and their places in a record. */
#ifndef GOPROBE_COMPILE_CAPTURE_H
#define GOPROBE_COMPILE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <goprobe.h>

/* Bytes of a frame: goprobe_limits.frame_bytes of the module. */
#define PLAN_FRAME_MAX 4096U

struct exprsteps;
struct goparam;
struct gotype;

/**
 * struct plan_value - an argument or a result in a frame
 * @name: "x", "_", "~r0"
 * @type: its type
 * @offset: where it is in the frame
 * @stack: the module reads it from the stack or from static memory
 * @param: its parameter in the signature, if its type depends on the dictionary
 * @steps: from what is captured to what is shown of it; NULL: all of it
 * @unavailable: why it is not in the frame (static string), or NULL
 */
struct plan_value {
	const char *name;
	const struct gotype *type;
	uint32_t offset;
	bool stack;
	const struct goparam *param;
	const struct exprsteps *steps;
	const char *unavailable;
};

/**
 * struct plan_capture - the values to capture, in place of a whole signature
 * @values: values of the frame, in any order; names and types must outlive the
 *	plan; all else is copied
 * @nvalues: their number
 * @pieces: how to fill the frame
 * @npieces: their number
 * @ops: the program that fills the rest; item i is values[i]
 * @nops: their number
 * @size: of the frame: at most PLAN_FRAME_MAX
 */
struct plan_capture {
	const struct plan_value *values;
	size_t nvalues;
	const struct goprobe_piece *pieces;
	size_t npieces;
	const struct goprobe_op *ops;
	size_t nops;
	uint32_t size;
};

#endif
