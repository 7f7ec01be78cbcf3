// SPDX-License-Identifier: GPL-2.0
/* goprobectl list: what can be probed in a binary, or what is probed now. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/writing.h"
#include "cmd/cmd.h"
#include "compile/varname.h"
#include "output/function_list.h"
#include "output/package_variable.h"
#include "output/point_list.h"
#include "output/variable_list.h"
#include "plan/loose_name.h"
#include "plan/no_match.h"
#include "plan/place.h"
#include "plan/select.h"
#include "plan/variables.h"
#include "process/target.h"
#include "trace/client.h"
#include "trace/selftest.h"
#include "trace/session_list.h"

static const char about[] =
"Usage: goprobectl list [--points|--instructions|--vars] [-o text|json] -p PID|-b FILE [PATTERN...]\n"
"       goprobectl list [-o text|json]\n"
"\n"
"With -p or -b, list the functions that a PATTERN names: the Go signature, the cost of a\n"
"breakpoint at the entry, the number of returns and the source line, or why the function\n"
"can't be probed. Without -p and -b, list what is probed on this machine now.\n"
"\n"
"COST is low if the kernel emulates the instruction that the breakpoint at the entry\n"
"covers, else higher. JSON says which instruction it is: check (the branch of the stack\n"
"check), push, nop, jump, or first (any other).\n";

static const char examples[] =
"Examples:\n"
"  Which methods of Cart can be traced?\n"
"      goprobectl list -b ./shop 'shop.(*Cart).*'\n"
"  What would its breakpoints cost?\n"
"      goprobectl list -b ./shop --points 'shop.(*Cart).*'\n"
"  Which variables can a place show, and where are they?\n"
"      goprobectl list -b ./shop --vars cart.go:42\n"
"  Which package variables are there to read?\n"
"      goprobectl list -b ./shop --vars 'shop.*'\n"
"  Who is tracing what?\n"
"      goprobectl list\n";

struct listed {
	struct gobin *bin;
	const struct gofunc *fn;
	struct function_list_survey survey;
};

/* A run of the command. */
struct listing {
	struct buf b;			/* lines */
	enum point_list_ability able;	/* what the module can do */
	struct point_list_total total;	/* what is counted */
	bool json;			/* in JSON */
	bool insns;			/* all instructions */
	bool vars;			/* variables */
	const struct spec *specs;	/* patterns */
	size_t nspecs;			/* their number */
	struct gobin *bin;		/* the binary at hand */
	size_t wrong;			/* patterns of which nothing is listed */
	struct diag *d;			/* what is wrong */
};

static int by_name(const void *a, const void *b)
{
	const struct listed *la = a, *lb = b;
	int order = strcmp(la->fn->name, lb->fn->name);

	if (order)
		return order;
	return la->fn->entry < lb->fn->entry ? -1 : la->fn->entry > lb->fn->entry;
}

static bool wanted(const struct spec *specs, size_t n, bool *found, const char *name)
{
	bool any = !n;

	for (size_t i = 0; i < n; i++) {
		if (!spec_match(&specs[i], name))
			continue;
		found[i] = true;
		any = true;
	}
	return any;
}

/* What is wrong with a pattern is no reason not to list the others; -1 without memory, with @d. */
static int say_wrong(size_t *wrong, struct diag *d)
{
	if (diag_no_memory(d))
		return -1;
	diag_print(d, "goprobectl", stderr);
	diag_fini(d);
	(*wrong)++;
	return 0;
}

/* A pattern that names neither functions nor package variables. */
static void say_no_variable(const struct target *t, const struct spec *spec, struct diag *d)
{
	diag_set(d, "no package variable and no function of %s%s matches '%s'",
		 gobin_path(t->bins[0]), t->nbins > 1 ? " and the others" : "", spec->text);
	varname_hint(t->bins[0], spec->pattern, d);
}

/* Names of nothing. 0, or -1 with @d set. */
static int check_names(const struct target *t, struct listing *l, const bool *found,
		       struct diag *d)
{
	const struct name_set names = { .bins = t->bins, .nbins = t->nbins };

	for (size_t i = 0; i < l->nspecs; i++) {
		if (spec_is_place(&l->specs[i]) || found[i])
			continue;
		if (l->vars)
			say_no_variable(t, &l->specs[i], d);
		else
			nomatch(&names, &l->specs[i], d);
		if (say_wrong(&l->wrong, d))
			return -1;
	}
	return 0;
}

