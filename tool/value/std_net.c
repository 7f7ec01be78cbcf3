// SPDX-License-Identifier: GPL-2.0
/* Addresses of networks, as packages net and net/netip write them. */
#include <string.h>

#include "value/std.h"

static void four(struct buf *b, const uint8_t *ip)
{
	for (int i = 0; i < 4; i++) {
		if (i)
			buf_char(b, '.');
		buf_u64(b, ip[i]);
	}
}

static bool is_mapped(const uint8_t *ip)
{
	return memcmp(ip, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12) == 0;
}

/* RFC 5952; the C library writes more of them with a version 4 address at the end than Go. */
static void six(struct buf *b, const uint8_t *ip)
{
	int from = -1, len = 1;

	if (is_mapped(ip)) {
		buf_str(b, "::ffff:");
		four(b, ip + 12);
		return;
	}
	for (int i = 0, n = 0; i < 8; i++) {
		n = ip[2 * i] || ip[2 * i + 1] ? 0 : n + 1;
		if (n > len) {
			len = n;
			from = i + 1 - n;
		}
	}
	for (int i = 0; i < 8; i++) {
		unsigned int word = ip[2 * i] << 8 | ip[2 * i + 1];
		bool any = false;

		if (i == from) {
			buf_str(b, "::");
			i += len - 1;
			continue;
		}
		if (i && i != from + len)
			buf_char(b, ':');
		for (int shift = 12; shift >= 0; shift -= 4) {
			any |= word >> shift || !shift;
			if (any)
				buf_hex_digit(b, word >> shift);
		}
	}
}

bool value_ip(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	struct value_bytes s;
	bool convert;

	if (!value_is_bytes(w->t))
		return false;
	value_slice(v, w->t, w->p, &s);
	if (s.have != s.len || (s.len != 4 && s.len != 16))
		return false;
	convert = value_convert(b, w);
	/* Also in 16 bytes it can be a version 4 address, and is shown as one. */
	if (s.len == 4)
		four(b, s.data);
	else if (is_mapped(s.data))
		four(b, s.data + 12);
	else
		six(b, s.data);
	if (convert)
		buf_char(b, ')');
	return true;
}

/* "00:1b:21:3c:9d:f8" */
static bool show_hardware(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	struct value_bytes s;
	bool convert;

	if (!value_is_bytes(w->t))
		return false;
	value_slice(v, w->t, w->p, &s);
	if (s.have != s.len || !s.len)
		return false;
	convert = value_convert(b, w);
	for (uint64_t i = 0; i < s.len && !value_enough(v, b); i++) {
		if (i)
			buf_char(b, ':');
		buf_hex_byte(b, s.data[i]);
	}
	if (convert)
		buf_char(b, ')');
	return true;
}

/* A netip.Addr. */
struct addr {
	uint8_t ip[16];			/* its bytes, the first one first */
	bool valid;			/* it is not the zero Addr */
	bool six;			/* version 6 */
	bool either;			/* or a version 4 address: nothing says which one it is */
	const char *why;		/* its zone is not known: why; or NULL */
	struct value_bytes zone;	/* of it, or nothing */
};

static void zone_at(struct value_ctx *v, const struct gotype *t, const uint8_t *p, struct addr *ret)
{
	if (t->kind == GOTYPE_STRING && value_type_fits(t))
		value_string(v, p, &ret->zone);
	if (ret->zone.have < ret->zone.len && !ret->zone.have)
		ret->why = ret->zone.unavailable ?: "cut at a limit";
}

static bool is_variable(struct value_ctx *v, const char *name, uint64_t word)
{
	uint64_t its;

	return v->env && v->env->variable && v->env->variable(v->env->ctx, name, &its) &&
	       its == word;
}

/* The addresses for version 4, and for version 6 without a zone, are in two variables. */
static void by_address(struct value_ctx *v, uint64_t address, struct addr *ret)
{
	bool four = is_variable(v, "net/netip.z4", address);

	if (four || is_variable(v, "net/netip.z6noz", address)) {
		ret->six = !four;
		ret->why = NULL;
	} else {
		ret->either = !ret->six;
	}
}

/* Until 1.22, an intern.Value: with the zone, or empty. Then its address says which version. */
static void interned(struct value_ctx *v, const struct gofield *zone, const uint8_t *value,
		     uint64_t address, struct addr *ret)
{
	struct value_iface i;

	value_iface(v, zone->type, value + zone->offset, &i);
	if (!i.nil) {
		ret->six = true;
		if (i.p)
			zone_at(v, i.dynamic, i.p, ret);
		else
			ret->why = i.why;
	} else if (is_mapped(ret->ip)) {
		by_address(v, address, ret);
	}
}

/* What @z points to says which version it is, and the zone: a netip.addrDetail since 1.23. */
static void detail(struct value_ctx *v, const struct gofield *z, const uint8_t *p, struct addr *ret)
{
	const struct gotype *t = z->type;
	const struct gofield *f;
	const uint8_t *to = NULL;

	p += z->offset;
	f = value_known_field(t, "value", GOTYPE_POINTER, 8);
	if (f) {
		p += f->offset;
		t = f->type;
	}
	ret->six = !is_mapped(ret->ip);
	ret->valid = value_word(p);
	if (!ret->valid)
		return;
	ret->why = "unknown type";
	if (t->kind == GOTYPE_POINTER && t->elem)
		to = value_behind(v, t, p, &ret->why);
	if (!to) {
		by_address(v, value_word(p), ret);
		return;
	}
	ret->why = NULL;
	f = value_known_field(t->elem, "isV6", GOTYPE_BOOL, 1);
	if (f)
		ret->six = to[f->offset];
	f = value_known_field(t->elem, "zoneV6", GOTYPE_STRING, 16);
	if (f)
		zone_at(v, f->type, to + f->offset, ret);
	f = value_known_field(t->elem, "cmpVal", GOTYPE_INTERFACE, 16);
	if (f)
		interned(v, f, to, value_word(p), ret);
}

