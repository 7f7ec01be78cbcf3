// SPDX-License-Identifier: GPL-2.0
/* Go programs of several toolchains and forms. */
#define _GNU_SOURCE	/* memmem() */
#include <stdint.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bins.h"
#include "elf/elffile.h"
#include "gobin/release.h"
#include "rows.h"

TEST(test_opens, "programs of all forms and toolchains open")
{
	struct bins_each b = BINS("shapes", "", "-pie", "-stripped", "-plain", "-noopt", "-go");

	while (bins_next(&b)) {
		bool stripped = !strcmp(b.form, "-stripped") || !strcmp(b.form, "-go");

		assert_int_equal(gobin_go_minor(b.bin), b.minor);
		assert_int_equal(gobin_has_types(b.bin), !stripped);
		assert_non_null(bins_func(b.bin, "main.main"));
	}
}

/* The table by version, which stripped programs depend on. */
TEST(test_layout, "the table of runtime offsets agrees with the debug information")
{
	struct bins_each b = BINS("shapes", "", "-pie", "-stripped");

	while (bins_next(&b)) {
		struct goprobe_runtime want = { .g_tls = -8 };

		release_runtime(b.minor, &want);
		assert_memory_equal(gobin_runtime(b.bin), &want, sizeof(want));
	}
}

/* g's word stands among C's variables: by symbol, or by the code that reads it. */
TEST(test_cgo_tls, "C's thread-local variables do not hide g")
{
	struct bins_each b = BINS("shapes", "-cgo");

	while (bins_next(&b)) {
		struct gobin *bare = bins_open(bins_twin(&b, "-cgo-stripped"));
		const struct gofunc *fn = bins_func(b.bin, "main.Add");
		char *text;

		assert_in_range(-gobin_runtime(b.bin)->g_tls, 9, 1000);
		assert_int_equal(gobin_runtime(b.bin)->g_tls, gobin_runtime(bare)->g_tls);
		assert_non_null(fn);
		text = gobin_sig_text(b.bin, fn);
		assert_string_equal(text, "func(x int, s string) int");
		free(text);
		gobin_free(bare);
	}
}

/* Calls of C take their arguments on the stack, as symbols say, or else the code. */
TEST(test_cgo_calls, "calls of C are ABI0, stripped or not")
{
	static const struct {
		const char *in_main, *in_plugin;
		bool abi0;
	} calls[] = {
		{ "main._Cfunc_add", "cgo._Cfunc_add", true },
		{ "main._Cfunc_CString", "cgo._Cfunc_CString", false },
	};
	struct bins_each b = BINS("shapes", "-cgo", "-cgo-stripped", "-shared", "-plugin");

	while (bins_next(&b)) {
		for (size_t i = 0; i < N(calls); i++) {
			const struct gofunc *fn = bins_func(b.bin, calls[i].in_main);

			if (!fn)
				fn = bins_func(b.bin, calls[i].in_plugin);
			assert_non_null(fn);
			assert_int_equal(!!(fn->flags & GOFUNC_ABI0),
					 b.minor < 17 || calls[i].abi0);
			assert_string_equal(gobin_func_name(b.bin, fn->entry), fn->name);
			assert_null(gobin_func_name(b.bin, fn->entry + 1));
		}
	}
}

/* Packages that were compiled without debug information, in a program with it. */
TEST(test_bare_package, "a package without debug information is known")
{
	struct bins_each b = BINS("shapes", "-bare");

	while (bins_next(&b)) {
		const struct gofunc *fn = bins_func(b.bin, "main.Ints");
		const struct gofunc *other = bins_func(b.bin, "runtime.gopark");
		const char *why = gobin_no_types_of(b.bin, fn);

		/* Older compilers don't say that they left it out. */
		if (b.minor < 19)
			continue;
		assert_non_null(strstr(why, "no debug information for this package"));
		assert_string_equal(gobin_sig(b.bin, fn)->incomplete, why);
		assert_null(gobin_no_types_of(b.bin, other));
		assert_null(gobin_sig(b.bin, other)->incomplete);
	}
}

static int keep_cfunc(void *ctx, const char *name, uint64_t value, uint64_t size,
		      unsigned int type)
{
	uint64_t *ret = ctx;

	(void)size;
	(void)type;
	if (!strncmp(name, "_cgo_", 5) && strstr(name, "_Cfunc_add"))
		*ret = value;
	return 0;
}

