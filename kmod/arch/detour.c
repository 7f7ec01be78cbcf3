// SPDX-License-Identifier: GPL-2.0
/*
 * Detours: finding where one is possible, and making its code. What checks that code is
 * detour_check.c. Encodings: Intel SDM, volume 2.
 *
 * A detour uses R12, R13 and the flags: at a function's entry nothing is in them (ABIInternal,
 * src/cmd/compile/abi-internal.md), and morestack, which the same branch can lead to, loses them.
 */
#include "detour.h"

#define PAGE		4096

#define JMP8		0xeb
#define JMP32		0xe9
#define JBE8		0x76
#define CALL		0xe8
#define INT3		0xcc

/* Hardware numbers. */
#define R12		12
#define R13		13

static __s32 gp_detour_s32(const __u8 *p)
{
	return (__s32)(p[0] | (__u32)p[1] << 8 | (__u32)p[2] << 16 | (__u32)p[3] << 24);
}

__s32 gp_detour_cold_at(const __u8 *branch, __u32 len)
{
	__s32 by;

	if (len >= 2 && branch[0] == JBE8)
		return (__s8)branch[1] > 0 ? 2 + branch[1] : 0;
	if (len < 6 || branch[0] != 0x0f || branch[1] != 0x86)
		return 0;
	by = gp_detour_s32(branch + 2);
	/* A function's cold block is behind the rest of it. */
	return by > 0 && by < 1 << 30 ? by + 6 : 0;
}

/* Bytes of a store of a register at [RSP + n], or 0: it is something else. */
static __u32 gp_detour_spill(const __u8 *p, __u32 len)
{
	__u32 n = 0;

	if (len < GP_DETOUR_COLD)
		return 0;
	if (p[n] == 0x66 || p[n] == 0xf2 || p[n] == 0xf3)
		n++;
	if ((p[n] & 0xf0) == 0x40)
		n++;
	if (p[n] == 0x88 || p[n] == 0x89)
		n += 1;
	else if (p[n] == 0x0f && p[n + 1] == 0x11)
		n += 2;
	else
		return 0;
	/* ModRM: a SIB byte follows. That one: RSP, no index. */
	if (p[n + 1] != 0x24)
		return 0;
	if ((p[n] & 0xc7) == 0x44)
		n += 3;
	else if ((p[n] & 0xc7) == 0x84)
		n += 6;
	else
		return 0;
	return n <= GP_DETOUR_COLD ? n : 0;
}

static void gp_detour_take(__u8 *to, const __u8 *from, __u32 n)
{
	while (n--)
		to[n] = from[n];
}

const char *gp_detour_find(const __u8 *branch, __u32 branch_len, const __u8 *cold, __u32 cold_len,
			   __u64 place, struct gp_detour_site *site)
{
	__s32 at = gp_detour_cold_at(branch, branch_len);
	__u32 n;

	*site = (struct gp_detour_site){ .shape = GP_DETOUR_NONE, .cold_at = at };
	if (!at)
		return "it is not entered through the branch of a stack check";
	site->branch_len = branch[0] == JBE8 ? 2 : 6;
	gp_detour_take(site->branch, branch, site->branch_len);
	/* If a page of code is thrown away and read again, all that changes does, or nothing. */
	if (site->branch_len == 6) {
		if (place / PAGE != (place + GP_DETOUR_JUMP - 1) / PAGE)
			return "its stack check is on two pages";
		site->shape = GP_DETOUR_LONG;
		return NULL;
	}
	n = cold_len >= GP_DETOUR_JUMP && cold[0] == CALL ? GP_DETOUR_JUMP :
	    gp_detour_spill(cold, cold_len);
	if (n < GP_DETOUR_JUMP)
		return "the first instruction of its cold block has no space for a jump";
	if (place / PAGE != (place + at + GP_DETOUR_JUMP - 1) / PAGE)
		return "its stack check and its cold block are on different pages";
	gp_detour_take(site->cold, cold, n);
	site->cold_len = n;
	site->shape = GP_DETOUR_SHORT;
	return NULL;
}

/**
 * struct gp_emit - code under way
 * @to: where it goes
 * @n: bytes so far
 * @at: address of @to
 * @failed: something is out of reach, or does not fit
 */
struct gp_emit {
	__u8 *to;
	__u32 n;
	__u64 at;
	bool failed;
};

static void gp_emit_byte(struct gp_emit *e, __u8 byte)
{
	if (e->n == GP_DETOUR_MAX)
		e->failed = true;
	else
		e->to[e->n++] = byte;
}

static void gp_emit_bytes(struct gp_emit *e, const __u8 *p, __u32 n)
{
	while (n--)
		gp_emit_byte(e, *p++);
}

