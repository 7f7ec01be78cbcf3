// SPDX-License-Identifier: GPL-2.0
/*
 * The slow path of reading the target's memory, and of writing it.
 *
 * Context: the hitting task, preemption on, no locks held; may sleep. A task
 * that sleeps here holds up the removal of breakpoints (and on 6.12 and later
 * every Tasks-Trace grace period), so a page is only waited for if it comes from
 * this machine: anonymous memory, memory file systems, file systems on a block
 * device. Not from FUSE, not from the network, not from a userfaultfd.
 */
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/stat.h>
#include <linux/userfaultfd_k.h>

#include "compat.h"
#include "faultin.h"

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

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

/* May a page of that mapping be waited for? */
static u16 gp_faultin_check(struct vm_area_struct *vma, unsigned long address, bool write)
{
	if (!vma || address < vma->vm_start || !(vma->vm_flags & VM_READ))
		return GOPROBE_CHUNK_FAULT;
	if (write && !(vma->vm_flags & VM_WRITE))
		return GOPROBE_CHUNK_FAULT;
	if ((vma->vm_flags & (VM_IO | VM_PFNMAP)) || userfaultfd_armed(vma))
		return GOPROBE_CHUNK_REMOTE;
	if (vma->vm_file && !vma_is_anonymous(vma) &&
	    !gp_faultin_file_is_local(vma->vm_file))
		return GOPROBE_CHUNK_REMOTE;
	return GOPROBE_CHUNK_OK;
}

/*
 * Bring the page in as a fault of the task would. The mapping that has been checked
 * is the one that is waited for: whenever the lock has been dropped, it is
 * checked anew.
 */
static u16 gp_faultin_page(unsigned long address, bool write)
{
	unsigned int flags = FAULT_FLAG_ALLOW_RETRY | FAULT_FLAG_KILLABLE |
			     (write ? FAULT_FLAG_WRITE : 0);
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	vm_fault_t fault;
	u16 status;

	for (;;) {
		if (mmap_read_lock_killable(mm))
			return GOPROBE_CHUNK_REMOTE;
		vma = find_vma(mm, address);
		status = gp_faultin_check(vma, address, write);
		if (status != GOPROBE_CHUNK_OK)
			break;
		fault = handle_mm_fault(vma, address, flags, NULL);
		if (fault & GP_FAULT_COMPLETED)
			return GOPROBE_CHUNK_OK;	/* without the lock */
		if (!(fault & VM_FAULT_RETRY)) {
			if (fault & VM_FAULT_ERROR)
				status = GOPROBE_CHUNK_FAULT;
			break;
		}
		/* The lock has been dropped. */
		if (fatal_signal_pending(current))
			return GOPROBE_CHUNK_REMOTE;
		flags |= FAULT_FLAG_TRIED;
	}
	mmap_read_unlock(mm);
	return status;
}

/**
 * gp_faultin_verdict() - what to make of a byte that could not be read
 * @f: the hit's state
 * @address: the byte
 *
 * Return: GOPROBE_CHUNK_OK if gp_faultin_serve() should be asked for it, else
 * why it can't be had.
 */
u16 gp_faultin_verdict(const struct gp_faultin *f, unsigned long address)
{
	u32 i;

	for (i = 0; i < f->nrefused; i++)
		if (f->refused[i].page == address >> PAGE_SHIFT)
			return f->refused[i].status;
	if (f->tries >= GP_FAULTIN_TRIES || f->nrefused >= GP_FAULTIN_REFUSED)
		return GOPROBE_CHUNK_FAULT;
	return GOPROBE_CHUNK_OK;
}

static void gp_faultin_bring(struct gp_faultin *f, bool write)
{
	u16 status = gp_faultin_page(f->address, write);

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
 * gp_faultin_serve_write() - likewise, to be written
 * @f: the hit's state, of writes only: what is refused them may well be read
 */
void gp_faultin_serve_write(struct gp_faultin *f)
{
	gp_faultin_bring(f, true);
}
