// SPDX-License-Identifier: GPL-2.0
/* Package variables as rows: name, type, size and address. */
#include <stdlib.h>

#include "gotype/shown_name.h"
#include "output/package_variable.h"
#include "output/row.h"
#include "value/decode.h"

static const struct column col_name = { "name", "VARIABLE", 60 };
static const struct column col_type = { "type", "TYPE", 44 };
static const struct column col_size = { "size", "SIZE", -8 };
static const struct column col_memory = { "memory", "ADDRESS", 0 };

static void put_name(struct row *r, const char *name)
{
	char *brief = row_is_json(r) ? NULL : shown_name_short(name);

	if (row_is_json(r))
		json_str(r->b, col_name.key, name);
	else if (row_cell(r, &col_name))
		row_name(r, brief ?: name);
	free(brief);
}

static void put(struct row *r, const char *name, const struct gobin_variable *v)
{
	const char *type = v->type ? value_type_name(v->type) : "?";

	row_begin(r, "variable");
	put_name(r, name);
	if (row_is_json(r))
		json_str(r->b, col_type.key, type);
	else if (row_cell(r, &col_type))
		shown_name_put_text(r->b, type);
	row_u64(r, &col_size, v->size);
	if (row_is_json(r))
		json_hex(r->b, col_memory.key, v->vaddr);
	else if (row_cell(r, &col_memory))
		buf_hex(r->b, v->vaddr);
	row_end(r);
}

void package_variable_header(struct buf *b)
{
	static const struct gobin_variable none;

	put(&(struct row){ .b = b, .mode = ROW_HEADS }, "", &none);
}

void package_variable_put(const struct variables_found *found, bool json, struct buf *b)
{
	put(&(struct row){ .b = b, .mode = row_mode(json) }, found->name, &found->v);
}