/* The functions to list, in the order of their files; @l->wrong counts patterns without any. */
static int collect(const struct target *t, struct spec *specs, struct listing *l,
		   struct listed **ret, size_t *nret, struct diag *d)
{
	const struct name_set names = { .bins = t->bins, .nbins = t->nbins };
	size_t nspecs = l->nspecs;
	bool *found = calloc(nspecs + 1, sizeof(*found));
	struct listed *v = NULL;
	int err = 0;
	size_t all = 0, n = 0;

	for (size_t i = 0; found && !err && i < nspecs; i++)
		if (loosename_resolve(&names, &specs[i], d)) {
			err = say_wrong(&l->wrong, d);
			found[i] = true;
		}
	for (size_t i = 0, k; !err && i < t->nbins; i++) {
		err = gobin_load_inlined(t->bins[i]) ? diag_set(d, "out of memory") : 0;
		gobin_funcs(t->bins[i], &k);
		all += k;
	}
	v = err ? NULL : calloc(all + 1, sizeof(*v));
	if (!found || !v) {
		free(found);
		free(v);
		return err ? -1 : diag_set(d, "out of memory");
	}
	for (size_t i = 0; i < t->nbins; i++)
		for (const struct gofunc *f = NULL; (f = gobin_next(t->bins[i], f));)
			if (wanted(specs, nspecs, found, f->name))
				v[n++] = (struct listed){ .bin = t->bins[i], .fn = f };
	err = check_names(t, l, found, d);
	free(found);
	*ret = v;
	*nret = n;
	return err;
}

static int flush(struct buf *b, size_t most, struct diag *d)
{
	return b->len < most && !b->failed ? 0 : writing_print(b, d);
}

static int list_lines(struct listed *v, size_t n, bool json, struct diag *d)
{
	struct function_list list;
	struct buf b = { 0 };
	int err = 0;

	function_list_init(&list, json);
	/* In the order of the file, so that it is read once. */
	for (size_t i = 0; i < n; i++) {
		function_list_survey(v[i].bin, v[i].fn, &v[i].survey);
		function_list_add(&list, v[i].fn);
	}
	for (size_t i = 0; i < n; i++)
		function_list_measure(&list, v[i].bin, v[i].fn);
	qsort(v, n, sizeof(*v), by_name);
	function_list_header(&list, &b);
	for (size_t i = 0; !err && i < n; i++) {
		function_list_put(&list, v[i].bin, v[i].fn, &v[i].survey, &b);
		err = flush(&b, 1 << 16, d);
	}
	err = err ? err : flush(&b, 0, d);
	function_list_fini(&list);
	buf_fini(&b);
	return err;
}

/* Listing needs no module; only what it would do is asked, and if it can't be, said. */
static enum point_list_ability ask_ability(void)
{
	const uint64_t untested = GOPROBE_ABILITY_UNTESTED;
	enum point_list_ability able = POINT_LIST_NOT_ASKED;
	struct diag d = { 0 }, why = { 0 };
	struct client_info info;
	struct client *c = NULL;

	client_load = NULL;
	if (!client_open(&c, &d) && !selftest_get_info(c, &info, &why, &d) &&
	    !(info.abilities & untested))
		able = info.abilities & GOPROBE_ABILITY_EMULATE ? POINT_LIST_ABLE :
			POINT_LIST_UNABLE;
	if (able == POINT_LIST_UNABLE)
		fprintf(stderr, "goprobectl: the module that is loaded can't carry out instructions on this kernel\n");
	else if (able == POINT_LIST_NOT_ASKED)
		fprintf(stderr, "goprobectl: %s; this is what it does where it carries out instructions\n",
			d.message ? d.message : why.message ? why.message :
			"the module's self-test has not shown whether it can emulate instructions");
	client_close(c);
	diag_fini(&why);
	diag_fini(&d);
	return able;
}

/* A place that somebody asked for; that it can't be probed is an error if @d is there. */
static int list_place(struct listing *l, const struct point_list_place *place, struct diag *d)
{
	const struct gofunc *fn = place->at.fn;
	const char *why = point_list_place(&l->b, place, l->able, &l->total, l->json);

	if (why && !place->inlined)
		l->total.refused++;
	return why && d ? diag_set(d, "%s+%#llx can't be probed: %s", fn->name,
				   (unsigned long long)(place->at.vaddr - fn->entry), why) : 0;
}

static int list_places(struct listing *l, const struct target *t, const struct spec *spec,
		       struct diag *d)
{
	struct places v = { 0 };
	int err = place_find(&v, t->bins, t->nbins, spec, d) ? say_wrong(&l->wrong, d) : 0;

