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
 * way: gp_jump_quiet(). The same goes for the detours' memory.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "compat.h"
#include "gfp.h"
#include "jump/area.h"
#include "jump/detours.h"
#include "jump/jump.h"
#include "jump/notebook.h"
#include "jump/patience.h"
#include "jump/slots.h"
#include "jump/text.h"
#include "stats/tally.h"

/* So long a batch goes on taking jumps: then it changes them, and lets the program go on. */
#define GP_JUMP_TAKE_NS		(200 * NSEC_PER_USEC)

/* How often threads are looked at until all of them are elsewhere. */
#define GP_JUMP_QUIET_ROUNDS	200

static const u8 gp_int3 = 0xcc;

struct gp_jump_space *gp_jump_space_new(struct mm_struct *mm, struct pid *pid,
					atomic_long_t *taken)
{
	struct gp_jump_space *space = kzalloc(sizeof(*space), GP_GFP_CHARGED);

	if (!space)
		return NULL;
	mmgrab(mm);
	space->mm = mm;
	space->pid = pid;
	gp_spare_init(&space->spare, pid, taken, gp_area_per_cpu());
	INIT_LIST_HEAD(&space->areas);
	INIT_LIST_HEAD(&space->jumps);
	INIT_LIST_HEAD(&space->times);
	return space;
}

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
	       (!s->cold_len || gp_text_has(&c->cold, 0, c->j->cold ? c->j->cold_jump : s->cold,
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
 * @mm: the process
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

static struct gp_jump_batch *gp_jump_batch_new(struct mm_struct *mm)
{
	/* What has become a jump must become a breakpoint again: a few KiB. */
	struct gp_jump_batch *b = kzalloc(sizeof(*b), GFP_KERNEL | __GFP_NOFAIL);

	BUILD_BUG_ON(2 * GP_JUMP_BATCH > GP_TEXT_WINDOWS);
	b->mm = mm;
	return b;
}

/* Context: the lock of the mappings, for writing, from here to gp_jump_batch_end(). */
static void gp_jump_batch_take(struct gp_jump_batch *b, struct gp_jump **jumps, u32 n,
			       bool (*take)(struct gp_jump_change *c, struct gp_text_pages *pages,
					    struct gp_jump *j))
{
	u64 end = ktime_get_ns() + GP_JUMP_TAKE_NS;

	gp_text_sync();
	do {
		if (take(&b->c[b->n], &b->pages, jumps[b->done++]))
			b->n++;
	} while (b->done < n && b->done < GP_JUMP_BATCH && ktime_get_ns() < end);
}

/* Return: how many jumps have been looked at. */
static u32 gp_jump_batch_end(struct gp_jump_batch *b)
{
	u32 done = b->done;

	mmap_write_unlock(b->mm);
	gp_text_sync();
	gp_text_close(&b->pages);
	kfree(b);
	return done;
}

/* Change all jumps of a space that are @wanted; each change leaves none of its jumps so. */
static void gp_jump_each(struct gp_jump_space *space, bool (*wanted)(const struct gp_jump *j),
			 u32 (*change)(struct gp_jump **jumps, u32 n))
{
	struct gp_jump *some[GP_JUMP_BATCH];
	struct gp_jump *j;
	u32 n, done;

	do {
		n = 0;
		list_for_each_entry(j, &space->jumps, node)
			if (wanted(j) && n < GP_JUMP_BATCH)
				some[n++] = j;
		for (done = 0; done < n; )
			done += change(some + done, n - done);
		cond_resched();
	} while (n);
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
	gp_text_sync();
	for (i = 0; i < b->n; i++)
		if (b->c[i].changes_cold)
			gp_text_write(&b->c[i].cold, 1, 1 + (jump ? b->c[i].j->cold_jump :
				      b->c[i].j->site.cold), GP_DETOUR_JUMP - 1);
	gp_text_sync();
	for (i = 0; i < b->n; i++) {
		struct gp_jump *j = b->c[i].j;

		if (!b->c[i].changes_cold)
			continue;
		gp_text_write(&b->c[i].cold, 0, jump ? j->cold_jump : j->site.cold, 1);
		j->cold = jump;
	}
	gp_text_sync();
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
	/* A cold block that leads to the detour already stays. */
	c->changes_cold &= !j->cold;
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
	struct gp_jump_batch *b = gp_jump_batch_new(jumps[0]->space->mm);
	u32 i;

	if (!gp_patience_write_lock(b->mm)) {
		kfree(b);
		return 0;
	}
	gp_jump_batch_take(b, jumps, n, gp_jump_take_breakpoint);
	gp_jump_change_cold(b, true);
	gp_text_sync();
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
	struct gp_jump_batch *b = gp_jump_batch_new(jumps[0]->space->mm);
	u32 i;

	mmap_write_lock(b->mm);
	gp_jump_batch_take(b, jumps, n, gp_jump_take_jump);
	gp_text_sync();
	for (i = 0; i < b->n; i++)
		gp_jump_write_tail(&b->c[i], b->c[i].j->site.branch);
	return gp_jump_batch_end(b);
}

static bool gp_jump_is_armed(const struct gp_jump *j)
{
	return j->state == GP_JUMP_ARMED;
}

void gp_jump_disarm_all(struct gp_jump_space *space)
{
	gp_jump_each(space, gp_jump_is_armed, gp_jump_disarm);
}

static bool gp_jump_is_cold(const struct gp_jump *j)
{
	return j->cold;
}

static bool gp_jump_take_cold(struct gp_jump_change *c, struct gp_text_pages *pages,
			      struct gp_jump *j)
{
	j->cold = false;
	if (!gp_jump_open(c, pages, j, false, true)) {
		j->space->busy = true;
		return false;
	}
	if (gp_text_has(&c->cold, 0, j->cold_jump, GP_DETOUR_JUMP))
		return true;
	/* It is the file's again, or somebody has a breakpoint there. */
	j->space->busy |= !gp_text_has(&c->cold, 0, j->site.cold, GP_DETOUR_JUMP);
	return false;
}

/* Give cold blocks their instructions back. */
static u32 gp_jump_restore(struct gp_jump **jumps, u32 n)
{
	struct gp_jump_batch *b = gp_jump_batch_new(jumps[0]->space->mm);

	mmap_write_lock(b->mm);
	gp_jump_batch_take(b, jumps, n, gp_jump_take_cold);
	gp_jump_change_cold(b, false);
	return gp_jump_batch_end(b);
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
		if (gp_jump_is_armed(j) && gp_jump_is_lost(j)) {
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

/* --- the end ------------------------------------------------------------------------ */

/* May a thread with that instruction pointer be in a detour, or, if not @code, about to be? */
static bool gp_jump_is_near(const struct gp_jump_space *space, unsigned long ip, bool code)
{
	const struct gp_area *area;
	const struct gp_jump *j;

	if (code) {
		list_for_each_entry(area, &space->areas, node)
			if (gp_area_has(area, ip))
				return true;
		return false;
	}
	/* Or behind the breakpoint that it is for a moment, or that a debugger has there. */
	list_for_each_entry(j, &space->jumps, node)
		if (j->cold && ip - (j->at + j->site.cold_at) <= 1)
			return true;
	return false;
}

/* Bytes of what a signal handler returns to: mov $15,%eax; syscall */
#define GP_JUMP_RESTORER	16

/*
 * Is the thread in the kernel between two registers that a signal changes? To call a handler it
 * sets the instruction pointer first; to return from one, the stack pointer. A handler that runs on
 * the thread's own stack hides what it has interrupted: Go has all of them on the alternate stack.
 */
static bool gp_jump_in_signal(const struct task_struct *t, unsigned long ip)
{
	const struct k_sigaction *action = rcu_dereference(t->sighand)->action;
	u32 i;

	for (i = 0; i < _NSIG; i++) {
		unsigned long handler = (unsigned long)READ_ONCE(action[i].sa.sa_handler);

		if (handler == (unsigned long)SIG_DFL || handler == (unsigned long)SIG_IGN)
			continue;
		if (!(READ_ONCE(action[i].sa.sa_flags) & SA_ONSTACK) || ip == handler ||
		    ip - (unsigned long)READ_ONCE(action[i].sa.sa_restorer) < GP_JUMP_RESTORER)
			return true;
	}
	return false;
}

/*
 * May the thread reach a detour? Its registers are those that it had when it was last in user
 * space. What a signal has interrupted lies on the alternate stack, where Go has its handlers run.
 */
static bool gp_jump_thread_is_near(const struct gp_jump_space *space, struct task_struct *t,
				   bool code)
{
	const struct pt_regs *regs;
	unsigned long sp, ip;
	bool near = false;

	/* A kernel thread, as ours, may use the memory, but has no registers of user space. */
	if (READ_ONCE(t->mm) != space->mm || t->flags & PF_KTHREAD)
		return false;
	/* A thread that has its memory still has its stack, and its handlers. */
	task_lock(t);
	if (t->mm == space->mm) {
		regs = task_pt_regs(t);
		sp = READ_ONCE(regs->sp);
		/* In the order that gp_jump_in_signal() relies on. */
		smp_rmb();
		ip = READ_ONCE(regs->ip);
		near = sp - t->sas_ss_sp < t->sas_ss_size || gp_jump_in_signal(t, ip) ||
		       gp_jump_is_near(space, ip, code);
	}
	task_unlock(t);
	return near;
}

static bool gp_jump_any_is_near(const struct gp_jump_space *space, bool code)
{
	struct task_struct *leader, *t;
	const struct mm_struct *mm;
	bool near = false;

	/* What runs in user space has its registers saved once. */
	gp_text_sync();
	rcu_read_lock();
	for_each_process(leader) {
		/* All threads have the same, but those that have exited have none. */
		mm = READ_ONCE(leader->mm);
		if (mm && mm != space->mm)
			continue;
		for_each_thread(leader, t)
			near |= gp_jump_thread_is_near(space, t, code);
		if (near)
			break;
	}
	rcu_read_unlock();
	return near;
}

/*
 * Wait until no thread is on its way to a detour, or, if @code, in one: so it is twice in a row,
 * for registers are read while threads go on.
 */
static bool gp_jump_quiet(const struct gp_jump_space *space, bool code)
{
	u32 round, quiet = 0;

	for (round = 0; round < GP_JUMP_QUIET_ROUNDS; round++) {
		quiet = gp_jump_any_is_near(space, code) ? 0 : quiet + 1;
		if (quiet == 2)
			return true;
		if (!quiet)
			usleep_range(200, 1000);
	}
	return false;
}

/* Restore cold blocks, then unmap. What a thread may still use stays, and does no harm. */
static void gp_jump_clean(struct gp_jump_space *space)
{
	struct gp_area *area;

	if (list_empty(&space->areas))
		return;
	if (!gp_jump_quiet(space, false)) {
		space->busy = true;
		return;
	}
	gp_jump_each(space, gp_jump_is_cold, gp_jump_restore);
	/* Once to lose no hit, once to lose no thread: a hit shows as a thread at its branch. */
	if (space->busy || !gp_jump_quiet(space, true)) {
		space->busy = true;
		return;
	}
	gp_jump_remove_landings(space);
	if (!gp_jump_quiet(space, true)) {
		space->busy = true;
		return;
	}
	list_for_each_entry(area, &space->areas, node)
		gp_area_unmap(area);
	if (space->slots)
		gp_slots_unmap(space->slots);
}

static void gp_jump_free(struct gp_jump *j)
{
	if (j->counts && j->to[0])
		gp_remote_del(j->to[0], &j->hits);
	if (j->counts && j->to[1])
		gp_remote_del(j->to[1], &j->rejected);
	list_del(&j->peer);
	hash_del(&j->place);
	kfree(j);
}

static void gp_jump_times_free(struct gp_jump_times *times)
{
	gp_remote_del(&times->tally->remote->times, &times->counter);
	list_del(&times->node);
	kfree(times);
}

/**
 * gp_jump_space_close() - end all jumps of a space
 * @space: the space; it is freed
 * @tallies: of the session; they get the calls that are open in it
 * @alive: the process lives, and no jump is armed; else it has ended
 */
void gp_jump_space_close(struct gp_jump_space *space, struct gp_tallies *tallies, bool alive)
{
	struct gp_jump_times *times, *next_times;
	struct gp_area *area, *next_area;
	struct gp_jump *j, *next;

	if (alive)
		gp_jump_clean(space);
	gp_jump_remove_landings(space);
	list_for_each_entry_safe(j, next, &space->jumps, node)
		gp_jump_free(j);
	list_for_each_entry_safe(times, next_times, &space->times, node)
		gp_jump_times_free(times);
	if (space->notebook)
		gp_notebook_leave(space->notebook, alive && !space->busy);
	if (space->slots)
		gp_slots_free(space->slots, &space->spare, tallies, !alive);
	list_for_each_entry_safe(area, next_area, &space->areas, node)
		gp_area_free(area);
	mmdrop(space->mm);
	kfree(space);
}
