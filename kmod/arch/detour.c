// SPDX-License-Identifier: GPL-2.0
/*
 * Detours: finding where one is possible, and making its code. What checks that code is
 * detour_check.c. Encodings: Intel SDM, volume 2.
 *
 * A detour uses R12, R13 and the flags: at a function's entry nothing is in them (ABIInternal,
 * src/cmd/compile/abi-internal.md), and morestack, which the same branch can lead to, loses them.
 * One that times or records uses R15 as well, and one that times RDX at a function's end: results
 * are in none of these.
 */
#include "detour.h"

#define PAGE		4096

#define JMP8		0xeb
#define JMP32		0xe9
#define JBE8		0x76
#define CALL		0xe8
#define RET		0xc3
#define NOP		0x90

static_assert(offsetof(struct gp_detour_ring, next) == 0, "what gp_emit_claim() adds to");
static_assert(offsetof(struct gp_detour_note, state) == 0, "what gp_emit_fill() writes last");
static_assert(offsetof(struct gp_detour_slot, g) == 0, "what gp_emit_open() compares");
static_assert(offsetof(struct gp_detour_times, bucket) == 0, "where gp_emit_close() counts");

/* Where a member is. */
#define IN_SLOT(member)		offsetof(struct gp_detour_slot, member)
#define IN_TIMES(member)	offsetof(struct gp_detour_times, member)
#define IN_NOTE(member)		offsetof(struct gp_detour_note, member)

/* Hardware numbers. */
#define RSP		4
#define RBP		5
#define R12		12
#define R13		13
#define R15		15

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

/* Bytes of MOV n(RSP), RBP, which frames of Go before 1.21 end with, or 0. *@disp: n */
static __u32 gp_detour_restore(const __u8 *p, __u32 len, __s32 *disp)
{
	if (len < 8 || p[0] != 0x48 || p[1] != 0x8b || p[3] != 0x24)
		return 0;
	*disp = p[2] == 0x6c ? (__s8)p[4] : gp_detour_s32(p + 4);
	return p[2] == 0x6c ? 5 : p[2] == 0xac ? 8 : 0;
}

/* Bytes of an instruction that adds to RSP, or 0. *@by: how much */
static __u32 gp_detour_add(const __u8 *p, __u32 len, __s32 *by)
{
	if (len < 4 || p[0] != 0x48)
		return 0;
	*by = (__s8)p[3];
	if (p[1] == 0x83 && p[2] == 0xc4)
		return 4;
	/* SUB $-128, RSP is shorter than ADD $128, RSP. */
	*by = -*by;
	if (p[1] == 0x83 && p[2] == 0xec)
		return 4;
	if (len < 7 || p[1] != 0x81 || p[2] != 0xc4)
		return 0;
	*by = gp_detour_s32(p + 3);
	return 7;
}

static const char gp_detour_no_epilogue[] =
	"it ends without an epilogue that a jump can replace";

const char *gp_detour_find_exit(const __u8 *code, __u32 len, __u64 place,
				struct gp_detour_site *site)
{
	__s32 disp = 0, by = 0;
	__u32 restore = gp_detour_restore(code, len, &disp);
	__u32 n = gp_detour_add(code + restore, len - restore, &by);
	__u32 first;

