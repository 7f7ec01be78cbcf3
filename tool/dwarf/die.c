// SPDX-License-Identifier: GPL-2.0
/*
 * Entries and attributes of .debug_info. An entry is an abbreviation's number and
 * the values of the attributes that it lists; its length is written nowhere, so a
 * walk reads over all values, children included.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/plain.h"
#include "dwarf/abbrev.h"
#include "dwarf/constants.h"
#include "dwarf/die.h"

/* Bounds against hostile files. */
#define UNITS_MAX (1U << 20)
#define ORIGINS_MAX 16
#define STRING_MAX 65536U
/* How often all abbreviations may be read. */
#define ABBREV_READS 64U

static uint64_t take_offset(struct dwarf_cursor *c, bool wide)
{
	return dwarf_cursor_uint(c, wide ? 8 : 4);
}

/* --- entries --- */

static struct dwarf_cursor cursor_at(struct die *r, const struct dwunit *u,
				     uint64_t off)
{
	const uint8_t *info = r->sects.v[DWSECT_INFO].p;

	return (struct dwarf_cursor){ info + off, info + u->end, false };
}

/* Read the entry at the cursor; false at the end of a list of siblings. */
static bool read_entry(struct die *r, const struct dwunit *u, struct dwarf_cursor *c,
		       struct dwdie *ret)
{
	const uint8_t *info = r->sects.v[DWSECT_INFO].p;
	const uint8_t *start = c->p;
	uint64_t code = dwarf_cursor_uleb(c);

	if (c->bad || !code || code > u->abbrevs->n)
		return false;
	ret->abbrev = &u->abbrevs->v[code - 1];
	ret->tag = ret->abbrev->tag;
	ret->unit = u;
	ret->off = (uint64_t)(start - info);
	ret->attrs = (uint64_t)(c->p - info);
	return ret->tag;
}

static void skip_value(struct dwarf_cursor *c, const struct dwspec *s)
{
	const uint8_t *nul;

	if (s->size >= 0) {
		dwarf_cursor_take(c, (uint64_t)s->size);
		return;
	}
	switch (s->form) {
	case DW_FORM_string:
		nul = memchr(c->p, 0, (size_t)(c->end - c->p));
		dwarf_cursor_take(c, nul ? (uint64_t)(nul - c->p) + 1 : UINT64_MAX);
		break;
	case DW_FORM_block1:
		dwarf_cursor_take(c, dwarf_cursor_uint(c, 1));
		break;
	case DW_FORM_block2:
		dwarf_cursor_take(c, dwarf_cursor_uint(c, 2));
		break;
	case DW_FORM_block4:
		dwarf_cursor_take(c, dwarf_cursor_uint(c, 4));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		dwarf_cursor_take(c, dwarf_cursor_uleb(c));
		break;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		dwarf_cursor_uleb(c);
		break;
	default:
		c->bad = true;
	}
}

/* An entry's attributes. A whole table may have none. */
static const struct dwspec *specs_of(const struct dwdie *d)
{
	const struct dwspec *all = d->unit->abbrevs->specs;

	return all ? all + d->abbrev->spec : NULL;
}

static void skip_values(struct dwarf_cursor *c, const struct dwdie *d)
{
	const struct dwspec *s = specs_of(d);

	if (d->abbrev->fixed >= 0) {
		dwarf_cursor_take(c, (uint64_t)d->abbrev->fixed);
		return;
	}
	for (uint32_t i = 0; i < d->abbrev->nspecs && !c->bad; i++)
		skip_value(c, &s[i]);
}

bool die_root(struct die *r, struct dwunit *u, struct dwdie *ret)
{
	struct dwarf_cursor c = cursor_at(r, u, u->die);

	if (!u->abbrevs)
		u->abbrevs = abbrev_find(r, u);
	return u->abbrevs && read_entry(r, u, &c, ret);
}

