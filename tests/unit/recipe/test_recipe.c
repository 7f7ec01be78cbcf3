// SPDX-License-Identifier: GPL-2.0
/* Tests of recipes: how their lines become words, what is refused, and those that are installed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bins.h"
#include "rows.h"
#include "cmd/cmd.h"
#include "cmd/recipe_line.h"
#include "recipe/recipe.h"
#include "recipe/shelf.h"

/* A text with zeros in it. */
#define TEXT(s) { s, sizeof(s) - 1 }

struct text {
	const char *p;
	size_t len;
};

/* The words of each line in brackets, as a shell reads them. */
static const struct read_row {
	const char *claim;
	struct text text;
	const char *words;
} reads[] = {
	{ "words are separated by blanks", TEXT("count  -p\tx main.f\n"), "[count|-p|x|main.f]" },
	{ "the last line needs no end", TEXT("count x"), "[count|x]" },
	{ "blanks and comments are no words", TEXT("# what\n\n  count x # why\n"),
	  "[count|x]" },
	{ "a # in a word begins no comment", TEXT("count a#b\n"), "[count|a#b]" },
	{ "single quotes keep all", TEXT("count 'a \"$(x)\\ *' b\n"), "[count|a \"$(x)\\ *|b]" },
	{ "double quotes keep blanks, and escapes of themselves",
	  TEXT("count \"a \\\"b\\\" \\n c\"\n"), "[count|a \"b\" \\n c]" },
	{ "quotes join", TEXT("count a'b c'\"d\"e\n"), "[count|ab cde]" },
	{ "an empty word is one", TEXT("count ''\n"), "[count|]" },
	{ "a backslash takes one character", TEXT("count a\\ b \\*\n"), "[count|a b|*]" },
	{ "a line goes on behind a backslash", TEXT("count \\\n  a \\\n  b\n"), "[count|a|b]" },
	{ "a word, too", TEXT("count a\\\nb\n"), "[count|ab]" },
	{ "lines are alternatives", TEXT("count a\nelse stack b\n"), "[count|a][?stack|b]" },
	{ "else is a word elsewhere", TEXT("count else\n"), "[count|else]" },
	{ "letters of other languages are text", TEXT("count \xc3\xa9\n"), "[count|\xc3\xa9]" },
};

static char *words(const struct recipe *r)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < r->nlines; i++) {
		buf_str(&b, r->lines[i].instead ? "[?" : "[");
		for (size_t k = 0; k < r->lines[i].n; k++) {
			buf_str(&b, k ? "|" : "");
			buf_str(&b, r->lines[i].words[k]);
		}
		assert_null(r->lines[i].words[r->lines[i].n]);
		buf_char(&b, ']');
	}
	buf_char(&b, 0);
	assert_false(b.failed);
	return b.p;
}

ROWS(test_read, reads)
{
	const struct read_row *row = *state;
	struct recipe r = { 0 };
	struct diag d = { 0 };
	char *got;

	assert_int_equal(recipe_parse(&r, "f", row->text.p, row->text.len, &d), 0);
	got = words(&r);
	assert_string_equal(got, row->words);
	free(got);
	recipe_fini(&r);
}

