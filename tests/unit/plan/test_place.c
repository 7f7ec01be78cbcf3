// SPDX-License-Identifier: GPL-2.0
/*
 * Lines, offsets and addresses of a program whose
 * source marks its lines, made by several toolchains; what can be seen there.
 */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "compile/scope.h"
#include "plan/request.h"
#include "plan/select.h"
#include "plan/survey.h"

/* --- specs --------------------------------------------------------------------- */

static const struct spec_case {
	const char *claim, *text;
	enum spec_kind kind;
	const char *pattern;	/* NULL: an error */
	uint64_t number;
	const char *error;
} spec_cases[] = {
	{ "a line", "main.go:42", SPEC_LINE, "main.go", 42 },
	{ "a line with a path, a list and a condition", "a/b.go:7(x, y.z) if x > 3", SPEC_LINE,
	  "a/b.go", 7 },
	{ "a condition alone", "main.go:42 if x > 3", SPEC_LINE, "main.go", 42 },
	{ "an offset", "main.foo+0x1f", SPEC_OFFSET, "main.foo", 0x1f },
	{ "a decimal offset", "main.foo+31", SPEC_OFFSET, "main.foo", 31 },
	{ "of a method", "shop.(*Cart).Add+0x0(c.id)", SPEC_OFFSET, "shop.(*Cart).Add", 0 },
	{ "of a closure", "main.main.func1+8", SPEC_OFFSET, "main.main.func1", 8 },
	{ "an address", "*0x4829e0", SPEC_ADDRESS, "", 0x4829e0 },
	{ "an address with registers", "*0x4829e0($rax)", SPEC_ADDRESS, "", 0x4829e0 },
	{ "a glob that begins with a star", "*Get", SPEC_GLOB, "*Get", 0 },
	{ "a path with a plus is a name", "a/c++.F", SPEC_NAME, "a/c++.F", 0 },
	{ "line 0 is not a line", "main.go:0", SPEC_NAME, "main.go:0", 0 },
	{ "a number with something behind it", "main.foo+0x1g", SPEC_NAME, "main.foo+0x1g", 0 },
	{ "what looks like types is a list", "main.go:42(error)", SPEC_LINE, "main.go", 42 },
	{ "a second list", "main.go:42(x)(y)", SPEC_LINE, NULL, 0, "it does not return" },
	{ "a signature", "main.go:42(x int)", SPEC_LINE, NULL, 0, "',' or ')'" },
};

ROWS(test_spec, spec_cases)
{
	const struct spec_case *c = *state;
	struct diag d = { 0 };
	struct spec s;
	int err = spec_parse(c->text, &s, &d);

	if (!c->pattern) {
		assert_int_equal(err, -1);
		assert_non_null(strstr(d.message, c->error));
		diag_fini(&d);
		return;
	}
	assert_int_equal(err, 0);
	assert_int_equal(s.kind, c->kind);
	assert_string_equal(s.pattern, c->pattern);
	if (spec_is_place(&s)) {
		assert_int_equal(s.number, c->number);
		assert_false(spec_match(&s, "main.foo"));
	}
	spec_fini(&s);
}

/* --- lines ----------------------------------------------------------------------- */

/* The line of the program's source that ends in "// @how @name". */
static int line_of(struct gobin *bin, const char *how, const char *name)
{
	const struct gofunc *fn = bins_func(bin, "main.main");
	char line[512], mark[64];
	FILE *f = fopen(fn->file, "r");
	int n = 0;

	assert_non_null(f);
	snprintf(mark, sizeof(mark), "// %s %s\n", how, name);
	while (fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, mark);

		n++;
		if (!at)
			continue;
		fclose(f);
		return n;
	}
	fail_msg("no mark %s", name);
	return 0;
}

static int marked_line(struct gobin *bin, const char *name)
{
	return line_of(bin, "at", name);
}

static const struct mark {
	const char *claim, *name;
	const char *funcs[3];	/* that have code of the line */
	const char *seen[6];	/* variables that can be seen, and are somewhere */
	const char *unseen;	/* one that can't */
} marks[] = {
	{ "over a call in a loop", "loop", { "main.loop" }, { "i", "x", "n", "name" }, "v2" },
	{ "a variable that hides another", "hide", { "main.hide" }, { "x" }, NULL },
	{ "behind its block", "bare", { "main.hide" }, { "x" }, NULL },
	{ "what was moved to the heap", "moved", { "main.moved" }, { "p", "q" }, NULL },
	{ "floats", "small", { "main.small" }, { "f" }, NULL },
	{ "a large frame", "large", { "main.large" }, { "block" }, "i" },
	{ "in a closure", "closure", { "main.capture.func1" }, { "k", "step", "n" }, NULL },
	{ "inlined twice", "double", { "main.first", "main.second" }, { "d" }, "n2" },
};

