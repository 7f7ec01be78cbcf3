// SPDX-License-Identifier: GPL-2.0
/* Reads profiles in the format of profile.proto. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "unpprof.h"

/* Bytes of a message; what is read goes from its beginning. */
struct bytes {
	const uint8_t *p;
	size_t n;
};

/* A field: a number, or bytes. */
struct field {
	unsigned int id;
	bool is_number;
	uint64_t number;
	struct bytes bytes;
};

/**
 * struct profile - what is read
 * @fields: those of the whole
 * @nfields: their number
 * @strings: numbers of these fields that are strings, in order
 * @nstrings: their number
 * @to: where text goes
 * @why: what is wrong, or NULL
 */
struct profile {
	struct field *fields;
	size_t nfields;
	struct bytes *strings;
	size_t nstrings;
	struct buf *to;
	const char *why;
};

static bool varint(struct bytes *b, uint64_t *v)
{
	*v = 0;
	for (unsigned int shift = 0; b->n && shift < 70; shift += 7) {
		uint8_t c = *b->p++;

		b->n--;
		*v |= shift < 64 ? (uint64_t)(c & 0x7f) << shift : 0;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

/* The next field of @b; false at its end, and if it is damaged. */
static bool next(struct profile *p, struct bytes *b, struct field *f)
{
	uint64_t key;

	if (!b->n || p->why)
		return false;
	p->why = "a field is cut";
	if (!varint(b, &key) || !varint(b, &f->number))
		return false;
	f->id = key >> 3;
	f->is_number = (key & 7) == 0;
	f->bytes = (struct bytes){ b->p, f->number };
	if (!f->is_number) {
		if ((key & 7) != 2 || f->number > b->n)
			return false;
		b->p += f->number;
		b->n -= f->number;
	}
	p->why = NULL;
	return true;
}

/* The number in field @id of the message @m, or 0. */
static uint64_t number(struct profile *p, struct bytes m, unsigned int id)
{
	uint64_t v = 0;
	struct field f;

	while (next(p, &m, &f)) {
		if (f.id == id && f.is_number)
			v = f.number;
	}
	return v;
}

static void put_string(struct profile *p, uint64_t i)
{
	if (i >= p->nstrings)
		p->why = "there is no such string";
	else
		buf_mem(p->to, p->strings[i].p, p->strings[i].n);
}

/* The message @field of the whole whose field 1 is @id; that there is just one. */
static struct bytes by_id(struct profile *p, unsigned int field, uint64_t id)
{
	struct bytes found = { NULL, 0 };
	size_t n = 0;

	for (size_t i = 0; i < p->nfields; i++) {
		if (p->fields[i].id != field || number(p, p->fields[i].bytes, 1) != id)
			continue;
		found = p->fields[i].bytes;
		n++;
	}
	if (n != 1 || !id)
		p->why = "an id is nobody's, or of more than one";
	return found;
}

static void put_type(struct profile *p, const char *what, struct bytes m)
{
	buf_str(p->to, what);
	put_string(p, number(p, m, 1));
	buf_char(p->to, '/');
	put_string(p, number(p, m, 2));
	buf_char(p->to, '\n');
}

static void put_line(struct profile *p, struct bytes line)
{
	struct bytes f = by_id(p, 5, number(p, line, 1));

	buf_char(p->to, ' ');
	put_string(p, number(p, f, 2));
	buf_char(p->to, ' ');
	put_string(p, number(p, f, 4));
	buf_number(p->to, ":", number(p, line, 2));
	buf_number(p->to, " @", number(p, f, 5));
	if (number(p, f, 2) != number(p, f, 3))
		p->why = "a function has two names";
}

static void put_location(struct profile *p, uint64_t id)
{
	struct bytes m = by_id(p, 4, id), rest = m;
	uint64_t mapping = number(p, m, 2);
	struct field f;

	buf_number(p->to, "  map ", mapping);
	buf_char(p->to, ' ');
	buf_hex(p->to, number(p, m, 3));
	while (next(p, &rest, &f)) {
		if (f.id == 4)
			put_line(p, f.bytes);
	}
	if (mapping)
		by_id(p, 3, mapping);
	buf_char(p->to, '\n');
}

static void put_label(struct profile *p, struct bytes m)
{
	buf_char(p->to, ' ');
	put_string(p, number(p, m, 1));
	buf_char(p->to, '=');
	put_string(p, number(p, m, 2));
	buf_i64(p->to, (int64_t)number(p, m, 3));
	put_string(p, number(p, m, 4));
}

static void put_sample(struct profile *p, struct bytes m)
{
	struct bytes rest = m;
	struct field f;
	uint64_t v;

	buf_str(p->to, "sample");
	while (next(p, &rest, &f)) {
		while (f.id == 2 && varint(&f.bytes, &v))
			buf_number(p->to, " ", v);
		if (f.id == 3)
			put_label(p, f.bytes);
	}
	buf_char(p->to, '\n');
	while (next(p, &m, &f)) {
		while (f.id == 1 && varint(&f.bytes, &v) && !p->why)
			put_location(p, v);
	}
}

static void put_mapping(struct profile *p, struct bytes m)
{
	buf_number(p->to, "mapping ", number(p, m, 1));
	buf_char(p->to, ' ');
	buf_hex(p->to, number(p, m, 2));
	buf_char(p->to, '-');
	buf_hex(p->to, number(p, m, 3));
	buf_char(p->to, '+');
	buf_hex(p->to, number(p, m, 4));
	buf_char(p->to, ' ');
	put_string(p, number(p, m, 5));
	buf_char(p->to, ' ');
	put_string(p, number(p, m, 6));
	for (unsigned int i = 7; i <= 10; i++)
		buf_number(p->to, i == 7 ? " " : "", number(p, m, i));
	buf_char(p->to, '\n');
}

static void put_default(struct profile *p, uint64_t type)
{
	buf_str(p->to, "first ");
	put_string(p, type);
}

static void put_all(struct profile *p)
{
	for (size_t i = 0; i < p->nfields && !p->why; i++) {
		const struct field *f = &p->fields[i];

		if (f->id == 1)
			put_type(p, "counts ", f->bytes);
		else if (f->id == 2)
			put_sample(p, f->bytes);
		else if (f->id == 3)
			put_mapping(p, f->bytes);
		else if (f->id == 11)
			put_type(p, "each ", f->bytes);
		else if (f->id == 14)
			put_default(p, f->number);
		else if (f->is_number)
			buf_number(p->to, f->id == 9 ? "time " : f->id == 10 ? "for " :
				   f->id == 12 ? "period " : "unknown ", f->number);
		if (f->is_number)
			buf_char(p->to, '\n');
	}
}

bool unpprof(const uint8_t *p, size_t n, struct buf *to)
{
	struct profile all = { .to = to };
	struct bytes b = { p, n };
	struct field f;

	/* Every field has two bytes at least. */
	all.fields = calloc(n / 2 + 1, sizeof(f));
	all.strings = calloc(n / 2 + 1, sizeof(b));
	while (next(&all, &b, &f)) {
		all.fields[all.nfields++] = f;
		if (f.id == 6)
			all.strings[all.nstrings++] = f.bytes;
	}
	if (!all.why && (!all.nstrings || all.strings[0].n))
		all.why = "the first string is not the empty one";
	if (!all.why)
		put_all(&all);
	if (all.why)
		buf_str(to, all.why);
	free(all.fields);
	free(all.strings);
	return !all.why;
}

bool unpprof_gunzip(const uint8_t *p, size_t n, struct buf *to)
{
	z_stream z = { .next_in = (Bytef *)p, .avail_in = n };
	int ret = inflateInit2(&z, MAX_WBITS + 16);

	while (ret == Z_OK && buf_room(to, 4096)) {
		z.next_out = (Bytef *)to->p + to->len;
		z.avail_out = to->cap - to->len;
		ret = inflate(&z, Z_NO_FLUSH);
		to->len = to->cap - z.avail_out;
	}
	inflateEnd(&z);
	return ret == Z_STREAM_END && !z.avail_in;
}
