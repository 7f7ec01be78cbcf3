// SPDX-License-Identifier: GPL-2.0
/* Small Go programs made by hand. */
#define _GNU_SOURCE
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gobin/release.h"
#include "synth.h"

#define PAGE 0x1000U

void synth_put(struct synth_bytes *b, const void *p, size_t n)
{
	b->p = realloc(b->p, b->n + n + 1);
	if (!b->p)
		abort();
	if (p)
		memcpy(b->p + b->n, p, n);
	else
		memset(b->p + b->n, 0, n);
	b->n += n;
	b->p[b->n] = 0;
}

void synth_zero(struct synth_bytes *b, size_t n)
{
	synth_put(b, NULL, n);
}

void synth_align(struct synth_bytes *b, size_t align)
{
	synth_zero(b, -b->n & (align - 1));
}

void synth_u8(struct synth_bytes *b, uint8_t v)
{
	synth_put(b, &v, sizeof(v));
}

void synth_u32(struct synth_bytes *b, uint32_t v)
{
	synth_put(b, &v, sizeof(v));
}

void synth_u64(struct synth_bytes *b, uint64_t v)
{
	synth_put(b, &v, sizeof(v));
}

void synth_str(struct synth_bytes *b, const char *s)
{
	synth_put(b, s, strlen(s) + 1);
}

void synth_set32(struct synth_bytes *b, size_t at, uint32_t v)
{
	memcpy(b->p + at, &v, sizeof(v));
}

void synth_set64(struct synth_bytes *b, size_t at, uint64_t v)
{
	memcpy(b->p + at, &v, sizeof(v));
}

void synth_fini(struct synth_bytes *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}

int synth_fd(const void *p, size_t n)
{
	int fd = memfd_create("goprobe-test", MFD_CLOEXEC);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n)
		abort();
	return fd;
}

/* --- the line table -------------------------------------------------- */

static void uvarint(struct synth_bytes *b, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		synth_u8(b, (uint8_t)v | 0x80);
	synth_u8(b, (uint8_t)v);
}

static void runs(struct synth_bytes *b, const struct synth_run *r)
{
	uint32_t last = UINT32_MAX;	/* -1 */

	for (size_t i = 0; i < SYNTH_RUNS && r[i].bytes; i++) {
		uint32_t d = (uint32_t)r[i].value - last, bytes = r[i].bytes;

		/* No change of the value would end the table. */
		while (i + 1 < SYNTH_RUNS && r[i + 1].bytes &&
		       r[i + 1].value == r[i].value)
			bytes += r[++i].bytes;
		uvarint(b, d << 1 ^ (0 - (d >> 31)));
		uvarint(b, bytes);
		last = (uint32_t)r[i].value;
	}
	synth_u8(b, 0);
}

/* Offsets of a function's parts in their tables. */
struct parts {
	uint32_t name;
	uint32_t pcfile;
	uint32_t pcln;
	uint32_t pcinl;
	uint32_t tree;
};

static void tree(const struct synth_table *t, const struct synth_func *f,
		 struct synth_bytes *trees, const uint32_t *names)
{
	for (size_t i = 0; i < f->ntree; i++) {
		const struct synth_inlined *in = &f->tree[i];

		if (t->format < PCLNTAB_GO120) {
			synth_u32(trees, 0xffff);	/* parent, unused */
			synth_u32(trees, 1);		/* file */
			synth_u32(trees, 1);		/* line of the call */
			synth_u32(trees, names[i]);
			synth_u32(trees, in->parent_pc);
		} else {
			synth_u32(trees, 0);		/* funcID */
			synth_u32(trees, names[i]);
			synth_u32(trees, in->parent_pc);
			synth_u32(trees, (uint32_t)in->line);
		}
	}
}

