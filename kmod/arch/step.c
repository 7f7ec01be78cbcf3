// SPDX-License-Identifier: GPL-2.0
/*
 * Decoder of the x86-64 instructions that a handler can emulate: Intel SDM, volume 2, chapter 2
 * (ModRM, SIB, REX) and appendix A (opcodes). The decoder rejects every instruction that it does
 * not know, and any prefix other than REX, except the 66 of a NOP.
 */
#include "step.h"

#define REX_W	0x08
#define REX_R	0x04
#define REX_X	0x02
#define REX_B	0x01

/* The bytes to read; @cut: they ended inside the instruction. */
struct gp_code {
	const __u8 *p;
	__u32 len;
	__u32 at;
	__u8 rex;
	bool cut;
};

/* A ModRM byte: @rm is a register, or memory if @mem. */
struct gp_modrm {
	__u8 reg;
	__u8 rm;
	__u8 digit;		/* @reg without REX.R: continues the opcode */
	bool mem;
};

static __u8 gp_code_byte(struct gp_code *c)
{
	if (c->at >= c->len) {
		c->cut = true;
		return 0;
	}
	return c->p[c->at++];
}

/* @n bytes, 1 to 8, sign-extended. */
static __s64 gp_code_signed(struct gp_code *c, unsigned int n)
{
	unsigned int i, unused = 64 - 8 * n;
	__u64 v = 0;

	for (i = 0; i < n; i++)
		v |= (__u64)gp_code_byte(c) << (8 * i);
	return (__s64)(v << unused) >> unused;
}

static __u8 gp_code_extend(const struct gp_code *c, __u8 bit, __u8 reg)
{
	return c->rex & bit ? reg + 8 : reg;
}

/* The SIB byte. Return: whether a displacement of 32 bits replaces the base. */
static bool gp_code_sib(struct gp_code *c, __u8 mod, struct gp_step_ea *ea)
{
	__u8 sib = gp_code_byte(c), index;

	index = gp_code_extend(c, REX_X, sib >> 3 & 7);
	if (index != GP_STEP_RSP) {
		ea->index = index;
		ea->shift = sib >> 6;
	}
	if (!mod && (sib & 7) == 5)
		return true;
	ea->base = gp_code_extend(c, REX_B, sib & 7);
	return false;
}

static void gp_code_modrm(struct gp_code *c, struct gp_modrm *ret, struct gp_step_ea *ea)
{
	__u8 modrm = gp_code_byte(c), mod = modrm >> 6;
	bool disp32 = mod == 2;

	ret->digit = modrm >> 3 & 7;
	ret->reg = gp_code_extend(c, REX_R, ret->digit);
	ret->rm = gp_code_extend(c, REX_B, modrm & 7);
	ret->mem = mod != 3;
	if (!ret->mem)
		return;
	if ((modrm & 7) == 4) {
		disp32 |= gp_code_sib(c, mod, ea);
	} else if (!mod && (modrm & 7) == 5) {
		ea->rip = true;
		disp32 = true;
	} else {
		ea->base = ret->rm;
	}
	if (disp32)
		ea->disp = gp_code_signed(c, 4);
	else if (mod == 1)
		ea->disp = gp_code_signed(c, 1);
}

static void gp_step_to_reg(struct gp_step *s, __u8 reg)
{
	s->to = GP_STEP_REG;
	s->to_reg = reg;
}

static void gp_step_to_rm(struct gp_step *s, const struct gp_modrm *m)
{
	gp_step_to_reg(s, m->rm);
	if (m->mem)
		s->to = GP_STEP_MEM;
}

static void gp_step_from_reg(struct gp_step *s, __u8 reg)
{
	s->from = GP_STEP_REG;
	s->from_reg = reg;
}

static void gp_step_from_rm(struct gp_step *s, const struct gp_modrm *m)
{
	gp_step_from_reg(s, m->rm);
	if (m->mem)
		s->from = GP_STEP_MEM;
}

