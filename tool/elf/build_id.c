// SPDX-License-Identifier: GPL-2.0
/* Build ids: the notes in which linkers say which build a file is. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/unaligned.h"
#include "elf/build_id.h"

/* Notes that are longer are no linker's. */
#define NOTES_MAX 65536U
/* No linker leaves as many groups of them. */
#define GROUPS_MAX 32U
#define ID_MAX 256U
/* src/cmd/internal/buildid */
#define GO_OWNER "Go"
#define GO_BUILD_ID 4U

#define HEADER 12U

/* @n rounded up to what a note's parts are aligned to. */
static uint64_t padded(uint32_t n)
{
	return ((uint64_t)n + 3) & ~3ULL;
}

const uint8_t *build_id_find(const uint8_t *p, size_t len, const char *owner, uint32_t type,
			     size_t *n)
{
	size_t want = strlen(owner) + 1;

	while (len >= HEADER) {
		uint32_t name = load_u32(p), desc = load_u32(p + 4);
		uint64_t at = HEADER + padded(name), size = at + padded(desc);

		if (at > len || desc > len - at)
			return NULL;
		if (load_u32(p + 8) == type && name >= want && !memcmp(p + HEADER, owner, want)) {
			*n = desc;
			return p + at;
		}
		if (size > len)
			return NULL;
		p += size;
		len -= size;
	}
	return NULL;
}

/* "ba827d96...", or the bytes as they are; NULL without memory. */
static char *text_of(const uint8_t *p, size_t n, bool hex)
{
	struct buf b = { .p = NULL };

	for (size_t i = 0; i < n; i++) {
		if (hex)
			buf_hex_byte(&b, p[i]);
		else if (p[i] > ' ' && p[i] < 0x7f)
			buf_char(&b, (char)p[i]);
	}
	buf_char(&b, '\0');
	if (!b.failed)
		return b.p;
	buf_fini(&b);
	return NULL;
}

struct wanted {
	const char *owner;
	uint32_t type;
	bool hex;
};

/* In the notes at file offset @off. */
static char *id_at(const struct elffile *ef, const struct wanted *w, uint64_t off, uint64_t len)
{
	uint8_t *notes = len && len <= NOTES_MAX ? elffile_load(ef, off, len) : NULL;
	const uint8_t *p = NULL;
	char *id = NULL;
	size_t n = 0;

	if (notes)
		p = build_id_find(notes, len, w->owner, w->type, &n);
	if (p && n && n <= ID_MAX)
		id = text_of(p, n, w->hex);
	free(notes);
	return id;
}

/* Not all notes of Go's linker are in a segment, and a file may have no sections. */
static char *find(const struct elffile *ef, const struct wanted *w)
{
	unsigned int groups = 0;
	Elf_Scn *scn = NULL;
	char *id = NULL;

	for (size_t i = 0; i < ef->nsegs && !id; i++) {
		if (ef->segs[i].p_type == PT_NOTE && groups++ < GROUPS_MAX)
			id = id_at(ef, w, ef->segs[i].p_offset, ef->segs[i].p_filesz);
	}
	while (!id && (scn = elf_nextscn(ef->elf, scn))) {
		const Elf64_Shdr *sh = elf64_getshdr(scn);

		if (sh && sh->sh_type == SHT_NOTE && groups++ < GROUPS_MAX)
			id = id_at(ef, w, sh->sh_offset, sh->sh_size);
	}
	return id;
}

char *build_id_gnu_build_id(const struct elffile *ef)
{
	static const struct wanted gnu = { ELF_NOTE_GNU, NT_GNU_BUILD_ID, true };

	return find(ef, &gnu);
}

char *build_id_build_id(const struct elffile *ef)
{
	static const struct wanted go = { GO_OWNER, GO_BUILD_ID, false };
	char *id = build_id_gnu_build_id(ef);

	return id ? id : find(ef, &go);
}