/* C has no place in the line table; its symbols say what it is called. */
TEST(test_c_names, "C functions go by their symbols")
{
	struct bins_each b = BINS("shapes", "-cgo", "-shared", "-plugin");

	while (bins_next(&b)) {
		uint64_t vaddr = 0;
		const char *name;

		elffile_symbols(gobin_file(b.bin), keep_cfunc, &vaddr);
		assert_int_not_equal(vaddr, 0);
		name = gobin_func_name(b.bin, vaddr);
		assert_non_null(name);
		assert_non_null(strstr(name, "_Cfunc_add"));
		assert_null(gobin_func_name(b.bin, vaddr + 1));
		assert_null(gobin_func_name(b.bin, 0));
	}
}

TEST(test_functions_sorted, "functions are sorted, apart, and found by address")
{
	struct bins_each b = BINS("shapes", "-go");

	while (bins_next(&b)) {
		const struct gofunc *f;
		size_t n;

		f = gobin_funcs(b.bin, &n);
		assert_true(n > 5000);
		for (size_t k = 0; k < n; k++) {
			assert_true(f[k].entry < f[k].end);
			assert_true(!k || f[k - 1].end <= f[k].entry);
			assert_ptr_equal(gobin_func_at(b.bin, f[k].entry), &f[k]);
			assert_ptr_equal(gobin_func_at(b.bin, f[k].end - 1), &f[k]);
		}
		assert_null(gobin_func_at(b.bin, 0));
		assert_null(gobin_func_at(b.bin, f[n - 1].end));
	}
}

/*
 * At its first instruction no call has begun; behind it those have that have a frame by then, and
 * those of functions that never have one.
 */
TEST(test_begun, "a call has begun if it has its frame, or its function has no frame")
{
	struct bins_each b = BINS("shapes", "-go");
	size_t framed = 0, frameless = 0;

	while (bins_next(&b)) {
		const struct gofunc *f;
		size_t n;

		f = gobin_funcs(b.bin, &n);
		for (size_t k = 0; k < n; k++) {
			struct gobin_place place;
			uint32_t most = 0;
			uint64_t at;

			/* All would take a minute. */
			if ((f[k].end - f[k].entry > 64 && strncmp(f[k].name, "main.", 5)) ||
			    gobin_place(b.bin, f[k].entry, &place))
				continue;
			assert_false(place.begun);
			at = f[k].entry;
			for (; !gobin_place(b.bin, at, &place) && at < f[k].end; at++)
				most = place.depth > most ? place.depth : most;
			for (at = f[k].entry + 1; at < f[k].end; at++) {
				if (gobin_place(b.bin, at, &place))
					break;
				assert_int_equal(place.begun, !most || place.depth);
			}
			framed += most > 0;
			frameless += !most;
		}
	}
	assert_true(framed > 20 && frameless > 5);
}

/* Those of Go 1.20 and newer are called "go:struct { ... }.Read". */
TEST(test_unnamed_structs, "methods of unnamed structs are functions, the linker's marks are none")
{
	struct gobin *bin = bins_newest("");
	const struct gofunc *f;
	size_t n, methods = 0;

	f = gobin_funcs(bin, &n);
	for (size_t i = 0; i < n; i++) {
		methods += !strncmp(f[i].name, "go:struct {", 11);
		assert_string_not_equal(f[i].name, "go:buildid");
		assert_string_not_equal(f[i].name, "go:textfipsstart");
	}
	assert_true(methods > 0);
	gobin_free(bin);
}

static void same_functions(struct gobin *a, struct gobin *b)
{
	const struct gofunc *fa, *fb;
	size_t na, nb;

	fa = gobin_funcs(a, &na);
	fb = gobin_funcs(b, &nb);
	assert_int_equal(na, nb);
	for (size_t i = 0; i < na; i++) {
		assert_string_equal(fa[i].name, fb[i].name);
		assert_int_equal(fa[i].entry, fb[i].entry);
		assert_int_equal(fa[i].line, fb[i].line);
	}
}

TEST(test_stripped_same, "a stripped program has the same functions")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next(&b)) {
		struct gobin *bare = bins_open(bins_twin(&b, "-stripped"));

		same_functions(b.bin, bare);
		gobin_free(bare);
	}
}

/* A copy of @path that has no section headers. */
static int without_sections(const char *path)
{
	int fd = bins_copy(path);
	Elf64_Ehdr eh;

	assert_int_equal(pread(fd, &eh, sizeof(eh), 0), sizeof(eh));
	eh.e_shoff = 0;
	eh.e_shentsize = 0;
	eh.e_shnum = 0;
	eh.e_shstrndx = 0;
	assert_int_equal(pwrite(fd, &eh, sizeof(eh), 0), sizeof(eh));
	return fd;
}

