// SPDX-License-Identifier: GPL-2.0
/*
 * Go binaries that a session has opened.
 *
 * The kernel accepts a uprobe at any offset of any file. It reports errors only when a process
 * maps the file, if at all. So this file checks that an offset is in an executable segment and that
 * its bytes are those that user space analysed, and keeps them from changing: while a session has
 * the file, nobody can open it for writing, as if it were running. The binary is untrusted, and so
 * is its server: see reading.c.
 */
#include <linux/dcache.h>
#include <linux/elf.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "arch/detour.h"
#include "gfp.h"
#include "session/file.h"
#include "session/point.h"
#include "session/reading.h"

#define GP_PHDRS_MAX	64

/* *@why is the reason if the file itself is the cause; it changes on any other error. */
static int gp_file_read(struct gp_reads *reads, struct file *file, u64 offset, void *to,
			u32 size, const char **why)
{
	struct gp_reading *r = gp_reading_new(file, 1, size);
	int err;

	if (!r) {
		*why = "out of memory";
		return -ENOMEM;
	}
	gp_reading_add(r, offset, size);
	err = gp_reading_run(r, reads, why);
	if (!err) {
		err = r->part[0].err;
		/* The file ends before that offset, or no file can have it. */
		if (err == -ENODATA || err == -EINVAL)
			err = -ENOEXEC;
		memcpy(to, r->part[0].bytes, size);
	}
	gp_reading_put(r);
	return err;
}

static int gp_file_read_header(struct gp_reads *reads, struct file *file, struct elf64_hdr *ehdr,
			       const char **why)
{
	int err;

	*why = "the file cannot be read or is shorter than an ELF header";
	err = gp_file_read(reads, file, 0, ehdr, sizeof(*ehdr), why);
	if (err)
		return err;
	if (memcmp(ehdr->e_ident, ELFMAG, SELFMAG) ||
	    ehdr->e_ident[EI_CLASS] != ELFCLASS64 ||
	    !elf_check_arch(ehdr)) {
		*why = "the file is not an ELF file for this processor";
		return -ENOEXEC;
	}
	if (ehdr->e_phentsize != sizeof(struct elf64_phdr) || !ehdr->e_phnum ||
	    ehdr->e_phnum > GP_PHDRS_MAX) {
		*why = "the file's program headers are missing or too many";
		return -ENOEXEC;
	}
	return 0;
}

static void gp_file_find_ranges(struct gp_file *f, const struct elf64_phdr *ph,
				u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		u64 end;

		if (ph[i].p_type != PT_LOAD || !(ph[i].p_flags & PF_X) ||
		    (ph[i].p_flags & PF_W))
			continue;
		if (check_add_overflow((u64)ph[i].p_offset, (u64)ph[i].p_filesz, &end))
			continue;
		f->ranges[f->nranges].from = ph[i].p_offset;
		f->ranges[f->nranges].to = end;
		f->nranges++;
	}
}

static struct gp_file *gp_file_new(struct gp_reads *reads, struct file *file, const char **why)
{
	struct elf64_phdr *phdrs;
	struct elf64_hdr ehdr;
	struct gp_file *f;
	int err;

	err = gp_file_read_header(reads, file, &ehdr, why);
	if (err)
		return ERR_PTR(err);
	phdrs = kmalloc_array(ehdr.e_phnum, sizeof(*phdrs), GFP_KERNEL);
	f = kzalloc(struct_size(f, ranges, ehdr.e_phnum), GP_GFP_CHARGED);
	err = -ENOMEM;
	*why = "out of memory";
	if (!phdrs || !f)
		goto err;
	*why = "the file's program headers cannot be read: the file is truncated";
	err = gp_file_read(reads, file, ehdr.e_phoff, phdrs, ehdr.e_phnum * sizeof(*phdrs), why);
	if (err)
		goto err;
	gp_file_find_ranges(f, phdrs, ehdr.e_phnum);
	if (!f->nranges) {
		*why = "the file has no executable segment";
		err = -ENOEXEC;
		goto err;
	}
	kfree(phdrs);
	return f;

err:
	kfree(phdrs);
	kfree(f);
	return ERR_PTR(err);
}

/**
 * gp_file_open() - take a file that user space has opened
 * @file: the file, open for reading
 * @rt: verified
 * @reads: the session's
 * @why: error message, on error
 *
 * Context: see reading.c.
 *
 * Return: the file, or an ERR_PTR().
 */
struct gp_file *gp_file_open(struct file *file, const struct goprobe_runtime *rt,
			     struct gp_reads *reads, const char **why)
{
	struct gp_file *f;
	int err;

