// SPDX-License-Identifier: GPL-2.0
/* What the linker leaves in every Go binary for the runtime. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "buildinfo.h"
#include "goversion.h"
#include "linktab.h"

#define TABLE_ALIGN 8U
#define MODULEDATA_MAX 1024U
#define ABI0_SUFFIX ".abi0"

/* Take [@off, end of its segment) of the file as the line table. */
static uint64_t take_table(struct linktab *l, const struct elffile *ef,
			   uint64_t off, uint64_t len)
{
	l->data = elffile_load(ef, off, len);
	if (l->data && !pclntab_init(&l->tab, l->data, len))
		return 1;
	free(l->data);
	l->data = NULL;
	return 0;
}

/* The table may be anywhere in a segment that is not executable. */
static uint64_t scan_segment(struct linktab *l, const struct elffile *ef,
			     const struct elfseg *s)
{
	uint8_t *p = elffile_load(ef, s->off, s->filesz);
	uint64_t at;

	if (!p)
		return 0;
	for (at = 0; at < s->filesz; at += TABLE_ALIGN) {
		if (pclntab_is_header(p + at, s->filesz - at))
			break;
	}
	free(p);
	if (at >= s->filesz ||
	    !take_table(l, ef, s->off + at, s->filesz - at))
		return 0;
	return s->vaddr + at;
}

/* Link-time address of the line table, loaded; or 0. */
static uint64_t find_table(struct linktab *l, const struct elffile *ef)
{
	static const char *const names[] = {
		".gopclntab", ".data.rel.ro.gopclntab",
	};

	for (size_t i = 0; i < 2; i++) {
		const struct elfsec *s = elffile_section(ef, names[i]);

		if (s && s->type != SHT_NOBITS &&
		    take_table(l, ef, s->off, s->size))
			return s->addr;
	}
	for (size_t i = 0; i < ef->nsegs; i++) {
		const struct elfseg *s = &ef->segs[i];
		uint64_t at;

		if (s->type != PT_LOAD || (s->flags & PF_X))
			continue;
		at = scan_segment(l, ef, s);
		if (at)
			return at;
	}
	return 0;
}

static int note_symbol(void *ctx, const char *name, uint64_t value,
		       uint64_t size, unsigned int type)
{
	struct linktab *l = ctx;
	size_t n = strlen(name), suffix = sizeof(ABI0_SUFFIX) - 1;

	(void)size;
	l->symbols = true;
	if (type == STT_TLS && !strcmp(name, "runtime.tlsg"))
		l->tlsg = (int64_t)value;
	if (!strcmp(name, "runtime.firstmoduledata"))
		l->moduledata = value;
	if (type == STT_FUNC && n > suffix &&
	    !strcmp(name + n - suffix, ABI0_SUFFIX)) {
		if (hmap_put(&l->abi0, value, l) ||
		    hmap_put(&l->abi0_names,
			     hmap_hash(0, name, n - suffix), l))
			return -1;
	}
	return 0;
}

