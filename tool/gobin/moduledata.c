// SPDX-License-Identifier: GPL-2.0
/* The linker's data for the runtime, which every Go binary has. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"
#include "elf/scan.h"
#include "gobin/buildinfo.h"
#include "gobin/moduledata.h"
#include "gobin/pclntab_search.h"
#include "gobin/producer.h"
#include "gobin/release.h"

#define MODULEDATA_MAX 1024U
#define ABI0_SUFFIX ".abi0"

/* More tables in a file come from a hostile one only. */
#define TABLES_MAX 16U

/* Take the @len bytes at @vaddr as the line table; 0, or -1. */
static int take_table(struct moduledata *l, const struct elffile *ef,
		      uint64_t vaddr, uint64_t len)
{
	const Elf64_Phdr *s = elffile_segment(ef, vaddr, len);

	l->data = s ? elffile_load(ef, s->p_offset + (vaddr - s->p_vaddr), len) : NULL;
	if (!l->data)
		return -1;
	reloc_apply(ef->rels, ef->nrels, vaddr, l->data, len);
	if (!pclntab_init(&l->tab, l->data, len))
		return 0;
	free(l->data);
	l->data = NULL;
	return -1;
}

/* Call @fn for each writable word that is a pointer to @to. */
static int each_pointer(const struct elffile *ef, uint64_t to, scan_fn fn,
			void *ctx)
{
	const struct scan what = {
		.with = PF_W, .value = to, .fn = fn, .ctx = ctx,
	};
	int ret = scan_words(ef, &what);

	for (size_t i = 0; i < ef->nrels && !ret; i++) {
		if (ef->rels[i].value == to)
			ret = fn(ctx, NULL, ef->rels[i].vaddr);
	}
	return ret;
}

static int is_there(void *ctx, const Elf64_Phdr *seg, uint64_t vaddr)
{
	(void)ctx;
	(void)seg;
	(void)vaddr;
	return 1;
}

struct finding {
	const struct elffile *ef;
	struct pclntab_search best;		/* @best.len 0: none yet */
	unsigned int tables;
};

/*
 * Programs may carry other programs in their data. The runtime's own table is
 * the one that the module data points to.
 */
static int weigh_table(void *ctx, const struct pclntab_search *found)
{
	struct finding *f = ctx;

	if (f->tables++ == TABLES_MAX)
		return 1;
	if (each_pointer(f->ef, found->vaddr, is_there, NULL)) {
		f->best = *found;
		return 1;
	}
	if (!f->best.len)
		f->best = *found;
	return 0;
}

/* Link-time address of the line table, loaded; or 0. */
static uint64_t find_table(struct moduledata *l, const struct elffile *ef)
{
	static const char *const names[] = {
		".gopclntab", ".data.rel.ro.gopclntab",
	};
	struct finding f = { .ef = ef };

	for (size_t i = 0; i < 2; i++) {
		const Elf64_Shdr *s = elffile_section(ef, names[i]);

		if (s && s->sh_type != SHT_NOBITS && !take_table(l, ef, s->sh_addr, s->sh_size))
			return s->sh_addr;
	}
	pclntab_search_run(ef, weigh_table, &f);
	if (!f.best.len || take_table(l, ef, f.best.vaddr, f.best.len))
		return 0;
	return f.best.vaddr;
}

