/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operands: the places of values while an expression is compiled, and the operations that lead
 * from one place to the next.
 */
#ifndef GOPROBE_COMPILE_OPERAND_H
#define GOPROBE_COMPILE_OPERAND_H

#include "compile/capture.h"
#include "compile/deferred_step.h"
#include "gobin/abi.h"

enum operand_kind {
	OPERAND_PARTS,	/* registers of the calling convention */
	OPERAND_STACK,	/* SP at entry + at */
	OPERAND_STATIC,	/* link-time address at */
	OPERAND_MEMORY,	/* address in reg + at */
	OPERAND_REGISTER,	/* the number in reg; a string: its length is in the next one */
	OPERAND_CONSTANT,	/* the number at */
};

/* A value and where it is. */
struct operand_place {
	enum operand_kind kind;	/* enum operand_kind */
	const struct gotype *type;	/* its type */
	/* Of OPERAND_PARTS: registers of the argument that it is in. */
	const struct abi_part *parts;
	size_t nparts;	/* their number */
	uint64_t at;	/* offset in it, or see above */
	uint8_t reg;	/* register of the program */
	bool fixed;	/* a part of the closure that is executed, which nothing in Go changes */
	struct deferred_step steps;	/* deferred steps from there on; @steps.n can be 0 */
};

/* goprobe_limits.ops and .pieces of the module. */
#define OPERAND_OPS_MAX 1024
#define OPERAND_PIECES_MAX 256
/* The program's registers; the last one stays 0. */
#define OPERAND_REGS 16
#define OPERAND_ZERO (OPERAND_REGS - 1)

/* The program of a list so far. */
struct operand {
	struct goprobe_op *ops;	/* program */
	size_t nops;	/* its length */
	struct goprobe_piece *pieces;	/* pieces */
	size_t npieces;	/* their number */
	uint32_t size;	/* of the frame */
	uint8_t reg;	/* first free register */
	bool full;	/* there were too many operations, pieces or registers */
	bool nowhere;	/* a needed value is in no register and not in memory at this instruction */
};

void operand_op(struct operand *c, struct goprobe_op op);
/* The common forms: two registers; a register and a value. */
void operand_op2(struct operand *c, uint8_t code, uint8_t a, uint8_t b);
void operand_set(struct operand *c, uint8_t code, uint8_t a, uint64_t value);
/* A jump over the next operation. */
void operand_skip(struct operand *c, uint8_t code, uint8_t a, uint8_t b);
/* @to = the @size bytes at @from + @at. */
void operand_load_at(struct operand *c, uint8_t to, uint8_t from, uint64_t at, uint32_t size);
/* Put the @n bytes of a search behind its operation, which is the last one. */
void operand_data(struct operand *c, const void *bytes, size_t n);
/* A free register. */
uint8_t operand_take(struct operand *c);

/* The part of @p at @offset that has type @type. */
struct operand_place operand_part(const struct operand_place *p, uint64_t offset,
				  const struct gotype *type);
/* Of a place in registers: the part that begins at @at, or NULL. */
const struct abi_part *operand_register(const struct operand_place *p, uint64_t at);
/* Are all its bytes somewhere? */
bool operand_is_whole(const struct operand_place *p);
/* Why it can't be read (static string), or NULL: it is in the middle of a register. */
const char *operand_unreadable(const struct operand_place *p);
/* Load the @size bytes at @offset of @p into @reg; above them it may hold anything. */
void operand_load(struct operand *c, const struct operand_place *p, uint64_t offset,
		  uint32_t size, uint8_t reg);
/* The low bytes of @reg, a number of type @t, extended to all of it. */
void operand_extend(struct operand *c, const struct gotype *t, uint8_t reg);
/*
 * The number, boolean or float @p into @reg, extended as its type wants; of what can be nil its
 * first word.
 */
void operand_number(struct operand *c, const struct operand_place *p, uint8_t reg);
/* The target of the pointer @p, of type @type. */
struct operand_place operand_follow(struct operand *c, const struct operand_place *p,
				    const struct gotype *type);
/* Load its address into a register, to add to it. */
struct operand_place operand_address(struct operand *c, const struct operand_place *p);
/* The item fails with @status unless @a < @b, unsigned. */
void operand_check(struct operand *c, uint8_t a, uint8_t b, uint32_t status);
/*
 * Copy @p to the end of the frame; false if it is larger than a record. *@offset
 * is its place.
 */
bool operand_store(struct operand *c, const struct operand_place *p, uint32_t *offset);

#endif
