// SPDX-License-Identifier: GPL-2.0
/*
 * The Go version and the modules that a binary carries: src/debug/buildinfo
 * describes the format. Since 1.18 both strings are in the section itself,
 * before that behind pointers to string headers.
 */
#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/scan.h"
#include "gobin/buildinfo.h"
#include "gobin/release.h"

#define BUILDINFO_MAGIC "\xff Go buildinf:"
#define BUILDINFO_ALIGN 16U
#define BUILDINFO_HEAD 32U
#define BUILDINFO_VERSION_MAX 256U
#define BUILDINFO_MODULES_MAX (4U << 20)
/* Marks before and behind the modules, for tools that search memory. */
#define BUILDINFO_MARK 16U
/* The linker puts it first in the data segment. */
#define BUILDINFO_SCAN (64U << 10)
#define BUILDINFO_FLAG_BIG_ENDIAN 1U
#define BUILDINFO_FLAG_INLINE 2U

enum { STRING_VERSION, STRING_MODULES };

static char *copy_string(const struct elffile *ef, uint64_t vaddr, uint64_t len, int which)
{
	char *s;

	if (!len || len > (which == STRING_VERSION ? BUILDINFO_VERSION_MAX : BUILDINFO_MODULES_MAX))
		return NULL;
	s = calloc(1, len + 1);
	if (!s)
		return NULL;
	if (elffile_read_vaddr(ef, vaddr, s, len) ||
	    (which == STRING_VERSION && release_parse(s) < 0)) {
		free(s);
		return NULL;
	}
	return s;
}

/* The length at *@vaddr, which moves behind it; 0 if it is no length. */
static uint64_t read_length(const struct elffile *ef, uint64_t *vaddr)
{
	uint64_t len = 0;
	uint8_t byte;

	for (unsigned int shift = 0; shift < 28; shift += 7) {
		if (elffile_read_vaddr(ef, (*vaddr)++, &byte, 1))
			return 0;
		len |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return len;
	}
	return 0;
}

static char *string_at(const struct elffile *ef, uint64_t vaddr, int which)
{
	uint64_t ptr, len, str[2];
	uint8_t h[BUILDINFO_HEAD];

	if (elffile_read_vaddr(ef, vaddr, h, sizeof(h)) ||
	    memcmp(h, BUILDINFO_MAGIC, sizeof(BUILDINFO_MAGIC) - 1))
		return NULL;
	if (h[15] & BUILDINFO_FLAG_INLINE) {
		vaddr += BUILDINFO_HEAD;
		len = read_length(ef, &vaddr);
		if (which == STRING_MODULES) {
			vaddr += len;
			len = read_length(ef, &vaddr);
		}
		return copy_string(ef, vaddr, len, which);
	}
	if (h[14] != 8 || (h[15] & BUILDINFO_FLAG_BIG_ENDIAN))
		return NULL;
	memcpy(&ptr, h + 16 + (which == STRING_MODULES ? sizeof(ptr) : 0), sizeof(ptr));
	if (elffile_read_vaddr(ef, ptr, str, sizeof(str)))
		return NULL;
	return copy_string(ef, str[0], str[1], which);
}

static char *from_data_segments(const struct elffile *ef, int which)
{
	for (size_t i = 0; i < ef->nsegs; i++) {
		const Elf64_Phdr *s = &ef->segs[i];
		uint64_t len = s->p_filesz < BUILDINFO_SCAN ? s->p_filesz :
			       BUILDINFO_SCAN;
		uint8_t *p;
		char *v = NULL;

		if (s->p_type != PT_LOAD || (s->p_flags & PF_X))
			continue;
		p = elffile_load(ef, s->p_offset, len);
		if (!p)
			continue;
		for (uint64_t o = 0; !v && o + BUILDINFO_HEAD <= len;
		     o += BUILDINFO_ALIGN) {
			if (!memcmp(p + o, BUILDINFO_MAGIC,
				    sizeof(BUILDINFO_MAGIC) - 1))
				v = string_at(ef, s->p_vaddr + o, which);
		}
		free(p);
		if (v)
			return v;
	}
	return NULL;
}

/* Length of a full release's name ("go1.25.5") at @p, else 0. */
static size_t release_len(const char *p, const char *end)
{
	const char *q = p + 4;
	int dots = 0;

	while (q < end && q - p < 12 &&
	       (isdigit((unsigned char)*q) || *q == '.')) {
		if (*q == '.' && (++dots > 1 || q + 1 == end ||
				  !isdigit((unsigned char)q[1])))
			break;
		q++;
	}
	return dots == 1 ? (size_t)(q - p) : 0;
}

static const char *next_go1(const char *at, const char *end)
{
	while ((at = memchr(at, 'g', (size_t)(end - at)))) {
		if (end - at < 5)
			return NULL;
		if (!memcmp(at, "go1.", 4))
			return at;
		at++;
	}
	return NULL;
}

#define RELEASE_MAX 16U

struct releases {
	int lo;
	int hi;
	int minor;
	char best[RELEASE_MAX];
};

static int note_releases(void *ctx, const uint8_t *p, size_t len)
{
	struct releases *r = ctx;
	const char *at = (const char *)p, *end = at + len;

	for (; (at = next_go1(at, end)); at++) {
		size_t n = release_len(at, end);
		char name[RELEASE_MAX];
		int minor;

		/* At the end it may be cut; the next window has it whole. */
		if (!n || n >= sizeof(name) || at + n == end)
			continue;
		memcpy(name, at, n);
		name[n] = 0;
		minor = release_parse(name);
		if (minor < r->lo || minor > r->hi || minor <= r->minor)
			continue;
		memcpy(r->best, name, sizeof(name));
		r->minor = minor;
	}
	return 0;
}

/*
 * Without the section (seen in esbuild 0.27.2): of the names of point releases
 * among the constants, the newest that the line table allows. Other strings of
 * this form are rare ("go1.21" of build constraints has no second dot).
 */
static char *from_constants(const struct elffile *ef, int lo, int hi)
{
	struct releases r = { .lo = lo, .hi = hi, .minor = -1 };

	scan_windows(ef, PF_X, RELEASE_MAX, note_releases, &r);
	return r.minor < 0 ? NULL : strdup(r.best);
}

static char *find_string(const struct elffile *ef, int which)
{
	const Elf64_Shdr *sec = elffile_section(ef, ".go.buildinfo");
	char *v = sec ? string_at(ef, sec->sh_addr, which) : NULL;

	return v ?: from_data_segments(ef, which);
}

char *buildinfo_version(const struct elffile *ef, int minor_lo, int minor_hi)
{
	return find_string(ef, STRING_VERSION) ?: from_constants(ef, minor_lo, minor_hi);
}

char *buildinfo_modules(const struct elffile *ef)
{
	char *text = find_string(ef, STRING_MODULES);
	size_t len = text ? strlen(text) : 0;

	if (len <= 2 * BUILDINFO_MARK) {
		free(text);
		return NULL;
	}
	len -= 2 * BUILDINFO_MARK;
	memmove(text, text + BUILDINFO_MARK, len);
	text[len] = 0;
	return text;
}