static const struct goparam *variable(const struct goscope *s, const char *name)
{
	for (size_t i = 0; i < s->sig.nparams; i++)
		if (!strcmp(s->sig.params[i].name, name))
			return &s->sig.params[i];
	return NULL;
}

static void check_scope(const struct place *p, const struct mark *m, bool complete)
{
	struct arena mem = { 0 };
	const struct goscope *s = scope_make(p->bin, p->fn, p->vaddr, NULL, &mem);

	assert_non_null(s);
	assert_int_equal(!s->sig.incomplete, complete);
	for (size_t i = 0; complete && m->seen[i]; i++) {
		const struct goparam *v = variable(s, m->seen[i]);

		if (!v || v->unavailable)
			fail_msg("%s: %s in %s: %s", gobin_path(p->bin), m->seen[i], p->fn->name,
				 v ? v->unavailable : "not seen");
	}
	if (m->unseen)
		assert_null(variable(s, m->unseen));
	arena_fini(&mem);
}

static void check_line(struct gobin *bin, const struct mark *m, bool inlines, bool complete)
{
	int line = marked_line(bin, m->name);
	struct places v = { 0 };
	struct diag d = { 0 };
	struct spec s;
	char text[64];
	size_t n = 0;

	snprintf(text, sizeof(text), "places/main.go:%d", line);
	assert_int_equal(spec_parse(text, &s, &d), 0);
	assert_int_equal(place_find(&v, &bin, 1, &s, &d), 0);
	while (m->funcs[n])
		n++;
	assert_int_equal(v.n, inlines ? n : 1);
	for (size_t i = 0; i < v.n; i++) {
		struct insn_point point;
		struct goline at;

		if (inlines)
			assert_string_equal(v.v[i].fn->name, m->funcs[i]);
		assert_null(plan_survey_at(&v.v[i], &point));
		assert_true(gobin_line(bin, v.v[i].vaddr, &at));
		assert_int_equal(at.line, line);
		check_scope(&v.v[i], m, complete);
	}
	place_fini(&v);
	spec_fini(&s);
}

ROWS(test_lines, marks)
{
	const struct mark *m = *state;
	struct bins_each e = BINS("places", "", "-stripped", "-noopt");

	while (bins_next(&e))
		check_line(e.bin, m, strcmp(e.form, "-noopt") != 0,
			   strcmp(e.form, "-stripped") != 0);
}

/* --- errors -------------------------------------------------------------------------- */

static const struct wrong {
	const char *claim, *text, *message, *hint;
} wrongs[] = {
	{ "a line without code", "places/main.go:2", "has no code; the nearest line with code is",
	  NULL },
	{ "a line behind all code", "places/main.go:9999", "the nearest line with code is", NULL },
	{ "no such file", "mian.go:3", "no code of a file called 'mian.go'", "main.go" },
	{ "a file of which there are several", "type.go:40", "more than one file", "type.go or " },
	{ "part of a name is no path", "ain.go:3", "no code of a file called", NULL },
	{ "no such function", "main.lop+1", "is called 'main.lop'", "main.loop" },
	{ "behind the function", "main.loop+0xffff", "there is no offset 0xffff", NULL },
	{ "no code", "*0x10", "no Go function", NULL },
};

ROWS(test_wrong, wrongs)
{
	const struct wrong *w = *state;
	struct bins_each e = BINS("places", "", "-stripped");

	while (bins_next(&e)) {
		struct places v = { 0 };
		struct diag d = { 0 };
		struct spec s;

		assert_int_equal(spec_parse(w->text, &s, &d), 0);
		assert_int_equal(place_find(&v, &e.bin, 1, &s, &d), -1);
		if (!strstr(d.message, w->message) || (w->hint && !strstr(d.hint, w->hint)))
			fail_msg("%s: %s; %s", e.path, d.message, d.hint ? d.hint : "-");
		place_fini(&v);
		spec_fini(&s);
		diag_fini(&d);
	}
}

/* --- instructions ---------------------------------------------------------------------- */

static bool is_morestack(void *ctx, uint64_t vaddr)
{
	(void)ctx;
	(void)vaddr;
	return false;
}

