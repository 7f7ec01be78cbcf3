// SPDX-License-Identifier: GPL-2.0
/* Go's function and line table: of real programs, cut short, and damaged. */
#include <stdint.h>

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bins.h"
#include "elf/elffile.h"
#include "gobin/functions.h"
#include "gobin/moduledata.h"
#include "gobin/pclntab.h"
#include "gobin/pclntab_search.h"
#include "rows.h"
#include "synth.h"

/* The table of the program at @path, with the NUL that pclntab wants. */
static uint8_t *load(const char *path, size_t *len)
{
	struct diag d = { .message = NULL };
	const Elf64_Shdr *s;
	struct elffile ef;
	uint8_t *p;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(elffile_open(fd, path, &ef, &d), 0);
	s = elffile_section(&ef, ".gopclntab");
	if (!s)
		s = elffile_section(&ef, ".data.rel.ro.gopclntab");
	assert_non_null(s);
	*len = s->sh_size;
	p = elffile_load(&ef, s->sh_offset, s->sh_size);
	assert_non_null(p);
	elffile_fini(&ef);
	close(fd);
	return p;
}

TEST(test_real, "real tables are read whole")
{
	struct bins_each b = BINS("shapes", "", "-pie", "-go");

	while (bins_next_path(&b)) {
		struct pclntab_func pf;
		struct pclntab t;
		size_t len, named = 0, filed = 0;
		uint64_t last = 0;
		uint8_t *p = load(b.path, &len);

		assert_int_equal(pclntab_init(&t, p, len), 0);
		assert_true(t.nfunc > 1000);
		for (uint32_t k = 0; k < t.nfunc; k++) {
			int line;

			assert_int_equal(pclntab_func(&t, k, &pf), 0);
			assert_true(pf.entry >= last);
			last = pf.entry;
			named += *pf.name != 0;
			filed += !!pclntab_file(&t, &pf, &line);
		}
		assert_int_equal(named, t.nfunc);
		/* C and the linker's marks have none. */
		assert_true(filed + 64 >= t.nfunc);
		assert_int_equal(pclntab_func(&t, t.nfunc, &pf), -1);
		free(p);
	}
}

/* Kilobytes that this process has had in memory at most. */
static long peak(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return ru.ru_maxrss;
}

/* The data segment has 500 MB, which are searched for the module data. */
TEST(test_large, "a large file without section names takes no memory")
{
	const struct synth_program p = { .minor = 27 };
	struct synth_bytes file = { .p = NULL };
	struct diag d = { .message = NULL };
	const uint64_t size = 500ULL << 20;
	struct elffile ef;
	struct moduledata l;
	Elf64_Phdr ph;
	long before;
	int fd;

	synth_program(&p, &file);
	memcpy(&ph, file.p + sizeof(Elf64_Ehdr) + 2 * sizeof(ph), sizeof(ph));
	ph.p_filesz = size - ph.p_offset;
	ph.p_memsz = ph.p_filesz;
	memcpy(file.p + sizeof(Elf64_Ehdr) + 2 * sizeof(ph), &ph, sizeof(ph));
	fd = synth_fd(file.p, file.n);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	before = peak();
	assert_int_equal(elffile_open(fd, "it", &ef, &d), 0);
	assert_int_equal(moduledata_load(&l, &ef, "it", &d), 0);
	assert_true(peak() - before < 20 << 10);
	moduledata_fini(&l);
	elffile_fini(&ef);
	close(fd);
	synth_fini(&file);
}

/* Every function of this file on whatever is there. */
static void look_around(const uint8_t *p, size_t len)
{
	struct pclntab t;

	if (pclntab_init(&t, p, len))
		return;
	for (uint32_t k = 0; k < t.nfunc; k += 1 + t.nfunc / 200) {
		struct pclntab_func f;
		uint64_t until;
		int32_t value;
		int line;

		if (pclntab_func(&t, k, &f))
			continue;
		if (f.name)
			assert_true(strlen(f.name) < len);
		pclntab_file(&t, &f, &line);
		pclntab_file_at(&t, &f, f.end - 1);
		pclntab_pcdata(&t, &f, PCLNTAB_PCDATA_INLTREE, f.end - 1,
			       &value, &until);
		pclntab_inltree(&t, &f, 0x1000);
	}
}

