// SPDX-License-Identifier: GPL-2.0
/* Abbreviations: which attributes entries have, in which form. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dwarf/abbrev.h"
#include "dwarf/constants.h"

/* Bounds against hostile files; Go has about 40 abbreviations of 10 values. */
#define ABBREVS_MAX 4096U
#define SPECS_MAX 65536U
/* Of one entry: it could have them all in a byte. */
#define SPECS_EACH_MAX 64U
#define LISTS_MAX 64U

/*
 * The number at *@p, which is moved behind it; 0 at the end. *@bits: of the number;
 * more than 64 are left out. *@last: its last byte, or 0 at the end.
 */
static uint64_t read_leb(const uint8_t **p, const uint8_t *end, unsigned int *bits,
			 uint8_t *last)
{
	uint64_t v = 0;

	for (*bits = 0; *p < end;) {
		uint8_t b = *(*p)++;

		if (*bits < 64)
			v |= (uint64_t)(b & 0x7f) << *bits;
		*bits += 7;
		*last = b;
		if (!(b & 0x80))
			return v;
	}
	*last = 0;
	return 0;
}

uint64_t dwarf_uleb(const uint8_t **p, const uint8_t *end)
{
	unsigned int bits;
	uint8_t last;

	return read_leb(p, end, &bits, &last);
}

int64_t dwarf_sleb(const uint8_t **p, const uint8_t *end)
{
	unsigned int bits;
	uint8_t last;
	uint64_t v = read_leb(p, end, &bits, &last);

	if (last & 0x40 && bits < 64)
		v |= ~0ULL << bits;
	return (int64_t)v;
}

uint64_t dwarf_cursor_uleb(struct dwarf_cursor *c)
{
	if (c->p == c->end)
		c->bad = true;
	return dwarf_uleb(&c->p, c->end);
}

const uint8_t *dwarf_cursor_take(struct dwarf_cursor *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (n > (uint64_t)(c->end - c->p)) {
		c->bad = true;
		c->p = c->end;
		return NULL;
	}
	c->p += n;
	return p;
}

uint64_t dwarf_cursor_uint(struct dwarf_cursor *c, unsigned int n)
{
	const uint8_t *p = dwarf_cursor_take(c, n);
	uint64_t v = 0;

	/* Little endian, as this machine. */
	if (p)
		memcpy(&v, p, n);
	return v;
}

/* Bytes of a value, or -1 if that is not always the same. */
static int fixed_size(unsigned int form, bool wide)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_addr:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_ref_addr:
		return wide ? 8 : 4;
	}
	return -1;
}

static int add_spec(struct dwabbrevs *t, struct dwspec s)
{
	if (t->nspecs >= SPECS_MAX ||
	    grow(&t->specs, t->nspecs + 1, &t->specs_cap, sizeof(s)))
		return -1;
	t->specs[t->nspecs++] = s;
	return 0;
}

static int read_specs(struct dwabbrevs *t, struct dwarf_cursor *c, struct abbrev *a)
{
	a->spec = (uint32_t)t->nspecs;
	while (!c->bad) {
		uint64_t name = dwarf_cursor_uleb(c), form = dwarf_cursor_uleb(c);
		struct dwspec s = { (uint16_t)name, (uint16_t)form, 0, 0 };

		if (form == DW_FORM_implicit_const)
			s.value = dwarf_sleb(&c->p, c->end);
		if (!name && !form)
			return 0;
		s.size = (int8_t)fixed_size(s.form, t->wide);
		if (name > UINT16_MAX || form > UINT16_MAX ||
		    a->nspecs == SPECS_EACH_MAX || add_spec(t, s))
			return -1;
		a->nspecs++;
		a->fixed = a->fixed < 0 || s.size < 0 ? -1 : a->fixed + s.size;
	}
	return -1;
}

static int make_space(struct dwabbrevs *t, size_t n)
{
	size_t cap = 64;
	void *p;

	if (n <= t->n)
		return 0;
	while (cap < n)
		cap *= 2;
	p = reallocarray(t->v, cap, sizeof(*t->v));
	if (!p)
		return -1;
	t->v = p;
	memset(t->v + t->n, 0, (cap - t->n) * sizeof(*t->v));
	t->n = cap;
	return 0;
}

static int read_abbrev(struct dwabbrevs *t, struct dwarf_cursor *c, uint64_t code)
{
	struct abbrev a = { .tag = (unsigned int)dwarf_cursor_uleb(c) };

	a.children = dwarf_cursor_uint(c, 1);
	if (code > ABBREVS_MAX || read_specs(t, c, &a) || make_space(t, code))
		return -1;
	t->v[code - 1] = a;
	return 0;
}

static int read_abbrevs(struct die *r, struct dwabbrevs *t, const struct dwsect *s)
{
	struct dwarf_cursor c = { s->p + t->off, s->p + s->n, false };
	const uint8_t *from = c.p;
	uint64_t code, used;
	int err = 0;

	if (!r->abbrev_left)
		return -1;
	while (!err && !c.bad && c.p < c.end) {
		code = dwarf_cursor_uleb(&c);
		if (!code)
			break;
		err = read_abbrev(t, &c, code);
	}
	used = (uint64_t)(c.p - from) + t->n;
	r->abbrev_left -= used < r->abbrev_left ? used : r->abbrev_left;
	return err;
}

void abbrev_free(struct dwabbrevs *t)
{
	free(t->v);
	free(t->specs);
	free(t);
}

struct dwabbrevs *abbrev_find(struct die *r, const struct dwunit *u)
{
	const struct dwsect *s = sections_get(&r->sects, DWSECT_ABBREV);
	struct dwabbrevs *t;
	void *p;

	/* The last one first: Go's units share one, C's come in order. */
	for (size_t i = r->nabbrevs; i-- > 0;) {
		t = r->abbrevs[i];
		if (t->off == u->abbrev_off && t->wide == u->wide)
			return t;
	}
	if (u->abbrev_off >= s->n || r->nabbrevs >= LISTS_MAX)
		return NULL;
	t = calloc(1, sizeof(*t));
	p = reallocarray(r->abbrevs, r->nabbrevs + 1, sizeof(*r->abbrevs));
	if (p)
		r->abbrevs = p;
	if (t) {
		t->off = u->abbrev_off;
		t->wide = u->wide;
	}
	if (!t || !p || read_abbrevs(r, t, s)) {
		if (t)
			abbrev_free(t);
		return NULL;
	}
	r->abbrevs[r->nabbrevs++] = t;
	return t;
}

void abbrev_forget(struct die *r, struct dwunit *u)
{
	if (!u->abbrevs || r->abbrevs[r->nabbrevs - 1] != u->abbrevs)
		return;
	abbrev_free(u->abbrevs);
	u->abbrevs = NULL;
	r->nabbrevs--;
}
