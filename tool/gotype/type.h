/* SPDX-License-Identifier: GPL-2.0 */
/* The Go type model: what a value's bytes mean. Knows no DWARF, does no I/O. */
#ifndef GOPROBE_GOTYPE_TYPE_H
#define GOPROBE_GOTYPE_TYPE_H

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
	GOTYPE_MAP,		/* of key to elem; a pointer to the map's header */
	GOTYPE_CHAN,		/* of elem; a pointer to runtime.hchan */
	GOTYPE_FUNC,		/* a pointer to a closure, whose first word is code */
};

struct gotype;

struct gofield {
	const char *name;	/* "_" for blank ones */
	const struct gotype *type;
	uint64_t offset;
	bool embedded;
};

/**
 * struct gomap - where a map type keeps its entries
 * @swiss: groups of Go 1.24 and later; else buckets (gobin/runtime_layout.h has the headers)
 * @size: bytes of a group or bucket
 * @key_at: offset of the first key in it; there are 8
 * @key_stride: from one key to the next
 * @elem_at: offset of the first element
 * @elem_stride: from one to the next
 * @key_indirect: a pointer to the key is kept in place of the key
 * @elem_indirect: a pointer to the element is kept in place of the element
 *
 * A bucket's last word is the pointer to its overflow bucket. A swiss group
 * begins with its 8 control bytes, a bucket with its 8 hash bytes.
 */
struct gomap {
	bool swiss;
	uint32_t size;
	uint32_t key_at;
	uint32_t key_stride;
	uint32_t elem_at;
	uint32_t elem_stride;
	bool key_indirect;
	bool elem_indirect;
};

/**
 * struct gotype - a Go type
 * @kind: what it is underneath
 * @name: as Go writes it: "int", "time.Duration", "[]main.Item", "*main.Cart"
 * @size: bytes of a value
 * @align: alignment
 * @elem: of pointers, slices, arrays, channels and maps
 * @key: of maps
 * @map: of maps: where entries are, or NULL if unknown
 * @count: elements of an array
 * @fields: of a struct, in order
 * @nfields: their number
 * @more: what a closure has captured, of which not all is in @fields
 * @empty: an interface without methods: {type, data}; else {itab, data}
 * @rtype: link-time address of its run-time descriptor, or 0 if unknown
 *
 * Types are shared, immutable once built, and may be cyclic. Who made them
 * (gobin) owns them. One type can be there twice, from debug information and from
 * run-time descriptors: compare names, not addresses.
 */
struct gotype {
	enum gotype_kind kind;
	const char *name;
	uint64_t size;
	uint32_t align;
	const struct gotype *elem;
	const struct gotype *key;
	const struct gomap *map;
	uint64_t count;
	const struct gofield *fields;
	size_t nfields;
	bool more;
	bool empty;
	uint64_t rtype;
};

/* A register of which nothing is known: it need not be an address, and 0 is not nil. */
#define GOTYPE_REGISTER "register"

#endif
