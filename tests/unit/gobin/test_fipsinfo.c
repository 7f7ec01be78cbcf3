// SPDX-License-Identifier: GPL-2.0
/* Code that programs compare with a checksum: the linker's notes, and real programs. */
#include <stdint.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bins.h"
#include "elf/elffile.h"
#include "gobin/fipsinfo.h"
#include "gobin/noprobe.h"
#include "rows.h"

#define MAGIC "\xff Go fipsinfo \xff"
#define SELF 0x5d21a0
#define START 0x4a57a0
#define END 0x4b6620

static void make_note(uint8_t note[FIPSINFO_BYTES], const char *magic, uint64_t self,
		      uint64_t start, uint64_t end)
{
	memset(note, 0, FIPSINFO_BYTES);
	memcpy(note, magic, 16);
	memcpy(note + 48, &self, 8);
	memcpy(note + 56, &start, 8);
	memcpy(note + 64, &end, 8);
}

TEST(test_parse, "a note has its magic, its own address, and a range")
{
	static const struct {
		const char *magic;
		uint64_t self, start, end;
		bool good;
	} rows[] = {
		{ MAGIC, SELF, START, END, true },
		{ MAGIC, SELF, 0, UINT64_MAX, true },
		{ "\xff Go fipsinfo  ", SELF, START, END, false },
		{ "\xff Go buildinf:\0", SELF, START, END, false },
		{ MAGIC, SELF + 8, START, END, false },
		{ MAGIC, 0, START, END, false },
		{ MAGIC, SELF, END, START, false },
		{ MAGIC, SELF, START, START, false },
		{ MAGIC, SELF, 0, 0, false },
	};

	for (size_t i = 0; i < N(rows); i++) {
		uint8_t note[FIPSINFO_BYTES];
		struct fipsinfo info;

		make_note(note, rows[i].magic, rows[i].self, rows[i].start, rows[i].end);
		assert_int_equal(fipsinfo_parse(note, SELF, &info), rows[i].good ? 0 : -1);
		if (rows[i].good)
			assert_true(info.start == rows[i].start && info.end == rows[i].end);
	}
}

static int keep_bounds(void *ctx, const char *name, uint64_t value, uint64_t size,
		       unsigned int type)
{
	struct fipsinfo *of = ctx;

	(void)size;
	(void)type;
	if (!strcmp(name, "go:textfipsstart"))
		of->start = value;
	if (!strcmp(name, "go:textfipsend"))
		of->end = value;
	return 0;
}

static size_t count_checked(const struct gobin *bin)
{
	size_t n, checked = 0;
	const struct gofunc *f = gobin_funcs(bin, &n);

	for (size_t i = 0; i < n; i++)
		checked += !!(f[i].flags & GOFUNC_CHECKED);
	return checked;
}

/* The linker's symbols bound what is checked; before 1.24 nothing is. */
TEST(test_programs, "what is checked is what the linker's symbols bound")
{
	struct bins_each b = BINS("shapes", "", "-pie", "-noopt", "-cgo", "-shared");

	while (bins_next(&b)) {
		struct fipsinfo is = { 0 };
		const struct gofunc *f;
		size_t n;

		elffile_symbols(gobin_file(b.bin), keep_bounds, &is);
		assert_int_equal(is.start < is.end, b.minor >= 24);
		f = gobin_funcs(b.bin, &n);
		for (size_t i = 0; i < n; i++) {
			bool inside = f[i].entry >= is.start && f[i].entry < is.end;

			assert_int_equal(!!(f[i].flags & GOFUNC_CHECKED), inside);
			assert_true(!inside || noprobe_reason(&f[i]));
		}
	}
}

/* Without symbols the same functions. */
TEST(test_stripped, "stripped programs have the note")
{
	struct bins_each go = BINS("shapes", "-go");

	while (bins_next(&go)) {
		const struct gofunc *fn = bins_func(go.bin, "crypto/internal/fips140/sha256.New");

		assert_int_equal(count_checked(go.bin) > 100, go.minor >= 24);
		assert_true(!fn || fn->flags & GOFUNC_CHECKED);
		fn = bins_func(go.bin, "crypto/sha256.New");
		assert_true(!fn || !(fn->flags & GOFUNC_CHECKED));
	}
}

static struct gobin *changed(const char *path, const char *from, const char *to, size_t len)
{
	int fd = bins_copy(path);
	struct gobin *bin = NULL;
	struct diag d = { 0 };

	bins_replace(fd, from, to, len);
	assert_int_equal(gobin_open(fd, "it", &bin, &d), 0);
	close(fd);
	return bin;
}

/* Without a section or a note the same code is left out, or little more. */
TEST(test_damaged, "without a section or a note the same code is known")
{
	static const struct {
		const char *from, *to;
		size_t len, more;
	} rows[] = {
		{ ".go.fipsinfo", ".go.fipsinfX", 13, 0 },
		{ MAGIC, "\xff Go fipsinfO \xff", 16, 10 },
	};
	struct bins_each b = BINS("shapes", "-go");

	while (bins_next(&b)) {
		for (size_t i = 0; i < N(rows); i++) {
			struct gobin *bin = changed(b.path, rows[i].from, rows[i].to, rows[i].len);

			assert_in_range(count_checked(bin), count_checked(b.bin),
					count_checked(b.bin) + rows[i].more);
			gobin_free(bin);
		}
	}
}
