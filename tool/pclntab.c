// SPDX-License-Identifier: GPL-2.0
/*
 * Go's function and line table: src/runtime/symtab.go and
 * src/internal/abi/symtab.go describe it.
 */
#include <string.h>

#include "pclntab.h"

#define MAGIC_GO12 0xfffffffbU
#define MAGIC_GO116 0xfffffffaU
#define MAGIC_GO118 0xfffffff0U
#define MAGIC_GO120 0xfffffff1U

#define PTR_SIZE 8U
#define MIN_LC 1U		/* x86 */

/* Where struct _func has its fields, by format. */
struct func_layout {
	uint8_t entry_size;
	uint8_t name;
	uint8_t args;
	uint8_t deferreturn;
	uint8_t pcfile;
	uint8_t pcln;
	uint8_t npcdata;
	uint8_t cuoff;		/* 0: none */
	uint8_t start_line;	/* 0: none */
	uint8_t funcid;
	uint8_t flags;		/* 0: none */
	uint8_t nfuncdata;
	uint8_t pcdata;
};

static const struct func_layout layouts[] = {
	[PCLNTAB_GO12] = {
		.entry_size = 8, .name = 8, .args = 12, .deferreturn = 16,
		.pcfile = 24, .pcln = 28, .npcdata = 32, .funcid = 36,
		.nfuncdata = 39, .pcdata = 40,
	},
	[PCLNTAB_GO116] = {
		.entry_size = 8, .name = 8, .args = 12, .deferreturn = 16,
		.pcfile = 24, .pcln = 28, .npcdata = 32, .cuoff = 36,
		.funcid = 40, .flags = 41, .nfuncdata = 43, .pcdata = 44,
	},
	[PCLNTAB_GO118] = {
		.entry_size = 4, .name = 4, .args = 8, .deferreturn = 12,
		.pcfile = 20, .pcln = 24, .npcdata = 28, .cuoff = 32,
		.funcid = 36, .flags = 37, .nfuncdata = 39, .pcdata = 40,
	},
	[PCLNTAB_GO120] = {
		.entry_size = 4, .name = 4, .args = 8, .deferreturn = 12,
		.pcfile = 20, .pcln = 24, .npcdata = 28, .cuoff = 32,
		.start_line = 36, .funcid = 40, .flags = 41, .nfuncdata = 43,
		.pcdata = 44,
	},
};

static bool has(const struct pclntab *t, size_t off, size_t len)
{
	return off <= t->len && len <= t->len - off;
}

static uint32_t u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static int format_of(const uint8_t *data, size_t len)
{
	if (len < 16 || data[4] || data[5] || data[6] != MIN_LC ||
	    data[7] != PTR_SIZE)
		return -1;
	switch (u32(data)) {
	case MAGIC_GO12:
		return PCLNTAB_GO12;
	case MAGIC_GO116:
		return PCLNTAB_GO116;
	case MAGIC_GO118:
		return PCLNTAB_GO118;
	case MAGIC_GO120:
		return PCLNTAB_GO120;
	}
	return -1;
}

/* One row of the function table, the last being the end of the text. */
static int row(const struct pclntab *t, uint32_t i, uint64_t *entry,
	       uint64_t *off)
{
	const uint8_t *p = t->data + t->funcs;

	if (t->format == PCLNTAB_GO12)
		p += 16;	/* follows magic and nfunc directly */
	if (t->format <= PCLNTAB_GO116) {
		p += (size_t)i * 16;
		*entry = u64(p);
		*off = i < t->nfunc ? u64(p + 8) : 0;
	} else {
		p += (size_t)i * 8;
		*entry = t->text + u32(p);
		*off = i < t->nfunc ? u32(p + 4) : 0;
	}
	return 0;
}

bool pclntab_is_header(const uint8_t *data, size_t len)
{
	struct pclntab t;

	return !pclntab_init(&t, data, len);
}

