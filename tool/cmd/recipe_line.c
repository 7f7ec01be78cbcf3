// SPDX-License-Identifier: GPL-2.0
/*
 * A command line of a recipe, for one program. A recipe is text that nobody trusts: its commands
 * look, and neither change a program nor write a file, open a port or start anything. What the user
 * types behind it can do all that.
 */
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/recipe_line.h"
#include "eval/watchvar.h"
#include "gobin/buildinfo.h"
#include "plan/loose_name.h"

/* Stands for the path of the program's module in a regular expression. */
static const char module_word[] = "{module}";

/* A line that is being made a command. */
struct making {
	const struct recipe *r;			/* the recipe */
	const struct recipe_line *line;		/* the line */
	struct target *t;			/* the program */
	struct arena *mem;			/* for what is made */
	struct recipe_line_made *to;		/* what it becomes */
	struct options o;			/* the options of all words */
};

/* --- what a recipe may do -------------------------------------------- */

static const struct cmd *const looks[] = {
	&cmd_attach, &cmd_count, &cmd_latency, &cmd_top, &cmd_stack, &cmd_graph, &cmd_stuck,
	&cmd_goroutines, &cmd_watch, &cmd_read, &cmd_list, &cmd_search,
};

/* Say where in the recipe it is. */
static int at_line(const struct recipe *r, const struct recipe_line *line, int code,
		   struct diag *d)
{
	struct diag inner = *d;

	d->message = NULL;
	diag_set(d, "%s:%u: %s", r->path, line->number,
		 inner.message ?: "--help has no place here");
	free(inner.message);
	return code;
}

const struct cmd *recipe_line_command(const struct recipe *r, const struct recipe_line *line,
				      struct diag *d)
{
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
		if (!strcmp(looks[i]->name, line->words[0]))
			return looks[i];
	diag_set(d, "%s:%u: '%s' is no command that a recipe can run", r->path, line->number,
		 line->words[0]);
	diag_hint(d, "a line begins with attach, count, latency, top, stack, graph, stuck, goroutines, watch, read, list or search");
	return NULL;
}

/* The words of @line as an argv[], with @n others behind. */
static char **join(const struct recipe_line *line, char **user, size_t n, struct arena *mem)
{
	char **argv = arena_array(mem, line->n + n + 1, sizeof(*argv));

	for (size_t i = 0; argv && i < line->n; i++)
		argv[i] = line->words[i];
	for (size_t i = 0; argv && i < n; i++)
		argv[line->n + i] = user[i];
	if (argv)
		argv[line->n + n] = NULL;
	return argv;
}

static int out_of_memory(struct diag *d)
{
	diag_set(d, "out of memory");
	return CMD_FAILED;
}

/* A spec that changes calls. */
static bool edits(const char *word)
{
	struct spec spec;
	struct diag why = { 0 };
	bool found = !spec_parse(word, &spec, &why) && spec_edits(&spec);

	if (!why.message)
		spec_fini(&spec);
	diag_fini(&why);
	return found;
}

/* The line alone, without the user's words. */
static int check(const struct making *m, struct diag *d)
{
	struct options o;
	const char *what = NULL;
	char **argv = join(m->line, NULL, 0, m->mem);
	int code;

	if (!argv)
		return out_of_memory(d);
	options_init(&o, m->to->cmd->command);
	code = cmd_parse_options(m->to->cmd, &o, (int)m->line->n, argv, d);
	if (!code && o.argv)
		what = "start programs";
	else if (!code && (o.output || o.record))
		what = "write files";
	else if (!code && (o.listen || o.open))
		what = "open ports";
	for (size_t i = 0; !code && !what && i < o.noperands; i++)
		if (m->to->cmd->edits && edits(o.operands[i]))
			what = "change calls";
	if (what) {
		diag_set(d, "a recipe can't %s", what);
		diag_hint(d, "type that behind the recipe's name, or use the command itself");
		code = CMD_USAGE;
	}
	options_fini(&o);
	return code ? at_line(m->r, m->line, code, d) : CMD_DONE;
}

/* --- the program ------------------------------------------------------ */

static int find_target(struct making *m, struct diag *d)
{
	struct options *o = &m->o;
	sigset_t mask;
	size_t older;
	int code = cmd_check_target(m->to->cmd, o, d);

	if (!code && m->t->nbins)
		return CMD_DONE;
	if (!code && !o->pids.n && !o->file && !o->argv && !option_wishes(o)) {
		diag_set(d, "no program: give -p PID, --container NAME or -b FILE");
		return CMD_USAGE;
	}
	if (!code)
		code = option_choose(o, d);
	if (code)
		return code;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	if (o->file ? target_set_file(m->t, o->file, &older, d) :
	    o->argv ? target_set_command(m->t, o->argv, &mask, d) :
		      target_add_pids(m->t, &o->pids, d))
		return CMD_FAILED;
	return CMD_DONE;
}

/* The path of the main module, "" if the program does not have it. */
static const char *module_path(struct making *m)
{
	char *modules = buildinfo_modules(gobin_file(m->t->bins[0]));
	const char *mod = modules ? strstr(modules, "mod\t") : NULL;
	const char *path = mod ? arena_strndup(m->mem, mod + 4, strcspn(mod + 4, "\t\n")) : "";

	free(modules);
	return path;
}

