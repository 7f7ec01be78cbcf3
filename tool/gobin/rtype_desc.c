// SPDX-License-Identifier: GPL-2.0
/*
 * A type descriptor of the runtime: src/internal/abi/type.go, up to 1.20
 * src/runtime/type.go. The parts of the first 48 bytes that are used here have been
 * the same since 1.13; where later bytes differ, the code says so.
 */
#include <string.h>

#include "base/unaligned.h"
#include "gobin/release.h"
#include "gobin/rtype_desc.h"

#define RTYPE_SIZE 48U
#define RTYPE_FLAG_UNCOMMON (1U << 0)
#define RTYPE_FLAG_EXTRA_STAR (1U << 1)
#define RTYPE_FLAG_NAMED (1U << 2)
#define RTYPE_DIRECT (1U << 5)	/* in one of two bytes */
#define RTYPE_KIND_MASK 0x1fU

#define RTYPE_MAP_OLD_BYTES 88U
#define RTYPE_MAP_13_BYTES 80U
#define RTYPE_MAP_24_BYTES 112U
#define RTYPE_MAP_27_BYTES 136U
#define RTYPE_UNCOMMON_BYTES 16U
#define RTYPE_FIELD_BYTES 24U
#define RTYPE_METHOD_BYTES 16U
#define RTYPE_WANTS_BYTES 8U

#define RTNAME_EXPORTED (1U << 0)
#define RTNAME_TAG (1U << 1)
#define RTNAME_PKG (1U << 2)
#define RTNAME_EMBEDDED (1U << 3)

/* What a hostile file may not exceed and a real one never comes near. */
#define RTYPE_LIST_MAX 65536U

/* The address that a 4-byte offset leads to; 0 for none. */
static uint64_t from_offset(const struct rtsource *src, uint32_t off)
{
	/* Negative ones are of types that were made at run time. */
	if (!off || off > INT32_MAX || off >= src->etypes - src->types)
		return 0;
	return src->types + off;
}

/* Bytes of the part that a kind has behind abi.Type. */
static uint32_t own_bytes(const struct rtsource *src, enum go_rkind kind)
{
	switch (kind) {
	case RKIND_ARRAY:
		return 24;
	case RKIND_CHAN:
		return 16;
	case RKIND_FUNC:
	case RKIND_POINTER:
	case RKIND_SLICE:
		return 8;
	case RKIND_INTERFACE:
	case RKIND_STRUCT:
		return 32;
	case RKIND_MAP:
		if (!src->swiss)
			return (src->minor <= 13 ? RTYPE_MAP_13_BYTES :
				RTYPE_MAP_OLD_BYTES) - RTYPE_SIZE;
		return (src->minor <= 26 ? RTYPE_MAP_24_BYTES :
			RTYPE_MAP_27_BYTES) - RTYPE_SIZE;
	default:
		return 0;
	}
}

/* Buckets: 8 hash bytes, 8 keys, 8 elements, pointer to the next bucket. */
static int read_buckets(const struct rtsource *src, struct rtype_desc *d,
			const uint8_t *own)
{
	/* 1.14 added the hash function. */
	const uint8_t *p = own + (src->minor <= 13 ? 24 : 32);
	uint32_t flags = load_u32(p + 4);
	struct gomap *m = &d->map;

	m->size = load_u16(p + 2);
	m->key_at = 8;
	m->key_stride = p[0];
	m->elem_at = 8 + 8 * m->key_stride;
	m->elem_stride = p[1];
	m->key_indirect = flags & 1;
	m->elem_indirect = flags & 2;
	return m->elem_at + 8 * m->elem_stride + 8 <= m->size ? 0 : -1;
}

/* Groups: 8 control bytes, then 8 slots of a key and an element. */
static int read_groups(const struct rtsource *src, struct rtype_desc *d,
		       const uint8_t *own)
{
	uint64_t size = load_u64(own + 32), key, key_stride, elem, elem_stride;
	struct gomap *m = &d->map;
	uint32_t flags;

	if (src->minor <= 26) {
		key = 8;
		key_stride = load_u64(own + 40);
		elem = load_u64(own + 48) + 8;
		elem_stride = key_stride;
		flags = load_u32(own + 56);
	} else {
		key = load_u64(own + 40);
		key_stride = load_u64(own + 48);
		elem = load_u64(own + 56);
		elem_stride = load_u64(own + 64);
		flags = load_u32(own + 80);
	}
	/* 128 bytes of key and element at most, 8 times, and what aligns. */
	if (size > 4096 || key > size || elem > size || key_stride > size ||
	    elem_stride > size || key + 7 * key_stride > size ||
	    elem + 7 * elem_stride > size)
		return -1;
	m->swiss = true;
	m->size = (uint32_t)size;
	m->key_at = (uint32_t)key;
	m->key_stride = (uint32_t)key_stride;
	m->elem_at = (uint32_t)elem;
	m->elem_stride = (uint32_t)elem_stride;
	m->key_indirect = flags & 4;
	m->elem_indirect = flags & 8;
	return 0;
}

