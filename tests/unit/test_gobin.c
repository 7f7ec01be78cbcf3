// SPDX-License-Identifier: GPL-2.0
/* Go programs of several toolchains and forms, whole and damaged. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bins.h"
#include "goabi.h"
#include "goversion.h"

static void test_opens(void **state)
{
	static const char *const forms[] = {
		"", "-pie", "-stripped", "-plain", "-noopt", "-go",
	};
	struct bins_entry v[BINS_MAX];

	(void)state;
	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		size_t n = bins_list(forms[f], v);

		for (size_t i = 0; i < n; i++) {
			struct gobin *bin = bins_open(v[i].path);
			bool stripped = !strcmp(forms[f], "-stripped") ||
					!strcmp(forms[f], "-go");

			assert_int_equal(gobin_go_minor(bin), v[i].minor);
			assert_int_equal(gobin_has_types(bin), !stripped);
			assert_non_null(bins_func(bin, "main.main"));
			gobin_free(bin);
		}
	}
}

/* The table by version, which stripped programs depend on. */
static void test_layout(void **state)
{
	static const char *const forms[] = { "", "-pie", "-stripped" };
	struct bins_entry v[BINS_MAX];

	(void)state;
	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		size_t n = bins_list(forms[f], v);

		for (size_t i = 0; i < n; i++) {
			struct gobin *bin = bins_open(v[i].path);
			struct goprobe_runtime want = { .g_tls = -8 };

			goversion_runtime(v[i].minor, &want);
			assert_memory_equal(gobin_runtime(bin), &want,
					    sizeof(want));
			gobin_free(bin);
		}
	}
}

/* g's word stands among C's variables: by symbol, or by the code that reads it. */
static void test_cgo_tls(void **state)
{
	struct bins_entry v[BINS_MAX], bare[BINS_MAX];
	size_t n = bins_list("-cgo", v);

	(void)state;
	assert_int_equal(bins_list("-cgo-stripped", bare), n);
	for (size_t i = 0; i < n; i++) {
		struct gobin *a = bins_open(v[i].path);
		struct gobin *b = bins_open(bare[i].path);
		const struct gofunc *fn = bins_func(a, "main.Add");
		char *text;

		assert_in_range(-gobin_runtime(a)->g_tls, 9, 1000);
		assert_int_equal(gobin_runtime(a)->g_tls,
				 gobin_runtime(b)->g_tls);
		assert_non_null(fn);
		text = gobin_sig_text(a, fn);
		assert_string_equal(text, "func(x int, s string) int");
		free(text);
		gobin_free(a);
		gobin_free(b);
	}
}

static void test_functions_sorted(void **state)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list("-go", v);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct gobin *bin = bins_open(v[i].path);
		const struct gofunc *f;
		size_t nf;

		f = gobin_funcs(bin, &nf);
		assert_true(nf > 5000);
		for (size_t k = 0; k < nf; k++) {
			assert_true(f[k].entry < f[k].end);
			assert_true(!k || f[k - 1].end <= f[k].entry);
			assert_ptr_equal(gobin_func_at(bin, f[k].entry), &f[k]);
			assert_ptr_equal(gobin_func_at(bin, f[k].end - 1),
					 &f[k]);
		}
		assert_null(gobin_func_at(bin, 0));
		assert_null(gobin_func_at(bin, f[nf - 1].end));
		gobin_free(bin);
	}
}

static void test_stripped_same(void **state)
{
	struct bins_entry whole[BINS_MAX], bare[BINS_MAX];
	size_t n = bins_list("", whole);

	(void)state;
	assert_int_equal(bins_list("-stripped", bare), n);
	for (size_t i = 0; i < n; i++) {
		struct gobin *a = bins_open(whole[i].path);
		struct gobin *b = bins_open(bare[i].path);
		const struct gofunc *fa, *fb;
		size_t na, nb;

		fa = gobin_funcs(a, &na);
		fb = gobin_funcs(b, &nb);
		assert_int_equal(na, nb);
		for (size_t k = 0; k < na; k++) {
			assert_string_equal(fa[k].name, fb[k].name);
			assert_int_equal(fa[k].entry, fb[k].entry);
			assert_int_equal(fa[k].line, fb[k].line);
		}
		gobin_free(a);
		gobin_free(b);
	}
}

