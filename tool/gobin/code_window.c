// SPDX-License-Identifier: GPL-2.0
/* A window onto a file's code. */
#include <elf.h>
#include <stdlib.h>

#include "gobin/code_window.h"

/* Many functions in one read, yet little for one that stands alone. */
#define CODE_WINDOW_BYTES (256U << 10)
/* No compiler makes a function as large; a hostile table may say so. */
#define CODE_WINDOW_MAX (16U << 20)

struct code_window {
	const struct elffile *ef;
	uint8_t *bytes;
	size_t cap;
	uint64_t vaddr;
	uint64_t len;
};

struct code_window *code_window_new(const struct elffile *ef)
{
	struct code_window *w = calloc(1, sizeof(*w));

	if (w)
		w->ef = ef;
	return w;
}

void code_window_free(struct code_window *w)
{
	if (w)
		free(w->bytes);
	free(w);
}

const uint8_t *code_window_get(struct code_window *w, uint64_t vaddr, size_t len)
{
	const Elf64_Phdr *s;
	uint64_t have;
	size_t want;

	if (w->bytes && vaddr >= w->vaddr && vaddr - w->vaddr <= w->len &&
	    len <= w->len - (vaddr - w->vaddr))
		return w->bytes + (vaddr - w->vaddr);
	s = elffile_segment(w->ef, vaddr, len);
	if (!s || !(s->p_flags & PF_X) || len > CODE_WINDOW_MAX)
		return NULL;
	have = s->p_filesz - (vaddr - s->p_vaddr);
	want = len > CODE_WINDOW_BYTES ? len : CODE_WINDOW_BYTES;
	if (want > have)
		want = have;
	w->len = 0;
	if (want > w->cap) {
		uint8_t *p = realloc(w->bytes, want);

		if (!p)
			return NULL;
		w->bytes = p;
		w->cap = want;
	}
	if (elffile_read(w->ef, s->p_offset + (vaddr - s->p_vaddr), w->bytes, want))
		return NULL;
	w->vaddr = vaddr;
	w->len = want;
	return w->bytes;
}
