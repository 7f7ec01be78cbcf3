// SPDX-License-Identifier: GPL-2.0
/* An ELF file's segments and sections, and bounded reads of it. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf.h"

#define ELFFILE_HEADERS_MAX 65536U
/* Of sections' names; what is behind it has none. */
#define ELFFILE_NAMES_MAX (4U << 20)
/* No part of a real program that is read whole comes near; dwarf/section.c allows as much. */
#define ELFFILE_LOAD_MAX (2ULL << 30)

int elffile_read(const struct elffile *ef, uint64_t off, void *buf, size_t len)
{
	uint8_t *p = buf;

	if (off > ef->size || len > ef->size - off)
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

	if (off > ef->size || len > ef->size - off || len > ELFFILE_LOAD_MAX)
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

const struct elfseg *elffile_segment(const struct elffile *ef, uint64_t vaddr,
				     uint64_t len)
{
	for (size_t i = 0; i < ef->nsegs; i++) {
		const struct elfseg *s = &ef->segs[i];

		if (s->type == PT_LOAD && vaddr >= s->vaddr &&
		    vaddr - s->vaddr <= s->filesz &&
		    len <= s->filesz - (vaddr - s->vaddr))
			return s;
	}
	return NULL;
}

int elffile_read_vaddr(const struct elffile *ef, uint64_t vaddr, void *buf,
		       size_t len)
{
	const struct elfseg *s = elffile_segment(ef, vaddr, len);

	if (!s || elffile_read(ef, s->off + (vaddr - s->vaddr), buf, len))
		return -1;
	if (ef->nrels)
		elfrel_apply(ef->rels, ef->nrels, vaddr, buf, len);
	return 0;
}

const struct elfsec *elffile_section(const struct elffile *ef,
				     const char *name)
{
	for (size_t i = 0; i < ef->nsecs; i++) {
		if (!strcmp(ef->secs[i].name, name))
			return &ef->secs[i];
	}
	return NULL;
}

static int truncated(const char *path, struct diag *d)
{
	return diag_set(d, "%s is a truncated or damaged ELF file", path);
}

static int load_segments(struct elffile *ef, const Elf64_Ehdr *eh,
			 const char *path, struct diag *d)
{
	if (eh->e_phentsize != sizeof(Elf64_Phdr) || !eh->e_phnum ||
	    eh->e_phnum == PN_XNUM)
		return diag_set(d, "%s has no program headers: it is not an executable",
				path);
	ef->segs = calloc(eh->e_phnum, sizeof(*ef->segs));
	if (!ef->segs)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < eh->e_phnum; i++) {
		struct elfseg *s = &ef->segs[ef->nsegs];
		Elf64_Phdr ph;
		uint64_t end;

		if (elffile_read(ef, eh->e_phoff + i * sizeof(ph), &ph,
				 sizeof(ph)))
			return truncated(path, d);
		if (ph.p_type == PT_LOAD &&
		    (ph.p_offset > ef->size ||
		     ph.p_filesz > ef->size - ph.p_offset ||
		     __builtin_add_overflow(ph.p_vaddr, ph.p_memsz, &end) ||
		     ph.p_filesz > ph.p_memsz))
			return truncated(path, d);
		s->type = ph.p_type;
		s->flags = ph.p_flags;
		s->off = ph.p_offset;
		s->vaddr = ph.p_vaddr;
		s->filesz = ph.p_filesz;
		s->memsz = ph.p_memsz;
		s->align = ph.p_align;
		ef->nsegs++;
	}
	return 0;
}

