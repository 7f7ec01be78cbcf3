/* SPDX-License-Identifier: GPL-2.0 */
/* Abbreviations: which attributes entries have, in which form. Inside of dwread. */
#ifndef GOPROBE_DWARF_ABBREV_H
#define GOPROBE_DWARF_ABBREV_H

#include "dwarf/die.h"

/* An attribute, and how its value is written. */
struct dwspec {
	uint16_t name;
	uint16_t form;
	int8_t size;		/* bytes of the value, or -1 if they vary */
	int64_t value;		/* of DW_FORM_implicit_const */
};

struct abbrev {
	unsigned int tag;
	bool children;
	uint32_t spec;		/* first of @nspecs */
	uint32_t nspecs;
	int32_t fixed;		/* bytes of all values, or -1 if they vary */
};

struct dwabbrevs {
	uint64_t off;
	bool wide;
	struct abbrev *v;	/* by number - 1; tag 0: unused */
	size_t n;
	struct dwspec *specs;
	size_t nspecs;
	size_t specs_cap;
};

/* Bytes that have not been read yet; @bad once there were too few. */
struct dwarf_cursor {
	const uint8_t *p;
	const uint8_t *end;
	bool bad;
};

/* The next @n bytes, or NULL. */
const uint8_t *dwarf_cursor_take(struct dwarf_cursor *c, uint64_t n);
uint64_t dwarf_cursor_uint(struct dwarf_cursor *c, unsigned int n);
uint64_t dwarf_cursor_uleb(struct dwarf_cursor *c);

/* The unit's abbreviations; NULL if they are damaged, or there is no memory. */
struct dwabbrevs *abbrev_find(struct die *r, const struct dwunit *u);
/* Forget them, if they were the last that were read. */
void abbrev_forget(struct die *r, struct dwunit *u);
void abbrev_free(struct dwabbrevs *t);

#endif
