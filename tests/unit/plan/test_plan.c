// SPDX-License-Identifier: GPL-2.0
/* From functions to points, plans and types. */
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bins.h"
#include "plan/load_bias.h"
#include "plan/survey.h"
#include "recording/format.h"
#include "rows.h"

static const char *reg_name(unsigned int reg)
{
	static const char *const names[] = {
		"ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9",
		"r10", "r11", "r12", "r13", "r14", "r15", "-", "x0", "x1",
		"x2", "x3", "x4", "x5", "x6", "x7",
	};

	assert_in_range(reg, 0, 24);
	return names[reg];
}

static const char *const kinds[] = {
	[GOPROBE_REF_POINTER] = "ptr", [GOPROBE_REF_STRING] = "str",
	[GOPROBE_REF_SLICE] = "slice", [GOPROBE_REF_IFACE] = "iface",
	[GOPROBE_REF_EFACE] = "eface", [GOPROBE_REF_FUNC] = "func",
	[GOPROBE_REF_ARRAY] = "array", [GOPROBE_REF_WIPE] = "wipe",
};

/* "0:ptr(main.Item 48 8:str)": references, and those of what they lead to. */
static void show_type(FILE *f, const struct plan *p, uint32_t type, int depth)
{
	const struct goprobe_type *t = &p->types[type];

	assert_true(type < p->ntypes);
	assert_true(t->ref + t->nrefs <= p->nrefs);
	for (uint32_t i = 0; i < t->nrefs; i++) {
		const struct goprobe_ref *r = &p->refs[t->ref + i];

		assert_true(!i || r[-1].offset <= r->offset || r->kind == GOPROBE_REF_WIPE);
		fprintf(f, "%s%u:%s", i ? " " : "", r->offset,
			kinds[r->kind]);
		if (r->kind == GOPROBE_REF_WIPE)
			fprintf(f, "/%u", r->count_offset);
		if (!r->type)
			continue;
		fprintf(f, "(%s", p->gotypes[r->type]->name);
		/* test_type_table tests the runtime's parts of these. */
		if (p->gotypes[r->type]->kind != GOTYPE_MAP &&
		    p->gotypes[r->type]->kind != GOTYPE_CHAN)
			fprintf(f, " %u", p->types[r->type].size);
		if (p->gotypes[r->type]->kind == GOTYPE_STRUCT &&
		    p->types[r->type].nrefs && depth) {
			fputs(" ", f);
			show_type(f, p, r->type, depth - 1);
		}
		fputs(")", f);
	}
}

static void show_frame(FILE *f, const struct plan *p,
		       const struct plan_frame *fr)
{
	const struct goprobe_plan *w;

	if (fr->unavailable) {
		fprintf(f, "unavailable: %s", fr->unavailable);
		return;
	}
	for (size_t i = 0; i < fr->nvalues; i++) {
		if (fr->values[i].unavailable)
			fprintf(f, "[%s %s] ", fr->values[i].name,
				fr->values[i].unavailable);
	}
	if (fr->plan == GOPROBE_NO_PLAN) {
		fputs("none", f);
		return;
	}
	assert_true(fr->plan < p->nplans);
	w = &p->plans[fr->plan];
	assert_true(w->piece + w->npieces <= p->npieces);
	assert_int_equal(p->types[w->type].size, fr->size);
	fprintf(f, "%u:", fr->size);
	for (uint32_t i = 0; i < w->npieces; i++) {
		const struct goprobe_piece *c = &p->pieces[w->piece + i];

		assert_true(c->frame + c->size <= fr->size);
		fprintf(f, " %u=", c->frame);
		if (c->source == GOPROBE_FROM_STACK)
			fprintf(f, "sp+%d", c->offset);
		else
			fputs(reg_name(c->reg), f);
		if (c->size != 8)
			fprintf(f, "/%u", c->size);
	}
	if (p->types[w->type].nrefs) {
		fputs(" refs ", f);
		show_type(f, p, w->type, 1);
	}
	assert_true(w->op + w->nops <= p->nops);
	if (w->nops)
		fprintf(f, " ops %u", w->nops);
}

