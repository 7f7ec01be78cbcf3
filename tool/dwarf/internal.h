/* SPDX-License-Identifier: GPL-2.0 */
/* Internals of dwinfo that dwarf/dwarf.c and dwarf/subprogram.c share. */
#ifndef GOPROBE_DWARF_INTERNAL_H
#define GOPROBE_DWARF_INTERNAL_H

#include "base/hmap.h"
#include "dwarf/dwarf.h"
#include "dwarf/type.h"
#include "elf/elffile.h"

/* Nobody writes a function of more; a bound against hostile files. */
#define DWARF_PARAMS_MAX 512

/* The unit of a stretch of code. */
struct dwrange {
	uint64_t lo;
	uint64_t hi;
	size_t unit;
};

struct dwarf {
	struct elffile ef;
	struct die r;
	bool opened;
	int minor;
	struct arena *mem;
	struct dwarf_type types;
	struct dwrange *ranges;
	size_t nranges;
	size_t ranges_cap;
	struct hmap by_entry;		/* low_pc to entry offset */
	struct hmap closures;		/* low_pc to struct gotype */
};

/* The entry of the function that begins at @entry; false if none does. */
bool dwarf_file_func(struct dwarf *dw, uint64_t entry, struct dwdie *ret);

#endif
