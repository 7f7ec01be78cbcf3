// SPDX-License-Identifier: GPL-2.0
/* Small reads of a file's data through a cache of a fixed size. */
#include <stdlib.h>
#include <string.h>

#include "gobin/data_cache.h"

#define DATAWIN_PAGE 8192U
#define DATAWIN_SLOTS 128U

/* Bytes [@vaddr, @vaddr + @len) of the file; @len 0: nothing. */
struct datawin_slot {
	uint64_t vaddr;
	uint64_t len;
	uint8_t bytes[DATAWIN_PAGE];
};

struct datawin {
	const struct elffile *ef;
	struct datawin_slot slots[DATAWIN_SLOTS];
};

struct datawin *datawin_new(const struct elffile *ef)
{
	struct datawin *w = calloc(1, sizeof(*w));

	if (w)
		w->ef = ef;
	return w;
}

void datawin_free(struct datawin *w)
{
	free(w);
}

static bool holds(const struct datawin_slot *s, uint64_t vaddr)
{
	return vaddr >= s->vaddr && vaddr - s->vaddr < s->len;
}

/* The slot that has the byte at @vaddr, filled if need be; or NULL. */
static const struct datawin_slot *slot_of(struct datawin *w, uint64_t vaddr)
{
	struct datawin_slot *s = &w->slots[vaddr / DATAWIN_PAGE % DATAWIN_SLOTS];
	uint64_t page = vaddr - vaddr % DATAWIN_PAGE, lo, have;
	const Elf64_Phdr *seg;

	if (holds(s, vaddr))
		return s;
	seg = elffile_segment(w->ef, vaddr, 1);
	if (!seg)
		return NULL;
	lo = page > seg->p_vaddr ? page : seg->p_vaddr;
	have = seg->p_filesz - (lo - seg->p_vaddr);
	if (have > page + DATAWIN_PAGE - lo)
		have = page + DATAWIN_PAGE - lo;
	s->len = 0;
	if (elffile_read_vaddr(w->ef, lo, s->bytes, have))
		return NULL;
	s->vaddr = lo;
	s->len = have;
	return holds(s, vaddr) ? s : NULL;
}

int datawin_read(struct datawin *w, uint64_t vaddr, void *buf, size_t len)
{
	uint8_t *to = buf;

	while (len) {
		const struct datawin_slot *s = slot_of(w, vaddr);
		uint64_t n;

		if (!s)
			return -1;
		n = s->len - (vaddr - s->vaddr);
		if (n > len)
			n = len;
		memcpy(to, s->bytes + (vaddr - s->vaddr), n);
		to += n;
		len -= n;
		if (__builtin_add_overflow(vaddr, n, &vaddr) && len)
			return -1;
	}
	return 0;
}