struct plan_case {
	const char *func;
	const char *call;
	const char *ret;
	int since;
	int before;
};

static const struct plan_case cases[] = {
	{ "main.Nothing", "none", "none" },
	{ "main.Ints", "33: 0=ax 8=bx/1 10=cx/2 12=di/4 16=si 24=r8 32=r9/1",
	  "9: 0=ax 8=bx/1", 17 },
	{ "main.Ints", "33: 0=sp+8/33", "9: 0=sp+48/9", 0, 17 },
	{ "main.Floats", "32: 0=x0 8=x1/4 16=ax 24=x2", "16: 0=x0 8=ax", 17 },
	{ "main.Complexes", "24: 0=x0 8=x1 16=x2/4 20=x3/4", "16: 0=x0 8=x1",
	  17 },
	{ "main.Strings",
	  "56: 0=ax 8=bx 16=cx 24=di 32=si 40=r8 48=r9 refs 0:str 16:slice(uint8 1) 40:str",
	  "32: 0=ax 8=bx 16=cx 24=di refs 0:str 16:iface", 17 },
	{ "main.Strings",
	  "56: 0=sp+8/56 refs 0:str 16:slice(uint8 1) 40:str",
	  "32: 0=sp+64/32 refs 0:str 16:iface", 0, 17 },
	{ "main.TenInts",
	  "80: 0=ax 8=bx 16=cx 24=di 32=si 40=r8 48=r9 56=r10 64=r11 72=sp+8",
	  "8: 0=ax", 17 },
	{ "main.SmallAfterBig", "104: 0=ax 8=sp+8/80 88=bx 96=cx",
	  "88: 0=ax 8=sp+88/80", 17 },
	{ "main.Arrays",
	  "88: 0=ax 8=sp+8/16 24=bx 32=cx 40=sp+24/48 refs 40:str 56:str 72:str",
	  "8: 0=ax", 17 },
	{ "main.Structs",
	  "104: 0=ax/1 8=x0 16=bx 24=cx 32=di/2 34=si/1 40=r8 48=r9 56=sp+8/48 refs 16:str 64:str 80:slice(string 16)",
	  "88: 0=ax/1 8=x0 16=bx 24=cx 32=di/2 34=si/1 40=sp+56/48 refs 16:str 48:str 64:slice(string 16)",
	  17 },
	{ "main.Interfaces",
	  "48: 0=ax 8=bx 16=cx 24=di 32=si 40=r8 refs 0:iface 16:iface 32:eface",
	  "32: 0=ax 8=bx 16=cx 24=di refs 0:iface 16:iface", 17 },
	{ "main.Refs",
	  "80: 0=ax 8=bx 16=cx 24=di 32=sp+8/48 refs 0:ptr(map[string]int) 8:ptr(chan int) 16:func 24:ptr(main.Tree 48 0:ptr(main.Tree 48) 8:ptr(main.Tree 48) 16:slice(main.Tree 48)) 32:ptr(main.Tree 48 0:ptr(main.Tree 48) 8:ptr(main.Tree 48) 16:slice(main.Tree 48)) 40:ptr(main.Tree 48 0:ptr(main.Tree 48) 8:ptr(main.Tree 48) 16:slice(main.Tree 48)) 48:slice(main.Tree 48 0:ptr(main.Tree 48) 8:ptr(main.Tree 48) 16:slice(main.Tree 48))",
	  "8: 0=ax refs 0:func", 17 },
	/* Elements of elements; a type may contain a slice of itself. */
	{ "main.Slices",
	  "120: 0=ax 8=bx 16=cx 24=di 32=si 40=r8 48=r9 56=r10 64=r11 72=sp+8/48 refs 0:slice(main.Item 48 8:str 24:slice(string 16)) 24:slice([]int 24) 48:slice(main.Tree 48 0:ptr(main.Tree 48) 8:ptr(main.Tree 48) 16:slice(main.Tree 48)) 72:slice(interface {} 16)",
	  "8: 0=ax", 17 },
	{ "main.Results", "none",
	  "88: 0=ax 8=bx 16=cx 24=x0 32=di 40=si 48=r8 56=r9 64=r10 72=sp+8/16 refs 8:str 32:slice(int 8) 56:iface",
	  17 },
	{ "main.Point.Value", "24: 0=ax 8=bx 16=cx", "8: 0=ax", 17 },
	{ "main.(*Point).Pointer", "16: 0=ax 8=bx refs 0:ptr(main.Point 16)", "8: 0=ax", 17 },
	{ "main.Map[go.shape.int,go.shape.string]",
	  "40: 0=bx 8=cx 16=di 24=si 32=ax refs 0:slice(int 8) 24:func",
	  "24: 0=ax 8=bx 16=cx refs 0:slice(string 16)", 21 },
	/* After it, the receiver with the type from its dictionary. */
	{ "main.(*List[go.shape.string]).Push",
	  "48: 0=ax 8=cx 16=di 24=bx refs 0:ptr(main.List[string] 24 0:slice(string 16)) 8:str 32:eface ops 6",
	  "8: 0=ax",
	  21 },
	{ "main.Blank",
	  "[_ an unnamed parameter, missing from the debug information] [_ an unnamed parameter, missing from the debug information] 24: 0=bx 8=cx 16=di refs 0:str",
	  "24: 0=ax 8=bx 16=cx refs 8:iface", 17, 22 },
	{ "main.Blank", "40: 0=ax 8=bx 16=cx 24=x0 32=di refs 8:str",
	  "24: 0=ax 8=bx 16=cx refs 8:iface", 22 },
	/* 5,000 bytes agree with too many lists of parameters, but none has space left. */
	{ "main.Vast",
	  "[v larger than a record can hold] 16: 0=ax 8=bx", "8: 0=ax", 17 },
};

