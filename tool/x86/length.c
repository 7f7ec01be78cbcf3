// SPDX-License-Identifier: GPL-2.0
/*
 * Lengths of x86-64 instructions (Intel SDM, volume 2, chapter 2 and appendix A)
 * that compilers use most: moves, arithmetic, comparisons, scalar floating point,
 * near calls. The disassembler decodes all others.
 */
#include <string.h>

#include "x86/length.h"

/* What follows an opcode: a ModRM byte, an immediate. */
#define NONE	0x00	/* not known here */
#define PLAIN	0x01	/* nothing */
#define MODRM	0x02
#define IMM8	0x04
#define IMM32	0x08	/* 16 bits with a prefix 66, without REX.W */
#define IMM64	0x10	/* as IMM32, but 64 bits with REX.W */
#define GROUP	0x20	/* the opcode continues in ModRM.reg */
#define SSE	0x40	/* F2 and F3 are part of the opcode */

static const uint8_t map0[256] = {
	/* Arithmetic of two operands. */
	[0x00 ... 0x03] = MODRM, [0x04] = IMM8, [0x05] = IMM32,
	[0x08 ... 0x0b] = MODRM, [0x0c] = IMM8, [0x0d] = IMM32,
	[0x10 ... 0x13] = MODRM, [0x14] = IMM8, [0x15] = IMM32,
	[0x18 ... 0x1b] = MODRM, [0x1c] = IMM8, [0x1d] = IMM32,
	[0x20 ... 0x23] = MODRM, [0x24] = IMM8, [0x25] = IMM32,
	[0x28 ... 0x2b] = MODRM, [0x2c] = IMM8, [0x2d] = IMM32,
	[0x30 ... 0x33] = MODRM, [0x34] = IMM8, [0x35] = IMM32,
	[0x38 ... 0x3b] = MODRM, [0x3c] = IMM8, [0x3d] = IMM32,
	[0x50 ... 0x5f] = PLAIN,		/* push, pop */
	[0x63] = MODRM,				/* movsxd */
	[0x69] = MODRM | IMM32, [0x6b] = MODRM | IMM8,	/* imul */
	[0x80] = MODRM | IMM8, [0x81] = MODRM | IMM32, [0x83] = MODRM | IMM8,
	[0x84 ... 0x8b] = MODRM,		/* test, xchg, mov */
	[0x8d] = MODRM | GROUP,			/* lea */
	[0x90] = PLAIN, [0x98 ... 0x99] = PLAIN,	/* nop, cdqe, cqo */
	[0xa8] = IMM8, [0xa9] = IMM32,		/* test */
	[0xb0 ... 0xb7] = IMM8, [0xb8 ... 0xbf] = IMM64,	/* mov */
	[0xc0 ... 0xc1] = MODRM | IMM8 | GROUP,	/* shifts */
	[0xc6] = MODRM | IMM8 | GROUP, [0xc7] = MODRM | IMM32 | GROUP,	/* mov */
	[0xcc] = PLAIN,				/* int3, between functions */
	[0xd0 ... 0xd3] = MODRM | GROUP,	/* shifts */
	[0xf6 ... 0xf7] = MODRM | GROUP,	/* test, not, neg, mul, div */
	[0xfe ... 0xff] = MODRM | GROUP,	/* inc, dec, push */
};

static const uint8_t map0f[256] = {
	[0x10 ... 0x11] = MODRM | SSE,		/* movups and the like */
	[0x1f] = MODRM,				/* nop */
	[0x28 ... 0x29] = MODRM,		/* movaps */
	[0x2a] = MODRM | SSE, [0x2c] = MODRM | SSE,	/* cvt* */
	[0x2e ... 0x2f] = MODRM,		/* ucomis */
	[0x40 ... 0x4f] = MODRM,		/* cmov */
	[0x51] = MODRM | SSE, [0x57] = MODRM,	/* sqrt, xorps */
	[0x58 ... 0x5a] = MODRM | SSE, [0x5c ... 0x5f] = MODRM | SSE,
	[0x90 ... 0x9f] = MODRM,		/* set */
	[0xa3] = MODRM, [0xab] = MODRM,		/* bt, bts */
	[0xaf] = MODRM,				/* imul */
	[0xb6 ... 0xb7] = MODRM, [0xbe ... 0xbf] = MODRM,	/* movzx, movsx */
	[0xc8 ... 0xcf] = PLAIN,		/* bswap */
};