static int read_own(const struct rtsource *src, struct rtype_desc *d,
		    const uint8_t *own, uint32_t bytes)
{
	switch (d->kind) {
	case RKIND_ARRAY:
		d->count = load_u64(own + 16);
		break;
	case RKIND_CHAN:
		d->dir = own[8];
		if (!d->dir || d->dir > (RTYPE_DESC_RECV | RTYPE_DESC_SEND))
			return -1;
		break;
	case RKIND_MAP:
		d->key = load_u64(own);
		d->elem = load_u64(own + 8);
		return src->swiss ? read_groups(src, d, own) :
		       read_buckets(src, d, own);
	case RKIND_FUNC:
		d->nin = load_u16(own);
		d->nout = load_u16(own + 2) & 0x7fffU;
		d->variadic = load_u16(own + 2) & 0x8000U;
		d->list = d->vaddr + RTYPE_SIZE + bytes +
			  (d->uncommon ? RTYPE_UNCOMMON_BYTES : 0);
		d->length += (d->nin + d->nout) * 8ULL;
		return 0;
	case RKIND_INTERFACE:
	case RKIND_STRUCT:
		d->pkg = load_u64(own);
		d->list = load_u64(own + 8);
		d->count = load_u64(own + 16);
		if (d->count > RTYPE_LIST_MAX)
			return -1;
		/* A linker may put them elsewhere; the length is 1.27's. */
		d->length += d->count * (d->kind == RKIND_STRUCT ?
					 RTYPE_FIELD_BYTES : RTYPE_WANTS_BYTES);
		return 0;
	case RKIND_POINTER:
	case RKIND_SLICE:
		break;
	default:
		return 0;
	}
	d->elem = load_u64(own);
	return 0;
}

/* Do the first 48 bytes look like a type? */
static int read_head(const struct rtsource *src, struct rtype_desc *d,
		     const uint8_t *p)
{
	uint8_t flags = p[20], kind = p[23];

	d->size = load_u64(p);
	d->align = p[21];
	d->kind = kind & RTYPE_KIND_MASK;
	d->direct = (release_direct_in_kind(src->minor) ? kind : flags) &
		    RTYPE_DIRECT;
	d->named = flags & RTYPE_FLAG_NAMED;
	d->extra_star = flags & RTYPE_FLAG_EXTRA_STAR;
	d->str = from_offset(src, load_u32(p + 40));
	d->ptr_to = from_offset(src, load_u32(p + 44));
	if (d->kind < RKIND_BOOL || d->kind > RKIND_MAX || !d->str ||
	    !d->align || d->align > 64 || (d->align & (d->align - 1)) ||
	    d->size % d->align)
		return -1;
	return 0;
}

int rtype_desc_read(const struct rtsource *src, uint64_t vaddr, struct rtype_desc *ret)
{
	uint8_t p[RTYPE_MAP_27_BYTES];
	struct rtype_desc d = { .vaddr = vaddr };
	uint32_t own;

	if (vaddr < src->types || vaddr >= src->etypes || vaddr % 8 ||
	    data_cache_read(src->data, vaddr, p, RTYPE_SIZE) ||
	    read_head(src, &d, p))
		return -1;
	own = own_bytes(src, d.kind);
	if (data_cache_read(src->data, vaddr + RTYPE_SIZE, p + RTYPE_SIZE, own))
		return -1;
	d.length = RTYPE_SIZE + own;
	if (p[20] & RTYPE_FLAG_UNCOMMON) {
		struct rtuncommon u;

		d.uncommon = vaddr + RTYPE_SIZE + own;
		if (rtype_desc_uncommon(src, &d, &u))
			return -1;
		d.length += RTYPE_UNCOMMON_BYTES +
			    (uint64_t)u.nmethods * RTYPE_METHOD_BYTES;
	}
	if (read_own(src, &d, p + RTYPE_SIZE, own))
		return -1;
	*ret = d;
	return 0;
}

int rtype_desc_field(const struct rtsource *src, const struct rtype_desc *d, uint64_t i,
		     struct rtfield *ret)
{
	uint8_t p[RTYPE_FIELD_BYTES];
	uint64_t off;