static struct plan *plan_of(struct gobin *bin, const char *name, const struct plan_options *opt)
{
	struct plan *p = plan_new(opt);
	const struct gofunc *fn = bins_func(bin, name);
	struct diag d = { .message = NULL };

	if (!fn)
		fail_msg("%s: no %s", gobin_path(bin), name);
	if (plan_add(p, bin, fn, &d) || plan_finish(p, &d))
		fail_msg("%s", d.message);
	return p;
}

static struct plan *plan_one(struct gobin *bin, const char *name)
{
	return plan_of(bin, name, NULL);
}

static void check_frames(const struct bins_each *b, const struct plan_case *c,
			 const struct plan *p)
{
	char *got, *want;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	show_frame(out, p, &p->funcs[0]->call);
	fputs(" -> ", out);
	show_frame(out, p, &p->funcs[0]->ret);
	fclose(out);
	out = open_memstream(&want, &len);
	fprintf(out, "%s -> %s", c->call, c->ret);
	fclose(out);
	if (strcmp(got, want))
		fail_msg("%s: %s\n got %s\nwant %s", b->path, c->func, got, want);
	free(got);
	free(want);
}

TEST(test_frames, "values go from their places into frames")
{
	struct bins_each b = BINS("shapes", "", "-pie");

	while (bins_next(&b)) {
		for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
			const struct plan_case *c = &cases[k];
			struct plan *p;

			if (b.minor < c->since || (c->before && b.minor >= c->before))
				continue;
			p = plan_one(b.bin, c->func);
			check_frames(&b, c, p);
			plan_free(p);
		}
	}
}

/* Wrappers of ABI0 functions load g into R14 for their stack check, since 1.17. */
static bool g_is_loaded(const struct plan_func *pf)
{
	return pf->entry == PLAN_ENTRY_CHECK && !(pf->fn->flags & GOFUNC_ASM) &&
	       gobin_go_minor(pf->bin) >= 17;
}