/* Exactly @len bytes and their NUL, so that sanitizers see the end. */
static void look_at_copy(const uint8_t *from, size_t len)
{
	uint8_t *p = malloc(len + 1);

	memcpy(p, from, len);
	p[len] = 0;
	look_around(p, len);
	free(p);
}

TEST(test_cut, "a table that is cut anywhere does no harm")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next_path(&b)) {
		size_t len;
		uint8_t *p = load(b.path, &len);

		for (size_t k = 0; k < 128; k++)
			look_at_copy(p, k);
		for (size_t k = 0; k < 64; k++)
			look_at_copy(p, len / 64 * k + k);
		free(p);
	}
}

TEST(test_damaged, "a table with other bytes in it does no harm")
{
	struct bins_each b = BINS("shapes", "");
	uint32_t seed = 3;

	while (bins_next_path(&b)) {
		size_t len;
		uint8_t *p = load(b.path, &len);

		for (int round = 0; round < 100; round++) {
			size_t at[8];
			uint8_t was[8];

			for (int k = 0; k < 8; k++) {
				seed = seed * 1664525 + 1013904223;
				at[k] = seed % (k < 2 ? 80 : len);
				was[k] = p[at[k]];
				if (at[k] > 7)	/* not the magic */
					p[at[k]] = (uint8_t)(seed >> 24);
			}
			look_at_copy(p, len);
			for (int k = 8; k-- > 0;)
				p[at[k]] = was[k];
		}
		free(p);
	}
}

struct header_case {
	const char *claim;
	uint8_t bytes[16];
};

static const struct header_case headers[] = {
	{ "another magic", { 0xf2, 0xff, 0xff, 0xff, 0, 0, 1, 8, 1 } },
	{ "arm64's instructions", { 0xf1, 0xff, 0xff, 0xff, 0, 0, 4, 8, 1 } },
	{ "pointers of four bytes", { 0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 4, 1 } },
	{ "big endian", { 0xff, 0xff, 0xff, 0xf1, 0, 0, 1, 8, 0 } },
	{ "no functions", { 0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8, 0 } },
	{ "more functions than bytes", { 0xfb, 0xff, 0xff, 0xff, 0, 0, 1, 8, 0xff, 0xff } },
	{ "absurdly many", { 0xfb, 0xff, 0xff, 0xff, 0, 0, 1, 8, 0xff, 0xff, 0xff, 0xff,
			     0xff, 0xff, 0xff, 0xff } },
};

TEST(test_headers, "headers that are none are refused")
{
	uint8_t buf[513];
	struct pclntab t;

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		memset(buf, 0, sizeof(buf));
		memcpy(buf, headers[i].bytes, sizeof(headers[i].bytes));
		if (!pclntab_init(&t, buf, sizeof(buf) - 1))
			fail_msg("accepted: %s", headers[i].claim);
	}
}

struct made_case {
	const char *claim;
	enum pclntab_format format;
	bool text_unsaid;
};

static const struct made_case formats[] = {
	{ "1.2", PCLNTAB_GO12, false },
	{ "1.16", PCLNTAB_GO116, false },
	{ "1.18", PCLNTAB_GO118, false },
	{ "1.20", PCLNTAB_GO120, false },
	{ "1.26: the header does not have the address of the text", PCLNTAB_GO120, true },
};

#define MADE_TEXT 0x401000ULL
#define MADE_GOFUNC 0x500000ULL

/* Reads the trees that stand at MADE_GOFUNC. */
static int read_trees(void *ctx, uint64_t vaddr, void *buf, size_t len)
{
	const struct synth_bytes *b = ctx;

	if (vaddr < MADE_GOFUNC || vaddr - MADE_GOFUNC > b->n ||
	    len > b->n - (vaddr - MADE_GOFUNC))
		return -1;
	memcpy(buf, b->p + (vaddr - MADE_GOFUNC), len);
	return 0;
}

