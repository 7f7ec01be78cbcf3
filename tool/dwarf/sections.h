/* SPDX-License-Identifier: GPL-2.0 */
/* The debug sections of an ELF file, each read when it is first used. */
#ifndef GOPROBE_DWARF_SECTIONS_H
#define GOPROBE_DWARF_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elffile.h"

enum dwsect_id {
	DWSECT_INFO,
	DWSECT_ABBREV,
	DWSECT_ADDR,
	DWSECT_STR,
	DWSECT_LINE_STR,
	DWSECT_RANGES,
	DWSECT_RNGLISTS,
	DWSECT_LOC,
	DWSECT_LOCLISTS,
	DWSECT_LINE,
	DWSECT_COUNT,
};

/*
 * @p is libelf's, until the file is closed; it is NULL and @n 0 if there is no such section, or
 * it is damaged.
 */
struct dwsect {
	const uint8_t *p;
	size_t n;
	bool loaded;
};

/* Limit of the bytes of all sections together; a file with more counts as without. */
#define SECTIONS_MAX (2ULL << 30)
#define SECTIONS_MAX_TEXT "2 GB"

/* What has been read so far. */
struct sections {
	const struct elffile *ef;	/* the file */
	bool too_large;			/* there is too much of them */
	uint64_t inflate_left;		/* bytes that compressed sections may still expand to */
	struct dwsect v[DWSECT_COUNT];	/* by enum dwsect_id */
};

/* Has the file debug information, readable or not? */
bool sections_present(const struct elffile *ef);
/* Have they more than SECTIONS_MAX bytes, as the file says? */
bool sections_too_large(const struct elffile *ef);
/* Is the debug information compressed by other means than zlib? */
bool sections_unknown(const struct elffile *ef);
void sections_init(struct sections *s, const struct elffile *ef);

/* The section, decompressed; never NULL. */
const struct dwsect *sections_get(struct sections *s, enum dwsect_id id);

#endif
