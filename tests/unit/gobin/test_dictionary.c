// SPDX-License-Identifier: GPL-2.0
/* Types of generic functions from their dictionaries. */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "elf/elffile.h"
#include "rows.h"

struct symbol {
	const char *name;
	uint64_t vaddr;
};

static int match(void *ctx, const char *name, uint64_t value, uint64_t size,
		 unsigned int type)
{
	struct symbol *s = ctx;

	(void)size;
	(void)type;
	if (strcmp(name, s->name))
		return 0;
	s->vaddr = value;
	return 1;
}

static uint64_t address_of(struct gobin *bin, const char *name)
{
	struct symbol s = { name, 0 };
	struct diag d = { .message = NULL };
	struct elffile ef;

	assert_int_equal(elffile_open(gobin_fd(bin), "", &ef, &d), 0);
	if (elffile_symbols(&ef, match, &s) != 1)
		fail_msg("%s: no %s", gobin_path(bin), name);
	elffile_fini(&ef);
	return s.vaddr;
}

struct dict_case {
	const char *dict;
	const char *real;	/* of the first parameter and of the result */
};

/* One row for each instantiation. */
static const struct dict_case cases[] = {
	{ "main..dict.Keep[int]", "int" },
	{ "main..dict.Keep[main.Money]", "main.Money" },
	{ "main..dict.Keep[*main.Tree]", "*main.Tree" },
	{ "main..dict.Keep[*main.Point]", "*main.Point" },
};

enum { NCASES = sizeof(cases) / sizeof(*cases) };

/* Which of the cases' types a function's shape can be: a bit for each. */
static unsigned int possible(struct gobin *bin, const struct gosig *sig)
{
	unsigned int mask = 0;

	assert_int_equal(sig->nparams, 2);
	assert_int_equal(sig->nresults, 1);
	assert_true(sig->dict);
	for (unsigned int k = 0; k < NCASES; k++) {
		uint64_t dict = address_of(bin, cases[k].dict);
		const struct gotype *p = gobin_real_type(bin, &sig->params[0], dict);
		const struct gotype *r = gobin_real_type(bin, &sig->results[0], dict);

		/* An int is not a pointer. */
		assert_null(gobin_real_type(bin, &sig->params[1], dict));
		assert_null(gobin_real_type(bin, &sig->params[0], 0));
		assert_null(gobin_real_type(bin, &sig->params[0], UINT64_MAX - 7));
		if (!p)
			continue;
		assert_string_equal(p->name, cases[k].real);
		assert_string_equal(r->name, cases[k].real);
		mask |= 1U << k;
	}
	return mask;
}

TEST(test_real_types, "a dictionary has the real types, of its own shape only")
{
	struct bins_each b = BINS("shapes", "", "-pie", "-noopt", "-plain");

	while (bins_next(&b)) {
		unsigned int ints = 0, pointers = 0, strings = 0;
		size_t nf;
		const struct gofunc *fn = gobin_funcs(b.bin, &nf);

		for (size_t k = 0; k < nf; k++) {
			const struct gosig *sig;

			if (strncmp(fn[k].name, "main.Keep[", 10))
				continue;
			sig = gobin_sig(b.bin, &fn[k]);
			if (!strcmp(sig->params[0].type->name, "main.Named")) {
				strings++;
				continue;
			}
			ints += possible(b.bin, sig) == 3;
			pointers += possible(b.bin, sig) == 12;
		}
		/* 1.18 has them. */
		assert_int_equal(ints, b.minor >= 18);
		assert_int_equal(pointers, b.minor >= 18);
		assert_int_equal(strings, b.minor >= 18);
	}
}

struct method_case {
	const char *func;
	const char *signature;
};

/* Each has one dictionary that is possible, among those of other methods of its type. */
static const struct method_case methods[] = {
	{ "main.(*Shelf).Put[go.shape.string,go.shape.*uint8]",
	  "func(k string, v *main.Tree) (*main.Tree, bool)" },
	{ "main.(*Shelf).Put[go.shape.int,go.shape.*uint8]",
	  "func(k int, v *main.Point) (*main.Point, bool)" },
	{ "main.Shelf.Get[go.shape.*uint8]", "func(v *main.Tree) *main.Tree" },
	{ "main.Crate[go.shape.*uint8].Turn[go.shape.*uint8]",
	  "func(f func(*main.Point) *main.Tree) *main.Tree" },
	{ "main.(*Crate[go.shape.*uint8]).Fill[go.shape.*uint8]",
	  "func(f func(*main.Point) *main.Tree, u *main.Tree) *main.Point" },
	{ "main.(*Crate[go.shape.*uint8]).Swap", "func(t *main.Point) *main.Point" },
};

TEST(test_generic_methods, "a method with type parameters has the types of its only instance")
{
	struct bins_each b = BINS("shapes", "", "-pie", "-noopt");
	const size_t n = sizeof(methods) / sizeof(*methods);

	while (bins_next(&b)) {
		size_t nf, found = 0;
		const struct gofunc *fn = gobin_funcs(b.bin, &nf);

		for (size_t k = 0; k < nf; k++) {
			for (size_t i = 0; i < n; i++) {
				char *text;

				if (strcmp(fn[k].name, methods[i].func))
					continue;
				text = gobin_sig_text(b.bin, &fn[k]);
				assert_string_equal(text, methods[i].signature);
				free(text);
				found++;
			}
		}
		assert_int_equal(found, b.minor >= 27 ? n : 0);
	}
}