/* @word with the module's path in place of {module}, or NULL without memory. */
static char *fill(struct making *m, char *word)
{
	char *at = strstr(word, module_word), *made = NULL;
	const char *path = at ? module_path(m) : NULL;
	struct buf b = { 0 };

	if (!at)
		return word;
	buf_mem(&b, word, (size_t)(at - word));
	for (const char *p = path ?: ""; *p; p++) {
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
			buf_char(&b, '\\');
		buf_char(&b, *p);
	}
	/* A program without a module has no functions but main's. */
	buf_str(&b, path && *path ? "" : "main");
	buf_str(&b, at + strlen(module_word));
	if (path && !b.failed)
		made = arena_strndup(m->mem, b.p, b.len);
	buf_fini(&b);
	return made;
}

static bool has_function(const struct target *t, struct spec *spec)
{
	const struct name_set names = { .bins = t->bins, .nbins = t->nbins };
	struct name_walk w = { 0 };
	struct diag why = { 0 };

	if (spec_is_place(spec) || loosename_resolve(&names, spec, &why)) {
		/* The command says what is wrong. */
		diag_fini(&why);
		return true;
	}
	for (const struct gofunc *f; (f = name_set_next(&names, &w));)
		if (f->entry && spec_match(spec, f->name))
			return true;
	return false;
}

static bool has_variable(struct making *m, const char *text)
{
	const struct expr_scope scope = {
		.bin = m->t->bins[0], .secrets = &m->o.plan.secrets, .mem = m->mem,
	};
	struct watchvar v = { .text = text };
	struct diag why = { 0 };
	bool has = !watchvar_compile(&v, &scope, &why);

	diag_fini(&why);
	return has;
}

/* What is said of a word that the program lacks: without what follows a pattern. */
static const char *lack(struct making *m, const char *word)
{
	struct diag why = { 0 };
	struct spec spec;
	const char *text = word;

	if (m->to->cmd->operands < CMD_SPECS)
		return word;
	if (!spec_parse(word, &spec, &why)) {
		text = arena_strndup(m->mem, word, spec.end) ?: word;
		spec_fini(&spec);
	}
	diag_fini(&why);
	return text;
}

/* A word that is not understood stays: the command says why. */
static bool has(struct making *m, const char *word)
{
	enum command command = m->to->cmd->command;
	struct diag why = { 0 };
	struct spec spec;
	bool found;

	if (command == COMMAND_READ || command == COMMAND_WATCH)
		return has_variable(m, word);
	if (m->to->cmd->operands < CMD_SPECS)
		return true;
	if (spec_parse(word, &spec, &why)) {
		diag_fini(&why);
		return true;
	}
	found = has_function(m->t, &spec);
	spec_fini(&spec);
	return found;
}

/* --- the words -------------------------------------------------------- */

static bool is_operand(const struct options *o, const char *word)
{
	for (size_t i = 0; i < o->noperands; i++)
		if (o->operands[i] == word)
			return true;
	return false;
}

/* The recipe has its own: one more would mean something else in each. */
static int check_user(const struct making *m, char **user, size_t n, struct diag *d)
{
	for (size_t i = 0; i < n && strcmp(user[i], "--") != 0; i++) {
		if (!is_operand(&m->o, user[i]))
			continue;
		diag_set(d, "a recipe has its patterns, and takes options only: what is '%s'?",
			 user[i]);
		diag_hint(d, "to change them, copy the command that it runs, or the recipe");
		return CMD_USAGE;
	}
	return CMD_DONE;
}

/* Keep what the program has. */
static int choose(struct making *m, char **user, size_t n, struct diag *d)
{
	struct recipe_line_made *to = m->to;

	to->argv = arena_array(m->mem, m->line->n + n + 1, sizeof(*to->argv));
	to->lacks = arena_array(m->mem, m->line->n, sizeof(*to->lacks));
	if (!to->argv || !to->lacks)
		return out_of_memory(d);
	to->applies = !m->o.noperands;
	for (size_t i = 0; i < m->line->n; i++) {
		bool operand = is_operand(&m->o, m->line->words[i]);
		char *word = operand ? fill(m, m->line->words[i]) : m->line->words[i];

		if (!word)
			return out_of_memory(d);
		if (operand && !has(m, word)) {
			to->lacks[to->nlacks++] = lack(m, word);
			continue;
		}
		to->applies |= operand;
		to->argv[to->argc++] = word;
	}
	for (size_t i = 0; i < n; i++)
		to->argv[to->argc++] = user[i];
	to->argv[to->argc] = NULL;
	return CMD_DONE;
}

int recipe_line_make(const struct recipe *r, const struct recipe_line *line, char **user, size_t n,
		     struct target *t, struct arena *mem, struct recipe_line_made *ret,
		     struct diag *d)
{
	struct making m = { .r = r, .line = line, .t = t, .mem = mem, .to = ret };
	char **argv = join(line, user, n, mem);
	int code;

	*ret = (struct recipe_line_made){ .cmd = recipe_line_command(r, line, d) };
	if (!ret->cmd)
		return CMD_USAGE;
	if (!argv)
		return out_of_memory(d);
	code = check(&m, d);
	if (code)
		return code;
	options_init(&m.o, ret->cmd->command);
	code = cmd_parse_options(ret->cmd, &m.o, (int)(line->n + n), argv, d);
	if (!code)
		code = check_user(&m, user, n, d);
	if (!code)
		code = find_target(&m, d);
	if (!code)
		code = choose(&m, user, n, d);
	ret->quiet = m.o.quiet;
	options_fini(&m.o);
	return code;
}
