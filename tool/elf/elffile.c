// SPDX-License-Identifier: GPL-2.0
/* An ELF file's segments and sections, and bounded reads of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elffile.h"

#define ELFFILE_HEADERS_MAX 65536U
/* Of sections' names; what is behind it has none. */
#define ELFFILE_NAMES_MAX (4U << 20)
/* No part of a real program that is read whole comes near; dwarf/sections.c allows as much. */
#define ELFFILE_LOAD_MAX (2ULL << 30)

static bool in_file(const struct elffile *ef, uint64_t off, uint64_t len)
{
	return off <= ef->size && len <= ef->size - off;
}

int elffile_read(const struct elffile *ef, uint64_t off, void *buf, size_t len)
{
	uint8_t *p = buf;

	if (!in_file(ef, off, len))
		return -1;
	while (len) {
		ssize_t n = pread(ef->fd, p, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

uint8_t *elffile_load(const struct elffile *ef, uint64_t off, uint64_t len)
{
	uint8_t *p;

	if (!in_file(ef, off, len) || len > ELFFILE_LOAD_MAX)
		return NULL;
	p = malloc(len + 1);
	if (!p)
		return NULL;
	if (elffile_read(ef, off, p, len)) {
		free(p);
		return NULL;
	}
	p[len] = 0;
	return p;
}

const Elf64_Phdr *elffile_segment(const struct elffile *ef, uint64_t vaddr, uint64_t len)
{
	for (size_t i = 0; i < ef->nsegs; i++) {
		const Elf64_Phdr *s = &ef->segs[i];

		if (s->p_type == PT_LOAD && vaddr >= s->p_vaddr &&
		    vaddr - s->p_vaddr <= s->p_filesz &&
		    len <= s->p_filesz - (vaddr - s->p_vaddr))
			return s;
	}
	return NULL;
}

int elffile_read_vaddr(const struct elffile *ef, uint64_t vaddr, void *buf,
		       size_t len)
{
	const Elf64_Phdr *s = elffile_segment(ef, vaddr, len);

	if (!s || elffile_read(ef, s->p_offset + (vaddr - s->p_vaddr), buf, len))
		return -1;
	if (ef->nrels)
		reloc_apply(ef->rels, ef->nrels, vaddr, buf, len);
	return 0;
}

Elf_Scn *elffile_scn(const struct elffile *ef, const char *name)
{
	Elf_Scn *scn = NULL;

	while (ef->names && (scn = elf_nextscn(ef->elf, scn))) {
		const Elf64_Shdr *sh = elf64_getshdr(scn);
		const char *s = sh ? elf_strptr(ef->elf, ef->names, sh->sh_name) : NULL;

		if (s && !strcmp(s, name))
			break;
	}
	return scn;
}

const Elf64_Shdr *elffile_section(const struct elffile *ef, const char *name)
{
	return elf64_getshdr(elffile_scn(ef, name));
}

static int truncated(const char *path, struct diag *d)
{
	return diag_set(d, "%s is a truncated or damaged ELF file", path);
}

/*
 * libelf allocates memory for as many headers as a file says that it has, which may be a billion
 * if it has holes.
 */
static int check_header(const struct elffile *ef, const Elf64_Ehdr *eh, const char *path,
			struct diag *d)
{
	Elf64_Shdr first;

	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_DATA] != ELFDATA2LSB ||
	    eh->e_machine != EM_X86_64)
		return diag_set(d, "%s is not an x86-64 program", path);
	if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN)
		return diag_set(d, "%s is not an executable or a shared library", path);
	if (eh->e_phentsize != sizeof(Elf64_Phdr) || !eh->e_phnum || eh->e_phnum == PN_XNUM)
		return diag_set(d, "%s has no program headers: it is not an executable", path);
	if (eh->e_shoff &&
	    (eh->e_shentsize != sizeof(first) ||
	     elffile_read(ef, eh->e_shoff, &first, sizeof(first)) ||
	     (!eh->e_shnum && first.sh_size > ELFFILE_HEADERS_MAX)))
		return truncated(path, d);
	return 0;
}

static int load_segments(struct elffile *ef, const char *path, struct diag *d)
{
	ef->segs = elf64_getphdr(ef->elf);
	if (!ef->segs || elf_getphdrnum(ef->elf, &ef->nsegs))
		return truncated(path, d);
	for (size_t i = 0; i < ef->nsegs; i++) {
		const Elf64_Phdr *s = &ef->segs[i];
		uint64_t end;

		if (s->p_type == PT_LOAD &&
		    (!in_file(ef, s->p_offset, s->p_filesz) || s->p_filesz > s->p_memsz ||
		     __builtin_add_overflow(s->p_vaddr, s->p_memsz, &end)))
			return truncated(path, d);
	}
	return 0;
}

