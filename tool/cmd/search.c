// SPDX-License-Identifier: GPL-2.0
/* goprobectl search: functions whose names or files match words, and package variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/writing.h"
#include "cmd/cmd.h"
#include "cmd/next.h"
#include "compile/varname.h"
#include "output/function_list.h"
#include "output/package_variable.h"
#include "plan/search.h"
#include "plan/variables.h"
#include "process/target.h"

static const char about[] =
"Usage: goprobectl search [--vars] [--top N] [-o text|json] -p PID|-b FILE WORD...\n"
"\n"
"Find functions by parts of their names or files, in any case. Each WORD must match.\n"
"The program's own functions come first, then those of its dependencies, of the\n"
"standard library and of the runtime; each in this order: equal, prefix, start of a\n"
"part, anywhere, path of the file. Last come functions that cannot be probed, with the\n"
"reason. If nothing matches, names match that have the letters of each WORD in its\n"
"order. The columns are those of 'goprobectl list'. With --vars, find package variables,\n"
"which 'goprobectl read' and 'watch' print.\n";

static const char examples[] =
"Examples:\n"
"  What adds to a cart?\n"
"      goprobectl search -b ./shop cart add\n"
"  Which function sends queries?\n"
"      goprobectl search -p 1234 query --top 5\n"
"  Where does the program keep its configuration?\n"
"      goprobectl search -p 1234 --vars config\n";

struct found {
	struct gobin *bin;
	const struct gofunc *fn;
	struct function_list_survey survey;
	unsigned int rank;
	enum search_owner owner;
};

struct finds {
	struct found *v;
	size_t n;
};

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_use(const void *a, const void *b)
{
	const struct found *fa = a, *fb = b;
	const char *na = fa->fn->name, *nb = fb->fn->name;
	const int orders[] = {
		order(!!fa->survey.refused, !!fb->survey.refused),
		order(fa->owner, fb->owner),
		order(fa->rank, fb->rank),
		order(strlen(na), strlen(nb)),
		strcmp(na, nb),
		order(fa->fn->entry, fb->fn->entry),
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		if (orders[i])
			return orders[i];
	return 0;
}

/* Add the functions of @bin, in the order of the file, so that it is read once. */
static int find_in(struct finds *finds, struct gobin *bin, const struct options *o)
{
	struct search_layout layout;
	const struct gofunc *f;
	struct found *v;
	size_t n;

	if (gobin_load_inlined(bin))
		return -1;
	f = gobin_funcs(bin, &n);
	v = realloc(finds->v, (finds->n + n + 1) * sizeof(*v));
	if (!v)
		return -1;
	finds->v = v;
	search_layout_init(&layout, f, n);
	for (size_t i = 0; i < n; i++) {
		struct found *found = &v[finds->n];
		unsigned int rank = search_rank(&f[i], o->operands, o->noperands);

		if (rank == SEARCH_NO_MATCH)
			continue;
		*found = (struct found){ .bin = bin, .fn = &f[i], .rank = rank,
					 .owner = search_owner(&layout, &f[i]) };
		function_list_survey(bin, found->fn, &found->survey);
		finds->n++;
	}
	return 0;
}

/* Where names have the words themselves, those that only have their letters are noise. */
static void drop_scattered(struct finds *finds)
{
	size_t n = 0;

	for (size_t i = 0; i < finds->n; i++)
		if (finds->v[i].rank < SEARCH_SCATTERED)
			finds->v[n++] = finds->v[i];
	if (n)
		finds->n = n;
}

static int no_match(const struct target *t, const struct options *o, struct diag *d)
{
	struct suggest near;

	diag_set(d, o->noperands > 1 ? "no function matches all words" : "no function matches '%s'",
		 o->operands[0]);
	suggest_init(&near, o->operands[0]);
	for (size_t i = 0; i < t->nbins; i++)
		for (const struct gofunc *f = NULL; (f = gobin_next(t->bins[i], f));)
			suggest_offer(&near, f->name);
	if (o->noperands > 1)
		diag_hint(d, "search for fewer words");
	else if (!suggest_set_hint(&near, d))
		diag_hint(d, "search for a shorter part of the name");
	return -1;
}

