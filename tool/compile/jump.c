// SPDX-License-Identifier: GPL-2.0
/* Jumps of a program to places that it has not reached. */
#include "compile/jump.h"

#define WORD 8U

void jump_to(struct operand *c, struct jump_label *to)
{
	if (!c->nops || c->full)
		return;
	c->ops[c->nops - 1].offset = (uint32_t)to->last;
	to->last = c->nops;
}

void jump_here(struct operand *c, struct jump_label *label)
{
	size_t at = label->last;

	while (at && !c->full) {
		struct goprobe_op *op = &c->ops[at - 1];
		size_t before = op->offset;

		op->offset = (uint32_t)(c->nops - at);
		at = before;
	}
	label->last = 0;
}

void jump_always(struct operand *c, struct jump_label *to)
{
	operand_op2(c, GOPROBE_OP_JUMP, 0, 0);
	jump_to(c, to);
}

void jump_if(struct operand *c, uint8_t code, uint8_t a, uint64_t value, struct jump_label *to)
{
	operand_set(c, code, a, value);
	jump_to(c, to);
}

static uint64_t bytes_at(const char *s, size_t n)
{
	uint64_t v = 0;

	/* Little-endian: the first byte is the lowest. */
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)(uint8_t)s[i] << 8 * i;
	return v;
}

/* Go to @differs unless the @size bytes at @at of @s are @from bytes behind the address. */
static void check_bytes(struct operand *c, uint8_t p, uint8_t reg, uint64_t from, const char *s,
			size_t size, struct jump_label *differs)
{
	operand_load_at(c, reg, p, from, (uint32_t)size);
	jump_if(c, GOPROBE_OP_JNE_I, reg, bytes_at(s, size), differs);
}

/* Compare a word at a time; the last load overlaps the one before. */
void jump_unless_bytes(struct operand *c, uint8_t p, uint64_t from, const char *s, size_t n,
		       struct jump_label *differs)
{
	uint8_t reg = operand_take(c);
	size_t size = WORD;

	while (size > n)
		size /= 2;
	for (size_t at = 0; size && at < n; at += size) {
		if (n - at < size)
			at = n - size;
		check_bytes(c, p, reg, from + at, s + at, size, differs);
	}
}
