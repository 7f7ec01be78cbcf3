// SPDX-License-Identifier: GPL-2.0
/* Package variables as rows: name, type, size and address. */
#include <stdlib.h>

#include "gotype/shown_name.h"
#include "output/package_variable.h"
#include "value/decode.h"

/* Names and types make theirs wider. */
static const struct column col_name = { "name", "VARIABLE", 40 };
static const struct column col_type = { "type", "TYPE", 30 };
static const struct column col_size = { "size", "SIZE", -8 };
static const struct column col_memory = { "memory", "ADDRESS", 0 };

static void name_text(struct row *r, const char *name)
{
	char *brief = shown_name_short(name);

	row_name(r, brief ?: name);
	free(brief);
}

static const char *type_of(const struct gobin_variable *v)
{
	return v->type ? value_type_name(v->type) : "?";
}

static void put(const struct package_variable_list *l, struct row *r, const char *name,
		const struct gobin_variable *v)
{
	row_begin(r, "variable");
	if (row_is_json(r)) {
		json_str(r->b, l->name.key, name);
		json_str(r->b, l->type.key, type_of(v));
	} else {
		if (row_cell(r, &l->name))
			name_text(r, name);
		if (row_cell(r, &l->type))
			shown_name_put_text(r->b, type_of(v));
	}
	row_u64(r, &col_size, v->size);
	if (row_is_json(r))
		json_hex(r->b, col_memory.key, v->vaddr);
	else if (row_cell(r, &col_memory))
		buf_hex(r->b, v->vaddr);
	row_end(r);
}

void package_variable_init(struct package_variable_list *l, const struct variables *vars,
			   size_t n, bool json)
{
	struct buf b = { 0 };

	*l = (struct package_variable_list){ .json = json, .name = col_name, .type = col_type };
	for (size_t i = 0; !json && i < n && !b.failed; i++) {
		size_t name;

		b.len = 0;
		name_text(&(struct row){ .b = &b }, vars->v[i].name);
		name = b.len;
		shown_name_put_text(&b, type_of(&vars->v[i].v));
		if (b.failed)
			break;
		row_widen(&l->name, b.p, name);
		row_widen(&l->type, b.p + name, b.len - name);
	}
	buf_fini(&b);
}

void package_variable_header(const struct package_variable_list *l, struct buf *b)
{
	static const struct gobin_variable none;

	if (!l->json)
		put(l, &(struct row){ .b = b, .mode = ROW_HEADS }, "", &none);
}

void package_variable_put(const struct package_variable_list *l,
			  const struct variables_found *found, struct buf *b)
{
	put(l, &(struct row){ .b = b, .mode = row_mode(l->json) }, found->name, &found->v);
}
