/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries and attributes of .debug_info, versions 2 to 5, as far as Go programs
 * have them. Trusts nothing: what is damaged ends a walk, or has no value.
 */
#ifndef GOPROBE_DWARF_DIE_H
#define GOPROBE_DWARF_DIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/section.h"

struct dwabbrevs;

/**
 * struct dwunit - a compilation unit
 * @off: of its header
 * @die: of its first entry
 * @end: of the next unit
 * @abbrevs: its abbreviations, once needed
 * @abbrev_off: where they are
 * @version: of DWARF
 * @wide: 64-bit DWARF: offsets have 8 bytes
 * @is_go: written in Go
 * @indexed: free for dwinfo
 * @name: the package's import path, or NULL
 * @low_pc: what addresses in lists count from
 * @addr_base: of its part of .debug_addr
 */
struct dwunit {
	uint64_t off;
	uint64_t die;
	uint64_t end;
	struct dwabbrevs *abbrevs;
	uint64_t abbrev_off;
	uint16_t version;
	bool wide;
	bool is_go;
	bool indexed;
	const char *name;
	uint64_t low_pc;
	uint64_t addr_base;
};

/**
 * struct dwread - the entries of a file
 * @sects: where they are read from
 * @units: all of them
 * @nunits: their number
 * @units_cap: capacity of @units
 * @abbrevs: lists of abbreviations that have been read
 * @nabbrevs: their number
 * @abbrev_left: bytes of abbreviations that may still be read: the units of a hostile
 *	file could refer to the same ones again and again
 */
struct dwread {
	struct dwsects sects;
	struct dwunit *units;
	size_t nunits;
	size_t units_cap;
	struct dwabbrevs **abbrevs;
	size_t nabbrevs;
	uint64_t abbrev_left;
};

/* 0, or -1: no debug information, or no memory. @ef outlives @r. */
int dwread_open(struct dwread *r, const struct elffile *ef);
void dwread_close(struct dwread *r);

/**
 * struct dwdie - an entry
 * @unit: where it is
 * @off: where it begins, in .debug_info; never 0
 * @attrs: where its attributes begin
 * @abbrev: what they are
 * @tag: DW_TAG_*
 */
struct dwdie {
	const struct dwunit *unit;
	uint64_t off;
	uint64_t attrs;
	const struct dwabbrev *abbrev;
	unsigned int tag;
};

bool dwread_root(struct dwread *r, struct dwunit *u, struct dwdie *ret);
bool dwread_at(struct dwread *r, uint64_t off, struct dwdie *ret);
bool dwread_child(struct dwread *r, const struct dwdie *d, struct dwdie *ret);
/* @ret may be @d. */
bool dwread_sibling(struct dwread *r, const struct dwdie *d, struct dwdie *ret);

enum dwval_class {
	DWVAL_NONE,
	DWVAL_NUMBER,		/* @u; flags: 0 or 1 */
	DWVAL_ADDRESS,		/* @u */
	DWVAL_REF,		/* @u: offset of an entry */
	DWVAL_STRING,		/* @p, of @n bytes before the NUL */
	DWVAL_BLOCK,		/* @p, of @n bytes */
	DWVAL_OFFSET,		/* @u: into another section */
	DWVAL_INDEX,		/* @u: into a table of offsets (rnglistx, loclistx) */
};

struct dwval {
	enum dwval_class class;
	uint64_t u;
	const uint8_t *p;
	size_t n;
};

/* The attribute's value; false if the entry has none. */
bool dwread_attr(struct dwread *r, const struct dwdie *d, unsigned int attr,
		 struct dwval *ret);
/* The same, of the entry or those that it is derived from. */
bool dwread_attr_any(struct dwread *r, const struct dwdie *d, unsigned int attr,
		     struct dwval *ret);

/* Attributes of one class. The names and references of derived entries count. */
bool dwread_number(struct dwread *r, const struct dwdie *d, unsigned int attr,
		   uint64_t *ret);
bool dwread_address(struct dwread *r, const struct dwdie *d, unsigned int attr,
		    uint64_t *ret);
bool dwread_flag(struct dwread *r, const struct dwdie *d, unsigned int attr);
bool dwread_ref(struct dwread *r, const struct dwdie *d, unsigned int attr,
		struct dwdie *ret);
const char *dwread_name(struct dwread *r, const struct dwdie *d);	/* or NULL */

/* A LEB128 number at *@p, which is moved behind it; 0 at the end. */
uint64_t dwread_uleb(const uint8_t **p, const uint8_t *end);
int64_t dwread_sleb(const uint8_t **p, const uint8_t *end);

/* Entry @index of the unit's part of .debug_addr. */
bool dwread_addrx(struct dwread *r, const struct dwunit *u, uint64_t index,
		  uint64_t *ret);

/* --- dwarf/loclist.c --- */

/* Called for each range; a value other than 0 ends the walk. */
typedef int (*dwread_range_fn)(void *ctx, uint64_t lo, uint64_t hi);
/* Call @fn for each range of code of the unit with first entry @root. Returns @fn's last result. */
int dwread_ranges(struct dwread *r, const struct dwdie *root, dwread_range_fn fn,
		  void *ctx);

/* The expression that says where @d's value is at @pc; false if none does. */
bool dwread_location(struct dwread *r, const struct dwdie *d, uint64_t pc,
		     const uint8_t **p, size_t *n);

#endif
