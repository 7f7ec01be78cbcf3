/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that counts or times the calls of a function without a breakpoint, x86-64. Pure: it compiles
 * in the kernel and in user space, where the tool asks which functions allow it, and a test
 * executes it.
 *
 * Most Go functions begin with a stack check: a comparison, and a JBE to the function's *cold
 * block*, which calls morestack. The JBE becomes a jump to a *detour*: code that does what the JBE
 * did, counts the call if it goes on, and jumps behind the JBE. Each instruction of the function
 * keeps its first byte's place, so a thread may be anywhere in it meanwhile.
 *
 * A function ends with an *epilogue* that removes its frame, and a RET. The epilogue's first
 * instruction becomes a jump to a detour that does what the epilogue did, ends the call, and jumps
 * to the RET.
 *
 * A timed call is open in a *slot*: see struct gp_detour_slot. A call, or its end, that is recorded
 * leaves registers in a *note*: see struct gp_detour_note.
 */
#ifndef GP_DETOUR_H
#define GP_DETOUR_H

#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#else
#include <assert.h>
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
	/* Epilogue whose first instruction has five bytes or more: they become a JMP rel32 */
	GP_DETOUR_EXIT,
	/*
	 * Epilogue that begins with an instruction of four bytes, and POP RBP. The four become the
	 * beginning of a JMP rel32; the POP stays as its last byte, and for threads that are there.
	 * So the detour is where that byte leads to.
	 */
	GP_DETOUR_EXIT_POP,
};

#define GP_DETOUR_BRANCH	15	/* bytes of the longest JBE or epilogue */
#define GP_DETOUR_COLD		9	/* bytes of the longest instruction that is displaced */
#define GP_DETOUR_JUMP		5	/* bytes of a JMP rel32 */
#define GP_DETOUR_TESTS		8
#define GP_DETOUR_MAX		768	/* bytes of a detour */
#define GP_DETOUR_LANDING	4	/* bytes of a landing */
#define GP_DETOUR_POP		0x5d	/* POP RBP */

/*
 * Smallest and largest gp_detour.cpu_shift: the CPU's number has 12 bits, of which one is left at
 * least.
 */
#define GP_DETOUR_CPU_SHIFT_MIN	20
#define GP_DETOUR_CPU_SHIFT_MAX	31

/**
 * struct gp_detour_slot - place of an open call
 * @g: address of the runtime.g in R14; 0: no call
 * @depth: stack.hi of that less SP at the function's entry, modulo 2^32
 * @id: of the function
 * @began: the processor's counter at the call
 * @pad: 0
 *
 * A table has GP_DETOUR_SLOTS of them. A call can be in one of them alone: gp_detour_slot_of(). If
 * there is another call, or one that has ended otherwise, the call lands.
 */
struct gp_detour_slot {
	__u64 g;
	__u32 depth;
	__u32 id;
	__u64 began;
	__u64 pad;
};

#define GP_DETOUR_SLOTS		4096

/* Index of the slot of a call. */
static inline __u32 gp_detour_slot_of(__u64 g, __u64 depth)
{
	return ((g >> 2) + 4 * depth) / sizeof(struct gp_detour_slot) % GP_DETOUR_SLOTS;
}

/* Buckets of the durations that detours add: see GOPROBE_BUCKETS. */
#define GP_DETOUR_BUCKETS	124
/* ns; calls that take longer always land. */
#define GP_DETOUR_LONGEST	0xffffffffU

/**
 * struct gp_detour_times - times of a function on some CPUs
 * @bucket: calls by duration
 * @sum: ns
 * @min: ns; shorter calls land, and add nothing here
 * @max: ns; longer calls land as well. At most GP_DETOUR_LONGEST
 * @pad: 0
 */
struct gp_detour_times {
	__u64 bucket[GP_DETOUR_BUCKETS];
	__u64 sum;
	__u64 min;
	__u64 max;
	__u64 pad;
};

/* R12 where a call lands: twice the number of its jump, and for an end: */
enum gp_detour_end {
	GP_DETOUR_END_UNKNOWN,	/* its slot does not have the call; or it leaves no note */
	GP_DETOUR_END_EXTREME,	/* it was shorter or longer than others: gp_detour_ns() of RDX */
};

/*
 * ns of a call, of what the detour hands over: a bit less than the rate if the counter was less at
 * the end than at the beginning. Those of two CPUs can differ by a few ticks.
 */
static inline __u64 gp_detour_ns(__u64 ns, __u64 rate)
{
	return ns > rate / 2 ? 0 : ns;
}

#define GP_DETOUR_WORDS		12	/* registers in a note */
#define GP_DETOUR_NOTES		256	/* notes of a ring */

/**
 * struct gp_detour_note - what the kernel makes a record of
 * @state: 0: free; 1: being written; else 2 * gp_detour.id + 1, which is written last
 * @depth: as of struct gp_detour_slot, also at an end
 * @time: the processor's counter, read when all else but @state has been written
 * @goid: goroutine id
 * @tid: m.procid: the thread, as its process sees it
 * @pad: not written
 * @word: registers
 *
 * A thread that finds its note free has it until the kernel frees it, wherever the thread is
 * interrupted, and on whatever CPU it goes on. If the note is not free, the call or its end lands.
 */
struct gp_detour_note {
	__u32 state;
	__u32 depth;
	__u64 time;
	__u64 goid;
	__u32 tid;
	__u32 pad;
	__u64 word[GP_DETOUR_WORDS];
};

/**
 * struct gp_detour_ring - notes of a CPU
 * @next: byte of @note where the next call looks, modulo their size. A hint: several threads may
 *	get the same, and all but one of them land
 * @pad: not written
 * @note: the notes
 */
