// SPDX-License-Identifier: GPL-2.0
/* The operations and pieces that load, follow and copy operands. */
#include <string.h>

#include "compile/operand.h"
#include "compile/scope.h"

#define WORD 8U
/* struct goprobe_piece: how far below the entry's SP a piece can be. */
#define PIECE_LEAST (-4096)

void operand_op(struct operand *c, struct goprobe_op op)
{
	if (c->nops == OPERAND_OPS_MAX)
		c->full = true;
	else
		c->ops[c->nops++] = op;
}

void operand_op2(struct operand *c, uint8_t code, uint8_t a, uint8_t b)
{
	operand_op(c, (struct goprobe_op){ .code = code, .a = a, .b = b });
}

void operand_skip(struct operand *c, uint8_t code, uint8_t a, uint8_t b)
{
	operand_op(c, (struct goprobe_op){ .code = code, .a = a, .b = b, .offset = 1 });
}

void operand_set(struct operand *c, uint8_t code, uint8_t a, uint64_t value)
{
	operand_op(c, (struct goprobe_op){ .code = code, .a = a, .value = value });
}

void operand_load_at(struct operand *c, uint8_t to, uint8_t from, uint64_t at, uint32_t size)
{
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_LOAD, .a = to, .b = from, .size = size, .value = at });
}

void operand_data(struct operand *c, const void *bytes, size_t n)
{
	size_t first = c->nops;

	for (size_t i = 0; i < n; i += WORD) {
		uint64_t word = 0;

		/* Little-endian, as the module's processor. */
		memcpy(&word, (const uint8_t *)bytes + i, n - i < WORD ? n - i : WORD);
		operand_set(c, GOPROBE_OP_DATA, 0, word);
	}
	if (!c->full)
		c->ops[first - 1].offset = (uint32_t)(c->nops - first);
}

uint8_t operand_take(struct operand *c)
{
	if (c->reg == OPERAND_ZERO) {
		c->full = true;
		return 0;
	}
	return c->reg++;
}

struct operand_place operand_part(const struct operand_place *p, uint64_t offset,
				  const struct gotype *type)
{
	struct operand_place part = *p;

	part.at += offset;
	part.type = type;
	return part;
}

/* The part that begins at @at of its argument, or NULL. */
const struct abi_part *operand_register(const struct operand_place *p, uint64_t at)
{
	for (size_t i = 0; i < p->nparts; i++)
		if (p->parts[i].at == at)
			return &p->parts[i];
	return NULL;
}

static const struct abi_part *part_on_stack(const struct operand_place *p, uint64_t at,
					    uint32_t size)
{
	for (size_t i = 0; i < p->nparts; i++) {
		const struct abi_part *part = &p->parts[i];

		if (part->on_stack && part->at <= at &&
		    at + size <= (uint64_t)part->at + part->size)
			return part;
	}
	return NULL;
}

static void load_part(struct operand *c, const struct operand_place *p, uint64_t at, uint32_t size,
		      uint8_t reg)
{
	const struct abi_part *part = operand_register(p, at);
	const struct abi_part *memory = part_on_stack(p, at, size);

	if (memory) {
		operand_set(c, GOPROBE_OP_SP, reg,
			    (uint64_t)(memory->stack + (int64_t)(at - memory->at)));
		operand_load_at(c, reg, reg, 0, size);
	} else if (part && part->is_float) {
		operand_op(c, (struct goprobe_op){
			.code = GOPROBE_OP_FLOAT, .a = reg, .b = part->reg, .size = size });
	} else if (part) {
		operand_op2(c, GOPROBE_OP_REG, reg, part->reg);
	} else {
		c->nowhere = true;
	}
}

bool operand_is_whole(const struct operand_place *p)
{
	return p->kind != OPERAND_PARTS || scope_covers(p->parts, p->nparts, p->at, p->type);
}

const char *operand_unreadable(const struct operand_place *p)
{
	uint64_t end = p->type ? p->at + p->type->size : p->at;

	for (size_t i = 0; p->kind == OPERAND_PARTS && i < p->nparts; i++) {
		const struct abi_part *part = &p->parts[i];
		uint64_t until = (uint64_t)part->at + part->size;

		if (!part->on_stack && part->at < end && until > p->at &&
		    (part->at < p->at || until > end))
			return "an element of a vector in a register";
	}
	return NULL;
}

void operand_load(struct operand *c, const struct operand_place *p, uint64_t offset,
		  uint32_t size, uint8_t reg)
{
	struct goprobe_op load = { .code = GOPROBE_OP_LOAD, .a = reg, .b = reg, .size = size };
	uint64_t at = p->at + offset;

	switch (p->kind) {
	case OPERAND_PARTS:
		load_part(c, p, at, size, reg);
		return;
	case OPERAND_STACK:
		operand_set(c, GOPROBE_OP_SP, reg, at);
		break;
	case OPERAND_STATIC:
		operand_set(c, GOPROBE_OP_STATIC, reg, at);
		break;
	case OPERAND_MEMORY:
		load.b = p->reg;
		load.value = at;
		break;
	case OPERAND_REGISTER:
		operand_op2(c, GOPROBE_OP_MOVE, reg, (uint8_t)(p->reg + at / WORD));
		return;
	case OPERAND_CONSTANT:
		operand_set(c, GOPROBE_OP_IMM, reg, at);
		return;
	}
	operand_op(c, load);
}

