/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps by which the code of a running program changes: the order of all writes that make a jump,
 * remove it, and give a cold block its instructions back. kmod/jump/jump.c writes in this order,
 * with more syncs, which tests/model compares. The harness takes these steps on a real processor;
 * tests/model looks at every interleaving with threads.
 *
 * Processors must not see half of a change. So an instruction is changed as the kernel changes its
 * own (text_poke_bp_batch()): a breakpoint on its first byte, then its other bytes, then its first
 * byte. In between, each processor forgets the code that it has read.
 */
#ifndef GP_STEPS_H
#define GP_STEPS_H

#include <linux/types.h>

enum gp_step_kind {
	GP_STEP_SYNC,	/* all processors forget the code that they have read */
	GP_STEP_FIRST,	/* the first byte is written */
	GP_STEP_TAIL,	/* the other bytes of a jump are */
};

enum gp_step_part {
	GP_STEP_BRANCH,	/* the branch of a stack check, or an epilogue */
	GP_STEP_COLD,	/* the cold block, if the branch can lead nowhere else: GP_DETOUR_SHORT */
};

enum gp_step_code {
	GP_STEP_INT3,	/* a breakpoint */
	GP_STEP_JUMP,	/* the jump's bytes */
	GP_STEP_FILE,	/* the file's */
};

/**
 * struct gp_step - one step, for all that is changed together
 * @kind: enum gp_step_kind
 * @part: what is written: enum gp_step_part
 * @code: enum gp_step_code
 */
struct gp_step {
	__u8 kind;
	__u8 part;
	__u8 code;
};

#define GP_STEPS_SYNC { GP_STEP_SYNC, 0, 0 }

/*
 * The lock of the program's mappings is held from the first step to behind the last: a thread at a
 * breakpoint in a cold block waits for it in the kernel, and then finds no breakpoint there.
 *
 * Each step is needed: the model leaves them out, and exchanges them, one after the other.
 */

/*
 * A breakpoint of the kernel's becomes a jump. That breakpoint is the first byte until the last
 * step; the first sync has all processors see it. When the branch leads to the cold block alone,
 * all processors see a breakpoint or a jump there. One that reads the branch's breakpoint for a
 * while yet takes a trap, and counts.
 */
static const struct gp_step gp_steps_arm[] = {
	GP_STEPS_SYNC,
	{ GP_STEP_TAIL, GP_STEP_BRANCH, GP_STEP_JUMP },
	{ GP_STEP_FIRST, GP_STEP_COLD, GP_STEP_INT3 },
	GP_STEPS_SYNC,
	{ GP_STEP_TAIL, GP_STEP_COLD, GP_STEP_JUMP },
	GP_STEPS_SYNC,
	{ GP_STEP_FIRST, GP_STEP_COLD, GP_STEP_JUMP },
	{ GP_STEP_FIRST, GP_STEP_BRANCH, GP_STEP_JUMP },
};

/*
 * A jump becomes the kernel's breakpoint, which the kernel may remove after the last sync. The cold
 * block stays: threads may be on their way there.
 */
static const struct gp_step gp_steps_disarm[] = {
	{ GP_STEP_FIRST, GP_STEP_BRANCH, GP_STEP_INT3 },
	GP_STEPS_SYNC,
	{ GP_STEP_TAIL, GP_STEP_BRANCH, GP_STEP_FILE },
	GP_STEPS_SYNC,
};

/*
 * A cold block, to which no branch leads alone and no thread is on its way, is the file's again. A
 * processor that reads its breakpoint for a while yet looks at it again.
 */
static const struct gp_step gp_steps_restore[] = {
	{ GP_STEP_FIRST, GP_STEP_COLD, GP_STEP_INT3 },
	GP_STEPS_SYNC,
	{ GP_STEP_TAIL, GP_STEP_COLD, GP_STEP_FILE },
	GP_STEPS_SYNC,
	{ GP_STEP_FIRST, GP_STEP_COLD, GP_STEP_FILE },
};

#endif