struct gp_detour_ring {
	__u32 next;
	__u32 pad[31];
	struct gp_detour_note note[GP_DETOUR_NOTES];
};

/**
 * struct gp_detour_site - a stack check's branch, or an epilogue, that can become a jump
 * @shape: enum gp_detour_shape
 * @branch_len: bytes of @branch
 * @cold_len: of GP_DETOUR_SHORT: bytes of @cold
 * @frame: of an epilogue: SP at the function's entry less SP before the epilogue; 0: it is a JBE
 * @branch: the JBE, or the epilogue without the RET
 * @cold: of GP_DETOUR_SHORT: the first instruction of the cold block: a store of a register into
 *	the stack, or the call of morestack
 * @cold_at: address of the cold block less that of the branch
 */
struct gp_detour_site {
	__u8 shape;
	__u8 branch_len;
	__u8 cold_len;
	__u32 frame;
	__u8 branch[GP_DETOUR_BRANCH];
	__u8 cold[GP_DETOUR_COLD];
	__s32 cold_at;
};

/**
 * struct gp_detour_test - is a register's number in a range?
 * @reg: the register, by its hardware number; not R12 or R13, which detours use; of an
 *	epilogue, which has been executed before, not RSP or RBP
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
 * @branch: address of the branch or epilogue
 * @code: address of the detour
 * @hits: address of the counter of calls that pass all tests, unless there is a @landing
 * @rejected: address of the counter of the others
 * @landing: address of the landing of calls that pass all tests, or of timed or recorded ones that
 *	the detour leaves to the handler; 0: none. An epilogue has been executed there. It goes on
 *	where R13 says
 * @slots: address of the table of slots; 0: calls are not timed. If they are, there are no tests
 * @ring: address of struct gp_detour_ring of CPU 0; 0: nothing is recorded. If calls are, or ends,
 *	those that find no free note, or are on a system stack, land. Epilogues have it or @slots
 * @times: of an epilogue: address of struct gp_detour_times of CPU 0
 * @rate: of an epilogue: ns of a tick, times 2^63
 * @number: of the jump, where calls land
 * @id: of the function, for its slots; or for its notes, below 2^31 and not 0
 * @stack_hi: offset of stack.hi in runtime.g
 * @goid: ... of goid
 * @m: ... of m
 * @procid: offset of procid in runtime.m
 * @nwords: number of @word
 * @word: registers that a note gets, by hardware number; not RSP, R12, R13 or R15, and
 *	of an epilogue not RBP
 * @cpu_shift: each CPU has its own counters, times and notes: those of CPU n lie n times
 *	2^cpu_shift bytes higher, modulo 2^32, so CPUs whose numbers differ by enough share them. 0:
 *	all share them; timed and recorded calls need the other
 * @ntests: number of @test
 * @test: which calls count
 */
struct gp_detour {
	__u64 branch;
	__u64 code;
	__u64 hits;
	__u64 rejected;
	__u64 landing;
	__u64 slots;
	__u64 ring;
	__u64 times;
	__u64 rate;
	__u32 number;
	__u32 id;
	__u32 stack_hi;
	__u32 goid;
	__u32 m;
	__u32 procid;
	__u32 nwords;
	__u8 word[GP_DETOUR_WORDS];
	__u8 cpu_shift;
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
 * gp_detour_find_exit() - can an epilogue become a jump?
 * @code: its bytes, and the RET
 * @len: how many can be read there
 * @place: its place in its file, or its address
 * @site: is filled in
 *
 * It can be that others jump to the instructions behind the first: that is not looked at.
 *
 * Return: NULL, or why not (static string).
 */
const char *gp_detour_find_exit(const __u8 *code, __u32 len, __u64 place,
				struct gp_detour_site *site);

/* Can a note of a call or return at @site have the register with that hardware number? */
bool gp_detour_can_note(const struct gp_detour_site *site, __u8 reg);

/**
 * gp_detour_emit() - make the code of a detour
 * @site: from gp_detour_find() or gp_detour_find_exit()
 * @d: what it does
 * @to: gets the code, GP_DETOUR_MAX bytes at most
 *
 * Return: its bytes; 0: an address is out of reach, a test or a word names a register that the
 * detour or the epilogue has changed, or all calls would land, or @d does not suit @site.
 */
__u32 gp_detour_emit(const struct gp_detour_site *site, const struct gp_detour *d, __u8 *to);

/**
 * gp_detour_check() - is this the code of a detour, and does it do no harm?
 * @site: from gp_detour_find() or gp_detour_find_exit()
 * @d: what it is to do
 * @code: its bytes
 * @len: their number
 *
 * Decodes the code, without the functions that emitted it. The code may write R12, R13, the flags,
 * the two counters, and what the displaced instructions write; if it times, also R15, slots, times
 * and, of an epilogue, RDX; if it records, R15 and the ring. It only jumps forward in itself. It
 * ends behind the branch or epilogue, at the cold block, behind the displaced instruction, in
 * morestack, or at the landing with the address behind the branch or epilogue in R13 and the jump
 * in R12.
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
 * @site: from gp_detour_find() or gp_detour_find_exit()
 * @d: the detour
 * @branch: gets the first GP_DETOUR_JUMP bytes of the branch or epilogue; of GP_DETOUR_SHORT the
 *	first changes, of GP_DETOUR_EXIT_POP four do
 * @cold: gets the first GP_DETOUR_JUMP bytes of the cold block, if it changes
 *
 * Return: false: the detour is out of reach.
 */
bool gp_detour_jumps(const struct gp_detour_site *site, const struct gp_detour *d,
		     __u8 branch[GP_DETOUR_JUMP], __u8 cold[GP_DETOUR_JUMP]);

#endif