	if (!S_ISREG(file_inode(file)->i_mode) || !(file->f_mode & FMODE_READ)) {
		*why = "the file descriptor is not a regular file open for reading";
		return ERR_PTR(-EINVAL);
	}
	err = deny_write_access(file);
	if (err) {
		*why = "the file is open for writing, so its code may change";
		return ERR_PTR(err);
	}
	f = gp_file_new(reads, file, why);
	if (IS_ERR(f))
		goto err;
	/* A mapping of a file on overlayfs has the inode of the lower layer. */
	f->inode = gp_inode_get(d_real_inode(file->f_path.dentry));
	if (!f->inode) {
		*why = "out of memory";
		kfree(f);
		f = ERR_PTR(-ENOMEM);
		goto err;
	}
	f->file = get_file(file);
	f->runtime = *rt;
	INIT_LIST_HEAD(&f->spaces);
	INIT_LIST_HEAD(&f->slots);
	return f;

err:
	allow_write_access(file);
	return f;
}

void gp_file_close(struct gp_file *f)
{
	gp_dynamic_fini(&f->dynamic);
	gp_inode_put(f->inode);
	allow_write_access(f->file);
	fput(f->file);
	kfree(f);
}

static bool gp_file_has_code(const struct gp_file *f, u64 offset, u32 len)
{
	u32 i;

	for (i = 0; i < f->nranges; i++)
		if (offset >= f->ranges[i].from && offset < f->ranges[i].to &&
		    len <= f->ranges[i].to - offset)
			return true;
	return false;
}

static bool gp_file_is_code(const struct gp_file *f, const struct goprobe_point *point)
{
	return gp_file_has_code(f, point->offset, point->code_len);
}

/* Read the cold block that the branch at a point leads to, if it may become a jump. */
static void gp_file_read_cold(const struct gp_file *f, struct gp_reading *r,
			      const struct goprobe_point *point)
{
	s32 by = point->flags & GOPROBE_POINT_F_JUMP && point->code_len <= GOPROBE_CODE_MAX ?
		 gp_detour_cold_at(point->code, point->code_len) : 0;
	u64 at = point->offset + by;

	gp_reading_add(r, at, by && gp_file_has_code(f, at, GP_DETOUR_COLD) ? GP_DETOUR_COLD : 0);
}

/**
 * gp_file_read_points() - read the code at points
 * @f: the binary
 * @points: the points, not verified
 * @n: their number
 * @reads: the session's
 * @why: error message, on error
 *
 * Context: see reading.c.
 *
 * Return: for gp_file_check_point(), or an ERR_PTR().
 */
struct gp_reading *gp_file_read_points(const struct gp_file *f, const struct goprobe_point *points,
				       u32 n, struct gp_reads *reads, const char **why)
{
	struct gp_reading *r = gp_reading_new(f->file, 2 * n,
					      n * (GOPROBE_CODE_MAX + GP_DETOUR_COLD));
	int err;
	u32 i;

	if (!r) {
		*why = "out of memory";
		return ERR_PTR(-ENOMEM);
	}
	for (i = 0; i < n; i++)
		gp_reading_add(r, points[i].offset, points[i].code_len <= GOPROBE_CODE_MAX &&
			       gp_file_is_code(f, &points[i]) ? points[i].code_len : 0);
	for (i = 0; i < n; i++)
		gp_file_read_cold(f, r, &points[i]);
	err = gp_reading_run(r, reads, why);
	if (!err)
		return r;
	gp_reading_put(r);
	return ERR_PTR(err);
}

/**
 * gp_file_check_point() - check the place of a breakpoint
 * @f: the binary
 * @code: the code that was read
 * @i: index of the point in @code
 * @point: verified
 * @why: error message, on error
 *
 * Return: 0; -EINVAL: the place is not code; -ESTALE: its code is not the expected one; or an error
 * of reading.
 */
int gp_file_check_point(const struct gp_file *f, const struct gp_reading *code, u32 i,
			const struct goprobe_point *point, const char **why)
{
	const struct gp_reading_part *part = &code->part[i];

	if (!gp_file_is_code(f, point)) {
		*why = "the place is not in an executable segment";
		return -EINVAL;
	}
	if (part->err) {
		*why = "the code at the point cannot be read: the file is truncated";
		return part->err == -ENODATA ? -ESTALE : part->err;
	}
	if (memcmp(part->bytes, point->code, point->code_len)) {
		*why = "the code at the point is not the expected code: the file has been replaced";
		return -ESTALE;
	}
	return 0;
}

/* The cold block of point @i that gp_file_read_points() has read; no bytes without such a block. */
const struct gp_reading_part *gp_file_cold_part(const struct gp_reading *code, u32 i)
{
	return &code->part[code->nparts / 2 + i];
}
