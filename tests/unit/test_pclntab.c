// SPDX-License-Identifier: GPL-2.0
/* Go's function and line table: of real programs, cut short, and damaged. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bins.h"
#include "elffile.h"
#include "pclntab.h"

/* The table of the program at @path, with the NUL that pclntab wants. */
static uint8_t *load(const char *path, size_t *len)
{
	struct diag d = { .sentence = NULL };
	const struct elfsec *s;
	struct elffile ef;
	uint8_t *p;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(elffile_open(fd, path, &ef, &d), 0);
	s = elffile_section(&ef, ".gopclntab");
	if (!s)
		s = elffile_section(&ef, ".data.rel.ro.gopclntab");
	assert_non_null(s);
	*len = s->size;
	p = elffile_load(&ef, s->off, s->size);
	assert_non_null(p);
	elffile_fini(&ef);
	close(fd);
	return p;
}

static void test_real(void **state)
{
	static const char *const forms[] = { "", "-pie", "-go" };
	struct bins_entry v[BINS_MAX];

	(void)state;
	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		size_t n = bins_list(forms[f], v);

		for (size_t i = 0; i < n; i++) {
			struct pclntab_func pf;
			struct pclntab t;
			size_t len, named = 0, filed = 0;
			uint64_t last = 0;
			uint8_t *p = load(v[i].path, &len);

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

static void test_cut(void **state)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list("", v);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		size_t len;
		uint8_t *p = load(v[i].path, &len);

		for (size_t k = 0; k < 128; k++)
			look_at_copy(p, k);
		for (size_t k = 0; k < 64; k++)
			look_at_copy(p, len / 64 * k + k);
		free(p);
	}
}

static void test_damaged(void **state)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list("", v);
	uint32_t seed = 3;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		size_t len;
		uint8_t *p = load(v[i].path, &len);

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

static void test_headers(void **state)
{
	uint8_t buf[513];

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		memset(buf, 0, sizeof(buf));
		memcpy(buf, headers[i].bytes, sizeof(headers[i].bytes));
		if (pclntab_is_header(buf, sizeof(buf) - 1))
			fail_msg("accepted: %s", headers[i].claim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "real tables are read whole", test_real },
		{ "headers that are none are refused", test_headers },
		{ "a table that is cut anywhere does no harm", test_cut },
		{ "a table with other bytes in it does no harm", test_damaged },
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
