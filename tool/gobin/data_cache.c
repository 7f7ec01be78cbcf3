// SPDX-License-Identifier: GPL-2.0
/* Small reads of a file's data through a cache of a fixed size. */
#include <stdlib.h>
#include <string.h>

#include "gobin/data_cache.h"

#define DATA_CACHE_PAGE 8192U
#define DATA_CACHE_SLOTS 128U

/* Bytes [@vaddr, @vaddr + @len) of the file; @len 0: nothing. */
struct data_cache_slot {
	uint64_t vaddr;
	uint64_t len;
	uint8_t bytes[DATA_CACHE_PAGE];
};

struct data_cache {
	const struct elffile *ef;
	struct data_cache_slot slots[DATA_CACHE_SLOTS];
};

struct data_cache *data_cache_new(const struct elffile *ef)
{
	struct data_cache *w = calloc(1, sizeof(*w));

	if (w)
		w->ef = ef;
	return w;
}

void data_cache_free(struct data_cache *w)
{
	free(w);
}

static bool holds(const struct data_cache_slot *s, uint64_t vaddr)
{
	return vaddr >= s->vaddr && vaddr - s->vaddr < s->len;
}

/* The slot that has the byte at @vaddr, filled if need be; or NULL. */
static const struct data_cache_slot *slot_of(struct data_cache *w, uint64_t vaddr)
{
	struct data_cache_slot *s = &w->slots[vaddr / DATA_CACHE_PAGE % DATA_CACHE_SLOTS];
	uint64_t page = vaddr - vaddr % DATA_CACHE_PAGE, lo, have;
	const Elf64_Phdr *seg;

	if (holds(s, vaddr))
		return s;
	seg = elffile_segment(w->ef, vaddr, 1);
	if (!seg)
		return NULL;
	lo = page > seg->p_vaddr ? page : seg->p_vaddr;
	have = seg->p_filesz - (lo - seg->p_vaddr);
	if (have > page + DATA_CACHE_PAGE - lo)
		have = page + DATA_CACHE_PAGE - lo;
	s->len = 0;
	if (elffile_read_vaddr(w->ef, lo, s->bytes, have))
		return NULL;
	s->vaddr = lo;
	s->len = have;
	return holds(s, vaddr) ? s : NULL;
}

int data_cache_read(struct data_cache *w, uint64_t vaddr, void *buf, size_t len)
{
	uint8_t *to = buf;

	while (len) {
		const struct data_cache_slot *s = slot_of(w, vaddr);
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
