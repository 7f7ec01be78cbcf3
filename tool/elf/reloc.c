// SPDX-License-Identifier: GPL-2.0
/*
 * Relocations that are not in place. A pair with elffile.c: relocations are read from the file, and
 * what is read from it has them applied.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/elffile.h"
#include "elf/reloc.h"

#define RELOC_WINDOW 2048U
/* In how many places to look before the linker is believed to fill them all. */
#define RELOC_SAMPLE 256U
#define RELOC_DYNAMIC_MAX 1024U

/* Where the table is: DT_RELA survives what strips section headers. */
static bool find_table(const struct elffile *ef, uint64_t *vaddr, uint64_t *n)
{
	uint64_t size = 0, entry = 0;

	*vaddr = 0;
	for (size_t i = 0; i < ef->nsegs; i++) {
		const Elf64_Phdr *s = &ef->segs[i];

		if (s->p_type != PT_DYNAMIC)
			continue;
		for (uint64_t at = 0; at < RELOC_DYNAMIC_MAX; at++) {
			Elf64_Dyn d;

			if ((at + 1) * sizeof(d) > s->p_filesz ||
			    elffile_read(ef, s->p_offset + at * sizeof(d), &d,
					 sizeof(d)) || d.d_tag == DT_NULL)
				break;
			if (d.d_tag == DT_RELA)
				*vaddr = d.d_un.d_ptr;
			else if (d.d_tag == DT_RELASZ)
				size = d.d_un.d_val;
			else if (d.d_tag == DT_RELAENT)
				entry = d.d_un.d_val;
		}
		break;
	}
	*n = size / sizeof(Elf64_Rela);
	return *vaddr && *n && entry == sizeof(Elf64_Rela) &&
	       elffile_segment(ef, *vaddr, size);
}

static bool in_place(const struct elffile *ef, const Elf64_Rela *r)
{
	uint64_t word;

	return elffile_read_vaddr(ef, r->r_offset, &word, sizeof(word)) ||
	       word == (uint64_t)r->r_addend;
}

struct list {
	struct reloc *v;
	size_t n;
	size_t cap;
};

static int list_add(struct list *l, const Elf64_Rela *r)
{
	if (grow(&l->v, l->n + 1, &l->cap, sizeof(*l->v)))
		return -1;
	l->v[l->n++] = (struct reloc){ r->r_offset, (uint64_t)r->r_addend };
	return 0;
}

static int by_vaddr(const void *a, const void *b)
{
	const struct reloc *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

/* By address, one for each. Returns how many are left. */
static size_t sort(struct reloc *v, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(v, n, sizeof(*v), by_vaddr);
	for (size_t i = 0; i < n; i++) {
		if (!kept || v[kept - 1].vaddr != v[i].vaddr)
			v[kept++] = v[i];
	}
	return kept;
}

/* Those of the next @n entries at @vaddr; @seen counts places looked at. */
static int take(const struct elffile *ef, uint64_t vaddr, size_t n,
		struct list *l, size_t *seen)
{
	Elf64_Rela window[RELOC_WINDOW];

	if (elffile_read_vaddr(ef, vaddr, window, n * sizeof(*window)))
		return -1;
	for (size_t i = 0; i < n; i++) {
		const Elf64_Rela *r = &window[i];

		if (ELF64_R_TYPE(r->r_info) != R_X86_64_RELATIVE)
			continue;
		/* Once one is missing all are taken: being in place does no harm. */
		if (!l->n && in_place(ef, r)) {
			if (++*seen == RELOC_SAMPLE)
				return -1;
			continue;
		}
		if (list_add(l, r))
			return -1;
	}
	return 0;
}

size_t reloc_load(const struct elffile *ef, struct reloc **ret)
{
	struct list l = { .v = NULL };
	uint64_t vaddr, left;
	size_t seen = 0;

	*ret = NULL;
	if (ef->type != ET_DYN || !find_table(ef, &vaddr, &left))
		return 0;
	while (left) {
		size_t n = left < RELOC_WINDOW ? left : RELOC_WINDOW;

		if (take(ef, vaddr, n, &l, &seen))
			break;
		vaddr += n * sizeof(Elf64_Rela);
		left -= n;
	}
	*ret = l.v;
	return sort(l.v, l.n);
}

void reloc_apply(const struct reloc *v, size_t n, uint64_t vaddr, void *buf,
		 size_t len)
{
	uint64_t from = vaddr < 7 ? 0 : vaddr - 7;
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].vaddr < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n && v[lo].vaddr - from < len + (vaddr - from); lo++) {
		uint8_t bytes[8];

		memcpy(bytes, &v[lo].value, sizeof(bytes));
		for (size_t i = 0; i < sizeof(bytes); i++) {
			uint64_t at = v[lo].vaddr + i;

			if (at >= vaddr && at - vaddr < len)
				((uint8_t *)buf)[at - vaddr] = bytes[i];
		}
	}
}
