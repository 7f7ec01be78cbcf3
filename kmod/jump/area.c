// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a traced process that holds detours and their counters.
 *
 * The pages are the process's own and charged to its control group: the code's when it is written,
 * with the process's memory in use; those of numbers and slots when they are pinned, which brings
 * them in. Before, it has been asked whether the process can spare them (spare.c), and no such
 * charge fails or calls the OOM killer: memalloc_noreclaim_save().
 *
 * A process can replace each of these mappings at any time. So it is looked at, under the lock of
 * the mappings, before it is read, written or pinned.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/rbtree.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <asm/cpufeature.h>

#include "arch/detour.h"
#include "compat.h"
#include "gfp.h"
#include "jump/area.h"
#include "jump/patience.h"
#include "jump/spare.h"

#define GP_AREA_ALIGN		16

/* What each stripe has. It is mapped for itself: huge pages would not be pinned in part. */
#define GP_AREA_NUMBERS		(GP_AREA_ROWS * PAGE_SIZE)

/* Where no CPU has its own a counter has a cache line to itself. */
#define GP_AREA_LINE		64

/*
 * The first place that is tried is so far behind the function, beyond what a C library asks for
 * behind the program (brk()), and all are within 2 GB of every function. Areas lie abreast: each
 * has its numbers in the others' gaps, and notes lie beside them. If something else lies there,
 * the next row is tried.
 */
#define GP_AREA_AWAY		SZ_512M
#define GP_AREA_STEP		(GP_AREA_CODE + GP_AREA_NUMBERS)
#define GP_AREA_ABREAST		16
#define GP_AREA_ROW		SZ_32M
#define GP_AREA_NOTE_STEP	SZ_8M
#define GP_AREA_SLOT_STEP	SZ_1M
#define GP_AREA_TRIES		64
#define GP_AREA_REACH		SZ_1G

/*
 * Where a jump leads to whose last byte is the POP of the epilogue: 16 MiB from here on. The first
 * place that is tried suits epilogues 8 MiB before @near and behind.
 */
#define GP_AREA_POP_AWAY	((unsigned long)GP_DETOUR_POP << 24)
#define GP_AREA_POP_SPAN	SZ_16M

bool gp_area_per_cpu(void)
{
	/* A detour gets 12 bits of the CPU's number. */
	return boot_cpu_has(X86_FEATURE_RDPID) && nr_cpu_ids <= 4096;
}

/* Map @file, or anonymous memory, exactly at @at. */
static int gp_area_map(struct file *file, unsigned long at, unsigned long bytes,
		       unsigned long prot)
{
	struct gp_patience patience;
	unsigned long got;

	gp_patience_begin(&patience);
	got = vm_mmap(file, at, bytes, prot, MAP_PRIVATE | MAP_FIXED_NOREPLACE |
		      (file ? 0 : MAP_ANONYMOUS | MAP_NORESERVE), 0);
	gp_patience_end(&patience);
	return IS_ERR_VALUE(got) ? (int)got : 0;
}

/*
 * Undo the mappings of @n stripes, which nothing has used, as far as their lock can be taken in a
 * bounded time: who waits for it holds up all hits of the process. What stays is never used.
 */
static void gp_area_leave(unsigned long at, unsigned long bytes, u8 cpu_shift, u32 n)
{
	struct gp_patience patience;

	gp_patience_begin(&patience);
	while (n--)
		vm_munmap(at + n * gp_spare_stride(cpu_shift), bytes);
	gp_patience_end(&patience);
}

/* Map @bytes for each stripe, or nothing. */
static int gp_area_map_copies(unsigned long at, unsigned long bytes, u8 cpu_shift)
{
	u32 n = gp_spare_stripes(cpu_shift), i;
	int err;

	for (i = 0; i < n; i++) {
		err = gp_area_map(NULL, at + i * gp_spare_stride(cpu_shift), bytes,
				  PROT_READ | PROT_WRITE);
		if (err) {
			gp_area_leave(at, bytes, cpu_shift, i);
			return err;
		}
	}
	return 0;
}

