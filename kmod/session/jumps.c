// SPDX-License-Identifier: GPL-2.0
/*
 * Points that become jumps: in which processes of a session's file, and back.
 *
 * A point is a jump only while one probe has it, so each session counts its own hits; and only
 * if no other point lies in the code that changes.
 *
 * Locking: all that is said of jumps is guarded by the lock of their inode.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

#include "jump/jump.h"
#include "jump/notebook.h"
#include "jump/patience.h"
#include "jump/slots.h"
#include "jump/text.h"
#include "session/file.h"
#include "session/jumps.h"
#include "session/point.h"
#include "session/probe.h"
#include "session/session.h"

#define GP_JUMPS_INT3	0xcc

static u64 gp_jumps_key(u64 offset)
{
	return offset >> PAGE_SHIFT;
}

bool gp_jumps_cover(const struct gp_inode *inode, u64 offset)
{
	const struct gp_jump *j;
	u64 from = offset - GP_DETOUR_BRANCH;
	u64 key;

	/* What a long branch has on the next page is in the table by its first byte. */
	for (key = gp_jumps_key(from); key <= gp_jumps_key(offset); key++)
		hash_for_each_possible(inode->jumps, j, place, key)
			if (gp_jump_covers(j, offset))
				return true;
	return gp_jump_stale_covers(inode->inode, offset);
}

/* Is a breakpoint in the code that would change? */
static bool gp_jumps_disturbed(struct gp_inode *inode, const struct gp_probe *probe)
{
	const struct gp_detour_site *site = &probe->jump->site;
	u32 i;

	for (i = 1; i < site->branch_len; i++)
		if (gp_point_find(inode, probe->offset + i))
			return true;
	for (i = 0; i < site->cold_len; i++)
		if (gp_point_find(inode, probe->offset + site->cold_at + i))
			return true;
	return false;
}

static bool gp_jumps_may(struct gp_inode *inode, const struct gp_probe *probe)
{
	return gp_point_is_alone(probe) && !gp_jumps_disturbed(inode, probe);
}

/* --- code of others -------------------------------------------------------------------- */

/* Is there a jump of ours at that place of the process? */
static bool gp_jumps_has(const struct gp_inode *inode, const struct mm_struct *mm, u64 offset)
{
	const struct gp_jump *j;

	hash_for_each_possible(inode->jumps, j, place, gp_jumps_key(offset))
		if (j->offset == offset && j->space->mm == mm)
			return true;
	return false;
}

static bool gp_jumps_is_foreign(const struct gp_inode *inode, struct mm_struct *mm, u64 offset,
				u8 first)
{
	unsigned long at;
	bool foreign = false;
	u8 byte;

	/* To place the breakpoint the kernel waits for the lock as long as it takes. */
	if (!gp_patience_read_lock(mm))
		return false;
	at = gp_text_find(mm, inode->inode, offset);
	if (at && gp_text_look(mm, at, &byte))
		foreign = byte != first && byte != GP_JUMPS_INT3;
	mmap_read_unlock(mm);
	return foreign;
}

bool gp_jumps_find_foreign(const struct gp_inode *inode, const struct gp_probe *probe,
			   const u8 *code, u32 len)
{
	const struct gp_session *s = probe->session;
	struct task_struct *t;
	struct mm_struct *mm;
	bool foreign = false;
	u32 i;

	/* A kernel may make a call of another tool's breakpoint on a NOP. */
	if (len >= 2 && code[0] == 0x0f && code[1] == 0x1f)
		return false;
	for (i = 0; i < s->npids && !foreign; i++) {
		t = get_pid_task(s->pids[i], PIDTYPE_TGID);
		mm = t ? get_task_mm(t) : NULL;
		if (mm && !gp_jumps_has(inode, mm, probe->offset))
			foreign = gp_jumps_is_foreign(inode, mm, probe->offset, code[0]);
		if (mm)
			mmput_async(mm);
		if (t)
			put_task_struct(t);
	}
	return foreign;
}

/* --- spaces ------------------------------------------------------------------------- */

static struct gp_jump_space *gp_jumps_space(struct gp_file *f, struct mm_struct *mm,
					    struct pid *pid, const struct gp_probe *probe)
{
	struct gp_jump_space *space;
	bool mapped;