static void make(const struct made_case *c, const struct synth_func *funcs,
		 size_t n, struct synth_bytes *tab, struct synth_bytes *trees)
{
	const struct synth_table t = {
		.format = c->format, .text = MADE_TEXT,
		.text_unsaid = c->text_unsaid, .gofunc = MADE_GOFUNC,
		.funcs = funcs, .nfuncs = n, .files = synth_files,
	};

	memset(tab, 0, sizeof(*tab));
	memset(trees, 0, sizeof(*trees));
	synth_table(&t, tab, trees);
}

struct frame_case {
	uint32_t at;
	struct pclntab_frame v[3];
};

static const struct frame_case frames[] = {
	{ 0x00, { { "main.add", "/src/main/add.go", 11, 10 } } },
	{ 0x0f, { { "main.add", "/src/main/add.go", 11, 10 } } },
	{ 0x10, { { "main.inner", "/src/main/inner.go", 31, 30 },
		  { "main.middle", "/src/main/inner.go", 31, 40 },
		  { "main.add", "/src/main/add.go", 12, 10 } } },
	{ 0x18, { { "main.middle", "/src/main/inner.go", 41, 40 },
		  { "main.add", "/src/main/add.go", 12, 10 } } },
	{ 0x3f, { { "main.add", "/src/main/add.go", 12, 10 } } },
	{ 0x40, { { "main.(*T).Get", "/src/main/add.go", 51, 50 } } },
	{ 0x7f, { { "runtime.morestack", "/go/src/runtime/asm.s", 2, 1 } } },
};

TEST(test_frames, "functions inlined at an address, in all formats")
{
	for (size_t f = 0; f < sizeof(formats) / sizeof(*formats); f++) {
		struct synth_bytes tab, trees;
		struct pclntab_func none;
		struct pclntab t;

		print_message("# %s\n", formats[f].claim);
		make(&formats[f], synth_funcs, synth_nfuncs, &tab, &trees);
		assert_int_equal(pclntab_init(&t, tab.p, tab.n), 0);
		if (formats[f].text_unsaid)
			t.text = MADE_TEXT;
		for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
			const struct frame_case *c = &frames[i];
			struct pclntab_frame v[8];
			struct pclntab_func pf;
			size_t n, want = 0;

			assert_int_equal(pclntab_find(&t, MADE_TEXT + c->at, &pf), 0);
			n = pclntab_frames(&t, &pf, MADE_TEXT + c->at,
					   MADE_GOFUNC, read_trees, &trees, v, 8);
			while (want < 3 && c->v[want].func)
				want++;
			assert_int_equal(n, want);
			for (size_t k = 0; k < n; k++) {
				assert_string_equal(v[k].func, c->v[k].func);
				assert_string_equal(v[k].file, c->v[k].file);
				assert_int_equal(v[k].line, c->v[k].line);
				assert_int_equal(v[k].inlined, k + 1 < n);
				assert_int_equal(v[k].start_line,
						 t.format < PCLNTAB_GO120 ? 0 : c->v[k].start_line);
			}
			/* With little space, the function itself is reported. */
			assert_int_equal(pclntab_frames(&t, &pf, MADE_TEXT + c->at,
							MADE_GOFUNC, read_trees,
							&trees, v, 1), 1);
			assert_string_equal(v[0].func, pf.name);
		}
		assert_int_equal(pclntab_find(&t, MADE_TEXT - 1, &none), -1);
		assert_int_equal(pclntab_find(&t, MADE_TEXT + 0x80, &none), -1);
		synth_fini(&tab);
		synth_fini(&trees);
	}
}