	if (d->kind != RKIND_STRUCT || i >= d->count ||
	    data_cache_read(src->data, d->list + i * sizeof(p), p, sizeof(p)))
		return -1;
	ret->name = load_u64(p);
	ret->type = load_u64(p + 8);
	off = load_u64(p + 16);
	ret->marked = false;
	if (release_field_marked(src->minor)) {
		ret->marked = off & 1;
		off >>= 1;
	}
	ret->offset = off;
	return 0;
}

int rtype_desc_param(const struct rtsource *src, const struct rtype_desc *d,
		     unsigned int i, uint64_t *type)
{
	uint8_t p[8];

	if (d->kind != RKIND_FUNC || i >= d->nin + d->nout ||
	    data_cache_read(src->data, d->list + i * 8ULL, p, sizeof(p)))
		return -1;
	*type = load_u64(p);
	return 0;
}

int rtype_desc_wants(const struct rtsource *src, const struct rtype_desc *d, uint64_t i,
		     struct rtmethod *ret)
{
	uint8_t p[RTYPE_WANTS_BYTES];

	if (d->kind != RKIND_INTERFACE || i >= d->count ||
	    data_cache_read(src->data, d->list + i * sizeof(p), p, sizeof(p)))
		return -1;
	memset(ret, 0, sizeof(*ret));
	ret->name = from_offset(src, load_u32(p));
	ret->type = from_offset(src, load_u32(p + 4));
	return ret->name ? 0 : -1;
}

int rtype_desc_uncommon(const struct rtsource *src, const struct rtype_desc *d,
			struct rtuncommon *ret)
{
	uint8_t p[RTYPE_UNCOMMON_BYTES];

	if (!d->uncommon ||
	    data_cache_read(src->data, d->uncommon, p, sizeof(p)))
		return -1;
	ret->pkg = from_offset(src, load_u32(p));
	ret->nmethods = load_u16(p + 4);
	ret->methods = d->uncommon + load_u32(p + 8);
	return 0;
}

/* Code that the linker left out is marked with -1 (0 before 1.16). */
static uint32_t code_offset(uint32_t off)
{
	return off > INT32_MAX ? 0 : off;
}

int rtype_desc_method(const struct rtsource *src, const struct rtuncommon *u,
		      unsigned int i, struct rtmethod *ret)
{
	uint8_t p[RTYPE_METHOD_BYTES];

	if (i >= u->nmethods ||
	    data_cache_read(src->data, u->methods + (uint64_t)i * sizeof(p), p,
			    sizeof(p)))
		return -1;
	ret->name = from_offset(src, load_u32(p));
	ret->type = from_offset(src, load_u32(p + 4));
	ret->ifn = code_offset(load_u32(p + 8));
	ret->tfn = code_offset(load_u32(p + 12));
	return ret->name ? 0 : -1;
}

/* The length at @vaddr: its value, and in @vaddr what follows it. */
static int read_length(const struct rtsource *src, uint64_t *vaddr, size_t *len)
{
	uint8_t p[3];
	size_t n = 0, v = 0;

	if (!release_name_varint(src->minor)) {
		if (data_cache_read(src->data, *vaddr, p, 2))
			return -1;
		n = 2;
		v = (size_t)p[0] << 8 | p[1];
	} else {
		do {
			if (n == sizeof(p) ||
			    data_cache_read(src->data, *vaddr + n, p + n, 1))
				return -1;
			v |= (size_t)(p[n] & 0x7f) << (7 * n);
		} while (p[n++] & 0x80);
	}
	*vaddr += n;
	*len = v;
	return 0;
}

int rtype_desc_name(const struct rtsource *src, uint64_t vaddr, struct rtname *ret)
{
	uint64_t at = vaddr + 1;
	uint8_t flags, p[4];

	memset(ret, 0, sizeof(*ret));
	if (data_cache_read(src->data, vaddr, &flags, 1) ||
	    read_length(src, &at, &ret->len) || ret->len > RTNAME_MAX)
		return -1;
	ret->exported = flags & RTNAME_EXPORTED;
	ret->embedded = flags & RTNAME_EMBEDDED;
	ret->text = at;
	at += ret->len;
	if (flags & RTNAME_TAG) {
		if (read_length(src, &at, &ret->tag_len))
			return -1;
		ret->tag = at;
		at += ret->tag_len;
	}
	if (flags & RTNAME_PKG) {
		if (data_cache_read(src->data, at, p, sizeof(p)))
			return -1;
		ret->pkg = from_offset(src, load_u32(p));
	}
	return 0;
}