	for (size_t i = 0; !err && i < v.n; i++) {
		struct point_list_place place = { .at = v.v[i] };
		struct goline line;

		if (gobin_line(place.at.bin, place.at.vaddr, &line)) {
			place.file = line.file;
			place.line = line.line;
		}
		if (l->insns)
			point_list_instruction(&l->b, &place, l->able, &l->total, l->json);
		else
			err = list_place(l, &place, v.n == 1 ? d : NULL) ?
			      say_wrong(&l->wrong, d) : 0;
		err = err ? err : flush(&l->b, 1 << 16, d);
	}
	place_fini(&v);
	return err;
}

static int list_site(void *ctx, const struct gobin_site *site)
{
	struct listing *l = ctx;
	struct point_list_place place = {
		.at = { .bin = l->bin, .fn = site->fn, .vaddr = site->vaddr },
		.inlined = site->func, .caller = site->caller, .file = site->file,
		.line = site->line,
	};

	for (size_t i = 0; i < l->nspecs; i++)
		if (spec_match(&l->specs[i], site->func)) {
			list_place(l, &place, NULL);
			return flush(&l->b, 1 << 16, l->d);
		}
	return 0;
}

/* Where the functions that are asked for were inlined. */
static int list_sites(struct listing *l, struct gobin *bin)
{
	l->bin = bin;
	for (const struct gofunc *f = NULL; l->nspecs && (f = gobin_next(bin, f));)
		if (f->entry && gobin_sites(bin, f, list_site, l))
			return -1;
	return 0;
}

/* In the order of the file; then what was inlined, and single places. */
static int list_points(const struct target *t, const struct listed *v, size_t n,
		       struct listing *l, struct diag *d)
{
	struct diag unsaid = { 0 };
	size_t header;
	int err = 0;

	l->able = ask_ability();
	if (!l->json)
		point_list_header(&l->b);
	header = l->b.len;
	for (size_t i = 0; !err && i < n; i++) {
		(l->insns ? point_list_instructions : point_list_function)(&l->b, v[i].bin, v[i].fn,
									   l->able, &l->total,
									   l->json);
		err = flush(&l->b, 1 << 16, d);
	}
	for (size_t i = 0; !err && !l->insns && i < t->nbins; i++)
		if (list_sites(l, t->bins[i]))
			err = d->message ? -1 : diag_set(d, "out of memory");
	for (size_t i = 0; !err && i < l->nspecs; i++)
		if (spec_is_place(&l->specs[i]))
			err = list_places(l, t, &l->specs[i], d);
	if (!err && l->wrong && l->b.len == header)
		l->b.len = 0;
	else if (!err)
		point_list_end(&l->b, &l->total, l->able, l->json);
	/* The message about a place is kept if the lines before it can not be written. */
	if (err)
		flush(&l->b, 0, &unsaid);
	else
		err = flush(&l->b, 0, d);
	diag_fini(&unsaid);
	buf_fini(&l->b);
	return err;
}

/*
 * Patterns that name package variables; these are added to @vars. The others become the first
 * ones of @specs: returns their number, or -1 without memory.
 */
static ssize_t take_variables(const struct target *t, struct spec *specs, size_t n,
			      struct variables *vars)
{
	size_t others = 0;

	for (size_t i = 0; i < n; i++) {
		size_t before = vars->n;
		struct spec s = specs[i];

		if (!spec_is_place(&s) && variables_match(vars, t->bins, t->nbins, &s))
			return -1;
		if (vars->n == before) {
			specs[i] = specs[others];
			specs[others++] = s;
			/* That is for variables alone. */
			specs[others - 1].shown = false;
		}
	}
	return (ssize_t)others;
}

static int list_package_variables(struct variables *vars, bool json, struct diag *d)
{
	struct package_variable_list list;
	struct buf b = { 0 };
	int err = 0;

	variables_sort(vars);
	package_variable_init(&list, vars, vars->n, json);
	package_variable_header(&list, &b);
	for (size_t i = 0; !err && i < vars->n; i++) {
		package_variable_put(&list, &vars->v[i], &b);
		err = flush(&b, 1 << 16, d);
	}
	err = err ? err : flush(&b, 0, d);
	buf_fini(&b);
	return err;
}

/* Of a place each instruction that it means; of a function its first one. */
static int list_places_vars(const struct target *t, const struct listing *l,
			    const struct listed *v, size_t n, size_t *wrong, struct diag *d)
{
	bool json = l->json;
	struct places places = { 0 };
	struct buf b = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < l->nspecs; i++)
		if (spec_is_place(&l->specs[i]))
			err = place_find(&places, t->bins, t->nbins, &l->specs[i], d) ?
			      say_wrong(wrong, d) : 0;
	if (!err && !json && (n || places.n))
		variable_list_header(&b);
	for (size_t i = 0; !err && i < n + places.n; i++) {
		struct place at = i < n ? (struct place){
			.bin = v[i].bin, .fn = v[i].fn, .vaddr = v[i].fn->entry,
		} : places.v[i - n];

		if (variable_list_put(&at, json, &b))
			err = diag_set(d, "out of memory");
		err = err ? err : flush(&b, 1 << 16, d);
	}
	err = err ? err : flush(&b, 0, d);
	place_fini(&places);
	buf_fini(&b);
	return err;
}