TEST(test_trees, "inlining trees that lead in a circle or nowhere end")
{
	static const struct synth_inlined circle[] = {
		{ "main.a", 0x8, 1 }, { "main.b", 0x4, 1 },
	};
	static const struct synth_inlined outside[] = {
		{ "main.a", 0x1000, 1 },
	};
	static const struct synth_func bad[] = {
		{ .name = "main.circle", .size = 0x10, .lines = { { 0x10, 1 } },
		  .files = { { 0x10, 1 } }, .tree = circle, .ntree = 2,
		  .inlined = { { 8, 0 }, { 8, 1 } } },
		{ .name = "main.outside", .size = 0x10, .lines = { { 0x10, 1 } },
		  .files = { { 0x10, 1 } }, .tree = outside, .ntree = 1,
		  .inlined = { { 0x10, 0 } } },
		{ .name = "main.beyond", .size = 0x10, .lines = { { 0x10, 1 } },
		  .files = { { 0x10, 1 } }, .tree = outside, .ntree = 1,
		  .inlined = { { 0x10, 0x7fffffff } } },
	};
	static const size_t want[] = { 8, 1, 1 };

	for (size_t f = 0; f < sizeof(formats) / sizeof(*formats); f++) {
		struct synth_bytes tab, trees;
		struct pclntab t;

		make(&formats[f], bad, 3, &tab, &trees);
		assert_int_equal(pclntab_init(&t, tab.p, tab.n), 0);
		t.text = t.format >= PCLNTAB_GO118 ? MADE_TEXT : 0;
		for (size_t i = 0; i < 3; i++) {
			struct pclntab_frame v[8];
			struct pclntab_func pf;

			assert_int_equal(pclntab_func(&t, i, &pf), 0);
			assert_int_equal(pclntab_frames(&t, &pf, pf.entry,
							MADE_GOFUNC, read_trees,
							&trees, v, 8), want[i]);
		}
		synth_fini(&tab);
		synth_fini(&trees);
	}
}

/* A step of no bytes could be repeated as long as the file is. */
TEST(test_standstill, "a step that does not advance ends a table")
{
	struct synth_func f = {
		.name = "main.f", .size = 0x10, .files = { { 0x10, 1 } },
		.lines = { { 0x10, 7 } },
	};
	struct synth_bytes tab, trees;
	struct pclntab_func pf;
	struct pclntab t;
	int32_t line;

	make(&formats[3], &f, 1, &tab, &trees);
	assert_int_equal(pclntab_init(&t, tab.p, tab.n), 0);
	assert_int_equal(pclntab_func(&t, 0, &pf), 0);
	assert_int_equal(pclntab_value(&t, &pf, pf.pcln, pf.entry, &line, NULL), 0);
	assert_int_equal(line, 7);
	/* value +8, 16 bytes */
	tab.p[t.pc + pf.pcln + 1] = 0;
	assert_int_equal(pclntab_value(&t, &pf, pf.pcln, pf.entry, &line, NULL), -1);
	synth_fini(&tab);
	synth_fini(&trees);
}

TEST(test_long_name, "a name without an end is refused")
{
	static char name[PCLNTAB_NAME_MAX + 3];
	struct synth_func f = { .name = name, .size = 0x10 };

	for (size_t extra = 0; extra < 2; extra++) {
		struct synth_bytes tab, trees;
		struct pclntab_func pf;
		struct pclntab t;

		memset(name, 'x', PCLNTAB_NAME_MAX + extra);
		make(&formats[3], &f, 1, &tab, &trees);
		assert_int_equal(pclntab_init(&t, tab.p, tab.n), 0);
		assert_int_equal(pclntab_func(&t, 0, &pf), extra ? -1 : 0);
		synth_fini(&tab);
		synth_fini(&trees);
	}
}