/* May libelf read it whole and keep it? It would also inflate what says that it is compressed. */
static bool is_table(const Elf64_Shdr *sh, uint32_t type, uint64_t max)
{
	return sh && sh->sh_type == type && sh->sh_size <= max && !(sh->sh_flags & SHF_COMPRESSED);
}

static int check_sections(struct elffile *ef, const char *path, struct diag *d)
{
	size_t n;

	if (elf_getshdrnum(ef->elf, &n))
		return truncated(path, d);
	for (size_t i = 1; i < n; i++) {
		const Elf64_Shdr *sh = elf64_getshdr(elf_getscn(ef->elf, i));

		if (!sh || (sh->sh_type != SHT_NOBITS && sh->sh_type != SHT_NULL &&
			    !in_file(ef, sh->sh_offset, sh->sh_size)))
			return truncated(path, d);
	}
	if (!elf_getshdrstrndx(ef->elf, &n) &&
	    is_table(elf64_getshdr(elf_getscn(ef->elf, n)), SHT_STRTAB, ELFFILE_NAMES_MAX))
		ef->names = n;
	return 0;
}

static int open_elf(struct elffile *ef, const char *path, bool program, struct diag *d)
{
	Elf64_Ehdr eh = { .e_type = ET_NONE };

	if (elffile_read(ef, 0, eh.e_ident, SELFMAG) || memcmp(eh.e_ident, ELFMAG, SELFMAG))
		return diag_set(d, "%s is not an ELF file", path);
	if (elffile_read(ef, 0, &eh, sizeof(eh)))
		return truncated(path, d);
	if (check_header(ef, &eh, path, d))
		return -1;
	ef->type = eh.e_type;
	elf_version(EV_CURRENT);
	/* Read, not mapped: if the file is truncated while it is mapped, SIGBUS kills us. */
	ef->elf = elf_begin(ef->fd, ELF_C_READ, NULL);
	if (!ef->elf || (program && load_segments(ef, path, d)))
		return ef->elf ? -1 : truncated(path, d);
	return eh.e_shoff ? check_sections(ef, path, d) : 0;
}

static int open_file(int fd, const char *path, bool program, struct elffile *ret, struct diag *d)
{
	struct elffile ef = { .fd = -1 };
	struct stat st;

	if (fstat(fd, &st))
		return diag_errno(d, errno, "%s can't be read", path);
	if (!S_ISREG(st.st_mode))
		return diag_set(d, "%s is not a regular file", path);
	ef.size = (uint64_t)st.st_size;
	ef.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (ef.fd < 0)
		return diag_errno(d, errno, "%s can't be opened", path);
	if (open_elf(&ef, path, program, d)) {
		elffile_fini(&ef);
		return -1;
	}
	ef.nrels = reloc_load(&ef, &ef.rels);
	*ret = ef;
	return 0;
}

int elffile_open(int fd, const char *path, struct elffile *ret, struct diag *d)
{
	return open_file(fd, path, true, ret, d);
}

int elffile_open_debug(int fd, const char *path, struct elffile *ret, struct diag *d)
{
	return open_file(fd, path, false, ret, d);
}

void elffile_fini(struct elffile *ef)
{
	if (ef->debug)
		elffile_fini(ef->debug);
	free(ef->debug);
	free(ef->debug_path);
	elf_end(ef->elf);
	free(ef->rels);
	if (ef->fd >= 0)
		close(ef->fd);
	memset(ef, 0, sizeof(*ef));
	ef->fd = -1;
}

static int walk_symbols(Elf *elf, Elf_Scn *tab, elffile_sym_fn fn, void *ctx)
{
	const Elf64_Shdr *sh = elf64_getshdr(tab);
	const Elf_Data *data;
	int ret = 0;

	if (!is_table(sh, SHT_SYMTAB, ELFFILE_LOAD_MAX) ||
	    !is_table(elf64_getshdr(elf_getscn(elf, sh->sh_link)), SHT_STRTAB, ELFFILE_LOAD_MAX))
		return -1;
	data = elf_rawdata(tab, NULL);
	for (size_t i = 0; data && !ret && i < data->d_size / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *s = (const Elf64_Sym *)data->d_buf + i;
		const char *name = elf_strptr(elf, sh->sh_link, s->st_name);

		if (name)
			ret = fn(ctx, name, s->st_value, s->st_size, ELF64_ST_TYPE(s->st_info));
	}
	return data ? ret : -1;
}

int elffile_symbols(const struct elffile *ef, elffile_sym_fn fn, void *ctx)
{
	Elf_Scn *tab = elffile_scn(ef, ".symtab");

	if (!tab && ef->debug)
		return elffile_symbols(ef->debug, fn, ctx);

	/* A handle keeps what it has read: the end of this one frees the tables. */
	Elf *elf = tab ? elf_begin(ef->fd, ELF_C_READ, NULL) : NULL;
	int ret = elf ? walk_symbols(elf, elf_getscn(elf, elf_ndxscn(tab)), fn, ctx) : 0;

	elf_end(elf);
	return ret;
}