/* Each point's bytes are the file's; it is the function's own. */
static void check_points(const struct plan *p)
{
	for (size_t i = 0; i < p->nfiles; i++) {
		const struct plan_points *f = &p->files[i];

		for (size_t k = 0; k < f->n; k++) {
			const struct goprobe_point *pt = &f->v[k];
			const struct gofunc *fn = p->funcs[pt->id]->fn;
			uint64_t at = gobin_code_vaddr(f->bin, pt->offset);
			uint8_t code[GOPROBE_CODE_MAX];

			assert_in_range(at, fn->entry, fn->end - 1);
			assert_in_range(pt->code_len, 1, GOPROBE_CODE_MAX);
			assert_int_equal(pread(gobin_fd(f->bin), code,
					       pt->code_len, pt->offset),
					 pt->code_len);
			assert_memory_equal(code, pt->code, pt->code_len);
			assert_int_equal(pt->sp_adjust, 0);
			assert_int_equal(pt->flags, fn->flags & GOFUNC_ABI0 &&
					 !g_is_loaded(p->funcs[pt->id]) ? GOPROBE_POINT_F_ABI0 : 0);
			if (pt->kind == GOPROBE_POINT_RETURN)
				assert_true(pt->code[0] == 0xc3 ||
					    pt->code[0] == 0xc2 ||
					    pt->code[0] == 0xf3);
			if (pt->skip == GOPROBE_SKIP_IF_BE)
				assert_true(pt->code[0] == 0x76 ||
					    pt->code[0] == 0x0f);
		}
	}
}

struct point_case {
	const char *func;
	const char *want;
	int since;
	int before;
};

static const struct point_case point_cases[] = {
	{ "main.Strings", "check C! R R" },
	{ "main.Deep", "check C! R R" },
	{ "main.HugeFrame", "check C! R" },
	{ "main.MiddleFrame", "check C! R" },
	{ "main.Recovers", "check C! R R" },
	{ "main.Nothing", "first C R" },
	{ "main.Leaf", "first C R" },
	{ "main.Point.Value", "first C R" },
	{ "main.MakeClosure.func1", "first C R" },
}, cgo_cases[] = {
	{ "main._Cfunc_add", "check C! R" },
};

static void check_cases(struct bins_each b, const struct point_case *cases, size_t n)
{
	static const char *const entries[] = {
		"none", "check", "push", "nop", "jump", "first",
	};

	while (bins_next(&b)) {
		for (size_t k = 0; k < n; k++) {
			const struct point_case *c = &cases[k];
			struct plan *p = plan_one(b.bin, c->func);
			char got[128];
			int at;

			check_points(p);
			at = snprintf(got, sizeof(got), "%s",
				      entries[p->funcs[0]->entry]);
			for (size_t j = 0; j < p->files[0].n; j++) {
				const struct goprobe_point *pt;

				pt = &p->files[0].v[j];
				at += snprintf(got + at,
					       sizeof(got) - at,
					       " %c%s", "?CRT"[pt->kind],
					       pt->skip ? "!" : "");
			}
			if (strcmp(got, c->want))
				fail_msg("%s: %s has %s, not %s", b.path, c->func, got, c->want);
			plan_free(p);
		}
	}
}

TEST(test_points, "points are where calls begin and end")
{
	struct bins_each b = BINS("shapes", "", "-pie", "-stripped");
	struct bins_each cgo = BINS("shapes", "-cgo", "-cgo-stripped");

	check_cases(b, point_cases, sizeof(point_cases) / sizeof(*point_cases));
	check_cases(cgo, cgo_cases, sizeof(cgo_cases) / sizeof(*cgo_cases));
}

