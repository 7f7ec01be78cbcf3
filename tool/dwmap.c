// SPDX-License-Identifier: GPL-2.0
/*
 * How a map keeps its entries, from the types that the linker makes up for it
 * (src/cmd/link/internal/ld/dwarf.go: synthesizemaptypes).
 */
#include <dwarf.h>
#include <string.h>

#include "dwtype.h"

#define SLOTS 8

/* The type of @die's member @name and where it is. */
static bool member(Dwarf_Die *die, const char *name, Dwarf_Die *type,
		   uint64_t *at)
{
	Dwarf_Die m;

	for (int end = dwarf_child(die, &m); !end;
	     end = dwarf_siblingof(&m, &m)) {
		const char *s = dwarf_diename(&m);

		if (dwarf_tag(&m) == DW_TAG_member && s && !strcmp(s, name))
			return dwtype_number(&m, DW_AT_data_member_location, at) &&
			       dwtype_reference(&m, DW_AT_type, type) &&
			       dwtype_resolve(type);
	}
	return false;
}

static bool points_to(Dwarf_Die *die, Dwarf_Die *to)
{
	return dwarf_tag(die) == DW_TAG_pointer_type &&
	       dwtype_reference(die, DW_AT_type, to) && dwtype_resolve(to);
}

/* Is @stored a pointer to @type, kept in its place? */
static bool is_indirect(Dwarf_Die *stored, Dwarf_Die *type)
{
	Dwarf_Die to;

	return dwarf_dieoffset(stored) != dwarf_dieoffset(type) &&
	       points_to(stored, &to) &&
	       dwarf_dieoffset(&to) == dwarf_dieoffset(type);
}

/* An array of SLOTS things: where, how far apart, of what. */
static bool column(Dwarf_Die *in, const char *name, Dwarf_Die *each,
		   uint32_t *at, uint32_t *stride)
{
	uint64_t off, bytes;
	Dwarf_Die array;

	if (!member(in, name, &array, &off) ||
	    dwarf_tag(&array) != DW_TAG_array_type ||
	    !dwtype_number(&array, DW_AT_byte_size, &bytes) ||
	    !dwtype_reference(&array, DW_AT_type, each) ||
	    !dwtype_resolve(each) || off > UINT16_MAX || bytes > UINT16_MAX)
		return false;
	*at = (uint32_t)off;
	*stride = (uint32_t)bytes / SLOTS;
	return true;
}

/* Keys and elements in two arrays. */
static bool columns(Dwarf_Die *in, const char *elems, Dwarf_Die *key,
		    Dwarf_Die *elem, struct gomap *ret)
{
	Dwarf_Die k, v;

	if (!column(in, "keys", &k, &ret->key_at, &ret->key_stride) ||
	    !column(in, elems, &v, &ret->elem_at, &ret->elem_stride))
		return false;
	ret->key_indirect = is_indirect(&k, key);
	ret->elem_indirect = is_indirect(&v, elem);
	return true;
}

/* Pairs in one array. */
static bool slots(Dwarf_Die *group, Dwarf_Die *key, Dwarf_Die *elem,
		  struct gomap *ret)
{
	uint64_t key_at, elem_at;
	Dwarf_Die slot, k, v;
	uint32_t at, stride;

	if (!column(group, "slots", &slot, &at, &stride) ||
	    !member(&slot, "key", &k, &key_at) ||
	    !member(&slot, "elem", &v, &elem_at) || key_at > stride ||
	    elem_at > stride)
		return false;
	ret->key_at = at + (uint32_t)key_at;
	ret->elem_at = at + (uint32_t)elem_at;
	ret->key_stride = stride;
	ret->elem_stride = stride;
	ret->key_indirect = is_indirect(&k, key);
	ret->elem_indirect = is_indirect(&v, elem);
	return true;
}

/* map<K,V>: dirPtr to tables, whose groups.data is of groups. */
static bool swiss_group(Dwarf_Die *header, Dwarf_Die *group)
{
	Dwarf_Die dir, table_ptr, table, groups, data;
	uint64_t at;

	return member(header, "dirPtr", &dir, &at) &&
	       points_to(&dir, &table_ptr) && points_to(&table_ptr, &table) &&
	       member(&table, "groups", &groups, &at) &&
	       member(&groups, "data", &data, &at) && points_to(&data, group);
}

bool dwmap_read(Dwarf_Die *map, struct gomap *ret)
{
	Dwarf_Die key, elem, header = *map, in, buckets;
	uint64_t size, at;

	memset(ret, 0, sizeof(*ret));
	if (!dwtype_reference(map, DW_AT_go_key, &key) ||
	    !dwtype_reference(map, DW_AT_go_elem, &elem) ||
	    !dwtype_resolve(&key) || !dwtype_resolve(&elem))
		return false;
	/* A typedef of a pointer to the header. */
	for (int i = 0; dwarf_tag(&header) == DW_TAG_typedef; i++) {
		if (i == DWTYPE_TYPEDEFS_MAX ||
		    !dwtype_reference(&header, DW_AT_type, &in))
			return false;
		header = in;
	}
	if (!points_to(&header, &in))
		return false;
	header = in;
	ret->swiss = swiss_group(&header, &in);
	if (ret->swiss) {
		if (!slots(&in, &key, &elem, ret) &&
		    !columns(&in, "elems", &key, &elem, ret))
			return false;
	} else {
		if (!member(&header, "buckets", &buckets, &at) ||
		    !points_to(&buckets, &in) ||
		    !columns(&in, "values", &key, &elem, ret))
			return false;
	}
	if (!dwtype_number(&in, DW_AT_byte_size, &size) || size > UINT16_MAX)
		return false;
	ret->size = (uint32_t)size;
	return true;
}
