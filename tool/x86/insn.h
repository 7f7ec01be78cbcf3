/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places in a function's code for breakpoints: proven starts of instructions
 * only. No other file uses the disassembler for that. Pure.
 */
#ifndef GOPROBE_X86_INSN_H
#define GOPROBE_X86_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum insn_entry {
	INSN_ENTRY_NONE,
	INSN_ENTRY_CHECK,	/* the branch of the stack check */
	INSN_ENTRY_PUSH,	/* a PUSH, which the kernel emulates */
	INSN_ENTRY_NOP,		/* a NOP, emulated, too */
	INSN_ENTRY_JUMP,	/* a jump or call, emulated, too */
	INSN_ENTRY_FIRST,	/* some other first instruction */
};

/* What happens to the instruction when it is the program's turn again. */
enum insn_how {
	INSN_HOW_STEPPED,	/* single-stepped out of line: twice an exception */
	INSN_HOW_CARRIED_OUT,	/* by the module where it can, else single-stepped */
	INSN_HOW_EMULATED,	/* by the kernel */
};

/* A place for a breakpoint. */
struct insn_point {
	uint32_t at;	/* from the function's entry */
	uint32_t len;	/* bytes of the instruction there */
	enum insn_how how;	/* how it is executed */
};

/* A function to look at. */
struct insn_code {
	const uint8_t *bytes;	/* its code */
	size_t len;	/* bytes of it, up to the next function (padding included) */
	uint64_t vaddr;	/* link-time address */
	bool wrapper;	/* made by the compiler: an indirect jump leaves it */
	bool untouched;	/* the entry must be where nothing has looked at an argument */
	bool exits;	/* struct insn_scan gets @exits and @no_time, too */
	/* is there one of the runtime's morestack functions? */
	bool (*is_morestack)(void *ctx, uint64_t vaddr);
	void *ctx;	/* for @is_morestack */
};

/* As far as the module lets goprobe_point.sp_adjust go. */
#define INSN_FRAME_MAX (1 << 20)
extern const char *const insn_why_deep;

/* The epilogue that ends with a RET. */
struct insn_exit {
	struct insn_point begin;	/* its first instruction */
	uint32_t frame;	/* SP at the function's entry less SP there */
	/*
	 * why it can't become a jump, GOPROBE_POINT_F_JUMP (static string): then the other
	 * members are 0; or NULL
	 */
	const char *no_jump;
};

/* What there is in a function. At all these points but @exits SP is what it was at entry. */
struct insn_scan {
	enum insn_entry entry;	/* how its entry can be probed */
	struct insn_point call;	/* where */
	struct insn_point *rets;	/* RET instructions */
	size_t nrets;	/* their number */
	/* the epilogues of @rets, or NULL without insn_code.exits */
	struct insn_exit *exits;
	struct insn_point *tails;	/* jumps that leave it */
	size_t ntails;	/* their number */
	/*
	 * for INSN_ENTRY_CHECK: the check loads g from TLS, as only functions do that take
	 * their arguments on the stack
	 */
	bool abi0;
	const char *refused;	/* why it can't be probed (static string), or NULL */
	/*
	 * why its calls can't be counted by a jump, GOPROBE_POINT_F_JUMP (static string), or
	 * NULL
	 */
	const char *no_jump;
	/* why jumps alone can't time its calls (static string), or NULL: as @exits */
	const char *no_time;
};

/* Look at a function. Returns 0, or -1 if there is no memory. */
int insn_scan(const struct insn_code *code, struct insn_scan *ret);
void insn_scan_fini(struct insn_scan *s);

/* Is its call probed at an instruction that ends it? Then it is no more than that one. */
bool insn_is_alone(const struct insn_scan *s);

/*
 * The instruction at @at of the function, which is decoded from its entry on: filled in
 * @ret. NULL, or why it can't get a breakpoint (static string).
 */
const char *insn_at(const struct insn_code *code, uint64_t at, struct insn_point *ret);

/* @why: as insn_at() has it, or NULL. A value other than 0 ends the walk. */
typedef int (*insn_fn)(void *ctx, const struct insn_point *point, const char *why);

/*
 * Call @fn for each instruction of the function. NULL, or why the function is not understood
 * (static string): then there were none.
 */
const char *insn_each(const struct insn_code *code, insn_fn fn, void *ctx);

#define INSN_TEXT_MAX 96

/* The instruction at @vaddr in Intel's notation; at most INSN_TEXT_MAX bytes. */
void insn_text(const uint8_t *code, size_t len, uint64_t vaddr, char *to);
/* Why the module does not carry it out (static string). */
const char *insn_why_stepped(const uint8_t *code, size_t len);

/* How code reads thread-local storage. */
struct insn_tls {
	int32_t offset;	/* from the thread pointer, if @slot is 0 */
	uint64_t slot;	/* address of the word that the offset is loaded from, or 0 */
};

/* The first access through fs in code at @vaddr; 0, or -1 if it is not found. */
int insn_find_tls(const uint8_t *bytes, size_t len, uint64_t vaddr,
		  struct insn_tls *ret);

#endif
