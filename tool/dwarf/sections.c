// SPDX-License-Identifier: GPL-2.0
/*
 * The debug sections of an ELF file. Go's linker compresses them: as
 * ".zdebug_info" ("ZLIB", size, stream) up to 1.18, with SHF_COMPRESSED since.
 */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/sections.h"

/* Real debug information shrinks to a quarter or so. */
#define EXPANSION_MAX 64U

static const char *const names[DWSECT_COUNT] = {
	[DWSECT_INFO] = "info",
	[DWSECT_ABBREV] = "abbrev",
	[DWSECT_ADDR] = "addr",
	[DWSECT_STR] = "str",
	[DWSECT_LINE_STR] = "line_str",
	[DWSECT_RANGES] = "ranges",
	[DWSECT_RNGLISTS] = "rnglists",
	[DWSECT_LOC] = "loc",
	[DWSECT_LOCLISTS] = "loclists",
	[DWSECT_LINE] = "line",
};

/* Where a section is in the file. */
struct place {
	Elf_Scn *scn;	/* it */
	uint64_t size;	/* how many bytes it has once it is in memory */
	/* Makes its bytes what they will be there; NULL if they are. */
	int (*inflate)(Elf_Scn *scn, int type, unsigned int flags);
};

/* What describes how the section is compressed; false if nothing does. */
static bool read_chdr(const struct elffile *ef, const Elf64_Shdr *sh, Elf64_Chdr *ret)
{
	return sh->sh_flags & SHF_COMPRESSED && sh->sh_size > sizeof(*ret) &&
	       !elffile_read(ef, sh->sh_offset, ret, sizeof(*ret));
}

static bool find_plain(const struct elffile *ef, Elf_Scn *scn, struct place *ret)
{
	const Elf64_Shdr *sh = elf64_getshdr(scn);
	Elf64_Chdr ch;

	*ret = (struct place){ .scn = scn, .size = sh->sh_size };
	if (!(sh->sh_flags & SHF_COMPRESSED))
		return true;
	if (!read_chdr(ef, sh, &ch))
		return false;
	ret->size = ch.ch_size;
	ret->inflate = elf_compress;
	return true;
}

static bool find_gnu(const struct elffile *ef, Elf_Scn *scn, struct place *ret)
{
	const Elf64_Shdr *sh = elf64_getshdr(scn);
	struct {
		char magic[4];
		uint8_t size[8];
	} head;
	uint64_t size;

	if (sh->sh_size <= sizeof(head) || elffile_read(ef, sh->sh_offset, &head, sizeof(head)) ||
	    memcmp(head.magic, "ZLIB", 4))
		return false;
	memcpy(&size, head.size, sizeof(size));
	*ret = (struct place){ scn, be64toh(size), elf_compress_gnu };
	return true;
}

/* A section with bytes in the file; NULL: not found. */
static Elf_Scn *section(const struct elffile *ef, const char *prefix, enum dwsect_id id)
{
	const Elf64_Shdr *sh;
	char name[32];
	Elf_Scn *scn;

	snprintf(name, sizeof(name), "%s%s", prefix, names[id]);
	scn = elffile_scn(ef, name);
	sh = elf64_getshdr(scn);
	return sh && sh->sh_type != SHT_NOBITS && sh->sh_size <= SECTIONS_MAX ? scn : NULL;
}

static bool find(const struct elffile *ef, enum dwsect_id id, struct place *ret)
{
	Elf_Scn *scn = section(ef, ".debug_", id);

	if (scn)
		return find_plain(ef, scn, ret);
	scn = section(ef, ".zdebug_", id);
	return scn && find_gnu(ef, scn, ret);
}

bool sections_present(const struct elffile *ef)
{
	return section(ef, ".debug_", DWSECT_INFO) || section(ef, ".zdebug_", DWSECT_INFO);
}

/* What compressed sections may become. */
static uint64_t expanded(const struct elffile *ef)
{
	uint64_t n;

	return __builtin_mul_overflow(ef->size, EXPANSION_MAX, &n) ? UINT64_MAX : n;
}

/* A file may be larger than its disk, so that its size says little. */
bool sections_too_large(const struct elffile *ef)
{
	uint64_t left = SECTIONS_MAX;
	struct place p;

	for (size_t i = 0; i < DWSECT_COUNT; i++) {
		/* What is damaged will not be read. */
		if (!find(ef, (enum dwsect_id)i, &p) || p.size >= expanded(ef))
			continue;
		if (p.size > left)
			return true;
		left -= p.size;
	}
	return false;
}

bool sections_unknown(const struct elffile *ef)
{
	Elf_Scn *scn = section(ef, ".debug_", DWSECT_INFO);
	Elf64_Chdr ch;

	return scn && read_chdr(ef, elf64_getshdr(scn), &ch) && ch.ch_type != ELFCOMPRESS_ZLIB;
}

void sections_init(struct sections *s, const struct elffile *ef)
{
	memset(s, 0, sizeof(*s));
	s->ef = ef;
	s->inflate_left = expanded(ef);
	s->too_large = sections_too_large(ef);
}

const struct dwsect *sections_get(struct sections *s, enum dwsect_id id)
{
	struct dwsect *ret = &s->v[id];
	const Elf_Data *data;
	struct place at;

	if (ret->loaded)
		return ret;
	ret->loaded = true;
	if (s->too_large || !find(s->ef, id, &at))
		return ret;
	if (at.inflate && (at.size >= s->inflate_left || at.inflate(at.scn, 0, 0) < 0))
		return ret;
	data = elf_rawdata(at.scn, NULL);
	if (!data || data->d_size != at.size)
		return ret;
	if (at.inflate)
		s->inflate_left -= at.size;
	ret->p = data->d_buf;
	ret->n = data->d_size;
	return ret;
}