static bool get_addr(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		     struct addr *ret)
{
	const struct gofield *ip = value_known_field(t, "addr", GOTYPE_STRUCT, 16);
	const struct gofield *z = value_known_field(t, "z", GOTYPE_STRUCT, 8) ?:
				  value_known_field(t, "z", GOTYPE_POINTER, 8);
	const struct gofield *half[2];

	*ret = (struct addr){ 0 };
	if (!ip || !z)
		return false;
	half[0] = value_known_field(ip->type, "hi", GOTYPE_UINT, 8);
	half[1] = value_known_field(ip->type, "lo", GOTYPE_UINT, 8);
	if (!half[0] || !half[1])
		return false;
	for (int i = 0; i < 16; i++)
		ret->ip[i] = value_word(p + ip->offset + half[i / 8]->offset) >> (56 - i % 8 * 8);
	detail(v, z, p, ret);
	return true;
}

/* JSON has the text of what is known; what people read can say what is not. */
static bool is_refused(const struct value_what *w, const struct addr *a)
{
	return w->exact && (a->either || a->why || a->zone.have < a->zone.len);
}

static void put_six(struct buf *b, const struct addr *a)
{
	six(b, a->ip);
	if (a->why && !a->either) {
		buf_str(b, "%<");
		buf_str(b, a->why);
		buf_char(b, '>');
	} else if (a->zone.len) {
		buf_char(b, '%');
		buf_mem(b, a->zone.data, a->zone.size);
		if (a->zone.have < a->zone.len)
			buf_str(b, "...");
	}
}

/* With the number @n behind @mark, if that is not 0. */
static void put_addr(struct buf *b, const struct addr *a, char mark, uint64_t n)
{
	if (!a->six) {
		four(b, a->ip + 12);
		if (mark) {
			buf_char(b, mark);
			buf_u64(b, n);
		}
	}
	if (a->either)
		buf_str(b, " or ");
	if (!a->six && !a->either)
		return;
	if (mark == ':')
		buf_char(b, '[');
	put_six(b, a);
	if (mark == ':')
		buf_char(b, ']');
	if (mark) {
		buf_char(b, mark);
		buf_u64(b, n);
	}
}

static bool show_addr(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	struct addr a;
	bool convert;

	if (!get_addr(v, w->t, w->p, &a) || is_refused(w, &a))
		return false;
	if (!a.valid) {
		buf_str(b, "netip.Addr{}");
		return true;
	}
	convert = value_convert(b, w);
	put_addr(b, &a, 0, 0);
	if (convert)
		buf_char(b, ')');
	return true;
}

/* The Addr in @w, and the number beside it. */
static bool get_with(struct value_ctx *v, const struct value_what *w, const char *number,
		     enum gotype_kind kind, struct addr *ret, int64_t *n)
{
	const struct gofield *ip = value_known_field(w->t, "ip", GOTYPE_STRUCT, 24);
	const struct gofield *f = value_known_field(w->t, number, kind, 0);

	return ip && f && get_addr(v, ip->type, w->p + ip->offset, ret) && !is_refused(w, ret) &&
	       value_integer(f->type, w->p + f->offset, n);
}

static bool show_addrport(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	struct addr a;
	bool convert;
	int64_t port;

	if (!get_with(v, w, "port", GOTYPE_UINT, &a, &port))
		return false;
	/* With a port but no address it is as invalid, but not empty. */
	if (!a.valid && port)
		return false;
	if (!a.valid) {
		buf_str(b, "netip.AddrPort{}");
		return true;
	}
	convert = value_convert(b, w);
	put_addr(b, &a, ':', port);
	if (convert)
		buf_char(b, ')');
	return true;
}

static bool show_prefix(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	struct addr a;
	bool convert;
	int64_t bits;

	/* Once it was the number itself, and -1 was invalid. */
	if (get_with(v, w, "bitsPlusOne", GOTYPE_UINT, &a, &bits))
		bits--;
	else if (!get_with(v, w, "bits", GOTYPE_INT, &a, &bits))
		return false;
	if (!a.valid && bits <= 0) {
		buf_str(b, "netip.Prefix{}");
		return true;
	}
	if (!a.valid || bits < 0)
		return false;
	convert = value_convert(b, w);
	put_addr(b, &a, '/', bits);
	if (convert)
		buf_char(b, ')');
	return true;
}

const struct value_known value_known_net[] = {
	JSON("net.IP", GOTYPE_SLICE, value_ip, .is_part = true),
	JSON("net.HardwareAddr", GOTYPE_SLICE, show_hardware, .is_part = true),
	JSON("net/netip.Addr", GOTYPE_STRUCT, show_addr),
	JSON("net/netip.AddrPort", GOTYPE_STRUCT, show_addrport),
	JSON("net/netip.Prefix", GOTYPE_STRUCT, show_prefix),
	{ 0 },
};
