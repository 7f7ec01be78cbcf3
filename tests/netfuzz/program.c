// SPDX-License-Identifier: GPL-2.0
/*
 * Random programs. Each operation has the fields that it uses, within their limits: what the
 * header says, not what the verifier does, so that one that it refuses is a fault of either.
 */
#include <string.h>

#include "../op_fields.h"
#include "program.h"

#define REGS		16
#define COPIES_MAX	65536
#define BYTES_MAX	4096
#define UNDERS_MAX	16
#define COMPARISON_MAX	8
#define EDIT_OPS	3
#define DELAY_NS	50000

/* The target's: the stack pointer, and where g usually is. */
#define REG_SP		7
#define REG_G		14

/* What the protocol does not say of an operation. */
static bool is_rare(uint8_t code)
{
	/* What comes after it is not reached. */
	return code == GOPROBE_OP_FAIL || code == GOPROBE_OP_END || code == GOPROBE_OP_REJECT;
}

/* Of hits that count the values would depend on all points of an id. */
static bool is_for_ends(uint8_t code)
{
	return code == GOPROBE_OP_DURATION || op_fields[code] & OP_VALUES;
}

static bool is_ends(enum program_kind kind)
{
	return kind == PROGRAM_END || kind == PROGRAM_END_KEY;
}

static bool is_key(enum program_kind kind)
{
	return kind == PROGRAM_KEY || kind == PROGRAM_END_KEY;
}

static bool has_been(const struct program *p, uint32_t at, uint8_t code)
{
	while (at--)
		if (p->ops[at].code == code)
			return true;
	return false;
}

/* Of these a filter has few. */
static bool looks_at_calls(uint8_t code)
{
	return code == GOPROBE_OP_UNDER || code == GOPROBE_OP_ROOT;
}

/* How many times the bytes of an operation count. */
static uint32_t copies_of_size(uint8_t code)
{
	return code == GOPROBE_OP_FIND ? GOPROBE_FIND_ELEMENTS : 1;
}

static bool may(const struct program *p, uint32_t at, uint8_t code)
{
	uint32_t fields = op_fields[code];

	if (fields & OP_EDITS || (code == GOPROBE_OP_QUOTA && has_been(p, at, code)))
		return false;
	if (fields & OP_FOR_PLANS && p->kind != PROGRAM_PLAN)
		return false;
	if (fields & OP_FOR_FILTERS && p->kind == PROGRAM_PLAN)
		return false;
	if (is_for_ends(code) && !is_ends(p->kind))
		return false;
	if (fields & OP_KEYS && !is_key(p->kind))
		return false;
	if (fields & OP_OFFSET_FRAME && p->frame < 8)
		return false;
	if (looks_at_calls(code) && !p->unders)
		return false;
	if (code == GOPROBE_OP_IN_SET && !p->members)
		return false;
	return !(fields & OP_SIZE_BYTES) || p->copies >= copies_of_size(code);
}

/* Few registers, so that what one operation gives is what another takes. */
static uint8_t some_register(struct choice *c)
{
	return choice_once_in(c, 16) ? choice_below(c, REGS) : choice_below(c, 4);
}

static uint64_t some_value(struct program *p, uint32_t fields)
{
	if (fields & OP_VALUE_STATUS)
		return 1 + choice_below(p->c, GOPROBE_CHUNK_MAX);
	if (fields & OP_VALUE_LENGTH)
		return some_register(p->c);
	if (fields & OP_VALUE_TASK)
		return choice_below(p->c, __GOPROBE_TASK_MAX);
	if (fields & OP_VALUE_ID)
		return id_of(choice_below(p->c, p->ids), ID_TIME + choice_below(p->c, 2));
	if (fields & OP_VALUE_ADDRESS && !choice_once_in(p->c, 8))
		return p->address[choice_below(p->c, p->naddresses)];
	if (fields & OP_VALUE_FIND)
		return choice_word(p->c) & ((GOPROBE_FIND_F_STRING << 1) - 1);
	if (fields & OP_B)
		return choice_below(p->c, 8) * 8;	/* of a LOAD: places of a struct */
	return choice_word(p->c);
}

