// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a traced process that holds detours and their counters.
 *
 * The pages are the process's own and charged to its control group: the code's when it is written,
 * with the process's memory in use; those of numbers and slots when they are pinned, which brings
 * them in.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/shmem_fs.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <asm/cpufeature.h>

#include "arch/detour.h"
#include "compat.h"
#include "gfp.h"
#include "jump/area.h"
#include "jump/patience.h"

#define GP_AREA_ALIGN		16

/* What each CPU has. It is mapped for itself: huge pages would not be pinned in part. */
#define GP_AREA_NUMBERS		(GP_AREA_ROWS * PAGE_SIZE)
#define GP_AREA_STRIDE		BIT(GP_DETOUR_CPU_SHIFT)

/* Where no CPU has its own a counter has a cache line to itself. */
#define GP_AREA_LINE		64

/*
 * The first place that is tried is so far behind the function, beyond what a C library asks for
 * behind the program (brk()), and all are within 2 GB of every function. As many areas as fit into
 * a stride lie side by side: each has its numbers in the others' gaps.
 */
#define GP_AREA_AWAY		SZ_512M
#define GP_AREA_STEP		(GP_AREA_CODE + GP_AREA_NUMBERS)
#define GP_AREA_ABREAST		(GP_AREA_STRIDE / GP_AREA_STEP)
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

u32 gp_area_ncpus(void)
{
	return gp_area_per_cpu() ? nr_cpu_ids : 1;
}

/* Map @file, or anonymous memory, exactly at @at. */
static int gp_area_map(struct file *file, unsigned long at, unsigned long bytes,
		       unsigned long prot)
{
	struct gp_patience patience;
	unsigned long got;

	gp_patience_begin(&patience);
	got = vm_mmap(file, at, bytes, prot, MAP_PRIVATE | MAP_FIXED_NOREPLACE |
		      (file ? 0 : MAP_ANONYMOUS), 0);
	gp_patience_end(&patience);
	return IS_ERR_VALUE(got) ? (int)got : 0;
}

/* Unmap what @n CPUs have. */
static void gp_area_unmap_copies(unsigned long at, unsigned long bytes, u32 n)
{
	while (n--)
		vm_munmap(at + n * GP_AREA_STRIDE, bytes);
}

/*
 * Undo the mappings of @n CPUs, as far as their lock can be taken in a bounded time: who waits for
 * it holds up all hits of the process. What stays is never used.
 */
static void gp_area_leave(unsigned long at, unsigned long bytes, u32 n)
{
	struct gp_patience patience;

	gp_patience_begin(&patience);
	gp_area_unmap_copies(at, bytes, n);
	gp_patience_end(&patience);
}

/* Map @bytes for each of @n CPUs, or nothing. */
static int gp_area_map_copies(unsigned long at, unsigned long bytes, u32 n)
{
	u32 i;
	int err;

	for (i = 0; i < n; i++) {
		err = gp_area_map(NULL, at + i * GP_AREA_STRIDE, bytes, PROT_READ | PROT_WRITE);
		if (err) {
			gp_area_leave(at, bytes, i);
			return err;
		}
	}
	return 0;
}

