// SPDX-License-Identifier: GPL-2.0
/* goprobectl run: a recipe's command, and the list of recipes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/writing.h"
#include "cmd/recipe_line.h"
#include "recipe/shelf.h"

static const char about[] =
"Usage: goprobectl run\n"
"       goprobectl run RECIPE [OPTION...] -p PID[,PID...]\n"
"       goprobectl run RECIPE [OPTION...] -b FILE\n"
"       goprobectl run RECIPE [OPTION...] -- COMMAND [ARG...]\n"
"       goprobectl run RECIPE --help\n"
"\n"
"Run a recipe: a command of goprobectl that answers a question about the usual libraries,\n"
"and knows their functions. It is printed before it runs, for you to change. Of the\n"
"functions that the recipe names, those that the program lacks are left out and named.\n"
"Options are the command's: --duration 10s, --top 5, -o json. Without a RECIPE all are\n"
"listed. Recipes of your own are files in ~/.config/goprobe/recipes; goprobectl-run(8)\n"
"says how they are written. A RECIPE with a slash is a file.\n";

static const char examples[] =
"Examples:\n"
"  Which recipes are there, and what does one run?\n"
"      goprobectl run\n"
"      goprobectl run sql --help\n"
"  Which statements does a service send to its database, and how long do they take?\n"
"      goprobectl run sql -p 4121 --duration 10s\n"
"  Who waits for locks?\n"
"      goprobectl run locks -p shop --duration 10s --top 5\n";

static int list(struct diag *d)
{
	struct buf b = { 0 };
	int err;

	shelf_put_list(&b);
	err = writing_print(&b, d);
	buf_fini(&b);
	return err ? CMD_FAILED : CMD_DONE;
}

static int show(const struct recipe *r, struct diag *d)
{
	struct buf b = { 0 };
	int err;

	recipe_put_text(r, &b);
	buf_str(&b, "\nThis is ");
	buf_str(&b, r->path);
	buf_str(&b, ". 'goprobectl run --help' says what can follow its name.\n");
	err = writing_print(&b, d);
	buf_fini(&b);
	return err ? CMD_FAILED : CMD_DONE;
}

static void say_command(const char *what, const struct recipe_line_made *made)
{
	struct buf b = { 0 };

	buf_str(&b, what);
	buf_str(&b, "goprobectl");
	for (size_t i = 0; i < made->argc; i++) {
		buf_char(&b, ' ');
		quote_shell(&b, made->argv[i]);
	}
	fprintf(stderr, "%.*s\n", (int)b.len, b.p);
	buf_fini(&b);
}

static void put_lacks(const struct recipe_line_made *made, struct buf *b)
{
	for (size_t i = 0; i < made->nlacks; i++) {
		buf_str(b, i ? ", '" : "'");
		buf_str(b, made->lacks[i]);
		buf_char(b, '\'');
	}
}

static void say_lacks(const struct recipe_line_made *made, const struct target *t)
{
	struct buf b = { 0 };

	if (!made->nlacks)
		return;
	put_lacks(made, &b);
	fprintf(stderr, "left out, since %s has nothing of that name: %.*s\n",
		gobin_name(t->bins[0]), (int)b.len, b.p);
	buf_fini(&b);
}

/* No line is of use. */
static int nothing(const char *name, const struct recipe_line_made *made, size_t n,
		   const struct target *t, struct diag *d)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < n; i++) {
		buf_str(&b, i && made[i].nlacks ? ", " : "");
		put_lacks(&made[i], &b);
	}
	diag_set(d, "%s has nothing that the recipe '%s' asks for: %.*s", gobin_name(t->bins[0]),
		 name, (int)b.len, b.p);
	diag_hint(d, "'goprobectl run' lists the recipes, and 'goprobectl search' finds functions by parts of their names");
	buf_fini(&b);
	return CMD_FAILED;
}

/*
 * Make @made of the lines; returns the first that is of use, NULL if none is or with @d set. An
 * option that a later line does not take is no error.
 */
static const struct recipe_line_made *choose(const struct recipe *r, char **user, size_t n,
					     struct target *t, struct arena *mem,
					     struct recipe_line_made *made, int *code,
					     struct diag *d)
{
	const struct recipe_line_made *first = NULL;

	for (size_t i = 0; i < r->nlines; i++) {
		const struct recipe_line *line = &r->lines[i];
		struct diag why = { 0 };

		made[i] = (struct recipe_line_made){ 0 };
		if (first && line->instead)
			continue;
		*code = recipe_line_make(r, line, user, n, t, mem, &made[i], &why);
		if (*code && !first) {
			*d = why;
			return NULL;
		}
		made[i].applies &= !*code;
		*code = CMD_DONE;
		diag_fini(&why);
		if (made[i].applies && !first)
			first = &made[i];
	}
	return first;
}

/* The first line that is of use; the others are named. */
static int cook(const char *name, const struct recipe *r, char **user, size_t n, struct diag *d)
{
	struct recipe_line_made made[RECIPE_LINES_MAX];
	const struct recipe_line_made *first;
	struct target t = { 0 };
	struct arena mem = { 0 };
	int code = CMD_DONE;

	first = choose(r, user, n, &t, &mem, made, &code, d);
	if (!code && !first)
		code = nothing(name, made, r->nlines, &t, d);
	if (!code) {
		say_lacks(first, &t);
		if (!first->quiet)
			say_command("running: ", first);
		for (size_t i = 0; !first->quiet && i < r->nlines; i++)
			if (&made[i] != first && made[i].applies)
				say_command("also of use: ", &made[i]);
	}
	target_fini(&t);
	if (!code)
		code = cmd_execute(first->cmd, (int)first->argc, first->argv, d);
	arena_fini(&mem);
	return code;
}

static bool asks_help(const struct options *o)
{
	for (size_t i = 1; i < o->noperands && strcmp(o->operands[i], "--") != 0; i++)
		if (!strcmp(o->operands[i], "--help") || !strcmp(o->operands[i], "-h"))
			return true;
	return false;
}

static int run(struct options *o, struct diag *d)
{
	const char *name = o->noperands ? o->operands[0] : NULL;
	struct recipe r = { 0 };
	struct shelf shelf;
	int code = CMD_DONE;

	if (!name)
		return list(d);
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		return CMD_HELP;
	if (*name == '-') {
		diag_set(d, "the name of the recipe comes first, not '%s'", name);
		diag_hint(d, "goprobectl run RECIPE -p PID; 'goprobectl run' lists the recipes");
		return CMD_USAGE;
	}
	shelf_init(&shelf);
	if (shelf_read(&shelf, name, &r, d))
		code = CMD_USAGE;
	else if (asks_help(o))
		code = show(&r, d);
	else
		code = cook(name, &r, o->operands + 1, o->noperands - 1, d);
	recipe_fini(&r);
	shelf_fini(&shelf);
	return code;
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "run a recipe: a known question, for the usual libraries",
	.command = COMMAND_RUN,
	.about = about,
	.examples = examples,
	.operands = CMD_WORDS,
	.run = run,
};
