// SPDX-License-Identifier: GPL-2.0
/* Names of packages, as their paths suggest them, and what spellings of names have in common. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "gotype/funcname.h"

static struct package {
	const char *claim;
	const char *path;
	const char *last;
	const char *name;
} packages[] = {
	{ "of one element", "fmt", "fmt", "fmt" },
	{ "of several", "net/http", "http", "http" },
	{ "with a version at the end", "github.com/labstack/echo/v4", "v4", "echo" },
	{ "with a version behind a dot", "gopkg.in/yaml.v3", "yaml.v3", "yaml" },
	{ "with both", "gopkg.in/x.v2/v3", "v3", "x" },
	{ "nothing but a version", "v2", "v2", "v2" },
	{ "a name with a v", "x/views", "views", "views" },
	{ "a name with v and a digit in it", "x/v2ray", "v2ray", "v2ray" },
	{ "a dot that begins no version", "github.com/x/b.go", "b.go", "b.go" },
};

ROWS(test_package, packages)
{
	const struct package *row = *state;
	size_t n;
	const char *name = funcname_package(row->path, strlen(row->path), &n);

	assert_string_equal(funcname_last_element(row->path, strlen(row->path)), row->last);
	assert_int_equal(n, strlen(row->name));
	assert_memory_equal(name, row->name, n);
}

/* --- what spellings have in common ------------------------------------------------- */

static const struct loose_row {
	const char *claim;
	const char *name;
	const char *want;	/* NULL: it has one byte too many */
} loose[] = {
	{ "a pointer's method", "shop.(*Cart).Add", "shop.Cart.Add" },
	{ "a value's method", "shop.Cart.Add", "shop.Cart.Add" },
	{ "a method in a pattern", "shop.(*Cart).*", "shop.Cart.*" },
	{ "an instance", "main.Map[go.shape.int,go.shape.string]", "main.Map[int,string]" },
	{ "an escaped dot", "gopkg.in/yaml%2ev3.Unmarshal", "gopkg.in/yaml.v3.Unmarshal" },
	{ "as long as fits", "main.F", "main.F" },
	{ "longer than fits", "main.Fo", NULL },
	{ "longer than fits, but for brackets", "(*a).bcd)", "a.bcd" },
	{ "nothing", "", "" },
	{ "brackets that do not end", "main.(*", "main." },
	{ "brackets that do not begin", ")))", "" },
	{ "a bracket without a star", "a(b", "a(b" },
	{ "an escape that does not end", "a%2", "a%2" },
	{ "a mark that does not end", "go.sha", "go.sha" },
	{ "a mark and nothing behind it", "go.shape.", "" },
	{ "control characters", "a\x01\x1b[\n", "a\x01\x1b[\n" },
	{ "bytes that are no text", "\xff\xc3(*\x80", "\xff\xc3\x80" },
};

ROWS(test_loose, loose)
{
	const struct loose_row *c = *state;
	/* Of that size, so that a byte behind it is found. */
	size_t size = c->want ? strlen(c->want) + 1 : strlen(c->name);
	char *to = malloc(size ?: 1);

	assert_non_null(to);
	assert_int_equal(funcname_loose(c->name, to, size), !!c->want);
	if (c->want)
		assert_string_equal(to, c->want);
	free(to);
}
