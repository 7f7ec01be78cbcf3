/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The linker's data for the runtime, which every Go binary has, stripped or not:
 * the line table, the version, moduledata; and the symbols of .symtab.
 */
#ifndef GOPROBE_GOBIN_MODULEDATA_H
#define GOPROBE_GOBIN_MODULEDATA_H

#include "base/hmap.h"
#include "elf/elffile.h"
#include "gobin/pclntab.h"

/* The linker's tables. */
struct moduledata {
	uint8_t *data;		/* memory that @tab works on */
	/* Line table; @tab.text is the right one even where the header has none. */
	struct pclntab tab;
	char *version;		/* "go1.24.4" */
	int minor;		/* 24 */
	uint64_t moduledata;	/* its link-time address, or 0 */
	uint64_t text;		/* what method entries count from, or 0 */
	uint64_t types;		/* first type descriptor, or 0 */
	uint64_t etypes;	/* their end */
	/* Bytes from @types that are descriptors back to back (1.27), or 0. */
	uint64_t desc_len;
	uint64_t typelinks;	/* address of 4-byte offsets from @types (before 1.27) */
	uint64_t ntypelinks;	/* their number */
	uint64_t itablinks;	/* address of pointers to itabs (before 1.27) */
	uint64_t nitablinks;	/* their number */
	uint64_t itabs;		/* address of itabs, back to back (1.27) */
	uint64_t itabs_len;	/* bytes of them */
	uint64_t gofunc;	/* what function data offsets count from, or 0 */
	bool symbols;		/* there is a .symtab */
	int64_t tlsg;		/* value of runtime.tlsg, or -1 */
	struct hmap abi0;	/* entries of functions that the linker calls "name.abi0" */
	struct hmap abi0_names;	/* hashes of these names, without the suffix */
};

/* Returns 0, or -1 with a message: not a Go binary, too old, damaged. */
int moduledata_load(struct moduledata *l, const struct elffile *ef,
		    const char *path, struct diag *d);
void moduledata_fini(struct moduledata *l);

/* The function called @name, by a walk over all; 0 or -1. */
int moduledata_find(const struct moduledata *l, const char *name,
		    struct pclntab_func *ret);

#endif