int pclntab_init(struct pclntab *t, const uint8_t *data, size_t len)
{
	int format = format_of(data, len);
	uint64_t nfunc, rows, off[5], prev = 0;
	size_t at, n;

	if (format < 0)
		return -1;
	memset(t, 0, sizeof(*t));
	t->data = data;
	t->len = len;
	t->format = format;
	nfunc = u64(data + 8);
	if (!nfunc || nfunc > UINT32_MAX / 32)
		return -1;
	t->nfunc = (uint32_t)nfunc;
	if (format == PCLNTAB_GO12) {
		rows = 16 + nfunc * 16 + 8;
	} else {
		at = format == PCLNTAB_GO116 ? 24 : 32;
		n = at + sizeof(off);
		if (!has(t, 0, n))
			return -1;
		if (format != PCLNTAB_GO116)
			t->text = u64(data + 24);
		memcpy(off, data + at, sizeof(off));
		for (size_t i = 0; i < 5; i++) {
			if (off[i] < prev || off[i] >= len)
				return -1;
			prev = off[i];
		}
		t->names = off[0];
		t->cu = off[1];
		t->files = off[2];
		t->pc = off[3];
		t->funcs = off[4];
		rows = format == PCLNTAB_GO116 ? nfunc * 16 + 8 :
		       nfunc * 8 + 4;
	}
	if (!has(t, t->funcs, rows))
		return -1;
	/* The first rows tell a table from bytes that look like its header. */
	for (uint32_t i = 0; i < t->nfunc && i < 16; i++) {
		uint64_t a, b, o;

		row(t, i, &a, &o);
		if (!has(t, t->funcs, o))
			return -1;
		row(t, i + 1, &b, &o);
		if (b < a)
			return -1;
	}
	return 0;
}

const char *pclntab_name(const struct pclntab *t, uint32_t off)
{
	if (!has(t, t->names, (size_t)off + 1))
		return NULL;
	return (const char *)t->data + t->names + off;
}

int pclntab_func(const struct pclntab *t, uint32_t i, struct pclntab_func *ret)
{
	const struct func_layout *l = &layouts[t->format];
	const uint8_t *p;
	uint64_t off;
	size_t at;

	if (i >= t->nfunc)
		return -1;
	memset(ret, 0, sizeof(*ret));
	row(t, i + 1, &ret->end, &off);
	row(t, i, &ret->entry, &off);
	if (ret->end < ret->entry || off > t->len ||
	    !has(t, t->funcs + off, l->pcdata))
		return -1;
	at = t->funcs + off;
	p = t->data + at;
	ret->name = pclntab_name(t, u32(p + l->name));
	if (!ret->name)
		return -1;
	ret->args = (int32_t)u32(p + l->args);
	ret->deferreturn = u32(p + l->deferreturn);
	ret->pcfile = u32(p + l->pcfile);
	ret->pcln = u32(p + l->pcln);
	ret->npcdata = u32(p + l->npcdata);
	ret->cuoff = l->cuoff ? u32(p + l->cuoff) : 0;
	ret->start_line = l->start_line ? (int32_t)u32(p + l->start_line) : 0;
	ret->funcid = p[l->funcid];
	ret->flags = l->flags ? p[l->flags] : 0;
	ret->nfuncdata = p[l->nfuncdata];
	ret->pcdata = at + l->pcdata;
	if (ret->npcdata > 64 || !has(t, ret->pcdata, ret->npcdata * 4))
		return -1;
	return 0;
}

static int uvarint(const struct pclntab *t, size_t *at, uint32_t *v)
{
	uint32_t r = 0;

	for (unsigned int shift = 0; shift < 35; shift += 7) {
		uint8_t b;

		if (*at >= t->len)
			return -1;
		b = t->data[(*at)++];
		r |= (uint32_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			*v = r;
			return 0;
		}
	}
	return -1;
}

int pclntab_value(const struct pclntab *t, const struct pclntab_func *f,
		  uint32_t off, uint64_t pc, int32_t *value, uint64_t *until)
{
	size_t at = t->pc + off;
	uint64_t run = f->entry;
	uint32_t v = UINT32_MAX;	/* -1 */

	if (!off || pc < f->entry || pc >= f->end)
		return -1;
	for (bool first = true;; first = false) {
		uint32_t dv, dpc;

		if (uvarint(t, &at, &dv) || (!dv && !first) ||
		    uvarint(t, &at, &dpc))
			return -1;
		v += (dv >> 1) ^ (0 - (dv & 1));
		run += (uint64_t)dpc * MIN_LC;
		if (pc < run) {
			*value = (int32_t)v;
			if (until)
				*until = run;
			return 0;
		}
	}
}

