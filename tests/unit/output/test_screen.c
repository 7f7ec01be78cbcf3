// SPDX-License-Identifier: GPL-2.0
/* Lines are shortened to fit a terminal, and only there; times and colours follow the options. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/plain.h"
#include "cmd/cmd.h"
#include "output/row.h"
#include "output/screen.h"
#include "rows.h"

static struct buf text;

static void says(const char *want)
{
	buf_char(&text, 0);
	assert_false(text.failed);
	assert_string_equal(text.p, want);
	text.len = 0;
}

/* --- widths ---------------------------------------------------------------- */

static const struct fit_case {
	const char *claim;
	unsigned int columns;
	const char *line;	/* pieces are in << and >> */
	bool yields;		/* the first and the third piece do */
	const char *want;
} fits[] = {
	{ "a line that fits stays", 20,
	  "f(<<a=1>>, <<b=2>>)", false,
	  "f(a=1, b=2)" },
	{ "any line does without a screen", 0,
	  "f(<<\"0123456789abcdefghijklmnopqrstuvwxyz\">>)", false,
	  "f(\"0123456789abcdefghijklmnopqrstuvwxyz\")" },
	{ "the longest piece is shortened, and its end can be seen", 30,
	  "f(<<a=1>>, <<b=\"0123456789abcdefghijklmnopqrstuvwxyz\">>) 5ms", false,
	  "f(a=1, b=\"0123456789abc…\") 5ms" },
	{ "two long ones have the same width", 40,
	  "f(<<a={0123456789012345678}>>, <<b=2>>, <<c={0123456789abcdefghijklmnopqrstuvwxyz}>>)",
	  false, "f(a={0123456789…}, b=2, c={0123456789…})" },
	{ "a piece that yields is shortened first", 40,
	  "f(<<c={0123456789abcdefghijklmnopqrstuvwxyz}>>, <<a={0123456789012345}>>)", true,
	  "f(c={0123456789…}, a={0123456789012345})" },
	{ "the last one that yields is shortened before others", 40,
	  "f(<<c={012345}>>, <<a={01234}>>, <<*{0123456789abcdef}>>)", true,
	  "f(c={012345}, a={01234}, *{0123456789…})" },
	{ "it keeps its name only, where others need the line", 40,
	  "f(<<c={0123456789}>>, <<a={0123456789abcdefghijklmnopqrstuvwxyz}>>)", true,
	  "f(c={01…, a={0123456789abcdefghijklmn…})" },
	{ "wide characters take two columns", 30,
	  "<<世界世界世界世界世界世界世界世界世界>>", false,
	  "世界世界世界世界世界世界世界…" },
	{ "what has no pieces is cut at its end", 20,
	  "0123456789012345678901234", false,
	  "0123456789012345678…" },
	{ "short pieces stay, and the line is cut", 20,
	  "f(<<a=1>>, <<b=2>>) and much behind it", false,
	  "f(a=1, b=2) and muc…" },
};

ROWS(test_fit, fits)
{
	const struct fit_case *c = *state;
	struct screen_piece pieces[4];
	size_t n = 0;

	memset(&screen, 0, sizeof(screen));
	screen.columns = c->columns;
	text.len = 0;
	buf_str(&text, "before\n");
	for (const char *s = c->line; *s; s++) {
		if (!strncmp(s, "<<", 2)) {
			pieces[n].at = text.len;
			s++;
		} else if (!strncmp(s, ">>", 2)) {
			pieces[n].len = text.len - pieces[n].at;
			pieces[n].yields = c->yields && (!n || n == 2);
			n++;
			s++;
		} else {
			buf_char(&text, *s);
		}
	}
	screen_fit(&text, strlen("before\n"), pieces, n);
	buf_char(&text, 0);
	assert_string_equal(text.p + strlen("before\n"), c->want);
	if (c->columns)
		assert_true(plain_columns(c->want, strlen(c->want)) <= c->columns);
	memset(&screen, 0, sizeof(screen));
}

TEST(test_colors, "colours take no columns")
{
	text.len = 0;
	screen_style(&text, STYLE_BAD);
	says("");
	screen.colored = true;
	screen.columns = 12;
	screen_style(&text, STYLE_BAD);
	buf_str(&text, "twelve chars");
	screen_style(&text, STYLE_PLAIN);
	assert_int_equal(plain_columns(text.p, text.len), 12);
	screen_fit(&text, 0, NULL, 0);
	says("\033[31mtwelve chars\033[m");
	screen_style(&text, STYLE_BAD);
	buf_str(&text, "thirteen cols");
	screen_fit(&text, 0, NULL, 0);
	says("\033[31mthirteen co…\033[m");
	memset(&screen, 0, sizeof(screen));
}

