// SPDX-License-Identifier: GPL-2.0
/* The command line of all commands: options by the table, targets, patterns. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cmd/cmd.h"
#include "cmd/picture.h"
#include "gotype/shown_name.h"
#include "plan/select.h"

/* Values of long options begin here; those with a letter have the letter. */
#define LONG_OPTIONS 256

/* For getopt_long(), with --help; ends with zeros. @letters: ":p:b:h". */
static void make_getopt(enum command command, struct option *v, char *letters)
{
	*letters++ = ':';
	for (size_t i = 0; i < option_number; i++) {
		const struct option_row *row = &option_rows[i];

		if (!option_is_of(row, command) || !row->name)
			continue;
		*v++ = (struct option){
			row->name, row->kind == OPTION_FLAG ? no_argument : required_argument,
			NULL, row->letter ? row->letter : LONG_OPTIONS + (int)i,
		};
		if (row->letter)
			*letters++ = row->letter;
		if (row->letter && row->kind != OPTION_FLAG)
			*letters++ = ':';
	}
	*v++ = (struct option){ "help", no_argument, NULL, 'h' };
	*v = (struct option){ 0 };
	*letters++ = 'h';
	*letters = 0;
}

static const struct option_row *row_of(enum command command, int opt)
{
	if (opt >= LONG_OPTIONS)
		return &option_rows[opt - LONG_OPTIONS];
	for (size_t i = 0; i < option_number; i++)
		if (option_rows[i].letter == opt && option_is_of(&option_rows[i], command))
			return &option_rows[i];
	return NULL;
}

/* --- what is wrong with an option ------------------------------------ */

static const char condition[] = "a condition stands behind its pattern: 'main.f if n > 3'";
static const char json[] = "'-o json' does that";

/* What other tools call it, and the option, the first that the command has, or the hint. */
static const struct called {
	const char *typed;
	const char *does;	/* a hint has blanks */
} called[] = {
	{ "d", "duration" }, { "t", "duration" }, { "timeout", "duration" }, { "for", "duration" },
	{ "seconds", "duration" }, { "n", "events" }, { "n", "count" }, { "n", "top" },
	{ "c", "events" }, { "c", "count" }, { "count", "events" }, { "count", "top" },
	{ "events", "count" }, { "times", "events" }, { "times", "count" },
	{ "max-events", "events" }, { "limit", "events" }, { "limit", "count" }, { "limit", "top" },
	{ "lines", "count" },
	{ "every", "interval" }, { "callers", "stack" }, { "backtrace", "stack" }, { "k", "stack" },
	{ "s", "stack" }, { "stack-depth", "frames" }, { "max-depth", "depth" },
	{ "group-by", "by" },
	{ "key", "by" }, { "f", "output" }, { "out", "output" }, { "file", "binary" },
	{ "exe", "binary" }, { "program", "binary" }, { "name", "pid" }, { "comm", "pid" },
	{ "process", "pid" }, { "json", json }, { "j", json },
	{ "no-color", "'--color never' does that" }, { "v", "full" }, { "verbose", "full" },
	{ "filter", condition },
	{ "where", condition },
	{ "if", condition },
	{ "tid", "a condition chooses a goroutine: 'main.f if goid == 7'" },
	{ "thread", "a condition chooses a goroutine: 'main.f if goid == 7'" },
};

/* Is there a hint at what @name does here, of another tool? */
static bool hint_called(const char *name, enum command command, struct diag *d)
{
	for (size_t i = 0; i < sizeof(called) / sizeof(*called); i++) {
		const struct called *c = &called[i];
		bool hint = strchr(c->does, ' ');
		const struct option_row *row = hint ? NULL : option_find(command, c->does);

		if (strcmp(c->typed, name) != 0 || (!row && !hint))
			continue;
		if (row)
			diag_hint(d, "'--%s%s%s' does that", row->name, row->arg ? " " : "",
				  row->arg ? row->arg : "");
		else
			diag_hint(d, "%s", c->does);
		return true;
	}
	return false;
}

static int unknown_option(const char *text, enum command command, const struct option *options,
			  struct diag *d)
{
	struct suggest near;

	diag_set(d, "unknown option '%s'", text);