TEST(test_no_return, "entries only, and limits, as asked for")
{
	struct bins_each b = BINS("shapes", "");
	struct plan_options opt = plan_defaults;

	opt.no_return = true;
	opt.string_limit = 7;
	while (bins_next(&b)) {
		struct plan *p = plan_new(&opt);
		struct diag d = { .message = NULL };

		assert_int_equal(plan_add(p, b.bin, bins_func(b.bin, "main.Strings"),
					  &d), 0);
		assert_int_equal(p->files[0].n, 1);
		assert_int_equal(p->files[0].v[0].kind, GOPROBE_POINT_CALL);
		assert_int_equal(p->plans[0].string_limit, 7);
		plan_free(p);
	}
}

TEST(test_refused, "what must not be probed is refused by name")
{
	static const char *const names[] = {
		"main.inlined", "runtime.morestack", "runtime.newstack",
		"runtime.gcWriteBarrier", "runtime.gcWriteBarrier1",
		"runtime.sigtramp", "runtime.mcall", "runtime.rt0_go",
		"runtime.asyncPreempt", "runtime.memmove",
	};
	struct bins_each b = BINS("shapes", "");

	while (bins_next(&b)) {
		struct plan *p = plan_new(NULL);

		assert_int_equal(gobin_load_inlined(b.bin), 0);
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
			const struct gofunc *fn = bins_func(b.bin, names[k]);
			struct diag d = { .message = NULL };
			struct plan_func info;

			if (!fn)	/* not in each release */
				continue;
			plan_survey(b.bin, fn, &info);
			assert_non_null(info.refused);
			assert_int_equal(info.entry, PLAN_ENTRY_NONE);
			assert_int_equal(plan_add(p, b.bin, fn, &d), -1);
			assert_non_null(strstr(d.message, names[k]));
			assert_non_null(strstr(d.message, info.refused));
			diag_fini(&d);
		}
		assert_int_equal(p->nfuncs, 0);
		assert_int_equal(p->nfiles, 0);
		plan_free(p);
	}
}

TEST(test_twice, "a function is added once, alike plans are shared")
{
	struct bins_entry v[BINS_MAX];
	struct diag d = { .message = NULL };
	struct gobin *a, *b;
	struct plan *p = plan_new(NULL);

	bins_list("", v);
	a = bins_open(v[0].path);
	b = bins_open(v[0].path);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(plan_add(p, a, bins_func(a, "main.Deep"), &d),
				 0);
		assert_int_equal(plan_add(p, b, bins_func(b, "main.Deep"), &d),
				 0);
	}
	assert_int_equal(p->nfuncs, 2);
	assert_int_equal(p->nfiles, 2);
	assert_int_equal(p->files[0].n, p->files[1].n);
	/* The same values in the same places: one plan for both. */
	assert_int_equal(p->nplans, p->funcs[0]->call.plan ==
			 p->funcs[0]->ret.plan ? 1 : 2);
	assert_int_equal(p->funcs[0]->call.plan, p->funcs[1]->call.plan);
	plan_free(p);
	gobin_free(a);
	gobin_free(b);
}

/* A whole program: shared plans, sound references, in little time. */
TEST(test_all, "whole programs are planned")
{
	struct bins_each b = BINS("shapes", "", "-stripped", "-go");

	while (bins_next(&b)) {
		struct plan *p = plan_new(NULL);
		clock_t start = clock();
		size_t nf;
		const struct gofunc *fns = gobin_funcs(b.bin, &nf);
		struct diag d = { .message = NULL };

		for (size_t k = 0; k < nf; k++) {
			if (plan_add(p, b.bin, &fns[k], &d))
				diag_fini(&d);
		}
		assert_int_equal(plan_finish(p, &d), 0);
		/* A tenth of that without sanitizers. */
		assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
		assert_true(p->nfuncs * 100 > nf * 85);
		assert_true(p->nplans < 2 * p->nfuncs);
		check_points(p);
		print_message("%s: %zu of %zu functions, %zu plans, %zu types, %zu references, %zu dynamic, %.1f s\n",
			      b.path, p->nfuncs, nf, p->nplans,
			      p->ntypes, p->nrefs, p->files[0].ndynamic,
			      (double)(clock() - start) / CLOCKS_PER_SEC);
		plan_free(p);
	}
}

