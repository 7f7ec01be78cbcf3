// SPDX-License-Identifier: GPL-2.0
/* Names of packages, as their paths suggest them. */
#include "rows.h"

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
