// SPDX-License-Identifier: GPL-2.0
/* gotype/shape.c: names of generic functions for people. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "gotype/shape.h"

#define TODO "go.shape.struct { ID int64 \"json:\\\"id\\\"\"; Tags []string \"oneof=]a[\" }"

static struct name_row {
	const char *claim, *name, *text;
} rows[] = {
	{ "a plain function", "main.main", "main.main" },
	{ "a generic function", "main.Map[go.shape.int]", "main.Map[...]" },
	{ "a method", "main.(*List[go.shape.int]).Add", "main.(*List[...]).Add" },
	{ "several type arguments", "main.Map[go.shape.string,go.shape.[]uint8]",
	  "main.Map[...]" },
	{ "a shape with brackets", "main.Map[go.shape.map[string][2]int].func1",
	  "main.Map[...].func1" },
	{ "brackets in a field's tag", "main.(*Service[" TODO "]).Get",
	  "main.(*Service[...]).Get" },
	{ "a path with dots", "my.org/a%2eb.F[go.shape.*uint8]", "my.org/a%2eb.F[...]" },
	{ "two generic functions", "main.F[go.shape.int].G[go.shape.string].func1",
	  "main.F[...].G[...].func1" },
	{ "a type argument that is no shape", "main.(*List[int]).Add", "main.(*List[int]).Add" },
	{ "one of each", "main.F[int].G[go.shape.int]", "main.F[int].G[...]" },
	{ "a place in it", "main.F[go.shape.int]+0x1f /a[1].go:3", "main.F[...]+0x1f /a[1].go:3" },
	{ "brackets that do not close", "main.F[go.shape.int", "main.F[go.shape.int" },
	{ "a tag that does not end", "main.F[go.shape.struct { A int \"]",
	  "main.F[go.shape.struct { A int \"]" },
	{ "a mark without brackets", "go.shape.int", "go.shape.int" },
	{ "a mark before brackets", "go.shape.int[2]", "go.shape.int[2]" },
	{ "nothing", "", "" },
};

ROWS(test_name, rows)
{
	const struct name_row *row = *state;
	struct buf b = { 0 };

	shape_put(&b, row->name);
	buf_char(&b, 0);
	assert_string_equal(b.p, row->text);
	buf_fini(&b);
}