TEST(test_action, "what is only counted or timed captures nothing")
{
	struct bins_each b = BINS("shapes", "");
	struct plan_options opt = plan_defaults;

	opt.action = GOPROBE_ACTION_TIME;
	while (bins_next(&b)) {
		struct plan *p = plan_new(&opt);
		struct diag d = { .message = NULL };

		assert_int_equal(plan_add(p, b.bin, bins_func(b.bin, "main.Strings"), &d), 0);
		assert_int_equal(plan_finish(p, &d), 0);
		assert_true(p->files[0].n >= 2);
		for (size_t i = 0; i < p->files[0].n; i++) {
			assert_int_equal(p->files[0].v[i].action, GOPROBE_ACTION_TIME);
			assert_int_equal(p->files[0].v[i].plan, GOPROBE_NO_PLAN);
		}
		assert_int_equal(p->nplans, 0);
		assert_int_equal(p->ntypes, 0);
		plan_free(p);
	}
}

/* Points of @jumps are those of @traps, or at epilogues. Return: how many become jumps. */
static size_t check_jumps(const struct plan *jumps, const struct plan *traps)
{
	const struct plan_points *f = jumps->files;
	size_t n = 0;

	assert_int_equal(f->n, traps->files[0].n);
	for (size_t i = 0; i < f->n; i++) {
		const struct goprobe_point *pt = &f->v[i], *trap = &traps->files[0].v[i];
		int32_t sp;

		assert_int_equal(pt->kind, trap->kind);
		assert_false(trap->flags & GOPROBE_POINT_F_JUMP);
		n += !!(pt->flags & GOPROBE_POINT_F_JUMP);
		if (pt->offset == trap->offset)
			continue;
		assert_int_equal(pt->kind, GOPROBE_POINT_RETURN);
		assert_true(pt->flags & GOPROBE_POINT_F_JUMP);
		assert_in_range(trap->offset, pt->offset + 5, pt->offset + pt->code_len - 1);
		assert_int_equal(pt->code[trap->offset - pt->offset], 0xc3);
		assert_int_equal(gobin_sp(f->bin, jumps->funcs[0]->fn,
					  gobin_code_vaddr(f->bin, pt->offset), &sp), 0);
		assert_int_equal(pt->sp_adjust, sp);
	}
	return n;
}

/* Records of @points, of a process that has the file 5 pages higher. */
static void check_bias(const struct plan *p, const struct plan *points)
{
	const struct plan_points *f = points->files;

	for (size_t i = 0; i < f->n; i++) {
		const struct goprobe_record h = {
			.id = f->v[i].id, .kind = f->v[i].kind,
			.ip = gobin_code_vaddr(f->bin, f->v[i].offset) + 0x5000,
		};
		struct load_bias *b = load_bias_new(p);
		uint64_t bias;

		assert_true(load_bias_of(b, &h, &bias));
		assert_int_equal(bias, 0x5000);
		load_bias_free(b);
	}
}