/* The low @n bytes of @value. */
static void gp_emit_number(struct gp_emit *e, __u64 value, __u32 n)
{
	for (; n--; value >>= 8)
		gp_emit_byte(e, value);
}

#define GP_EMIT(e, ...) do { \
	static const __u8 bytes_[] = { __VA_ARGS__ }; \
\
	gp_emit_bytes(e, bytes_, sizeof(bytes_)); \
} while (0)

static bool gp_is_s32(__u64 value)
{
	return (__s64)value == (__s32)value;
}

/* The four bytes, the last of an instruction, that lead from there to @address. */
static void gp_emit_to(struct gp_emit *e, __u64 address)
{
	__u64 by = address - (e->at + e->n + 4);

	e->failed |= !gp_is_s32(by);
	gp_emit_number(e, by, 4);
}

static void gp_emit_jump(struct gp_emit *e, __u64 address)
{
	gp_emit_byte(e, JMP32);
	gp_emit_to(e, address);
}

static void gp_emit_count(struct gp_emit *e, bool per_cpu, __u64 counter)
{
	if (!per_cpu) {
		GP_EMIT(e, 0xf0, 0x48, 0xff, 0x05);		/* lock incq counter(%rip) */
		gp_emit_to(e, counter);
		return;
	}
	/* The low 12 bits are the CPU; the others its node: arch/x86/include/asm/segment.h. */
	GP_EMIT(e, 0xf3, 0x41, 0x0f, 0xc7, 0xfc);		/* rdpid %r12 */
	GP_EMIT(e, 0x41, 0x81, 0xe4, 0xff, 0x0f, 0x00, 0x00);	/* and $0xfff,%r12d */
	GP_EMIT(e, 0x49, 0xc1, 0xe4, 0x0c);			/* shl $12,%r12 */
	GP_EMIT(e, 0x4c, 0x8d, 0x2d);				/* lea counter(%rip),%r13 */
	gp_emit_to(e, counter);
	/* The thread may be on another CPU by now. */
	GP_EMIT(e, 0xf0, 0x4b, 0xff, 0x44, 0x25, 0x00);		/* lock incq (%r13,%r12) */
}

/* A call that has passed all tests lands, or counts; @next: behind the branch */
static void gp_emit_passed(struct gp_emit *e, const struct gp_detour *d, __u64 next)
{
	if (d->landing) {
		GP_EMIT(e, 0x4c, 0x8d, 0x2d);			/* lea next(%rip),%r13 */
		gp_emit_to(e, next);
		gp_emit_jump(e, d->landing);
	} else {
		gp_emit_count(e, d->per_cpu, d->hits);
		gp_emit_jump(e, next);
	}
}

/* What the branch did. */
static void gp_emit_branch(struct gp_emit *e, const struct gp_detour_site *site,
			   const struct gp_detour *d)
{
	__u64 cold = d->branch + site->cold_at;
	__u32 ja;

	if (site->shape == GP_DETOUR_LONG) {
		GP_EMIT(e, 0x0f, 0x86);				/* jbe cold */
		gp_emit_to(e, cold);
		return;
	}
	GP_EMIT(e, 0x77, 0x00);					/* ja over what follows */
	ja = e->n;
	if (site->cold[0] == CALL) {
		GP_EMIT(e, 0x4c, 0x8d, 0x25);			/* lea cold+5(%rip),%r12 */
		gp_emit_to(e, cold + GP_DETOUR_JUMP);
		GP_EMIT(e, 0x41, 0x54);				/* push %r12 */
		gp_emit_jump(e, cold + GP_DETOUR_JUMP + gp_detour_s32(site->cold + 1));
	} else {
		gp_emit_bytes(e, site->cold, site->cold_len);
		gp_emit_jump(e, cold + site->cold_len);
	}
	e->to[ja - 1] = e->n - ja;
}

/* An instruction on @reg as ModRM's r/m, with @digit; of 64 bits or, if not @wide, of 32. */
static void gp_emit_on_reg(struct gp_emit *e, __u8 opcode, __u8 digit, __u8 reg, bool wide)
{
	__u8 rex = (wide ? 0x48 : 0x40) | (reg >= 8);

	if (rex != 0x40)
		gp_emit_byte(e, rex);
	gp_emit_byte(e, opcode);
	gp_emit_byte(e, 0xc0 | digit << 3 | (reg & 7));
}

