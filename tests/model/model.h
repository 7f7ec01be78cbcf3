/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every interleaving of the steps that change a program's code with its threads, its children, the
 * kernel's breakpoints and a debugger's. tests/model/run says what it shows.
 *
 * What a processor may do, and who says so:
 *
 * - It may execute each byte of an instruction as it was at any time since it last serialized:
 *   Intel, Software Developer's Manual, volume 3, 8.1.3 "Handling Self- and Cross-Modifying Code";
 *   AMD, Architecture Programmer's Manual, volume 2, 7.6.1 "Cache Coherency and Invalidation". Each
 *   byte for itself is more than processors do.
 * - It serializes when the kernel interrupts it to execute sync_core(). So do CPUID, IRET and a new
 *   CR3. A processor that runs another program meanwhile loads CR3, or is interrupted as well. A
 *   thread may stay on a processor for as long as it likes without any of them: the model has no
 *   other event that serializes, though traps and returns from signals do.
 * - A byte that is written is seen as a whole, and INT3 as one byte is executed without the others.
 * - fork() gives the child an address space of its own, so that its processor serializes.
 *
 * What the kernel does: fork() and uprobes change mappings under their lock, for writing. ptrace()
 * writes under that lock, for reading. Who hits a breakpoint that no uprobe has looks at memory,
 * and executes it again, or gets a SIGTRAP.
 */
#ifndef GOPROBE_MODEL_H
#define GOPROBE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/types.h>

#include "arch/detour.h"
#include "steps.h"

#define THREADS 3
#define OPS_MAX 64

/* Bytes that change: a branch or epilogue, and the cold block of a short branch. */
#define BYTES (2 * GP_DETOUR_JUMP)
#define COLD GP_DETOUR_JUMP
/* Where an epilogue of GP_DETOUR_EXIT_POP has its POP. */
#define POP (GP_DETOUR_JUMP - 1)

/* Code of a byte, beside enum gp_step_code: that of a jump to the detour of another session. */
#define CODE_ANOTHER 3

/* Where a thread is. GO: its call goes on; GROW: its stack grows first. */
enum place {
	AWAY,
	BRANCH_GO,
	BRANCH_GROW,
	TRAPPED_GO,		/* in the kernel, by the branch's breakpoint */
	TRAPPED_GROW,
	AT_POP,			/* at the POP of an epilogue */
	DETOUR,
	DETOUR_ANOTHER,
	COLD_GO,		/* at the cold block, by a jump that all calls take */
	COLD_GROW,
	COLD_TRAPPED_GO,	/* in the kernel, by the cold block's breakpoint */
	COLD_TRAPPED_GROW,
};

/* What a thread has beside its place. */
#define PLACE 0x0f
/* A signal has interrupted it there: its handler returns late. What that does others do as well. */
#define IN_SIGNAL 0x10
#define LOOKED_AT 0x20

/* What the writer does. */
enum phase {
	REST,
	LOOK_RESTORE,	/* it looks at threads, to restore the cold block */
	LOOK_FREE,	/* ... to use the memory of detours again */
	ARM,
	DISARM,
	RESTORE,
};

/* enum flag: what else there is */
#define OURS 0x01	/* the kernel has a breakpoint of ours */
#define OTHERS 0x02	/* ... of another session's or tool's */
#define ARMED 0x04
#define LOCKED 0x08	/* the mappings are */
#define NO_DETOUR 0x10	/* its memory is free, or has another's code */
#define CHANGES_COLD 0x20
#define FORKED 0x40
#define CHILD 0x80	/* this is a child: nobody changes its code but the kernel */

/**
 * struct state - all of it
 * @phase: enum phase
 * @step: ... of the phase: the next one
 * @flags: above
 * @cold: code of the cold block while it does not change
 * @goal: code that it gets
 * @debugger: where a debugger has a breakpoint, plus one; or 0
 * @saved: what it has read there
 * @saved_tail: and behind it, if it writes whole words
 * @now: code of each byte in memory
 * @seen: a bit for each that a processor may have read
 * @thread: enum place, and flags
 * @pad: 0
 */
struct state {
	uint8_t phase, step, flags, cold, goal;
	uint8_t debugger, saved, saved_tail;
	uint8_t now[BYTES];
	uint8_t seen[BYTES];
	uint8_t thread[THREADS];
	uint8_t pad;
};

enum op_kind {
	OP_SYNC,
	OP_WRITE,
	OP_LOCK,
	OP_UNLOCK,
};

/**
 * struct op - a step, as of struct gp_step, of one place
 * @kind: enum op_kind
 * @at: the byte that is written
 * @code: enum gp_step_code
 */
struct op {
	uint8_t kind, at, code;
};

struct ops {
	struct op v[OPS_MAX];
	unsigned int n;
};

/**
 * struct rules - what is not in the steps, and can be left out or broken
 *
 * Those of goprobe, which controls leave out. Each is false as goprobe is:
 * @restores_blindly: cold blocks are restored without a look at threads
 * @frees_blindly: memory of detours is used again without one
 * @looks_past_signals: what a signal has interrupted is not looked for
 * @looks_past_traps: nor for who has hit the breakpoint that a cold block is for a moment
 * @frees_of_child: memory of detours is used again though a child has it
 * @arms_debugged: jumps are made while a debugger has a breakpoint
 * @unlocked: the mappings are not locked meanwhile
 *
 * Those of others, of which docs/security.md says that they break the program, or a child:
 * @pop_breakpoint: a breakpoint at the POP of an epilogue
 * @cold_breakpoint: a uprobe at a cold block
 * @child_traced: a child with jumps is traced by another tool
 * @fork_over_breakpoint: the program forks while somebody's breakpoint is on a jump
 * @changed_under_debugger: jumps become breakpoints while a debugger has one there
 * @debugger_words: a debugger reads and writes whole words, and they change in between
 */
struct rules {
	bool restores_blindly, frees_blindly, looks_past_signals, looks_past_traps;
	bool frees_of_child, arms_debugged, unlocked;
	bool pop_breakpoint, cold_breakpoint, child_traced, fork_over_breakpoint;
	bool changed_under_debugger, debugger_words;
};

extern struct rules rules;
extern enum gp_detour_shape shape;
/* Steps of the phases ARM, DISARM and RESTORE: [changes_cold]. */
extern struct ops steps[RESTORE + 1][2];
/* Cold blocks change from one jump to another. */
extern bool has_another;
extern const char *bad;

/* states.c */
void states_init(void);
/* From that state on. Return: what is bad, or NULL. */
const char *states_explore(const struct state *first);
uint32_t states_number(void);
void states_print_bad(void);
void states_reach(const struct state *s);

/* writer.c and threads.c: all that can happen next. */
void writer_next(const struct state *s);
void others_next(const struct state *s);
void threads_next(const struct state *s, int i);
unsigned int writer_branch_bytes(void);
void writer_write(struct state *s, unsigned int at, uint8_t code);

/* module.c: steps as the module takes them; false: it takes none. @another: to another detour. */
bool module_steps(enum phase phase, bool changes_cold, bool another, struct ops *ops);

#endif
