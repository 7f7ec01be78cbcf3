// SPDX-License-Identifier: GPL-2.0
/*
 * A Go binary that a session has opened.
 *
 * The kernel takes a uprobe at any offset of any file and tells of errors only
 * when a process maps it, if at all: so this file shows that an offset is in an
 * executable segment and that the bytes there are the ones that user space
 * analysed, and sees to it that they stay: as long as a session has the file, nobody
 * can open it for writing, as if it were running. The binary is untrusted.
 */
#include <linux/dcache.h>
#include <linux/elf.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "charge.h"
#include "file.h"

#define GP_PHDRS_MAX	64

static int gp_file_read(struct file *file, u64 offset, void *to, size_t size)
{
	loff_t pos = offset;
	ssize_t n = kernel_read(file, to, size, &pos);

	if (n < 0)
		return n;
	return n == size ? 0 : -ENODATA;
}

static int gp_file_read_header(struct file *file, struct elf64_hdr *ehdr,
			       const char **why)
{
	int err = gp_file_read(file, 0, ehdr, sizeof(*ehdr));

	if (err) {
		*why = "the file can't be read or is shorter than an ELF header";
		return err == -ENODATA ? -ENOEXEC : err;
	}
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

static struct gp_file *gp_file_new(struct file *file, const char **why)
{
	struct elf64_phdr *phdrs;
	struct elf64_hdr ehdr;
	struct gp_file *f;
	int err;

	err = gp_file_read_header(file, &ehdr, why);
	if (err)
		return ERR_PTR(err);
	phdrs = kmalloc_array(ehdr.e_phnum, sizeof(*phdrs), GFP_KERNEL);
	f = kzalloc(struct_size(f, ranges, ehdr.e_phnum), GP_GFP_CHARGED);
	err = -ENOMEM;
	*why = "out of memory";
	if (!phdrs || !f)
		goto err;
	err = gp_file_read(file, ehdr.e_phoff, phdrs,
			   ehdr.e_phnum * sizeof(*phdrs));
	if (err) {
		*why = "the file's program headers can't be read: it is truncated";
		err = -ENOEXEC;
		goto err;
	}
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
 * @fd: in the caller's table, open for reading
 * @rt: verified
 * @why: a sentence, on error
 *
 * Return: the file, or an ERR_PTR().
 */
struct gp_file *gp_file_open(int fd, const struct goprobe_runtime *rt,
			     const char **why)
{
	struct file *file = fget(fd);
	struct gp_file *f;
	int err;

	if (!file) {
		*why = "the file descriptor is not open";
		return ERR_PTR(-EBADF);
	}
	if (!S_ISREG(file_inode(file)->i_mode) || !(file->f_mode & FMODE_READ)) {
		*why = "the file descriptor is not a regular file open for reading";
		f = ERR_PTR(-EINVAL);
		goto err;
	}
	err = deny_write_access(file);
	if (err) {
		*why = "the file is open for writing, so its code may change";
		f = ERR_PTR(err);
		goto err;
	}
	f = gp_file_new(file, why);
	if (IS_ERR(f))
		goto err_allow;
	/* A mapping of a file on overlayfs has the inode of the layer below. */
	f->inode = gp_inode_get(d_real_inode(file->f_path.dentry));
	if (!f->inode) {
		*why = "out of memory";
		kfree(f);
		f = ERR_PTR(-ENOMEM);
		goto err_allow;
	}
	f->file = file;
	f->runtime = *rt;
	return f;

err_allow:
	allow_write_access(file);
err:
	fput(file);
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

/**
 * gp_file_check_point() - may there be a breakpoint?
 * @f: the binary
 * @point: verified
 * @why: a sentence, on error
 *
 * Return: 0; -EINVAL if the place is not code; -ESTALE if the code there is not
 * the expected one; an error of reading.
 */
int gp_file_check_point(const struct gp_file *f,
			const struct goprobe_point *point, const char **why)
{
	u8 code[GOPROBE_CODE_MAX];
	u32 i;
	int err;

	for (i = 0; i < f->nranges; i++)
		if (point->offset >= f->ranges[i].from &&
		    point->offset < f->ranges[i].to &&
		    point->code_len <= f->ranges[i].to - point->offset)
			break;
	if (i == f->nranges) {
		*why = "the place is not in an executable segment";
		return -EINVAL;
	}
	err = gp_file_read(f->file, point->offset, code, point->code_len);
	if (err) {
		*why = "the code there can't be read: the file is truncated";
		return err == -ENODATA ? -ESTALE : err;
	}
	if (memcmp(code, point->code, point->code_len)) {
		*why = "the code there is not the expected one: the file has been replaced";
		return -ESTALE;
	}
	return 0;
}
