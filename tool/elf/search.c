// SPDX-License-Identifier: GPL-2.0
/* Search of what a file's segments hold. */
#include <elf.h>
#include <stdlib.h>

#include "elf/search.h"

#define WINDOW_BYTES (256U << 10)

static int scan_segment(const struct elffile *ef, const struct elfscan *what,
			const struct elfseg *seg, uint64_t *words)
{
	uint64_t at = -seg->vaddr & 7;

	while (at < seg->filesz && seg->filesz - at >= 8) {
		uint64_t n = (seg->filesz - at) / 8;

		if (n > WINDOW_BYTES / 8)
			n = WINDOW_BYTES / 8;
		if (elffile_read(ef, seg->off + at, words, n * 8))
			return 0;
		for (uint64_t i = 0; i < n; i++) {
			int ret;

			if (words[i] >> what->shift != what->value)
				continue;
			ret = what->fn(what->ctx, seg, seg->vaddr + at + i * 8);
			if (ret)
				return ret;
		}
		at += n * 8;
	}
	return 0;
}

int elfscan_words(const struct elffile *ef, const struct elfscan *what)
{
	uint64_t *words = malloc(WINDOW_BYTES);
	int ret = 0;

	if (!words)
		return 0;
	for (size_t i = 0; i < ef->nsegs && !ret; i++) {
		const struct elfseg *seg = &ef->segs[i];

		if (seg->type == PT_LOAD && !(~seg->flags & what->with) &&
		    !(seg->flags & what->without))
			ret = scan_segment(ef, what, seg, words);
	}
	free(words);
	return ret;
}

int elfscan_windows(const struct elffile *ef, uint32_t without, size_t overlap,
		    elfscan_window_fn fn, void *ctx)
{
	uint8_t *p = malloc(WINDOW_BYTES);
	int ret = 0;

	if (!p)
		return 0;
	for (size_t i = 0; i < ef->nsegs && !ret; i++) {
		const struct elfseg *seg = &ef->segs[i];
		uint64_t at = 0;

		if (seg->type != PT_LOAD || (seg->flags & without))
			continue;
		while (!ret && at < seg->filesz) {
			uint64_t n = seg->filesz - at;

			if (n > WINDOW_BYTES)
				n = WINDOW_BYTES;
			if (elffile_read(ef, seg->off + at, p, n))
				break;
			ret = fn(ctx, p, n);
			at += n;
			if (at < seg->filesz)
				at -= overlap;
		}
	}
	free(p);
	return ret;
}