TEST(test_no_sections, "without section headers all is found, too")
{
	struct bins_each b = BINS("shapes", "-stripped", "-pie", "-cgo-stripped", "-go");

	while (bins_next(&b)) {
		int fd = without_sections(b.path);
		struct diag d = { .message = NULL };
		size_t types = 0, bare_types = 0;
		struct gobin *bare = NULL;

		if (gobin_open(fd, "it", &bare, &d))
			fail_msg("%s: %s", b.path, d.message);
		same_functions(b.bin, bare);
		gobin_each_rtype(b.bin, bins_count_type, &types);
		gobin_each_rtype(bare, bins_count_type, &bare_types);
		assert_in_range(types, 400, 100000);
		assert_int_equal(types, bare_types);
		assert_string_equal(gobin_go_version(b.bin), gobin_go_version(bare));
		assert_memory_equal(gobin_runtime(b.bin), gobin_runtime(bare),
				    sizeof(*gobin_runtime(bare)));
		gobin_free(bare);
		close(fd);
	}
}

TEST(test_source_lines, "functions know their source lines")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next(&b)) {
		const struct gofunc *ints = bins_func(b.bin, "main.Ints");
		const struct gofunc *leaf = bins_func(b.bin, "main.Leaf");

		assert_non_null(strstr(ints->file, "/shapes/main.go"));
		/* The func keyword since 1.20, before that what follows it. */
		assert_in_range(ints->line, 70, 80);
		assert_true(leaf->line > ints->line);
	}
}

/* They would be events of their own beside the method that does the work. */
TEST(test_wrappers, "methods that the compiler makes for others are wrappers")
{
	struct bins_each b = BINS("shapes", "", "-stripped", "-noopt");

	while (bins_next(&b)) {
		size_t n, wrappers = 0, forwarders = 0;
		const struct gofunc *f = gobin_funcs(b.bin, &n);

		for (size_t i = 0; i < n; i++) {
			bool made = f[i].file && !strcmp(f[i].file, "<autogenerated>");
			bool method = made && strstr(f[i].name, ").") &&
				      strncmp(f[i].name, "type", 4);

			if (method && !(f[i].flags & GOFUNC_WRAPPER))
				print_message("%s of %s\n", f[i].name, b.path);
			assert_true(!method || f[i].flags & GOFUNC_WRAPPER);
			wrappers += method;
			forwarders += !strcmp(f[i].name, "reflect.(*ptrType).NumMethod");
		}
		assert_true(wrappers > 10 && forwarders);
		assert_false(bins_func(b.bin, "main.init") &&
			     bins_func(b.bin, "main.init")->flags & GOFUNC_WRAPPER);
	}
}

TEST(test_abi0, "assembly and old Go take their arguments on the stack")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next(&b)) {
		const struct gofunc *fn = bins_func(b.bin, "main.Ints");

		assert_int_equal(!!(fn->flags & GOFUNC_ABI0), b.minor < 17);
		assert_false(fn->flags & GOFUNC_ASM);
		fn = bins_func(b.bin, "runtime.rt0_go");
		assert_true(fn->flags & GOFUNC_ASM);
		assert_true(fn->flags & GOFUNC_ABI0);
	}
}

TEST(test_inlined, "inlined functions are known with their places")
{
	struct bins_each b = BINS("shapes", "", "-stripped", "-pie");

	while (bins_next(&b)) {
		size_t before, after;
		const struct gofunc *old = gobin_funcs(b.bin, &before);
		const struct gofunc *fn;

		assert_null(bins_func(b.bin, "main.inlined"));
		assert_int_equal(gobin_load_inlined(b.bin), 0);
		assert_int_equal(gobin_load_inlined(b.bin), 0);
		gobin_funcs(b.bin, &after);
		assert_true(after > before);
		fn = bins_func(b.bin, "main.inlined");
		assert_non_null(fn);
		assert_int_equal(fn->flags, GOFUNC_INLINED);
		assert_int_equal(fn->entry, 0);
		assert_int_equal(fn->ninlined, 2);
		assert_non_null(strstr(fn->file, "shapes/main.go"));
		assert_non_null(gobin_sig(b.bin, fn)->incomplete);
		/* Pointers returned before are still valid. */
		assert_non_null(old[before - 1].name);
		assert_non_null(gobin_sig(b.bin, &old[0]));
	}
}