static const struct refused_row {
	const char *claim;
	struct text text;
	const char *message;
} refused[] = {
	{ "no line", TEXT("# nothing\n"), "f has no command line" },
	{ "nothing", TEXT(""), "f has no command line" },
	{ "a quotation without an end", TEXT("\ncount 'a\n"),
	  "f:2: a quotation has no end: a ' is missing" },
	{ "one that the file ends", TEXT("count \"a"),
	  "f:1: a quotation has no end: a \" is missing" },
	{ "a backslash at the end", TEXT("count a\\"),
	  "f:1: nothing follows the backslash" },
	{ "another command behind", TEXT("count a; reboot\n"),
	  "f:1: ';' means something to a shell" },
	{ "a pipe", TEXT("count a |sh\n"), "f:1: '|' means something to a shell" },
	{ "a file", TEXT("count a >/etc/passwd\n"), "f:1: '>' means something to a shell" },
	{ "a variable", TEXT("count $HOME\n"), "f:1: '$' means something to a shell" },
	{ "a command in double quotes", TEXT("count \"`x`\"\n"),
	  "f:1: '`' means something to a shell" },
	{ "a glob that a shell would expand", TEXT("# x\ncount main.*\n"),
	  "f:2: '*' means something to a shell" },
	{ "a zero", TEXT("count a\0b\n"), "f:1: there is a byte that is no text, 0x00" },
	{ "an escape sequence", TEXT("# ok\n# \033[2J\ncount a\n"),
	  "f:2: there is a byte that is no text, 0x1b" },
	{ "a control character as UTF-8", TEXT("# \302\2332J\n"),
	  "f:1: there is a byte that is no text, 0xc2" },
	{ "no UTF-8", TEXT("count \xff\n"), "f:1: there is a byte that is no text, 0xff" },
	{ "a carriage return", TEXT("count a\r\n"), "f:1: there is a byte that is no text, 0x0d" },
	{ "else alone", TEXT("else\n"), "f:1: the line has no command" },
	{ "a line of a backslash", TEXT("\\\n\n"), "f:2: the line has no command" },
};

ROWS(test_refuse, refused)
{
	const struct refused_row *row = *state;
	struct recipe r = { 0 };
	struct diag d = { 0 };

	assert_int_equal(recipe_parse(&r, "f", row->text.p, row->text.len, &d), -1);
	assert_memory_equal(d.message, row->message, strlen(row->message));
	diag_fini(&d);
	recipe_fini(&r);
}

/* @n copies of @unit are refused with @message, and one less is not. */
static void check_limit(const char *head, const char *unit, size_t n, const char *message)
{
	for (int over = 0; over < 2; over++) {
		struct recipe r = { 0 };
		struct diag d = { 0 };
		struct buf b = { 0 };

		buf_str(&b, head);
		for (size_t i = 1; i < n + (size_t)over; i++)
			buf_str(&b, unit);
		assert_int_equal(recipe_parse(&r, "f", b.p, b.len, &d), -over);
		if (over)
			assert_non_null(strstr(d.message, message));
		diag_fini(&d);
		recipe_fini(&r);
		buf_fini(&b);
	}
}

TEST(test_limits, "a recipe has bounds")
{
	check_limit("count", " a", RECIPE_WORDS_MAX, "64 words at most");
	check_limit("count a\n", "count a\n", RECIPE_LINES_MAX, "16 command lines at most");
	check_limit("count a\n#2345678", "x", RECIPE_BYTES_MAX - strlen("count a\n#2345678") + 1,
		    "65536 bytes at most");
}

TEST(test_cut, "each beginning of a recipe is read or refused")
{
	static const char text[] =
		"# a \xc3\xa9\ncount 'a b' \"c\\\"\" d\\ e \\\n f\nelse stack x\n";

	for (size_t len = 0; len < sizeof(text); len++) {
		struct recipe r = { 0 };
		struct diag d = { 0 };
		char *copy = malloc(len ? len : 1);

		assert_non_null(copy);
		memcpy(copy, text, len);
		assert_true(!recipe_parse(&r, "f", copy, len, &d) == !d.message);
		free(copy);
		diag_fini(&d);
		recipe_fini(&r);
	}
}

/* What a line may not do, without a program. */
static const struct forbidden_row {
	const char *claim;
	const char *line;
	const char *message;
} forbidden[] = {
	{ "an unknown command", "rm -rf x", "f:1: 'rm' is no command that a recipe can run" },
	{ "a write", "write x=1", "f:1: 'write' is no command that a recipe can run" },
	{ "another recipe", "run sql", "f:1: 'run' is no command that a recipe can run" },
	{ "a program", "count main.f -- /bin/sh", "f:1: a recipe can't start programs" },
	{ "a file", "count --output x main.f", "f:1: a recipe can't write files" },
	{ "a file by the beginning of an option", "count --outp=x main.f",
	  "f:1: a recipe can't write files" },
	{ "a recording", "attach --record x main.f", "f:1: a recipe can't write files" },
	{ "a port", "count --listen 1 main.f", "f:1: a recipe can't open ports" },
	{ "a page", "stack --open main.f", "f:1: a recipe can't open ports" },
	{ "a change", "attach 'main.f set n = 1'", "f:1: a recipe can't change calls" },
	{ "a delay", "attach 'main.f delay 50ms'", "f:1: a recipe can't change calls" },
	{ "an unknown option", "count --nosuch main.f", "f:1: unknown option '--nosuch'" },
	{ "help", "count --help", "f:1: --help has no place here" },
};