/* struct _func */
static void func(const struct synth_table *t, const struct synth_func *f,
		 const struct parts *at, uint64_t entry, struct synth_bytes *b)
{
	bool wide = t->format <= PCLNTAB_GO116;
	size_t base = b->n, n = t->format == PCLNTAB_GO12 ? 5 : 4;

	if (wide)
		synth_u64(b, entry);
	else
		synth_u32(b, (uint32_t)(entry - t->text));
	synth_u32(b, at->name);
	synth_u32(b, (uint32_t)f->args);
	synth_u32(b, 0);			/* deferreturn */
	synth_u32(b, 0);			/* pcsp */
	synth_u32(b, at->pcfile);
	synth_u32(b, at->pcln);
	synth_u32(b, 3);			/* npcdata */
	if (t->format != PCLNTAB_GO12)
		synth_u32(b, 0);		/* cuOffset */
	if (t->format == PCLNTAB_GO120)
		synth_u32(b, (uint32_t)f->start_line);
	synth_u8(b, 0);				/* funcID */
	synth_u8(b, t->format == PCLNTAB_GO12 ? 0 : f->flag);
	synth_u8(b, 0);
	synth_u8(b, f->ntree ? n : 0);		/* nfuncdata */
	synth_u32(b, 0);
	synth_u32(b, 0);
	synth_u32(b, at->pcinl);
	if (!f->ntree)
		return;
	if (wide)
		synth_zero(b, -(b->n - base) & 7);
	for (size_t i = 0; i < n; i++) {
		bool is = i == n - 1;

		if (wide)
			synth_u64(b, is ? t->gofunc + at->tree : 0);
		else
			synth_u32(b, is ? at->tree : UINT32_MAX);
	}
}

/* The parts before the functions. */
struct tables {
	struct synth_bytes names;
	struct synth_bytes pc;
	struct synth_bytes files;
	struct synth_bytes cu;
};

static void fill(const struct synth_table *t, struct tables *tb,
		 struct parts *at, struct synth_bytes *trees)
{
	/* Offset 0 means none. */
	synth_u8(&tb->pc, 0);
	for (size_t i = 0; i < t->nfuncs; i++) {
		const struct synth_func *f = &t->funcs[i];
		uint32_t names[SYNTH_RUNS];

		if (i && f->name == f[-1].name) {
			at[i].name = at[i - 1].name;
		} else {
			at[i].name = (uint32_t)tb->names.n;
			synth_str(&tb->names, f->name);
		}
		at[i].pcfile = (uint32_t)tb->pc.n;
		runs(&tb->pc, f->files);
		at[i].pcln = (uint32_t)tb->pc.n;
		runs(&tb->pc, f->lines);
		if (!f->ntree)
			continue;
		at[i].pcinl = (uint32_t)tb->pc.n;
		runs(&tb->pc, f->inlined);
		for (size_t k = 0; k < f->ntree; k++) {
			names[k] = (uint32_t)tb->names.n;
			synth_str(&tb->names, f->tree[k].name);
		}
		at[i].tree = (uint32_t)trees->n;
		tree(t, f, trees, names);
	}
	/* Number 0 is not used. */
	synth_u32(&tb->cu, UINT32_MAX);
	for (size_t i = 0; t->files[i]; i++) {
		synth_u32(&tb->cu, (uint32_t)tb->files.n);
		synth_str(&tb->files, t->files[i]);
	}
}

/* Trees name functions by offsets that move when the tables are put together. */
static void move_names(const struct synth_table *t, struct synth_bytes *trees,
		       size_t from, uint32_t by)
{
	size_t size = t->format < PCLNTAB_GO120 ? 20 : 16;
	size_t name = t->format < PCLNTAB_GO120 ? 12 : 4;

	for (size_t at = from; at + size <= trees->n; at += size) {
		uint32_t v;

		memcpy(&v, trees->p + at + name, sizeof(v));
		synth_set32(trees, at + name, v + by);
	}
}

static void table_go12(const struct synth_table *t, struct tables *tb,
		       struct parts *at, struct synth_bytes *tab,
		       struct synth_bytes *trees, size_t old_trees)
{
	size_t base = tab->n, rows = base + 16, nfiles = tb->cu.n / 4;
	uint32_t names, pc, files;
	uint64_t entry = t->text;