static int gp_area_place(struct gp_area *area, unsigned long at, bool numbers)
{
	int err = gp_area_map(area->file, at, GP_AREA_CODE, PROT_READ | PROT_EXEC);

	if (!err && numbers) {
		err = gp_area_map_copies(at + GP_AREA_CODE, GP_AREA_NUMBERS, area->cpu_shift);
		if (err)
			gp_area_leave(at, GP_AREA_CODE, 0, 1);
	}
	if (err)
		return err;
	area->code = at;
	if (numbers)
		area->numbers = at + GP_AREA_CODE;
	return 0;
}

static unsigned long gp_area_candidate(unsigned long near, bool pop, u32 try)
{
	if (pop)
		return ALIGN(near + GP_AREA_POP_AWAY + GP_AREA_POP_SPAN / 2 + try * GP_AREA_CODE,
			     PAGE_SIZE);
	return ALIGN(near + GP_AREA_AWAY, PMD_SIZE) + try % GP_AREA_ABREAST * GP_AREA_STEP +
	       try / GP_AREA_ABREAST * GP_AREA_ROW;
}

static int gp_area_find_place(struct gp_area *area, unsigned long near, bool pop)
{
	int err = -EEXIST;
	u32 i;

	for (i = 0; i < GP_AREA_TRIES && err == -EEXIST; i++)
		err = gp_area_place(area, gp_area_candidate(near, pop, i), !pop);
	return err;
}

/* May that be mapped, and its code be written? */
static int gp_area_afford(struct gp_area *area, bool pop)
{
	u32 stripes = pop ? 0 : gp_spare_stripes(area->cpu_shift);
	int err = gp_spare_maps(area->spare, GP_AREA_CODE + stripes * GP_AREA_NUMBERS, stripes + 1);

	return err ?: gp_spare_take(area->spare, GP_AREA_CODE / PAGE_SIZE);
}

struct gp_area *gp_area_new(struct gp_spare *spare, unsigned long near, bool pop)
{
	struct gp_area *area = kvzalloc(sizeof(*area), GP_GFP_CHARGED);
	int err;

	if (!area)
		return ERR_PTR(-ENOMEM);
	area->mm = current->mm;
	area->spare = spare;
	area->cpu_shift = spare->cpu_shift;
	err = gp_area_afford(area, pop);
	if (err)
		goto err_free;
	area->file = gp_compat_memory_file("goprobe", GP_AREA_CODE);
	err = PTR_ERR_OR_ZERO(area->file);
	if (err)
		goto err_give_back;
	err = gp_area_find_place(area, near, pop);
	if (!err) {
		spare->mapped += GP_AREA_CODE / PAGE_SIZE;
		if (!pop)
			spare->mapped += gp_spare_stripes(area->cpu_shift) * GP_AREA_ROWS;
		return area;
	}
	fput(area->file);
err_give_back:
	gp_spare_give_back(spare, GP_AREA_CODE / PAGE_SIZE);
err_free:
	kvfree(area);
	return ERR_PTR(err);
}

bool gp_area_fits(const struct gp_area *area, unsigned long near, bool pop)
{
	unsigned long at = area->code + area->used;

	if (area->used + GP_DETOUR_MAX > GP_AREA_LANDING || area->ndetours == GP_AREA_DETOURS ||
	    pop != !area->numbers)
		return false;
	if (pop)
		return at - (near + GP_DETOUR_JUMP) - GP_AREA_POP_AWAY < GP_AREA_POP_SPAN;
	return area->nbytes + PAGE_SIZE <= GP_AREA_NUMBERS &&
	       max(near, at) - min(near, at) < GP_AREA_REACH;
}

/* Is all of that private memory without a file? Context: the lock of the mappings. */
static bool gp_area_is_private(unsigned long at, unsigned long bytes)
{
	unsigned long end = at + bytes;
	struct vm_area_struct *vma;

	for (; at < end; at = vma->vm_end) {
		vma = find_vma(current->mm, at);
		if (!vma || vma->vm_start > at || !vma_is_anonymous(vma) ||
		    gp_compat_vm_flags(vma) & (VM_SHARED | VM_LOCKED))
			return false;
	}
	return true;
}

/*
 * Pin @n pages, which have been taken of what the process can spare. The program may have mapped
 * something else there: files of others are not pinned, nor written, for it.
 */
