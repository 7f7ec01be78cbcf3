/* SPDX-License-Identifier: GPL-2.0 */
/* Go types from their DWARF entries. Part of dwinfo: libdw's types show. */
#ifndef GOPROBE_DWTYPE_H
#define GOPROBE_DWTYPE_H

#include <elfutils/libdw.h>

#include "arena.h"
#include "gotype.h"
#include "hmap.h"

/* Vendor attributes of Go: src/cmd/internal/dwarf/dwarf.go. */
#define DW_AT_go_kind		0x2900
#define DW_AT_go_key		0x2901
#define DW_AT_go_elem		0x2902
#define DW_AT_go_embedded_field	0x2903
#define DW_AT_go_runtime_type	0x2904
#define DW_AT_go_closure_offset	0x2907

/* Longer chains are hostile. */
#define DWTYPE_TYPEDEFS_MAX 16

struct dwtype_job;

/**
 * struct dwtype - the types of one binary that were asked for so far
 * @mem: where they live
 * @minor: Go version, 1.@minor
 * @types: link-time address that run-time types are counted from
 * @by_die: type by offset of its entry
 * @jobs: types whose entry has been seen but not read yet
 * @njobs: their number
 * @jobs_cap: room for them
 */
struct dwtype {
	struct arena *mem;
	int minor;
	uint64_t types;
	struct hmap by_die;
	struct dwtype_job *jobs;
	size_t njobs;
	size_t jobs_cap;
};

void dwtype_init(struct dwtype *t, int minor, uint64_t types, struct arena *mem);
void dwtype_fini(struct dwtype *t);

/*
 * The type that @die (or the entry it is derived from) names with DW_AT_type,
 * with all types it refers to; NULL if it names none or there is no memory.
 */
const struct gotype *dwtype_get(struct dwtype *t, Dwarf_Die *die);

/* The type that @die is, likewise. */
const struct gotype *dwtype_at(struct dwtype *t, Dwarf_Die *die);

/* @name without the marks of the compiler's shape types. */
const char *dwtype_clean_name(struct dwtype *t, const char *name);

/* The attribute's number; false if there is none. */
bool dwtype_number(Dwarf_Die *die, unsigned int attr, uint64_t *v);
/* The entry that the attribute refers to. */
bool dwtype_reference(Dwarf_Die *die, unsigned int attr, Dwarf_Die *ret);
/* Go through typedefs that are no types of their own; false if damaged. */
bool dwtype_resolve(Dwarf_Die *die);

/* How the map type @map keeps its entries (dwmap.c); false if not told. */
bool dwmap_read(Dwarf_Die *map, struct gomap *ret);

#endif
