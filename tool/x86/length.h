/* SPDX-License-Identifier: GPL-2.0 */
/* Lengths of x86-64 instructions, for the plain ones that most code is. Pure. */
#ifndef GOPROBE_X86_LENGTH_H
#define GOPROBE_X86_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of the instruction at @p, of which @n can be read; 0 if it is not one of
 * those that are known here. These neither jump nor return; a call may be.
 */
size_t x86_len(const uint8_t *p, size_t n);

/* A direct jump or a return. */
struct x86_jump {
	size_t len;	/* bytes */
	bool ret;	/* it is a return */
	bool always;	/* it is no conditional jump */
	int32_t by;	/* from the next instruction */
};

/* Is there one at @p, without prefix? Of @p @n bytes can be read. */
bool x86_jump(const uint8_t *p, size_t n, struct x86_jump *ret);

#endif