static int gp_area_pin(unsigned long at, u32 n, struct page **pages)
{
	struct mm_struct *mm = current->mm;
	unsigned int flags;
	long got = -EBUSY;

	if (!gp_patience_read_lock(mm))
		return -EINTR;
	if (gp_area_is_private(at, n * PAGE_SIZE)) {
		/* The charge exceeds the limit by some pages rather than have something killed. */
		flags = memalloc_noreclaim_save();
		got = gp_compat_pin_pages(mm, at, n, pages);
		memalloc_noreclaim_restore(flags);
	}
	mmap_read_unlock(mm);
	if (got == n) {
		atomic64_add(n, &mm->pinned_vm);
		return 0;
	}
	if (got > 0)
		unpin_user_pages(pages, got);
	return got < 0 ? got : -ENOMEM;
}

static void gp_area_unpin(struct mm_struct *mm, struct page **pages, u32 n)
{
	atomic64_sub(n, &mm->pinned_vm);
	unpin_user_pages_dirty_lock(pages, n, true);
}

/* Pin @npages of each stripe, and take them, or none. Return: 0 or an error. */
static int gp_area_pin_copies(struct gp_spare *spare, unsigned long at, u32 npages,
			      struct page **pages)
{
	u32 n = gp_spare_stripes(spare->cpu_shift), i;
	int err = gp_spare_take(spare, n * npages);

	if (err)
		return err;
	for (i = 0; i < n; i++) {
		err = gp_area_pin(at + i * gp_spare_stride(spare->cpu_shift), npages,
				  pages + i * npages);
		if (err) {
			gp_area_unpin(current->mm, pages, i * npages);
			gp_spare_give_back(spare, n * npages);
			return err;
		}
	}
	return 0;
}

static int gp_area_pin_row(struct gp_area *area, u32 row)
{
	struct page **pages = kvcalloc(gp_spare_stripes(area->cpu_shift), sizeof(*pages),
				       GP_GFP_CHARGED);
	int err;

	if (!pages)
		return -ENOMEM;
	err = gp_area_pin_copies(area->spare, area->numbers + row * PAGE_SIZE, 1, pages);
	if (err) {
		kvfree(pages);
		return err;
	}
	area->row[row] = pages;
	return 0;
}

int gp_area_take_again(struct gp_area *area, unsigned long at, struct gp_remote_counter *counter)
{
	u32 offset = at - area->numbers, row = offset / PAGE_SIZE;
	int err = area->row[row] ? 0 : gp_area_pin_row(area, row);

	if (err)
		return err;
	counter->pages = area->row[row];
	counter->npages = gp_spare_stripes(area->cpu_shift);
	counter->offset = offset_in_page(offset);
	return 0;
}

int gp_area_take(struct gp_area *area, u32 bytes, struct gp_remote_counter *counter,
		 unsigned long *at)
{
	u32 offset = ALIGN(area->nbytes, bytes);
	int err;

	if (offset >= GP_AREA_NUMBERS)
		return -ENOSPC;
	*at = area->numbers + offset;
	err = gp_area_take_again(area, *at, counter);
	if (!err)
		area->nbytes = offset + bytes;
	return err;
}

int gp_area_take_counter(struct gp_area *area, struct gp_remote_counter *counter,
			 unsigned long *at)
{
	return gp_area_take(area, area->cpu_shift ? sizeof(u64) : GP_AREA_LINE, counter, at);
}

/*
 * Map and pin @npages for each stripe: at @at or, if that is not free, @step bytes further, and so
 * on. Return: the address, or an error: IS_ERR_VALUE().
 */
static unsigned long gp_area_memory(struct gp_spare *spare, unsigned long at, long step,
				    u32 npages, struct page **pages)
{
	u32 stripes = gp_spare_stripes(spare->cpu_shift), try;
	unsigned long bytes = npages * PAGE_SIZE;
	int err = gp_spare_maps(spare, stripes * bytes, stripes);

	if (err)
		return err;
	for (try = 0; ; try++, at += step) {
		err = gp_area_map_copies(at, bytes, spare->cpu_shift);
		if (err != -EEXIST || try == GP_AREA_TRIES)
			break;
	}
	if (err)
		return err;
	err = gp_area_pin_copies(spare, at, npages, pages);
	if (!err) {
		spare->mapped += stripes * npages;
		return at;
	}
	gp_area_leave(at, bytes, spare->cpu_shift, stripes);
	return err;
}

