/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ELF file's segments and sections, and bounded reads of it. Nothing is
 * mapped: a file that shrinks gives short reads, not SIGBUS.
 */
#ifndef GOPROBE_ELF_ELFFILE_H
#define GOPROBE_ELF_ELFFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <libelf.h>

#include "base/diag.h"
#include "elf/reloc.h"

/* An ELF64 file for x86-64. */
struct elffile {
	int fd;			/* open for reading; owned */
	uint64_t size;		/* of the file */
	uint16_t type;		/* ET_EXEC or ET_DYN */
	Elf *elf;		/* libelf's handle; frees all that it has read */
	/* Program headers; none of a file that was opened for debug information only. */
	const Elf64_Phdr *segs;
	size_t nsegs;		/* their number */
	size_t names;		/* index of the section with the names of sections; 0: absent */
	struct reloc *rels;	/* pointers that the dynamic linker will write and the file lacks */
	size_t nrels;		/* their number */
	/* The separate file with its debug information, owned; NULL: none, or not needed. */
	struct elffile *debug;
	char *debug_path;	/* where that is, owned */
};

/**
 * elffile_open() - read the headers
 * @fd: the file; duplicated
 * @path: for messages
 * @ret: filled
 * @d: why not
 *
 * Return: 0, or -1: not ELF, not x86-64, not a program, truncated.
 */
int elffile_open(int fd, const char *path, struct elffile *ret, struct diag *d);
/* Open a file of debug information; its segments belong to another file. */
int elffile_open_debug(int fd, const char *path, struct elffile *ret, struct diag *d);
void elffile_fini(struct elffile *ef);

/* Section by name, or NULL; and its header. */
Elf_Scn *elffile_scn(const struct elffile *ef, const char *name);
const Elf64_Shdr *elffile_section(const struct elffile *ef, const char *name);
/* The PT_LOAD that has file bytes for all of [@vaddr, @vaddr + @len). */
const Elf64_Phdr *elffile_segment(const struct elffile *ef, uint64_t vaddr, uint64_t len);

/* Exactly @len bytes at file offset @off; 0, or -1. */
int elffile_read(const struct elffile *ef, uint64_t off, void *buf,
		 size_t len);
/*
 * Exactly @len bytes at link-time address @vaddr, with the pointers that they
 * will hold when the file is loaded at its link-time address; 0, or -1.
 */
int elffile_read_vaddr(const struct elffile *ef, uint64_t vaddr, void *buf,
		       size_t len);
/* As elffile_read() into new memory with a NUL behind it; NULL on failure. */
uint8_t *elffile_load(const struct elffile *ef, uint64_t off, uint64_t len);

/* Called for each symbol; a value other than 0 ends the walk. */
typedef int (*elffile_sym_fn)(void *ctx, const char *name, uint64_t value,
			      uint64_t size, unsigned int type);
/*
 * Walk .symtab, or that of the separate debug information. Returns what @fn returned last, 0 if
 * there is no table, -1 if it can't be read.
 */
int elffile_symbols(const struct elffile *ef, elffile_sym_fn fn, void *ctx);

#endif
