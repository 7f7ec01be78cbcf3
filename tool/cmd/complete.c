// SPDX-License-Identifier: GPL-2.0
/* Completion of command lines, for shells: commands, options, processes, functions, variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/plain.h"
#include "cmd/complete.h"
#include "cmd/recipe_line.h"
#include "cmd/topic.h"
#include "gobin/variable.h"
#include "gotype/shown_name.h"
#include "process/containers.h"
#include "process/programs.h"
#include "process/target.h"
#include "recipe/shelf.h"

/* More names than these are offered by package, and then by type. */
#define NAMES_MOST 200

/* --- words -------------------------------------------------------------------------- */

/* As the shell would read the word; a quote at its end may be missing. */
static void unquote(char *word)
{
	char *to = word, quote = 0;

	for (const char *from = word; *from; from++) {
		if (quote ? *from == quote : *from == '\'' || *from == '"')
			quote = quote ? 0 : *from;
		else if (*from == '\\' && quote != '\'' && from[1])
			*to++ = *++from;
		else
			*to++ = *from;
	}
	*to = 0;
}

static void offer(struct buf *b, const char *prefix, const char *text, const char *description)
{
	if (strncmp(text, prefix, strlen(prefix)))
		return;
	plain_add(b, text);
	if (description) {
		buf_char(b, '\t');
		buf_mem(b, description, strcspn(description, "\n"));
	}
	buf_char(b, '\n');
}

/* The option that the first @len bytes of @word are, or NULL. */
static const struct option_row *option_of(enum command command, const char *word, size_t len)
{
	for (size_t i = 0; word[0] == '-' && i < option_number; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->name || !option_is_of(row, command))
			continue;
		if (len > 2 && word[1] == '-' ?
		    len - 2 == strlen(row->name) && !strncmp(word + 2, row->name, len - 2) :
		    len == 2 && row->letter && word[1] == row->letter)
			return row;
	}
	return NULL;
}

/* Of an option without a short name: no word has it. */
#define NO_LETTER '\n'

/* The value of "-p VALUE", "-pVALUE", "--pid VALUE" or "--pid=VALUE" among the words, or NULL. */
static const char *value_of(char **words, size_t n, char letter, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i + 1 < n; i++) {
		const char *word = words[i];
		bool is_long = !strncmp(word, "--", 2) && !strncmp(word + 2, name, len);

		if (is_long && word[2 + len] == '=')
			return word + 2 + len + 1;
		if (word[0] == '-' && word[1] == letter && word[2])
			return word + 2;
		if ((is_long && !word[2 + len]) || (word[0] == '-' && word[1] == letter))
			return i + 2 < n ? words[i + 1] : NULL;
	}
	return NULL;
}

/* --- names of functions and variables ------------------------------------------------ */

/* Names that begin as the word. */
struct names {
	const char *prefix;
	size_t len;		/* its length */
	bool counts;		/* they are counted, not kept */
	bool whole;		/* they are kept whole; or up to the next piece */
	char **v;
	size_t n;
	size_t cap;
};

/*
 * Up to the next end of a path's element, a package or a type behind the first @at bytes, or to the
 * type arguments: the name without them means all instances.
 */
static size_t piece(const char *name, size_t at)
{
	size_t len = at + strcspn(name + at, "./[");

	return name[len] && name[len] != '[' ? len + 1 : len;
}

static void add_name(struct names *names, const char *name)
{
	size_t len;
	char *copy;

	if (strncmp(name, names->prefix, names->len) != 0)
		return;
	len = names->whole ? strlen(name) : piece(name, names->len);
	names->n += names->counts;
	if (names->counts || grow(&names->v, names->n + 1, &names->cap, sizeof(*names->v)))
		return;
	copy = strndup(name, len);
	if (copy)
		names->v[names->n++] = copy;
}

/* With all of its package's path, and with its package's name: both are understood. */
static void add_both(struct names *names, const char *name)
{
	const char *called, *behind;
	size_t n;
	char text[1024];

	add_name(names, name);
	if (!names->len || !strchr(name, '/') || strchr(names->prefix, '/'))
		return;
	behind = shown_name_behind_package(name, &called, &n);
	if (!behind || strncmp(called, names->prefix, n < names->len ? n : names->len) != 0)
		return;
	snprintf(text, sizeof(text), "%.*s%s", (int)n, called, behind);
	add_name(names, text);
}

static void add_functions(struct names *names, const struct gobin *bin)
{
	for (const struct gofunc *f = NULL; (f = gobin_next(bin, f));) {
		if (names->counts && names->n > NAMES_MOST)
			return;
		if (f->entry)
			add_both(names, f->name);
	}
}

