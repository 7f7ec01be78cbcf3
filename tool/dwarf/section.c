// SPDX-License-Identifier: GPL-2.0
/*
 * The debug sections of an ELF file. Go's linker compresses them: as
 * ".zdebug_info" ("ZLIB", size, stream) up to 1.18, with SHF_COMPRESSED since.
 */
#include <elf.h>
#include <endian.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dwarf/section.h"

/* Real debug information shrinks to a quarter or so. */
#define EXPANSION_MAX 64U
#define CHUNK 65536U

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

/**
 * struct place - where a section is in the file
 * @off: its bytes, behind what describes how they are compressed
 * @len: their number
 * @size: how many they are once they are in memory
 * @compressed: they are not yet what they will be there
 */
struct place {
	uint64_t off;
	uint64_t len;
	uint64_t size;
	bool compressed;
};

/* What describes how the section is compressed; false if nothing does. */
static bool read_chdr(const struct elffile *ef, const struct elfsec *sec, Elf64_Chdr *ret)
{
	return sec->flags & SHF_COMPRESSED && sec->size > sizeof(*ret) &&
	       !elffile_read(ef, sec->off, ret, sizeof(*ret));
}

static bool find_plain(const struct elffile *ef, const struct elfsec *sec, struct place *ret)
{
	Elf64_Chdr ch;

	*ret = (struct place){ sec->off, sec->size, sec->size, sec->flags & SHF_COMPRESSED };
	if (!ret->compressed)
		return true;
	if (!read_chdr(ef, sec, &ch) || ch.ch_type != ELFCOMPRESS_ZLIB)
		return false;
	ret->off += sizeof(ch);
	ret->len -= sizeof(ch);
	ret->size = ch.ch_size;
	return true;
}

static bool find_gnu(const struct elffile *ef, const struct elfsec *sec, struct place *ret)
{
	struct {
		char magic[4];
		uint8_t size[8];
	} head;
	uint64_t size;

	if (sec->size <= sizeof(head) || elffile_read(ef, sec->off, &head, sizeof(head)) ||
	    memcmp(head.magic, "ZLIB", 4))
		return false;
	memcpy(&size, head.size, sizeof(size));
	*ret = (struct place){ sec->off + sizeof(head), sec->size - sizeof(head), be64toh(size),
			       true };
	return true;
}

static bool find(const struct elffile *ef, enum dwsect_id id, struct place *ret)
{
	const struct elfsec *sec;
	char name[32];

	snprintf(name, sizeof(name), ".debug_%s", names[id]);
	sec = elffile_section(ef, name);
	if (sec && sec->type != SHT_NOBITS)
		return find_plain(ef, sec, ret);
	snprintf(name, sizeof(name), ".zdebug_%s", names[id]);
	sec = elffile_section(ef, name);
	return sec && sec->type != SHT_NOBITS && find_gnu(ef, sec, ret);
}

/* What compressed sections may become. */
static uint64_t expanded(const struct elffile *ef)
{
	uint64_t n;

	return __builtin_mul_overflow(ef->size, EXPANSION_MAX, &n) ? UINT64_MAX : n;
}

/* A file may be larger than its disk, so that its size says little. */
bool dwsects_too_large(const struct elffile *ef)
{
	uint64_t room = DWSECTS_MAX;
	struct place p;

	for (size_t i = 0; i < DWSECT_COUNT; i++) {
		/* What is damaged will not be read. */
		if (!find(ef, (enum dwsect_id)i, &p) || p.size >= expanded(ef))
			continue;
		if (p.size > room)
			return true;
		room -= p.size;
	}
	return false;
}

bool dwsects_unknown(const struct elffile *ef)
{
	const struct elfsec *sec = elffile_section(ef, ".debug_info");
	Elf64_Chdr ch;

	return sec && sec->type != SHT_NOBITS && read_chdr(ef, sec, &ch) &&
	       ch.ch_type != ELFCOMPRESS_ZLIB;
}

void dwsects_init(struct dwsects *s, const struct elffile *ef)
{
	memset(s, 0, sizeof(*s));
	s->ef = ef;
	s->room = expanded(ef);
	s->too_large = dwsects_too_large(ef);
}

void dwsects_fini(struct dwsects *s)
{
	for (size_t i = 0; i < DWSECT_COUNT; i++)
		free((void *)(uintptr_t)s->v[i].p);
}

/*
 * Inflate @len bytes at file offset @off to exactly @size bytes at @to. The
 * compressed bytes pass through a small buffer.
 */
static int inflate_to(const struct elffile *ef, uint64_t off, uint64_t len,
		      uint8_t *to, uint64_t size)
{
	uint8_t in[CHUNK];
	z_stream z = { .next_out = to };
	uint64_t done = 0;
	int err;

	if (inflateInit(&z) != Z_OK)
		return -1;
	do {
		uInt room = size - done > UINT_MAX ? UINT_MAX :
			    (uInt)(size - done);
		uInt got;

		if (!z.avail_in) {
			z.avail_in = len < CHUNK ? (uInt)len : CHUNK;
			if (!z.avail_in || elffile_read(ef, off, in, z.avail_in))
				break;
			z.next_in = in;
			off += z.avail_in;
			len -= z.avail_in;
		}
		z.avail_out = room;
		err = inflate(&z, Z_NO_FLUSH);
		got = room - z.avail_out;
		done += got;
	} while (err == Z_OK);
	inflateEnd(&z);
	return done == size ? 0 : -1;
}

static void load_compressed(struct dwsects *s, struct dwsect *ret, const struct place *at)
{
	uint8_t *p;

	if (at->size >= s->room)
		return;
	p = malloc(at->size + 1);
	if (!p)
		return;
	if (inflate_to(s->ef, at->off, at->len, p, at->size)) {
		free(p);
		return;
	}
	s->room -= at->size;
	ret->p = p;
	ret->n = at->size;
}

const struct dwsect *dwsects_get(struct dwsects *s, enum dwsect_id id)
{
	struct dwsect *ret = &s->v[id];
	struct place at;

	if (ret->loaded)
		return ret;
	ret->loaded = true;
	if (s->too_large || !find(s->ef, id, &at))
		return ret;
	if (at.compressed) {
		load_compressed(s, ret, &at);
	} else {
		ret->p = elffile_load(s->ef, at.off, at.size);
		ret->n = ret->p ? at.size : 0;
	}
	return ret;
}