unsigned long gp_area_slots_new(struct gp_spare *spare, unsigned long near, unsigned long kept,
				struct page **pages)
{
	struct gp_spare whole = *spare;
	unsigned long at;

	/* What gp_detour_emit() computes with, and what is pinned. */
	BUILD_BUG_ON(sizeof(struct gp_detour_slot) != 32);
	BUILD_BUG_ON(sizeof(struct gp_detour_times) != 1024);
	BUILD_BUG_ON(GP_DETOUR_SLOTS * sizeof(struct gp_detour_slot) !=
		     GP_AREA_SLOT_PAGES * PAGE_SIZE);
	/* All CPUs have the same. */
	whole.cpu_shift = 0;
	if (kept && !gp_area_pin_copies(&whole, kept, GP_AREA_SLOT_PAGES, pages)) {
		spare->mine = whole.mine;
		return kept;
	}
	/* Before the areas. */
	at = gp_area_memory(&whole, ALIGN(near + GP_AREA_AWAY, PMD_SIZE) - GP_AREA_SLOT_STEP,
			    -(long)GP_AREA_SLOT_STEP, GP_AREA_SLOT_PAGES, pages);
	spare->mine = whole.mine;
	spare->mapped = whole.mapped;
	return at;
}

void gp_area_slots_free(struct gp_spare *spare, struct mm_struct *mm, struct page **pages)
{
	gp_area_unpin(mm, pages, GP_AREA_SLOT_PAGES);
	gp_spare_give_back(spare, GP_AREA_SLOT_PAGES);
}

unsigned long gp_area_notes_new(struct gp_spare *spare, unsigned long near, unsigned long kept,
				struct page **pages)
{
	BUILD_BUG_ON(GP_AREA_ABREAST * GP_AREA_STEP > GP_AREA_NOTE_STEP);
	BUILD_BUG_ON(GP_AREA_ROW % GP_AREA_NOTE_STEP);
	if (kept && !gp_area_pin_copies(spare, kept, GP_AREA_NOTE_PAGES, pages))
		return kept;
	/* Beside the areas that are abreast. */
	return gp_area_memory(spare, ALIGN(near + GP_AREA_AWAY, PMD_SIZE) +
			      GP_AREA_ABREAST * GP_AREA_STEP, GP_AREA_NOTE_STEP,
			      GP_AREA_NOTE_PAGES, pages);
}

void gp_area_notes_free(atomic_long_t *session, struct mm_struct *mm, struct page **pages,
			u8 cpu_shift)
{
	u32 n = gp_spare_stripes(cpu_shift) * GP_AREA_NOTE_PAGES;

	gp_area_unpin(mm, pages, n);
	atomic_long_sub(n, session);
}

/* Is all of that the area's code still? Context: the lock of the mappings. */
static bool gp_area_is_code(const struct gp_area *area, unsigned long at, u32 len)
{
	const struct vm_area_struct *vma = find_vma(current->mm, at);

	return vma && vma->vm_start <= at && at + len <= vma->vm_end && vma->vm_file == area->file;
}

/* Does the process see @code at @at? Context: the lock of the mappings. */
static bool gp_area_has_code(struct mm_struct *mm, unsigned long at, const u8 *code, u32 len)
{
	struct page *page;
	bool same = true;
	u32 n;

	for (; len && same; at += n, code += n, len -= n) {
		n = min_t(u32, len, PAGE_SIZE - offset_in_page(at));
		if (gp_compat_read_page(mm, at, &page) != 1)
			return false;
		same = !memcmp((u8 *)page_address(page) + offset_in_page(at), code, n);
		put_page(page);
	}
	return same;
}

