// SPDX-License-Identifier: GPL-2.0
/* Values of package reflect: types by their names. */
#include "value/std.h"

const char *value_type_at(struct value_ctx *v, uint64_t address)
{
	struct value_dynamic d = { 0 };

	if (!address || !v->env || !v->env->dynamic || !v->env->dynamic(v->env->ctx, address, &d))
		return NULL;
	return d.name ? d.name : d.type ? value_type_name(d.type) : NULL;
}

/* What a reflect.Type holds: its address is that of the type's descriptor. */
static bool show_rtype(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const char *name = value_type_at(v, value_word(w->p));

	if (!name)
		return false;
	buf_str(b, "reflect.Type(");
	value_text_name(b, name);
	buf_char(b, ')');
	return true;
}

static bool show_reflect(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	/* typ until 1.20 */
	const struct gofield *type = value_known_field(w->t, "typ_", GOTYPE_POINTER, 8) ?:
				     value_known_field(w->t, "typ", GOTYPE_POINTER, 8);
	const struct gofield *ptr = value_known_field(w->t, "ptr", GOTYPE_POINTER, 8);
	const char *name;

	if (!type || !ptr)
		return false;
	if (!value_word(w->p + type->offset)) {
		buf_str(b, "reflect.Value{}");
		return true;
	}
	name = value_type_at(v, value_word(w->p + type->offset));
	if (!name)
		return false;
	buf_str(b, "reflect.Value(");
	value_text_name(b, name);
	buf_str(b, ", ");
	buf_hex(b, value_word(w->p + ptr->offset));
	buf_char(b, ')');
	return true;
}

const struct value_known value_known_reflect[] = {
	JSON("reflect.Value", GOTYPE_STRUCT, show_reflect),
	JSON("*reflect.rtype", GOTYPE_POINTER, show_rtype),
	{ 0 },
};
