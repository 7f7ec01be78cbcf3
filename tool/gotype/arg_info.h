/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function's FUNCDATA_ArgInfo, which Go keeps for tracebacks: the offset and the size of each
 * part of its arguments, of the first ten. Blank ones are among them. Pure.
 */
#ifndef GOPROBE_GOTYPE_ARG_INFO_H
#define GOPROBE_GOTYPE_ARG_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gotype/type.h"

/* Parts that the compiler describes at most, and bytes that it uses for them. */
#define ARGINFO_PARTS 10
#define ARGINFO_BYTES_MAX 256
#define ARGINFO_LAST 0xff	/* the last byte */

/* The description. */
struct arginfo {
	const uint8_t *data;	/* its bytes */
	size_t len;		/* their number; more may follow than belong to it */
};

/* What a position in the description says. */
enum arginfo_next {
	ARGINFO_END,		/* no argument follows */
	ARGINFO_ARG,		/* an argument follows */
	ARGINFO_MORE,		/* others follow, which are not described */
	ARGINFO_BAD,		/* it is damaged */
};

enum arginfo_next arginfo_next(const struct arginfo *a, size_t at);

/* A part of an argument. */
struct arginfo_part {
	uint32_t offset;	/* from the first argument on the stack */
	uint32_t size;		/* bytes */
};

/* An argument of which only the description is known. */
struct arginfo_arg {
	struct arginfo_part parts[ARGINFO_PARTS];	/* what it has */
	size_t nparts;	/* their number */
	bool more;	/* it has others, or their offsets are too large to be described */
	size_t end;	/* where the description goes on */
};

/* Read the argument at @at; 0, or -1 if it is damaged. */
int arginfo_read(const struct arginfo *a, size_t at, struct arginfo_arg *ret);

/*
 * Is the argument at @at of type @t, and @offset bytes from the first one on the stack? Where the
 * description goes on, or 0 if it is not.
 */
size_t arginfo_match(const struct arginfo *a, size_t at, const struct gotype *t, uint64_t offset);

#endif