/* A table on a narrow terminal: its wide column takes a share, and cells stay in their columns. */
TEST(test_table, "a table on a narrow terminal")
{
	static const struct column name = { "name", "NAME", 60 }, n = { "n", "N", -4 };
	static const struct column where = { NULL, "WHERE", 0 };
	static const char *const names[] = { "short", "a.name(that, is, much, too, long)" };
	struct row r = { .b = &text };

	text.len = 0;
	screen.columns = 48;
	for (int i = 0; i < 3; i++) {
		r.mode = i ? ROW_TEXT : ROW_HEADS;
		row_begin(&r, "");
		row_str(&r, &name, names[i == 2]);
		row_u64(&r, &n, 7);
		row_str(&r, &where, "shop/cart.go:12  (a note)");
		row_end(&r);
	}
	says("NAME                   N  WHERE\n"
	     "short                  7  shop/cart.go:12  (a …)\n"
	     "a.name(that, is, …)    7  shop/cart.go:12  (a …)\n");
	memset(&screen, 0, sizeof(screen));
}

/* A name on a narrow terminal: both ends stay, and no two become the same. */
TEST(test_names, "names on a narrow terminal")
{
	static const struct column name = { "name", "NAME", 60 }, n = { "n", "N", -4 };
	static const char *const names[] = {
		"v3rpc.F", "v3rpc.(*quotaServer).Put", "v3rpc.(*otherServer).Put",
		"v3rpc.(*quotaServer).DeleteRange", "v3rpc.(*kvServer).F",
	};
	struct row r = { .b = &text };

	memset(&screen, 0, sizeof(screen));
	text.len = 0;
	screen.columns = 48;
	for (size_t i = 0; i < N(names); i++) {
		row_begin(&r, "");
		if (row_cell(&r, &name))
			row_name(&r, names[i]);
		buf_str(&text, "(n int, s string)");
		row_u64(&r, &n, 7);
		row_end(&r);
	}
	says("v3rpc.F(n int, s …)    7\n"
	     "v3rpc.…aServer).Put    7\n"
	     "v3rpc.…rServer).Put    7\n"
	     "v3rpc.….DeleteRange    7\n"
	     "v3rpc.(*kvServer).F    7\n");
	memset(&screen, 0, sizeof(screen));
}

/* A name that each cut makes look like another stays whole, also before a cell that is cut. */
TEST(test_whole_names, "names that stay whole before cells that are cut")
{
	static const struct column name = { "name", "NAME", 60 }, type = { "type", "TYPE", 44 };
	char whole[141] = "";
	struct row r = { .b = &text };

	memset(&screen, 0, sizeof(screen));
	text.len = 0;
	screen.columns = 60;
	memset(whole, 'x', sizeof(whole) - 1);
	for (size_t i = 0; i < 12; i++) {
		size_t start = text.len;

		whole[70] = (char)('a' + i);
		row_begin(&r, "");
		if (row_cell(&r, &name))
			row_name(&r, whole);
		row_str(&r, &type, "map[string]aTypeThatIsLongerThanItsColumn");
		row_str(&r, &type, "map[string]aTypeThatIsLongerThanItsColumn");
		row_end(&r);
		assert_null(memmem(text.p, start, text.p + start, text.len - start));
	}
	memset(&screen, 0, sizeof(screen));
}

static const struct name_case {
	const char *claim;
	unsigned int columns;
	const char *before, *name, *behind, *want;
} names[] = {
	{ "a line that fits stays", 40, "1  ", "api.(*Server).Get", "  a.go:1",
	  "1  api.(*Server).Get  a.go:1" },
	{ "what follows a name is cut first", 26, "1  ", "api.(*Server).Get", "  server/a.go:12",
	  "1  api.(*Server).Get  ser…" },
	{ "a name that is one column too wide", 28, "1  ", "api.(*Server).GetAllOfThem", "",
	  "1  api.(*Se…r).GetAllOfThem" },
	{ "then the name is, in its middle", 20, "1  ", "api.(*ServerOfAll).Get", "  a.go:12",
	  "1  api.(*…OfAll).Get" },
	{ "one that would become the same is cut elsewhere", 20, "1  ",
	  "api.(*XerverOfAll).Get", "", "1  api.(*Xe…All).Get" },
};

