// SPDX-License-Identifier: GPL-2.0
/* Redacted values: those that records do not have, and those that only output leaves out. */
#include <string.h>

#include "value/map.h"

/* Fields whose answers are remembered. */
#define FIELDS 64

static const struct secret_list *secrets_of(const struct value_ctx *v)
{
	return v->env ? v->env->secrets : NULL;
}

static void find_redacted(const struct value_ctx *v, struct value_form *form)
{
	const struct gotype *t = form->type;
	const struct secret_pair *pair = secret_pair_of(t);

	form->redacted = secret_is_type(secrets_of(v), t);
	for (size_t i = 0; i < t->nfields && i < FIELDS; i++)
		form->redacts |= (uint64_t)secret_is_field(secrets_of(v), &t->fields[i]) << i;
	form->key = pair ? value_known_field(t, pair->key, GOTYPE_INTERFACE, 16) ?:
			   value_known_field(t, pair->key, GOTYPE_STRING, 16) : NULL;
	form->under = pair ? pair->value : NULL;
}

struct value_form *value_form(struct value_ctx *v, const struct gotype *t)
{
	/* The lowest bits of addresses are all the same. */
	struct value_form *f = &v->forms[((uintptr_t)t >> 4 ^ (uintptr_t)t >> 12) %
					 VALUE_FORMS];

	if (f->type != t) {
		*f = (struct value_form){ .type = t };
		find_redacted(v, f);
	}
	return f;
}

bool value_redacts_type(struct value_ctx *v, const struct gotype *t)
{
	return t && value_form(v, t)->redacted;
}

/* Is the value of the key of type @key at @p redacted? @unknown: where nobody knows the key. */
static bool redacts(struct value_ctx *v, const struct gotype *key, const uint8_t *p,
		    const struct gotype *t, bool unknown)
{
	const struct secret_list *s = secrets_of(v);
	struct value_bytes name;
	struct value_iface i;

	if (s && s->off)
		return false;
	if (p && key->kind == GOTYPE_INTERFACE) {
		value_iface(v, key, p, &i);
		if (i.nil || !i.dynamic)
			return !i.nil && unknown;
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
	return secret_is_key(s, name.data, name.size, t);
}

bool value_redacts_field(struct value_ctx *v, const struct gotype *t, size_t i, const uint8_t *p)
{
	struct value_form *form = value_form(v, t);
	const struct gofield *f = &t->fields[i], *key = form->key;

	if (i < FIELDS ? form->redacts >> i & 1 : secret_is_field(secrets_of(v), f))
		return true;
	return key && !strcmp(f->name, form->under) &&
	       redacts(v, key->type, p + key->offset, f->type, false);
}

bool value_redacts_entry(struct value_ctx *v, const struct gotype *t, const struct value_entry *e)
{
	return redacts(v, t->key, e->key, t->elem, true);
}
