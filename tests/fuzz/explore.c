// SPDX-License-Identifier: GPL-2.0
/* Everything that the tool does with a program that it has opened. */
#include "fuzz.h"

#include "base/diag.h"
#include "explore.h"
#include "gobin/gobin.h"
#include "gobin/symbols.h"
#include "plan/request.h"
#include "plan/survey.h"
#include "planned.h"

/* The numbers of functions and types that are checked in depth. */
#define FUNCS 24
#define TYPES 40
#define TYPE_DEPTH 6
#define PLACES 8

static void see_type(const struct gotype *t, int depth)
{
	if (!t || !depth)
		return;
	FUZZ_HOLDS(t->name);
	if (t->kind == GOTYPE_STRUCT) {
		for (size_t i = 0; i < t->nfields; i++) {
			FUZZ_HOLDS(t->fields[i].name);
			FUZZ_HOLDS(t->fields[i].type);
			FUZZ_HOLDS(t->fields[i].offset <= t->size);
			if (i < 8)
				see_type(t->fields[i].type, depth - 1);
		}
	}
	see_type(t->elem, depth - 1);
	see_type(t->key, depth - 1);
}

static void see_symbol(struct gobin *bin, uint64_t pc, unsigned int how)
{
	const struct symbol *s;
	struct symbols all;

	symbols_init(&all, bin, NULL);
	how &= SYMBOL_RETURN | SYMBOL_WRAPPERS;
	s = symbols_at(&all, pc, how);
	FUZZ_HOLDS(s && s == symbols_at(&all, pc, how));
	FUZZ_HOLDS(s->pc == pc || s->pc == pc - 1);
	FUZZ_HOLDS(s->n <= GOBIN_FRAMES_MAX);
	symbols_fini(&all);
}

/* The calls at some address of the function, and in what of the file it is. */
static void see_place(struct gobin *bin, const struct gofunc *fn, uint64_t pc, uint32_t seed)
{
	struct gobin_frame v[16];
	struct gobin_range r;
	size_t n = gobin_frames(bin, pc, v, 16);

	FUZZ_HOLDS(n >= 1 && n <= 16);
	for (size_t i = 0; i < n; i++) {
		FUZZ_HOLDS(v[i].func && v[i].line >= 0 && v[i].start_line >= 0);
		FUZZ_HOLDS(v[i].inlined == (i + 1 < n) && !v[i].file == !v[i].line);
	}
	FUZZ_HOLDS(!strcmp(v[n - 1].func, fn->name));
	if (!gobin_code_range(bin, pc, &r))
		FUZZ_HOLDS(r.start <= pc && pc < r.end);
	see_symbol(bin, pc, seed);
}

static void see_func(struct gobin *bin, const struct gofunc *fn)
{
	const struct gosig *sig = gobin_sig(bin, fn);
	struct plan_func info;

	FUZZ_HOLDS(fn->name && sig);
	free(gobin_sig_text(bin, fn));
	for (size_t i = 0; i < sig->nparams && i < 16; i++)
		see_type(sig->params[i].type, TYPE_DEPTH);
	for (size_t i = 0; i < sig->nresults && i < 16; i++)
		see_type(sig->results[i].type, TYPE_DEPTH);
	memset(&info, 0, sizeof(info));
	plan_survey(bin, fn, &info);
}

/* The site where a function was inlined is in the one that has its code. */
static int see_site(void *ctx, const struct gobin_site *site)
{
	unsigned int *n = ctx;

	FUZZ_HOLDS(site->func && site->caller && site->line >= 0 && !site->file == !site->line);
	FUZZ_HOLDS(site->vaddr >= site->fn->entry && site->vaddr < site->fn->end);
	return ++*n == PLACES;
}

/* All that can be seen at an instruction, in a plan. */
static void see_variables(struct plan *p, const struct spec *spec, const struct place *place,
			  struct arena *mem)
{
	struct diag d = { .message = NULL };
	struct plan_request r;

	FUZZ_HOLDS(place->vaddr >= place->fn->entry && place->vaddr < place->fn->end);
	if (request_make_at(spec, p, place, mem, &r, &d) || plan_add_at(p, place, &r, &d))
		FUZZ_HOLDS(d.message);
	diag_fini(&d);
}

