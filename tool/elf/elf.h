/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ELF file's segments and sections, and bounded reads of it. Nothing is
 * mapped: a file that shrinks gives short reads, not SIGBUS.
 */
#ifndef GOPROBE_ELF_ELF_H
#define GOPROBE_ELF_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "elf/reloc.h"

struct elfseg {
	uint32_t type;		/* PT_* */
	uint32_t flags;		/* PF_* */
	uint64_t off;
	uint64_t vaddr;
	uint64_t filesz;
	uint64_t memsz;
	uint64_t align;
};

struct elfsec {
	const char *name;
	uint32_t type;		/* SHT_* */
	uint32_t link;
	uint64_t flags;		/* SHF_* */
	uint64_t addr;
	uint64_t off;
	uint64_t size;
	uint64_t entsize;
};

/**
 * struct elffile - an ELF64 file for x86-64
 * @fd: open for reading; owned
 * @size: of the file
 * @type: ET_EXEC or ET_DYN
 * @segs: program headers
 * @nsegs: their number
 * @secs: section headers, may be none
 * @nsecs: their number
 * @names: section names
 * @rels: pointers that the dynamic linker will write and the file lacks
 * @nrels: their number
 */
struct elffile {
	int fd;
	uint64_t size;
	uint16_t type;
	struct elfseg *segs;
	size_t nsegs;
	struct elfsec *secs;
	size_t nsecs;
	char *names;
	struct elfrel *rels;
	size_t nrels;
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
int elffile_open(int fd, const char *path, struct elffile *ret,
		 struct diag *d);
void elffile_fini(struct elffile *ef);

/* Section by name, or NULL. */
const struct elfsec *elffile_section(const struct elffile *ef,
				     const char *name);
/* The PT_LOAD that has file bytes for all of [@vaddr, @vaddr + @len). */
const struct elfseg *elffile_segment(const struct elffile *ef, uint64_t vaddr,
				     uint64_t len);

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
 * Walk .symtab. Returns what @fn returned last, 0 if there is no table, -1 if
 * it can't be read.
 */
int elffile_symbols(const struct elffile *ef, elffile_sym_fn fn, void *ctx);

#endif