static const struct insn_case {
	const char *claim, *code;
	size_t len;
	uint64_t at;
	const char *why;	/* NULL: it can be probed */
} insn_cases[] = {
	{ "the first one", "\x48\x89\xc3\xc3", 4, 0, NULL },
	{ "a return", "\x48\x89\xc3\xc3", 4, 3, NULL },
	{ "inside of one", "\x48\x89\xc3\xc3", 4, 1, "inside of an instruction" },
	{ "behind the last one", "\xc3\xcc\xcc\xcc", 4, 2, "follows the last one" },
	{ "outside", "\xc3", 1, 1, "outside" },
	{ "with a lock", "\xf0\x48\x0f\xb1\x0b\xc3", 6, 0, "can't step over" },
	{ "behind a lock", "\xf0\x48\x0f\xb1\x0b\xc3", 6, 5, NULL },
	{ "a system call", "\x0f\x05\xc3", 3, 0, "can't step over" },
	{ "a repeated one", "\xf3\x48\xab\xc3", 4, 0, "once for each round" },
	{ "the same once", "\x48\xab\xc3", 3, 0, NULL },
	{ "pushed flags", "\x9c\xc3", 2, 0, "flag of single-steps" },
	{ "in code that is not understood", "\x90\x06\x07\xc3", 4, 0, "can't be decoded" },
	{ "in code with a branch into an instruction", "\xeb\x01\x48\x89\xc3\xc3", 6, 2,
	  "leads into one of its instructions" },
};

ROWS(test_insn, insn_cases)
{
	const struct insn_case *c = *state;
	struct insn_code code = {
		.bytes = (const uint8_t *)c->code, .len = c->len, .vaddr = 0x401000,
		.is_morestack = is_morestack,
	};
	struct insn_point point;
	const char *why = insn_at(&code, c->at, &point);

	if (!c->why)
		assert_null(why);
	else if (!why || !strstr(why, c->why))
		fail_msg("%s", why ? why : "it can be probed");
}

struct counted {
	size_t insns;
	size_t refused;
};

static int count_insn(void *ctx, const struct insn_point *point, const char *why)
{
	struct counted *c = ctx;

	assert_true(point->len > 0);
	c->insns++;
	c->refused += !!why;
	return 0;
}

/* Where a function that was compiled returns, SP is what it was at its entry. */
static void check_returns(struct gobin *bin, const struct gofunc *fn, size_t *returns)
{
	struct plan_func info;
	struct insn_scan scan;
	int32_t sp;

	plan_survey_points(bin, fn, &info, &scan);
	for (size_t i = 0; !(fn->flags & GOFUNC_ASM) && i < scan.nrets; i++, (*returns)++) {
		assert_int_equal(gobin_sp(bin, fn, fn->entry + scan.rets[i].at, &sp), 0);
		if (sp)
			fail_msg("%s: %s+%#x: %d", gobin_path(bin), fn->name, scan.rets[i].at, sp);
	}
	insn_scan_fini(&scan);
}

TEST(test_all_instructions)
{
	struct bins_each e = BINS("places", "", "-stripped");

	while (bins_next(&e)) {
		struct counted c = { 0 };
		size_t n, returns = 0;
		const struct gofunc *f = gobin_funcs(e.bin, &n);

		for (size_t i = 0; i < n; i++) {
			if (!f[i].entry)
				continue;
			plan_survey_insns(e.bin, &f[i], count_insn, &c);
			check_returns(e.bin, &f[i], &returns);
		}
		/* Nearly all can be probed: what can't are locks and system calls. */
		assert_true(c.insns > 50000 && c.refused < c.insns / 100 && returns > 1000);
	}
}

/* --- inlined functions ------------------------------------------------------------------- */

TEST(test_inlined)
{
	struct bins_each e = BINS("places", "", "-stripped");

	while (bins_next(&e)) {
		struct places v = { 0 };
		struct diag d = { 0 };
		struct spec s;

		assert_int_equal(spec_parse("main.double", &s, &d), 0);
		assert_int_equal(place_inlined(&v, e.bin, &s, false), 0);
		assert_int_equal(v.n, 2);
		assert_string_equal(v.v[0].fn->name, "main.first");
		assert_string_equal(v.v[1].fn->name, "main.second");
		assert_string_equal(v.v[0].inlined, "main.double");
		place_fini(&v);
		spec_fini(&s);
	}
}

/* --- plans -------------------------------------------------------------------------------- */

