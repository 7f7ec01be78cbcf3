// SPDX-License-Identifier: GPL-2.0
/* Go types from their DWARF entries. */
#include <string.h>

#include "dwarf/abbrev.h"
#include "dwarf/constants.h"
#include "dwarf/type.h"
#include "gotype/kind.h"
#include "gotype/shape.h"

/* How often all of the debug information may be walked for fields: honestly once. */
#define DWARF_TYPE_WALKS 2U
/* Children of an array; the first one has the number of elements. */
#define DWARF_TYPE_ARRAY_CHILDREN 4

/* The shell comes first: typeshell has pointers to it. */
struct dwarf_type_node {
	struct typeshell shell;
	struct dwdie die;
};

void dwarf_type_init(struct dwarf_type *t, struct die *r, int minor, uint64_t types,
		     struct arena *mem)
{
	memset(t, 0, sizeof(*t));
	t->r = r;
	t->mem = mem;
	t->minor = minor;
	t->types = types;
}

void dwarf_type_fini(struct dwarf_type *t)
{
	typeshell_fini(&t->shells);
}

const char *dwarf_type_unmarked(const char *name)
{
	static const char mark[] = "noalg.";
	const char *rest = name + sizeof(mark) - 1;
	size_t n;

	if (strncmp(name, mark, sizeof(mark) - 1) != 0)
		return name;
	n = strcspn(rest, "[{( ");
	return memchr(rest, '.', n) || !n || !strncmp(rest, "struct {", n + 2) ||
	       !strncmp(rest, "map[", n + 1) ? rest : name;
}

/* @name without the marks of the compiler's shape types. */
static const char *clean_name(struct dwarf_type *t, const char *name)
{
	size_t stars = strspn(name, "*");
	const char *rest = dwarf_type_unmarked(name + stars);
	char *r;

	if (!stars)
		name = rest;
	else if (rest != name + stars)
		name = arena_printf(t->mem, "%.*s%s", (int)stars, name, rest) ?: name;
	if (!strstr(name, "go.shape."))
		return name;
	r = arena_strdup(t->mem, name);
	if (!r)
		return name;
	shape_drop(r, t->minor);
	return r;
}

/* The type that @die is, or its shell; NULL: damaged, or no memory. */
static const struct gotype *type_of(struct dwarf_type *t, struct dwdie die)
{
	struct typeshell *shell;
	struct dwarf_type_node *n;

	if (!die_own_type(t->r, &die))
		return NULL;
	shell = typeshell_get(&t->shells, die.off);
	if (shell)
		return &shell->type;
	n = arena_alloc(t->mem, sizeof(*n));
	if (!n || typeshell_add(&t->shells, die.off, &n->shell))
		return NULL;
	n->die = die;
	return &n->shell.type;
}

static const struct gotype *refer(struct dwarf_type *t, const struct dwdie *die,
				  unsigned int attr)
{
	struct dwdie to;

	return die_ref(t->r, die, attr, &to) ? type_of(t, to) : NULL;
}

static enum go_rkind kind_of(struct dwarf_type *t, const struct dwdie *die)
{
	uint64_t v;
	struct dwdie to;

	/* Some pointers have 0 (1.19: *bool, *error). */
	if (die_number(t->r, die, DW_AT_go_kind, &v) && (v & 0x1f))
		return v & 0x1f;
	switch (die->tag) {
	case DW_TAG_pointer_type:
		return die_ref(t->r, die, DW_AT_type, &to) ? RKIND_POINTER :
		       RKIND_UNSAFE_POINTER;
	case DW_TAG_subroutine_type:
		return RKIND_FUNC;
	case DW_TAG_structure_type:
		return RKIND_STRUCT;
	case DW_TAG_array_type:
		return RKIND_ARRAY;
	case DW_TAG_base_type:
		if (!die_number(t->r, die, DW_AT_encoding, &v))
			return 0;
		return v == DW_ATE_boolean ? RKIND_BOOL :
		       v == DW_ATE_signed ? RKIND_INT :
		       v == DW_ATE_unsigned ? RKIND_UINT :
		       v == DW_ATE_float ? RKIND_FLOAT64 :
		       v == DW_ATE_complex_float ? RKIND_COMPLEX128 : 0;
	}
	return 0;
}

static void fill_fields(struct dwarf_type *t, struct gotype *g, const struct dwdie *die)
{
	struct gofield *f;
	struct dwdie m;
	uint64_t most = DWARF_TYPE_WALKS * (uint64_t)t->r->sects.v[DWSECT_INFO].n;
	uint64_t end = die->off;
	size_t n = 0, i = 0;
	bool more;

	/* A field has no children: there is nothing to be skipped unseen. */
	for (more = die_child(t->r, die, &m);
	     more && t->walked + (end - die->off) < most &&
	     !m.abbrev->children;
	     more = die_sibling(t->r, &m, &m)) {
		n += m.tag == DW_TAG_member;
		end = m.off;
	}
	if (more) {
		typeshell_unknown(g);
		return;
	}
	t->walked += end - die->off;
	f = arena_array(t->mem, n, sizeof(*f));
	if (!f) {
		typeshell_unknown(g);
		return;
	}
	for (more = die_child(t->r, die, &m); more && i < n;
	     more = die_sibling(t->r, &m, &m)) {
		const char *name;

		if (m.tag != DW_TAG_member)
			continue;
		name = die_name(t->r, &m);
		f[i].name = name && *name ? name : "_";
		f[i].type = refer(t, &m, DW_AT_type);
		f[i].embedded = die_flag(t->r, &m, DW_AT_go_embedded_field);
		if (!f[i].type ||
		    !die_number(t->r, &m, DW_AT_data_member_location, &f[i].offset)) {
			typeshell_unknown(g);
			return;
		}
		i++;
	}
	g->fields = f;
	g->nfields = i;
}

