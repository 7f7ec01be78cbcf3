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

#include "dwarf/sections.h"

struct dwabbrevs;

/* A compilation unit. */
struct dwunit {
	uint64_t off;			/* of its header */
	uint64_t die;			/* of its first entry */
	uint64_t end;			/* of the next unit */
	struct dwabbrevs *abbrevs;	/* its abbreviations, once needed */
	uint64_t abbrev_off;		/* where they are */
	uint16_t version;		/* of DWARF */
	bool wide;			/* 64-bit DWARF: offsets have 8 bytes */
	bool is_go;			/* written in Go */
	bool indexed;			/* free for dwinfo */
	const char *name;		/* the package's import path, or NULL */
	const char *package;		/* what Go code calls the package, or NULL */
	uint64_t low_pc;		/* what addresses in lists count from */
	uint64_t addr_base;		/* of its part of .debug_addr */
};

/* The entries of a file. */
struct die {
	struct sections sects;		/* where they are read from */
	struct dwunit *units;		/* all of them */
	size_t nunits;			/* their number */
	size_t units_cap;		/* capacity of @units */
	struct dwabbrevs **abbrevs;	/* lists of abbreviations that have been read */
	size_t nabbrevs;		/* their number */
	/*
	 * Bytes of abbreviations that may still be read: the units of a hostile file could refer to
	 * the same ones again and again.
	 */
	uint64_t abbrev_left;
};

/* 0, or -1: no debug information, or no memory. @ef outlives @r. */
int die_open(struct die *r, const struct elffile *ef);
void die_close(struct die *r);

/* An entry. */
struct dwdie {
	const struct dwunit *unit;	/* where it is */
	uint64_t off;			/* where it begins, in .debug_info; never 0 */
	uint64_t attrs;			/* where its attributes begin */
	const struct abbrev *abbrev;	/* what they are */
	unsigned int tag;		/* DW_TAG_* */
};

bool die_root(struct die *r, struct dwunit *u, struct dwdie *ret);
bool die_at(struct die *r, uint64_t off, struct dwdie *ret);
bool die_child(struct die *r, const struct dwdie *d, struct dwdie *ret);
/* @ret may be @d. */
bool die_sibling(struct die *r, const struct dwdie *d, struct dwdie *ret);

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
bool die_attr(struct die *r, const struct dwdie *d, unsigned int attr,
	      struct dwval *ret);
/* The same, of the entry or those that it is derived from. */
bool die_attr_any(struct die *r, const struct dwdie *d, unsigned int attr,
		  struct dwval *ret);

/* Attributes of one class. The names and references of derived entries count. */
bool die_number(struct die *r, const struct dwdie *d, unsigned int attr,
		uint64_t *ret);
bool die_address(struct die *r, const struct dwdie *d, unsigned int attr,
		 uint64_t *ret);
bool die_flag(struct die *r, const struct dwdie *d, unsigned int attr);
bool die_ref(struct die *r, const struct dwdie *d, unsigned int attr,
	     struct dwdie *ret);
/* Longer chains are hostile. */
#define DIE_TYPEDEFS_MAX 16
/* Go through typedefs that are no types of their own; false if damaged. */
bool die_own_type(struct die *r, struct dwdie *die);
const char *die_name(struct die *r, const struct dwdie *d);	/* or NULL */

/* A LEB128 number at *@p, which is moved behind it; 0 at the end. */
uint64_t dwarf_uleb(const uint8_t **p, const uint8_t *end);
int64_t dwarf_sleb(const uint8_t **p, const uint8_t *end);

/* Entry @index of the unit's part of .debug_addr. */
bool die_addrx(struct die *r, const struct dwunit *u, uint64_t index,
	       uint64_t *ret);

/* --- dwarf/loclist.c --- */

/* Called for each range; a value other than 0 ends the walk. */
typedef int (*die_range_fn)(void *ctx, uint64_t lo, uint64_t hi);
/* Call @fn for each range of code of the unit with first entry @root. Returns @fn's last result. */
int loclist_ranges(struct die *r, const struct dwdie *root, die_range_fn fn,
		   void *ctx);

/* The expression that says where @d's value is at @pc; false if none does. */
bool loclist_location(struct die *r, const struct dwdie *d, uint64_t pc,
		      const uint8_t **p, size_t *n);
/* Does its location differ from one address to another? */
bool loclist_moves(struct die *r, const struct dwdie *d);

#endif
