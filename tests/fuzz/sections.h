/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An input of fuzz_dwarf: u8 version; u32, two bits for each section: compressed,
 * as .zdebug or otherwise; then the sections in order, each is u16 length, bytes.
 */
#ifndef GOPROBE_FUZZ_SECTIONS_H
#define GOPROBE_FUZZ_SECTIONS_H

#define SECTIONS 11
#define SECTIONS_NAMES { \
	"abbrev", "info", "str", "ranges", "rnglists", "addr", "loc", "loclists", \
	"line", "line_str", "str_offsets", \
}

enum {
	SECTION_ABBREV, SECTION_INFO, SECTION_STR, SECTION_RANGES, SECTION_RNGLISTS, SECTION_ADDR,
	SECTION_LOC, SECTION_LOCLISTS, SECTION_LINE, SECTION_LINE_STR, SECTION_STR_OFFSETS,
};

#endif