static void sizes(struct program *p, struct goprobe_op *op, uint32_t fields)
{
	struct choice *c = p->c;

	if (fields & OP_SIZE_WORD)
		op->size = 1U << choice_below(c, 4);
	if (fields & OP_SIZE_FLOAT)
		op->size = 4U << choice_below(c, 2);
	if (fields & OP_SIZE_BYTES) {
		uint32_t most = fields & OP_OFFSET_FRAME ? p->frame : BYTES_MAX;
		uint32_t times = copies_of_size(op->code);

		most = most < p->copies / times ? most : p->copies / times;
		op->size = choice_from(c, 1, most < 40 || choice_once_in(c, 8) ? most : 40);
		p->copies -= op->size * times;
	}
	if (fields & OP_OFFSET_FRAME)
		op->offset = choice_below(c, p->frame - op->size + 1) &
			     (choice_below(c, 4) ? ~7U : ~0U);
}

static void operation(struct program *p, uint32_t at, uint8_t code)
{
	struct goprobe_op *op = &p->ops[at];
	uint32_t fields = op_fields[code], left = p->n - at - 1;
	struct choice *c = p->c;

	*op = (struct goprobe_op){ .code = code };
	if (fields & OP_A)
		op->a = some_register(c);
	if (fields & OP_B)
		op->b = some_register(c);
	if (fields & OP_B_TARGET)
		op->b = choice_below(c, 16);
	if (fields & OP_B_FLOAT)
		op->b = 17 + choice_below(c, 16);
	sizes(p, op, fields);
	if (fields & OP_OFFSET_SKIP)
		op->offset = choice_below(c, (left < 6 ? left : 6) + 1);
	if (fields & (OP_VALUE | OP_VALUE_STATUS | OP_VALUE_LENGTH | OP_VALUE_TASK | OP_VALUE_ID |
		      OP_VALUE_ADDRESS | OP_VALUE_FIND))
		op->value = some_value(p, fields);
	if (fields & OP_VALUE_HASHED && choice_below(c, 2)) {
		op->value = choice_below(c, (p->copies < BYTES_MAX ? p->copies : BYTES_MAX) + 1);
		p->copies -= op->value;
	}
	p->tries += code == GOPROBE_OP_TRY;
	p->unders -= looks_at_calls(code);
}

static uint8_t some_code(struct program *p, uint32_t at)
{
	for (;;) {
		uint8_t code = 1 + choice_below(p->c, GOPROBE_OP_MAX);

		if (!p->c->left)
			return GOPROBE_OP_IMM;
		if (may(p, at, code) && (!is_rare(code) || choice_once_in(p->c, 4)))
			return code;
	}
}

static uint8_t some_of(struct choice *c, const uint8_t *codes, uint32_t n)
{
	return codes[choice_below(c, n)];
}

/*
 * Filters like conditions of users, which the module executes without its interpreter: a
 * number, perhaps loaded from somewhere, of some width, is compared with a constant, or the
 * hit does not count. Return: the next operation.
 */
static uint32_t comparison(struct program *p, uint32_t at)
{
	static const uint8_t cuts[] = { GOPROBE_OP_SIGN, GOPROBE_OP_LOW };
	static const uint8_t jumps[] = {
		GOPROBE_OP_JEQ_I, GOPROBE_OP_JNE_I, GOPROBE_OP_JLT_I, GOPROBE_OP_JGE_I,
		GOPROBE_OP_JSLT_I, GOPROBE_OP_JSGE_I,
	};
	uint32_t loads = choice_below(p->c, 4) ? 0 : choice_from(p->c, 1, 4);
	uint8_t to = choice_below(p->c, 2);

	operation(p, at, GOPROBE_OP_REG);
	p->ops[at++].a = to;
	for (; loads; loads--, at++) {
		operation(p, at, GOPROBE_OP_LOAD);
		p->ops[at].a = to;
		p->ops[at].b = to;
	}
	if (choice_below(p->c, 2)) {
		operation(p, at, some_of(p->c, cuts, sizeof(cuts)));
		p->ops[at].a = to;
		p->ops[at++].b = to;
	}
	operation(p, at, some_of(p->c, jumps, sizeof(jumps)));
	p->ops[at].a = to;
	p->ops[at++].offset = 1;
	operation(p, at++, GOPROBE_OP_REJECT);
	return at;
}

