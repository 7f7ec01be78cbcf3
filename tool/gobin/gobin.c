// SPDX-License-Identifier: GPL-2.0
/*
 * An opened Go binary. Functions always come from the line table, which
 * survives stripping; signatures from DWARF; what depends on the Go release
 * from goversion. All addresses are link-time ones.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gobin/code_window.h"
#include "gobin/data_cache.h"
#include "dwarf/dwarf.h"
#include "dwarf/scope.h"
#include "dwarf/sections.h"
#include "elf/elffile.h"
#include "elf/build_id.h"
#include "elf/debug_file.h"
#include "gobin/foreign.h"
#include "gobin/gobin.h"
#include "gobin/dictionary.h"
#include "gobin/fipsinfo.h"
#include "gobin/function_code.h"
#include "gotype/funcname.h"
#include "gotype/shown_name.h"
#include "gobin/functions.h"
#include "gobin/signature.h"
#include "gobin/tls.h"
#include "gobin/release.h"
#include "base/hmap.h"
#include "gobin/inlined.h"
#include "gobin/moduledata.h"
#include "gobin/packages.h"
#include "gobin/rtype_method.h"
#include "gobin/rtype.h"

struct gobin {
	struct elffile ef;
	struct arena mem;
	char *path;
	pid_t pid;
	struct moduledata link;		/* line table, version, moduledata */
	struct goprobe_runtime rt;
	struct dwarf *dw;
	struct gofuncs funcs;
	struct foreign foreign;
	struct rtypes types;
	struct rtype_method methods;
	struct dictionary dicts;
	struct code_window *code;
	struct data_cache *trees;		/* inlining trees */
	char *build_id;
	const char *unread;		/* why its debug information is not read, or NULL */
	struct hmap sigs;		/* struct gosig by function */
	struct hmap ranges;		/* functions with a range loop's body, by name's hash */
	bool ranges_known;
};

static const char why_stripped[] = "the binary has no debug information";
static const char why_large[] =
	"the binary has more than " SECTIONS_MAX_TEXT " of debug information, which is not read";

static const char why_bare[] =
	"there is no debug information for this package (it was compiled with -dwarf=false)";

#define DECOMPRESS "'objcopy --decompress-debug-sections' makes it readable"
static const char why_compressed[] =
	"the binary has debug information that libelf can't read (zstd needs 0.189): " DECOMPRESS;

static const char *why_unread(const struct elffile *ef)
{
	return sections_too_large(ef) ? why_large : sections_unknown(ef) ? why_compressed : NULL;
}

static int load_runtime(struct gobin *bin, struct diag *d)
{
	int minor = bin->link.minor;
	bool described;

	release_runtime(minor, &bin->rt);
	bin->rt.g_tls = tls_offset(&bin->link, &bin->ef);
	described = bin->dw && !dwarf_runtime(bin->dw, &bin->rt);
	if (minor <= RELEASE_NEWEST || described)
		return 0;
	diag_set(d, "%s was built with %s, which is newer than this goprobe knows (up to go1.%d)",
		 bin->path, bin->link.version, RELEASE_NEWEST);
	diag_hint(d, "a build with debug information (without -ldflags=-s or -w) could be traced");
	return -1;
}