/* R12 less, or compared with, @value; @digit: 5 or 7 */
static void gp_emit_r12_and(struct gp_emit *e, __u8 digit, __u64 value)
{
	if (gp_is_s32(value)) {
		gp_emit_on_reg(e, 0x81, digit, R12, true);
		gp_emit_number(e, value, 4);
		return;
	}
	GP_EMIT(e, 0x49, 0xbd);					/* movabs $value,%r13 */
	gp_emit_number(e, value, 8);
	if (digit == 5)
		GP_EMIT(e, 0x4d, 0x29, 0xec);			/* sub %r13,%r12 */
	else
		GP_EMIT(e, 0x4d, 0x39, 0xec);			/* cmp %r13,%r12 */
}

/* The register itself is compared: of a range that begins with 0, or has one number. */
static bool gp_emit_quick_test(struct gp_emit *e, const struct gp_detour_test *t)
{
	bool wide = !t->shift;
	__u64 value = t->span ? t->span : t->low;

	if (t->mul || (t->span && t->low) || (t->shift && t->shift != 32))
		return false;
	if (wide ? !gp_is_s32(value) : value << 32 != 0)
		return false;
	gp_emit_on_reg(e, 0x81, 7, t->reg, wide);		/* cmp $value,%reg */
	gp_emit_number(e, value >> t->shift, 4);
	return true;
}

/* Go to where @reject says later if the test does not hold. */
static void gp_emit_test(struct gp_emit *e, const struct gp_detour_test *t, __u32 *reject)
{
	__u8 in = 0x86, out = 0x87;				/* jbe, ja */

	e->failed |= t->reg == R12 || t->reg == R13;
	if (!gp_emit_quick_test(e, t)) {
		/* mov %reg,%r12 */
		gp_emit_byte(e, t->reg >= 8 ? 0x4d : 0x49);
		gp_emit_byte(e, 0x89);
		gp_emit_byte(e, 0xc4 | (t->reg & 7) << 3);
		if (t->shift) {
			gp_emit_on_reg(e, 0xc1, 4, R12, true);	/* shl $shift,%r12 */
			gp_emit_byte(e, t->shift);
		}
		if (t->mul) {
			GP_EMIT(e, 0x49, 0xbd);			/* movabs $mul,%r13 */
			gp_emit_number(e, t->mul, 8);
			GP_EMIT(e, 0x4d, 0x0f, 0xaf, 0xe5);	/* imul %r13,%r12 */
		}
		if (t->low)
			gp_emit_r12_and(e, 5, t->low);
		gp_emit_r12_and(e, 7, t->span);
	} else if (!t->span) {
		in = 0x84;					/* je */
		out = 0x85;					/* jne */
	}
	gp_emit_byte(e, 0x0f);
	gp_emit_byte(e, t->want ? out : in);
	gp_emit_number(e, 0, 4);
	*reject = e->n;
}

__u32 gp_detour_emit(const struct gp_detour_site *site, const struct gp_detour *d, __u8 *to)
{
	struct gp_emit e = { .to = to, .at = d->code };
	__u64 next = d->branch + site->branch_len;
	__u32 reject[GP_DETOUR_TESTS], end, i;

	if (site->shape == GP_DETOUR_NONE || d->ntests > GP_DETOUR_TESTS ||
	    (d->landing && !d->ntests))
		return 0;
	gp_emit_branch(&e, site, d);
	for (i = 0; i < d->ntests; i++)
		gp_emit_test(&e, &d->test[i], &reject[i]);
	gp_emit_passed(&e, d, next);
	if (d->ntests && !e.failed) {
		end = e.n;
		for (i = 0; i < d->ntests; i++) {
			e.n = reject[i] - 4;
			gp_emit_number(&e, end - reject[i], 4);
		}
		e.n = end;
		gp_emit_count(&e, d->per_cpu, d->rejected);
		gp_emit_jump(&e, next);
	}
	return e.failed ? 0 : e.n;
}

void gp_detour_emit_landing(__u8 to[GP_DETOUR_LANDING])
{
	static const __u8 code[GP_DETOUR_LANDING] = { 0x90, 0x41, 0xff, 0xe5 };	/* nop; jmp *%r13 */

	gp_detour_take(to, code, sizeof(code));
}

bool gp_detour_jumps(const struct gp_detour_site *site, const struct gp_detour *d,
		     __u8 branch[GP_DETOUR_JUMP], __u8 cold[GP_DETOUR_JUMP])
{
	bool is_short = site->shape == GP_DETOUR_SHORT;
	__u64 from = is_short ? d->branch + site->cold_at : d->branch;
	struct gp_emit e = { .to = is_short ? cold : branch, .at = from };

	gp_emit_jump(&e, d->code);
	if (is_short) {
		branch[0] = JMP8;
		branch[1] = site->branch[1];
	}
	return !e.failed;
}
