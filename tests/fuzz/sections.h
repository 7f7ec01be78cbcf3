/* SPDX-License-Identifier: GPL-2.0 */
/* The sections of an input of fuzz_dwarf, in order; each is u16 length, bytes. */
#ifndef GOPROBE_FUZZ_SECTIONS_H
#define GOPROBE_FUZZ_SECTIONS_H

#define SECTIONS 9
#define SECTIONS_NAMES { \
	".debug_abbrev", ".debug_info", ".debug_str", ".debug_ranges", \
	".debug_rnglists", ".debug_addr", ".debug_loc", ".debug_loclists", \
	".debug_line", \
}

enum { SECTION_ABBREV, SECTION_INFO, SECTION_STR };

#endif