	const char *word = text + (strncmp(text, "--", 2) ? 1 : 2);
	char *name = strndup(word, strcspn(word, "="));

	if (!name)
		return CMD_USAGE;
	if (hint_called(name, command, d) || word == text + 1) {
		free(name);
		return CMD_USAGE;
	}
	suggest_init(&near, name);
	for (; options->name; options++)
		suggest_offer(&near, options->name);
	if (near.n)
		diag_hint(d, "did you mean '--%s'?", near.name[0]);
	free(name);
	return CMD_USAGE;
}

/* getopt_long() has returned @got, '?' or ':'. */
static int bad_option(char **argv, int got, enum command command, const struct option *options,
		      struct diag *d)
{
	const char *text = argv[optind - 1];
	char letter[] = { '-', optopt, 0 };
	const struct option *o = options;

	/* optopt is a letter, or the value of a long option that is known. */
	while (o->name && o->val != optopt)
		o++;
	if (got == ':') {
		diag_set(d, "option '%s' needs a value", strncmp(text, "--", 2) ? letter : text);
		return CMD_USAGE;
	}
	if (!optopt)
		return unknown_option(text, command, options, d);
	if (o->name && strncmp(text, "--", 2) == 0) {
		diag_set(d, "option '--%s' takes no value", o->name);
		return CMD_USAGE;
	}
	return unknown_option(letter, command, options, d);
}

/* --- what is traced -------------------------------------------------- */

static bool takes_command(enum command command)
{
	for (size_t i = 0; i < option_number; i++)
		if (option_rows[i].kind == OPTION_COMMAND && option_is_of(&option_rows[i], command))
			return true;
	return false;
}

/* What follows "--" is the command's, options and all. */
static int cut_command(struct options *o, int *argc, char **argv, struct diag *d)
{
	int i = 1;

	while (i < *argc && strcmp(argv[i], "--") != 0)
		i++;
	if (i == *argc)
		return CMD_DONE;
	if (!argv[i + 1]) {
		diag_set(d, "there is no command after '--'");
		return CMD_USAGE;
	}
	o->argv = argv + i + 1;
	argv[i] = NULL;
	*argc = i;
	return CMD_DONE;
}

int cmd_check_target(const struct cmd *cmd, const struct options *o, struct diag *d)
{
	const struct option_row *pid = option_find(cmd->command, "pid");
	bool running = o->pids.n || o->file || option_wishes(o);

	if (o->pids.n && option_wishes(o))
		diag_set(d, "-p names processes, and --container, --pod or --cgroup finds them: choose one");
	else if (pid && pid->kind == OPTION_PID && !o->pids.n && !option_wishes(o))
		diag_set(d, "no process: give -p PID, or --container NAME");
	else if (running && o->argv)
		diag_set(d, "-p, -b and --container choose what runs already: they exclude a command");
	else if (cmd->operands >= CMD_SPECS && !running && !o->argv)
		diag_set(d, "nothing to trace: give -p PID, --container NAME, -b FILE or -- COMMAND");
	else
		return CMD_DONE;
	return CMD_USAGE;
}

/* --- operands -------------------------------------------------------- */

static int check_spec(const struct cmd *cmd, const struct spec *s, struct diag *d)
{
	if (!cmd->places && spec_is_place(s)) {
		spec_no_place(s, "a place in the code is no call: it has no end, and nothing is called in it",
			      d);
		diag_hint(d, "attach shows places, and count counts them");
		return -1;
	}
	if (!cmd->edits && spec_edits(s))
		return diag_set(d, "'%s' changes calls, and only 'goprobectl attach' does that",
				s->text);
	return 0;
}

static int parse_specs(const struct cmd *cmd, struct options *o, struct diag *d)
{
	int (*parse)(char **texts, size_t n, struct spec **ret, struct diag *d) =
		cmd->operands == CMD_SPECS ? select_specs_parse :
		o->by.n ? select_signatures_parse : select_conditions_parse;

	if (parse(o->operands, o->noperands, &o->specs, d))
		return CMD_USAGE;
	o->nspecs = o->noperands;
	for (size_t i = 0; i < o->nspecs; i++)
		if (check_spec(cmd, &o->specs[i], d))
			return CMD_USAGE;
	return CMD_DONE;
}

