// SPDX-License-Identifier: GPL-2.0
/* Arguments as Go describes them for tracebacks: src/cmd/compile/internal/ssagen, EmitArgInfo(). */
#include "gotype/arg_info.h"

enum {
	AT_TOO_LARGE = 0xfb,	/* a part whose offset does not fit */
	AT_MORE = 0xfc,		/* further parts or arguments */
	AT_CLOSE = 0xfd,
	AT_OPEN = 0xfe,
	AT_END = ARGINFO_LAST,
	SPECIAL = 0xf0,		/* the first one that is no offset */
};

#define DEEP_MAX 5
#define WORD 8U

static unsigned int get(const struct arginfo *a, size_t at)
{
	return at < a->len ? a->data[at] : AT_TOO_LARGE + 0x100U;
}

enum arginfo_next arginfo_next(const struct arginfo *a, size_t at)
{
	unsigned int c = get(a, at);

	if (c == AT_END)
		return ARGINFO_END;
	if (c == AT_MORE)
		return ARGINFO_MORE;
	return c < SPECIAL || c == AT_OPEN || c == AT_TOO_LARGE ? ARGINFO_ARG : ARGINFO_BAD;
}

int arginfo_read(const struct arginfo *a, size_t at, struct arginfo_arg *ret)
{
	int deep = 0;

	ret->nparts = 0;
	ret->more = false;
	do {
		unsigned int c = get(a, at++);

		if (c == AT_OPEN)
			deep++;
		else if (c == AT_CLOSE)
			deep--;
		else if (c == AT_MORE || c == AT_TOO_LARGE)
			ret->more = true;
		else if (c < SPECIAL && at < a->len && ret->nparts < ARGINFO_PARTS)
			ret->parts[ret->nparts++] = (struct arginfo_part){ c, a->data[at++] };
		else
			return -1;
	} while (deep > 0);
	ret->end = at;
	return deep ? -1 : 0;
}

/* The parts of a description up to @at, as the compiler counts them. */
static unsigned int count(const struct arginfo *a, size_t at)
{
	unsigned int n = 0, before = AT_END;

	for (size_t i = 0; i < at && i < a->len; i++) {
		unsigned int c = a->data[i];

		if (c < SPECIAL)
			i++;
		/* An empty value, and one that is nested too deep, count as one part. */
		if (c < SPECIAL || c == AT_TOO_LARGE || (c == AT_CLOSE && before == AT_OPEN) ||
		    (c == AT_MORE && before == AT_OPEN && n < ARGINFO_PARTS))
			n++;
		before = c;
	}
	return n;
}

/* A comparison of a description with a type. */
struct match {
	const struct arginfo *a;
	size_t at;		/* how far */
	unsigned int parts;	/* described before that */
	bool failed;
};

static void expect(struct match *m, unsigned int c)
{
	if (get(m->a, m->at++) != c)
		m->failed = true;
}

static bool visit(struct match *m, const struct gotype *t, uint64_t offset, int deep);

/* @n words; true: there may be more. */
static void visit_words(struct match *m, unsigned int n, uint64_t offset, int deep)
{
	static const struct gotype word = { .kind = GOTYPE_UINT, .size = WORD, .align = WORD };

	for (unsigned int i = 0; i < n; i++)
		if (!visit(m, &word, offset + (uint64_t)i * WORD, deep))
			return;
}

static void visit_inside(struct match *m, const struct gotype *t, uint64_t offset, int deep)
{
	struct gotype part = { .kind = GOTYPE_FLOAT, .size = t->size / 2 };

	switch (t->kind) {
	case GOTYPE_STRING:
	case GOTYPE_INTERFACE:
		visit_words(m, 2, offset, deep);
		break;
	case GOTYPE_SLICE:
		visit_words(m, 3, offset, deep);
		break;
	case GOTYPE_COMPLEX:
		if (visit(m, &part, offset, deep))
			visit(m, &part, offset + part.size, deep);
		break;
	case GOTYPE_ARRAY:
		m->failed |= !t->elem;
		for (uint64_t i = 0; i < t->count; i++)
			if (m->failed || !visit(m, t->elem, offset + i * t->elem->size, deep))
				return;
		m->parts += !t->count;
		break;
	default:
		for (size_t i = 0; i < t->nfields; i++)
			if (!visit(m, t->fields[i].type, offset + t->fields[i].offset, deep))
				return;
		m->parts += !t->nfields;
	}
}

static bool is_aggregate(const struct gotype *t)
{
	switch (t->kind) {
	case GOTYPE_STRING:
	case GOTYPE_INTERFACE:
	case GOTYPE_SLICE:
	case GOTYPE_COMPLEX:
	case GOTYPE_ARRAY:
	case GOTYPE_STRUCT:
		return true;
	default:
		return false;
	}
}

/* Does the compiler go on behind this one? */
static bool visit(struct match *m, const struct gotype *t, uint64_t offset, int deep)
{
	if (m->failed)
		return false;
	if (m->parts >= ARGINFO_PARTS) {
		expect(m, AT_MORE);
		return false;
	}
	if (!is_aggregate(t)) {
		m->parts++;
		if (offset >= SPECIAL) {
			expect(m, AT_TOO_LARGE);
		} else {
			expect(m, (unsigned int)offset);
			expect(m, (uint8_t)t->size);
		}
		return true;
	}
	expect(m, AT_OPEN);
	if (deep + 1 >= DEEP_MAX) {
		expect(m, AT_MORE);
		m->parts++;
	} else {
		visit_inside(m, t, offset, deep + 1);
	}
	expect(m, AT_CLOSE);
	return true;
}

size_t arginfo_match(const struct arginfo *a, size_t at, const struct gotype *t, uint64_t offset)
{
	struct match m = { .a = a, .at = at, .parts = count(a, at) };

	visit(&m, t, offset, 0);
	return m.failed ? 0 : m.at;
}