static void gp_step_from_imm(struct gp_step *s, struct gp_code *c, unsigned int bytes)
{
	s->from = GP_STEP_IMM;
	s->imm = gp_code_signed(c, bytes);
}

/* Without REX, the register numbers 4 to 7 are AH, CH, DH and BH. */
static bool gp_code_is_low(const struct gp_code *c, __u8 reg)
{
	return c->rex || reg < 4;
}

/* 90, or 0F 1F /0, each optionally after a 66. */
static bool gp_step_nop(struct gp_code *c, struct gp_step *s)
{
	struct gp_modrm m;
	__u8 op;

	op = gp_code_byte(c);
	if (op == 0x66)
		op = gp_code_byte(c);
	s->kind = GP_STEP_NOP;
	if (op == 0x90)
		return true;
	if (op != 0x0f || gp_code_byte(c) != 0x1f)
		return false;
	gp_code_modrm(c, &m, &s->ea);
	return m.mem && !m.digit;
}

static const __u8 gp_step_arithmetic[8] = {
	GP_STEP_ADD, GP_STEP_OR, GP_STEP_NONE, GP_STEP_NONE,
	GP_STEP_AND, GP_STEP_SUB, GP_STEP_XOR, GP_STEP_CMP,
};

/* 01 /r, 03 /r, 05 and so on up to 3D: the middle bits of the opcode select the operation. */
static bool gp_step_two(struct gp_code *c, __u8 op, struct gp_step *s)
{
	struct gp_modrm m = { .mem = false };

	s->kind = gp_step_arithmetic[op >> 3];
	switch (op & 7) {
	case 1:
		gp_code_modrm(c, &m, &s->ea);
		gp_step_to_rm(s, &m);
		gp_step_from_reg(s, m.reg);
		break;
	case 3:
		gp_code_modrm(c, &m, &s->ea);
		gp_step_to_reg(s, m.reg);
		gp_step_from_rm(s, &m);
		break;
	case 5:
		gp_step_to_reg(s, 0);
		gp_step_from_imm(s, c, 4);
		break;
	default:
		return false;
	}
	return s->kind == GP_STEP_CMP || (s->kind && !m.mem);
}

/* 81 /n and 83 /n; of 80 /n only CMP. */
static bool gp_step_with_imm(struct gp_code *c, __u8 op, struct gp_step *s)
{
	struct gp_modrm m;

	gp_code_modrm(c, &m, &s->ea);
	gp_step_to_rm(s, &m);
	gp_step_from_imm(s, c, op == 0x81 ? 4 : 1);
	s->kind = gp_step_arithmetic[m.digit];
	if (op == 0x80) {
		s->width = 1;
		return s->kind == GP_STEP_CMP && (m.mem || gp_code_is_low(c, m.rm));
	}
	return s->kind == GP_STEP_CMP || (s->kind && !m.mem);
}

/* 84 /r, 85 /r, A9, F7 /0. */
static bool gp_step_test(struct gp_code *c, __u8 op, struct gp_step *s)
{
	struct gp_modrm m;

	s->kind = GP_STEP_TEST;
	if (op == 0xa9) {
		gp_step_to_reg(s, 0);
		gp_step_from_imm(s, c, 4);
		return true;
	}
	gp_code_modrm(c, &m, &s->ea);
	gp_step_to_rm(s, &m);
	if (op == 0xf7) {
		gp_step_from_imm(s, c, 4);
		return !m.digit;
	}
	gp_step_from_reg(s, m.reg);
	if (op == 0x85)
		return true;
	s->width = 1;
	return gp_code_is_low(c, m.reg) && (m.mem || gp_code_is_low(c, m.rm));
}