int gobin_open_in(int fd, const char *path, pid_t pid, struct gobin **ret, struct diag *d)
{
	struct gobin *bin = calloc(1, sizeof(*bin));
	const struct elffile *debug;

	if (!bin)
		return diag_set(d, "out of memory");
	bin->ef.fd = -1;
	bin->path = strdup(path);
	bin->code = code_window_new(&bin->ef);
	bin->trees = data_cache_new(&bin->ef);
	if (!bin->path || !bin->code || !bin->trees) {
		diag_set(d, "out of memory");
		goto fail;
	}
	bin->pid = pid;
	if (elffile_open(fd, path, &bin->ef, d))
		goto fail;
	if (!sections_present(&bin->ef))
		debugfile_open(&bin->ef, path, pid);
	if (moduledata_load(&bin->link, &bin->ef, path, d))
		goto fail;
	debug = bin->ef.debug ? bin->ef.debug : &bin->ef;
	bin->dw = dwarf_open(debug->fd, bin->link.minor, bin->link.types, &bin->mem);
	bin->unread = bin->dw ? NULL : why_unread(debug);
	if (load_runtime(bin, d))
		goto fail;
	if (functions_load(&bin->funcs, &bin->link, &bin->ef)) {
		diag_set(d, "%s: the Go line table is damaged", path);
		goto fail;
	}
	fipsinfo_mark(&bin->funcs, &bin->ef, bin->link.minor);
	if (rtype_init(&bin->types, &bin->ef, &bin->link, &bin->mem)) {
		diag_set(d, "out of memory");
		goto fail;
	}
	rtype_method_init(&bin->methods, &bin->types);
	foreign_init(&bin->foreign, &bin->ef, &bin->funcs, &bin->mem);
	dictionary_init(&bin->dicts, &bin->ef, &bin->types);
	if (shown_name_form != SHOWN_NAME_PATH)
		packages_show(&bin->link.tab, &bin->funcs, bin->dw);
	*ret = bin;
	return 0;
fail:
	gobin_free(bin);
	return -1;
}

int gobin_open(int fd, const char *path, struct gobin **ret, struct diag *d)
{
	return gobin_open_in(fd, path, 0, ret, d);
}

void gobin_free(struct gobin *bin)
{
	if (!bin)
		return;
	hmap_fini(&bin->sigs);
	hmap_fini(&bin->ranges);
	rtype_method_fini(&bin->methods);
	dictionary_fini(&bin->dicts);
	rtype_fini(&bin->types);
	foreign_fini(&bin->foreign);
	functions_fini(&bin->funcs);
	dwarf_free(bin->dw);
	moduledata_fini(&bin->link);
	code_window_free(bin->code);
	data_cache_free(bin->trees);
	elffile_fini(&bin->ef);
	arena_fini(&bin->mem);
	free(bin->build_id);
	free(bin->path);
	free(bin);
}

int gobin_fd(const struct gobin *bin)
{
	return bin->ef.fd;
}

const char *gobin_name(const struct gobin *bin)
{
	const char *slash = strrchr(bin->path, '/');

	return slash ? slash + 1 : bin->path;
}

const char *gobin_path(const struct gobin *bin)
{
	return bin->path;
}

pid_t gobin_process(const struct gobin *bin)
{
	return bin->pid;
}

const char *gobin_go_version(const struct gobin *bin)
{
	return bin->link.version;
}

int gobin_go_minor(const struct gobin *bin)
{
	return bin->link.minor;
}

bool gobin_has_types(const struct gobin *bin)
{
	return bin->dw;
}

const char *gobin_no_types(const struct gobin *bin)
{
	return bin->unread ? bin->unread : why_stripped;
}

const char *gobin_no_types_of(struct gobin *bin, const struct gofunc *fn)
{
	if (!bin->dw)
		return gobin_no_types(bin);
	return dwarf_is_bare(bin->dw, fn->entry) ? why_bare : NULL;
}

const char *gobin_debug_path(const struct gobin *bin)
{
	return bin->ef.debug_path;
}

const char *gobin_unread(const struct gobin *bin)
{
	return bin->unread;
}

struct dwarf *gobin_dwinfo(struct gobin *bin)
{
	return bin->dw;
}

const struct goprobe_runtime *gobin_runtime(const struct gobin *bin)
{
	return &bin->rt;
}

const struct elffile *gobin_file(const struct gobin *bin)
{
	return &bin->ef;
}

const struct gofunc *gobin_funcs(const struct gobin *bin, size_t *n)
{
	*n = bin->funcs.n;
	return bin->funcs.v;
}