	synth_u32(tab, 0xfffffffb);
	synth_u32(tab, 0x08010000);
	synth_u64(tab, t->nfuncs);
	synth_zero(tab, t->nfuncs * 16 + 8 + 4);
	names = (uint32_t)(tab->n - base);
	synth_put(tab, tb->names.p, tb->names.n);
	pc = (uint32_t)(tab->n - base);
	synth_put(tab, tb->pc.p, tb->pc.n);
	files = (uint32_t)(tab->n - base);
	synth_put(tab, tb->files.p, tb->files.n);
	move_names(t, trees, old_trees, names);
	for (size_t i = 0; i < t->nfuncs; i++) {
		synth_align(tab, 8);
		synth_set64(tab, rows + i * 16, entry);
		synth_set64(tab, rows + i * 16 + 8, tab->n - base);
		at[i].name += names;
		at[i].pcfile += pc;
		at[i].pcln += pc;
		at[i].pcinl += at[i].pcinl ? pc : 0;
		func(t, &t->funcs[i], &at[i], entry, tab);
		entry += t->funcs[i].size;
	}
	synth_set64(tab, rows + t->nfuncs * 16, entry);
	synth_align(tab, 4);
	synth_set32(tab, rows + t->nfuncs * 16 + 8, (uint32_t)(tab->n - base));
	synth_u32(tab, (uint32_t)nfiles);
	for (size_t i = 1; i < nfiles; i++) {
		uint32_t off;

		memcpy(&off, tb->cu.p + i * 4, sizeof(off));
		synth_u32(tab, files + off);
	}
}

static void table_go116(const struct synth_table *t, struct tables *tb,
			struct parts *at, struct synth_bytes *tab)
{
	static const uint32_t magic[] = {
		[PCLNTAB_GO116] = 0xfffffffa, [PCLNTAB_GO118] = 0xfffffff0,
		[PCLNTAB_GO120] = 0xfffffff1,
	};
	const struct synth_bytes *in_order[] = {
		&tb->names, &tb->cu, &tb->files, &tb->pc,
	};
	bool wide = t->format == PCLNTAB_GO116;
	size_t base = tab->n, offs, row = wide ? 16 : 8, funcs;
	uint64_t entry = t->text;

	synth_u32(tab, magic[t->format]);
	synth_u32(tab, 0x08010000);
	synth_u64(tab, t->nfuncs);
	synth_u64(tab, tb->cu.n / 4);
	if (!wide)
		synth_u64(tab, t->text_unsaid ? 0 : t->text);
	offs = tab->n;
	synth_zero(tab, 5 * 8);
	for (size_t i = 0; i < 4; i++) {
		synth_align(tab, 8);
		synth_set64(tab, offs + i * 8, tab->n - base);
		synth_put(tab, in_order[i]->p, in_order[i]->n);
	}
	synth_align(tab, 8);
	funcs = tab->n;
	synth_set64(tab, offs + 4 * 8, funcs - base);
	synth_zero(tab, t->nfuncs * row + row / 2);
	for (size_t i = 0; i <= t->nfuncs; i++) {
		size_t at_row = funcs + i * row;

		synth_align(tab, 8);
		if (wide)
			synth_set64(tab, at_row, entry);
		else
			synth_set32(tab, at_row, (uint32_t)(entry - t->text));
		if (i == t->nfuncs)
			break;
		if (wide)
			synth_set64(tab, at_row + 8, tab->n - funcs);
		else
			synth_set32(tab, at_row + 4, (uint32_t)(tab->n - funcs));
		func(t, &t->funcs[i], &at[i], entry, tab);
		entry += t->funcs[i].size;
	}
}

void synth_table(const struct synth_table *t, struct synth_bytes *tab,
		 struct synth_bytes *trees)
{
	struct parts *at = calloc(t->nfuncs, sizeof(*at));
	struct tables tb = { .pc = { .p = NULL } };
	size_t old_trees = trees->n;

	if (!at)
		abort();
	fill(t, &tb, at, trees);
	if (t->format == PCLNTAB_GO12)
		table_go12(t, &tb, at, tab, trees, old_trees);
	else
		table_go116(t, &tb, at, tab);
	synth_fini(&tb.names);
	synth_fini(&tb.pc);
	synth_fini(&tb.files);
	synth_fini(&tb.cu);
	free(at);
}

