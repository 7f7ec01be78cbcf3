// SPDX-License-Identifier: GPL-2.0
/* Compressed debug sections that would fill the memory. */
#include <stdint.h>

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "bins.h"
#include "dwarf/sections.h"
#include "rows.h"
#include "synth.h"

/* May grow to 64 times as much. */
#define FILE_BYTES 65536U

/* A section that says it has @says bytes and has @has, all zero. */
static struct synth_section section(const char *name, uint64_t says, uLong has)
{
	Elf64_Chdr ch = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = says, .ch_addralign = 1 };
	struct synth_section ret = { name, SHF_COMPRESSED, { 0 } };
	uLong n = compressBound(has);
	Bytef *zeros = calloc(1, has), *p = malloc(n);

	assert_int_equal(compress(p, &n, zeros, has), Z_OK);
	synth_put(&ret.bytes, &ch, sizeof(ch));
	synth_put(&ret.bytes, p, n);
	free(zeros);
	free(p);
	return ret;
}

struct row {
	const char *claim;
	uint64_t says[2];
	uint64_t has[2];
	uint64_t want[2];
	uint64_t file;		/* bytes it says it has, if not FILE_BYTES */
};

static const struct row rows[] = {
	{ "two that grow are there", { 1 << 20, 1 << 20 }, { 1 << 20, 1 << 20 },
	  { 1 << 20, 1 << 20 } },
	{ "together no more than 64 times the file", { 3 << 20, 3 << 20 },
	  { 3 << 20, 3 << 20 }, { 3 << 20, 0 } },
	{ "a section that is too large leaves space for another", { 5 << 20, 3 << 20 },
	  { 5 << 20, 3 << 20 }, { 0, 3 << 20 } },
	{ "less than it says", { 4096, 4096 }, { 4095, 4096 }, { 0, 4096 } },
	{ "an impossible size", { UINT64_MAX, 4096 }, { 4096, 4096 },
	  { 0, 4096 } },
	/* A file with holes can be as large as anybody likes. */
	{ "nothing if all together are larger than is read", { 1ULL << 30, (1ULL << 30) + 1 },
	  { 4096, 4096 }, { 0, 0 }, 1ULL << 40 },
	{ "nothing if one is", { 4096, 3ULL << 30 }, { 4096, 4096 }, { 0, 0 }, 1ULL << 40 },
	{ "what says less, of a large file", { 4096, 1ULL << 30 }, { 4096, 4096 }, { 4096, 0 },
	  1ULL << 40 },
};

TEST(test_rows, "compressed sections")
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];
		struct synth_section v[] = { section(".debug_info", r->says[0], r->has[0]),
					     section(".debug_abbrev", r->says[1], r->has[1]) };
		struct synth_bytes b = { .p = NULL };
		struct diag d = { 0 };
		struct elffile ef;
		struct sections s;
		int fd;

		print_message("# %s\n", r->claim);
		synth_sections(v, 2, &b);
		fd = synth_fd(b.p, b.n);
		assert_int_equal(ftruncate(fd, r->file ? (off_t)r->file : FILE_BYTES), 0);
		assert_int_equal(elffile_open_debug(fd, "it", &ef, &d), 0);
		sections_init(&s, &ef);
		assert_int_equal(sections_get(&s, DWSECT_INFO)->n, r->want[0]);
		assert_int_equal(sections_get(&s, DWSECT_ABBREV)->n, r->want[1]);
		elffile_fini(&ef);
		close(fd);
		synth_fini(&v[0].bytes);
		synth_fini(&v[1].bytes);
		synth_fini(&b);
	}
}

/* Debug information that can't be read, by its first section's header. */
struct unread {
	uint32_t type;
	uint64_t size;
	const char *why;
};

static const struct unread unreads[] = {
	{ ELFCOMPRESS_ZLIB, 3ULL << 30,
	  "the binary has more than 2 GB of debug information, which is not read" },
	/* As if by zstd; its bytes are none of zstd's either. */
	{ 2, 4096,
	  "the binary has debug information that libelf can't read (zstd needs 0.189): 'objcopy --decompress-debug-sections' makes it readable"
	},
};

/* It is traced as a stripped program is, and says why. */
static size_t check_unread(const struct unread *u)
{
	struct bins_each e = BINS("shapes", "");
	struct diag d = { 0 };
	struct gobin *bin;
	size_t n = 0;

	while (bins_next_path(&e)) {
		int fd = bins_copy(e.path);
		const Elf64_Shdr *sec;
		const struct gofunc *fn;
		struct elffile ef;
		Elf64_Chdr ch;

		assert_int_equal(elffile_open(fd, e.path, &ef, &d), 0);
		sec = elffile_section(&ef, ".debug_info");
		if (!sec || !(sec->sh_flags & SHF_COMPRESSED)) {
			elffile_fini(&ef);
			close(fd);
			continue;
		}
		assert_int_equal(pread(fd, &ch, sizeof(ch), (off_t)sec->sh_offset), sizeof(ch));
		ch.ch_type = u->type;
		ch.ch_size = u->size;
		assert_int_equal(pwrite(fd, &ch, sizeof(ch), (off_t)sec->sh_offset), sizeof(ch));
		elffile_fini(&ef);
		assert_int_equal(ftruncate(fd, 1LL << 30), 0);
		assert_int_equal(gobin_open(fd, "it", &bin, &d), 0);
		assert_false(gobin_has_types(bin));
		fn = bins_func(bin, "main.Ints");
		assert_non_null(fn);
		assert_string_equal(gobin_sig(bin, fn)->incomplete, u->why);
		assert_string_equal(gobin_unread(bin), u->why);
		gobin_free(bin);
		close(fd);
		n++;
	}
	return n;
}

TEST(test_unread, "debug information that is not read says why")
{
	for (size_t i = 0; i < sizeof(unreads) / sizeof(*unreads); i++)
		assert_true(check_unread(&unreads[i]));
}