const struct gofunc *gobin_next(const struct gobin *bin, const struct gofunc *f)
{
	f = f ? f + 1 : bin->funcs.v;
	return f < bin->funcs.v + bin->funcs.n ? f : NULL;
}

const struct gofunc *gobin_func_at(const struct gobin *bin, uint64_t vaddr)
{
	return functions_at(&bin->funcs, vaddr);
}

const char *gobin_func_name(struct gobin *bin, uint64_t entry)
{
	const struct gofunc *fn = gobin_func_at(bin, entry);

	if (fn)
		return fn->entry == entry ? fn->name : NULL;
	return foreign_name(&bin->foreign, entry);
}

static int read_code(void *ctx, uint64_t vaddr, void *buf, size_t len)
{
	return elffile_read_vaddr(ctx, vaddr, buf, len);
}

bool gobin_line(struct gobin *bin, uint64_t vaddr, struct goline *ret)
{
	const struct pclntab *tab = &bin->link.tab;
	const struct gofunc *fn = functions_at(&bin->funcs, vaddr);
	struct pclntab_frame at[2];	/* the last one stands for all that are left */
	struct pclntab_func f;

	if (!fn || pclntab_func(tab, bin->funcs.row[fn - bin->funcs.v], &f) ||
	    !pclntab_frames(tab, &f, vaddr, bin->link.gofunc, read_code, &bin->ef, at, 2))
		return false;
	*ret = (struct goline){ .func = at[0].func, .file = at[0].file, .line = at[0].line };
	return true;
}

/* Its row in the line table: 0, or -1. */
static int line_table(const struct gobin *bin, const struct gofunc *fn, struct pclntab_func *ret)
{
	const struct gofunc *own = functions_at(&bin->funcs, fn->entry);

	return own ? pclntab_func(&bin->link.tab, bin->funcs.row[own - bin->funcs.v], ret) : -1;
}

int gobin_sp(const struct gobin *bin, const struct gofunc *fn, uint64_t vaddr, int32_t *ret)
{
	struct pclntab_func f;

	return line_table(bin, fn, &f) ? -1 : pclntab_sp(&bin->link.tab, &f, vaddr, ret);
}

uint64_t gobin_own_code(struct gobin *bin, const struct gofunc *fn)
{
	struct pclntab_func f;
	uint64_t at = bin->dw ? dwarf_prologue_end(bin->dw, fn->entry, fn->end) : 0;

	if (at > fn->entry && at < fn->end)
		return at;
	if (line_table(bin, fn, &f))
		return fn->entry;
	at = pclntab_deepest(&bin->link.tab, &f);
	return at < fn->end ? at : fn->entry;
}

int gobin_lines(const struct gobin *bin, const struct gofunc *fn,
		int (*line)(void *ctx, const struct pclntab_line *line), void *ctx)
{
	struct pclntab_func f;

	return line_table(bin, fn, &f) ? 0 : pclntab_lines(&bin->link.tab, &f, line, ctx);
}

int32_t gobin_inlined_at(const struct gobin *bin, const struct gofunc *fn, uint64_t vaddr)
{
	struct pclntab_func f;
	int32_t index;

	if (line_table(bin, fn, &f) ||
	    pclntab_pcdata(&bin->link.tab, &f, PCLNTAB_PCDATA_INLTREE, vaddr, &index, NULL))
		return -1;
	return index;
}

int gobin_sites(struct gobin *bin, const struct gofunc *fn,
		int (*site)(void *ctx, const struct gobin_site *site), void *ctx)
{
	struct pclntab_func f;

	if (line_table(bin, fn, &f))
		return 0;
	return inlined_sites(&bin->link, bin->trees, &f, fn, site, ctx);
}

int gobin_inlining(struct gobin *bin, const struct gofunc *fn, struct gobin_inlining *ret)
{
	struct pclntab_func f;

	*ret = (struct gobin_inlining){ NULL };
	return line_table(bin, fn, &f) ? 0 : inlined_map(&bin->link, bin->trees, &f, ret);
}