int gp_area_shows(const struct gp_area *area, unsigned long at, const u8 *code, u32 len)
{
	struct mm_struct *mm = current->mm;
	bool shows;

	if (!gp_patience_read_lock(mm))
		return -EINTR;
	shows = gp_area_is_code(area, at, len) && gp_area_has_code(mm, at, code, len);
	mmap_read_unlock(mm);
	return shows;
}

/*
 * The process sees it when it returns, unless a debugger's breakpoint has given it a page of its
 * own there, or it has mapped something else: -EBUSY.
 */
static int gp_area_write_at(struct gp_area *area, loff_t pos, const u8 *code, u32 len)
{
	unsigned long at = area->code + pos;
	unsigned int flags = memalloc_noreclaim_save();
	ssize_t n = kernel_write(area->file, code, len, &pos);
	int shows;

	memalloc_noreclaim_restore(flags);
	if (n != len)
		return n < 0 ? n : -EIO;
	shows = gp_area_shows(area, at, code, len);
	return shows > 0 ? 0 : shows ?: -EBUSY;
}

/* Behind what is written already. */
int gp_area_write(struct gp_area *area, const u8 *code, u32 len)
{
	int err = gp_area_write_at(area, area->used, code, len);

	if (!err)
		area->used = ALIGN(area->used + len, GP_AREA_ALIGN);
	return err;
}

/*
 * A breakpoint gives the process a page of its own, where nothing appears that is written later. So
 * the landing has its page to itself.
 */
int gp_area_write_landing(struct gp_area *area)
{
	u8 code[GP_DETOUR_LANDING];

	gp_detour_emit_landing(code);
	if (WARN_ON_ONCE(!gp_detour_check_landing(code)))
		return -EINVAL;
	return gp_area_write_at(area, GP_AREA_LANDING, code, sizeof(code));
}

bool gp_area_has(const struct gp_area *area, unsigned long ip)
{
	return ip - area->code < GP_AREA_CODE;
}

bool gp_area_has_numbers(const struct gp_area *area, unsigned long at)
{
	return area->numbers && at - area->numbers < GP_AREA_NUMBERS;
}

bool gp_area_is_there(const struct gp_area *area)
{
	struct vm_area_struct *vma = find_vma((struct mm_struct *)area->mm, area->code);

	return vma && vma->vm_file == area->file && vma->vm_start == area->code &&
	       !gp_compat_start_pgoff(vma) &&
	       vma->vm_end - vma->vm_start == GP_AREA_CODE && gp_compat_vm_flags(vma) & VM_EXEC;
}

/* A second mapping of the file is most likely a child's that was forked with jumps. */
bool gp_area_is_shared(const struct gp_area *area)
{
	struct address_space *mapping = area->file->f_mapping;
	struct rb_node *first;
	bool shared;

	i_mmap_lock_read(mapping);
	first = rb_first(&mapping->i_mmap.rb_root);
	shared = first && rb_next(first);
	i_mmap_unlock_read(mapping);
	return shared;
}

bool gp_area_is_half_full(const struct gp_area *area)
{
	return area->used > GP_AREA_CODE / 2 || area->nbytes > GP_AREA_NUMBERS / 2 ||
	       area->ndetours > GP_AREA_DETOURS / 2;
}

void gp_area_empty(struct gp_area *area)
{
	area->used = 0;
	area->nbytes = 0;
	area->ndetours = 0;
}

void gp_area_take_over(struct gp_area *area)
{
	gp_spare_take_again(area->spare, GP_AREA_CODE / PAGE_SIZE);
}

void gp_area_unpin_all(struct gp_area *area)
{
	u32 stripes = gp_spare_stripes(area->cpu_shift), i;

	for (i = 0; i < area->ndetours; i++)
		WRITE_ONCE(area->detour[i].jump, NULL);
	for (i = 0; i < GP_AREA_ROWS; i++) {
		if (!area->row[i])
			continue;
		gp_area_unpin((struct mm_struct *)area->mm, area->row[i], stripes);
		gp_spare_give_back(area->spare, stripes);
		kvfree(area->row[i]);
		area->row[i] = NULL;
	}
	gp_spare_give_back(area->spare, GP_AREA_CODE / PAGE_SIZE);
}

void gp_area_free(struct gp_area *area)
{
	fput(area->file);
	kvfree(area);
}