static void test_source_lines(void **state)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list("", v);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct gobin *bin = bins_open(v[i].path);
		const struct gofunc *a = bins_func(bin, "main.Ints");
		const struct gofunc *b = bins_func(bin, "main.Leaf");

		assert_non_null(strstr(a->file, "/shapes/main.go"));
		/* The func keyword since 1.20, before that what follows it. */
		assert_in_range(a->line, 70, 80);
		assert_true(b->line > a->line);
		gobin_free(bin);
	}
}

/* The sum of a signature's places is what the line table says. */
static void test_adds_up(void **state)
{
	static const char *const forms[] = { "", "-pie", "-noopt" };
	struct bins_entry v[BINS_MAX];

	(void)state;
	for (size_t k = 0; k < sizeof(forms) / sizeof(*forms); k++) {
		size_t n = bins_list(forms[k], v);

		for (size_t i = 0; i < n; i++) {
			struct gobin *bin = bins_open(v[i].path);
			size_t nf, compiled = 0, told = 0;
			const struct gofunc *f = gobin_funcs(bin, &nf);

			for (size_t j = 0; j < nf; j++) {
				if (f[j].flags & GOFUNC_ASM)
					continue;
				compiled++;
				told += !gobin_sig(bin, &f[j])->incomplete;
			}
			print_message("%s: %zu of %zu compiled functions\n",
				      v[i].path, told, compiled);
			assert_true(told * 1000 >= compiled * 995);
			gobin_free(bin);
		}
	}
}

struct sig_case {
	const char *name;
	const char *text;
	int since;		/* Go 1.N */
	int before;		/* 0: any */
	/* Which parameters and results are in their place: '+' and '-'. */
	const char *known;
};

static const struct sig_case sigs[] = {
	{ "main.Ints",
	  "func(a int, b int8, c uint16, d int32, e uint64, f uintptr, g bool) (int, bool)",
	},
	{ "main.Floats", "func(a float64, b float32, i int, c float64) (float64, int)" },
	{ "main.Complexes", "func(a complex128, b complex64) complex128" },
	{ "main.Strings", "func(s string, b []uint8, n main.Named) (out string, err error)" },
	{ "main.TenInts",
	  "func(a int, b int, c int, d int, e int, f int, g int, h int, i int, j int) int",
	},
	{ "main.SmallAfterBig", "func(a int, big main.Big, b int, c int) (int, main.Big)" },
	{ "main.Structs",
	  "func(m main.Mixed, p main.Point, e main.Empty, i main.Item) (main.Mixed, main.Item)",
	},
	{ "main.Interfaces", "func(s main.Shape, e error, any interface {}) (main.Shape, error)" },
	{ "main.Refs",
	  "func(m map[string]int, c chan int, f func(int) error, p *main.Tree, t main.Tree) main.Callback",
	},
	{ "main.Slices",
	  "func(a []main.Item, b [][]int, c []main.Tree, d []interface {}, e []main.Empty) int",
	},
	{ "main.Times", "func(t time.Time, d time.Duration, k main.Kind) time.Time" },
	{ "main.Results", "func() (a int, b string, c float64, d []int, e error, f [2]int)", 17 },
	{ "main.Unused", "func(a int, b int, c string, d int) int" },
	{ "main.Variadic", "func(format string, args []interface {}) int" },
	{ "main.Nothing", "func()" },
	{ "main.Recovers", "func(n int) (result int, err error)" },
	{ "main.Recovers.func1", "func()", 17 },
	{ "main.Point.Value", "func(k int) int" },
	{ "main.(*Point).Pointer", "func(k int) int" },
	{ "main.MakeClosure", "func(a int, s string) func(int, string) int" },
	{ "main.MakeClosure.func1", "func(b int, t string) int" },
	/* Blank and unnamed parameters are told since 1.22. */
	{ "main.Blank",
	  "func(_ int, a string, _ float64, b int) (_ int, err error)",
	  22, 0, "++++++" },
	{ "main.Unnamed", "func(_ int, _ string) int", 22 },
	{ "main.BlankLast", "func(a int, s string, _ bool) string", 22 },
	{ "main.Point.NoReceiverName", "func(k int) int", 22 },
	/* Before that what follows them is found by where it is. */
	{ "main.Blank", "func(_ ?, a string, b int, _ ?) (_ int, err error)", 17, 22, "-++-++" },
	{ "main.Unnamed", "func(_ ?) int", 17, 22, "-+" },
	{ "main.BlankLast", "func(a int, s string, _ ?) string", 17, 22, "++-+" },
	{ "main.Point.NoReceiverName", "func(_ ?, k int) int", 17, 22, "-++" },
	/* Generics: a hidden dictionary, and shapes instead of types. */
	{ "main.Sum[go.shape.int]", "func(first int, rest []int) int", 21 },
	{ "main.Sum[go.shape.float64]", "func(first float64, rest []float64) float64", 21 },
	{ "main.Map[go.shape.int,go.shape.string]",
	  "func(in []int, f func(int) string) []string",
	  21 },
	{ "main.Swap[go.shape.string,go.shape.int]",
	  "func(p main.Pair[string,int]) main.Pair[int,string]",
	  21 },
	{ "main.(*List[go.shape.string]).Push", "func(v string) int", 21 },
	{ "main.Map[...]", "func(in []int, f func(int) string) []string", 18, 21 },
	{ "main.Swap[...]", "func(p main.Pair[string,int]) main.Pair[int,string]", 18, 21 },
	{ "runtime.memmove", "func(?)" },
};

