/* SPDX-License-Identifier: GPL-2.0 */
/* Go types from their DWARF entries. */
#ifndef GOPROBE_DWARF_TYPE_H
#define GOPROBE_DWARF_TYPE_H

#include "base/arena.h"
#include "dwarf/die.h"
#include "gotype/typeshell.h"

/* The types of one binary that were requested so far. */
struct dwarf_type {
	struct die *r;		/* where entries are read from */
	struct arena *mem;		/* where they live */
	int minor;			/* Go version, 1.@minor */
	uint64_t types;			/* link-time address that run-time types are counted from */
	struct typeshells shells;	/* types by offset of the entry */
	/*
	 * Bytes that were walked for types' fields: entries of a hostile file may overlap, and all
	 * have the same fields.
	 */
	uint64_t walked;
};

void dwarf_type_init(struct dwarf_type *t, struct die *r, int minor, uint64_t types,
		     struct arena *mem);
void dwarf_type_fini(struct dwarf_type *t);

/*
 * The type that @die (or the entry it is derived from) names with DW_AT_type,
 * with all types it refers to; NULL if it names none or there is no memory.
 */
const struct gotype *dwarf_type_get(struct dwarf_type *t, const struct dwdie *die);

/* The type that @die is, with the same result. */
const struct gotype *dwarf_type_at(struct dwarf_type *t, const struct dwdie *die);

/* The layout of the map type @map (dwarf/map_type.c); false if unknown. */
bool map_type_read(struct die *r, const struct dwdie *map, struct gomap *ret);

/*
 * The name of a type that is no pointer, without the compiler's mark of types that can't be
 * compared, "noalg." (types.TypeSymName). A package may have that name, too: then nothing but the
 * type's own name follows.
 */
const char *dwarf_type_unmarked(const char *name);

#endif