static int note_symbol(void *ctx, const char *name, uint64_t value,
		       uint64_t size, unsigned int type)
{
	struct moduledata *l = ctx;
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

/* Where types and itabs are. What is counted here is checked when it is read. */
static void read_types(struct moduledata *l, const struct release_moduledata *md,
		       const uint8_t *buf)
{
	l->types = load_u64(buf + md->types);
	l->etypes = load_u64(buf + md->etypes);
	if (l->etypes < l->types) {
		l->types = 0;
		l->etypes = 0;
		return;
	}
	if (md->desc_len)
		l->desc_len = load_u64(buf + md->desc_len);
	if (md->typelinks) {
		l->typelinks = load_u64(buf + md->typelinks);
		l->ntypelinks = load_u64(buf + md->typelinks + 8);
	}
	if (md->itablinks) {
		l->itablinks = load_u64(buf + md->itablinks);
		l->nitablinks = load_u64(buf + md->itablinks + 8);
	}
	if (md->itabs) {
		l->itabs = l->types + load_u64(buf + md->itabs);
		l->itabs_len = load_u64(buf + md->itabs + 8);
	}
}

/* Read moduledata at @vaddr; 0 if it makes sense. */
static int read_moduledata(struct moduledata *l, const struct elffile *ef,
			   uint64_t vaddr)
{
	struct release_moduledata md = release_moduledata(l->minor);
	uint8_t buf[MODULEDATA_MAX];
	const Elf64_Phdr *s;
	uint64_t text, etext;

	if (md.size > sizeof(buf) ||
	    elffile_read_vaddr(ef, vaddr, buf, md.size))
		return -1;
	text = load_u64(buf + md.text);
	etext = load_u64(buf + md.text + 8);
	if (etext <= text)
		return -1;
	s = elffile_segment(ef, text, etext - text);
	if (!s || !(s->p_flags & PF_X))
		return -1;
	l->moduledata = vaddr;
	if (l->tab.format >= PCLNTAB_GO118)
		l->tab.text = text;
	l->text = text;
	l->gofunc = md.gofunc ? load_u64(buf + md.gofunc) : 0;
	read_types(l, &md, buf);
	return 0;
}

/* More pointers to the line table come from a hostile file only. */
#define MODULES_MAX 64U

struct modules {
	struct moduledata *l;
	const struct elffile *ef;
	unsigned int tries;
};

static int try_moduledata(void *ctx, const Elf64_Phdr *seg, uint64_t vaddr)
{
	struct modules *m = ctx;

	(void)seg;
	return m->tries++ == MODULES_MAX || !read_moduledata(m->l, m->ef, vaddr);
}

static void find_moduledata(struct moduledata *l, const struct elffile *ef,
			    uint64_t table)
{
	const Elf64_Shdr *s = elffile_section(ef, ".go.module");
	uint64_t symbol = l->moduledata;
	struct modules m = { l, ef, 0 };

	l->moduledata = 0;
	if (s && !read_moduledata(l, ef, s->sh_addr))
		return;
	if (symbol && !read_moduledata(l, ef, symbol))
		return;
	/* Its first word is the line table's address, in every release. */
	each_pointer(ef, table, try_moduledata, &m);
}

/* The releases that write a line table of this format. */
static void versions_of(enum pclntab_format format, int *lo, int *hi)
{
	static const int range[][2] = {
		[PCLNTAB_GO12] = { RELEASE_OLDEST, 15 },
		[PCLNTAB_GO116] = { 16, 17 },
		[PCLNTAB_GO118] = { 18, 19 },
		[PCLNTAB_GO120] = { 20, 99 },
	};

	*lo = range[format][0];
	*hi = range[format][1];
}

static int load_version(struct moduledata *l, const struct elffile *ef,
			const char *path, struct diag *d)
{
	int lo, hi;

	versions_of(l->tab.format, &lo, &hi);
	l->version = buildinfo_version(ef, lo, hi);
	if (!l->version)
		l->version = producer_get(ef);
	if (!l->version)
		return diag_set(d, "%s does not say which Go version it was built with",
				path);
	l->minor = release_parse(l->version);
	if (l->minor < RELEASE_OLDEST)
		return diag_set(d, "%s was built with %s; goprobe needs go1.%d or newer",
				path, l->version, RELEASE_OLDEST);
	if (l->minor < lo || l->minor > hi)
		return diag_set(d, "%s says it was built with %s, but its line table is of another release",
				path, l->version);
	return 0;
}

int moduledata_load(struct moduledata *l, const struct elffile *ef, const char *path,
		    struct diag *d)
{
	uint64_t table;

	memset(l, 0, sizeof(*l));
	l->tlsg = -1;
	table = find_table(l, ef);
	if (!table) {
		producer_explain(ef, path, d);
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
	moduledata_fini(l);
	return -1;
}

void moduledata_fini(struct moduledata *l)
{
	hmap_fini(&l->abi0);
	hmap_fini(&l->abi0_names);
	free(l->version);
	free(l->data);
	memset(l, 0, sizeof(*l));
}

int moduledata_find(const struct moduledata *l, const char *name,
		    struct pclntab_func *ret)
{
	for (uint32_t i = 0; i < l->tab.nfunc; i++) {
		if (!pclntab_func(&l->tab, i, ret) && !strcmp(ret->name, name))
			return 0;
	}
	return -1;
}
