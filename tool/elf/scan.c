// SPDX-License-Identifier: GPL-2.0
/* Search of what a file's segments hold. */
#include <elf.h>
#include <stdlib.h>

#include "elf/scan.h"

#define WINDOW_BYTES (256U << 10)

static int scan_segment(const struct elffile *ef, const struct scan *what,
			const Elf64_Phdr *seg, uint64_t *words)
{
	uint64_t at = -seg->p_vaddr & 7;

	while (at < seg->p_filesz && seg->p_filesz - at >= 8) {
		uint64_t n = (seg->p_filesz - at) / 8;

		if (n > WINDOW_BYTES / 8)
			n = WINDOW_BYTES / 8;
		if (elffile_read(ef, seg->p_offset + at, words, n * 8))
			return 0;
		for (uint64_t i = 0; i < n; i++) {
			int ret;

			if (words[i] >> what->shift != what->value)
				continue;
			ret = what->fn(what->ctx, seg, seg->p_vaddr + at + i * 8);
			if (ret)
				return ret;
		}
		at += n * 8;
	}
	return 0;
}

int scan_words(const struct elffile *ef, const struct scan *what)
{
	uint64_t *words = malloc(WINDOW_BYTES);
	int ret = 0;

	if (!words)
		return 0;
	for (size_t i = 0; i < ef->nsegs && !ret; i++) {
		const Elf64_Phdr *seg = &ef->segs[i];

		if (seg->p_type == PT_LOAD && !(~seg->p_flags & what->with) &&
		    !(seg->p_flags & what->without))
			ret = scan_segment(ef, what, seg, words);
	}
	free(words);
	return ret;
}

int scan_windows(const struct elffile *ef, uint32_t without, size_t overlap,
		 scan_window_fn fn, void *ctx)
{
	uint8_t *p = malloc(WINDOW_BYTES);
	int ret = 0;

	if (!p)
		return 0;
	for (size_t i = 0; i < ef->nsegs && !ret; i++) {
		const Elf64_Phdr *seg = &ef->segs[i];
		uint64_t at = 0;

		if (seg->p_type != PT_LOAD || (seg->p_flags & without))
			continue;
		while (!ret && at < seg->p_filesz) {
			uint64_t n = seg->p_filesz - at;

			if (n > WINDOW_BYTES)
				n = WINDOW_BYTES;
			if (elffile_read(ef, seg->p_offset + at, p, n))
				break;
			ret = fn(ctx, p, n);
			at += n;
			if (at < seg->p_filesz)
				at -= overlap;
		}
	}
	free(p);
	return ret;
}