static int add_variable(void *ctx, const struct gobin_variable_at *at)
{
	struct names *names = ctx;

	/* C's have no package. */
	if (strchr(at->name, '.'))
		add_both(names, at->name);
	return names->counts && names->n > NAMES_MOST;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_all(struct names *names, const struct target *t, bool functions, bool variables)
{
	for (size_t i = 0; i < t->nbins; i++) {
		if (functions)
			add_functions(names, t->bins[i]);
		if (variables)
			gobin_variable_each(t->bins[i], add_variable, names);
	}
}

static void offer_names(const struct target *t, const char *prefix, bool functions,
			bool variables, struct buf *b)
{
	struct names count = { .prefix = prefix, .len = strlen(prefix), .counts = true };
	struct names names = { .prefix = prefix, .len = count.len };

	add_all(&count, t, functions, variables);
	names.whole = count.n <= NAMES_MOST;
	add_all(&names, t, functions, variables);
	if (names.n)
		qsort(names.v, names.n, sizeof(*names.v), by_name);
	for (size_t i = 0; i < names.n; i++)
		if (!i || strcmp(names.v[i], names.v[i - 1]))
			offer(b, "", names.v[i], NULL);
	for (size_t i = 0; i < names.n; i++)
		free(names.v[i]);
	free(names.v);
}

static bool has_word(char **words, size_t n, const char *word)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

static void complete_operand(const struct cmd *cmd, char **words, size_t n, struct buf *b)
{
	bool reads = cmd->command == COMMAND_READ || cmd->command == COMMAND_WATCH ||
		     cmd->command == COMMAND_WRITE;
	bool variables = reads || has_word(words, n, "--vars");
	const char *pids = value_of(words, n, 'p', "pid");
	struct options o = {
		.wish = {
			.container = value_of(words, n, NO_LETTER, "container"),
			.pod = value_of(words, n, NO_LETTER, "pod"),
			.group = value_of(words, n, NO_LETTER, "cgroup"),
		},
	};
	const char *file = value_of(words, n, 'b', "binary");
	struct target_pids list = { 0 };
	struct target t = { 0 };
	struct diag d = { 0 };
	size_t older;

	if (file ? !target_set_file(&t, file, &older, &d) :
	    pids ? !target_parse_pids(&list, pids, &d) && !target_add_pids(&t, &list, &d) :
	    option_wishes(&o) && !option_choose(&o, &d) && !target_add_pids(&t, &o.pids, &d))
		offer_names(&t, words[n - 1], !reads, variables, b);
	diag_fini(&d);
	free(list.v);
	free(o.pids.v);
	containers_choice_fini(&o.choice);
	target_fini(&t);
}

/* --- options ------------------------------------------------------------------------ */

/* The candidates for what follows @head in @word: they are offered with it. */
struct value {
	struct buf *b;
	const char *word;
	size_t head;
};

static void offer_value(const struct value *v, const char *text, const char *description)
{
	if (strncmp(text, v->word + v->head, strlen(v->word + v->head)))
		return;
	buf_mem(v->b, v->word, v->head);
	offer(v->b, "", text, description);
}

static void offer_processes(struct value v)
{
	const char *comma = strrchr(v.word + v.head, ',');
	struct programs p = { 0 };
	char text[16];

	if (comma)
		v.head = (size_t)(comma + 1 - v.word);
	if (!programs_find(&p, NULL))
		for (size_t i = 0; i < p.n; i++) {
			const char *name = strrchr(p.v[i].executable, '/');

			snprintf(text, sizeof(text), "%d", p.v[i].pid);
			offer_value(&v, text, p.v[i].executable);
			if (name && !comma && v.word[v.head] && !strchr(name, ' '))
				offer_value(&v, name + 1, p.v[i].executable);
		}
	programs_fini(&p);
}

/* What runs: names, and pods with their namespaces. */
static void offer_containers(const struct option_row *row, const struct value *v)
{
	bool pods = !strcmp(row->name, "pod");
	struct containers c = { 0 };
	char text[2 * CONTAINERS_NAME];

	if (!containers_find(&host_here, &c))
		for (size_t i = 0; i < c.n; i++) {
			const struct containers_one *one = &c.v[i];

			containers_pod(one, text);
			if (pods && text[0])
				offer_value(v, text, NULL);
			else if (!pods)
				offer_value(v, one->name[0] ? one->name : one->id, NULL);
		}
	containers_fini(&c);
}

static void complete_value(const struct option_row *row, const char *word, size_t head,
			   struct buf *b)
{
	const struct value v = { b, word, head };

	if (row->kind == OPTION_PIDS || row->kind == OPTION_PID)
		offer_processes(v);
	if (!strcmp(row->name, "container") || !strcmp(row->name, "pod"))
		offer_containers(row, &v);
	for (size_t i = 0; row->choices && row->choices[i]; i++)
		if (row->choices[i][0])
			offer_value(&v, row->choices[i], NULL);
}

static void complete_option(enum command command, const char *prefix, struct buf *b)
{
	char text[64];

	for (size_t i = 0; i < option_number; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->name || row->kind == OPTION_COMMAND || !option_is_of(row, command))
			continue;
		snprintf(text, sizeof(text), "--%s", row->name);
		offer(b, prefix, text, row->help);
	}
	offer(b, prefix, "--help", "show what the command does, with examples");
}

