/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that counts the calls of a function without a breakpoint, x86-64. Pure: it compiles in the
 * kernel and in user space, where the tool asks which functions allow it, and a test executes it.
 *
 * Most Go functions begin with a stack check: a comparison, and a JBE to the function's *cold
 * block*, which calls morestack. The JBE becomes a jump to a *detour*: code that does what the JBE
 * did, counts the call if it goes on, and jumps behind the JBE. Each instruction of the function
 * keeps its first byte's place, so a thread may be anywhere in it meanwhile.
 */
#ifndef GP_DETOUR_H
#define GP_DETOUR_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#include <stddef.h>
#endif

enum gp_detour_shape {
	GP_DETOUR_NONE,
	/* JBE rel32: its first five bytes of six become a JMP rel32 */
	GP_DETOUR_LONG,
	/*
	 * JBE rel8 becomes a JMP rel8, also to the cold block, whose first instruction has at
	 * least five bytes and becomes a JMP rel32
	 */
	GP_DETOUR_SHORT,
};

#define GP_DETOUR_BRANCH	6	/* bytes of the longest JBE */
#define GP_DETOUR_COLD		9	/* bytes of the longest instruction that is displaced */
#define GP_DETOUR_JUMP		5	/* bytes of a JMP rel32 */
#define GP_DETOUR_TESTS		8
#define GP_DETOUR_MAX		512	/* bytes of a detour */
#define GP_DETOUR_LANDING	4	/* bytes of a landing */

/**
 * struct gp_detour_site - a stack check's branch that can become a jump
 * @shape: enum gp_detour_shape
 * @branch_len: bytes of @branch
 * @cold_len: of GP_DETOUR_SHORT: bytes of @cold
 * @branch: the JBE
 * @cold: of GP_DETOUR_SHORT: the first instruction of the cold block: a store of a register into
 *	the stack, or the call of morestack
 * @cold_at: address of the cold block less that of the branch
 */
struct gp_detour_site {
	__u8 shape;
	__u8 branch_len;
	__u8 cold_len;
	__u8 branch[GP_DETOUR_BRANCH];
	__u8 cold[GP_DETOUR_COLD];
	__s32 cold_at;
};

/**
 * struct gp_detour_test - is a register's number in a range?
 * @reg: the register, by its hardware number; not R12 or R13, which detours use
 * @shift: the number is first shifted left by so much
 * @want: whether it is to be in the range
 * @mul: then it is multiplied by this, modulo 2^64; 0: it is not
 * @low: where the range begins, shifted by @shift as well
 * @span: the range's last number less @low, modulo 2^64
 */
struct gp_detour_test {
	__u8 reg;
	__u8 shift;
	bool want;
	__u64 mul;
	__u64 low;
	__u64 span;
};

/**
 * struct gp_detour - what a detour is to do, and where it lies
 * @branch: address of the branch
 * @code: address of the detour
 * @hits: address of the counter of calls that pass all tests, unless there is a @landing
 * @rejected: address of the counter of the others
 * @landing: address of the landing of calls that pass all tests; 0: none. It goes on where R13 says
 * @per_cpu: each CPU has its own counters: those of CPU n lie n pages higher
 * @ntests: number of @test
 * @test: which calls count
 */
struct gp_detour {
	__u64 branch;
	__u64 code;
	__u64 hits;
	__u64 rejected;
	__u64 landing;
	bool per_cpu;
	__u32 ntests;
	struct gp_detour_test test[GP_DETOUR_TESTS];
};

/*
 * Where the bytes at @branch, @len of them, lead to: the place of the cold block less the branch's.
 * 0: it is no JBE that a jump can replace.
 */
__s32 gp_detour_cold_at(const __u8 *branch, __u32 len);

/**
 * gp_detour_find() - can the branch of a stack check become a jump?
 * @branch: its bytes
 * @branch_len: how many can be read there
 * @cold: the bytes of its cold block, at gp_detour_cold_at()
 * @cold_len: how many can be read there
 * @place: the branch's place in its file, or its address
 * @site: is filled in
 *
 * It can be that others jump to what would change: that is not looked at.
 *
 * Return: NULL, or why not (static string).
 */
const char *gp_detour_find(const __u8 *branch, __u32 branch_len, const __u8 *cold, __u32 cold_len,
			   __u64 place, struct gp_detour_site *site);

/**
 * gp_detour_emit() - make the code of a detour
 * @site: from gp_detour_find()
 * @d: what it does
 * @to: gets the code, GP_DETOUR_MAX bytes at most
 *
 * Return: its bytes; 0: an address is out of reach, a test names R12 or R13, or all calls would
 * land.
 */
__u32 gp_detour_emit(const struct gp_detour_site *site, const struct gp_detour *d, __u8 *to);

/**
 * gp_detour_check() - is this the code of a detour, and does it do no harm?
 * @site: from gp_detour_find()
 * @d: what it is to do
 * @code: its bytes
 * @len: their number
 *
 * Decodes the code, without the functions that emitted it. The code may write R12, R13, the flags,
 * the two counters, and what the displaced instruction writes. It only jumps forward in itself. It
 * ends behind the branch, at the cold block, behind the displaced instruction, in morestack, or at
 * the landing with the address behind the branch in R13.
 *
 * Return: whether it is so.
 */
bool gp_detour_check(const struct gp_detour_site *site, const struct gp_detour *d,
		     const __u8 *code, __u32 len);

/*
 * A landing: its first instruction does nothing and gets a breakpoint, its second one jumps to the
 * address in R13.
 */
void gp_detour_emit_landing(__u8 to[GP_DETOUR_LANDING]);
bool gp_detour_check_landing(const __u8 code[GP_DETOUR_LANDING]);

/**
 * gp_detour_jumps() - what the program's code becomes
 * @site: from gp_detour_find()
 * @d: the detour
 * @branch: gets the first GP_DETOUR_JUMP bytes of the branch; of GP_DETOUR_SHORT the first changes
 * @cold: gets the first GP_DETOUR_JUMP bytes of the cold block, if it changes
 *
 * Return: false: the detour is out of reach.
 */
bool gp_detour_jumps(const struct gp_detour_site *site, const struct gp_detour *d,
		     __u8 branch[GP_DETOUR_JUMP], __u8 cold[GP_DETOUR_JUMP]);

#endif