TEST(test_code_offsets, "code is found by address and by file offset")
{
	struct bins_each b = BINS("shapes", "-pie");

	while (bins_next(&b)) {
		const struct gofunc *fn = bins_func(b.bin, "main.main");
		int64_t off = gobin_code_offset(b.bin, fn->entry);
		const struct gofunc *last;
		uint8_t file[8], copy[8];
		uint64_t end;
		size_t n;

		assert_true(off > 0);
		assert_int_equal(gobin_code_vaddr(b.bin, (uint64_t)off), fn->entry);
		assert_int_equal(pread(gobin_fd(b.bin), file, 8, off), 8);
		assert_memory_equal(gobin_code(b.bin, fn->entry, 8), file, 8);
		assert_int_equal(gobin_code_offset(b.bin, 0), -1);
		assert_int_equal(gobin_code_offset(b.bin, UINT64_MAX), -1);
		assert_null(gobin_code(b.bin, fn->entry, SIZE_MAX));
		assert_null(gobin_code(b.bin, UINT64_MAX - 2, 8));
		assert_int_equal(gobin_copy_code(b.bin, fn->entry, copy, 8), 8);
		assert_memory_equal(copy, file, 8);
		last = gobin_funcs(b.bin, &n) + n - 1;
		for (end = last->end; gobin_code(b.bin, end, 1); end++)
			;
		assert_int_equal(gobin_copy_code(b.bin, end - 3, copy, 8), 3);
		assert_memory_equal(copy + 3, "\0\0\0\0", 5);
		assert_int_equal(gobin_copy_code(b.bin, end, copy, 8), 0);
	}
}

TEST(test_type_names, "runtime types have names")
{
	struct bins_each b = BINS("shapes", "", "-pie", "-stripped");

	while (bins_next(&b)) {
		bool pointer = false, value = false;

		/* Descriptors lie somewhere in the first 12 MiB. */
		for (uint64_t at = 0; at < 12 << 20; at += 8) {
			const char *s = gobin_rtype_name(b.bin, at);

			if (!s)
				continue;
			pointer |= !strcmp(s, "*errors.errorString");
			value |= !strcmp(s, "main.Square");
		}
		assert_true(pointer);
		assert_true(value);
		assert_null(gobin_rtype_name(b.bin, UINT64_MAX - 7));
	}
}

/* A copy of @path that says "go1.99" wherever it says "go1.@minor". */
static int renamed(const char *path, int minor)
{
	int fd = bins_copy(path);
	off_t size = lseek(fd, 0, SEEK_END);
	char *p = malloc((size_t)size), *at = p, old[16];

	assert_non_null(p);
	assert_int_equal(pread(fd, p, (size_t)size, 0), size);
	snprintf(old, sizeof(old), "go1.%d", minor);
	while ((at = memmem(at, (size_t)(p + size - at), old, strlen(old))))
		memcpy(at, "go1.99", 6);
	assert_int_equal(pwrite(fd, p, (size_t)size, 0), size);
	free(p);
	return fd;
}

/* Debug information has offsets that the table by version lacks. */
TEST(test_newer, "a release that is too new needs debug information")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next_path(&b)) {
		const char *bare = bins_twin(&b, "-stripped");
		struct diag d = { .message = NULL };
		struct gobin *bin = NULL;
		int fd;

		if (b.minor != RELEASE_NEWEST)
			continue;
		fd = renamed(b.path, b.minor);
		assert_int_equal(gobin_open(fd, "it", &bin, &d), 0);
		assert_int_equal(gobin_go_minor(bin), 99);
		assert_int_equal(gobin_runtime(bin)->g_goid, 0x98);
		gobin_free(bin);
		close(fd);
		fd = renamed(bare, b.minor);
		assert_int_equal(gobin_open(fd, "it", &bin, &d), -1);
		assert_non_null(strstr(d.message, "newer than this goprobe knows"));
		assert_non_null(d.hint);
		diag_fini(&d);
		close(fd);
	}
}

/* Plugins have no build information up to some release; units do. */
TEST(test_plugin, "a plugin's version is known")
{
	struct bins_each b = BINS("shapes", "-plugin");

	while (bins_next(&b)) {
		assert_int_equal(gobin_go_minor(b.bin), b.minor);
		assert_non_null(strstr(gobin_go_version(b.bin), "go1."));
		assert_null(strpbrk(gobin_go_version(b.bin), "; "));
		assert_non_null(bins_func(b.bin, "cgo.Add"));
	}
}

TEST(test_not_go, "what is no Go program gives a message")
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

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct diag d = { .message = NULL };
		struct gobin *bin = NULL;
		int fd = open(cases[i].path, O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0);
		assert_int_equal(gobin_open(fd, cases[i].path, &bin, &d), -1);
		if (!strstr(d.message, cases[i].says))
			fail_msg("%s: \"%s\"", cases[i].path, d.message);
		diag_fini(&d);
		close(fd);
	}
}

TEST(test_versions, "versions are read from their names")
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

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(release_parse(cases[i].text),
				 cases[i].minor);
}