static int gp_area_place(struct gp_area *area, unsigned long at, bool numbers)
{
	int err = gp_area_map(area->file, at, GP_AREA_CODE, PROT_READ | PROT_EXEC);

	if (!err && numbers) {
		err = gp_area_map_copies(at + GP_AREA_CODE, GP_AREA_NUMBERS, gp_area_ncpus());
		if (err)
			gp_area_leave(at, GP_AREA_CODE, 1);
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
	       try / GP_AREA_ABREAST * gp_area_ncpus() * GP_AREA_STRIDE;
}

static int gp_area_find_place(struct gp_area *area, unsigned long near, bool pop)
{
	int err = -EEXIST;
	u32 i;

	for (i = 0; i < GP_AREA_TRIES && err == -EEXIST; i++)
		err = gp_area_place(area, gp_area_candidate(near, pop, i), !pop);
	return err;
}

struct gp_area *gp_area_new(unsigned long near, bool pop)
{
	struct gp_area *area = kzalloc(sizeof(*area), GP_GFP_CHARGED);
	int err;

	if (!area)
		return ERR_PTR(-ENOMEM);
	area->mm = current->mm;
	area->file = gp_compat_memory_file("goprobe", GP_AREA_CODE);
	if (IS_ERR(area->file)) {
		err = PTR_ERR(area->file);
		goto err;
	}
	err = gp_area_find_place(area, near, pop);
	if (!err)
		return area;
	fput(area->file);
err:
	kfree(area);
	return ERR_PTR(err);
}

bool gp_area_fits(const struct gp_area *area, unsigned long near, bool pop)
{
	unsigned long at = area->code + area->used;

	if (area->used + GP_DETOUR_MAX > GP_AREA_LANDING || area->njumps == GP_AREA_JUMPS ||
	    pop != !area->numbers)
		return false;
	if (pop)
		return at - (near + GP_DETOUR_JUMP) - GP_AREA_POP_AWAY < GP_AREA_POP_SPAN;
	return area->nbytes + PAGE_SIZE <= GP_AREA_NUMBERS &&
	       max(near, at) - min(near, at) < GP_AREA_REACH;
}

/* Pin @n pages. Return: 0 or an error. */
static int gp_area_pin(unsigned long at, u32 n, struct page **pages)
{
	struct mm_struct *mm = current->mm;
	long got;

	if (!gp_patience_read_lock(mm))
		return -EINTR;
	got = gp_compat_pin_pages(mm, at, n, pages);
	mmap_read_unlock(mm);
	if (got == n) {
		atomic64_add(n, &mm->pinned_vm);
		return 0;
	}
	if (got > 0)
		unpin_user_pages(pages, got);
	return got < 0 ? got : -ENOMEM;
}

void gp_area_unpin(struct mm_struct *mm, struct page **pages, u32 n)
{
	atomic64_sub(n, &mm->pinned_vm);
	unpin_user_pages_dirty_lock(pages, n, true);
}

static void gp_area_unpin_row(struct page **row, u32 n)
{
	unpin_user_pages_dirty_lock(row, n, true);
	kvfree(row);
}

static int gp_area_pin_row(struct gp_area *area, u32 row)
{
	u32 ncpus = gp_area_ncpus(), i;
	struct page **pages = kvcalloc(ncpus, sizeof(*pages), GP_GFP_CHARGED);
	int err;

	if (!pages)
		return -ENOMEM;
	for (i = 0; i < ncpus; i++) {
		err = gp_area_pin(area->numbers + i * GP_AREA_STRIDE + row * PAGE_SIZE, 1,
				  &pages[i]);
		if (err) {
			atomic64_sub(i, &current->mm->pinned_vm);
			gp_area_unpin_row(pages, i);
			return err;
		}
	}
	area->row[row] = pages;
	area->npinned += ncpus;
	return 0;
}

int gp_area_take(struct gp_area *area, u32 bytes, struct gp_remote_counter *counter,
		 unsigned long *at)
{
	u32 offset = ALIGN(area->nbytes, bytes), row = offset / PAGE_SIZE;
	int err = 0;

	if (offset >= GP_AREA_NUMBERS)
		return -ENOSPC;
	if (!area->row[row])
		err = gp_area_pin_row(area, row);
	if (err)
		return err;
	area->nbytes = offset + bytes;
	counter->pages = area->row[row];
	counter->npages = gp_area_ncpus();
	counter->offset = offset_in_page(offset);
	*at = area->numbers + offset;
	return 0;
}

int gp_area_take_counter(struct gp_area *area, struct gp_remote_counter *counter,
			 unsigned long *at)
{
	return gp_area_take(area, gp_area_per_cpu() ? sizeof(u64) : GP_AREA_LINE, counter, at);
}

/* Pin @npages of each of @n CPUs. Return: 0 or an error. */
static int gp_area_pin_copies(unsigned long at, u32 npages, u32 n, struct page **pages)
{
	u32 i;
	int err;

	for (i = 0; i < n; i++) {
		err = gp_area_pin(at + i * GP_AREA_STRIDE, npages, pages + i * npages);
		if (err) {
			gp_area_unpin(current->mm, pages, i * npages);
			return err;
		}
	}
	return 0;
}

/*
 * Map and pin @npages for each of @n CPUs: at @at or, if that is not free, @step bytes further,
 * and so on. Return: the address, or an error: IS_ERR_VALUE().
 */
static unsigned long gp_area_memory(unsigned long at, long step, u32 npages, u32 n,
				    struct page **pages)
{
	unsigned long bytes = npages * PAGE_SIZE;
	u32 try;
	int err;

	for (try = 0; ; try++, at += step) {
		err = gp_area_map_copies(at, bytes, n);
		if (err != -EEXIST || try == GP_AREA_TRIES)
			break;
	}
	if (err)
		return err;
	err = gp_area_pin_copies(at, npages, n, pages);
	if (!err)
		return at;
	gp_area_leave(at, bytes, n);
	return err;
}

unsigned long gp_area_slots_new(unsigned long near, struct page **pages)
{
	/* What gp_detour_emit() computes with, and what is pinned. */
	BUILD_BUG_ON(sizeof(struct gp_detour_slot) != 32);
	BUILD_BUG_ON(sizeof(struct gp_detour_times) != 2048);
	BUILD_BUG_ON(GP_DETOUR_SLOTS * sizeof(struct gp_detour_slot) !=
		     GP_AREA_SLOT_PAGES * PAGE_SIZE);
	/* Before the areas. */
	return gp_area_memory(ALIGN(near + GP_AREA_AWAY, PMD_SIZE) - GP_AREA_STRIDE,
			      -(long)GP_AREA_STRIDE, GP_AREA_SLOT_PAGES, 1, pages);
}

unsigned long gp_area_notes_new(unsigned long near, struct page **pages)
{
	BUILD_BUG_ON(GP_AREA_ABREAST * GP_AREA_STEP + GP_AREA_NOTE_PAGES * PAGE_SIZE >
		     GP_AREA_STRIDE);
	/* Beside the areas that are abreast. */
	return gp_area_memory(ALIGN(near + GP_AREA_AWAY, PMD_SIZE) +
			      GP_AREA_ABREAST * GP_AREA_STEP,
			      gp_area_ncpus() * GP_AREA_STRIDE, GP_AREA_NOTE_PAGES,
			      gp_area_ncpus(), pages);
}

void gp_area_notes_unmap(unsigned long at)
{
	gp_area_unmap_copies(at, GP_AREA_NOTE_PAGES * PAGE_SIZE, gp_area_ncpus());
}

/* Does the process see @code at @at? */
static bool gp_area_shows(unsigned long at, const u8 *code, u32 len)
{
	struct mm_struct *mm = current->mm;
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

/*
 * The process sees it when it returns, unless a debugger's breakpoint has given it a page of its
 * own there: -EBUSY.
 */
static int gp_area_write_at(struct gp_area *area, loff_t pos, const u8 *code, u32 len)
{
	unsigned long at = area->code + pos;
	ssize_t n = kernel_write(area->file, code, len, &pos);
	int err = 0;

	if (n != len)
		return n < 0 ? n : -EIO;
	if (!gp_patience_read_lock(current->mm))
		return -EINTR;
	if (!gp_area_shows(at, code, len))
		err = -EBUSY;
	mmap_read_unlock(current->mm);
	return err;
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

void gp_area_unmap(struct gp_area *area)
{
	vm_munmap(area->code, GP_AREA_CODE);
	if (area->numbers)
		gp_area_unmap_copies(area->numbers, GP_AREA_NUMBERS, gp_area_ncpus());
}

void gp_area_free(struct gp_area *area)
{
	u32 i;

	for (i = 0; i < GP_AREA_ROWS; i++)
		if (area->row[i])
			gp_area_unpin_row(area->row[i], gp_area_ncpus());
	fput(area->file);
	kfree(area);
}
