// SPDX-License-Identifier: GPL-2.0
/*
 * Changing a few bytes of a program's code while its threads run. The lock of its mappings, held
 * for writing, keeps out others that change code: uprobes, fork(), munmap(). Since 6.4 page faults,
 * and since 7.x MADV_DONTNEED, need only the lock of one mapping: if the program discards the page
 * meanwhile, the change is lost with the page. gp_jump_find_lost() finds that.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <asm/sync_core.h>

#include "arch/arch.h"
#include "compat.h"
#include "jump/text.h"

/*
 * A debugger that holds a thread may have a breakpoint where the kernel has one, and would write
 * back the first byte of what was there before in front of the others of a jump.
 */
enum goprobe_trap gp_text_refuses(const struct task_struct *leader, bool ticks)
{
	enum goprobe_trap trap = GOPROBE_TRAP_NONE;
	const struct task_struct *t;

	rcu_read_lock();
	for_each_thread(leader, t) {
		if (READ_ONCE(t->ptrace))
			trap = GOPROBE_TRAP_DEBUGGED;
		else if (trap == GOPROBE_TRAP_NONE && gp_arch_has_shadow_stack(t))
			trap = GOPROBE_TRAP_SHADOW_STACK;
		else if (trap == GOPROBE_TRAP_NONE && ticks && gp_arch_has_no_ticks(t))
			trap = GOPROBE_TRAP_CLOCK;
	}
	rcu_read_unlock();
	return trap;
}

static bool gp_text_is_code(const struct vm_area_struct *vma, const struct inode *inode)
{
	const vm_flags_t asked = VM_EXEC | VM_WRITE | VM_MAYSHARE | VM_HUGETLB;

	return vma->vm_file && file_inode(vma->vm_file) == inode &&
	       (gp_compat_vm_flags(vma) & asked) == VM_EXEC;
}

unsigned long gp_text_find(struct mm_struct *mm, const struct inode *inode, u64 offset)
{
	struct vm_area_struct *vma;
	unsigned long at = 0;
	u64 begin;

	while ((vma = find_vma(mm, at))) {
		begin = (u64)gp_compat_start_pgoff(vma) << PAGE_SHIFT;
		if (gp_text_is_code(vma, inode) && offset >= begin &&
		    offset - begin < vma->vm_end - vma->vm_start)
			return vma->vm_start + (offset - begin);
		at = vma->vm_end;
	}
	return 0;
}

bool gp_text_is(struct mm_struct *mm, const struct inode *inode, u64 offset, unsigned long at,
		u32 len)
{
	struct vm_area_struct *vma = find_vma(mm, at);

	return vma && vma->vm_start <= at && at + len <= vma->vm_end &&
	       gp_text_is_code(vma, inode) &&
	       at - vma->vm_start + ((u64)gp_compat_start_pgoff(vma) << PAGE_SHIFT) == offset;
}

bool gp_text_look(struct mm_struct *mm, unsigned long at, u8 *byte)
{
	struct page *page;

	if (gp_compat_look_page(mm, at, &page) != 1)
		return false;
	*byte = READ_ONCE(*((u8 *)page_address(page) + offset_in_page(at)));
	put_page(page);
	return true;
}

bool gp_text_is_present(struct mm_struct *mm, unsigned long at, u32 len)
{
	u8 byte;

	return gp_text_look(mm, at, &byte) && gp_text_look(mm, at + len - 1, &byte);
}

static struct page *gp_text_page(struct gp_text_pages *pages, struct mm_struct *mm,
				 unsigned long at)
{
	u32 i;

	for (i = 0; i < pages->n; i++)
		if (pages->at[i] == at)
			return pages->page[i];
	if (i == ARRAY_SIZE(pages->page) || gp_compat_get_page(mm, at, &pages->page[i]) != 1)
		return NULL;
	pages->at[i] = at;
	pages->n++;
	return pages->page[i];
}

int gp_text_open(struct gp_text *text, struct gp_text_pages *pages, struct mm_struct *mm,
		 unsigned long at, u32 len)
{
	unsigned long begin = at & PAGE_MASK;
	struct page *page;
	u32 i;

	text->first = min_t(u32, len, PAGE_SIZE - offset_in_page(at));
	for (i = 0; i < 1 + (text->first < len); i++) {
		page = gp_text_page(pages, mm, begin + i * PAGE_SIZE);
		if (!page)
			return -EFAULT;
		text->bytes[i] = (u8 *)page_address(page) + (i ? 0 : offset_in_page(at));
	}
	return 0;
}

void gp_text_close(struct gp_text_pages *pages)
{
	u32 i;

	for (i = 0; i < pages->n; i++) {
		set_page_dirty_lock(pages->page[i]);
		put_page(pages->page[i]);
	}
}

static u8 *gp_text_byte(const struct gp_text *text, u32 i)
{
	return i < text->first ? text->bytes[0] + i : text->bytes[1] + (i - text->first);
}

/* Are these the @n bytes from @from on? */
bool gp_text_has(const struct gp_text *text, u32 from, const u8 *bytes, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (READ_ONCE(*gp_text_byte(text, from + i)) != bytes[i])
			return false;
	return true;
}

/* One byte after the other; all is seen in order. */
void gp_text_write(struct gp_text *text, u32 from, const u8 *bytes, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		WRITE_ONCE(*gp_text_byte(text, from + i), bytes[i]);
}

static void gp_text_sync_cpu(void *unused)
{
	sync_core();
}

/*
 * A processor that runs the process, or has done so last and still has its page tables, is in the
 * mask (switch_mm_irqs_off()). Another one that begins to run it sets its bit, with a barrier, and
 * then writes CR3, which serializes: it reads the code that was written before the mask was read.
 * The kernel relies on the same write for membarrier()
 * (Documentation/features/sched/membarrier-sync-core/arch-support.txt). Return by SYSRET does not
 * serialize, so a processor that has the page tables gets an interrupt, also when it is idle.
 */
void gp_text_sync(struct mm_struct *mm)
{
	/* The code has been written before the mask is read. */
	smp_mb();
	on_each_cpu_mask(mm_cpumask(mm), gp_text_sync_cpu, NULL, 1);
}