static const struct planned {
	const char *claim, *text;
	size_t points;
	const char *error;	/* of the program with debug information */
	const char *stripped;	/* of the one without; NULL: none */
} plans[] = {
	{ "all that can be seen", "places/main.go:%d", 1, NULL, NULL },
	{ "a list", "places/main.go:%d(i, x, name)", 1, NULL, "no debug information" },
	{ "registers need nothing", "places/main.go:%d($rax, $xmm3, $pc, $sp)", 1, NULL, NULL },
	{ "a condition", "places/main.go:%d if x > 3 && name != \"n1\"", 1, NULL,
	  "no debug information" },
	{ "a condition on a register", "places/main.go:%d if $rax & 1 == 1", 1, NULL, NULL },
	{ "a package variable", "places/main.go:%d(total)", 1, NULL, "not known" },
	{ "no such variable", "places/main.go:%d(y)", 0, "no variable 'y' can be seen",
	  "no debug information" },
	{ "no such register", "places/main.go:%d($ra)", 0, "no register '$ra'", "no register" },
	{ "a moment has no duration", "places/main.go:%d if duration > 5", 0, "'duration'",
	  "'duration'" },
};

static void check_plan(struct gobin *bin, const struct planned *c, const char *error)
{
	struct plan *p = plan_new(&plan_defaults);
	struct arena mem = { 0 };
	struct buf skipped = { 0 };
	struct diag d = { 0 };
	struct spec s;
	char text[128];
	int err;

	assert_true(snprintf(text, sizeof(text), c->text, marked_line(bin, "loop")) > 0);
	assert_int_equal(spec_parse(text, &s, &d), 0);
	err = select_functions(p, &bin, 1, &s, 1, &mem, &skipped, &d);
	if (error) {
		if (!err || !strstr(d.message, error))
			fail_msg("%s: %s", gobin_path(bin), err ? d.message : "no error");
	} else if (err || plan_finish(p, &d)) {
		fail_msg("%s: %s", gobin_path(bin), d.message);
	} else {
		assert_int_equal(p->nfuncs, 1);
		assert_int_equal(p->files[0].n, c->points);
		assert_int_equal(p->files[0].v[0].kind, GOPROBE_POINT_AT);
		assert_true(p->files[0].v[0].sp_adjust > 0);
	}
	diag_fini(&d);
	buf_fini(&skipped);
	plan_free(p);
	arena_fini(&mem);
	spec_fini(&s);
}

ROWS(test_plan, plans)
{
	const struct planned *c = *state;
	struct bins_each with = BINS("places", ""), without = BINS("places", "-stripped");

	while (bins_next(&with))
		check_plan(with.bin, c, c->error);
	while (bins_next(&without))
		check_plan(without.bin, c, c->stripped ? c->stripped : c->error);
}

static const struct plan_value *value_of(const struct plan_frame *f, const char *name)
{
	for (size_t i = 0; i < f->nvalues; i++)
		if (!strcmp(f->values[i].name, name))
			return &f->values[i];
	fail_msg("no value %s", name);
	return NULL;
}

/* Does something fill the 8 bytes at @offset of the frame? */
static bool is_filled(const struct plan *p, uint32_t offset)
{
	for (size_t i = 0; i < p->npieces; i++)
		if (p->pieces[i].frame == offset && p->pieces[i].size == 8)
			return true;
	for (size_t i = 0; i < p->nops; i++)
		if (p->ops[i].offset == offset && p->ops[i].size == 8 &&
		    p->ops[i].code != GOPROBE_OP_TRY)
			return true;
	return false;
}

/* Of a slice the length alone is used. */
TEST(test_length)
{
	struct bins_each b = BINS("places", "");

	while (bins_next(&b)) {
		struct plan *p = plan_new(&plan_defaults);
		const struct plan_value *v;
		struct arena mem = { 0 };
		struct buf skipped = { 0 };
		struct diag d = { 0 };
		struct spec s;
		char text[64];

		snprintf(text, sizeof(text), "places/main.go:%d", line_of(b.bin, "only", "half"));
		assert_int_equal(spec_parse(text, &s, &d), 0);
		assert_int_equal(select_functions(p, &b.bin, 1, &s, 1, &mem, &skipped, &d), 0);
		assert_int_equal(plan_finish(p, &d), 0);
		v = value_of(&p->funcs[0]->call, "t");
		if (!v->unavailable || strcmp(v->unavailable, "optimized out here") || !v->length)
			fail_msg("%s: %s, length: %d", gobin_path(b.bin), v->unavailable,
				 v->length);
		assert_true(is_filled(p, v->offset));
		assert_false(value_of(&p->funcs[0]->call, "a")->length);
		diag_fini(&d);
		buf_fini(&skipped);
		plan_free(p);
		arena_fini(&mem);
		spec_fini(&s);
	}
}