static void check_known(const struct gosig *sig, const char *want)
{
	char got[64] = "";
	size_t n = 0;

	for (size_t i = 0; i < sig->nparams; i++)
		got[n++] = sig->params[i].unavailable ? '-' : '+';
	for (size_t i = 0; i < sig->nresults; i++)
		got[n++] = sig->results[i].unavailable ? '-' : '+';
	assert_string_equal(got, want);
}

static void test_signatures(void **state)
{
	static const char *const forms[] = { "", "-pie", "-plain" };
	struct bins_entry v[BINS_MAX];

	(void)state;
	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		size_t n = bins_list(forms[f], v);

		for (size_t i = 0; i < n; i++) {
			struct gobin *bin = bins_open(v[i].path);

			for (size_t k = 0; k < sizeof(sigs) / sizeof(*sigs);
			     k++) {
				const struct sig_case *c = &sigs[k];
				const struct gofunc *fn;
				char *text;

				if (v[i].minor < c->since ||
				    (c->before && v[i].minor >= c->before))
					continue;
				fn = bins_func(bin, c->name);
				if (!fn)
					fail_msg("%s: no %s", v[i].path,
						 c->name);
				text = gobin_sig_text(bin, fn);
				if (strcmp(text, c->text))
					fail_msg("%s: %s is %s, not %s",
						 v[i].path, c->name, text,
						 c->text);
				if (c->known)
					check_known(gobin_sig(bin, fn),
						    c->known);
				free(text);
			}
			gobin_free(bin);
		}
	}
}

static void test_abi0(void **state)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list("", v);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct gobin *bin = bins_open(v[i].path);
		const struct gofunc *fn = bins_func(bin, "main.Ints");

		assert_int_equal(!!(fn->flags & GOFUNC_ABI0), v[i].minor < 17);
		assert_false(fn->flags & GOFUNC_ASM);
		fn = bins_func(bin, "runtime.rt0_go");
		assert_true(fn->flags & GOFUNC_ASM);
		assert_true(fn->flags & GOFUNC_ABI0);
		gobin_free(bin);
	}
}

static void test_inlined(void **state)
{
	static const char *const forms[] = { "", "-stripped", "-pie" };
	struct bins_entry v[BINS_MAX];

	(void)state;
	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		size_t n = bins_list(forms[f], v);

		for (size_t i = 0; i < n; i++) {
			struct gobin *bin = bins_open(v[i].path);
			size_t before, after;
			const struct gofunc *old = gobin_funcs(bin, &before);
			const struct gofunc *fn;

			assert_null(bins_func(bin, "main.inlined"));
			assert_int_equal(gobin_load_inlined(bin), 0);
			assert_int_equal(gobin_load_inlined(bin), 0);
			gobin_funcs(bin, &after);
			assert_true(after > before);
			fn = bins_func(bin, "main.inlined");
			assert_non_null(fn);
			assert_int_equal(fn->flags, GOFUNC_INLINED);
			assert_int_equal(fn->entry, 0);
			assert_int_equal(fn->ninlined, 2);
			assert_non_null(strstr(fn->file, "shapes/main.go"));
			assert_non_null(gobin_sig(bin, fn)->incomplete);
			/* What was handed out before is still there. */
			assert_non_null(old[before - 1].name);
			assert_non_null(gobin_sig(bin, &old[0]));
			gobin_free(bin);
		}
	}
}

