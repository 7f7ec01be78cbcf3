// SPDX-License-Identifier: GPL-2.0
/*
 * Breakpoints that become jumps, and jumps that become breakpoints, while the program runs.
 *
 * Processors must not see half of a change, so code is changed as the kernel changes its own
 * (text_poke_bp_batch()): first a breakpoint on the first byte, then the other bytes, then the
 * first byte. In between every processor forgets the code that it has read (gp_text_sync()).
 *
 * - The branch has the kernel's own breakpoint, whose consumer (probe.c) stays registered all the
 *   time: as long as the byte is a breakpoint its handler counts. What the kernel emulates under it
 *   is the branch of the file, whatever the other bytes are by now.
 * - The cold block has none. A breakpoint there lives as long as we hold the lock of the mappings:
 *   a thread that hits it waits for that lock in the kernel, finds that there is no breakpoint any
 *   more, and goes on (find_active_uprobe() and handle_swbp() in kernel/events/uprobes.c). They are
 *   asked at all because the process has a breakpoint of ours, at the branch.
 *
 * Order. The cold block is changed first and restored last: between an unconditional jump to it and
 * its own jump a thread must find the detour. So before it is restored no thread may be on its
 * way: threads.h. The detours stay: space.c.
 */
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gfp.h"
#include "jump/jump.h"
#include "jump/patience.h"
#include "jump/text.h"

/* So long a batch goes on taking jumps: then it changes them, and lets the program go on. */
#define GP_JUMP_TAKE_NS		(200 * NSEC_PER_USEC)

static const u8 gp_int3 = 0xcc;

bool gp_jump_covers(const struct gp_jump *j, u64 offset)
{
	return (offset > j->offset && offset < j->offset + j->site.branch_len) ||
	       (j->site.cold_len && offset - (j->offset + j->site.cold_at) < j->site.cold_len);
}

/* --- changing code ------------------------------------------------------------------ */

/**
 * struct gp_jump_change - a jump that is changed
 * @j: the jump
 * @branch: its branch
 * @cold: its cold block, if that is changed as well
 * @changes_cold: it is
 */
struct gp_jump_change {
	struct gp_jump *j;
	struct gp_text branch;
	struct gp_text cold;
	bool changes_cold;
};

/* Open what is changed. Context: the lock of the mappings. */
static bool gp_jump_open(struct gp_jump_change *c, struct gp_text_pages *pages, struct gp_jump *j,
			 bool branch, bool cold)
{
	const struct gp_detour_site *s = &j->site;
	unsigned long cold_at = j->at + s->cold_at;
	struct mm_struct *mm = j->space->mm;

	c->j = j;
	c->changes_cold = cold;
	return gp_text_is(mm, j->inode, j->offset, j->at, s->branch_len) &&
	       (!cold || gp_text_is(mm, j->inode, j->offset + s->cold_at, cold_at, s->cold_len)) &&
	       (!branch || !gp_text_open(&c->branch, pages, mm, j->at, s->branch_len)) &&
	       (!cold || !gp_text_open(&c->cold, pages, mm, cold_at, s->cold_len));
}

/* Is all as it is while the branch is a breakpoint? */
static bool gp_jump_can_arm(const struct gp_jump_change *c)
{
	const struct gp_detour_site *s = &c->j->site;

	return gp_text_has(&c->branch, 0, &gp_int3, 1) &&
	       gp_text_has(&c->branch, 1, s->branch + 1, s->branch_len - 1) &&
	       (!s->cold_len || gp_text_has(&c->cold, 0, c->j->cold_now,
					    c->j->cold ? GP_DETOUR_JUMP : s->cold_len));
}

/* Of what changes, with a breakpoint as its first byte, write the other bytes. */
static void gp_jump_write_tail(struct gp_jump_change *c, const u8 *code)
{
	static const u8 n[] = {
		[GP_DETOUR_LONG] = GP_DETOUR_JUMP,
		[GP_DETOUR_SHORT] = 1,
		[GP_DETOUR_EXIT] = GP_DETOUR_JUMP,
		[GP_DETOUR_EXIT_POP] = GP_DETOUR_JUMP - 1,
	};

	gp_text_write(&c->branch, 1, code + 1, n[c->j->site.shape] - 1);
}

/**
 * struct gp_jump_batch - some changes, from a list that may be longer
 * @mm: the process; each space has a batch of its own: to undo jumps must not need memory
 * @done: how many of the list have been looked at
 * @n: number of @c
 * @c: what is changed
 * @pages: where
 */
struct gp_jump_batch {
	struct mm_struct *mm;
	u32 done;
	u32 n;
	struct gp_jump_change c[GP_JUMP_BATCH];
	struct gp_text_pages pages;
};

struct gp_jump_batch *gp_jump_batch_new(struct mm_struct *mm)
{
	struct gp_jump_batch *b = kzalloc(sizeof(*b), GP_GFP_CHARGED);

	BUILD_BUG_ON(2 * GP_JUMP_BATCH > GP_TEXT_WINDOWS);
	if (b)
		b->mm = mm;
	return b;
}