ROWS(test_forbid, forbidden)
{
	const struct forbidden_row *row = *state;
	struct recipe_line_made made;
	struct target t = { 0 };
	struct recipe r = { 0 };
	struct arena mem = { 0 };
	struct diag d = { 0 };
	char *user[3] = { (char []){ "-b" }, (char []){ "/nowhere" }, NULL };

	assert_int_equal(recipe_parse(&r, "f", row->line, strlen(row->line), &d), 0);
	assert_int_not_equal(recipe_line_make(&r, &r.lines[0], user, 2, &t, &mem, &made, &d), 0);
	assert_string_equal(d.message, row->message);
	diag_fini(&d);
	arena_fini(&mem);
	recipe_fini(&r);
}

/* A line for a program, and what becomes of it; "FILE" is the program. */
static const struct made_row {
	const char *claim;
	const char *line;
	char *user;		/* one more word, or NULL */
	const char *argv;	/* before "-b FILE"; NULL: it does not apply */
	const char *lacks;	/* or NULL */
} lines[] = {
	{ "all is there", "count --top 3 main.main", NULL, "count --top 3 main.main", NULL },
	{ "options are the command's", "count main.main", "--top=5", "count main.main --top=5",
	  NULL },
	{ "what the program lacks is left out", "count main.main other/pkg.F", NULL,
	  "count main.main", "other/pkg.F" },
	{ "it is named without what follows", "latency main.main 'other/pkg.F(q string) if q == \"\"'",
	  NULL, "latency main.main", "other/pkg.F" },
	{ "a regular expression, too", "count main.main '/nosuch/ if failed'", NULL,
	  "count main.main", "/nosuch/" },
	{ "nothing is left", "count other/pkg.F", NULL, NULL, "other/pkg.F" },
	{ "values of options are no patterns", "count --by other/pkg.F main.main", NULL,
	  "count --by other/pkg.F main.main", NULL },
	{ "a command without patterns applies", "search --vars config", NULL,
	  "search --vars config", NULL },
	{ "the module's path is an expression", "count '/^(main|{module})[.]/'", NULL,
	  "count /^(main|shapes)[.]/", NULL },
};

static void check_line(const struct made_row *row, char *path)
{
	char *user[4] = { (char []){ "-b" }, path, row->user, NULL };
	struct recipe_line_made made;
	struct target t = { 0 };
	struct recipe r = { 0 };
	struct arena mem = { 0 };
	struct diag d = { 0 };
	struct buf b = { 0 };

	assert_int_equal(recipe_parse(&r, "f", row->line, strlen(row->line), &d), 0);
	assert_int_equal(recipe_line_make(&r, &r.lines[0], user, row->user ? 3 : 2, &t, &mem,
					  &made, &d), 0);
	for (size_t i = 0; i < made.argc; i++) {
		bool option = i + 1 < made.argc && !strcmp(made.argv[i + 1], path);

		if (option || !strcmp(made.argv[i], path))
			continue;
		buf_str(&b, i ? " " : "");
		buf_str(&b, made.argv[i]);
	}
	buf_char(&b, 0);
	assert_null(made.argv[made.argc]);
	assert_int_equal(made.applies, !!row->argv);
	if (row->argv)
		assert_string_equal(b.p, row->argv);
	assert_int_equal(made.nlacks, !!row->lacks);
	if (row->lacks)
		assert_string_equal(made.lacks[0], row->lacks);
	buf_fini(&b);
	target_fini(&t);
	arena_fini(&mem);
	recipe_fini(&r);
}

