// SPDX-License-Identifier: GPL-2.0
/*
 * Slow path of reading and writing the target's memory: absent pages.
 *
 * Context: the hitting task, preemption on, no locks held; may sleep. A task that sleeps here
 * delays the removal of breakpoints (and on 6.12 and later every Tasks-Trace grace period). So the
 * task waits only for pages that this machine provides: anonymous memory, memory file systems,
 * file systems on a block device. It does not wait for FUSE, the network or a userfaultfd.
 *
 * The task does not wait for the lock of the program's mappings either: the holder may itself wait
 * for FUSE. A process that reads the program's memory (/proc/PID/mem) holds the lock meanwhile,
 * and the program's next mmap() makes all others queue behind that. So the lock is only tried.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/stat.h>
#include <linux/userfaultfd_k.h>

#include "capture/faultin.h"
#include "compat.h"

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

/* Delay before the second attempt to lock; it doubles each time: 100 ms in all. */
#define GP_FAULTIN_SLEEP_US	100
#define GP_FAULTIN_SLEEPS	10

/*
 * The last memory whose lock could not be taken in that time, never dereferenced, and the time
 * until which no thread sleeps for it again: a hit can need absent pages for each of its probes.
 */
static const struct mm_struct *gp_faultin_locked;
static unsigned long gp_faultin_locked_until;

#define GP_FAULTIN_LOCKED_MS	1000

static bool gp_faultin_file_is_local(const struct file *file)
{
	const struct super_block *sb = file_inode(file)->i_sb;

	if (!S_ISREG(file_inode(file)->i_mode))
		return false;	/* a device's driver may wait for anything */
	switch (sb->s_magic) {
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
		return true;
	case FUSE_SUPER_MAGIC:
		return false;	/* fuseblk has FS_REQUIRES_DEV */
	}
	return sb->s_type->fs_flags & FS_REQUIRES_DEV;
}

/* Whether the task may wait for a page of that mapping: GOPROBE_CHUNK_OK, or the reason. */
static u16 gp_faultin_check(struct vm_area_struct *vma, unsigned long address, bool write)
{
	if (!vma || address < vma->vm_start || !(gp_compat_vm_flags(vma) & VM_READ))
		return GOPROBE_CHUNK_FAULT;
	if (write && !(gp_compat_vm_flags(vma) & VM_WRITE))
		return GOPROBE_CHUNK_FAULT;
	if ((gp_compat_vm_flags(vma) & (VM_IO | VM_PFNMAP)) || userfaultfd_armed(vma))
		return GOPROBE_CHUNK_REMOTE;
	if (vma->vm_file && !vma_is_anonymous(vma) &&
	    !gp_faultin_file_is_local(vma->vm_file))
		return GOPROBE_CHUNK_REMOTE;
	return GOPROBE_CHUNK_OK;
}

static bool gp_faultin_was_locked(const struct mm_struct *mm)
{
	return READ_ONCE(gp_faultin_locked) == mm &&
	       time_before(jiffies, READ_ONCE(gp_faultin_locked_until));
}

/* Lock the mappings for reading. Return: GOPROBE_CHUNK_OK, or why they could not be locked. */
static u16 gp_faultin_lock(struct gp_faultin *f, struct mm_struct *mm)
{
	unsigned long us;

	while (!mmap_read_trylock(mm)) {
		if (fatal_signal_pending(current))
			return GOPROBE_CHUNK_REMOTE;
		if (f->sleeps >= GP_FAULTIN_SLEEPS || gp_faultin_was_locked(mm))
			return GOPROBE_CHUNK_LOCKED;
		us = GP_FAULTIN_SLEEP_US << f->sleeps++;
		usleep_range(us, us + us / 4);
		if (f->sleeps < GP_FAULTIN_SLEEPS)
			continue;
		WRITE_ONCE(gp_faultin_locked_until,
			   jiffies + msecs_to_jiffies(GP_FAULTIN_LOCKED_MS));
		WRITE_ONCE(gp_faultin_locked, mm);
	}
	return GOPROBE_CHUNK_OK;
}

/*
 * Bring the page in as a fault of the task would. The task must wait only for a mapping that has
 * been checked. So it checks again whenever the lock was released.
 */
static u16 gp_faultin_page(struct gp_faultin *f, bool write)
{
	unsigned int flags = FAULT_FLAG_ALLOW_RETRY | FAULT_FLAG_KILLABLE |
			     (write ? FAULT_FLAG_WRITE : 0);
	struct mm_struct *mm = current->mm;
	unsigned long address = f->address;
	struct vm_area_struct *vma;
	vm_fault_t fault;
	u16 status;

	for (;;) {
		status = gp_faultin_lock(f, mm);
		if (status != GOPROBE_CHUNK_OK)
			return status;
		vma = find_vma(mm, address);
		status = gp_faultin_check(vma, address, write);
		if (status != GOPROBE_CHUNK_OK)
			break;
		fault = handle_mm_fault(vma, address, flags, NULL);
		if (fault & GP_FAULT_COMPLETED)
			return GOPROBE_CHUNK_OK;	/* the lock is released */
		if (!(fault & VM_FAULT_RETRY)) {
			if (fault & VM_FAULT_ERROR)
				status = GOPROBE_CHUNK_FAULT;
			break;
		}
		/* The lock is released. */
		if (fatal_signal_pending(current))
			return GOPROBE_CHUNK_REMOTE;
		flags |= FAULT_FLAG_TRIED;
	}
	mmap_read_unlock(mm);
	return status;
}

/* GOPROBE_CHUNK_OK: the page of an absent byte should be brought in; else why it is unreadable. */
static u16 gp_faultin_verdict(const struct gp_faultin *f, unsigned long address)
{
	u32 i;

	for (i = 0; i < f->nrefused; i++)
		if (f->refused[i].page == address >> PAGE_SHIFT)
			return f->refused[i].status;
	if (f->tries >= GP_FAULTIN_TRIES || f->nrefused >= GP_FAULTIN_REFUSED)
		return GOPROBE_CHUNK_FAULT;
	return GOPROBE_CHUNK_OK;
}

/**
 * gp_faultin_ask() - ask for the page of a byte that could not be read
 * @f: the hit's state
 * @address: the byte
 *
 * Return: -EAGAIN if gp_faultin_serve() should bring the page in, else why it is unreadable
 * (enum goprobe_chunk_status).
 */
int gp_faultin_ask(struct gp_faultin *f, unsigned long address)
{
	u16 verdict = gp_faultin_verdict(f, address);

	if (verdict != GOPROBE_CHUNK_OK)
		return verdict;
	f->address = address;
	return -EAGAIN;
}

static void gp_faultin_bring(struct gp_faultin *f, bool write)
{
	u16 status = gp_faultin_page(f, write);

	f->tries++;
	if (status == GOPROBE_CHUNK_OK)
		return;
	f->refused[f->nrefused].page = f->address >> PAGE_SHIFT;
	f->refused[f->nrefused].status = status;
	f->nrefused++;
}

/**
 * gp_faultin_serve() - bring in the page with f->address, or note why not
 * @f: the hit's state
 */
void gp_faultin_serve(struct gp_faultin *f)
{
	gp_faultin_bring(f, false);
}

/**
 * gp_faultin_serve_write() - bring in the page with f->address for writing, or note why not
 * @f: the hit's state for writes only: a page that is refused for writing may be readable
 */
void gp_faultin_serve_write(struct gp_faultin *f)
{
	gp_faultin_bring(f, true);
}