static uint64_t word(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Where types and itabs are. What is counted here is checked when it is read. */
static void read_types(struct linktab *l, const struct goversion_moduledata *md,
		       const uint8_t *buf)
{
	l->types = word(buf + md->types);
	l->etypes = word(buf + md->etypes);
	if (l->etypes < l->types) {
		l->types = 0;
		l->etypes = 0;
		return;
	}
	if (md->desc_len)
		l->desc_len = word(buf + md->desc_len);
	if (md->typelinks) {
		l->typelinks = word(buf + md->typelinks);
		l->ntypelinks = word(buf + md->typelinks + 8);
	}
	if (md->itablinks) {
		l->itablinks = word(buf + md->itablinks);
		l->nitablinks = word(buf + md->itablinks + 8);
	}
	if (md->itabs) {
		l->itabs = l->types + word(buf + md->itabs);
		l->itabs_len = word(buf + md->itabs + 8);
	}
}

/* Read moduledata at @vaddr; 0 if it makes sense. */
static int read_moduledata(struct linktab *l, const struct elffile *ef,
			   uint64_t vaddr)
{
	struct goversion_moduledata md = goversion_moduledata(l->minor);
	uint8_t buf[MODULEDATA_MAX];
	const struct elfseg *s;
	uint64_t text, etext;

	if (md.size > sizeof(buf) ||
	    elffile_read_vaddr(ef, vaddr, buf, md.size))
		return -1;
	text = word(buf + md.text);
	etext = word(buf + md.text + 8);
	if (etext <= text)
		return -1;
	s = elffile_segment(ef, text, etext - text);
	if (!s || !(s->flags & PF_X))
		return -1;
	l->moduledata = vaddr;
	if (l->tab.format >= PCLNTAB_GO118)
		l->tab.text = text;
	l->text = text;
	l->gofunc = md.gofunc ? word(buf + md.gofunc) : 0;
	read_types(l, &md, buf);
	return 0;
}

/* Its first word is the line table's address, in every release. */
static void scan_moduledata(struct linktab *l, const struct elffile *ef,
			    uint64_t table)
{
	for (size_t i = 0; i < ef->nsegs; i++) {
		const struct elfseg *s = &ef->segs[i];
		uint8_t *p;

		if (s->type != PT_LOAD || !(s->flags & PF_W))
			continue;
		p = elffile_load(ef, s->off, s->filesz);
		if (!p)
			continue;
		for (uint64_t at = 0; at + 8 <= s->filesz; at += 8) {
			if (word(p + at) == table &&
			    !read_moduledata(l, ef, s->vaddr + at)) {
				free(p);
				return;
			}
		}
		free(p);
	}
}

static void find_moduledata(struct linktab *l, const struct elffile *ef,
			    uint64_t table)
{
	const struct elfsec *s = elffile_section(ef, ".go.module");
	uint64_t symbol = l->moduledata;

	l->moduledata = 0;
	if (s && !read_moduledata(l, ef, s->addr))
		return;
	if (symbol && !read_moduledata(l, ef, symbol))
		return;
	scan_moduledata(l, ef, table);
}

/* The releases that write a line table of this format. */
static void versions_of(enum pclntab_format format, int *lo, int *hi)
{
	static const int range[][2] = {
		[PCLNTAB_GO12] = { GOVERSION_MIN, 15 },
		[PCLNTAB_GO116] = { 16, 17 },
		[PCLNTAB_GO118] = { 18, 19 },
		[PCLNTAB_GO120] = { 20, 99 },
	};

	*lo = range[format][0];
	*hi = range[format][1];
}

static int load_version(struct linktab *l, const struct elffile *ef,
			const char *path, struct diag *d)
{
	int lo, hi;

	versions_of(l->tab.format, &lo, &hi);
	l->version = buildinfo_version(ef, lo, hi);
	if (!l->version)
		return diag_set(d, "%s does not say which Go version it was built with",
				path);
	l->minor = goversion_parse(l->version);
	if (l->minor < GOVERSION_MIN)
		return diag_set(d, "%s was built with %s; goprobe needs go1.%d or newer",
				path, l->version, GOVERSION_MIN);
	if (l->minor < lo || l->minor > hi)
		return diag_set(d, "%s says it was built with %s, but its line table is of another release",
				path, l->version);
	return 0;
}

int linktab_load(struct linktab *l, const struct elffile *ef, const char *path,
		 struct diag *d)
{
	uint64_t table;

	memset(l, 0, sizeof(*l));
	l->tlsg = -1;
	table = find_table(l, ef);
	if (!table) {
		diag_set(d, "%s is not a Go program: it has no Go line table",
			 path);
		goto fail;
	}
	if (load_version(l, ef, path, d))
		goto fail;
	/* A damaged .symtab is as good as none. */
	elffile_symbols(ef, note_symbol, l);
	find_moduledata(l, ef, table);
	if (l->tab.format >= PCLNTAB_GO118 && !l->tab.text) {
		diag_set(d, "%s: the runtime's module data can't be found",
			 path);
		goto fail;
	}
	return 0;
fail:
	linktab_fini(l);
	return -1;
}

void linktab_fini(struct linktab *l)
{
	hmap_fini(&l->abi0);
	hmap_fini(&l->abi0_names);
	free(l->version);
	free(l->data);
	memset(l, 0, sizeof(*l));
}

int linktab_find(const struct linktab *l, const char *name,
		 struct pclntab_func *ret)
{
	for (uint32_t i = 0; i < l->tab.nfunc; i++) {
		if (!pclntab_func(&l->tab, i, ret) && !strcmp(ret->name, name))
			return 0;
	}
	return -1;
}