int pclntab_pcdata(const struct pclntab *t, const struct pclntab_func *f,
		   uint32_t which, uint64_t pc, int32_t *value, uint64_t *until)
{
	if (which >= f->npcdata)
		return -1;
	return pclntab_value(t, f, u32(t->data + f->pcdata + which * 4), pc,
			     value, until);
}

/* An address in @f that was not inlined into it. */
static uint64_t own_pc(const struct pclntab *t, const struct pclntab_func *f)
{
	uint64_t pc = f->entry, until;
	int32_t ix;

	for (int i = 0; i < 32 && pc < f->end; i++) {
		if (pclntab_pcdata(t, f, PCLNTAB_PCDATA_INLTREE, pc, &ix,
				   &until) || ix < 0)
			return pc;
		pc = until;
	}
	return f->entry;
}

const char *pclntab_file_at(const struct pclntab *t,
			    const struct pclntab_func *f, uint64_t pc)
{
	size_t at;
	int32_t v;

	if (pclntab_value(t, f, f->pcfile, pc, &v, NULL) || v < 0)
		return NULL;
	if (t->format == PCLNTAB_GO12) {
		/* A table of u32 offsets stands behind the last row. */
		at = 16 + (size_t)t->nfunc * 16 + 8;
		if (!has(t, at, 4) || !has(t, u32(t->data + at), 4))
			return NULL;
		at = u32(t->data + at);
		if (!v || (uint32_t)v >= u32(t->data + at) ||
		    !has(t, at + (size_t)v * 4, 4))
			return NULL;
		at = u32(t->data + at + (size_t)v * 4);
	} else {
		at = t->cu + ((size_t)f->cuoff + (uint32_t)v) * 4;
		if (!has(t, at, 4) || u32(t->data + at) == UINT32_MAX)
			return NULL;
		at = t->files + u32(t->data + at);
	}
	return has(t, at, 1) ? (const char *)t->data + at : NULL;
}

const char *pclntab_file(const struct pclntab *t, const struct pclntab_func *f,
			 int *line)
{
	uint64_t pc = own_pc(t, f);
	int32_t v;

	*line = 0;
	if (f->start_line > 0)
		*line = f->start_line;
	else if (!pclntab_value(t, f, f->pcln, pc, &v, NULL) && v > 0)
		*line = v;
	return pclntab_file_at(t, f, pc);
}

uint64_t pclntab_inltree(const struct pclntab *t, const struct pclntab_func *f,
			 uint64_t gofunc)
{
	uint32_t which = t->format == PCLNTAB_GO12 ? 4 : 3;
	size_t at = f->pcdata + f->npcdata * 4;
	uint32_t v;

	if (which >= f->nfuncdata)
		return 0;
	if (t->format < PCLNTAB_GO118) {
		/* Pointers, aligned in memory as the table itself is. */
		at = (at + 7) & ~(size_t)7;
		at += which * 8;
		return has(t, at, 8) ? u64(t->data + at) : 0;
	}
	at += which * 4;
	if (!has(t, at, 4) || !gofunc)
		return 0;
	v = u32(t->data + at);
	return v == UINT32_MAX ? 0 : gofunc + v;
}

size_t pclntab_inlined_size(const struct pclntab *t)
{
	return t->format < PCLNTAB_GO120 ? 20 : 16;
}

void pclntab_inlined(const struct pclntab *t, const uint8_t *entry,
		     struct pclntab_inlined *ret)
{
	if (t->format < PCLNTAB_GO120) {
		ret->name = u32(entry + 12);
		ret->line = 0;
	} else {
		ret->name = u32(entry + 4);
		ret->line = (int32_t)u32(entry + 12);
	}
}
