/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The linker's data for the runtime, which every Go binary has, stripped or not:
 * the line table, the version, moduledata; and the symbols of .symtab.
 */
#ifndef GOPROBE_GOBIN_MODULEDATA_H
#define GOPROBE_GOBIN_MODULEDATA_H

#include "base/hmap.h"
#include "elf/elf.h"
#include "gobin/pclntab.h"

/**
 * struct linktab - the linker's tables
 * @data: memory that @tab works on
 * @tab: line table; @tab.text is the right one even where the header has none
 * @version: "go1.24.4"
 * @minor: 24
 * @moduledata: its link-time address, or 0
 * @text: what method entries count from, or 0
 * @types: first type descriptor, or 0
 * @etypes: their end
 * @desc_len: bytes from @types that are descriptors back to back (1.27), or 0
 * @typelinks: address of 4-byte offsets from @types (before 1.27)
 * @ntypelinks: their number
 * @itablinks: address of pointers to itabs (before 1.27)
 * @nitablinks: their number
 * @itabs: address of itabs, back to back (1.27)
 * @itabs_len: bytes of them
 * @gofunc: what function data offsets count from, or 0
 * @symbols: there is a .symtab
 * @tlsg: value of runtime.tlsg, or -1
 * @abi0: entries of functions that the linker calls "name.abi0"
 * @abi0_names: hashes of these names, without the suffix
 */
struct linktab {
	uint8_t *data;
	struct pclntab tab;
	char *version;
	int minor;
	uint64_t moduledata;
	uint64_t text;
	uint64_t types;
	uint64_t etypes;
	uint64_t desc_len;
	uint64_t typelinks;
	uint64_t ntypelinks;
	uint64_t itablinks;
	uint64_t nitablinks;
	uint64_t itabs;
	uint64_t itabs_len;
	uint64_t gofunc;
	bool symbols;
	int64_t tlsg;
	struct hmap abi0;
	struct hmap abi0_names;
};

/* Returns 0, or -1 with a message: not a Go binary, too old, damaged. */
int linktab_load(struct linktab *l, const struct elffile *ef,
		 const char *path, struct diag *d);
void linktab_fini(struct linktab *l);

/* The function called @name, by a walk over all; 0 or -1. */
int linktab_find(const struct linktab *l, const char *name,
		 struct pclntab_func *ret);

#endif
