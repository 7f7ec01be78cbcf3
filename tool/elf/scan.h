/* SPDX-License-Identifier: GPL-2.0 */
/* Search of what a file's segments hold, window by window. */
#ifndef GOPROBE_ELF_SCAN_H
#define GOPROBE_ELF_SCAN_H

#include "elf/elffile.h"

/* Called with the address of a word; a value other than 0 ends the search. */
typedef int (*scan_fn)(void *ctx, const Elf64_Phdr *, uint64_t vaddr);

/* What to look for. */
struct scan {
	uint32_t with;		/* flags (PF_*) that a segment must have */
	uint32_t without;	/* flags that it must not have */
	unsigned int shift;	/* bits of a word that do not count, from the lowest */
	uint64_t value;		/* the others */
	scan_fn fn;		/* called for each 8-aligned word that fits */
	void *ctx;		/* its first argument */
};

/* Returns what @fn returned last, or 0. */
int scan_words(const struct elffile *ef, const struct scan *what);

/*
 * Called with a window of a segment, of which the last @overlap bytes will be
 * the first ones of the next; a value other than 0 ends the walk.
 */
typedef int (*scan_window_fn)(void *ctx, const uint8_t *p, size_t len);

/* All of the segments without the flags @without. */
int scan_windows(const struct elffile *ef, uint32_t without, size_t overlap,
		 scan_window_fn fn, void *ctx);

#endif