ROWS(test_make, lines)
{
	struct bins_each e = BINS("shapes", "");

	while (bins_next_path(&e))
		check_line(*state, (char *)(uintptr_t)e.path);
}

/* --- where they are --------------------------------------------------------------- */

static void put_file(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
}

/* What "goprobectl run NAME" would read of the folder: its summary, or the message. */
static void check_shelf(const struct shelf *s, const char *name, const char *want)
{
	struct recipe r = { 0 };
	struct diag d = { 0 };
	struct buf b = { 0 };

	if (!shelf_read(s, name, &r, &d))
		recipe_put_summary(&r, &b);
	else
		buf_str(&b, d.message);
	buf_char(&b, 0);
	assert_memory_equal(b.p, want, strlen(want));
	buf_fini(&b);
	diag_fini(&d);
	recipe_fini(&r);
}

TEST(test_shelf, "one's own recipe wins, and nobody else can have written it")
{
	char config[] = "/tmp/recipe-test-XXXXXX", path[128];
	struct shelf s;

	assert_non_null(mkdtemp(config));
	setenv("XDG_CONFIG_HOME", config, 1);
	snprintf(path, sizeof(path), "%s/goprobe", config);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/goprobe/recipes", config);
	assert_int_equal(mkdir(path, 0700), 0);
	shelf_init(&s);
	assert_string_equal(s.own, path);
	free(s.installed);
	s.installed = strdup("../../packaging/recipes");
	check_shelf(&s, "sql", "Which SQL statements");
	snprintf(path, sizeof(path), "%s/sql.recipe", s.own);
	put_file(path, "# SPDX-Licen\163e-Identifier: x\n# Mine\ncount main.f\n", 0644);
	check_shelf(&s, "sql", "Mine");
	put_file(path, "# Mine\ncount main.f\n", 0666);
	check_shelf(&s, "sql", "another user can write ");
	check_shelf(&s, path, "Mine");
	check_shelf(&s, "../sql", "there is no file ../sql");
	check_shelf(&s, "nosuch", "there is no recipe 'nosuch' in ");
	check_shelf(&s, "a b", "'a b' is no name of a recipe");
	check_shelf(&s, "/proc/self/status", "can't read /proc/self/status");
	unlink(path);
	rmdir(s.own);
	shelf_fini(&s);
	snprintf(path, sizeof(path), "%s/goprobe", config);
	rmdir(path);
	rmdir(config);
	unsetenv("XDG_CONFIG_HOME");
}

TEST(test_installed, "each installed recipe is right, and says what it answers in a line")
{
	struct shelf s = { .installed = (char []){ "../../packaging/recipes" } };
	struct shelf_names names;

	assert_int_equal(shelf_names(&s, &names), 0);
	assert_true(names.n >= 8);
	for (size_t i = 0; i < names.n; i++) {
		char *user[3] = { (char []){ "-p" }, (char []){ "4194000" }, NULL };
		struct recipe r = { 0 };
		struct diag d = { 0 };
		struct buf b = { 0 };

		assert_int_equal(shelf_read(&s, names.v[i], &r, &d), 0);
		recipe_put_summary(&r, &b);
		assert_in_range(b.len, 10, 80);
		assert_int_equal(b.p[b.len - 1], '?');
		for (size_t k = 0; k < r.nlines; k++) {
			struct recipe_line_made made;
			struct target t = { 0 };
			struct arena mem = { 0 };

			/* All is right but the program. */
			assert_int_equal(recipe_line_make(&r, &r.lines[k], user, 2, &t, &mem, &made,
							  &d), CMD_FAILED);
			assert_non_null(strstr(d.message, "no process 4194000"));
			diag_fini(&d);
			d = (struct diag){ 0 };
			target_fini(&t);
			arena_fini(&mem);
		}
		buf_fini(&b);
		recipe_fini(&r);
	}
	shelf_names_fini(&names);
}
