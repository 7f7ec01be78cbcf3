// SPDX-License-Identifier: GPL-2.0
/*
 * Go's function and line table: src/runtime/symtab.go and
 * src/internal/abi/symtab.go describe it.
 */
#include <string.h>

#include "base/plain.h"
#include "base/unaligned.h"
#include "gobin/pclntab.h"

#define MAGIC_GO12 0xfffffffbU
#define MAGIC_GO116 0xfffffffaU
#define MAGIC_GO118 0xfffffff0U
#define MAGIC_GO120 0xfffffff1U

#define PTR_SIZE 8U
#define MIN_LC 1U		/* x86 */
/* More than any struct _func with what follows it has. */
#define FUNC_BYTES_MAX 4096U

/* Where struct _func has its fields, by format. */
struct func_layout {
	uint8_t entry_size;
	uint8_t name;
	uint8_t args;
	uint8_t deferreturn;
	uint8_t pcsp;
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
		.pcsp = 20, .pcfile = 24, .pcln = 28, .npcdata = 32, .funcid = 36,
		.nfuncdata = 39, .pcdata = 40,
	},
	[PCLNTAB_GO116] = {
		.entry_size = 8, .name = 8, .args = 12, .deferreturn = 16,
		.pcsp = 20, .pcfile = 24, .pcln = 28, .npcdata = 32, .cuoff = 36,
		.funcid = 40, .flags = 41, .nfuncdata = 43, .pcdata = 44,
	},
	[PCLNTAB_GO118] = {
		.entry_size = 4, .name = 4, .args = 8, .deferreturn = 12,
		.pcsp = 16, .pcfile = 20, .pcln = 24, .npcdata = 28, .cuoff = 32,
		.funcid = 36, .flags = 37, .nfuncdata = 39, .pcdata = 40,
	},
	[PCLNTAB_GO120] = {
		.entry_size = 4, .name = 4, .args = 8, .deferreturn = 12,
		.pcsp = 16, .pcfile = 20, .pcln = 24, .npcdata = 28, .cuoff = 32,
		.start_line = 36, .funcid = 40, .flags = 41, .nfuncdata = 43,
		.pcdata = 44,
	},
};

static bool has(const struct pclntab *t, size_t off, size_t len)
{
	return off <= t->len && len <= t->len - off;
}