void operand_extend(struct operand *c, const struct gotype *t, uint8_t reg)
{
	if (t->size < WORD)
		operand_op(c, (struct goprobe_op){
			.code = t->kind == GOTYPE_INT ? GOPROBE_OP_SIGN : GOPROBE_OP_LOW,
			.a = reg, .b = reg, .size = (uint32_t)t->size });
}

void operand_number(struct operand *c, const struct operand_place *p, uint8_t reg)
{
	enum gotype_kind kind = p->type->kind;

	operand_load(c, p, 0, p->type->size < WORD ? (uint32_t)p->type->size : WORD, reg);
	/* Memory has no more bytes than the number has. */
	if (p->kind == OPERAND_PARTS ? kind != GOTYPE_FLOAT : kind == GOTYPE_INT)
		operand_extend(c, p->type, reg);
}

struct operand_place operand_follow(struct operand *c, const struct operand_place *p,
				    const struct gotype *type)
{
	uint8_t reg = p->kind == OPERAND_MEMORY ? p->reg : operand_take(c);

	operand_load(c, p, 0, WORD, reg);
	return (struct operand_place){ .kind = OPERAND_MEMORY, .type = type, .reg = reg };
}

struct operand_place operand_address(struct operand *c, const struct operand_place *p)
{
	struct operand_place to = { .kind = OPERAND_MEMORY, .type = p->type, .reg = p->reg,
				.at = p->at, .fixed = p->fixed };

	if (p->kind == OPERAND_MEMORY)
		return to;
	to.at = 0;
	to.reg = operand_take(c);
	operand_set(c, p->kind == OPERAND_STACK ? GOPROBE_OP_SP : GOPROBE_OP_STATIC, to.reg,
		    p->at);
	return to;
}

void operand_check(struct operand *c, uint8_t a, uint8_t b, uint32_t status)
{
	operand_skip(c, GOPROBE_OP_JLT, a, b);
	operand_set(c, GOPROBE_OP_FAIL, 0, status);
}

static void add_piece(struct operand *c, struct goprobe_piece piece)
{
	if (c->npieces == OPERAND_PIECES_MAX)
		c->full = true;
	else
		c->pieces[c->npieces++] = piece;
}

/* @size bytes from entry SP + @at on to @frame. */
static void store_stack(struct operand *c, int64_t at, uint32_t size, uint32_t frame)
{
	uint8_t reg;

	if (at >= PIECE_LEAST) {
		add_piece(c, (struct goprobe_piece){
			.source = GOPROBE_FROM_STACK, .size = size,
			.frame = frame, .offset = (int32_t)at });
		return;
	}
	reg = operand_take(c);
	operand_set(c, GOPROBE_OP_SP, reg, (uint64_t)at);
	operand_op(c, (struct goprobe_op){
		.code = GOPROBE_OP_COPY, .b = reg, .size = size, .offset = frame });
}

/* The bytes of the part on the stack that are among the @size bytes from @from on. */
static void store_stack_part(struct operand *c, const struct abi_part *part, uint64_t from,
			     uint64_t size, uint32_t offset)
{
	uint64_t lo = part->at > from ? part->at : from;
	uint64_t hi = (uint64_t)part->at + part->size;

	hi = hi < from + size ? hi : from + size;
	if (lo < hi)
		store_stack(c, part->stack + (int64_t)(lo - part->at), (uint32_t)(hi - lo),
			    offset + (uint32_t)(lo - from));
}

static void store_parts(struct operand *c, const struct operand_place *p, uint32_t offset)
{
	for (size_t i = 0; i < p->nparts; i++) {
		const struct abi_part *part = &p->parts[i];

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
static void store_registers(struct operand *c, const struct operand_place *p, struct goprobe_op op)
{
	uint32_t words = (op.size + WORD - 1) / WORD;

	op.code = GOPROBE_OP_STORE;
	op.size = words > 1 ? WORD : op.size;
	for (uint32_t i = 0; i < words; i++, op.offset += WORD) {
		op.a = (uint8_t)(p->reg + p->at / WORD + i);
		operand_op(c, op);
	}
}

bool operand_store(struct operand *c, const struct operand_place *p, uint32_t *offset)
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
	case OPERAND_PARTS:
		store_parts(c, p, *offset);
		return true;
	case OPERAND_STACK:
		store_stack(c, (int64_t)p->at, (uint32_t)size, *offset);
		return true;
	case OPERAND_STATIC:
		piece.source = GOPROBE_FROM_STATIC;
		piece.address = p->at;
		add_piece(c, piece);
		return true;
	case OPERAND_MEMORY:
		op.code = GOPROBE_OP_COPY;
		op.b = p->reg;
		op.value = p->at;
		break;
	case OPERAND_REGISTER:
		store_registers(c, p, op);
		return true;
	case OPERAND_CONSTANT:
		op.code = GOPROBE_OP_STORE;
		op.a = operand_take(c);
		operand_set(c, GOPROBE_OP_IMM, op.a, p->at);
		break;
	}
	operand_op(c, op);
	return true;
}
