// SPDX-License-Identifier: GPL-2.0
/* The operations and pieces that load, follow and copy operands. */
#include "compile/operand.h"
#include "compile/scope.h"

#define WORD 8U
/* struct goprobe_piece: how far below the entry's SP a piece can be. */
#define PIECE_LEAST (-4096)

void exprcode_op(struct exprcode *c, struct goprobe_op op)
{
	if (c->nops == EXPRCODE_OPS_MAX)
		c->full = true;
	else
		c->ops[c->nops++] = op;
}

void exprcode_op2(struct exprcode *c, uint8_t code, uint8_t a, uint8_t b)
{
	exprcode_op(c, (struct goprobe_op){ .code = code, .a = a, .b = b });
}

void exprcode_skip(struct exprcode *c, uint8_t code, uint8_t a, uint8_t b)
{
	exprcode_op(c, (struct goprobe_op){ .code = code, .a = a, .b = b, .offset = 1 });
}

void exprcode_set(struct exprcode *c, uint8_t code, uint8_t a, uint64_t value)
{
	exprcode_op(c, (struct goprobe_op){ .code = code, .a = a, .value = value });
}

uint8_t exprcode_take(struct exprcode *c)
{
	if (c->reg == EXPRCODE_ZERO) {
		c->full = true;
		return 0;
	}
	return c->reg++;
}

struct exprplace exprplace_part(const struct exprplace *p, uint64_t offset,
				const struct gotype *type)
{
	struct exprplace part = *p;

	part.at += offset;
	part.type = type;
	return part;
}

/* The part that begins at @at of its argument, or NULL. */
const struct goabi_part *exprplace_register(const struct exprplace *p, uint64_t at)
{
	for (size_t i = 0; i < p->nparts; i++)
		if (p->parts[i].at == at)
			return &p->parts[i];
	return NULL;
}

static const struct goabi_part *part_on_stack(const struct exprplace *p, uint64_t at,
					      uint32_t size)
{
	for (size_t i = 0; i < p->nparts; i++) {
		const struct goabi_part *part = &p->parts[i];

		if (part->on_stack && part->at <= at &&
		    at + size <= (uint64_t)part->at + part->size)
			return part;
	}
	return NULL;
}

static void load_part(struct exprcode *c, const struct exprplace *p, uint64_t at, uint32_t size,
		      uint8_t reg)
{
	const struct goabi_part *part = exprplace_register(p, at);
	const struct goabi_part *memory = part_on_stack(p, at, size);

	if (memory) {
		exprcode_set(c, GOPROBE_OP_SP, reg,
			     (uint64_t)(memory->stack + (int64_t)(at - memory->at)));
		exprcode_op(c, (struct goprobe_op){
			.code = GOPROBE_OP_LOAD, .a = reg, .b = reg, .size = size });
	} else if (part && part->is_float) {
		exprcode_op(c, (struct goprobe_op){
			.code = GOPROBE_OP_FLOAT, .a = reg, .b = part->reg, .size = size });
	} else if (part) {
		exprcode_op2(c, GOPROBE_OP_REG, reg, part->reg);
	} else {
		c->nowhere = true;
	}
}

bool exprplace_is_whole(const struct exprplace *p)
{
	return p->kind != EXPRPLACE_PARTS || goscope_covers(p->parts, p->nparts, p->at, p->type);
}

const char *exprplace_unreadable(const struct exprplace *p)
{
	uint64_t end = p->type ? p->at + p->type->size : p->at;

	for (size_t i = 0; p->kind == EXPRPLACE_PARTS && i < p->nparts; i++) {
		const struct goabi_part *part = &p->parts[i];
		uint64_t until = (uint64_t)part->at + part->size;

		if (!part->on_stack && part->at < end && until > p->at &&
		    (part->at < p->at || until > end))
			return "an element of a vector in a register";
	}
	return NULL;
}

void exprplace_load(struct exprcode *c, const struct exprplace *p, uint64_t offset,
		    uint32_t size, uint8_t reg)
{
	struct goprobe_op load = { .code = GOPROBE_OP_LOAD, .a = reg, .b = reg, .size = size };
	uint64_t at = p->at + offset;

	switch (p->kind) {
	case EXPRPLACE_PARTS:
		load_part(c, p, at, size, reg);
		return;
	case EXPRPLACE_STACK:
		exprcode_set(c, GOPROBE_OP_SP, reg, at);
		break;
	case EXPRPLACE_STATIC:
		exprcode_set(c, GOPROBE_OP_STATIC, reg, at);
		break;
	case EXPRPLACE_MEMORY:
		load.b = p->reg;
		load.value = at;
		break;
	case EXPRPLACE_REGISTER:
		exprcode_op2(c, GOPROBE_OP_MOVE, reg, (uint8_t)(p->reg + at / WORD));
		return;
	case EXPRPLACE_CONSTANT:
		exprcode_set(c, GOPROBE_OP_IMM, reg, at);
		return;
	}
	exprcode_op(c, load);
}

void exprcode_extend(struct exprcode *c, const struct gotype *t, uint8_t reg)
{
	if (t->size < WORD)
		exprcode_op(c, (struct goprobe_op){
			.code = t->kind == GOTYPE_INT ? GOPROBE_OP_SIGN : GOPROBE_OP_LOW,
			.a = reg, .b = reg, .size = (uint32_t)t->size });
}

void exprplace_number(struct exprcode *c, const struct exprplace *p, uint8_t reg)
{
	enum gotype_kind kind = p->type->kind;

	exprplace_load(c, p, 0, p->type->size < WORD ? (uint32_t)p->type->size : WORD, reg);
	/* Memory has no more bytes than the number has. */
	if (p->kind == EXPRPLACE_PARTS ? kind != GOTYPE_FLOAT : kind == GOTYPE_INT)
		exprcode_extend(c, p->type, reg);
}

