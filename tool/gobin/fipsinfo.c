// SPDX-License-Identifier: GPL-2.0
/*
 * Code that a program compares with a checksum when it starts. The linker's note is, in
 * cmd/link/internal/ld/fips140.go and crypto/internal/fips140/check/check.go: a magic of 16 bytes,
 * 32 of a checksum, its own address, and begin and end of four areas, of which the first is code.
 */
#include <elf.h>
#include <string.h>

#include "base/unaligned.h"
#include "elf/scan.h"
#include "gobin/fipsinfo.h"

/* Go 1.24 is the first release that checks. */
#define FIRST_MINOR 24
#define SECTION ".go.fipsinfo"
#define PACKAGE "crypto/internal/fips140"
#define AT_SELF 48
#define AT_CODE 56

/* More notes come from a hostile file only. */
#define NOTES_MAX 64U

static const uint8_t magic[] = "\xff Go fipsinfo \xff";

int fipsinfo_parse(const uint8_t note[FIPSINFO_BYTES], uint64_t vaddr, struct fipsinfo *ret)
{
	if (memcmp(note, magic, sizeof(magic)) != 0 || load_u64(note + AT_SELF) != vaddr)
		return -1;
	ret->start = load_u64(note + AT_CODE);
	ret->end = load_u64(note + AT_CODE + 8);
	return ret->start < ret->end ? 0 : -1;
}

struct marking {
	struct gofuncs *funcs;
	const struct elffile *ef;
	unsigned int tries;	/* notes that were looked at */
	bool marked;		/* some function has such code */
};

/* A function that has any of the code. */
static void mark_range(struct marking *m, const struct fipsinfo *info)
{
	for (size_t i = 0; i < m->funcs->ncode; i++) {
		struct gofunc *f = &m->funcs->v[i];

		if (f->entry >= info->end || f->end <= info->start)
			continue;
		f->flags |= GOFUNC_CHECKED;
		m->marked = true;
	}
}

/* An scan_fn: the note at @vaddr, if it is one. */
static int mark_note(void *ctx, const Elf64_Phdr *seg, uint64_t vaddr)
{
	uint8_t note[FIPSINFO_BYTES];
	struct marking *m = ctx;
	struct fipsinfo info;

	(void)seg;
	if (!elffile_read_vaddr(m->ef, vaddr, note, sizeof(note)) &&
	    !fipsinfo_parse(note, vaddr, &info))
		mark_range(m, &info);
	return ++m->tries == NOTES_MAX;
}

/*
 * "crypto/internal/fips140.F", "crypto/internal/fips140/sha256.block"; not fips140deps. Functions
 * of one assembly file have names without a package.
 */
static bool in_package(const struct gofunc *f)
{
	static const char package[] = PACKAGE;
	size_t n = strlen(package);

	if (!strncmp(f->name, package, n) && (f->name[n] == '/' || f->name[n] == '.'))
		return true;
	return !strchr(f->name, '.') && f->file && strstr(f->file, PACKAGE "/");
}

static void mark_names(struct gofuncs *f)
{
	for (size_t i = 0; i < f->ncode; i++)
		if (in_package(&f->v[i]))
			f->v[i].flags |= GOFUNC_CHECKED;
}

void fipsinfo_mark(struct gofuncs *f, const struct elffile *ef, int minor)
{
	const Elf64_Shdr *s = elffile_section(ef, SECTION);
	struct marking m = { .funcs = f, .ef = ef };
	const struct scan what = {
		.with = PF_W, .value = load_u64(magic), .fn = mark_note, .ctx = &m,
	};

	if (minor < FIRST_MINOR)
		return;
	if (s)
		mark_note(&m, NULL, s->sh_addr);
	/* Sections may be absent. */
	if (!m.marked)
		scan_words(ef, &what);
	if (!m.marked)
		mark_names(f);
}