static int print(const struct finds *finds, const struct options *o, struct diag *d)
{
	size_t n = finds->n < o->top ? finds->n : o->top;
	struct function_list list;
	struct buf b = { 0 };
	int err;

	function_list_init(&list, o->format == OPTION_JSON);
	for (size_t i = 0; i < n; i++)
		function_list_add(&list, finds->v[i].fn);
	for (size_t i = 0; i < n; i++)
		function_list_measure(&list, finds->v[i].bin, finds->v[i].fn);
	function_list_header(&list, &b);
	for (size_t i = 0; i < n; i++)
		function_list_put(&list, finds->v[i].bin, finds->v[i].fn, &finds->v[i].survey, &b);
	err = writing_print(&b, d);
	if (!err && n < finds->n)
		fprintf(stderr, "goprobectl: %zu of %zu functions; --top shows more\n", n,
			finds->n);
	if (!err && !finds->v[0].survey.refused)
		next_say(&(struct next){
			.command = "attach", .name = finds->v[0].fn->name,
			.why = "its calls, with arguments and results",
		}, o);
	function_list_fini(&list);
	buf_fini(&b);
	return err;
}

/* --- variables ---------------------------------------------------------------- */

static int by_likely_use(const void *a, const void *b)
{
	const struct variables_found *va = a, *vb = b;
	const int orders[] = {
		order(va->owner, vb->owner),
		order(va->rank, vb->rank),
		order(strlen(va->name), strlen(vb->name)),
		strcmp(va->name, vb->name),
		order(va->v.vaddr, vb->v.vaddr),
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		if (orders[i])
			return orders[i];
	return 0;
}

static void drop_scattered_variables(struct variables *vars)
{
	size_t n = 0;

	for (size_t i = 0; i < vars->n; i++)
		if (vars->v[i].rank < SEARCH_SCATTERED)
			vars->v[n++] = vars->v[i];
	if (n)
		vars->n = n;
}

static int no_variable(const struct target *t, const struct options *o, struct diag *d)
{
	if (!varname_are_known(t->bins[0]))
		return varname_unknown(t->bins[0], o->operands[0], d);
	if (o->noperands > 1) {
		diag_set(d, "no package variable matches all words");
		diag_hint(d, "search for fewer words");
		return -1;
	}
	diag_set(d, "no package variable matches '%s'", o->operands[0]);
	diag_hint(d, "search for a shorter part of the name");
	return -1;
}

static int print_variables(const struct variables *vars, const struct options *o, struct diag *d)
{
	size_t n = vars->n < o->top ? vars->n : o->top;
	struct package_variable_list list;
	struct buf b = { 0 };
	int err;

	package_variable_init(&list, vars, n, o->format == OPTION_JSON);
	package_variable_header(&list, &b);
	for (size_t i = 0; i < n; i++)
		package_variable_put(&list, &vars->v[i], &b);
	err = writing_print(&b, d);
	if (!err && n < vars->n)
		fprintf(stderr, "goprobectl: %zu of %zu variables; --top shows more\n", n, vars->n);
	if (!err && o->pids.n)
		next_say(&(struct next){
			.command = "read", .name = vars->v[0].name, .why = "its value",
		}, o);
	buf_fini(&b);
	return err;
}

static int search_variables(const struct target *t, const struct options *o, struct diag *d)
{
	struct variables vars = { 0 };
	int err = 0;

	if (variables_search(&vars, t->bins, t->nbins, o->operands, o->noperands))
		err = diag_set(d, "out of memory");
	variables_sort(&vars);
	if (!err && !vars.n)
		err = no_variable(t, o, d);
	if (!err) {
		drop_scattered_variables(&vars);
		qsort(vars.v, vars.n, sizeof(*vars.v), by_likely_use);
		err = print_variables(&vars, o, d);
	}
	variables_fini(&vars);
	return err;
}

static int search(const struct target *t, const struct options *o, struct diag *d)
{
	struct finds finds = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < t->nbins; i++)
		if (find_in(&finds, t->bins[i], o))
			err = diag_set(d, "out of memory");
	if (!err && !finds.n)
		err = no_match(t, o, d);
	if (!err) {
		drop_scattered(&finds);
		qsort(finds.v, finds.n, sizeof(*finds.v), by_use);
		err = print(&finds, o, d);
	}
	free(finds.v);
	return err;
}

static int run(struct options *o, struct diag *d)
{
	struct target t = { 0 };
	size_t older;
	int err;

	if (!o->file && !o->pids.n) {
		diag_set(d, "search needs a process or a file to look in: -p PID or -b FILE");
		return CMD_USAGE;
	}
	err = o->file ? target_set_file(&t, o->file, &older, d) : target_add_pids(&t, &o->pids, d);
	if (!err)
		err = o->vars ? search_variables(&t, o, d) : search(&t, o, d);
	target_fini(&t);
	return err ? CMD_FAILED : CMD_DONE;
}

const struct cmd cmd_search = {
	.name = "search",
	.summary = "find functions and variables by parts of their names",
	.command = COMMAND_SEARCH,
	.needs = CMD_NEEDS_PROCESS,
	.about = about,
	.examples = examples,
	.operands = CMD_TEXTS,
	.missing = "what is searched for? A WORD is missing",
	.run = run,
};