static void fill_array(struct dwarf_type *t, struct gotype *g, const struct dwdie *die)
{
	struct dwdie m;
	bool more = die_child(t->r, die, &m);
	uint64_t v;

	g->elem = refer(t, die, DW_AT_type);
	for (int i = 0; more && i < DWARF_TYPE_ARRAY_CHILDREN && !m.abbrev->children;
	     i++, more = die_sibling(t->r, &m, &m)) {
		if (m.tag != DW_TAG_subrange_type)
			continue;
		if (die_number(t->r, &m, DW_AT_count, &v))
			g->count = v;
		else if (die_number(t->r, &m, DW_AT_upper_bound, &v))
			g->count = v + 1;
		break;
	}
	if (!g->elem)
		typeshell_unknown(g);
}

static void fill_map(struct dwarf_type *t, struct gotype *g, const struct dwdie *die)
{
	struct gomap m, *map;

	g->key = refer(t, die, DW_AT_go_key);
	g->elem = refer(t, die, DW_AT_go_elem);
	/* Before the keys, groups have control bytes and buckets hash bytes. */
	if (!g->key || !g->elem || !map_type_read(t->r, die, &m) || m.key_at < 8)
		return;
	map = arena_alloc(t->mem, sizeof(*map));
	if (map)
		*map = m;
	g->map = map;
}

/*
 * The attribute is an offset from the first type, but before 1.23 an address at
 * two types that the linker adds (src/cmd/link/internal/ld/dwarf.go,
 * dwarfGenerateDebugInfo). 0: the program has no descriptor of it.
 */
static uint64_t rtype_of(struct dwarf_type *t, const char *name, const struct dwdie *die)
{
	uint64_t v;

	if (!die_address(t->r, die, DW_AT_go_runtime_type, &v) || !v)
		return 0;
	if (t->minor < 23 && name &&
	    (!strcmp(name, "uintptr") || !strcmp(name, "unsafe.Pointer")))
		return v;
	return t->types ? t->types + v : 0;
}

/* An interface is a typedef of runtime.iface or runtime.eface. */
static bool is_empty_interface(struct dwarf_type *t, const struct dwdie *die)
{
	struct dwdie at = *die, to;

	for (int i = 0; i < DIE_TYPEDEFS_MAX; i++) {
		const char *name;

		if (!die_ref(t->r, &at, DW_AT_type, &to))
			return false;
		name = die_name(t->r, &to);
		if (name && !strcmp(name, "runtime.eface"))
			return true;
		if (name && !strcmp(name, "runtime.iface"))
			return false;
		at = to;
	}
	return false;
}

static void fill(void *ctx, struct typeshell *shell)
{
	struct dwarf_type *t = ctx;
	const struct dwdie *die = &((struct dwarf_type_node *)shell)->die;
	struct gotype *g = &shell->type;
	const char *name = die_name(t->r, die);
	uint64_t size = 0;

	g->name = name && *name ? clean_name(t, name) : "?";
	die_number(t->r, die, DW_AT_byte_size, &size);
	g->size = size;
	g->align = 8;
	g->rtype = rtype_of(t, name, die);
	g->kind = kind_type(kind_of(t, die));
	switch (g->kind) {
	case GOTYPE_UNKNOWN:
		typeshell_unknown(g);
		break;
	case GOTYPE_BOOL:
	case GOTYPE_INT:
	case GOTYPE_UINT:
	case GOTYPE_FLOAT:
		g->align = (uint32_t)size;
		break;
	case GOTYPE_COMPLEX:
		g->align = (uint32_t)size / 2;
		break;
	case GOTYPE_ARRAY:
		g->align = 0;
		fill_array(t, g, die);
		break;
	case GOTYPE_STRUCT:
		g->align = 0;
		fill_fields(t, g, die);
		break;
	case GOTYPE_STRING:
		g->size = 16;
		break;
	case GOTYPE_SLICE:
		g->size = 24;
		g->elem = refer(t, die, DW_AT_go_elem);
		break;
	case GOTYPE_INTERFACE:
		g->size = 16;
		g->empty = is_empty_interface(t, die);
		break;
	case GOTYPE_MAP:
		g->size = 8;
		fill_map(t, g, die);
		break;
	case GOTYPE_CHAN:
		g->size = 8;
		g->elem = refer(t, die, DW_AT_go_elem);
		break;
	case GOTYPE_FUNC:
		g->size = 8;
		break;
	case GOTYPE_POINTER:
		g->size = 8;
		if (name && shape_is_any_pointer(name)) {
			g->rtype = 0;
			break;
		}
		g->elem = refer(t, die, DW_AT_type);
		if (!g->elem)
			g->elem = refer(t, die, DW_AT_go_elem);
		break;
	}
}

const struct gotype *dwarf_type_get(struct dwarf_type *t, const struct dwdie *die)
{
	const struct gotype *g = refer(t, die, DW_AT_type);

	typeshell_settle(&t->shells, fill, t);
	return g;
}

const struct gotype *dwarf_type_at(struct dwarf_type *t, const struct dwdie *die)
{
	const struct gotype *g = type_of(t, *die);

	typeshell_settle(&t->shells, fill, t);
	return g;
}
