// SPDX-License-Identifier: GPL-2.0
/*
 * The runtime's own type descriptors: src/internal/abi/type.go. The first 48
 * bytes have been the same since 1.14.
 */
#include <string.h>

#include "goversion.h"
#include "rtypes.h"

#define RTYPE_SIZE 48U
#define RTYPE_TFLAG 20U
#define RTYPE_STR 40U
#define RTYPE_TFLAG_EXTRA_STAR (1U << 1)
#define RTYPE_NAME_MAX 4096U

void rtypes_fini(struct rtypes *t)
{
	hmap_fini(&t->names);
}

/* abi.Name: flags, length, bytes. */
static char *read_name(struct rtypes *t, uint64_t vaddr, bool skip_star)
{
	uint8_t h[4];
	uint64_t len, at;
	char *s;

	if (elffile_read_vaddr(t->ef, vaddr, h, sizeof(h)))
		return NULL;
	if (!goversion_name_varint(t->minor)) {
		len = (uint64_t)h[1] << 8 | h[2];
		at = vaddr + 3;
	} else if (h[1] & 0x80) {
		if (h[2] & 0x80)
			return NULL;
		len = (uint64_t)(h[1] & 0x7f) | (uint64_t)h[2] << 7;
		at = vaddr + 3;
	} else {
		len = h[1];
		at = vaddr + 2;
	}
	if (skip_star && len) {
		at++;
		len--;
	}
	if (!len || len > RTYPE_NAME_MAX)
		return NULL;
	s = arena_alloc(t->mem, len + 1);
	if (!s || elffile_read_vaddr(t->ef, at, s, len))
		return NULL;
	for (uint64_t i = 0; i < len; i++) {
		if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return NULL;
	}
	return s;
}

const char *rtypes_name(struct rtypes *t, uint64_t vaddr)
{
	uint8_t d[RTYPE_SIZE];
	int32_t str;
	char *s;

	if (vaddr < t->types || vaddr >= t->etypes || vaddr % 8)
		return NULL;
	s = hmap_get(&t->names, vaddr);
	if (s)
		return s;
	if (elffile_read_vaddr(t->ef, vaddr, d, sizeof(d)))
		return NULL;
	memcpy(&str, d + RTYPE_STR, sizeof(str));
	if (str <= 0 || (uint64_t)str >= t->etypes - t->types)
		return NULL;
	s = read_name(t, t->types + (uint64_t)str,
		      d[RTYPE_TFLAG] & RTYPE_TFLAG_EXTRA_STAR);
	if (s)
		hmap_put(&t->names, vaddr, s);
	return s;
}