bool die_at(struct die *r, uint64_t off, struct dwdie *ret)
{
	size_t lo = 0, hi = r->nunits;
	struct dwunit *u;
	struct dwarf_cursor c;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->units[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	u = &r->units[lo - 1];
	if (off < u->die || off >= u->end)
		return false;
	if (!u->abbrevs)
		u->abbrevs = abbrev_find(r, u);
	c = cursor_at(r, u, off);
	return u->abbrevs && read_entry(r, u, &c, ret);
}

bool die_child(struct die *r, const struct dwdie *d, struct dwdie *ret)
{
	struct dwarf_cursor c = cursor_at(r, d->unit, d->attrs);

	if (!d->abbrev->children)
		return false;
	skip_values(&c, d);
	return !c.bad && read_entry(r, d->unit, &c, ret);
}

bool die_sibling(struct die *r, const struct dwdie *d, struct dwdie *ret)
{
	struct dwarf_cursor c = cursor_at(r, d->unit, d->attrs);
	struct dwdie at = *d;
	uint64_t depth = 0;

	for (;;) {
		skip_values(&c, &at);
		if (c.bad)
			return false;
		depth += at.abbrev->children;
		while (!read_entry(r, d->unit, &c, &at)) {
			/* A zero ends the innermost list; all else is damage. */
			if (c.bad || c.p[-1] || !depth)
				return false;
			depth--;
		}
		if (!depth) {
			*ret = at;
			return true;
		}
	}
}

/* --- attributes --- */

bool die_addrx(struct die *r, const struct dwunit *u, uint64_t index,
	       uint64_t *ret)
{
	const struct dwsect *s = sections_get(&r->sects, DWSECT_ADDR);
	uint64_t at;

	if (__builtin_mul_overflow(index, 8, &at) ||
	    __builtin_add_overflow(at, u->addr_base, &at) || at > s->n ||
	    s->n - at < 8)
		return false;
	memcpy(ret, s->p + at, 8);
	return true;
}

static void set_string(struct die *r, struct dwval *v, enum dwsect_id id,
		       uint64_t off)
{
	const struct dwsect *s = sections_get(&r->sects, id);
	const uint8_t *nul;
	size_t left;

	if (off >= s->n)
		return;
	left = s->n - off;
	nul = memchr(s->p + off, 0, left < STRING_MAX ? left : STRING_MAX);
	if (!nul)
		return;
	v->class = DWVAL_STRING;
	v->p = s->p + off;
	v->n = (size_t)(nul - v->p);
}

static void set_number(struct dwval *v, enum dwval_class class, uint64_t u)
{
	v->class = class;
	v->u = u;
}

static void set_block(struct dwval *v, struct dwarf_cursor *c, uint64_t n)
{
	v->p = dwarf_cursor_take(c, n);
	v->n = n;
	v->class = v->p ? DWVAL_BLOCK : DWVAL_NONE;
}

static void set_addrx(struct die *r, const struct dwunit *u, struct dwval *v,
		      uint64_t index)
{
	if (die_addrx(r, u, index, &v->u))
		v->class = DWVAL_ADDRESS;
}

static void read_value(struct die *r, const struct dwunit *u, struct dwarf_cursor *c,
		       const struct dwspec *s, struct dwval *v)
{
	const uint8_t *p = c->p;

	switch (s->form) {
	case DW_FORM_implicit_const:
		set_number(v, DWVAL_NUMBER, (uint64_t)s->value);
		break;
	case DW_FORM_flag_present:
		set_number(v, DWVAL_NUMBER, 1);
		break;
	case DW_FORM_flag:
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
		set_number(v, DWVAL_NUMBER, dwarf_cursor_uint(c, (unsigned int)s->size));
		break;
	case DW_FORM_udata:
		set_number(v, DWVAL_NUMBER, dwarf_cursor_uleb(c));
		break;
	case DW_FORM_sdata:
		set_number(v, DWVAL_NUMBER, (uint64_t)dwarf_sleb(&c->p, c->end));
		break;
	case DW_FORM_addr:
		set_number(v, DWVAL_ADDRESS, dwarf_cursor_uint(c, 8));
		break;
	case DW_FORM_addrx:
		set_addrx(r, u, v, dwarf_cursor_uleb(c));
		break;
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		set_addrx(r, u, v, dwarf_cursor_uint(c, (unsigned int)s->size));
		break;
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
		set_number(v, DWVAL_REF, u->off + dwarf_cursor_uint(c, (unsigned int)s->size));
		break;
	case DW_FORM_ref_udata:
		set_number(v, DWVAL_REF, u->off + dwarf_cursor_uleb(c));
		break;
	case DW_FORM_ref_addr:
		set_number(v, DWVAL_REF, take_offset(c, u->wide));
		break;
	case DW_FORM_sec_offset:
		set_number(v, DWVAL_OFFSET, take_offset(c, u->wide));
		break;
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		set_number(v, DWVAL_INDEX, dwarf_cursor_uleb(c));
		break;
	case DW_FORM_strp:
		set_string(r, v, DWSECT_STR, take_offset(c, u->wide));
		break;
	case DW_FORM_line_strp:
		set_string(r, v, DWSECT_LINE_STR, take_offset(c, u->wide));
		break;
	case DW_FORM_string:
		skip_value(c, s);
		v->class = DWVAL_STRING;
		v->p = p;
		v->n = (size_t)(c->p - p) - !c->bad;
		break;
	case DW_FORM_block1:
		set_block(v, c, dwarf_cursor_uint(c, 1));
		break;
	case DW_FORM_block2:
		set_block(v, c, dwarf_cursor_uint(c, 2));
		break;
	case DW_FORM_block4:
		set_block(v, c, dwarf_cursor_uint(c, 4));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		set_block(v, c, dwarf_cursor_uleb(c));
		break;
	default:
		skip_value(c, s);
	}
	if (c->bad)
		v->class = DWVAL_NONE;
}

bool die_attr(struct die *r, const struct dwdie *d, unsigned int attr,
	      struct dwval *ret)
{
	const struct dwspec *s = specs_of(d);
	struct dwarf_cursor c = cursor_at(r, d->unit, d->attrs);

	for (uint32_t i = 0; i < d->abbrev->nspecs && !c.bad; i++) {
		if (s[i].name == attr) {
			ret->class = DWVAL_NONE;
			read_value(r, d->unit, &c, &s[i], ret);
			return ret->class != DWVAL_NONE;
		}
		skip_value(&c, &s[i]);
	}
	return false;
}

bool die_attr_any(struct die *r, const struct dwdie *d, unsigned int attr,
		  struct dwval *ret)
{
	struct dwdie at = *d;

	for (int i = 0; i < ORIGINS_MAX; i++) {
		struct dwval origin;

		if (die_attr(r, &at, attr, ret))
			return true;
		if (!die_attr(r, &at, DW_AT_abstract_origin, &origin) ||
		    origin.class != DWVAL_REF || !die_at(r, origin.u, &at))
			return false;
	}
	return false;
}

/* The attribute's value, if it is of that class. */
static bool read_class(struct die *r, const struct dwdie *d, unsigned int attr,
		       enum dwval_class class, uint64_t *ret)
{
	struct dwval v;

	if (!die_attr(r, d, attr, &v) || v.class != class)
		return false;
	*ret = v.u;
	return true;
}

bool die_number(struct die *r, const struct dwdie *d, unsigned int attr,
		uint64_t *ret)
{
	return read_class(r, d, attr, DWVAL_NUMBER, ret);
}

bool die_address(struct die *r, const struct dwdie *d, unsigned int attr,
		 uint64_t *ret)
{
	return read_class(r, d, attr, DWVAL_ADDRESS, ret);
}

bool die_flag(struct die *r, const struct dwdie *d, unsigned int attr)
{
	struct dwval v;

	return die_attr_any(r, d, attr, &v) && v.class == DWVAL_NUMBER && v.u;
}

bool die_ref(struct die *r, const struct dwdie *d, unsigned int attr,
	     struct dwdie *ret)
{
	struct dwval v;

	return die_attr_any(r, d, attr, &v) && v.class == DWVAL_REF &&
	       die_at(r, v.u, ret);
}

/*
 * A typedef without a kind of its own is its target: .paramN of
 * generics (a shape), and the twin of each runtime structure.
 */
bool die_own_type(struct die *r, struct dwdie *die)
{
	uint64_t kind;

	for (int i = 0; die->tag == DW_TAG_typedef &&
	     !die_number(r, die, DW_AT_go_kind, &kind); i++) {
		struct dwdie to;

		if (i == DIE_TYPEDEFS_MAX ||
		    !die_ref(r, die, DW_AT_type, &to))
			return false;
		*die = to;
	}
	return true;
}

static const char *die_string(struct die *r, const struct dwdie *d, unsigned int attr)
{
	struct dwval v;

	if (!die_attr_any(r, d, attr, &v) || v.class != DWVAL_STRING ||
	    !plain_name((const char *)v.p, v.n))
		return NULL;
	return (const char *)v.p;
}

const char *die_name(struct die *r, const struct dwdie *d)
{
	return die_string(r, d, DW_AT_name);
}

/* --- units --- */

/* The header at the cursor; @u->end is already known. */
static int read_header(struct dwarf_cursor *c, struct dwunit *u, const uint8_t *info)
{
	unsigned int type = DW_UT_compile, address;

	u->version = (uint16_t)dwarf_cursor_uint(c, 2);
	if (u->version >= 5) {
		type = (unsigned int)dwarf_cursor_uint(c, 1);
		address = (unsigned int)dwarf_cursor_uint(c, 1);
		u->abbrev_off = take_offset(c, u->wide);
	} else {
		u->abbrev_off = take_offset(c, u->wide);
		address = (unsigned int)dwarf_cursor_uint(c, 1);
	}
	u->die = (uint64_t)(c->p - info);
	return c->bad || u->version < 3 || u->version > 5 || address != 8 ||
	       type != DW_UT_compile ? -1 : 0;
}

static void describe(struct die *r, struct dwunit *u)
{
	uint64_t language;
	struct dwdie root;

	if (!die_root(r, u, &root) || root.tag != DW_TAG_compile_unit ||
	    !die_number(r, &root, DW_AT_language, &language) ||
	    language != DW_LANG_Go)
		return;
	u->is_go = true;
	read_class(r, &root, DW_AT_addr_base, DWVAL_OFFSET, &u->addr_base);
	die_address(r, &root, DW_AT_low_pc, &u->low_pc);
	u->name = die_name(r, &root);
	u->package = die_string(r, &root, DW_AT_go_package_name);
}

static struct dwunit *add_unit(struct die *r)
{
	struct dwunit *u;

	if (r->nunits >= UNITS_MAX ||
	    grow(&r->units, r->nunits + 1, &r->units_cap, sizeof(*u)))
		return NULL;
	u = &r->units[r->nunits];
	memset(u, 0, sizeof(*u));
	return u;
}

int die_open(struct die *r, const struct elffile *ef)
{
	const struct dwsect *s;
	struct dwarf_cursor c;

	memset(r, 0, sizeof(*r));
	sections_init(&r->sects, ef);
	s = sections_get(&r->sects, DWSECT_INFO);
	if (!s->n || !sections_get(&r->sects, DWSECT_ABBREV)->n)
		return -1;
	/* A small list may grow. */
	r->abbrev_left = ABBREV_READS *
			 (64 + (uint64_t)sections_get(&r->sects, DWSECT_ABBREV)->n);
	c = (struct dwarf_cursor){ s->p, s->p + s->n, false };
	while (c.p < c.end) {
		struct dwunit *u = add_unit(r);
		struct dwarf_cursor body;
		uint64_t len;

		if (!u)
			return -1;
		u->off = (uint64_t)(c.p - s->p);
		len = dwarf_cursor_uint(&c, 4);
		u->wide = len == 0xffffffff;
		if (u->wide)
			len = dwarf_cursor_uint(&c, 8);
		body.p = dwarf_cursor_take(&c, len);
		if (!body.p)
			break;
		body.end = c.p;
		body.bad = false;
		u->end = (uint64_t)(c.p - s->p);
		if (!read_header(&body, u, s->p))
			r->nunits++;
	}
	for (size_t i = 0; i < r->nunits; i++) {
		size_t before = r->nabbrevs;

		describe(r, &r->units[i]);
		/* Nobody asks for C's; unless an earlier unit has the same ones. */
		if (!r->units[i].is_go && r->nabbrevs > before)
			abbrev_forget(r, &r->units[i]);
	}
	return r->nunits ? 0 : -1;
}

void die_close(struct die *r)
{
	for (size_t i = 0; i < r->nabbrevs; i++)
		abbrev_free(r->abbrevs[i]);
	free(r->abbrevs);
	free(r->units);
}