static const struct synth_inlined add_tree[] = {
	{ "main.inner", 0x14, 30 },	/* called by main.middle */
	{ "main.middle", 0x20, 40 },
};

const struct synth_func synth_funcs[] = {
	{
		.name = "main.add", .size = 0x40, .start_line = 10, .args = 24,
		.lines = { { 0x10, 11 }, { 8, 31 }, { 8, 41 }, { 0x20, 12 } },
		.files = { { 0x10, 1 }, { 8, 2 }, { 8, 2 }, { 0x20, 1 } },
		.tree = add_tree, .ntree = 2,
		.inlined = { { 0x10, -1 }, { 4, 0 }, { 12, 1 }, { 0x20, -1 } },
	},
	{
		.name = "main.(*T).Get", .size = 0x20, .start_line = 50,
		.args = 8, .lines = { { 0x20, 51 } }, .files = { { 0x20, 1 } },
	},
	{
		.name = "runtime.morestack", .size = 0x20, .start_line = 1,
		.args = INT32_MIN, .flag = PCLNTAB_FLAG_ASM,
		.lines = { { 0x20, 2 } }, .files = { { 0x20, 3 } },
	},
};

const size_t synth_nfuncs = sizeof(synth_funcs) / sizeof(*synth_funcs);

const char *const synth_files[] = {
	"/src/main/add.go", "/src/main/inner.go", "/go/src/runtime/asm.s", NULL,
};

/* --- the ELF file ---------------------------------------------------- */

/* Of main.add: cmp rsp, [r14+16]; jbe more; ...; ret; more: call morestack */
static const uint8_t add_code[] = {
	0x49, 0x3b, 0x66, 0x10, 0x76, 0x07, 0x55, 0x48, 0x01, 0xd8, 0x5d, 0xc3,
	0x90, 0xe8, 0x4e, 0x00, 0x00, 0x00, 0xeb, 0xec,
};

/* Where things are, as addresses. */
struct plan {
	uint64_t base;		/* of the file */
	uint64_t text;
	uint64_t data;
	uint64_t table;
	uint64_t gofunc;
	uint64_t rela;
	size_t nrela;
	uint64_t build;
	uint64_t module;
};

struct writer {
	const struct synth_program *p;
	struct synth_bytes *file;
	struct plan at;
	Elf64_Rela rela[4];
};

/* A pointer to @to at @vaddr, whose place in the file is @off. */
static void pointer(struct writer *w, size_t off, uint64_t vaddr, uint64_t to)
{
	if (w->p->lld)
		w->rela[w->at.nrela++] = (Elf64_Rela) {
			vaddr, ELF64_R_INFO(0, R_X86_64_RELATIVE), (int64_t)to,
		};
	else
		synth_set64(w->file, off, to);
}

static enum pclntab_format format_of(int minor)
{
	return minor <= 15 ? PCLNTAB_GO12 : minor <= 17 ? PCLNTAB_GO116 :
	       minor <= 19 ? PCLNTAB_GO118 : PCLNTAB_GO120;
}

static void write_table(struct writer *w)
{
	struct synth_bytes trees = { .p = NULL };
	struct synth_table t = {
		.format = format_of(w->p->minor), .text = w->at.text,
		.text_unsaid = w->p->minor >= 26 ||
			       (w->p->lld && w->p->minor >= 18),
		.gofunc = w->at.gofunc, .funcs = synth_funcs,
		.nfuncs = synth_nfuncs, .files = synth_files,
	};

	if (w->p->decoy) {
		synth_align(w->file, 32);
		synth_table(&t, w->file, &trees);
		trees.n = 0;
	}
	synth_align(w->file, 32);
	w->at.table = w->at.base + w->file->n;
	synth_table(&t, w->file, &trees);
	if (w->file->n > w->at.gofunc - w->at.base)
		abort();
	synth_zero(w->file, w->at.gofunc - w->at.base - w->file->n);
	synth_put(w->file, trees.p, trees.n);
	synth_fini(&trees);
}

