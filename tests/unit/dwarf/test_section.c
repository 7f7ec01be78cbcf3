// SPDX-License-Identifier: GPL-2.0
/* Compressed debug sections that would fill the memory. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "bins.h"
#include "dwarf/section.h"
#include "synth.h"

/* May grow to 64 times as much. */
#define FILE_BYTES 65536U

/* Append a section that says it has @says bytes and has @has, all zero. */
static void add(struct synth_bytes *b, struct elfsec *s, const char *name,
		uint64_t says, uLong has)
{
	Elf64_Chdr ch = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = says };
	uLong n = compressBound(has);
	Bytef *zeros = calloc(1, has), *p = malloc(n);

	assert_int_equal(compress(p, &n, zeros, has), Z_OK);
	*s = (struct elfsec){
		.name = name, .type = SHT_PROGBITS, .flags = SHF_COMPRESSED,
		.off = b->n, .size = sizeof(ch) + n,
	};
	synth_put(b, &ch, sizeof(ch));
	synth_put(b, p, n);
	free(zeros);
	free(p);
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
	{ "one that is too large leaves room for another", { 5 << 20, 3 << 20 },
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

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];
		struct synth_bytes b = { .p = NULL };
		struct elfsec secs[2];
		struct elffile ef = { .secs = secs, .nsecs = 2 };
		struct dwsects s;

		print_message("# %s\n", r->claim);
		add(&b, &secs[0], ".debug_info", r->says[0], r->has[0]);
		add(&b, &secs[1], ".debug_abbrev", r->says[1], r->has[1]);
		synth_zero(&b, FILE_BYTES - b.n);
		ef.fd = synth_fd(b.p, b.n);
		ef.size = r->file ? r->file : b.n;
		dwsects_init(&s, &ef);
		assert_int_equal(dwsects_get(&s, DWSECT_INFO)->n, r->want[0]);
		assert_int_equal(dwsects_get(&s, DWSECT_ABBREV)->n, r->want[1]);
		dwsects_fini(&s);
		close(ef.fd);
		synth_fini(&b);
	}
}

/* It is traced as a stripped program is, and says why. */
static void test_told(void **state)
{
	struct bins_each e = BINS("shapes", "");
	struct diag d = { 0 };
	struct gobin *bin;
	size_t n = 0;

	(void)state;
	while (bins_next_path(&e)) {
		int fd = bins_copy(e.path);
		const struct elfsec *sec;
		const struct gofunc *fn;
		struct elffile ef;
		Elf64_Chdr ch;

		assert_int_equal(elffile_open(fd, e.path, &ef, &d), 0);
		sec = elffile_section(&ef, ".debug_info");
		if (!sec || !(sec->flags & SHF_COMPRESSED)) {
			elffile_fini(&ef);
			close(fd);
			continue;
		}
		assert_int_equal(pread(fd, &ch, sizeof(ch), (off_t)sec->off), sizeof(ch));
		ch.ch_size = 3ULL << 30;
		assert_int_equal(pwrite(fd, &ch, sizeof(ch), (off_t)sec->off), sizeof(ch));
		elffile_fini(&ef);
		assert_int_equal(ftruncate(fd, 1LL << 30), 0);
		assert_int_equal(gobin_open(fd, "it", &bin, &d), 0);
		assert_false(gobin_has_types(bin));
		fn = bins_func(bin, "main.Ints");
		assert_non_null(fn);
		assert_string_equal(gobin_sig(bin, fn)->incomplete,
				    "the binary has more than 2 GB of debug information, which is not read");
		gobin_free(bin);
		close(fd);
		n++;
	}
	assert_true(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "compressed sections", test_rows },
		{ "debug information that is too large is told", test_told },
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