	list_for_each_entry(space, &f->spaces, node)
		if (space->mm == mm)
			return space;
	if (!gp_patience_read_lock(mm))
		return NULL;
	mapped = gp_text_find(mm, f->inode->inode, probe->offset);
	mmap_read_unlock(mm);
	if (!mapped)
		return NULL;
	space = gp_jump_space_get(mm, pid, f->inode->inode, &probe->session->trapless.taken);
	if (space)
		list_add(&space->node, &f->spaces);
	return space;
}

/* Return: how many jumps turn out to have disappeared. */
static u32 gp_jumps_close(struct gp_jump_space *space, struct gp_tallies *tallies)
{
	struct mm_struct *mm = space->alive ? space->mm : NULL;
	const struct gp_jump *j;
	u32 lost = 0;

	list_del(&space->node);
	if (mm)
		list_for_each_entry(j, &space->jumps, node)
			lost += j->lost && !j->reported;
	gp_jump_space_close(space, tallies);
	/* The last user tears the memory down, which may take long. */
	if (mm)
		mmput_async(mm);
	return lost;
}

/* Disarm all jumps of a file; its spaces that are alive are added to @alive. */
static void gp_jumps_disarm_file(struct gp_file *f, struct list_head *alive)
{
	struct gp_jump_space *space;

	mutex_lock(&f->inode->lock);
	list_for_each_entry(space, &f->spaces, node) {
		space->alive = mmget_not_zero(space->mm);
		if (!space->alive)
			continue;
		gp_jump_disarm_all(space);
		list_add(&space->look, alive);
	}
	mutex_unlock(&f->inode->lock);
}

u32 gp_jumps_close_all(struct gp_session *s)
{
	struct gp_jump_space *space, *next;
	LIST_HEAD(alive);
	u32 i, lost = 0;

	/* Spaces are made in the session's turn only. */
	for (i = 0; i < s->objects.nfiles; i++)
		if (!list_empty(&s->objects.files[i]->spaces))
			gp_jumps_disarm_file(s->objects.files[i], &alive);
	/* Sessions of the same files do not wait meanwhile. */
	gp_jump_spaces_leave(&alive);
	for (i = 0; i < s->objects.nfiles; i++) {
		struct gp_file *f = s->objects.files[i];

		if (list_empty(&f->spaces))
			continue;
		mutex_lock(&f->inode->lock);
		list_for_each_entry_safe(space, next, &f->spaces, node)
			lost += gp_jumps_close(space, &s->tallies);
		mutex_unlock(&f->inode->lock);
	}
	return lost;
}

void gp_jumps_count_open(struct gp_session *s)
{
	const struct gp_slots *slots;
	u32 i;

	if (!s->trapless.wanted)
		return;
	gp_tallies_forget_slots(&s->tallies);
	rcu_read_lock();
	for (i = 0; i < s->objects.nfiles; i++)
		list_for_each_entry_rcu(slots, &s->objects.files[i]->slots, node)
			gp_slots_count(slots, &s->tallies);
	rcu_read_unlock();
}

/* Place a breakpoint where a jump has disappeared. */
static u32 gp_jumps_renew(struct gp_file *f, struct gp_jump_space *space)
{
	struct gp_point *point;
	struct gp_jump *j;
	u32 lost = 0;

	list_for_each_entry(j, &space->jumps, node) {
		if (!j->lost || j->reported)
			continue;
		j->reported = true;
		lost++;
		point = gp_point_find(f->inode, j->offset);
		if (!point)
			continue;
		/* The kernel places it in all processes, also where there is a jump. */
		gp_jumps_disarm(point);
		gp_point_renew(point);
	}
	/* A sweep registers again what handlers have stopped using. */
	if (lost)
		gp_compat_unregister_sync();
	return lost;
}

u32 gp_jumps_look_after(struct gp_file *f, struct gp_tallies *tallies)
{
	struct gp_jump_space *space, *next;
	u32 lost = 0;

	if (list_empty(&f->spaces) || !mutex_trylock(&f->inode->lock))
		return 0;
	list_for_each_entry_safe(space, next, &f->spaces, node) {
		if (!mmget_not_zero(space->mm)) {
			space->alive = false;
			gp_jumps_close(space, tallies);
			continue;
		}
		gp_jump_find_lost(space);
		mmput_async(space->mm);
		lost += gp_jumps_renew(f, space);
	}
	mutex_unlock(&f->inode->lock);
	return lost;
}

/* --- points --------------------------------------------------------------------------- */

