// SPDX-License-Identifier: GPL-2.0
/* Damaged Go programs: cut short, shrinking, or with changed bytes. */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bins.h"
#include "rows.h"

static int look_at_type(void *ctx, uint64_t vaddr, const char *name)
{
	assert_non_null(name);
	gobin_rtype(ctx, vaddr);
	return 0;
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
	gobin_each_rtype(bin, look_at_type, bin);
	gobin_itabs(bin, 0, look_at_type, bin);
	gobin_find_type(bin, "errors.errorString");
}

static void open_damaged(int fd, const char *what)
{
	struct diag d = { .message = NULL };
	struct gobin *bin = NULL;

	if (!gobin_open(fd, what, &bin, &d)) {
		look_around(bin);
		gobin_free(bin);
	} else {
		assert_non_null(d.message);
		assert_non_null(strstr(d.message, what));
		assert_null(strchr(d.message, '\n'));
		diag_fini(&d);
	}
}

TEST(test_truncated, "a truncated file gives a message")
{
	struct bins_each b = BINS("shapes", "");
	struct stat st;

	while (bins_next_path(&b)) {
		assert_int_equal(stat(b.path, &st), 0);
		for (int k = 0; k < 40; k++) {
			off_t len = k < 8 ? 1L << (k + 1) :
				    st.st_size / 33 * (k - 7);
			int fd = bins_copy_start(b.path, len);
			struct diag d = { .message = NULL };
			struct gobin *bin = NULL;

			assert_int_equal(gobin_open(fd, "it", &bin, &d), -1);
			assert_non_null(d.message);
			diag_fini(&d);
			close(fd);
		}
	}
}

TEST(test_shrinks_later, "a file that shrinks while it is open does no harm")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next_path(&b)) {
		struct diag d = { .message = NULL };
		struct gobin *bin = NULL;
		int fd = bins_copy(b.path);

		assert_int_equal(gobin_open(fd, "it", &bin, &d), 0);
		assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) / 16), 0);
		look_around(bin);
		gobin_free(bin);
		close(fd);
	}
}

/* Other bytes in the headers, the line table, the debug information. */
TEST(test_damaged, "a damaged file does no harm")
{
	struct bins_each b = BINS("shapes", "-plain", "-stripped");
	uint32_t seed = 7;
	struct stat st;

	while (bins_next_path(&b)) {
		assert_int_equal(stat(b.path, &st), 0);
		for (int round = 0; round < 24; round++) {
			int fd = bins_copy(b.path);

			for (int k = 0; k < 1 + round * 8; k++) {
				off_t at;
				uint8_t byte;

				seed = seed * 1664525 + 1013904223;
				at = seed % (round % 3 ? st.st_size :
					     4096);
				byte = seed >> 24;
				assert_int_equal(pwrite(fd, &byte, 1, at), 1);
			}
			open_damaged(fd, "it");
			close(fd);
		}
	}
}