/* Which values of ModRM.reg are known of a group, and what is odd about them. */
static uint8_t group(unsigned int opcode, uint8_t modrm, uint8_t form)
{
	unsigned int reg = modrm >> 3 & 7;

	form &= (uint8_t)~GROUP;
	switch (opcode) {
	case 0x8d:
		return modrm >= 0xc0 ? NONE : form;
	case 0xc6:
	case 0xc7:
		return reg ? NONE : form;
	case 0xf6:
		return reg == 1 ? NONE : reg ? form : form | IMM8;
	case 0xf7:
		return reg == 1 ? NONE : reg ? form : form | IMM32;
	case 0xfe:
		return reg > 1 ? NONE : form;
	case 0xff:
		return reg > 1 && reg != 6 ? NONE : form;
	}
	return reg == 6 ? NONE : form;	/* shifts */
}

/* Bytes of ModRM, SIB and displacement; @n more can be read, at least one. */
static size_t address(const uint8_t *p, size_t n)
{
	unsigned int mod = *p >> 6, rm = *p & 7;
	size_t len = 1;

	if (mod == 3)
		return 1;
	if (rm == 4) {
		if (n < 2)
			return 0;
		len = 2;
		rm = p[1] & 7;
		if (!mod && rm == 5)
			return 6;
	} else if (!mod && rm == 5) {
		return 5;		/* from RIP */
	}
	return len + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

static size_t immediate(uint8_t form, bool narrow, bool wide)
{
	if (form & IMM8)
		return 1;
	if (form & IMM64 && wide)
		return 8;
	if (form & (IMM32 | IMM64))
		return narrow && !wide ? 2 : 4;
	return 0;
}

size_t x86_len(const uint8_t *p, size_t n)
{
	bool narrow = false, rep = false, wide = false, two;
	unsigned int opcode;
	uint8_t form;
	size_t i = 0, len;

	/* At most one of each, and REX last. */
	if (i < n && p[i] == 0x66) {
		narrow = true;
		i++;
	}
	if (i < n && (p[i] == 0xf2 || p[i] == 0xf3)) {
		rep = true;
		i++;
	}
	if (i < n && (p[i] & 0xf0) == 0x40)
		wide = p[i++] & 8;
	if (i < n && p[i] == 0xe8 && !i)
		return n >= 5 ? 5 : 0;
	two = i < n && p[i] == 0x0f;
	i += two;
	if (i >= n)
		return 0;
	opcode = p[i++];
	form = two ? map0f[opcode] : map0[opcode];
	if (rep && (narrow || !(form & SSE)))
		return 0;
	form &= (uint8_t)~SSE;
	if (form & MODRM) {
		if (i >= n)
			return 0;
		if (form & GROUP)
			form = group(opcode, p[i], form);
		len = address(p + i, n - i);
		if (!len)
			return 0;
		i += len;
	}
	if (!form)
		return 0;
	i += immediate(form, narrow, wide);
	return i <= n ? i : 0;
}

bool x86_jump(const uint8_t *p, size_t n, struct x86_jump *ret)
{
	unsigned int opcode = n ? *p : 0, bytes = 4;

	*ret = (struct x86_jump){ .len = 1 };
	if (opcode == 0xc3) {
		ret->ret = true;
		return true;
	}
	if (opcode == 0xeb || opcode == 0xe9)
		ret->always = true;
	else if (opcode == 0x0f && n > 1 && (p[1] & 0xf0) == 0x80)
		ret->len = 2;
	else if ((opcode & 0xf0) != 0x70)
		return false;
	if (opcode != 0xe9 && opcode != 0x0f)
		bytes = 1;
	if (n - ret->len < bytes)
		return false;
	if (bytes == 1)
		ret->by = (int8_t)p[ret->len];
	else
		memcpy(&ret->by, p + ret->len, sizeof(ret->by));
	ret->len += bytes;
	return true;
}