/* Where the line is that has the code at @pc, and what can be seen there. */
static void see_line(struct gobin *bin, uint64_t pc, uint32_t seed)
{
	struct diag d = { .message = NULL };
	struct arena mem = { .head = NULL };
	struct places places = { 0 };
	struct plan *p = plan_new(NULL);
	struct gobin_frame at;
	struct spec spec = { .text = NULL };
	struct buf text = { 0 };
	const char *slash;

	if (!p)
		abort();
	gobin_frames(bin, pc, &at, 1);
	/* A name that begins with a slash is no path. */
	slash = at.file ? strrchr(at.file, '/') : NULL;
	buf_str(&text, slash ? slash + 1 : at.file ? at.file : "x.go");
	buf_char(&text, ':');
	buf_u64(&text, at.line ? (uint64_t)at.line : 1);
	buf_char(&text, 0);
	if (spec_parse(text.p, &spec, &d) ||
	    (spec_is_place(&spec) && place_find(&places, &bin, 1, &spec, &d)))
		FUZZ_HOLDS(d.message);
	for (size_t i = 0; i < places.n && i < PLACES; i++)
		see_variables(p, &spec, &places.v[i], &mem);
	if (p->nfuncs)
		planned_see(p, seed);
	diag_fini(&d);
	buf_fini(&text);
	if (spec.text)
		spec_fini(&spec);
	place_fini(&places);
	plan_free(p);
	arena_fini(&mem);
}

/* Look for the places at an instruction. */
static void see_code(struct gobin *bin, const struct gofunc *fn, uint64_t pc, uint32_t seed)
{
	unsigned int n = 0;
	uint64_t own = gobin_own_code(bin, fn);

	FUZZ_HOLDS(own >= fn->entry && own < fn->end);
	gobin_sites(bin, fn, see_site, &n);
	if (seed & 4)
		see_line(bin, pc, seed);
}

struct seen {
	struct gobin *bin;
	unsigned int n;
};

static int see_rtype(void *ctx, uint64_t vaddr, const char *name)
{
	struct seen *s = ctx;

	FUZZ_HOLDS(name);
	see_type(gobin_rtype(s->bin, vaddr), TYPE_DEPTH);
	gobin_rtype_is_direct(s->bin, vaddr);
	return ++s->n == TYPES;
}

static int see_itab(void *ctx, uint64_t vaddr, const char *name)
{
	struct seen *s = ctx;

	(void)vaddr;
	(void)name;
	return ++s->n == TYPES;
}

static void see_types(struct gobin *bin)
{
	static const char *const wanted[] = {
		"main.circle", "runtime.g", "string", "errors.errorString",
	};
	struct seen s = { .bin = bin };

	gobin_each_rtype(bin, see_rtype, &s);
	s.n = 0;
	gobin_itabs(bin, 0, see_itab, &s);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		see_type(gobin_find_type(bin, wanted[i]), TYPE_DEPTH);
}

static void see_program(struct gobin *bin, uint32_t seed)
{
	const struct gofunc *f;
	size_t n;

	gobin_runtime(bin);
	if (gobin_build_id(bin))
		FUZZ_HOLDS(strlen(gobin_build_id(bin)) <= 512);
	if (seed & 1)
		gobin_load_inlined(bin);
	if (seed & 2)
		see_types(bin);
	f = gobin_funcs(bin, &n);
	for (size_t i = 0; i < FUNCS && i < n; i++) {
		const struct gofunc *fn = &f[(i * (n / FUNCS + 1) + seed) % n];

		see_func(bin, fn);
		gobin_code(bin, fn->entry, 64);
		gobin_func_at(bin, fn->entry + seed);
		if (!(fn->flags & GOFUNC_INLINED)) {
			uint64_t pc = fn->entry + seed % (fn->end - fn->entry);

			see_place(bin, fn, pc, seed);
			see_code(bin, fn, pc, i == seed / 8 % FUNCS ? seed : 0);
		}
	}
}

void explore_program(int fd, uint32_t seed)
{
	struct diag d = { .message = NULL };
	struct gobin *bin;

	if (!gobin_open(fd, "it", &bin, &d)) {
		see_program(bin, seed);
		gobin_free(bin);
		return;
	}
	FUZZ_HOLDS(d.message);
	diag_fini(&d);
}