static int load_sections(struct elffile *ef, const Elf64_Ehdr *eh,
			 const char *path, struct diag *d)
{
	Elf64_Shdr first, *sh;
	uint64_t n = eh->e_shnum, names = eh->e_shstrndx, names_len;
	int ret = -1;

	if (!eh->e_shoff)
		return 0;	/* taken away by sstrip and the like */
	if (eh->e_shentsize != sizeof(*sh) ||
	    elffile_read(ef, eh->e_shoff, &first, sizeof(first)))
		return truncated(path, d);
	if (!n)
		n = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (n > ELFFILE_HEADERS_MAX)
		return truncated(path, d);
	sh = (void *)elffile_load(ef, eh->e_shoff, n * sizeof(*sh));
	if (!sh)
		return truncated(path, d);
	if (names >= n || sh[names].sh_type == SHT_NOBITS) {
		ret = 0;
		goto out;
	}
	names_len = sh[names].sh_size < ELFFILE_NAMES_MAX ? sh[names].sh_size : ELFFILE_NAMES_MAX;
	ef->names = (void *)elffile_load(ef, sh[names].sh_offset, names_len);
	ef->secs = calloc(n, sizeof(*ef->secs));
	if (!ef->names || !ef->secs) {
		truncated(path, d);
		goto out;
	}
	for (uint64_t i = 1; i < n; i++) {
		struct elfsec *s = &ef->secs[i];

		if (sh[i].sh_type != SHT_NOBITS && sh[i].sh_type != SHT_NULL &&
		    (sh[i].sh_offset > ef->size ||
		     sh[i].sh_size > ef->size - sh[i].sh_offset)) {
			truncated(path, d);
			goto out;
		}
		s->name = sh[i].sh_name < names_len ?
			  ef->names + sh[i].sh_name : "";
		s->type = sh[i].sh_type;
		s->link = sh[i].sh_link;
		s->flags = sh[i].sh_flags;
		s->addr = sh[i].sh_addr;
		s->off = sh[i].sh_offset;
		s->size = sh[i].sh_size;
		s->entsize = sh[i].sh_entsize;
	}
	ef->secs[0].name = "";
	ef->nsecs = n;
	ret = 0;
out:
	free(sh);
	return ret;
}

int elffile_open(int fd, const char *path, struct elffile *ret, struct diag *d)
{
	struct elffile ef = { .fd = -1 };
	Elf64_Ehdr eh;
	struct stat st;

	if (fstat(fd, &st))
		return diag_errno(d, errno, "%s can't be read", path);
	if (!S_ISREG(st.st_mode))
		return diag_set(d, "%s is not a regular file", path);
	ef.size = (uint64_t)st.st_size;
	ef.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (ef.fd < 0)
		return diag_errno(d, errno, "%s can't be opened", path);
	memset(&eh, 0, sizeof(eh));
	if (elffile_read(&ef, 0, eh.e_ident, SELFMAG) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG)) {
		diag_set(d, "%s is not an ELF file", path);
		goto fail;
	}
	if (elffile_read(&ef, 0, &eh, sizeof(eh))) {
		truncated(path, d);
		goto fail;
	}
	if (eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    eh.e_machine != EM_X86_64) {
		diag_set(d, "%s is not an x86-64 program", path);
		goto fail;
	}
	if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN) {
		diag_set(d, "%s is not an executable or a shared library",
			 path);
		goto fail;
	}
	ef.type = eh.e_type;
	if (load_segments(&ef, &eh, path, d) ||
	    load_sections(&ef, &eh, path, d))
		goto fail;
	ef.nrels = elfrel_load(&ef, &ef.rels);
	*ret = ef;
	return 0;
fail:
	elffile_fini(&ef);
	return -1;
}

void elffile_fini(struct elffile *ef)
{
	free(ef->segs);
	free(ef->secs);
	free(ef->names);
	free(ef->rels);
	if (ef->fd >= 0)
		close(ef->fd);
	memset(ef, 0, sizeof(*ef));
	ef->fd = -1;
}

int elffile_symbols(const struct elffile *ef, elffile_sym_fn fn, void *ctx)
{
	const struct elfsec *tab = elffile_section(ef, ".symtab"), *str;
	uint8_t *syms = NULL, *strs = NULL;
	int ret = -1;

	if (!tab || tab->type != SHT_SYMTAB)
		return 0;
	if (tab->link >= ef->nsecs || ef->secs[tab->link].type != SHT_STRTAB)
		return -1;
	str = &ef->secs[tab->link];
	syms = elffile_load(ef, tab->off, tab->size);
	strs = elffile_load(ef, str->off, str->size);
	if (!syms || !strs)
		goto out;
	ret = 0;
	for (uint64_t i = 0; i < tab->size / sizeof(Elf64_Sym); i++) {
		Elf64_Sym s;

		memcpy(&s, syms + i * sizeof(s), sizeof(s));
		if (s.st_name >= str->size)
			continue;
		ret = fn(ctx, (const char *)strs + s.st_name, s.st_value,
			 s.st_size, ELF64_ST_TYPE(s.st_info));
		if (ret)
			break;
	}
out:
	free(syms);
	free(strs);
	return ret;
}