static void test_code_offsets(void **state)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list("-pie", v);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct gobin *bin = bins_open(v[i].path);
		const struct gofunc *fn = bins_func(bin, "main.main");
		int64_t off = gobin_code_offset(bin, fn->entry);
		uint8_t file[8];

		assert_true(off > 0);
		assert_int_equal(gobin_code_vaddr(bin, (uint64_t)off),
				 fn->entry);
		assert_int_equal(pread(gobin_fd(bin), file, 8, off), 8);
		assert_memory_equal(gobin_code(bin, fn->entry, 8), file, 8);
		assert_int_equal(gobin_code_offset(bin, 0), -1);
		assert_int_equal(gobin_code_offset(bin, UINT64_MAX), -1);
		assert_null(gobin_code(bin, fn->entry, SIZE_MAX));
		assert_null(gobin_code(bin, UINT64_MAX - 2, 8));
		gobin_free(bin);
	}
}

static void test_type_names(void **state)
{
	static const char *const forms[] = { "", "-pie", "-stripped" };
	struct bins_entry v[BINS_MAX];

	(void)state;
	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		size_t n = bins_list(forms[f], v);

		for (size_t i = 0; i < n; i++) {
			struct gobin *bin = bins_open(v[i].path);
			bool pointer = false, value = false;

			/* Descriptors lie somewhere in the first 12 MiB. */
			for (uint64_t at = 0; at < 12 << 20; at += 8) {
				const char *s = gobin_rtype_name(bin, at);

				if (!s)
					continue;
				pointer |= !strcmp(s, "*errors.errorString");
				value |= !strcmp(s, "main.Square");
			}
			assert_true(pointer);
			assert_true(value);
			assert_null(gobin_rtype_name(bin, UINT64_MAX - 7));
			gobin_free(bin);
		}
	}
}

/* A copy of the first @len bytes of @path; an open descriptor. */
static int copy_of(const char *path, off_t len)
{
	char name[] = "/tmp/goprobe-test-XXXXXX", buf[65536];
	int from = open(path, O_RDONLY | O_CLOEXEC), to = mkstemp(name);

	assert_true(from >= 0 && to >= 0);
	unlink(name);
	for (off_t at = 0; at < len;) {
		size_t want = len - at < (off_t)sizeof(buf) ?
			      (size_t)(len - at) : sizeof(buf);
		ssize_t n = read(from, buf, want);

		if (n <= 0)
			break;
		assert_int_equal(write(to, buf, n), n);
		at += n;
	}
	close(from);
	return to;
}

/* Look at everything; for what sanitizers say of it. */
static void look_around(struct gobin *bin)
{
	size_t n;
	const struct gofunc *f = gobin_funcs(bin, &n);

	for (size_t i = 0; i < n; i += 1 + n / 500) {
		free(gobin_sig_text(bin, &f[i]));
		gobin_code(bin, f[i].entry, 16);
	}
	gobin_load_inlined(bin);
}

static void open_damaged(int fd, const char *what)
{
	struct diag d = { .sentence = NULL };
	struct gobin *bin = NULL;

	if (!gobin_open(fd, what, &bin, &d)) {
		look_around(bin);
		gobin_free(bin);
	} else {
		assert_non_null(d.sentence);
		assert_non_null(strstr(d.sentence, what));
		assert_null(strchr(d.sentence, '\n'));
		diag_fini(&d);
	}
}