void gp_jump_batch_free(struct gp_jump_batch *b)
{
	kfree(b);
}

/*
 * Begin the batch of the space of @jumps. Context: the lock of the mappings, for writing, from here
 * to gp_jump_batch_end().
 */
static struct gp_jump_batch *gp_jump_batch_take(struct gp_jump **jumps, u32 n,
						bool (*take)(struct gp_jump_change *c,
							     struct gp_text_pages *pages,
							     struct gp_jump *j))
{
	struct gp_jump_batch *b = jumps[0]->space->batch;
	u64 end = ktime_get_ns() + GP_JUMP_TAKE_NS;

	b->done = 0;
	b->n = 0;
	b->pages.n = 0;
	gp_text_sync(b->mm);
	do {
		if (take(&b->c[b->n], &b->pages, jumps[b->done++]))
			b->n++;
	} while (b->done < n && b->done < GP_JUMP_BATCH && ktime_get_ns() < end);
	return b;
}

/* Return: how many jumps have been looked at. */
static u32 gp_jump_batch_end(struct gp_jump_batch *b)
{
	mmap_write_unlock(b->mm);
	gp_text_sync(b->mm);
	gp_text_close(&b->pages);
	return b->done;
}

/*
 * Change the cold blocks of a batch; each is a breakpoint for a moment. @jump: to jumps, else back.
 */
static void gp_jump_change_cold(struct gp_jump_batch *b, bool jump)
{
	bool any = false;
	u32 i;

	for (i = 0; i < b->n; i++) {
		if (!b->c[i].changes_cold)
			continue;
		gp_text_write(&b->c[i].cold, 0, &gp_int3, 1);
		any = true;
	}
	if (!any)
		return;
	gp_text_sync(b->mm);
	for (i = 0; i < b->n; i++)
		if (b->c[i].changes_cold)
			gp_text_write(&b->c[i].cold, 1, 1 + (jump ? b->c[i].j->cold_jump :
				      b->c[i].j->site.cold), GP_DETOUR_JUMP - 1);
	gp_text_sync(b->mm);
	for (i = 0; i < b->n; i++) {
		struct gp_jump *j = b->c[i].j;

		if (!b->c[i].changes_cold)
			continue;
		gp_text_write(&b->c[i].cold, 0, jump ? j->cold_jump : j->site.cold, 1);
		memcpy(j->cold_now, jump ? j->cold_jump : j->site.cold, GP_DETOUR_JUMP);
		j->cold = jump;
	}
	gp_text_sync(b->mm);
}

static bool gp_jump_take_breakpoint(struct gp_jump_change *c, struct gp_text_pages *pages,
				    struct gp_jump *j)
{
	/* Its place is kept in case that code is absent: the next time it may be there. */
	if (gp_text_is(j->space->mm, j->inode, j->offset, j->at, j->site.branch_len) &&
	    !gp_text_is_present(j->space->mm, j->at, j->site.branch_len))
		return false;
	j->state = GP_JUMP_OVER;
	if (!gp_jump_open(c, pages, j, true, j->site.cold_len) || !gp_jump_can_arm(c))
		return false;
	/* A cold block that leads to the detour already stays. It may lead to an old one. */
	c->changes_cold &= !j->cold || memcmp(j->cold_now, j->cold_jump, GP_DETOUR_JUMP);
	gp_jump_write_tail(c, j->branch_jump);
	j->state = GP_JUMP_ARMED;
	return true;
}

/**
 * gp_jump_arm() - have breakpoints become jumps
 * @jumps: which, all of one process
 * @n: their number
 *
 * What is not as it should be, because somebody else has changed it, stays: GP_JUMP_OVER. What the
 * kernel would have to read from the file stays GP_JUMP_TRAP: its server might never answer.
 *
 * Return: how many have been dealt with; 0: the mappings are locked for long.
 */
u32 gp_jump_arm(struct gp_jump **jumps, u32 n)
{
	struct gp_jump_batch *b;
	u32 i;

	if (!gp_patience_write_lock(jumps[0]->space->mm))
		return 0;
	b = gp_jump_batch_take(jumps, n, gp_jump_take_breakpoint);
	gp_jump_change_cold(b, true);
	gp_text_sync(b->mm);
	for (i = 0; i < b->n; i++)
		gp_text_write(&b->c[i].branch, 0, b->c[i].j->branch_jump, 1);
	return gp_jump_batch_end(b);
}

/* Is the jump there, or somebody's breakpoint in its place? Else it is lost. */
static bool gp_jump_is_there(const struct gp_jump *j, const struct gp_text *branch)
{
	return gp_text_has(branch, 0, j->branch_jump, 1) || gp_text_has(branch, 0, &gp_int3, 1);
}

static bool gp_jump_take_jump(struct gp_jump_change *c, struct gp_text_pages *pages,
			      struct gp_jump *j)
{
	bool open = gp_jump_open(c, pages, j, true, false);

