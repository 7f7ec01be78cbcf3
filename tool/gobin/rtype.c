// SPDX-License-Identifier: GPL-2.0
/* Go types from their run-time descriptors. */
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "gobin/release.h"
#include "gobin/rtype.h"

/* What a hostile file may not exceed and a real one never comes near. */
#define RTYPE_BYTES_MIN (16ULL << 20)
#define RTYPE_BYTES_MAX (512ULL << 20)
/* Types and their names take less than this times what descriptors take. */
#define RTYPE_EXPANSION 8U

/* The shell comes first: typeshell has pointers to it. */
struct rtype_node {
	struct typeshell shell;
	struct gomap map;
};

int rtype_init(struct rtypes *t, const struct elffile *ef,
	       const struct moduledata *link, struct arena *mem)
{
	memset(t, 0, sizeof(*t));
	t->link = link;
	t->mem = mem;
	t->src.minor = link->minor;
	t->src.swiss = release_swiss_maps(link->minor, link->version);
	t->src.types = link->types;
	t->src.etypes = link->etypes;
	t->left = link->etypes - link->types;
	t->left = t->left < RTYPE_BYTES_MAX / RTYPE_EXPANSION ?
		  t->left * RTYPE_EXPANSION : RTYPE_BYTES_MAX;
	if (t->left < RTYPE_BYTES_MIN)
		t->left = RTYPE_BYTES_MIN;
	t->src.data = data_cache_new(ef);
	return t->src.data ? 0 : -1;
}

void rtype_fini(struct rtypes *t)
{
	data_cache_free(t->src.data);
	hmap_fini(&t->names);
	typeshell_fini(&t->shells);
	hmap_fini(&t->by_name);
	free(t->all);
	memset(t, 0, sizeof(*t));
}

/* The type at @vaddr, or its shell; NULL: no memory left. */
static const struct gotype *refer(struct rtypes *t, uint64_t vaddr)
{
	struct typeshell *shell = typeshell_get(&t->shells, vaddr);
	struct rtype_node *n;

	if (shell)
		return &shell->type;
	n = rtype_alloc(t, sizeof(*n));
	if (!n || typeshell_add(&t->shells, vaddr, &n->shell))
		return NULL;
	n->shell.type.rtype = vaddr;
	return &n->shell.type;
}

/* The text of an abi.Name; NULL: not a name. */
static const char *text_of(struct rtypes *t, const struct rtname *n)
{
	char *s = rtype_alloc(t, n->len + 1);

	if (!s || data_cache_read(t->src.data, n->text, s, n->len))
		return NULL;
	return plain_name(s, n->len) ? s : NULL;
}

static int fill_fields(struct rtypes *t, struct gotype *g,
		       const struct rtype_desc *d)
{
	struct gofield *v = rtype_alloc(t, d->count * sizeof(*v));

	if (!v)
		return -1;
	for (uint64_t i = 0; i < d->count; i++) {
		struct rtfield f;
		struct rtname n;

		if (rtype_desc_field(&t->src, d, i, &f) ||
		    rtype_desc_name(&t->src, f.name, &n))
			return -1;
		v[i].name = n.len ? text_of(t, &n) : "_";
		v[i].type = refer(t, f.type);
		v[i].offset = f.offset;
		v[i].embedded = n.embedded || f.marked;
		if (!v[i].name || !v[i].type)
			return -1;
	}
	g->fields = v;
	g->nfields = d->count;
	return 0;
}

static int fill_refs(struct rtypes *t, struct rtype_node *n,
		     const struct rtype_desc *d)
{
	struct gotype *g = &n->shell.type;

	switch (g->kind) {
	case GOTYPE_ARRAY:
		g->count = d->count;
		break;
	case GOTYPE_MAP:
		n->map = d->map;
		g->map = &n->map;
		g->key = refer(t, d->key);
		if (!g->key)
			return -1;
		break;
	case GOTYPE_POINTER:
		if (d->kind == RKIND_UNSAFE_POINTER)
			return 0;
		break;
	case GOTYPE_CHAN:
	case GOTYPE_SLICE:
		break;
	case GOTYPE_INTERFACE:
		g->empty = !d->count;
		return 0;
	case GOTYPE_STRUCT:
		return fill_fields(t, g, d);
	default:
		return 0;
	}
	g->elem = refer(t, d->elem);
	return g->elem ? 0 : -1;
}

static void fill(void *ctx, struct typeshell *shell)
{
	struct rtypes *t = ctx;
	struct rtype_node *n = (struct rtype_node *)shell;
	struct gotype *g = &shell->type;
	const char *name;
	struct rtype_desc d;

	if (rtype_desc_read(&t->src, g->rtype, &d))
		return;
	name = rtype_name(t, g->rtype);
	if (name)
		g->name = name;
	g->size = d.size;
	g->align = d.align;
	g->kind = kind_type(d.kind);
	if (!name || fill_refs(t, n, &d))
		typeshell_unknown(g);
}

const struct gotype *rtype_type(struct rtypes *t, uint64_t vaddr)
{
	struct rtype_desc d;
	const struct gotype *g;

	if (!typeshell_get(&t->shells, vaddr) &&
	    rtype_desc_read(&t->src, vaddr, &d))
		return NULL;
	g = refer(t, vaddr);
	typeshell_settle(&t->shells, fill, t);
	return g && *g->name != '?' ? g : NULL;
}

bool rtype_is_direct(struct rtypes *t, uint64_t vaddr)
{
	struct rtype_desc d;

	return !rtype_desc_read(&t->src, vaddr, &d) && d.direct;
}

static bool is_called(struct rtypes *t, uint64_t name, const char *want)
{
	char text[16];
	struct rtname n;

	return !rtype_desc_name(&t->src, name, &n) && n.len == strlen(want) &&
	       n.len <= sizeof(text) && !data_cache_read(t->src.data, n.text, text, n.len) &&
	       !memcmp(text, want, n.len);
}

/* Is the type at @vaddr func() string? */
static bool gives_text(struct rtypes *t, uint64_t vaddr)
{
	struct rtype_desc fn, result;
	uint64_t type;

	return vaddr && !rtype_desc_read(&t->src, vaddr, &fn) && fn.kind == RKIND_FUNC &&
	       !fn.nin && fn.nout == 1 && !rtype_desc_param(&t->src, &fn, 0, &type) &&
	       !rtype_desc_read(&t->src, type, &result) && result.kind == RKIND_STRING;
}

bool rtype_is_error(struct rtypes *t, uint64_t vaddr)
{
	struct rtype_desc d;
	struct rtuncommon u;
	struct rtmethod m;

	if (rtype_desc_read(&t->src, vaddr, &d) || rtype_desc_uncommon(&t->src, &d, &u))
		return false;
	for (unsigned int i = 0; i < u.nmethods; i++) {
		if (rtype_desc_method(&t->src, &u, i, &m))
			return false;
		if (is_called(t, m.name, "Error"))
			return gives_text(t, m.type);
	}
	return false;
}
