// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a traced process that holds detours and their counters.
 *
 * The pages are the process's own and charged to its control group: the code's when it is written,
 * with the process's memory in use; the counters' when they are pinned, which brings them in.
 */
#include <linux/atomic.h>
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

#define GP_AREA_CODE		SZ_64K
/* The last page of the code has landings. */
#define GP_AREA_LANDINGS	(GP_AREA_CODE - PAGE_SIZE)
#define GP_AREA_LANDING		16
#define GP_AREA_COUNTERS	512
#define GP_AREA_ALIGN		16

/* Where no CPU has its own a counter has a cache line to itself. */
#define GP_AREA_LINE		64

/*
 * The first place that is tried is so far behind the function, beyond what a C library asks for
 * behind the program (brk()), and all are within 2 GB of every function.
 */
#define GP_AREA_AWAY		SZ_512M
#define GP_AREA_STEP		SZ_4M
#define GP_AREA_TRIES		64
#define GP_AREA_REACH		SZ_1G

bool gp_area_per_cpu(void)
{
	/* A detour gets 12 bits of the CPU's number. */
	return boot_cpu_has(X86_FEATURE_RDPID) && nr_cpu_ids <= 4096;
}

static u32 gp_area_npages(void)
{
	BUILD_BUG_ON(GP_AREA_COUNTERS * sizeof(u64) != PAGE_SIZE);
	return gp_area_per_cpu() ? nr_cpu_ids : GP_AREA_COUNTERS * GP_AREA_LINE / PAGE_SIZE;
}

static unsigned long gp_area_bytes(const struct gp_area *area)
{
	return GP_AREA_CODE + ((unsigned long)area->npages << PAGE_SHIFT);
}

/* Map @file, or anonymous memory, exactly at @at. */
static int gp_area_map(struct file *file, unsigned long at, unsigned long bytes,
		       unsigned long prot)
{
	unsigned long got = vm_mmap(file, at, bytes, prot, MAP_PRIVATE | MAP_FIXED_NOREPLACE |
				    (file ? 0 : MAP_ANONYMOUS), 0);

	return IS_ERR_VALUE(got) ? (int)got : 0;
}

static int gp_area_place(struct gp_area *area, unsigned long at)
{
	unsigned long counters = at + GP_AREA_CODE;
	struct gp_patience patience;
	int err;

	/* Only the first mapping needs it: a holder that keeps the lock for long has it by now. */
	gp_patience_begin(&patience);
	err = gp_area_map(area->file, at, GP_AREA_CODE, PROT_READ | PROT_EXEC);
	gp_patience_end(&patience);
	if (err)
		return err;
	err = gp_area_map(NULL, counters, (unsigned long)area->npages << PAGE_SHIFT,
			  PROT_READ | PROT_WRITE);
	if (err) {
		vm_munmap(at, GP_AREA_CODE);
		return err;
	}
	area->code = at;
	area->counters = counters;
	return 0;
}

static int gp_area_find_place(struct gp_area *area, unsigned long near)
{
	unsigned long at = ALIGN(near + GP_AREA_AWAY, PMD_SIZE);
	int err = -EEXIST;
	u32 i;

	for (i = 0; i < GP_AREA_TRIES && err == -EEXIST; i++, at += GP_AREA_STEP)
		err = gp_area_place(area, at);
	return err;
}

static int gp_area_pin(struct gp_area *area)
{
	struct mm_struct *mm = current->mm;
	long n;

	mmap_read_lock(mm);
	n = gp_compat_pin_pages(mm, area->counters, area->npages, area->pages);
	mmap_read_unlock(mm);
	if (n == area->npages) {
		atomic64_add(n, &mm->pinned_vm);
		return 0;
	}
	if (n > 0)
		unpin_user_pages(area->pages, n);
	return n < 0 ? n : -ENOMEM;
}

struct gp_area *gp_area_new(unsigned long near)
{
	struct gp_area *area = kzalloc(sizeof(*area), GP_GFP_CHARGED);
	int err = -ENOMEM;

	if (!area)
		return ERR_PTR(err);
	area->npages = gp_area_npages();
	area->pages = kvcalloc(area->npages, sizeof(*area->pages), GP_GFP_CHARGED);
	if (!area->pages)
		goto err;
	area->file = gp_compat_memory_file("goprobe", GP_AREA_CODE);
	if (IS_ERR(area->file)) {
		err = PTR_ERR(area->file);
		goto err;
	}
	err = gp_area_find_place(area, near);
	if (err)
		goto err_file;
	err = gp_area_pin(area);
	if (err)
		goto err_map;
	return area;

err_map:
	vm_munmap(area->code, gp_area_bytes(area));
err_file:
	fput(area->file);
err:
	kvfree(area->pages);
	kfree(area);
	return ERR_PTR(err);
}

bool gp_area_fits(const struct gp_area *area, unsigned long near, u32 ncounters)
{
	return area->used + GP_DETOUR_MAX <= GP_AREA_LANDINGS &&
	       area->nlandings < PAGE_SIZE / GP_AREA_LANDING &&
	       area->ncounters + ncounters <= GP_AREA_COUNTERS &&
	       max(near, area->code) - min(near, area->code) < GP_AREA_REACH;
}

unsigned long gp_area_counter(struct gp_area *area, struct gp_remote_counter *counter)
{
	u32 n = area->ncounters++, at = n * GP_AREA_LINE;

	if (gp_area_per_cpu()) {
		counter->pages = area->pages;
		counter->npages = area->npages;
		counter->offset = n * sizeof(u64);
		return area->counters + counter->offset;
	}
	counter->pages = area->pages + at / PAGE_SIZE;
	counter->npages = 1;
	counter->offset = at % PAGE_SIZE;
	return area->counters + at;
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
 * landings have their page to themselves, and all are written before the first breakpoint.
 */
static int gp_area_write_landings(struct gp_area *area)
{
	u8 *page = kzalloc(PAGE_SIZE, GFP_KERNEL);
	u32 i;
	int err;

	if (!page)
		return -ENOMEM;
	for (i = 0; i < PAGE_SIZE; i += GP_AREA_LANDING)
		gp_detour_emit_landing(page + i);
	if (WARN_ON_ONCE(!gp_detour_check_landing(page)))
		err = -EINVAL;
	else
		err = gp_area_write_at(area, GP_AREA_LANDINGS, page, PAGE_SIZE);
	kfree(page);
	return err;
}

int gp_area_landing(struct gp_area *area)
{
	int err = area->nlandings ? 0 : gp_area_write_landings(area);

	return err ?: (int)(GP_AREA_LANDINGS + GP_AREA_LANDING * area->nlandings++);
}

bool gp_area_has(const struct gp_area *area, unsigned long ip)
{
	return ip - area->code < GP_AREA_CODE;
}

void gp_area_unmap(struct gp_area *area)
{
	vm_munmap(area->code, gp_area_bytes(area));
}

void gp_area_free(struct gp_area *area)
{
	unpin_user_pages_dirty_lock(area->pages, area->npages, true);
	fput(area->file);
	kvfree(area->pages);
	kfree(area);
}