void gobin_inlining_fini(struct gobin_inlining *v)
{
	free(v->of);
	free(v->parent);
	*v = (struct gobin_inlining){ NULL };
}

int gobin_load_inlined(struct gobin *bin)
{
	return inlined_load(&bin->funcs, &bin->link, &bin->ef);
}

int32_t gobin_args_bytes(const struct gobin *bin, const struct gofunc *fn)
{
	return functions_args(&bin->funcs, &bin->link, fn);
}

static const struct gosig sig_inlined = {
	.incomplete = "it is inlined wherever it is called",
};

static const struct gosig sig_stripped = { .incomplete = why_stripped };
static const struct gosig sig_large = { .incomplete = why_large };
static const struct gosig sig_compressed = { .incomplete = why_compressed };

static const struct gosig sig_bare = { .incomplete = why_bare };

static const struct gosig sig_assembly = {
	.incomplete = "written in assembly: its arguments are not described",
};

static const struct gosig sig_unknown = {
	.incomplete = "the debug information does not describe it",
};

static const struct gosig sig_nothing;

/*
 * Functions without parameters and results by the language (main, init) or by
 * the compiler's doing (what go and defer statements wrap calls in, since 1.22).
 */
static bool takes_nothing(const char *name)
{
	const char *local = funcname_local(name), *last = strrchr(local, '.');

	if (!strcmp(name, "main.main") || !strcmp(local, "init"))
		return true;
	if (!strncmp(local, "init.", 5))
		return !local[5 + strspn(local + 5, "0123456789")];
	return last && funcname_is_closure(name) &&
	       (!strncmp(last, ".gowrap", 7) || !strncmp(last, ".deferwrap", 10));
}

/* What can be said without debug information. */
static const struct gosig *sig_of_stripped(struct gobin *bin, const struct gofunc *fn,
					   const struct signature_facts *facts)
{
	const struct gosig *sig;

	if (!facts->args && takes_nothing(fn->name))
		return &sig_nothing;
	sig = rtype_method_get(&bin->methods, fn->entry, facts->abi0, facts->args);
	if (sig)
		return sig;
	return bin->dw ? &sig_bare : bin->unread == why_large ? &sig_large :
	       bin->unread ? &sig_compressed : &sig_stripped;
}

/* Is it "main.F-range1" of "main.F"? */
static int is_body_of(void *ctx, const struct gobin_site *site)
{
	const struct gofunc *fn = ctx;
	size_t n = strlen(fn->name);

	return !strncmp(site->func, fn->name, n) && !strncmp(site->func + n, "-range", 6);
}

/* Is there the body of a range loop of this function, as a function of its own, or inlined? */
static bool has_range_body(struct gobin *bin, const struct gofunc *fn)
{
	static const char first[] = "-range1";
	size_t len;

	for (const struct gofunc *f = NULL; !bin->ranges_known && (f = gobin_next(bin, f));) {
		len = strlen(f->name);
		if (len <= strlen(first) || strcmp(f->name + len - strlen(first), first) != 0)
			continue;
		len -= strlen(first);
		if (hmap_put(&bin->ranges, hmap_hash(0, f->name, len), bin))
			return true;
	}
	bin->ranges_known = true;
	return hmap_get(&bin->ranges, hmap_hash(0, fn->name, strlen(fn->name))) ||
	       gobin_sites(bin, fn, is_body_of, (void *)(uintptr_t)fn) != 0;
}

/* Go has these loops since 1.23. They matter if a result may be missing: see signature_build(). */
static bool has_lost_results(struct gobin *bin, const struct gofunc *fn, const struct dwfunc *df)
{
	for (size_t i = 0; i < df->nparams; i++)
		if (df->params[i].result && strchr("~_", df->params[i].name[0]))
			return false;
	return bin->link.minor >= 23 && has_range_body(bin, fn);
}