static uint32_t set_same(struct program *p, uint32_t at)
{
	uint8_t reg = choice_below(p->c, 16), to = some_register(p->c);

	if (reg == REG_SP || reg == REG_G)
		reg = 0;
	p->ops[at] = (struct goprobe_op){ .code = GOPROBE_OP_REG, .a = to, .b = reg };
	p->ops[at + 1] = (struct goprobe_op){ .code = GOPROBE_OP_SET, .a = to, .b = reg };
	return at + 2;
}

static uint32_t set_float_same(struct program *p, uint32_t at)
{
	uint8_t reg = 17 + choice_below(p->c, 16), to = some_register(p->c);
	uint32_t size = 4U << choice_below(p->c, 2);

	p->ops[at] = (struct goprobe_op){
		.code = GOPROBE_OP_FLOAT, .a = to, .b = reg, .size = size,
	};
	p->ops[at + 1] = (struct goprobe_op){
		.code = GOPROBE_OP_SET_FLOAT, .a = to, .b = reg, .size = size,
	};
	return at + 2;
}

/* Where the stack pointer is, which is nobody else's. */
static uint32_t write_same(struct program *p, uint32_t at)
{
	uint32_t size = 1U << choice_below(p->c, 4);

	p->ops[at] = (struct goprobe_op){ .code = GOPROBE_OP_SP, .a = 1 };
	p->ops[at + 1] = (struct goprobe_op){
		.code = GOPROBE_OP_LOAD, .a = 2, .b = 1, .size = size,
	};
	p->ops[at + 2] = (struct goprobe_op){
		.code = GOPROBE_OP_WRITE, .a = 2, .b = 1, .size = size,
	};
	return at + 3;
}

/*
 * Its changes come first, since nothing jumps there: the new value must be the old one.
 * Return: the next operation.
 */
static uint32_t edits(struct program *p)
{
	uint32_t at = 0, n = choice_from(p->c, 1, 6);

	for (; n && at + EDIT_OPS <= p->n; n--) {
		switch (choice_below(p->c, 4)) {
		case 0:
			at = set_float_same(p, at);
			break;
		case 1:
			at = write_same(p, at);
			break;
		case 2:
			p->ops[at++] = (struct goprobe_op){
				.code = GOPROBE_OP_DELAY, .value = choice_from(p->c, 1, DELAY_NS),
			};
			break;
		default:
			at = set_same(p, at);
		}
	}
	return at;
}

/* p->n operations. */
void program_make(struct program *p)
{
	/* A register's value, loads from there and from the stack: most begin like that. */
	static const uint8_t prologue[] = {
		GOPROBE_OP_REG, GOPROBE_OP_REG, GOPROBE_OP_SP, GOPROBE_OP_LOAD,
	};
	uint32_t begun = choice_below(p->c, 4) ? sizeof(prologue) : 0, i;

	p->copies = COPIES_MAX;
	p->unders = UNDERS_MAX;
	p->tries = 0;
	i = p->kind == PROGRAM_EDIT ? edits(p) : 0;
	if (p->kind != PROGRAM_PLAN && choice_below(p->c, 2))
		for (begun = 0; i + COMPARISON_MAX < p->n && choice_below(p->c, 4);)
			i = comparison(p, i);
	for (; i < p->n; i++)
		operation(p, i, i < begun ? prologue[i] : some_code(p, i));
	/* A filter is for keys if it makes one, on whatever way. */
	if (is_key(p->kind))
		operation(p, p->n - 1, GOPROBE_OP_KEY);
	if (p->kind == PROGRAM_END || p->kind == PROGRAM_END_KEY)
		operation(p, 0, GOPROBE_OP_DURATION);
}