/* What follows the file. */
static int parse_recorded(struct options *o, struct diag *d)
{
	if (select_specs_parse(o->operands + 1, o->noperands - 1, &o->specs, d))
		return CMD_USAGE;
	o->nspecs = o->noperands - 1;
	return CMD_DONE;
}

static int parse_operands(const struct cmd *cmd, struct options *o, struct diag *d)
{
	const char *missing = cmd->operands >= CMD_SPECS ? "no PATTERN: which functions?" :
			      cmd->missing;

	if (!o->noperands && missing)
		diag_set(d, "%s", missing);
	else if (o->noperands && cmd->operands == CMD_NO_OPERANDS)
		diag_set(d, "%s takes no argument '%s'", cmd->name, o->operands[0]);
	else
		return cmd->operands >= CMD_SPECS ? parse_specs(cmd, o, d) :
		       cmd->operands == CMD_RECORDING ? parse_recorded(o, d) : CMD_DONE;
	return CMD_USAGE;
}

/* --- all of it ------------------------------------------------------- */

static int parse_options(struct options *o, int argc, char **argv, struct diag *d)
{
	struct option v[OPTION_ROWS_MAX + 2];
	char letters[2 * OPTION_ROWS_MAX];
	int opt, code;

	make_getopt(o->command, v, letters);
	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, letters, v, NULL)) != -1) {
		if (opt == 'h')
			return CMD_HELP;
		if (opt == '?' || opt == ':')
			return bad_option(argv, opt, o->command, v, d);
		code = option_parse(o, row_of(o->command, opt), optarg, d);
		if (code)
			return code;
	}
	o->operands = argv + optind;
	o->noperands = argc - optind;
	return CMD_DONE;
}

int cmd_parse_options(const struct cmd *cmd, struct options *o, int argc, char **argv,
		      struct diag *d)
{
	int code = takes_command(cmd->command) ? cut_command(o, &argc, argv, d) : CMD_DONE;

	return code ? code : parse_options(o, argc, argv, d);
}

int cmd_parse(const struct cmd *cmd, struct options *o, int argc, char **argv, struct diag *d)
{
	int code;

	if (cmd->operands == CMD_WORDS) {
		o->operands = argv + 1;
		o->noperands = argc - 1;
		return CMD_DONE;
	}
	code = cmd_parse_options(cmd, o, argc, argv, d);
	if (!code)
		code = cmd_check_target(cmd, o, d);
	if (!code)
		code = parse_operands(cmd, o, d);
	if (!code)
		code = picture_check(o, d);
	return code ? code : exclusion_check(o, d);
}

int cmd_execute(const struct cmd *cmd, int argc, char **argv, struct diag *d)
{
	struct options o;
	int code;

	options_init(&o, cmd->command);
	code = cmd_parse(cmd, &o, argc, argv, d);
	if (code == CMD_DONE)
		code = option_choose(&o, d);
	if (code == CMD_DONE) {
		screen = o.screen;
		shown_name_form = screen.full ? SHOWN_NAME_WHOLE : SHOWN_NAME_SHORT;
		o.person = true;
		screen_open(STDOUT_FILENO);
		code = o.open ? picture_run(cmd, &o, d) : cmd->run(&o, d);
	}
	options_fini(&o);
	return code;
}

static const char *const needs[] = {
	[CMD_NEEDS_MODULE] = "Needs root and the module. Stops nothing: the program runs on.\n",
	[CMD_NEEDS_PROCESS] = "Needs no module, and root for processes of other users only. Stops nothing.\n",
	[CMD_NEEDS_NOTHING] = "Needs neither root nor the module.\n",
};

/* Examples stand first, behind the usage: many readers need no more. */
void cmd_help(const struct cmd *cmd, struct buf *b)
{
	const char *behind = strstr(cmd->about, "\n\n");
	size_t usage = behind ? (size_t)(behind + 2 - cmd->about) : 0;

	buf_mem(b, cmd->about, usage);
	buf_str(b, cmd->examples);
	buf_char(b, '\n');
	buf_str(b, cmd->about + usage);
	buf_char(b, '\n');
	buf_str(b, needs[cmd->needs]);
	for (enum option_group group = 0; group < OPTIONS_GROUPS; group++)
		option_help(cmd->command, group, b);
}
