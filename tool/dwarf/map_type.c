// SPDX-License-Identifier: GPL-2.0
/*
 * Layout of a map's entries, from the types that the linker adds to the debug
 * information (src/cmd/link/internal/ld/dwarf.go: synthesizemaptypes).
 */
#include <string.h>

#include "dwarf/abbrev.h"
#include "dwarf/constants.h"
#include "dwarf/type.h"

#define SLOTS 8
/* The runtime's own structures have a dozen at most. */
#define MEMBERS_MAX 64

/* The type of @die's member @name and where it is. */
static bool member(struct die *r, struct dwdie *die, const char *name, struct dwdie *type,
		   uint64_t *at)
{
	struct dwdie m;
	bool more = die_child(r, die, &m);

	for (int i = 0; more && i < MEMBERS_MAX && !m.abbrev->children;
	     i++, more = die_sibling(r, &m, &m)) {
		const char *s = die_name(r, &m);

		if (m.tag == DW_TAG_member && s && !strcmp(s, name))
			return die_number(r, &m, DW_AT_data_member_location, at) &&
			       die_ref(r, &m, DW_AT_type, type) &&
			       die_own_type(r, type);
	}
	return false;
}

static bool points_to(struct die *r, struct dwdie *die, struct dwdie *to)
{
	return die->tag == DW_TAG_pointer_type &&
	       die_ref(r, die, DW_AT_type, to) && die_own_type(r, to);
}

/* Is @stored a pointer to @type, kept in its place? */
static bool is_indirect(struct die *r, struct dwdie *stored, struct dwdie *type)
{
	struct dwdie to;

	return stored->off != type->off &&
	       points_to(r, stored, &to) &&
	       to.off == type->off;
}

/* An array of SLOTS things: where, how far apart, of what. */
static bool column(struct die *r, struct dwdie *in, const char *name, struct dwdie *each,
		   uint32_t *at, uint32_t *stride)
{
	uint64_t off, bytes;
	struct dwdie array;

	if (!member(r, in, name, &array, &off) ||
	    array.tag != DW_TAG_array_type ||
	    !die_number(r, &array, DW_AT_byte_size, &bytes) ||
	    !die_ref(r, &array, DW_AT_type, each) ||
	    !die_own_type(r, each) || off > UINT16_MAX || bytes > UINT16_MAX)
		return false;
	*at = (uint32_t)off;
	*stride = (uint32_t)bytes / SLOTS;
	return true;
}

/* Keys and elements in two arrays. */
static bool columns(struct die *r, struct dwdie *in, const char *elems, struct dwdie *key,
		    struct dwdie *elem, struct gomap *ret)
{
	struct dwdie k, v;

	if (!column(r, in, "keys", &k, &ret->key_at, &ret->key_stride) ||
	    !column(r, in, elems, &v, &ret->elem_at, &ret->elem_stride))
		return false;
	ret->key_indirect = is_indirect(r, &k, key);
	ret->elem_indirect = is_indirect(r, &v, elem);
	return true;
}

/* Pairs in one array. */
static bool slots(struct die *r, struct dwdie *group, struct dwdie *key, struct dwdie *elem,
		  struct gomap *ret)
{
	uint64_t key_at, elem_at;
	struct dwdie slot, k, v;
	uint32_t at, stride;

	if (!column(r, group, "slots", &slot, &at, &stride) ||
	    !member(r, &slot, "key", &k, &key_at) ||
	    !member(r, &slot, "elem", &v, &elem_at) || key_at > stride ||
	    elem_at > stride)
		return false;
	ret->key_at = at + (uint32_t)key_at;
	ret->elem_at = at + (uint32_t)elem_at;
	ret->key_stride = stride;
	ret->elem_stride = stride;
	ret->key_indirect = is_indirect(r, &k, key);
	ret->elem_indirect = is_indirect(r, &v, elem);
	return true;
}

/* map<K,V>: dirPtr to tables, whose groups.data is of groups. */
static bool swiss_group(struct die *r, struct dwdie *header, struct dwdie *group)
{
	struct dwdie dir, table_ptr, table, groups, data;
	uint64_t at;

	return member(r, header, "dirPtr", &dir, &at) &&
	       points_to(r, &dir, &table_ptr) && points_to(r, &table_ptr, &table) &&
	       member(r, &table, "groups", &groups, &at) &&
	       member(r, &groups, "data", &data, &at) && points_to(r, &data, group);
}

bool map_type_read(struct die *r, const struct dwdie *map, struct gomap *ret)
{
	struct dwdie key, elem, header = *map, in, buckets;
	uint64_t size, at;

	memset(ret, 0, sizeof(*ret));
	if (!die_ref(r, map, DW_AT_go_key, &key) ||
	    !die_ref(r, map, DW_AT_go_elem, &elem) ||
	    !die_own_type(r, &key) || !die_own_type(r, &elem))
		return false;
	/* A typedef of a pointer to the header. */
	for (int i = 0; header.tag == DW_TAG_typedef; i++) {
		if (i == DIE_TYPEDEFS_MAX ||
		    !die_ref(r, &header, DW_AT_type, &in))
			return false;
		header = in;
	}
	if (!points_to(r, &header, &in))
		return false;
	header = in;
	ret->swiss = swiss_group(r, &header, &in);
	if (ret->swiss) {
		if (!slots(r, &in, &key, &elem, ret) &&
		    !columns(r, &in, "elems", &key, &elem, ret))
			return false;
	} else {
		if (!member(r, &header, "buckets", &buckets, &at) ||
		    !points_to(r, &buckets, &in) ||
		    !columns(r, &in, "values", &key, &elem, ret))
			return false;
	}
	if (!die_number(r, &in, DW_AT_byte_size, &size) || size > UINT16_MAX)
		return false;
	ret->size = (uint32_t)size;
	return true;
}
