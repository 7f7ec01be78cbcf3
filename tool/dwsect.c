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

#include "dwsect.h"

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

void dwsects_init(struct dwsects *s, const struct elffile *ef)
{
	memset(s, 0, sizeof(*s));
	s->ef = ef;
	if (__builtin_mul_overflow(ef->size, EXPANSION_MAX, &s->room))
		s->room = UINT64_MAX;
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

static void load_compressed(struct dwsects *s, struct dwsect *ret, uint64_t off,
			    uint64_t len, uint64_t size)
{
	uint8_t *p;

	if (size >= s->room)
		return;
	p = malloc(size + 1);
	if (!p)
		return;
	if (inflate_to(s->ef, off, len, p, size)) {
		free(p);
		return;
	}
	s->room -= size;
	ret->p = p;
	ret->n = size;
}

static void load_plain(struct dwsects *s, struct dwsect *ret,
		       const struct elfsec *sec)
{
	Elf64_Chdr ch;

	if (!(sec->flags & SHF_COMPRESSED)) {
		ret->p = elffile_load(s->ef, sec->off, sec->size);
		ret->n = ret->p ? sec->size : 0;
	} else if (sec->size > sizeof(ch) &&
		   !elffile_read(s->ef, sec->off, &ch, sizeof(ch)) &&
		   ch.ch_type == ELFCOMPRESS_ZLIB) {
		load_compressed(s, ret, sec->off + sizeof(ch),
				sec->size - sizeof(ch), ch.ch_size);
	}
}

static void load_gnu(struct dwsects *s, struct dwsect *ret,
		     const struct elfsec *sec)
{
	struct {
		char magic[4];
		uint8_t size[8];
	} head;
	uint64_t size;

	if (sec->size <= sizeof(head) ||
	    elffile_read(s->ef, sec->off, &head, sizeof(head)) ||
	    memcmp(head.magic, "ZLIB", 4))
		return;
	memcpy(&size, head.size, sizeof(size));
	load_compressed(s, ret, sec->off + sizeof(head),
			sec->size - sizeof(head), be64toh(size));
}

const struct dwsect *dwsects_get(struct dwsects *s, enum dwsect_id id)
{
	struct dwsect *ret = &s->v[id];
	const struct elfsec *sec;
	char name[32];

	if (ret->loaded)
		return ret;
	ret->loaded = true;
	snprintf(name, sizeof(name), ".debug_%s", names[id]);
	sec = elffile_section(s->ef, name);
	if (sec && sec->type != SHT_NOBITS) {
		load_plain(s, ret, sec);
		return ret;
	}
	snprintf(name, sizeof(name), ".zdebug_%s", names[id]);
	sec = elffile_section(s->ef, name);
	if (sec && sec->type != SHT_NOBITS)
		load_gnu(s, ret, sec);
	return ret;
}
