// SPDX-License-Identifier: GPL-2.0
/*
 * Steps as the module takes them: the part of kmod/jump/jump.c that changes code is compiled here,
 * as it is, with memory that writes down what is written, and in which order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

/* --- what that part uses of the kernel and the module --------------------------------------- */

#define NSEC_PER_USEC 1000ULL
#define GFP_KERNEL 0
#define __GFP_NOFAIL 0
#define GP_GFP_CHARGED 0
#define GP_JUMP_BATCH 32
#define GP_TEXT_WINDOWS 64
#define BUILD_BUG_ON(condition) ((void)sizeof(char[1 - 2 * !!(condition)]))
#define kzalloc(size, flags) calloc(1, size)
#define kfree(p) free(p)
#define cond_resched() ((void)0)
#define ktime_get_ns() 0ULL
/* A list has one jump. */
#define list_for_each_entry(pos, head, member) for ((pos) = the_jump; (head) && (pos); (pos) = NULL)

struct list_head {
	int unused;
};

struct inode {
	int unused;
};

struct mm_struct {
	int unused;
};

struct gp_text_pages {
	u32 n;
};

struct gp_text {
	u8 at;
};

enum gp_jump_state {
	GP_JUMP_TRAP,
	GP_JUMP_ARMED,
	GP_JUMP_OVER,
};

struct gp_jump_batch;

struct gp_jump_space {
	struct mm_struct *mm;
	struct list_head jumps;
	struct gp_jump_batch *batch;
	bool busy;
};

struct gp_jump {
	struct list_head node;
	struct gp_jump_space *space;
	const struct inode *inode;
	u64 offset;
	unsigned long at;
	struct gp_detour_site site;
	u8 state;
	bool cold;
	bool lost;
	u8 branch_jump[GP_DETOUR_JUMP];
	u8 cold_jump[GP_DETOUR_JUMP];
	u8 cold_now[GP_DETOUR_COLD];
};

static struct gp_jump *the_jump;
static struct ops *record;
static u8 memory[BYTES];

static void add(enum op_kind kind, u8 at, u8 code)
{
	if (record->n == OPS_MAX) {
		fprintf(stderr, "model: more than %u steps\n", OPS_MAX);
		exit(2);
	}
	record->v[record->n++] = (struct op){ (u8)kind, at, code };
}

#define gp_text_sync(...) add(OP_SYNC, 0, 0)

static void mmap_write_lock(struct mm_struct *mm)
{
	(void)mm;
	add(OP_LOCK, 0, 0);
}

static bool gp_patience_write_lock(struct mm_struct *mm)
{
	mmap_write_lock(mm);
	return true;
}

static void mmap_write_unlock(struct mm_struct *mm)
{
	(void)mm;
	add(OP_UNLOCK, 0, 0);
}

static bool gp_text_is(const struct mm_struct *mm, const struct inode *inode, u64 offset,
		       unsigned long at, u32 len)
{
	return mm && !inode && offset == at && len;
}

static bool gp_text_is_present(const struct mm_struct *mm, unsigned long at, u32 len)
{
	return mm && !at && len;
}

static int gp_text_open(struct gp_text *text, struct gp_text_pages *pages,
			const struct mm_struct *mm, unsigned long at, u32 len)
{
	text->at = (u8)at;
	return !pages || !mm || !len;
}

static void gp_text_close(struct gp_text_pages *pages)
{
	pages->n = 0;
}

/* Bytes that do not change are not in memory here. */
static bool gp_text_has(const struct gp_text *text, u32 from, const u8 *bytes, u32 n)
{
	for (u32 i = from; i < from + n && i < GP_DETOUR_JUMP; i++)
		if (memory[text->at + i] != bytes[i - from])
			return false;
	return true;
}

/* Bytes have the numbers of the codes that they are of, and 0xcc. */
static void gp_text_write(const struct gp_text *text, u32 from, const u8 *bytes, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		u8 at = (u8)(text->at + from + i), code = bytes[i];

		memory[at] = code;
		add(OP_WRITE, at, code == 0xcc ? GP_STEP_INT3 : code == CODE_ANOTHER ?
		    GP_STEP_JUMP : code);
	}
}

#pragma GCC diagnostic ignored "-Wunused-function"
#include "changes.inc"

/* --- records -------------------------------------------------------------------------------- */

static struct mm_struct mm;
static struct gp_jump_space space = { .mm = &mm };
static struct gp_jump jump;

static void prepare(enum phase phase, bool cold)
{
	u8 code = phase == DISARM ? GP_STEP_JUMP : GP_STEP_FILE;

	memset(&jump, 0, sizeof(jump));
	the_jump = &jump;
	jump.space = &space;
	jump.site.shape = shape;
	jump.site.branch_len = GP_DETOUR_JUMP;
	memset(jump.site.branch, GP_STEP_FILE, sizeof(jump.site.branch));
	memset(jump.branch_jump, GP_STEP_JUMP, sizeof(jump.branch_jump));
	if (shape == GP_DETOUR_SHORT) {
		jump.site.branch_len = 2;
		jump.site.cold_len = GP_DETOUR_JUMP;
		jump.site.cold_at = COLD;
		memset(jump.site.cold, GP_STEP_FILE, sizeof(jump.site.cold));
	}
	jump.state = phase == DISARM ? GP_JUMP_ARMED : GP_JUMP_TRAP;
	jump.cold = cold;
	memset(jump.cold_jump, GP_STEP_JUMP, sizeof(jump.cold_jump));
	memset(jump.cold_now, cold ? GP_STEP_JUMP : GP_STEP_FILE, sizeof(jump.cold_now));
	memset(memory, GP_STEP_FILE, sizeof(memory));
	memset(memory, code, writer_branch_bytes());
	memset(memory + COLD, cold ? GP_STEP_JUMP : GP_STEP_FILE, GP_DETOUR_JUMP);
	if (phase != DISARM)
		memory[0] = 0xcc;
}

bool module_steps(enum phase phase, bool changes_cold, bool another, struct ops *ops)
{
	struct gp_jump *j = &jump;
	unsigned int writes = 0;

	if (!space.batch)
		space.batch = gp_jump_batch_new(&mm);
	prepare(phase, phase == RESTORE || another || !changes_cold);
	if (another)
		memset(jump.cold_jump, CODE_ANOTHER, sizeof(jump.cold_jump));
	record = ops;
	ops->n = 0;
	if (phase == ARM)
		gp_jump_arm(&j, 1);
	else if (phase == DISARM)
		gp_jump_disarm(&j, 1);
	else
		gp_jump_restore(&j, 1, true);
	for (unsigned int i = 0; i < ops->n; i++)
		writes += ops->v[i].kind == OP_WRITE;
	return writes;
}
