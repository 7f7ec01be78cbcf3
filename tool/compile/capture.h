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

struct deferred_step;
struct goparam;
struct gotype;

/* An argument or a result in a frame. */
struct plan_value {
	const char *name;	/* "x", "_", "~r0" */
	const struct gotype *type;	/* its type */
	uint32_t offset;	/* where it is in the frame */
	bool stack;		/* the module reads it from the stack or from static memory */
	/* Its parameter in the signature, if its type depends on the dictionary. */
	const struct goparam *param;
	/* From what is captured to what is shown of it; NULL: all of it. */
	const struct deferred_step *steps;
	const char *unavailable;	/* why it is not in the frame (static string), or NULL */
	bool length;		/* of what is @unavailable, the length is at @offset in the frame */
};

/* The values to capture, in place of a whole signature. */
struct plan_capture {
	/*
	 * Values of the frame, in any order; names and types must outlive the plan; all else is
	 * copied.
	 */
	const struct plan_value *values;
	size_t nvalues;			/* their number */
	const struct goprobe_piece *pieces;	/* how to fill the frame */
	size_t npieces;			/* their number */
	const struct goprobe_op *ops;	/* the program that fills the rest; item i is values[i] */
	size_t nops;			/* their number */
	uint32_t size;			/* of the frame: at most PLAN_FRAME_MAX */
};

#endif
