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

/*
 * Where a map type keeps its entries. A bucket's last word is the pointer to its overflow bucket. A
 * swiss group begins with its 8 control bytes, a bucket with its 8 hash bytes.
 */
struct gomap {
	/* Groups of Go 1.24 and later; else buckets (gobin/runtime_layout.h has the headers). */
	bool swiss;
	uint32_t size;		/* bytes of a group or bucket */
	uint32_t key_at;	/* offset of the first key in it; there are 8 */
	uint32_t key_stride;	/* from one key to the next */
	uint32_t elem_at;	/* offset of the first element */
	uint32_t elem_stride;	/* from one to the next */
	bool key_indirect;	/* a pointer to the key is kept in place of the key */
	bool elem_indirect;	/* a pointer to the element is kept in place of the element */
};

/*
 * A Go type. Types are shared, immutable once built, and may be cyclic. Who made them (gobin) owns
 * them. One type can be there twice, from debug information and from run-time descriptors: compare
 * names, not addresses.
 */
struct gotype {
	enum gotype_kind kind;	/* what it is underneath */
	/* As Go writes it: "int", "time.Duration", "[]main.Item", "*main.Cart". */
	const char *name;
	uint64_t size;		/* bytes of a value */
	uint32_t align;		/* alignment */
	const struct gotype *elem;	/* of pointers, slices, arrays, channels and maps */
	const struct gotype *key;	/* of maps */
	const struct gomap *map;	/* of maps: where entries are, or NULL if unknown */
	uint64_t count;		/* elements of an array */
	const struct gofield *fields;	/* of a struct, in order */
	size_t nfields;		/* their number */
	bool more;		/* what a closure has captured, of which not all is in @fields */
	bool empty;		/* an interface without methods: {type, data}; else {itab, data} */
	uint64_t rtype;		/* link-time address of its run-time descriptor, or 0 if unknown */
};

/*
 * The type *T that a generic struct names in a field without size, [0]*T, because another field is
 * an unsafe.Pointer to T; or NULL. sync/atomic.Pointer[T] and weak.Pointer[T] are such structs.
 */
static inline const struct gotype *gotype_mentioned(const struct gotype *t)
{
	for (size_t i = 0; i < t->nfields; i++) {
		const struct gotype *a = t->fields[i].type;

		if (a && a->kind == GOTYPE_ARRAY && !a->count && a->elem &&
		    a->elem->kind == GOTYPE_POINTER && a->elem->size == 8)
			return a->elem;
	}
	return NULL;
}

/* A register of which nothing is known: it need not be an address, and 0 is not nil. */
#define GOTYPE_REGISTER "register"

#endif