void gp_jumps_disarm(struct gp_point *point)
{
	struct gp_jump_plan *plan = gp_point_jump(point);
	struct gp_jump *j;

	if (!plan)
		return;
	list_for_each_entry(j, &plan->jumps, peer) {
		if (j->state != GP_JUMP_ARMED || !mmget_not_zero(j->space->mm))
			continue;
		gp_jump_disarm(&j, 1);
		mmput_async(j->space->mm);
	}
}

static struct gp_jump *gp_jumps_in(const struct gp_jump_plan *plan,
				   const struct gp_jump_space *space)
{
	struct gp_jump *j;

	list_for_each_entry(j, &plan->jumps, peer)
		if (j->space == space)
			return j;
	return NULL;
}

/* The probe's jump in that process, if it is a breakpoint that can become one; or NULL. */
static struct gp_jump *gp_jumps_prepare(struct gp_file *f, struct gp_jump_space *space,
					struct gp_probe *probe)
{
	struct gp_jump *j = gp_jumps_in(probe->jump, space);
	const struct gp_notebook *book = probe->jump->notebook;

	if (book && (space->no_notes || !gp_notebook_suits(book, space->mm)))
		return NULL;
	if (j || space->full ||
	    (space->no_pop && probe->jump->site.shape == GP_DETOUR_EXIT_POP))
		return j && j->state == GP_JUMP_TRAP ? j : NULL;
	j = gp_jump_new(probe->jump, space, f->inode->inode, probe, probe->offset);
	if (IS_ERR(j)) {
		if (PTR_ERR(j) == -ENOENT || PTR_ERR(j) == -EINTR)
			return NULL;
		/* These have places of their own; there can be none although there is memory. */
		if (probe->jump->site.shape == GP_DETOUR_EXIT_POP)
			space->no_pop = true;
		else if (book && PTR_ERR(j) == -ERANGE)
			space->no_notes = true;
		else
			space->full = true;
		return NULL;
	}
	hash_add(f->inode->jumps, &j->place, gp_jumps_key(probe->offset));
	return j;
}

/* Why do hits of the probe take a trap? */
static enum goprobe_trap gp_jumps_trap(struct gp_inode *inode, const struct gp_probe *probe)
{
	enum goprobe_trap trap = GOPROBE_TRAP_MEMORY;
	const struct gp_jump *j;

	list_for_each_entry(j, &probe->jump->jumps, peer) {
		if (j->state == GP_JUMP_ARMED)
			return GOPROBE_TRAP_NONE;
		trap = j->state == GP_JUMP_OVER ? GOPROBE_TRAP_CHANGED : GOPROBE_TRAP_RARE;
	}
	return gp_jumps_may(inode, probe) ? trap : GOPROBE_TRAP_SHARED;
}

/* Return: how many have become jumps. */
static u32 gp_jumps_advance_some(struct gp_file *f, struct mm_struct *mm, struct pid *pid,
				 struct gp_probe **probes, u32 n)
{
	struct gp_jump_space *space = gp_jumps_space(f, mm, pid, probes[0]);
	struct gp_jump *jumps[GP_JUMP_BATCH];
	u32 njumps = 0, i, done;
	struct gp_jump *j;

	if (!space)
		return 0;
	kthread_use_mm(mm);
	for (i = 0; i < n; i++) {
		j = gp_jumps_may(f->inode, probes[i]) ?
		    gp_jumps_prepare(f, space, probes[i]) : NULL;
		if (j)
			jumps[njumps++] = j;
	}
	kthread_unuse_mm(mm);
	for (done = 0; done < njumps; done += i) {
		i = gp_jump_arm(jumps + done, njumps - done);
		if (!i)
			break;
	}
	for (i = 0; i < n; i++)
		WRITE_ONCE(probes[i]->trap, gp_jumps_trap(f->inode, probes[i]));
	/* Those were none before. */
	for (i = 0, done = 0; i < njumps; i++)
		done += jumps[i]->state == GP_JUMP_ARMED;
	return done;
}

bool gp_jumps_advance(struct gp_file *f, struct mm_struct *mm, struct pid *pid,
		      struct gp_probe **probes, u32 n, u64 end)
{
	u32 i, some, done = 0;

	for (i = 0; i < n && ktime_get_ns() < end; i += some) {
		some = min_t(u32, n - i, GP_JUMP_BATCH);
		/* Others may wait for handlers there for long. */
		if (!mutex_trylock(&f->inode->lock))
			break;
		done += gp_jumps_advance_some(f, mm, pid, probes + i, some);
		mutex_unlock(&f->inode->lock);
		cond_resched();
	}
	return done;
}