/* --- a command line ----------------------------------------------------------------- */

/* bash makes a word of "=": "--format", "=", "json". */
static size_t join_values(char **words, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || !to || strcmp(words[i], "=") || strncmp(words[to - 1], "--", 2))
			words[to++] = words[i];
	if (to && !strcmp(words[to - 1], "="))
		words[to - 1][0] = 0;
	return to;
}

/* What a topic of "help" is offered for. */
struct topics {
	struct buf *b;
	const char *prefix;
};

static void offer_topic(void *ctx, const char *name)
{
	const struct topics *t = ctx;

	offer(t->b, t->prefix, name, "topic of help");
}

/* What a recipe runs, or NULL. */
static const struct cmd *recipe_command(const struct shelf *s, const char *name, struct recipe *r)
{
	const struct cmd *cmd = NULL;
	struct diag d = { 0 };

	if (!shelf_read(s, name, r, &d))
		cmd = recipe_line_command(r, &r->lines[0], &d);
	diag_fini(&d);
	return cmd;
}

static void offer_recipe(const struct shelf *s, const char *prefix, const char *name,
			 struct buf *b)
{
	struct recipe r = { 0 };
	struct buf summary = { 0 };

	if (recipe_command(s, name, &r))
		recipe_put_summary(&r, &summary);
	buf_char(&summary, 0);
	offer(b, prefix, name, summary.failed ? NULL : summary.p);
	buf_fini(&summary);
	recipe_fini(&r);
}

/* The names of recipes; behind one, the command whose options may follow. */
static const struct cmd *complete_recipe(char **words, size_t n, struct buf *b)
{
	const struct cmd *cmd = NULL;
	struct shelf_names names = { 0 };
	struct recipe r = { 0 };
	struct shelf s;

	shelf_init(&s);
	if (n == 2)
		shelf_names(&s, &names);
	for (size_t i = 0; i < names.n; i++)
		offer_recipe(&s, words[1], names.v[i], b);
	if (n > 2)
		cmd = recipe_command(&s, words[1], &r);
	shelf_names_fini(&names);
	recipe_fini(&r);
	shelf_fini(&s);
	return cmd;
}

/* Texts that begin with the name of a function or a variable. */
static bool takes_names(enum command command)
{
	return command == COMMAND_LIST || command == COMMAND_READ || command == COMMAND_WATCH ||
	       command == COMMAND_WRITE;
}

void complete(const struct cmd *const *commands, char **words, size_t n, struct buf *b)
{
	const struct option_row *before, *given;
	const struct cmd *cmd = NULL;
	const char *word;
	bool recipe;
	size_t len;

	n = join_values(words, n);
	for (size_t i = 0; i < n; i++)
		unquote(words[i]);
	for (size_t i = 0; commands[i] && n; i++) {
		if (n == 1 || (n == 2 && !strcmp(words[0], "help")))
			offer(b, words[n - 1], commands[i]->name, commands[i]->summary);
		else if (!strcmp(words[0], commands[i]->name))
			cmd = commands[i];
	}
	if (n == 2 && !strcmp(words[0], "help"))
		topic_each(offer_topic, &(struct topics){ b, words[1] });
	/* What follows "--" is another program's. */
	for (size_t i = 1; i + 1 < n; i++)
		if (!strcmp(words[i], "--"))
			return;
	recipe = cmd && cmd->command == COMMAND_RUN;
	if (recipe)
		cmd = complete_recipe(words, n, b);
	if (!cmd)
		return;
	word = words[n - 1];
	len = strcspn(word, "=");
	given = option_of(cmd->command, word, len);
	before = option_of(cmd->command, words[n - 2], strlen(words[n - 2]));
	if (given && word[len] && given->kind != OPTION_FLAG)
		complete_value(given, word, len + 1, b);
	else if (before && before->kind != OPTION_FLAG)
		complete_value(before, word, 0, b);
	else if (word[0] == '-')
		complete_option(cmd->command, word, b);
	else if (!recipe && (cmd->operands >= CMD_SPECS || takes_names(cmd->command)))
		complete_operand(cmd, words, n, b);
}