/* Of Go before 1.22, what shows the places of parameters that debug information lacks. */
struct traces {
	uint8_t info[ARGINFO_BYTES_MAX];
	struct insn_saved saved[INSN_SAVED_MAX];
};

static void find_traces(struct gobin *bin, const struct gofunc *fn, struct traces *t,
			struct signature_facts *facts)
{
	struct insn_code code = function_code_of(bin, fn);
	struct pclntab_func f;
	uint64_t at;
	size_t n = 0;

	if (facts->minor < 17 || facts->minor > 21 || line_table(bin, fn, &f))
		return;
	at = pclntab_funcdata(&bin->link.tab, &f, PCLNTAB_FUNCDATA_ARGINFO, bin->link.gofunc);
	while (at && n < sizeof(t->info) && !data_cache_read(bin->trees, at + n, &t->info[n], 1) &&
	       t->info[n++] != ARGINFO_LAST)
		;
	facts->info = (struct arginfo){ .data = t->info, .len = n };
	facts->nsaved = facts->abi0 ? 0 : insn_saved(&code, t->saved);
	facts->saved = t->saved;
}

static const struct gosig *load_sig(struct gobin *bin, const struct gofunc *fn)
{
	struct signature_facts facts = {
		.minor = bin->link.minor,
		.abi0 = fn->flags & GOFUNC_ABI0,
		.args = gobin_args_bytes(bin, fn),
	};
	struct traces traces;
	struct gosig *sig;
	struct dwfunc df;

	if (fn->flags & GOFUNC_ASM)
		return &sig_assembly;
	if (gobin_no_types_of(bin, fn))
		return sig_of_stripped(bin, fn, &facts);
	if (dwarf_func(bin->dw, fn->entry, &df))
		return &sig_unknown;
	facts.ranges = has_lost_results(bin, fn, &df);
	if (facts.ranges) {
		facts.len = fn->end - fn->entry;
		facts.code = gobin_code(bin, fn->entry, facts.len);
	}
	find_traces(bin, fn, &traces, &facts);
	sig = signature_build(&bin->mem, &df, &facts);
	if (!sig)
		return &sig_unknown;
	dictionary_settle(&bin->dicts, df.name, sig);
	return sig;
}

const struct gosig *gobin_sig(struct gobin *bin, const struct gofunc *fn)
{
	const struct gosig *sig;

	if (fn->flags & GOFUNC_INLINED)
		return &sig_inlined;
	sig = hmap_get(&bin->sigs, fn->entry);
	if (!sig) {
		sig = load_sig(bin, fn);
		hmap_put(&bin->sigs, fn->entry, (void *)(uintptr_t)sig);
	}
	return sig;
}

const struct gotype *gobin_real_type(struct gobin *bin, const struct goparam *p,
				     uint64_t dict)
{
	return dictionary_type(&bin->dicts, p, dict);
}

char *gobin_sig_text(struct gobin *bin, const struct gofunc *fn)
{
	return signature_text(gobin_sig(bin, fn));
}

static int read_tree(void *ctx, uint64_t vaddr, void *buf, size_t len)
{
	return data_cache_read(ctx, vaddr, buf, len);
}

size_t gobin_frames(struct gobin *bin, uint64_t vaddr, struct gobin_frame *v, size_t max)
{
	uint8_t wrapper = release_funcid_wrapper(bin->link.minor);
	struct pclntab_frame frames[GOBIN_FRAMES_MAX];
	struct pclntab_func fn;
	size_t n;

	if (!gobin_func_at(bin, vaddr) || pclntab_find(&bin->link.tab, vaddr, &fn))
		return 0;
	n = pclntab_frames(&bin->link.tab, &fn, vaddr, bin->link.gofunc, read_tree, bin->trees,
			   frames, max < GOBIN_FRAMES_MAX ? max : GOBIN_FRAMES_MAX);
	for (size_t i = 0; i < n; i++)
		v[i] = (struct gobin_frame){
			.func = frames[i].func, .file = frames[i].file, .line = frames[i].line,
			.start_line = frames[i].start_line, .inlined = frames[i].inlined,
			.wrapper = frames[i].funcid == wrapper,
		};
	return n;
}