static void test_truncated(void **state)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list("", v);
	struct stat st;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(stat(v[i].path, &st), 0);
		for (int k = 0; k < 40; k++) {
			off_t len = k < 8 ? 1L << (k + 1) :
				    st.st_size / 33 * (k - 7);
			int fd = copy_of(v[i].path, len);
			struct diag d = { .sentence = NULL };
			struct gobin *bin = NULL;

			assert_int_equal(gobin_open(fd, "it", &bin, &d), -1);
			assert_non_null(d.sentence);
			diag_fini(&d);
			close(fd);
		}
	}
}

static void test_shrinks_later(void **state)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list("", v);
	struct stat st;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct diag d = { .sentence = NULL };
		struct gobin *bin = NULL;
		int fd;

		assert_int_equal(stat(v[i].path, &st), 0);
		fd = copy_of(v[i].path, st.st_size);
		assert_int_equal(gobin_open(fd, "it", &bin, &d), 0);
		assert_int_equal(ftruncate(fd, st.st_size / 16), 0);
		look_around(bin);
		gobin_free(bin);
		close(fd);
	}
}

/* Other bytes in the headers, the line table, the debug information. */
static void test_damaged(void **state)
{
	static const char *const forms[] = { "-plain", "-stripped" };
	struct bins_entry v[BINS_MAX];
	uint32_t seed = 7;
	struct stat st;

	(void)state;
	for (size_t f = 0; f < 2; f++) {
		size_t n = bins_list(forms[f], v);

		for (size_t i = 0; i < n; i++) {
			assert_int_equal(stat(v[i].path, &st), 0);
			for (int round = 0; round < 24; round++) {
				int fd = copy_of(v[i].path, st.st_size);

				for (int k = 0; k < 1 + round * 8; k++) {
					off_t at;
					uint8_t b;

					seed = seed * 1664525 + 1013904223;
					at = seed % (round % 3 ? st.st_size :
						     4096);
					b = seed >> 24;
					assert_int_equal(pwrite(fd, &b, 1, at),
							 1);
				}
				open_damaged(fd, "it");
				close(fd);
			}
		}
	}
}

static void test_not_go(void **state)
{
	static const struct {
		const char *path;
		const char *says;
	} cases[] = {
		{ "/bin/true", "not a Go program" },
		{ "/etc/passwd", "not an ELF file" },
		{ "/dev/null", "not a regular file" },
		{ "/", "not a regular file" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct diag d = { .sentence = NULL };
		struct gobin *bin = NULL;
		int fd = open(cases[i].path, O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0);
		assert_int_equal(gobin_open(fd, cases[i].path, &bin, &d), -1);
		if (!strstr(d.sentence, cases[i].says))
			fail_msg("%s: \"%s\"", cases[i].path, d.sentence);
		diag_fini(&d);
		close(fd);
	}
}

static void test_versions(void **state)
{
	static const struct {
		const char *text;
		int minor;
	} cases[] = {
		{ "go1.24.4", 24 }, { "go1.27", 27 }, { "go1.22rc1", 22 },
		{ "devel go1.28-abcdef Mon", 28 }, { "go1.24.4 X:nodwarf5", 24 },
		{ "go1.27.3-X:jsonv2", 27 }, { "go2.0", -1 }, { "", -1 },
		{ "go1.", -1 }, { "go1.99999999999999999999", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(goversion_parse(cases[i].text),
				 cases[i].minor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "versions are read from their names", test_versions },
		{ "programs of all forms and toolchains open", test_opens },
		{ "the table of runtime offsets agrees with the debug information", test_layout },
		{ "C's thread-local variables do not hide g", test_cgo_tls },
		{ "functions are sorted, apart, and found by address", test_functions_sorted },
		{ "a stripped program has the same functions", test_stripped_same },
		{ "functions know their source lines", test_source_lines },
		{ "signatures add up with the line table", test_adds_up },
		{ "signatures read as Go writes them", test_signatures },
		{ "assembly and old Go take their arguments on the stack", test_abi0 },
		{ "inlined functions are known with their places", test_inlined },
		{ "code is found by address and by file offset", test_code_offsets },
		{ "runtime types have names", test_type_names },
		{ "a truncated file gives a sentence", test_truncated },
		{ "a file that shrinks while it is open does no harm", test_shrinks_later },
		{ "a damaged file does no harm", test_damaged },
		{ "what is no Go program gives a sentence", test_not_go },
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
