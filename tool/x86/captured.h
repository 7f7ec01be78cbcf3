/* SPDX-License-Identifier: GPL-2.0 */
/* Analysis of closures' code: how they keep captured variables. Pure. */
#ifndef GOPROBE_X86_CAPTURED_H
#define GOPROBE_X86_CAPTURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum captured {
	CAPTURED_UNKNOWN,
	CAPTURED_VALUE,		/* the variable itself is there */
	CAPTURED_REFERENCE,	/* its address is there */
};

/*
 * What @len bytes of @code, a function from its entry on, do with what is @offset bytes behind the
 * closure's beginning (RDX at the entry). Go 1.17 and later.
 */
enum captured captured_how(const uint8_t *code, size_t len, uint64_t offset);

/* A part of a closure. */
struct captured_span {
	uint64_t from;	/* offset */
	uint64_t to;	/* offset behind it */
};

/* Is a part of the closure used there that is in none of the @n spans @v? */
bool captured_outside(const uint8_t *code, size_t len, const struct captured_span *v, size_t n);

#endif