int gobin_place(const struct gobin *bin, uint64_t vaddr, struct gobin_place *ret)
{
	struct pclntab_func fn;

	if (pclntab_find(&bin->link.tab, vaddr, &fn) ||
	    pclntab_depth(&bin->link.tab, &fn, vaddr, &ret->depth))
		return -1;
	ret->top = !strcmp(fn.name, "runtime.goexit");
	/* A function without a frame has no stack check and never restarts. */
	ret->begun = ret->depth || (vaddr != fn.entry &&
				     pclntab_deepest(&bin->link.tab, &fn) == fn.entry);
	return 0;
}

int gobin_code_range(const struct gobin *bin, uint64_t vaddr, struct gobin_range *ret)
{
	const Elf64_Phdr *s = elffile_segment(&bin->ef, vaddr, 1);

	if (!s || !(s->p_flags & PF_X))
		return -1;
	*ret = (struct gobin_range){ s->p_vaddr, s->p_vaddr + s->p_filesz, s->p_offset };
	return 0;
}

const char *gobin_build_id(struct gobin *bin)
{
	if (!bin->build_id)
		bin->build_id = build_id_build_id(&bin->ef);
	return bin->build_id;
}

int64_t gobin_code_offset(const struct gobin *bin, uint64_t vaddr)
{
	const Elf64_Phdr *s = elffile_segment(&bin->ef, vaddr, 1);

	if (!s || !(s->p_flags & PF_X))
		return -1;
	return (int64_t)(s->p_offset + (vaddr - s->p_vaddr));
}

uint64_t gobin_code_vaddr(const struct gobin *bin, uint64_t off)
{
	for (size_t i = 0; i < bin->ef.nsegs; i++) {
		const Elf64_Phdr *s = &bin->ef.segs[i];

		if (s->p_type == PT_LOAD && (s->p_flags & PF_X) && off >= s->p_offset &&
		    off - s->p_offset < s->p_filesz)
			return s->p_vaddr + (off - s->p_offset);
	}
	return 0;
}

const uint8_t *gobin_code(const struct gobin *bin, uint64_t vaddr, size_t len)
{
	return code_window_get(bin->code, vaddr, len);
}

size_t gobin_copy_code(const struct gobin *bin, uint64_t vaddr, uint8_t *to, size_t len)
{
	const uint8_t *code;
	size_t n = len;

	while (n && !(code = gobin_code(bin, vaddr, n)))
		n--;
	memset(to, 0, len);
	if (n)
		memcpy(to, code, n);
	return n;
}

const char *gobin_rtype_name(struct gobin *bin, uint64_t vaddr)
{
	return rtype_name(&bin->types, vaddr);
}

const struct gotype *gobin_rtype(struct gobin *bin, uint64_t vaddr)
{
	return rtype_type(&bin->types, vaddr);
}

bool gobin_rtype_is_direct(struct gobin *bin, uint64_t vaddr)
{
	return rtype_is_direct(&bin->types, vaddr);
}

bool gobin_rtype_is_error(struct gobin *bin, uint64_t vaddr)
{
	return rtype_is_error(&bin->types, vaddr);
}

int gobin_each_rtype(struct gobin *bin, gobin_rtype_fn fn, void *ctx)
{
	return rtype_each(&bin->types, fn, ctx);
}

int gobin_itabs(struct gobin *bin, uint64_t iface, gobin_rtype_fn fn, void *ctx)
{
	return rtype_itabs(&bin->types, iface, fn, ctx);
}

const struct gotype *gobin_find_type(struct gobin *bin, const char *name)
{
	const struct gotype *t = rtype_find(&bin->types, name);

	/* The linker drops descriptors that nothing refers to. */
	return t || !bin->dw ? t : dwarf_type(bin->dw, name);
}
