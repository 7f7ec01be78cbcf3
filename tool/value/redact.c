// SPDX-License-Identifier: GPL-2.0
/* Redacted values: those that records do not have, and those that only output leaves out. */
#include "value/map.h"

/* Fields whose answers are remembered. */
#define FIELDS 64

static const struct secrets *secrets_of(const struct value_ctx *v)
{
	return v->env ? v->env->secrets : NULL;
}

void value_find_redacted(const struct value_ctx *v, struct value_form *form)
{
	const struct gotype *t = form->type;

	form->redacted = secret_is_type(secrets_of(v), t);
	form->redacts = 0;
	for (size_t i = 0; i < t->nfields && i < FIELDS; i++)
		form->redacts |= (uint64_t)secret_is_field(secrets_of(v), &t->fields[i]) << i;
}

bool value_redacts_type(struct value_ctx *v, const struct gotype *t)
{
	return t && value_form(v, t)->redacted;
}

bool value_redacts_field(struct value_ctx *v, const struct gotype *t, size_t i)
{
	return i < FIELDS ? value_form(v, t)->redacts >> i & 1 :
			    secret_is_field(secrets_of(v), &t->fields[i]);
}

bool value_redacts_entry(struct value_ctx *v, const struct gotype *t, const struct value_entry *e)
{
	const struct gotype *key = t->key;
	const struct secrets *s = secrets_of(v);
	const uint8_t *p = e->key;
	struct value_bytes name;
	struct value_iface i;

	if (s && s->off)
		return false;
	if (p && key->kind == GOTYPE_INTERFACE) {
		value_iface(v, key, p, &i);
		if (i.nil)
			return false;
		/* Of another type, or not: nobody knows. */
		if (!i.dynamic)
			return true;
		key = i.dynamic;
		p = i.p;
	}
	if (key->kind != GOTYPE_STRING)
		return false;
	if (!p)
		return true;
	value_string(v, p, &name);
	if (name.have < name.len && name.have < SECRET_KEY_BYTES)
		return true;
	return secret_is_key(s, name.data, name.size, t->elem);
}