ROWS(test_fit_name, names)
{
	const struct name_case *c = *state;
	size_t start = strlen("before\n"), at;

	memset(&screen, 0, sizeof(screen));
	screen.columns = c->columns;
	text.len = 0;
	buf_str(&text, "before\n");
	buf_str(&text, c->before);
	at = text.len;
	buf_str(&text, c->name);
	buf_str(&text, c->behind);
	screen_fit_name(&text, start, at, strlen(c->name));
	buf_char(&text, 0);
	assert_string_equal(text.p + start, c->want);
	memset(&screen, 0, sizeof(screen));
}

/* They differ in what is always cut: where no place is left to cut, a name stays whole. */
TEST(test_alike, "names that differ in their middle only")
{
	char name[] = "alike.(*AVeryL?ngName).GetAll", *differs = strchr(name, '?');
	char shown[7][64];

	for (size_t i = 0; i < N(shown); i++) {
		*differs = (char)('a' + i);
		text.len = 0;
		buf_str(&text, name);
		screen_shorten_name(&text, 0, text.len, 17);
		buf_char(&text, 0);
		memcpy(shown[i], text.p, text.len);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(shown[i], shown[k]);
	}
	assert_string_equal(shown[0], "alike.…me).GetAll");
	assert_string_equal(shown[6], name);
}

TEST(test_path, "a path is its last two names")
{
	assert_string_equal(screen_path("/src/shop/cart.go"), "/src/shop/cart.go");
	screen.brief = true;
	assert_string_equal(screen_path("/src/shop/cart.go"), "shop/cart.go");
	assert_string_equal(screen_path("/cart.go"), "/cart.go");
	assert_string_equal(screen_path("cart.go"), "cart.go");
	assert_string_equal(screen_path("<autogenerated>"), "<autogenerated>");
	memset(&screen, 0, sizeof(screen));
}

/* --- times ----------------------------------------------------------------- */

#define NOON 1795269802000000000ULL	/* 14:03:22 in UTC */

static const struct time_case {
	const char *claim;
	enum screen_time time;
	const char *zone;
	unsigned int digits;
	const char *want;	/* of three lines, the last out of order */
} times[] = {
	{ "local", SCREEN_LOCAL, "UTC-2", 3,
	  "16:03:22.000|16:03:23.500|16:03:22.250"
	},
	{ "utc", SCREEN_UTC, "UTC-2", 3,
	  "14:03:22.000Z|14:03:23.500Z|14:03:22.250Z"
	},
	{ "iso, east", SCREEN_ISO, "EAST-5:30", 6,
	  "2026-11-21T19:33:22.000000+05:30|2026-11-21T19:33:23.500000+05:30|2026-11-21T19:33:22.250000+05:30"
	},
	{ "iso, west", SCREEN_ISO, "WEST3:30", 3,
	  "2026-11-21T10:33:22.000-03:30|2026-11-21T10:33:23.500-03:30|2026-11-21T10:33:22.250-03:30"
	},
	{ "relative", SCREEN_RELATIVE, "UTC", 3,
	  "    0.000|    1.500|    0.250"
	},
	{ "delta", SCREEN_DELTA, "UTC", 3,
	  "    0.000|    1.500|   -1.250"
	},
	{ "epoch", SCREEN_EPOCH, "UTC", 6,
	  "1795269802.000000|1795269803.500000|1795269802.250000"
	},
};

ROWS(test_time, times)
{
	static const uint64_t at[] = { NOON, NOON + 1500000000, NOON + 250000000 };
	const struct time_case *c = *state;

	setenv("TZ", c->zone, 1);
	tzset();
	text.len = 0;
	screen.time = c->time;
	for (size_t i = 0; i < N(at); i++) {
		size_t start = text.len;

		screen_time(&text, at[i], c->digits);
		assert_int_equal(text.len - start, screen_time_width(c->digits));
		if (i + 1 < N(at))
			buf_char(&text, '|');
	}
	says(c->want);
	memset(&screen, 0, sizeof(screen));
}

/* --- a terminal -------------------------------------------------------------- */

/* The master's end, in *@master, and a terminal of @columns. */
static int terminal(unsigned short columns, int *master)
{
	struct winsize w = { .ws_row = 24, .ws_col = columns };
	int fd;

	*master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(*master >= 0);
	assert_int_equal(grantpt(*master), 0);
	assert_int_equal(unlockpt(*master), 0);
	fd = open(ptsname(*master), O_RDWR | O_NOCTTY);
	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, TIOCSWINSZ, &w), 0);
	return fd;
}