/* Before Go 1.17 g is not in R14, and ends of main.Strings have more than numbers. */
TEST(test_jumps, "what is timed or recorded may become jumps")
{
	static const char *const names[] = {
		"main.Strings", "main.Deep", "main.HugeFrame", "main.MiddleFrame",
	};
	static const uint8_t actions[] = { GOPROBE_ACTION_TIME, GOPROBE_ACTION_RECORD };
	struct bins_each b = BINS("shapes", "", "-pie", "-noopt");
	struct plan_options opt = plan_defaults;

	while (bins_next(&b)) {
		for (size_t k = 0; k < 2 * sizeof(names) / sizeof(*names); k++) {
			const char *name = names[k / 2];
			struct plan *traps, *jumps;
			size_t n;

			opt.action = actions[k % 2];
			opt.jumps = PLAN_JUMPS_OFF;
			traps = plan_of(b.bin, name, &opt);
			opt.jumps = PLAN_JUMPS_AUTO;
			jumps = plan_of(b.bin, name, &opt);
			n = b.minor < 17 ? 0 : k == 1 ? 1 : traps->files[0].n;
			assert_int_equal(check_jumps(jumps, traps), n);
			check_bias(jumps, jumps);
			check_bias(jumps, traps);
			assert_true(recording_plan(jumps) == recording_plan(traps));
			plan_keep_traps(jumps);
			assert_memory_equal(jumps->files[0].v, traps->files[0].v,
					    traps->files[0].n * sizeof(*traps->files[0].v));
			check_points(jumps);
			plan_free(jumps);
			opt.split = true;
			jumps = plan_of(b.bin, name, &opt);
			assert_int_equal(check_jumps(jumps, traps), 0);
			opt.split = false;
			plan_free(jumps);
			plan_free(traps);
		}
	}
}

/* Contexts have values by keys of types that no traced package has. */
TEST(test_context_keys, "types of contexts' keys are known from the start")
{
	struct bins_each b = BINS("known", "");

	while (bins_next(&b)) {
		struct plan *p = plan_one(b.bin, "context.WithValue");
		bool found = false;

		for (size_t i = 0; i < p->files[0].ndynamic; i++) {
			const char *name = gobin_rtype_name(b.bin, p->files[0].dynamic[i].address);

			found |= name && !strcmp(name, "*main.dayKey");
		}
		assert_true(found);
		plan_free(p);
	}
}

/* A parameter is not captured at all; of others, fields are wiped. */
static const struct plan_case redacted[] = {
	{ "main.Strings",
	  "[s redacted] 40: 0=cx 8=di 16=si 24=r8 32=r9 refs 0:slice(uint8 1) 24:str",
	  "32: 0=ax 8=bx 16=cx 24=di refs 0:str 16:iface", 17 },
	{ "main.TenInts",
	  "[a redacted] 72: 0=bx 8=cx 16=di 24=si 32=r8 40=r9 48=r10 56=r11 64=sp+8", "8: 0=ax",
	  17 },
	/* By its type. */
	{ "main.Times",
	  "[k redacted] 32: 0=ax 8=bx 16=cx 24=di refs 16:ptr(time.Location 104 96:ptr(time.zone 32) 0:wipe/16)",
	  "24: 0=ax 8=bx 16=cx refs 16:ptr(time.Location 104 96:ptr(time.zone 32) 0:wipe/16)", 17 },
	/* The field A of a Mixed, and the field Name of an Item. */
	{ "main.Structs",
	  "104: 0=ax/1 8=x0 16=bx 24=cx 32=di/2 34=si/1 40=r8 48=r9 56=sp+8/48 refs 16:str 80:slice(string 16) 0:wipe/1 64:wipe/16",
	  "88: 0=ax/1 8=x0 16=bx 24=cx 32=di/2 34=si/1 40=sp+56/48 refs 16:str 64:slice(string 16) 0:wipe/1 48:wipe/16",
	  17 },
};

TEST(test_redacted, "what is redacted is left out, or wiped")
{
	struct bins_each b = BINS("shapes", "", "-pie");
	struct plan_options opt = plan_defaults;
	struct diag d = { .message = NULL };

	assert_int_equal(secret_list_add(&opt.secrets, "s,a,name,kind", &d), 0);
	while (bins_next(&b)) {
		for (size_t k = 0; k < sizeof(redacted) / sizeof(*redacted); k++) {
			const struct plan_case *c = &redacted[k];
			struct plan *p;

			if (b.minor < c->since)
				continue;
			p = plan_of(b.bin, c->func, &opt);
			check_frames(&b, c, p);
			plan_free(p);
		}
	}
	secret_list_fini(&opt.secrets);
}