	if (open && gp_jump_is_there(j, &c->branch)) {
		gp_text_write(&c->branch, 0, &gp_int3, 1);
		j->state = GP_JUMP_TRAP;
		return true;
	}
	/* Unless it is the file's code, it may lead to the detour. */
	if (!open || !gp_text_has(&c->branch, 0, j->site.branch, 1))
		j->space->busy = true;
	j->state = GP_JUMP_OVER;
	j->lost = true;
	return false;
}

/**
 * gp_jump_disarm() - have jumps become breakpoints
 * @jumps: which, all of one process, and all armed
 * @n: their number
 *
 * Detours, and what leads there from cold blocks, stay. It waits for the lock of the mappings as
 * long as it takes, as the kernel does when it removes the breakpoint afterwards.
 *
 * Return: how many have been dealt with.
 */
u32 gp_jump_disarm(struct gp_jump **jumps, u32 n)
{
	struct gp_jump_batch *b;
	u32 i;

	mmap_write_lock(jumps[0]->space->mm);
	b = gp_jump_batch_take(jumps, n, gp_jump_take_jump);
	gp_text_sync(b->mm);
	for (i = 0; i < b->n; i++)
		gp_jump_write_tail(&b->c[i], b->c[i].j->site.branch);
	return gp_jump_batch_end(b);
}

void gp_jump_disarm_all(struct gp_jump_space *space)
{
	struct gp_jump *some[GP_JUMP_BATCH];
	struct gp_jump *j;
	u32 n, done;

	do {
		n = 0;
		list_for_each_entry(j, &space->jumps, node)
			if (j->state == GP_JUMP_ARMED && n < GP_JUMP_BATCH)
				some[n++] = j;
		for (done = 0; done < n; )
			done += gp_jump_disarm(some + done, n - done);
		cond_resched();
	} while (n);
}

static bool gp_jump_take_cold(struct gp_jump_change *c, struct gp_text_pages *pages,
			      struct gp_jump *j)
{
	if (!gp_jump_open(c, pages, j, false, true)) {
		/* The code may be elsewhere by now, and still lead to the detour. */
		j->space->busy = true;
		j->cold = false;
		return false;
	}
	if (gp_text_has(&c->cold, 0, j->cold_now, GP_DETOUR_JUMP))
		return true;
	/* It is the file's again, or somebody has a breakpoint there. */
	j->space->busy |= !gp_text_has(&c->cold, 0, j->site.cold, GP_DETOUR_JUMP);
	j->cold = false;
	return false;
}

/* Return: how many have been dealt with; 0: the mappings are locked for long. */
static u32 gp_jump_restore(struct gp_jump **jumps, u32 n, bool patient)
{
	struct mm_struct *mm = jumps[0]->space->mm;
	struct gp_jump_batch *b;

	if (patient)
		mmap_write_lock(mm);
	else if (!gp_patience_write_lock(mm))
		return 0;
	b = gp_jump_batch_take(jumps, n, gp_jump_take_cold);
	gp_jump_change_cold(b, false);
	return gp_jump_batch_end(b);
}

void gp_jump_restore_all(struct gp_jump_space *space, struct list_head *jumps, bool patient)
{
	struct gp_jump *some[GP_JUMP_BATCH];
	struct gp_jump *j;
	u32 n;

	do {
		n = 0;
		list_for_each_entry(j, jumps, node)
			if (j->cold && n < GP_JUMP_BATCH)
				some[n++] = j;
		/* Those that have been dealt with are not cold any more. */
		if (n && !gp_jump_restore(some, n, patient))
			return;
		cond_resched();
	} while (n);
}

/* --- what disappears ----------------------------------------------------------------- */

/* Is it the file's code again? Context: the lock of the mappings, for reading. */
static bool gp_jump_is_lost(const struct gp_jump *j)
{
	u8 byte;

	if (!gp_text_is(j->space->mm, j->inode, j->offset, j->at, j->site.branch_len))
		return true;
	/* Code that is absent is not executed: no hit is missing. */
	return gp_text_look(j->space->mm, j->at, &byte) && byte != j->branch_jump[0] &&
	       byte != gp_int3;
}

/**
 * gp_jump_find_lost() - find jumps that have disappeared
 * @space: the process
 *
 * A process that discards its pages of code (MADV_DONTNEED), or maps the file again, gets the
 * file's code. Its hits are missing from then on.
 *
 * Return: how many have been found; they are GP_JUMP_OVER.
 */
u32 gp_jump_find_lost(struct gp_jump_space *space)
{
	struct gp_jump *j;
	u32 n = 0, lost = 0;

	if (!gp_patience_read_lock(space->mm))
		return 0;
	list_for_each_entry(j, &space->jumps, node) {
		if (j->state == GP_JUMP_ARMED && gp_jump_is_lost(j)) {
			j->state = GP_JUMP_OVER;
			j->lost = true;
			lost++;
		}
		if (++n % GP_JUMP_BATCH)
			continue;
		mmap_read_unlock(space->mm);
		cond_resched();
		if (!gp_patience_read_lock(space->mm))
			return lost;
	}
	mmap_read_unlock(space->mm);
	return lost;
}