static int format_of(const uint8_t *header)
{
	if (load_u64(header) >> PCLNTAB_MAGIC_SHIFT != PCLNTAB_MAGIC)
		return -1;
	switch (load_u32(header)) {
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

static size_t row_size(const struct pclntab *t)
{
	return t->format <= PCLNTAB_GO116 ? 16 : 8;
}

/* The row at @p. */
static uint64_t row_entry(const struct pclntab *t, const uint8_t *p)
{
	return t->format <= PCLNTAB_GO116 ? load_u64(p) : t->text + load_u32(p);
}

/* Not of the last one, which is the end of the text and no more. */
static uint64_t row_func(const struct pclntab *t, const uint8_t *p)
{
	return t->format <= PCLNTAB_GO116 ? load_u64(p + 8) : load_u32(p + 4);
}

static const uint8_t *row(const struct pclntab *t, uint32_t i)
{
	return t->data + t->rows + i * row_size(t);
}

int pclntab_check(struct pclntab *t, const uint8_t *header, uint64_t len)
{
	int format = format_of(header);
	uint64_t nfunc = load_u64(header + 8), off[5], prev = 0;
	size_t at;

	if (format < 0 || len < PCLNTAB_HEADER || !nfunc ||
	    nfunc > UINT32_MAX / 32)
		return -1;
	memset(t, 0, sizeof(*t));
	t->len = len;
	t->format = format;
	t->nfunc = (uint32_t)nfunc;
	if (format == PCLNTAB_GO12) {
		t->rows = 16;	/* follow magic and nfunc directly */
	} else {
		at = format == PCLNTAB_GO116 ? 24 : 32;
		if (format != PCLNTAB_GO116)
			t->text = load_u64(header + 24);
		memcpy(off, header + at, sizeof(off));
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
		t->rows = t->funcs;
	}
	/* The last row has an address only. */
	if (!has(t, t->rows, (nfunc + 1) * row_size(t)) &&
	    !has(t, t->rows, nfunc * row_size(t) + row_size(t) / 2))
		return -1;
	return 0;
}

bool pclntab_check_rows(const struct pclntab *t, const uint8_t *rows)
{
	size_t size = row_size(t);

	for (uint32_t i = 0; i < t->nfunc && i < 16; i++) {
		const uint8_t *p = rows + i * size;
		uint64_t off = row_func(t, p);

		if (off > t->len || !has(t, t->funcs + off, 1) ||
		    row_entry(t, p + size) < row_entry(t, p))
			return false;
	}
	return true;
}

size_t pclntab_row_at(const struct pclntab *t, uint32_t i)
{
	return t->rows + i * row_size(t);
}

void pclntab_extent(const struct pclntab *t, const uint8_t *first,
		    const uint8_t *last, const uint8_t *end,
		    struct pclntab_extent *ret)
{
	uint64_t off = row_func(t, last);

	ret->lo = row_entry(t, first);
	ret->hi = row_entry(t, end);
	ret->bytes = t->len;
	/* Since 1.16 the functions' structures end it, in the rows' order. */
	if (t->format >= PCLNTAB_GO116 &&
	    has(t, t->funcs + off, FUNC_BYTES_MAX) && off <= t->len)
		ret->bytes = t->funcs + off + FUNC_BYTES_MAX;
}

int pclntab_init(struct pclntab *t, const uint8_t *data, size_t len)
{
	uint8_t rows[PCLNTAB_ROWS];

	if (len < PCLNTAB_HEADER || pclntab_check(t, data, len))
		return -1;
	t->data = data;
	memset(rows, 0, sizeof(rows));
	memcpy(rows, data + t->rows, len - t->rows < sizeof(rows) ?
	       len - t->rows : sizeof(rows));
	return pclntab_check_rows(t, rows) ? 0 : -1;
}

/* A string of at most @max bytes at @off that can be shown, or NULL. */
static const char *string_at(const struct pclntab *t, size_t off, size_t max)
{
	const char *s, *nul;
	size_t left;

	if (!has(t, off, 1))
		return NULL;
	left = t->len + 1 - off;
	s = (const char *)t->data + off;
	nul = memchr(s, 0, left < max + 1 ? left : max + 1);
	return nul && plain_name(s, (size_t)(nul - s)) ? s : NULL;
}

const char *pclntab_name(const struct pclntab *t, uint32_t off)
{
	return string_at(t, t->names + (size_t)off, PCLNTAB_NAME_MAX);
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
	ret->entry = row_entry(t, row(t, i));
	ret->end = row_entry(t, row(t, i + 1));
	off = row_func(t, row(t, i));
	if (ret->end < ret->entry || off > t->len ||
	    !has(t, t->funcs + off, l->pcdata))
		return -1;
	at = t->funcs + off;
	p = t->data + at;
	ret->name = pclntab_name(t, load_u32(p + l->name));
	if (!ret->name)
		return -1;
	ret->args = (int32_t)load_u32(p + l->args);
	ret->deferreturn = load_u32(p + l->deferreturn);
	ret->pcsp = load_u32(p + l->pcsp);
	ret->pcfile = load_u32(p + l->pcfile);
	ret->pcln = load_u32(p + l->pcln);
	ret->npcdata = load_u32(p + l->npcdata);
	ret->cuoff = l->cuoff ? load_u32(p + l->cuoff) : 0;
	ret->start_line = l->start_line ? (int32_t)load_u32(p + l->start_line) : 0;
	ret->funcid = p[l->funcid];
	ret->flags = l->flags ? p[l->flags] : 0;
	ret->nfuncdata = p[l->nfuncdata];
	ret->pcdata = at + l->pcdata;
	if (ret->npcdata > 64 || !has(t, ret->pcdata, ret->npcdata * 4))
		return -1;
	return 0;
}

int pclntab_find(const struct pclntab *t, uint64_t pc, struct pclntab_func *ret)
{
	uint32_t lo = 0, hi = t->nfunc;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (row_entry(t, row(t, mid)) <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || pclntab_func(t, lo - 1, ret) || pc < ret->entry ||
	    pc >= ret->end)
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

void pclntab_walk(const struct pclntab *t, const struct pclntab_func *f,
		  uint32_t off, struct pclntab_run *run)
{
	*run = (struct pclntab_run){
		.from = f->entry, .until = f->entry, .value = -1,
		/* Offset 0 is never used: there is no table. */
		.at = off ? t->pc + off : t->len,
	};
}

bool pclntab_next(const struct pclntab *t, const struct pclntab_func *f,
		  struct pclntab_run *run)
{
	bool first = run->until == f->entry;
	uint32_t dv, dpc;

	if (run->until >= f->end || uvarint(t, &run->at, &dv) ||
	    (!dv && !first) || uvarint(t, &run->at, &dpc) || !dpc)
		return false;
	run->value = (int32_t)((uint32_t)run->value +
			       ((dv >> 1) ^ (0 - (dv & 1))));
	run->from = run->until;
	run->until += (uint64_t)dpc * MIN_LC;
	return run->until > run->from;
}

int pclntab_value(const struct pclntab *t, const struct pclntab_func *f,
		  uint32_t off, uint64_t pc, int32_t *value, uint64_t *until)
{
	struct pclntab_run run;

	if (pc < f->entry || pc >= f->end)
		return -1;
	pclntab_walk(t, f, off, &run);
	while (pclntab_next(t, f, &run)) {
		if (pc >= run.until)
			continue;
		*value = run.value;
		if (until)
			*until = run.until;
		return 0;
	}
	return -1;
}

int pclntab_depth(const struct pclntab *t, const struct pclntab_func *f, uint64_t pc,
		  uint32_t *depth)
{
	int32_t v;

	if (f->flags & PCLNTAB_FLAG_SPWRITE || pclntab_value(t, f, f->pcsp, pc, &v, NULL) ||
	    v < 0 || v % 8)
		return -1;
	*depth = (uint32_t)v;
	return 0;
}

uint32_t pclntab_pcdata_at(const struct pclntab *t, const struct pclntab_func *f,
			   uint32_t which)
{
	return which < f->npcdata ? load_u32(t->data + f->pcdata + which * 4) : 0;
}

int pclntab_pcdata(const struct pclntab *t, const struct pclntab_func *f,
		   uint32_t which, uint64_t pc, int32_t *value, uint64_t *until)
{
	return pclntab_value(t, f, pclntab_pcdata_at(t, f, which), pc, value,
			     until);
}

/* An address in @f that was not inlined into it. */
static uint64_t own_pc(const struct pclntab *t, const struct pclntab_func *f)
{
	struct pclntab_run run;

	pclntab_walk(t, f, pclntab_pcdata_at(t, f, PCLNTAB_PCDATA_INLTREE),
		     &run);
	while (pclntab_next(t, f, &run)) {
		if (run.value < 0)
			return run.from;
	}
	return run.until < f->end ? run.until : f->entry;
}

int pclntab_sp(const struct pclntab *t, const struct pclntab_func *f, uint64_t pc,
	       int32_t *ret)
{
	return f->flags & PCLNTAB_FLAG_SPWRITE ? -1 :
	       pclntab_value(t, f, f->pcsp, pc, ret, NULL);
}

uint64_t pclntab_deepest(const struct pclntab *t, const struct pclntab_func *f)
{
	uint64_t at = f->entry;
	struct pclntab_run run;
	int32_t most = 0;

	pclntab_walk(t, f, f->pcsp, &run);
	while (pclntab_next(t, f, &run)) {
		if (run.value <= most)
			continue;
		most = run.value;
		at = run.from;
	}
	return at;
}

/* The name of the file that the pcfile table calls @v, or NULL. */
static const char *file_name(const struct pclntab *t, const struct pclntab_func *f, int32_t v)
{
	size_t at;

	if (v < 0)
		return NULL;
	if (t->format == PCLNTAB_GO12) {
		/* A table of u32 offsets stands behind the last row. */
		at = 16 + (size_t)t->nfunc * 16 + 8;
		if (!has(t, at, 4) || !has(t, load_u32(t->data + at), 4))
			return NULL;
		at = load_u32(t->data + at);
		if (!v || (uint32_t)v >= load_u32(t->data + at) ||
		    !has(t, at + (size_t)v * 4, 4))
			return NULL;
		at = load_u32(t->data + at + (size_t)v * 4);
	} else {
		at = t->cu + ((size_t)f->cuoff + (uint32_t)v) * 4;
		if (!has(t, at, 4) || load_u32(t->data + at) == UINT32_MAX)
			return NULL;
		at = t->files + load_u32(t->data + at);
	}
	return string_at(t, at, PCLNTAB_FILE_MAX);
}

const char *pclntab_file_at(const struct pclntab *t,
			    const struct pclntab_func *f, uint64_t pc)
{
	int32_t v;

	return pclntab_value(t, f, f->pcfile, pc, &v, NULL) ? NULL : file_name(t, f, v);
}

int pclntab_lines(const struct pclntab *t, const struct pclntab_func *f, pclntab_line_fn fn,
		  void *ctx)
{
	struct pclntab_run file, line;
	int32_t named = -1;
	struct pclntab_line v = { 0 };
	int ret = 0;

	pclntab_walk(t, f, f->pcfile, &file);
	pclntab_walk(t, f, f->pcln, &line);
	while (!ret && pclntab_next(t, f, &line)) {
		/* A run may begin in the middle of a file's, and have more than one. */
		for (v.from = line.from; !ret && v.from < line.until; v.from = v.until) {
			while (file.until <= v.from)
				if (!pclntab_next(t, f, &file))
					return 0;
			if (file.value != named)
				v.file = file_name(t, f, file.value);
			named = file.value;
			v.until = file.until < line.until ? file.until : line.until;
			v.line = line.value;
			ret = fn(ctx, &v);
		}
	}
	return ret;
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

uint64_t pclntab_funcdata(const struct pclntab *t, const struct pclntab_func *f, uint32_t which,
			  uint64_t gofunc)
{
	size_t at = f->pcdata + f->npcdata * 4;
	uint32_t v;

	if (which >= f->nfuncdata)
		return 0;
	if (t->format < PCLNTAB_GO118) {
		/* Pointers, aligned in memory as the table itself is. */
		at = (at + 7) & ~(size_t)7;
		at += which * 8;
		return has(t, at, 8) ? load_u64(t->data + at) : 0;
	}
	at += which * 4;
	if (!has(t, at, 4) || !gofunc)
		return 0;
	v = load_u32(t->data + at);
	return v == UINT32_MAX ? 0 : gofunc + v;
}

uint64_t pclntab_inltree(const struct pclntab *t, const struct pclntab_func *f,
			 uint64_t gofunc)
{
	return pclntab_funcdata(t, f, t->format == PCLNTAB_GO12 ? 4 : 3, gofunc);
}

size_t pclntab_inlined_size(const struct pclntab *t)
{
	return t->format < PCLNTAB_GO120 ? 20 : 16;
}

void pclntab_inlined(const struct pclntab *t, const uint8_t *entry,
		     struct pclntab_inlined *ret)
{
	if (t->format < PCLNTAB_GO120) {
		ret->name = load_u32(entry + 12);
		ret->line = 0;
		ret->parent_pc = load_u32(entry + 16);
		ret->funcid = entry[2];
	} else {
		ret->name = load_u32(entry + 4);
		ret->line = (int32_t)load_u32(entry + 12);
		ret->parent_pc = load_u32(entry + 8);
		ret->funcid = entry[0];
	}
}

/* The entry of the inlining tree @tree that @pc belongs to; 0, or -1. */
static int inlined_at(const struct pclntab *t, const struct pclntab_func *f,
		      uint64_t pc, uint64_t tree, pclntab_read_fn read,
		      void *ctx, struct pclntab_inlined *ret)
{
	size_t size = pclntab_inlined_size(t);
	uint8_t entry[PCLNTAB_INLINED_MAX];
	int32_t ix;

	if (!tree || pclntab_pcdata(t, f, PCLNTAB_PCDATA_INLTREE, pc, &ix, NULL) ||
	    ix < 0 || read(ctx, tree + (uint64_t)ix * size, entry, size))
		return -1;
	pclntab_inlined(t, entry, ret);
	return ret->parent_pc < f->end - f->entry ? 0 : -1;
}

/* What is executed at @pc: @in, inlined into @f, or @f itself if that is NULL. */
static struct pclntab_frame frame_at(const struct pclntab *t, const struct pclntab_func *f,
				     uint64_t pc, const struct pclntab_inlined *in)
{
	struct pclntab_frame v = {
		.func = in ? pclntab_name(t, in->name) : f->name,
		.file = pclntab_file_at(t, f, pc),
		.start_line = in ? in->line : f->start_line,
		.funcid = in ? in->funcid : f->funcid,
		.inlined = in,
	};
	int32_t line;

	if (!v.func)
		v.func = "?";
	if (v.start_line < 0)
		v.start_line = 0;
	if (!pclntab_value(t, f, f->pcln, pc, &line, NULL) && line > 0)
		v.line = line;
	if (!v.file || !v.line) {
		v.file = NULL;
		v.line = 0;
	}
	return v;
}

size_t pclntab_frames(const struct pclntab *t, const struct pclntab_func *f,
		      uint64_t pc, uint64_t gofunc, pclntab_read_fn read,
		      void *ctx, struct pclntab_frame *v, size_t max)
{
	uint64_t tree = pclntab_inltree(t, f, gofunc);
	struct pclntab_inlined in;
	size_t n = 0;

	while (n + 1 < max && !inlined_at(t, f, pc, tree, read, ctx, &in)) {
		v[n++] = frame_at(t, f, pc, &in);
		pc = f->entry + in.parent_pc;
	}
	v[n++] = frame_at(t, f, pc, NULL);
	return n;
}