struct exprplace exprplace_follow(struct exprcode *c, const struct exprplace *p,
				  const struct gotype *type)
{
	uint8_t reg = p->kind == EXPRPLACE_MEMORY ? p->reg : exprcode_take(c);

	exprplace_load(c, p, 0, WORD, reg);
	return (struct exprplace){ .kind = EXPRPLACE_MEMORY, .type = type, .reg = reg };
}

struct exprplace exprplace_address(struct exprcode *c, const struct exprplace *p)
{
	struct exprplace to = { .kind = EXPRPLACE_MEMORY, .type = p->type, .reg = p->reg,
				.at = p->at, .fixed = p->fixed };

	if (p->kind == EXPRPLACE_MEMORY)
		return to;
	to.at = 0;
	to.reg = exprcode_take(c);
	exprcode_set(c, p->kind == EXPRPLACE_STACK ? GOPROBE_OP_SP : GOPROBE_OP_STATIC, to.reg,
		     p->at);
	return to;
}

void exprplace_check(struct exprcode *c, uint8_t a, uint8_t b, uint32_t status)
{
	exprcode_skip(c, GOPROBE_OP_JLT, a, b);
	exprcode_set(c, GOPROBE_OP_FAIL, 0, status);
}

static void add_piece(struct exprcode *c, struct goprobe_piece piece)
{
	if (c->npieces == EXPRCODE_PIECES_MAX)
		c->full = true;
	else
		c->pieces[c->npieces++] = piece;
}

/* @size bytes from entry SP + @at on to @frame. */
static void store_stack(struct exprcode *c, int64_t at, uint32_t size, uint32_t frame)
{
	uint8_t reg;

	if (at >= PIECE_LEAST) {
		add_piece(c, (struct goprobe_piece){
			.source = GOPROBE_FROM_STACK, .size = size,
			.frame = frame, .offset = (int32_t)at });
		return;
	}
	reg = exprcode_take(c);
	exprcode_set(c, GOPROBE_OP_SP, reg, (uint64_t)at);
	exprcode_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_COPY, .b = reg, .size = size, .offset = frame });
}

/* The bytes of the part on the stack that are among the @size bytes from @from on. */
static void store_stack_part(struct exprcode *c, const struct goabi_part *part, uint64_t from,
			     uint64_t size, uint32_t offset)
{
	uint64_t lo = part->at > from ? part->at : from;
	uint64_t hi = (uint64_t)part->at + part->size;

	hi = hi < from + size ? hi : from + size;
	if (lo < hi)
		store_stack(c, part->stack + (int64_t)(lo - part->at), (uint32_t)(hi - lo),
			    offset + (uint32_t)(lo - from));
}

static void store_parts(struct exprcode *c, const struct exprplace *p, uint32_t offset)
{
	for (size_t i = 0; i < p->nparts; i++) {
		const struct goabi_part *part = &p->parts[i];

		if (part->on_stack) {
			store_stack_part(c, part, p->at, p->type->size, offset);
			continue;
		}
		if (part->at < p->at || part->at - p->at >= p->type->size)
			continue;
		add_piece(c, (struct goprobe_piece){
			.source = part->is_float ? GOPROBE_FROM_FLOAT_REG : GOPROBE_FROM_INT_REG,
			.reg = part->reg, .size = part->size,
			.frame = offset + part->at - (uint32_t)p->at });
	}
}

/* Store a number, or the two words of a string. */
static void store_registers(struct exprcode *c, const struct exprplace *p, struct goprobe_op op)
{
	uint32_t words = (op.size + WORD - 1) / WORD;

	op.code = GOPROBE_OP_STORE;
	op.size = words > 1 ? WORD : op.size;
	for (uint32_t i = 0; i < words; i++, op.offset += WORD) {
		op.a = (uint8_t)(p->reg + p->at / WORD + i);
		exprcode_op(c, op);
	}
}

bool exprplace_store(struct exprcode *c, const struct exprplace *p, uint32_t *offset)
{
	uint64_t align = p->type->align ? p->type->align : 1, size = p->type->size;
	uint64_t at = (c->size + align - 1) / align * align;
	struct goprobe_piece piece = { .size = (uint32_t)size, .frame = (uint32_t)at };
	struct goprobe_op op = { .size = (uint32_t)size, .offset = (uint32_t)at };

	*offset = 0;
	if (!size)
		return true;
	if (size > PLAN_FRAME_MAX || at + size > PLAN_FRAME_MAX)
		return false;
	*offset = (uint32_t)at;
	c->size = (uint32_t)(at + size);
	switch (p->kind) {
	case EXPRPLACE_PARTS:
		store_parts(c, p, *offset);
		return true;
	case EXPRPLACE_STACK:
		store_stack(c, (int64_t)p->at, (uint32_t)size, *offset);
		return true;
	case EXPRPLACE_STATIC:
		piece.source = GOPROBE_FROM_STATIC;
		piece.address = p->at;
		add_piece(c, piece);
		return true;
	case EXPRPLACE_MEMORY:
		op.code = GOPROBE_OP_COPY;
		op.b = p->reg;
		op.value = p->at;
		break;
	case EXPRPLACE_REGISTER:
		store_registers(c, p, op);
		return true;
	case EXPRPLACE_CONSTANT:
		op.code = GOPROBE_OP_STORE;
		op.a = exprcode_take(c);
		exprcode_set(c, GOPROBE_OP_IMM, op.a, p->at);
		break;
	}
	exprcode_op(c, op);
	return true;
}