/* 89 /r, 8B /r, C7 /0. */
static bool gp_step_mov(struct gp_code *c, __u8 op, struct gp_step *s)
{
	struct gp_modrm m;

	s->kind = GP_STEP_MOV;
	gp_code_modrm(c, &m, &s->ea);
	if (op == 0x8b) {
		gp_step_to_reg(s, m.reg);
		gp_step_from_rm(s, &m);
		return true;
	}
	gp_step_to_rm(s, &m);
	if (op == 0xc7) {
		gp_step_from_imm(s, c, 4);
		if (m.digit)
			return false;
	} else {
		gp_step_from_reg(s, m.reg);
	}
	return !m.mem || (s->ea.base == GP_STEP_RSP && s->ea.index == GP_STEP_NO_REG);
}

/* 0F B6 /r and 0F B7 /r. */
static bool gp_step_movzx(struct gp_code *c, struct gp_step *s)
{
	__u8 op = gp_code_byte(c);
	struct gp_modrm m;

	if (op != 0xb6 && op != 0xb7)
		return false;
	s->kind = GP_STEP_MOV;
	s->from_width = op == 0xb6 ? 1 : 2;
	gp_code_modrm(c, &m, &s->ea);
	gp_step_to_reg(s, m.reg);
	gp_step_from_rm(s, &m);
	return m.mem || op == 0xb7 || gp_code_is_low(c, m.rm);
}

static bool gp_step_lea(struct gp_code *c, struct gp_step *s)
{
	struct gp_modrm m;

	s->kind = GP_STEP_LEA;
	gp_code_modrm(c, &m, &s->ea);
	gp_step_to_reg(s, m.reg);
	return m.mem;
}

/* The opcode, behind REX if there is one. */
static bool gp_step_opcode(struct gp_code *c, __u8 op, struct gp_step *s)
{
	switch (op) {
	case 0x00 ... 0x0e:
	case 0x10 ... 0x3f:
		return gp_step_two(c, op, s);
	case 0x0f:
		return gp_step_movzx(c, s);
	case 0x80:
	case 0x81:
	case 0x83:
		return gp_step_with_imm(c, op, s);
	case 0x84:
	case 0x85:
	case 0xa9:
	case 0xf7:
		return gp_step_test(c, op, s);
	case 0x89:
	case 0x8b:
	case 0xc7:
		return gp_step_mov(c, op, s);
	case 0x8d:
		return gp_step_lea(c, s);
	case 0xb8 ... 0xbf:
		s->kind = GP_STEP_MOV;
		gp_step_to_reg(s, gp_code_extend(c, REX_B, op & 7));
		gp_step_from_imm(s, c, s->width);
		return true;
	case 0xc3:
		s->kind = GP_STEP_RET;
		return !c->rex;
	}
	return false;
}

/*
 * A handler must not change SP: the kernel prepares another consumer's uretprobe at the same place
 * after all handlers, with the return address at SP.
 */
static bool gp_step_writes_sp(const struct gp_step *s)
{
	return s->to == GP_STEP_REG && s->to_reg == GP_STEP_RSP &&
	       s->kind != GP_STEP_CMP && s->kind != GP_STEP_TEST;
}

bool gp_step_decode(const __u8 *code, __u32 len, struct gp_step *ret)
{
	const struct gp_step nothing = {
		.width = 4,
		.ea = { .base = GP_STEP_NO_REG, .index = GP_STEP_NO_REG },
	};
	struct gp_code c = { .p = code, .len = len };
	__u8 op;

	*ret = nothing;
	if (gp_step_nop(&c, ret))
		goto done;
	*ret = nothing;
	c.at = 0;
	c.cut = false;
	op = gp_code_byte(&c);
	if ((op & 0xf0) == 0x40) {
		c.rex = op;
		ret->width = op & REX_W ? 8 : 4;
		op = gp_code_byte(&c);
	}
	if (!gp_step_opcode(&c, op, ret))
		return false;
	if (!ret->from_width)
		ret->from_width = ret->width;
	if (gp_step_writes_sp(ret))
		return false;
done:
	ret->length = c.at;
	return !c.cut;
}