/* They are shown as they are, on terminals as well. */
TEST(test_control, "a name with control characters is refused")
{
	static const struct {
		const char *name;
		bool good;
	} cases[] = {
		{ "main.f", true },
		{ "main.\u00e9\u00bf\u4e16", true },		/* letters of two bytes and three */
		{ "main.\033[2J", false },
		{ "main.f\nmain.g", false },
		{ "main.f\177", false },
		{ "main.\302\2332J", false },			/* U+009B, another CSI */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct synth_func f = { .name = cases[i].name, .size = 0x10 };
		struct synth_bytes tab, trees;
		struct pclntab_func pf;
		struct pclntab t;

		make(&formats[3], &f, 1, &tab, &trees);
		assert_int_equal(pclntab_init(&t, tab.p, tab.n), 0);
		assert_int_equal(!pclntab_func(&t, 0, &pf), cases[i].good);
		synth_fini(&tab);
		synth_fini(&trees);
	}
}

/* Names at one place make a table of any size take as long as one likes. */
TEST(test_shared_names, "names that many functions share are refused")
{
	static char name[PCLNTAB_NAME_MAX];
	static struct synth_func funcs[100];
	const Elf64_Phdr code = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = MADE_TEXT,
		.p_filesz = 0x1000,
	};
	struct elffile ef = { .segs = &code, .nsegs = 1 };

	memset(name, 'x', sizeof(name) - 1);
	for (size_t i = 0; i < 100; i++)
		funcs[i] = (struct synth_func){ .name = name, .size = 0x10 };
	for (size_t n = 10; n <= 100; n += 90) {
		struct moduledata l = { .minor = 20 };
		struct synth_bytes tab, trees;
		struct gofuncs f;

		make(&formats[3], funcs, n, &tab, &trees);
		assert_int_equal(pclntab_init(&l.tab, tab.p, tab.n), 0);
		assert_int_equal(functions_load(&f, &l, &ef), n == 10 ? 0 : -1);
		functions_fini(&f);
		synth_fini(&tab);
		synth_fini(&trees);
	}
}

struct search_case {
	const char *claim;
	struct synth_program p;
};

static const struct search_case searched[] = {
	{ "1.15", { .minor = 15 } },
	{ "1.15, position independent", { .minor = 15, .pie = true } },
	{ "1.17", { .minor = 17 } },
	{ "1.19", { .minor = 19 } },
	{ "1.19, position independent", { .minor = 19, .pie = true } },
	{ "1.19, linked by lld", { .minor = 19, .pie = true, .lld = true } },
	{ "1.25", { .minor = 25 } },
	{ "1.27", { .minor = 27 } },
	{ "1.27, linked by lld", { .minor = 27, .pie = true, .lld = true } },
	{ "in a segment that begins anywhere", { .minor = 27, .shift = 20 } },
	{ "behind one that nothing points to", { .minor = 27, .decoy = true } },
	{ "with sections", { .minor = 27, .sections = true } },
};

static int count_tables(void *ctx, const struct pclntab_search *found)
{
	size_t *n = ctx;

	assert_int_equal(found->tab.nfunc, synth_nfuncs);
	++*n;
	return 0;
}

TEST(test_search, "the table is found without section names")
{
	for (size_t i = 0; i < sizeof(searched) / sizeof(*searched); i++) {
		const struct synth_program *p = &searched[i].p;
		struct synth_bytes file = { .p = NULL };
		struct diag d = { .message = NULL };
		struct pclntab_func pf;
		struct moduledata l;
		struct elffile ef;
		size_t n = 0;
		int fd;

		print_message("# %s\n", searched[i].claim);
		synth_program(p, &file);
		fd = synth_fd(file.p, file.n);
		if (elffile_open(fd, "it", &ef, &d))
			fail_msg("%s", d.message);
		assert_int_equal(pclntab_search_run(&ef, count_tables, &n), 0);
		assert_int_equal(n, p->decoy ? 2 : 1);
		if (moduledata_load(&l, &ef, "it", &d))
			fail_msg("%s", d.message);
		assert_int_equal(l.minor, p->minor);
		assert_int_equal(pclntab_func(&l.tab, 0, &pf), 0);
		assert_string_equal(pf.name, "main.add");
		assert_int_equal(pf.entry, p->pie ? 0x1000 : 0x401000);
		assert_true(l.moduledata);
		moduledata_fini(&l);
		elffile_fini(&ef);
		close(fd);
		synth_fini(&file);
	}
}
