// SPDX-License-Identifier: GPL-2.0
/* Go programs of several toolchains and forms. */
#define _GNU_SOURCE	/* memmem() */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bins.h"
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

/* A copy of @path that has no section headers. */
static int without_sections(const char *path)
{
	char name[] = "/tmp/goprobe-test-XXXXXX", buf[65536];
	int in = open(path, O_RDONLY | O_CLOEXEC), out = mkstemp(name);
	Elf64_Ehdr eh;
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	unlink(name);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		assert_int_equal(write(out, buf, (size_t)n), n);
	close(in);
	assert_int_equal(pread(out, &eh, sizeof(eh), 0), sizeof(eh));
	eh.e_shoff = 0;
	eh.e_shentsize = 0;
	eh.e_shnum = 0;
	eh.e_shstrndx = 0;
	assert_int_equal(pwrite(out, &eh, sizeof(eh), 0), sizeof(eh));
	return out;
}

static int count_type(void *ctx, uint64_t vaddr, const char *name)
{
	(void)vaddr;
	(void)name;
	++*(size_t *)ctx;
	return 0;
}

static void test_no_sections(void **state)
{
	static const char *const forms[] = {
		"-stripped", "-pie", "-cgo-stripped", "-go",
	};
	struct bins_entry v[BINS_MAX];

	(void)state;
	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		size_t n = bins_list(forms[f], v);

		for (size_t i = 0; i < n; i++) {
			int fd = without_sections(v[i].path);
			struct gobin *a = bins_open(v[i].path), *b = NULL;
			struct diag d = { .sentence = NULL };
			size_t na, nb, ta = 0, tb = 0;
			const struct gofunc *fa, *fb;

			if (gobin_open(fd, "it", &b, &d))
				fail_msg("%s: %s", v[i].path, d.sentence);
			fa = gobin_funcs(a, &na);
			fb = gobin_funcs(b, &nb);
			assert_int_equal(na, nb);
			for (size_t k = 0; k < na; k++) {
				assert_string_equal(fa[k].name, fb[k].name);
				assert_int_equal(fa[k].entry, fb[k].entry);
				assert_int_equal(fa[k].line, fb[k].line);
			}
			gobin_each_rtype(a, count_type, &ta);
			gobin_each_rtype(b, count_type, &tb);
			assert_in_range(ta, 400, 100000);
			assert_int_equal(ta, tb);
			assert_string_equal(gobin_go_version(a), gobin_go_version(b));
			assert_memory_equal(gobin_runtime(a), gobin_runtime(b),
					    sizeof(*gobin_runtime(a)));
			gobin_free(a);
			gobin_free(b);
			close(fd);
		}
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

/* A copy of @path that says "go1.99" wherever it says "go1.@minor". */
static int renamed(const char *path, int minor)
{
	char name[] = "/tmp/goprobe-test-XXXXXX", old[16];
	int in = open(path, O_RDONLY | O_CLOEXEC), out = mkstemp(name);
	off_t size = lseek(in, 0, SEEK_END);
	char *p = malloc((size_t)size), *at = p;

	assert_true(in >= 0 && out >= 0 && p);
	unlink(name);
	assert_int_equal(pread(in, p, (size_t)size, 0), size);
	snprintf(old, sizeof(old), "go1.%d", minor);
	while ((at = memmem(at, (size_t)(p + size - at), old, strlen(old))))
		memcpy(at, "go1.99", 6);
	assert_int_equal(write(out, p, (size_t)size), size);
	free(p);
	close(in);
	return out;
}

/* Debug information tells what the table by version can't. */
static void test_newer(void **state)
{
	struct bins_entry whole[BINS_MAX], bare[BINS_MAX];
	size_t n = bins_list("", whole);

	(void)state;
	assert_int_equal(bins_list("-stripped", bare), n);
	for (size_t i = 0; i < n; i++) {
		struct diag d = { .sentence = NULL };
		struct gobin *bin = NULL;
		int fd;

		if (whole[i].minor != GOVERSION_MAX)
			continue;
		fd = renamed(whole[i].path, whole[i].minor);
		assert_int_equal(gobin_open(fd, "it", &bin, &d), 0);
		assert_int_equal(gobin_go_minor(bin), 99);
		assert_int_equal(gobin_runtime(bin)->g_goid, 0x98);
		gobin_free(bin);
		close(fd);
		fd = renamed(bare[i].path, bare[i].minor);
		assert_int_equal(gobin_open(fd, "it", &bin, &d), -1);
		assert_non_null(strstr(d.sentence, "newer than this goprobe knows"));
		assert_non_null(d.hint);
		diag_fini(&d);
		close(fd);
	}
}

/* Plugins have no build information up to some release; units do. */
static void test_plugin(void **state)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list("-plugin", v);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct gobin *bin = bins_open(v[i].path);

		assert_int_equal(gobin_go_minor(bin), v[i].minor);
		assert_non_null(strstr(gobin_go_version(bin), "go1."));
		assert_null(strpbrk(gobin_go_version(bin), "; "));
		assert_non_null(bins_func(bin, "cgo.Add"));
		gobin_free(bin);
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
		{ "without section headers all is found, too", test_no_sections },
		{ "functions know their source lines", test_source_lines },
		{ "assembly and old Go take their arguments on the stack", test_abi0 },
		{ "inlined functions are known with their places", test_inlined },
		{ "code is found by address and by file offset", test_code_offsets },
		{ "runtime types have names", test_type_names },
		{ "a release that is too new needs debug information", test_newer },
		{ "a plugin's version is known", test_plugin },
		{ "what is no Go program gives a sentence", test_not_go },
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
