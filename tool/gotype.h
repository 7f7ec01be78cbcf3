/* SPDX-License-Identifier: GPL-2.0 */
/* The Go type model: what a value's bytes mean. Knows no DWARF, does no I/O. */
#ifndef GOPROBE_GOTYPE_H
#define GOPROBE_GOTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gotype_kind {
	GOTYPE_UNKNOWN,		/* a size and a name, nothing else */
	GOTYPE_BOOL,
	GOTYPE_INT,		/* int, int8 ... int64, rune, named ones: by size */
	GOTYPE_UINT,		/* uint8 ... uint64, uintptr */
	GOTYPE_FLOAT,		/* 4 or 8 bytes */
	GOTYPE_COMPLEX,		/* 8 or 16 bytes */
	GOTYPE_STRING,
	GOTYPE_SLICE,		/* of elem */
	GOTYPE_ARRAY,		/* count times elem */
	GOTYPE_STRUCT,
	GOTYPE_POINTER,		/* to elem; elem is NULL for unsafe.Pointer */
	GOTYPE_INTERFACE,
	GOTYPE_MAP,
	GOTYPE_CHAN,
	GOTYPE_FUNC,
};

struct gotype;

struct gofield {
	const char *name;	/* "_" for blank ones */
	const struct gotype *type;
	uint64_t offset;
	bool embedded;
};

/**
 * struct gotype - a Go type
 * @kind: what it is underneath
 * @name: as Go writes it: "int", "time.Duration", "[]main.Item", "*main.Cart"
 * @size: bytes of a value
 * @align: alignment
 * @elem: of pointers, slices, arrays and channels
 * @count: elements of an array
 * @fields: of a struct, in order
 * @nfields: their number
 * @empty: an interface without methods: {type, data}; else {itab, data}
 *
 * Types are shared, immutable once built, and may be cyclic. Who made them
 * (gobin) owns them.
 */
struct gotype {
	enum gotype_kind kind;
	const char *name;
	uint64_t size;
	uint32_t align;
	const struct gotype *elem;
	uint64_t count;
	const struct gofield *fields;
	size_t nfields;
	bool empty;
};

#endif