/* Package variables, and those of functions and places. CMD_DONE or CMD_FAILED. */
static int list_vars(const struct target *t, struct options *o, struct diag *d)
{
	struct listing l = { .json = o->format == OPTION_JSON, .specs = o->specs, .vars = true };
	struct variables vars = { 0 };
	struct listed *v = NULL;
	size_t n = 0;
	ssize_t others = take_variables(t, o->specs, o->nspecs, &vars);
	int err = others < 0 ? diag_set(d, "out of memory") : 0;

	if (!err && vars.n)
		err = list_package_variables(&vars, l.json, d);
	variables_fini(&vars);
	l.nspecs = err ? 0 : (size_t)others;
	if (!err && others)
		err = collect(t, o->specs, &l, &v, &n, d);
	if (!err && l.wrong < l.nspecs)
		err = list_places_vars(t, &l, v, n, &l.wrong, d);
	free(v);
	return err || l.wrong ? CMD_FAILED : CMD_DONE;
}

static int list_functions(const struct target *t, const struct options *o, struct diag *d)
{
	struct listing l = { .json = o->format == OPTION_JSON, .insns = o->instructions,
			     .specs = o->specs, .nspecs = o->nspecs, .d = d };
	struct listed *v = NULL;
	size_t n = 0;
	int err = collect(t, o->specs, &l, &v, &n, d);

	if (err || (l.wrong && l.wrong == o->nspecs))
		;
	else if (o->points || o->instructions)
		err = list_points(t, v, n, &l, d);
	else
		err = list_lines(v, n, l.json, d);
	free(v);
	return err || l.wrong ? CMD_FAILED : CMD_DONE;
}

static int list_probed(bool json, struct diag *d)
{
	struct session_list_print sessions = { 0 };
	struct client *c;

	if (client_open(&c, d))
		return CMD_FAILED;

	int err = client_dump(c, GOPROBE_CMD_LIST, session_list_add, &sessions, d);

	client_close(c);
	if (!err) {
		struct buf b = { 0 };

		session_list_print(&b, &sessions, json);
		err = writing_print(&b, d);
		buf_fini(&b);
	}
	session_list_fini(&sessions);
	return err ? CMD_FAILED : CMD_DONE;
}

static int parse(struct options *o, struct diag *d)
{
	const char *what = o->points ? "--points" : o->instructions ? "--instructions" :
			   o->vars ? "--vars" : o->noperands ? "a PATTERN" : NULL;

	if (what && !o->file && !o->pids.n)
		return diag_set(d, "%s needs a process or a file to look in: -p PID or -b FILE",
				what);
	if (o->vars && !o->noperands)
		return diag_set(d, "--vars needs a place, a function or package variables: main.go:42, main.foo, 'main.*'");
	if ((o->points || o->instructions || o->vars ? select_places_parse : select_patterns_parse)
	    (o->operands, o->noperands, &o->specs, d))
		return -1;
	o->nspecs = o->noperands;
	return 0;
}

static int run(struct options *o, struct diag *d)
{
	struct target t = { 0 };
	size_t older;
	int code;

	if (parse(o, d))
		return CMD_USAGE;
	if (!o->file && !o->pids.n)
		return list_probed(o->format == OPTION_JSON, d);
	/* A file has the same in all processes. */
	code = (o->file ? target_set_file(&t, o->file, &older, d) :
			  target_add_pids(&t, &o->pids, d)) ? CMD_FAILED : CMD_DONE;
	for (size_t i = 0; !code && i < t.nbins; i++)
		if (gobin_unread(t.bins[i]))
			fprintf(stderr, "goprobectl: warning: %s\n", gobin_unread(t.bins[i]));
	if (!code)
		code = o->vars ? list_vars(&t, o, d) : list_functions(&t, o, d);
	target_fini(&t);
	return code;
}

const struct cmd cmd_list = {
	.name = "list",
	.summary = "list functions that can be probed, or current sessions",
	.command = COMMAND_LIST,
	.needs = CMD_NEEDS_PROCESS,
	.about = about,
	.examples = examples,
	.operands = CMD_TEXTS,
	.run = run,
};