static void write_build(struct writer *w)
{
	char version[16];
	size_t off = w->file->n;

	snprintf(version, sizeof(version), "go1.%02d.1", w->p->minor % 100);
	w->at.build = w->at.data + (off & (PAGE - 1));
	synth_put(w->file, "\xff Go buildinf:", 14);
	synth_u8(w->file, 8);
	synth_u8(w->file, w->p->minor >= 18 ? 2 : 0);
	synth_zero(w->file, 16);
	if (w->p->minor >= 18) {
		synth_u8(w->file, (uint8_t)strlen(version));
		synth_str(w->file, version);
		synth_align(w->file, 16);
		return;
	}
	pointer(w, off + 16, w->at.build + 16, w->at.build + 32);
	synth_zero(w->file, 16);
	pointer(w, off + 32, w->at.build + 32, w->at.build + 48);
	synth_set64(w->file, off + 40, strlen(version));
	synth_str(w->file, version);
	synth_align(w->file, 16);
}

static void write_module(struct writer *w)
{
	struct release_moduledata md = release_moduledata(w->p->minor);
	size_t off = w->file->n, size = 0;

	for (size_t i = 0; i < synth_nfuncs; i++)
		size += synth_funcs[i].size;
	w->at.module = w->at.data + (off & (PAGE - 1));
	synth_zero(w->file, md.size);
	pointer(w, off, w->at.module, w->at.table);
	pointer(w, off + md.text, w->at.module + md.text, w->at.text);
	synth_set64(w->file, off + md.text + 8, w->at.text + size);
	if (md.gofunc)
		synth_set64(w->file, off + md.gofunc, w->at.gofunc);
}

static void segment(struct synth_bytes *b, uint32_t type, uint32_t flags,
		    size_t off, uint64_t vaddr, size_t len)
{
	Elf64_Phdr ph = {
		.p_type = type, .p_flags = flags, .p_offset = off,
		.p_vaddr = vaddr, .p_paddr = vaddr, .p_filesz = len,
		.p_memsz = len, .p_align = PAGE,
	};

	synth_put(b, &ph, sizeof(ph));
}

static void section_with(struct synth_bytes *b, struct synth_bytes *names, const char *name,
			 uint32_t type, uint64_t flags, uint64_t vaddr, size_t off, size_t len)
{
	Elf64_Shdr sh = {
		.sh_name = (uint32_t)names->n, .sh_type = type,
		.sh_flags = flags, .sh_addr = vaddr, .sh_offset = off,
		.sh_size = len, .sh_addralign = 8,
	};

	synth_str(names, name);
	synth_put(b, &sh, sizeof(sh));
}

static void section(struct synth_bytes *b, struct synth_bytes *names,
		    const char *name, uint32_t type, uint64_t vaddr, size_t off,
		    size_t len)
{
	section_with(b, names, name, type, SHF_ALLOC, vaddr, off, len);
}

/* Append @sh, ended by a section for @names. Returns the number of sections; @off: where. */
static uint16_t write_headers(struct synth_bytes *file, struct synth_bytes *sh,
			      struct synth_bytes *names, uint64_t *off)
{
	uint16_t n;

	section_with(sh, names, ".shstrtab", SHT_STRTAB, 0, 0, file->n,
		     names->n + sizeof(".shstrtab"));
	synth_put(file, names->p, names->n);
	synth_align(file, 8);
	*off = file->n;
	synth_put(file, sh->p, sh->n);
	n = (uint16_t)(sh->n / sizeof(Elf64_Shdr));
	synth_fini(names);
	synth_fini(sh);
	return n;
}