static const struct open_case {
	const char *claim;
	unsigned short columns;	/* of a terminal; 0: the output is a pipe */
	const char *option;
	const char *term, *no_color;
	unsigned int want;
	bool colored, brief;
} opens[] = {
	{ "a terminal", 97, NULL, "xterm", NULL, 97, true, true },
	{ "a tiny one", 7, NULL, "xterm", NULL, 40, true, true },
	{ "whole lines on it", 97, "--wide", "xterm", NULL, 0, true, true },
	{ "whole stacks on it", 97, "--full", "xterm", NULL, 97, true, false },
	{ "one that has no colours", 97, NULL, "dumb", NULL, 97, false, true },
	{ "one of which nothing is known", 97, NULL, NULL, NULL, 97, false, true },
	{ "NO_COLOR", 97, NULL, "xterm", "1", 97, false, true },
	{ "an empty NO_COLOR", 97, NULL, "xterm", "", 97, true, true },
	{ "colours in spite of it", 97, "--color=always", "xterm", "1", 97, true, true },
	{ "no colours", 97, "--color=never", "xterm", NULL, 97, false, true },
	{ "a pipe", 0, NULL, "xterm", NULL, 0, false, false },
	{ "colours in a pipe", 0, "--color=always", "xterm", NULL, 0, true, false },
};

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static const struct cmd command = { .name = "count", .command = COMMAND_COUNT };

ROWS(test_open, opens)
{
	const struct open_case *c = *state;
	char name[] = "list", rest[] = "--", last[] = "--wide", *option = NULL;
	char *argv[8] = { name };
	int argc = 1, fds[2], out = dup(STDOUT_FILENO), code;
	struct diag d = { 0 };
	struct options o;

	if (c->option) {
		option = strdup(c->option);
		argv[argc++] = option;
	}
	argv[argc++] = rest;
	argv[argc++] = last;
	set("TERM", c->term);
	set("NO_COLOR", c->no_color);
	if (c->columns)
		fds[1] = terminal(c->columns, &fds[0]);
	else
		assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDOUT_FILENO);
	options_init(&o, COMMAND_COUNT);
	code = cmd_parse(&command, &o, argc, argv, &d);
	screen = o.screen;
	screen_open(STDOUT_FILENO);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(fds[0]);
	close(fds[1]);
	free(option);
	assert_int_equal(code, CMD_DONE);
	/* Options behind "--" are not read. */
	assert_ptr_equal(o.argv[0], last);
	options_fini(&o);
	assert_int_equal(screen.columns, c->want);
	assert_int_equal(screen.colored, c->colored);
	assert_int_equal(screen.brief, c->brief);
	memset(&screen, 0, sizeof(screen));
}

TEST(test_resize, "a terminal that is resized")
{
	struct winsize w = { .ws_row = 24, .ws_col = 133 };
	int master, fd = terminal(97, &master);

	screen_follow();
	assert_int_equal(screen.columns, 0);
	screen_open(fd);
	assert_int_equal(screen.columns, 97);
	assert_int_equal(ioctl(fd, TIOCSWINSZ, &w), 0);
	screen_follow();
	assert_int_equal(screen.columns, 133);
	close(fd);
	close(master);
	/* It has hung up: lines keep the width that they had. */
	screen_follow();
	assert_int_equal(screen.columns, 133);
	memset(&screen, 0, sizeof(screen));
}

static const struct wrong_case {
	const char *claim;
	const char *option, *value, *want;
} wrongs[] = {
	{ "a colour", "--color", "blue", "'blue' is no value for --color" },
	{ "a time", "--time=noon", NULL, "'noon' is no value for --time" },
	{ "no value", "--time", NULL, "option '--time' needs a value" },
};

ROWS(test_wrong, wrongs)
{
	const struct wrong_case *c = *state;
	char *argv[4] = { strdup("list"), strdup(c->option), c->value ? strdup(c->value) : NULL };
	int argc = c->value ? 3 : 2;
	char *all[3] = { argv[0], argv[1], argv[2] };
	struct diag d = { 0 };
	struct options o;

	options_init(&o, COMMAND_COUNT);
	assert_int_equal(cmd_parse(&command, &o, argc, argv, &d), CMD_USAGE);
	assert_string_equal(d.message, c->want);
	options_fini(&o);
	diag_fini(&d);
	for (size_t i = 0; i < N(all); i++)
		free(all[i]);
	memset(&screen, 0, sizeof(screen));
}