	*site = (struct gp_detour_site){ .shape = GP_DETOUR_NONE };
	if (!n || by <= 0 || (restore && disp != by - 8))
		return gp_detour_no_epilogue;
	first = restore ?: n;
	n += restore;
	site->frame = by;
	if (!restore) {
		if (n == len || code[n] != GP_DETOUR_POP)
			return gp_detour_no_epilogue;
		site->frame += 8;
		n++;
	}
	/* Of a call that has been inlined at the end. */
	while (n < len && code[n] == NOP)
		n++;
	if (n >= len || n > GP_DETOUR_BRANCH || code[n] != RET)
		return gp_detour_no_epilogue;
	if (place / PAGE != (place + GP_DETOUR_JUMP - 1) / PAGE)
		return "an epilogue of it is on two pages";
	site->branch_len = n;
	gp_detour_take(site->branch, code, n);
	site->shape = first < GP_DETOUR_JUMP ? GP_DETOUR_EXIT_POP : GP_DETOUR_EXIT;
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

/* The four bytes before @from lead to what is emitted next. */
static void gp_emit_lands_here(struct gp_emit *e, __u32 from)
{
	__u32 end = e->n;

	if (e->failed)
		return;
	e->n = from - 4;
	gp_emit_number(e, end - from, 4);
	e->n = end;
}

/* A conditional jump, 0f @opcode, to what gp_emit_lands_here() says. Return: for that */
static __u32 gp_emit_if(struct gp_emit *e, __u8 opcode)
{
	gp_emit_byte(e, 0x0f);
	gp_emit_byte(e, opcode);
	gp_emit_number(e, 0, 4);
	return e->n;
}

/*
 * Have the register say by how much this CPU's numbers lie higher. The CPU is the low 12 bits; the
 * others, its node, are shifted out: arch/x86/include/asm/segment.h.
 */
static void gp_emit_cpu(struct gp_emit *e, __u8 reg, __u8 shift)
{
	GP_EMIT(e, 0xf3, 0x41, 0x0f, 0xc7);			/* rdpid %reg */
	gp_emit_byte(e, 0xf8 | (reg & 7));
	GP_EMIT(e, 0x41, 0xc1);					/* shl $shift,%reg of 32 bits */
	gp_emit_byte(e, 0xe0 | (reg & 7));
	gp_emit_byte(e, shift);
}

static void gp_emit_count(struct gp_emit *e, __u8 cpu_shift, __u64 counter)
{
	if (!cpu_shift) {
		GP_EMIT(e, 0xf0, 0x48, 0xff, 0x05);		/* lock incq counter(%rip) */
		gp_emit_to(e, counter);
		return;
	}
	gp_emit_cpu(e, R12, cpu_shift);
	GP_EMIT(e, 0x4c, 0x8d, 0x2d);				/* lea counter(%rip),%r13 */
	gp_emit_to(e, counter);
	/* The thread may be on another CPU by now. */
	GP_EMIT(e, 0xf0, 0x4b, 0xff, 0x44, 0x25, 0x00);		/* lock incq (%r13,%r12) */
}

/* R12: what the landing's handler gets. */
static void gp_emit_says(struct gp_emit *e, const struct gp_detour *d, enum gp_detour_end end)
{
	GP_EMIT(e, 0x41, 0xbc);					/* mov $number,%r12d */
	gp_emit_number(e, 2 * d->number + end, 4);
}

/* @next: behind the branch */
static void gp_emit_land_at(struct gp_emit *e, const struct gp_detour *d, __u64 next)
{
	GP_EMIT(e, 0x4c, 0x8d, 0x2d);				/* lea next(%rip),%r13 */
	gp_emit_to(e, next);
	gp_emit_jump(e, d->landing);
}

static void gp_emit_land(struct gp_emit *e, const struct gp_detour *d, __u64 next)
{
	gp_emit_says(e, d, GP_DETOUR_END_UNKNOWN);
	gp_emit_land_at(e, d, next);
}

/* R15: the word at @offset in the runtime.g in R14. */
static void gp_emit_of_g(struct gp_emit *e, __u32 offset)
{
	GP_EMIT(e, 0x4d, 0x8b, 0xbe);				/* mov offset(%r14),%r15 */
	gp_emit_number(e, offset, 4);
}

/* R13: a note, which is the thread's own. Return: the jump of calls that get none. */
static __u32 gp_emit_claim(struct gp_emit *e, const struct gp_detour *d)
{
	gp_emit_cpu(e, R12, d->cpu_shift);
	GP_EMIT(e, 0x4c, 0x8d, 0x2d);				/* lea ring(%rip),%r13 */
	gp_emit_to(e, d->ring);
	GP_EMIT(e, 0x4d, 0x01, 0xe5);				/* add %r12,%r13 */
	GP_EMIT(e, 0x41, 0xbc);					/* mov $size of a note,%r12d */
	gp_emit_number(e, sizeof(struct gp_detour_note), 4);
	GP_EMIT(e, 0x45, 0x0f, 0xc1, 0x65, 0x00);		/* xadd %r12d,(%r13) */
	GP_EMIT(e, 0x41, 0x81, 0xe4);				/* and $place of the last,%r12d */
	gp_emit_number(e, (GP_DETOUR_NOTES - 1) * sizeof(struct gp_detour_note), 4);
	GP_EMIT(e, 0x4f, 0x8d, 0xac, 0x25);			/* lea note(%r13,%r12),%r13 */
	gp_emit_number(e, offsetof(struct gp_detour_ring, note), 4);
	/* The thread may be on another CPU by now. */
	GP_EMIT(e, 0xf0, 0x41, 0x0f, 0xba, 0x6d, 0x00, 0x00);	/* lock btsl $0,(%r13) */
	return gp_emit_if(e, 0x82);				/* jc taken */
}

/* Fill the note at R13, and commit it. R15: goid */
static void gp_emit_fill(struct gp_emit *e, const struct gp_detour *d)
{
	__u32 i;

	GP_EMIT(e, 0x4d, 0x89, 0x7d, IN_NOTE(goid));		/* mov %r15,goid(%r13) */
	gp_emit_of_g(e, d->stack_hi);
	GP_EMIT(e, 0x49, 0x29, 0xe7);				/* sub %rsp,%r15 */
	GP_EMIT(e, 0x45, 0x89, 0x7d, IN_NOTE(depth));		/* mov %r15d,depth(%r13) */
	gp_emit_of_g(e, d->m);
	GP_EMIT(e, 0x45, 0x8b, 0xbf);				/* mov procid(%r15),%r15d */
	gp_emit_number(e, d->procid, 4);
	GP_EMIT(e, 0x45, 0x89, 0x7d, IN_NOTE(tid));		/* mov %r15d,tid(%r13) */
	for (i = 0; i < d->nwords; i++) {
		/* mov %reg,n(%r13) */
		gp_emit_byte(e, d->word[i] >= 8 ? 0x4d : 0x49);
		gp_emit_byte(e, 0x89);
		gp_emit_byte(e, 0x45 | (d->word[i] & 7) << 3);
		gp_emit_byte(e, IN_NOTE(word) + 8 * i);
	}
	GP_EMIT(e, 0x49, 0x89, 0xc4);				/* mov %rax,%r12 */
	GP_EMIT(e, 0x49, 0x89, 0xd7);				/* mov %rdx,%r15 */
	GP_EMIT(e, 0x0f, 0x31);					/* rdtsc */
	GP_EMIT(e, 0x41, 0x89, 0x45, IN_NOTE(time));		/* mov %eax,time(%r13) */
	GP_EMIT(e, 0x41, 0x89, 0x55, IN_NOTE(time) + 4);	/* mov %edx,time+4(%r13) */
	GP_EMIT(e, 0x4c, 0x89, 0xe0);				/* mov %r12,%rax */
	GP_EMIT(e, 0x4c, 0x89, 0xfa);				/* mov %r15,%rdx */
	GP_EMIT(e, 0x41, 0xc7, 0x45, 0x00);			/* movl $state,(%r13) */
	gp_emit_number(e, 2 * d->id + 1, 4);
}

/* A call that has passed all tests leaves a note, or lands. */
static void gp_emit_note(struct gp_emit *e, const struct gp_detour *d, __u64 next)
{
	__u32 system, taken;

	gp_emit_of_g(e, d->goid);
	GP_EMIT(e, 0x4d, 0x85, 0xff);				/* test %r15,%r15 */
	system = gp_emit_if(e, 0x84);				/* je land */
	taken = gp_emit_claim(e, d);
	gp_emit_fill(e, d);
	gp_emit_jump(e, next);
	gp_emit_lands_here(e, system);
	gp_emit_lands_here(e, taken);
	gp_emit_land(e, d, next);
}

/* A call that has passed all tests leaves a note, lands, or counts. */
static void gp_emit_passed(struct gp_emit *e, const struct gp_detour *d, __u64 next)
{
	if (d->ring) {
		gp_emit_note(e, d, next);
	} else if (d->landing) {
		gp_emit_land(e, d, next);
	} else {
		gp_emit_count(e, d->cpu_shift, d->hits);
		gp_emit_jump(e, next);
	}
}

/* What the branch or epilogue did. */
static void gp_emit_displaced(struct gp_emit *e, const struct gp_detour_site *site,
			      const struct gp_detour *d)
{
	__u64 cold = d->branch + site->cold_at;
	__u32 ja;

	if (site->frame) {
		gp_emit_bytes(e, site->branch, site->branch_len);
		return;
	}
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
	*reject = gp_emit_if(e, t->want ? out : in);
}

/* R12: the depth of a call whose SP at entry is RSP; R15 and R13: its slot, as base and index. */
static void gp_emit_slot(struct gp_emit *e, const struct gp_detour *d)
{
	GP_EMIT(e, 0x4d, 0x8b, 0xa6);				/* mov stack_hi(%r14),%r12 */
	gp_emit_number(e, d->stack_hi, 4);
	GP_EMIT(e, 0x49, 0x29, 0xe4);				/* sub %rsp,%r12 */
	GP_EMIT(e, 0xc4, 0x43, 0xfb, 0xf0, 0xee, 0x02);		/* rorx $2,%r14,%r13 */
	GP_EMIT(e, 0x47, 0x8d, 0x6c, 0xa5, 0x00);		/* lea (%r13,%r12,4),%r13d */
	GP_EMIT(e, 0x41, 0x81, 0xe5);				/* and $place of the last,%r13d */
	gp_emit_number(e, (GP_DETOUR_SLOTS - 1) * sizeof(struct gp_detour_slot), 4);
	GP_EMIT(e, 0x4c, 0x8d, 0x3d);				/* lea slots(%rip),%r15 */
	gp_emit_to(e, d->slots);
}

/* The call is open from now on, in its slot; it lands if that is not free. */
static void gp_emit_open(struct gp_emit *e, const struct gp_detour *d, __u64 next)
{
	__u32 taken;

	gp_emit_slot(e, d);
	GP_EMIT(e, 0x4d, 0x01, 0xfd);				/* add %r15,%r13 */
	GP_EMIT(e, 0x49, 0x89, 0xc7);				/* mov %rax,%r15 */
	GP_EMIT(e, 0x31, 0xc0);					/* xor %eax,%eax */
	GP_EMIT(e, 0xf0, 0x4d, 0x0f, 0xb1, 0x75, 0x00);		/* lock cmpxchg %r14,(%r13) */
	taken = gp_emit_if(e, 0x85);				/* jne taken */
	GP_EMIT(e, 0x45, 0x89, 0x65, IN_SLOT(depth));		/* mov %r12d,depth(%r13) */
	GP_EMIT(e, 0x41, 0xc7, 0x45, IN_SLOT(id));		/* movl $id,id(%r13) */
	gp_emit_number(e, d->id, 4);
	GP_EMIT(e, 0x49, 0x89, 0xd4);				/* mov %rdx,%r12 */
	GP_EMIT(e, 0x0f, 0x31);					/* rdtsc */
	GP_EMIT(e, 0x41, 0x89, 0x45, IN_SLOT(began));		/* mov %eax,began(%r13) */
	GP_EMIT(e, 0x41, 0x89, 0x55, IN_SLOT(began) + 4);	/* mov %edx,began+4(%r13) */
	GP_EMIT(e, 0x4c, 0x89, 0xf8);				/* mov %r15,%rax */
	GP_EMIT(e, 0x4c, 0x89, 0xe2);				/* mov %r12,%rdx */
	gp_emit_jump(e, next);
	gp_emit_lands_here(e, taken);
	GP_EMIT(e, 0x4c, 0x89, 0xf8);				/* mov %r15,%rax */
	gp_emit_land(e, d, next);
}

/* RDX: ns of the call, which its slot has. The slot becomes free. */
static __u32 gp_emit_duration(struct gp_emit *e)
{
	GP_EMIT(e, 0x49, 0x89, 0xc4);				/* mov %rax,%r12 */
	GP_EMIT(e, 0x0f, 0x31);					/* rdtsc */
	GP_EMIT(e, 0x48, 0xc1, 0xe2, 0x20);			/* shl $32,%rdx */
	GP_EMIT(e, 0x48, 0x09, 0xc2);				/* or %rax,%rdx */
	GP_EMIT(e, 0x4c, 0x89, 0xe0);				/* mov %r12,%rax */
	GP_EMIT(e, 0x4b, 0x2b, 0x54, 0x2f, IN_SLOT(began));	/* sub began(%r15,%r13),%rdx */
	GP_EMIT(e, 0x4b, 0xc7, 0x04, 0x2f, 0, 0, 0, 0);		/* movq $0,(%r15,%r13) */
	GP_EMIT(e, 0x48, 0x01, 0xd2);				/* add %rdx,%rdx */
	GP_EMIT(e, 0xc4, 0xe2, 0x9b, 0xf6, 0x15);		/* mulx rate(%rip),%r12,%rdx */
	gp_emit_number(e, 0, 4);
	return e->n;
}

/* The call ends: its duration is added to the CPU's times. It lands if the handler has to. */
static void gp_emit_close(struct gp_emit *e, const struct gp_detour *d, __u64 next)
{
	__u32 unknown[3], extreme[2], rate, over, i;

	gp_emit_slot(e, d);
	GP_EMIT(e, 0x4f, 0x39, 0x34, 0x2f);			/* cmp %r14,(%r15,%r13) */
	unknown[0] = gp_emit_if(e, 0x85);			/* jne unknown */
	GP_EMIT(e, 0x47, 0x39, 0x64, 0x2f, IN_SLOT(depth));	/* cmp %r12d,depth(%r15,%r13) */
	unknown[1] = gp_emit_if(e, 0x85);			/* jne unknown */
	GP_EMIT(e, 0x43, 0x81, 0x7c, 0x2f, IN_SLOT(id));	/* cmpl $id,id(%r15,%r13) */
	gp_emit_number(e, d->id, 4);
	unknown[2] = gp_emit_if(e, 0x85);			/* jne unknown */
	rate = gp_emit_duration(e);
	gp_emit_cpu(e, R15, d->cpu_shift);
	GP_EMIT(e, 0x4c, 0x8d, 0x2d);				/* lea times(%rip),%r13 */
	gp_emit_to(e, d->times);
	GP_EMIT(e, 0x4d, 0x01, 0xfd);				/* add %r15,%r13 */
	GP_EMIT(e, 0x49, 0x39, 0x95);				/* cmp %rdx,min(%r13) */
	gp_emit_number(e, IN_TIMES(min), 4);
	extreme[0] = gp_emit_if(e, 0x87);			/* ja extreme */
	GP_EMIT(e, 0x49, 0x39, 0x95);				/* cmp %rdx,max(%r13) */
	gp_emit_number(e, IN_TIMES(max), 4);
	extreme[1] = gp_emit_if(e, 0x82);			/* jb extreme */
	GP_EMIT(e, 0xf0, 0x49, 0x01, 0x95);			/* lock add %rdx,sum(%r13) */
	gp_emit_number(e, IN_TIMES(sum), 4);
	/* 4 * b - 8, where bit b is the highest but at least 2, and that bit with the next two. */
	GP_EMIT(e, 0x49, 0x89, 0xd4);				/* mov %rdx,%r12 */
	GP_EMIT(e, 0x49, 0x83, 0xcc, 0x04);			/* or $4,%r12 */
	GP_EMIT(e, 0x4d, 0x0f, 0xbd, 0xe4);			/* bsr %r12,%r12 */
	GP_EMIT(e, 0x41, 0x83, 0xec, 0x02);			/* sub $2,%r12d */
	GP_EMIT(e, 0xc4, 0x62, 0x9b, 0xf7, 0xfa);		/* shrx %r12,%rdx,%r15 */
	GP_EMIT(e, 0x47, 0x8d, 0x24, 0xa7);			/* lea (%r15,%r12,4),%r12d */
	GP_EMIT(e, 0xf0, 0x4b, 0xff, 0x44, 0xe5, 0x00);		/* lock incq (%r13,%r12,8) */
	gp_emit_jump(e, next);
	gp_emit_lands_here(e, extreme[0]);
	gp_emit_lands_here(e, extreme[1]);
	gp_emit_says(e, d, GP_DETOUR_END_EXTREME);
	GP_EMIT(e, 0xeb, 0);					/* jmp over the next one */
	over = e->n;
	for (i = 0; i < 3; i++)
		gp_emit_lands_here(e, unknown[i]);
	gp_emit_says(e, d, GP_DETOUR_END_UNKNOWN);
	if (!e->failed)
		e->to[over - 1] = e->n - over;
	gp_emit_land_at(e, d, next);
	gp_emit_lands_here(e, rate);
	gp_emit_number(e, d->rate, 8);
}

static __u32 gp_detour_emit_timed(const struct gp_detour_site *site, const struct gp_detour *d,
				  __u8 *to)
{
	struct gp_emit e = { .to = to, .at = d->code };
	__u64 next = d->branch + site->branch_len;

	if (d->ntests || !d->landing || !d->cpu_shift)
		return 0;
	gp_emit_displaced(&e, site, d);
	if (site->frame)
		gp_emit_close(&e, d, next);
	else
		gp_emit_open(&e, d, next);
	return e.failed ? 0 : e.n;
}

/* Is the register what it was at the branch or epilogue, until tests and notes get it? */
static bool gp_detour_keeps(const struct gp_detour_site *site, __u8 reg)
{
	return reg <= R15 && reg != R12 && reg != R13 &&
	       (!site->frame || (reg != RSP && reg != RBP));
}

bool gp_detour_can_note(const struct gp_detour_site *site, __u8 reg)
{
	return gp_detour_keeps(site, reg) && reg != RSP && reg != R15;
}

/* Can calls leave the notes that @d says? */
static bool gp_detour_notes(const struct gp_detour_site *site, const struct gp_detour *d)
{
	__u32 i;

	if (!d->landing || !d->cpu_shift || !d->id || d->id >> 31 || d->nwords > GP_DETOUR_WORDS)
		return false;
	for (i = 0; i < d->nwords; i++)
		if (!gp_detour_can_note(site, d->word[i]))
			return false;
	return true;
}

__u32 gp_detour_emit(const struct gp_detour_site *site, const struct gp_detour *d, __u8 *to)
{
	struct gp_emit e = { .to = to, .at = d->code };
	__u64 next = d->branch + site->branch_len;
	__u32 reject[GP_DETOUR_TESTS], i;

	if (site->shape == GP_DETOUR_NONE ||
	    (d->cpu_shift && (d->cpu_shift < GP_DETOUR_CPU_SHIFT_MIN ||
			      d->cpu_shift > GP_DETOUR_CPU_SHIFT_MAX)))
		return 0;
	if (d->slots)
		return gp_detour_emit_timed(site, d, to);
	if (d->ntests > GP_DETOUR_TESTS ||
	    (d->ring ? !gp_detour_notes(site, d) : site->frame || (d->landing && !d->ntests)))
		return 0;
	gp_emit_displaced(&e, site, d);
	for (i = 0; i < d->ntests; i++) {
		e.failed |= !gp_detour_keeps(site, d->test[i].reg);
		gp_emit_test(&e, &d->test[i], &reject[i]);
	}
	gp_emit_passed(&e, d, next);
	if (d->ntests) {
		for (i = 0; i < d->ntests; i++)
			gp_emit_lands_here(&e, reject[i]);
		gp_emit_count(&e, d->cpu_shift, d->rejected);
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
	if (site->shape == GP_DETOUR_EXIT_POP && branch[GP_DETOUR_JUMP - 1] != GP_DETOUR_POP)
		return false;
	return !e.failed;
}
