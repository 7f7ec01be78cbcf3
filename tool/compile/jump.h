/* SPDX-License-Identifier: GPL-2.0 */
/* Jumps of a program to places that it has not reached. */
#ifndef GOPROBE_COMPILE_JUMP_H
#define GOPROBE_COMPILE_JUMP_H

#include "compile/operand.h"

/* A place that jumps lead to, before it is reached. */
struct jump_label {
	size_t last;	/* index of the last jump, plus 1; that has the one before in its offset */
};

/* The operation made last jumps to @to. */
void jump_to(struct operand *c, struct jump_label *to);
/* Here it is. */
void jump_here(struct operand *c, struct jump_label *label);
void jump_always(struct operand *c, struct jump_label *to);
/* By the jump @code, which compares register @a with @value. */
void jump_if(struct operand *c, uint8_t code, uint8_t a, uint64_t value, struct jump_label *to);
/*
 * Go to @differs unless the @n bytes of @s are @from bytes behind the address in register @p;
 * takes a register.
 */
void jump_unless_bytes(struct operand *c, uint8_t p, uint64_t from, const char *s, size_t n,
		       struct jump_label *differs);

#endif
