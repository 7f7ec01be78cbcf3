// SPDX-License-Identifier: GPL-2.0
/* Files that have no line table that can be read: what they are. */
#include <stdint.h>

#include <string.h>
#include <unistd.h>

#include "bins.h"
#include "rows.h"

struct change {
	const char *from, *to;
	size_t len;
};

/* The marks of Go's own line tables become unknown ones. */
static const struct change marks[] = {
	{ "\xfb\xff\xff\xff\0\0\1\10", "\x14\x26\xc7\xc9\0\0\1\10", 8 },
	{ "\xfa\xff\xff\xff\0\0\1\10", "\x14\x26\xc7\xc9\0\0\1\10", 8 },
	{ "\xf0\xff\xff\xff\0\0\1\10", "\x14\x26\xc7\xc9\0\0\1\10", 8 },
	{ "\xf1\xff\xff\xff\0\0\1\10", "\x14\x26\xc7\xc9\0\0\1\10", 8 },
};

static const struct change sections[] = {
	{ "gopclntab", "gopclntaX", 9 },
	{ ".go.buildinfo", ".go.buildinfX", 13 },
};

static void replace_all(int fd, const struct change *v, size_t n)
{
	for (size_t i = 0; i < n && v[i].from; i++)
		bins_replace(fd, v[i].from, v[i].to, v[i].len);
}

/* Programs with unknown marks, of whose sections Go's first ones have other names. */
TEST(test_explain, "obfuscators and other compilers are recognised")
{
	static const struct {
		const char *form;
		size_t sections;
		struct change change;
		const char *message, *hint;
	} rows[] = {
		{ "-symbols", 0, { NULL },
		  "it is a Go program, but goprobe does not know its line table", "obfuscation" },
		{ "-stripped", 1, { NULL },
		  "it is a Go program, but goprobe does not know its line table", "obfuscation" },
		{ "-symbols", 2, { "\0runtime.main\0", "\0tinygo_main\0\0", 14 },
		  "it was built by TinyGo", "go build" },
		{ "-symbols", 2, { "\0runtime.goexit1", "\0__go_init_main\0", 16 },
		  "it was built by gccgo", "go build" },
		{ "-cgo-stripped", 2, { "libc.so.6", "libgo.so.", 9 },
		  "it was built by gccgo", "go build" },
		{ "-stripped", 2, { NULL },
		  "it is not a Go program: it has no Go line table", NULL },
	};

	for (size_t i = 0; i < N(rows); i++) {
		struct bins_each b = BINS("shapes", rows[i].form);

		while (bins_next_path(&b)) {
			int fd = bins_copy(b.path);
			struct gobin *bin = NULL;
			struct diag d = { 0 };

			replace_all(fd, marks, N(marks));
			replace_all(fd, sections, rows[i].sections);
			replace_all(fd, &rows[i].change, 1);
			assert_int_equal(gobin_open(fd, "it", &bin, &d), -1);
			close(fd);
			assert_non_null(strstr(d.message, rows[i].message));
			assert_int_equal(!d.hint, !rows[i].hint);
			assert_true(!d.hint || strstr(d.hint, rows[i].hint));
			diag_fini(&d);
		}
	}
}

/* The mark is near the program headers, or at the end. */
TEST(test_upx, "UPX is recognised")
{
	static const struct {
		off_t at;
		bool from_end;
	} places[] = { { 0xf00 }, { 32, true } };

	for (size_t i = 0; i < N(places); i++) {
		int fd = bins_copy("/bin/true");
		off_t from = places[i].from_end ? lseek(fd, 0, SEEK_END) : 0;
		struct gobin *bin = NULL;
		struct diag d = { 0 };

		assert_int_equal(pwrite(fd, "UPX!", 4, from + places[i].at), 4);
		assert_int_equal(gobin_open(fd, "it", &bin, &d), -1);
		close(fd);
		assert_string_equal(d.message, "it is packed by UPX: its code is in no file while it runs");
		assert_non_null(strstr(d.hint, "upx -d"));
		diag_fini(&d);
	}
}