void synth_sections(const struct synth_section *v, size_t n, struct synth_bytes *file)
{
	Elf64_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_ehsize = sizeof(eh), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
		.e_phoff = sizeof(eh), .e_shentsize = sizeof(Elf64_Shdr),
	};
	struct synth_bytes names = { .p = NULL }, sh = { .p = NULL };

	synth_zero(file, sizeof(eh) + sizeof(Elf64_Phdr));
	synth_u8(&names, 0);
	synth_zero(&sh, sizeof(Elf64_Shdr));
	for (size_t i = 0; i < n; i++) {
		if (!v[i].bytes.n)
			continue;
		section_with(&sh, &names, v[i].name, SHT_PROGBITS, v[i].flags, 0, file->n,
			     v[i].bytes.n);
		synth_put(file, v[i].bytes.p, v[i].bytes.n);
	}
	eh.e_shnum = write_headers(file, &sh, &names, &eh.e_shoff);
	eh.e_shstrndx = (uint16_t)(eh.e_shnum - 1);
	memcpy(file->p, &eh, sizeof(eh));
}

/* Returns the number of sections; the names are the last one. */
static uint16_t write_sections(struct writer *w, size_t table_end, uint64_t *off)
{
	struct synth_bytes names = { .p = NULL }, sh = { .p = NULL };
	size_t data = w->at.data - w->at.base;

	synth_u8(&names, 0);
	synth_zero(&sh, sizeof(Elf64_Shdr));
	section(&sh, &names, ".text", SHT_PROGBITS, w->at.text,
		w->at.text - w->at.base, 0x80);
	section(&sh, &names, ".gopclntab", SHT_PROGBITS, w->at.table,
		w->at.table - w->at.base, table_end - (w->at.table - w->at.base));
	section(&sh, &names, ".go.buildinfo", SHT_PROGBITS, w->at.build,
		data + (w->at.build - w->at.data), 64);
	return write_headers(w->file, &sh, &names, off);
}

void synth_program(const struct synth_program *p, struct synth_bytes *file)
{
	struct writer w = { .p = p, .file = file };
	Elf64_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = p->pie ? ET_DYN : ET_EXEC, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr), .e_shentsize = sizeof(Elf64_Shdr),
		.e_phnum = 4, .e_phoff = sizeof(eh),
	};
	size_t dynamic, table_end;
	struct synth_bytes ph = { .p = NULL };

	w.at.base = p->pie ? 0 : 0x400000;
	w.at.gofunc = w.at.base + 0xf00;
	w.at.text = w.at.base + PAGE;
	w.at.data = w.at.text + PAGE;
	synth_zero(file, sizeof(eh) + 4 * sizeof(Elf64_Phdr));
	write_table(&w);
	table_end = w.at.gofunc - w.at.base;
	synth_align(file, PAGE);
	synth_put(file, add_code, sizeof(add_code));
	while (file->n < PAGE + 0x80)
		synth_u8(file, file->n < PAGE + 0x40 ? 0xcc : 0xc3);
	synth_align(file, PAGE);
	write_build(&w);
	write_module(&w);
	synth_align(file, 8);
	w.at.rela = w.at.data + (file->n - 2 * PAGE);
	synth_put(file, w.rela, w.at.nrela * sizeof(*w.rela));
	dynamic = file->n;
	synth_u64(file, DT_RELA);
	synth_u64(file, w.at.rela);
	synth_u64(file, DT_RELASZ);
	synth_u64(file, w.at.nrela * sizeof(*w.rela));
	synth_u64(file, DT_RELAENT);
	synth_u64(file, sizeof(*w.rela));
	synth_zero(file, 16);

	segment(&ph, PT_LOAD, PF_R, p->shift, w.at.base + p->shift,
		PAGE - p->shift);
	segment(&ph, PT_LOAD, PF_R | PF_X, PAGE, w.at.text, 0x80);
	segment(&ph, PT_LOAD, PF_R | PF_W, 2 * PAGE, w.at.data,
		file->n - 2 * PAGE);
	segment(&ph, PT_DYNAMIC, PF_R | PF_W, dynamic,
		w.at.data + (dynamic - 2 * PAGE), file->n - dynamic);
	memcpy(file->p + sizeof(eh), ph.p, ph.n);
	synth_fini(&ph);
	if (p->sections) {
		eh.e_shnum = write_sections(&w, table_end, &eh.e_shoff);
		eh.e_shstrndx = (uint16_t)(eh.e_shnum - 1);
	}
	memcpy(file->p, &eh, sizeof(eh));
}
