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

enum exprplace_kind {
	EXPRPLACE_PARTS,	/* registers of the calling convention */
	EXPRPLACE_STACK,	/* SP at entry + at */
	EXPRPLACE_STATIC,	/* link-time address at */
	EXPRPLACE_MEMORY,	/* address in reg + at */
	EXPRPLACE_REGISTER,	/* the number in reg; a string: its length is in the next one */
	EXPRPLACE_CONSTANT,	/* the number at */
};

/* A value and where it is. */
struct exprplace {
	enum exprplace_kind kind;	/* enum exprplace_kind */
	const struct gotype *type;	/* its type */
	/* Of EXPRPLACE_PARTS: registers of the argument that it is in. */
	const struct goabi_part *parts;
	size_t nparts;	/* their number */
	uint64_t at;	/* offset in it, or see above */
	uint8_t reg;	/* register of the program */
	bool fixed;	/* a part of the closure that is executed, which nothing in Go changes */
	struct exprsteps steps;	/* deferred steps from there on; @steps.n can be 0 */
};

/* goprobe_limits.ops and .pieces of the module. */
#define EXPRCODE_OPS_MAX 512
#define EXPRCODE_PIECES_MAX 256
/* The program's registers; the last one stays 0. */
#define EXPRCODE_REGS 16
#define EXPRCODE_ZERO (EXPRCODE_REGS - 1)

/* The program of a list so far. */
struct exprcode {
	struct goprobe_op *ops;	/* program */
	size_t nops;	/* its length */
	struct goprobe_piece *pieces;	/* pieces */
	size_t npieces;	/* their number */
	uint32_t size;	/* of the frame */
	uint8_t reg;	/* first free register */
	bool full;	/* there were too many operations, pieces or registers */
	bool nowhere;	/* a needed value is in no register and not in memory at this instruction */
};

void exprcode_op(struct exprcode *c, struct goprobe_op op);
/* The common forms: two registers; a register and a value. */
void exprcode_op2(struct exprcode *c, uint8_t code, uint8_t a, uint8_t b);
void exprcode_set(struct exprcode *c, uint8_t code, uint8_t a, uint64_t value);
/* A jump over the next operation. */
void exprcode_skip(struct exprcode *c, uint8_t code, uint8_t a, uint8_t b);
/* A free register. */
uint8_t exprcode_take(struct exprcode *c);

/* The part of @p at @offset that has type @type. */
struct exprplace exprplace_part(const struct exprplace *p, uint64_t offset,
				const struct gotype *type);
/* Of a place in registers: the part that begins at @at, or NULL. */
const struct goabi_part *exprplace_register(const struct exprplace *p, uint64_t at);
/* Are all its bytes somewhere? */
bool exprplace_is_whole(const struct exprplace *p);
/* Why it can't be read (static string), or NULL: it is in the middle of a register. */
const char *exprplace_unreadable(const struct exprplace *p);
/* Load the @size bytes at @offset of @p into @reg; above them it may hold anything. */
void exprplace_load(struct exprcode *c, const struct exprplace *p, uint64_t offset,
		    uint32_t size, uint8_t reg);
/* The low bytes of @reg, a number of type @t, extended to all of it. */
void exprcode_extend(struct exprcode *c, const struct gotype *t, uint8_t reg);
/*
 * The number, boolean or float @p into @reg, extended as its type wants; of what can be nil its
 * first word.
 */
void exprplace_number(struct exprcode *c, const struct exprplace *p, uint8_t reg);
/* The target of the pointer @p, of type @type. */
struct exprplace exprplace_follow(struct exprcode *c, const struct exprplace *p,
				  const struct gotype *type);
/* Load its address into a register, to add to it. */
struct exprplace exprplace_address(struct exprcode *c, const struct exprplace *p);
/* The item fails with @status unless @a < @b, unsigned. */
void exprplace_check(struct exprcode *c, uint8_t a, uint8_t b, uint32_t status);
/*
 * Copy @p to the end of the frame; false if it is larger than a record. *@offset
 * is its place.
 */
bool exprplace_store(struct exprcode *c, const struct exprplace *p, uint32_t *offset);

#endif
