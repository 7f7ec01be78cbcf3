// SPDX-License-Identifier: GPL-2.0
/* The whole terminal, line by line, with keys, by ncurses. */
#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS
#include <ncurses.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "cmd/terminal.h"

/* How long the bytes of a key may take, ms: the key Esc is the first byte of others. */
#define KEY_MS 25
#define HEAD_PAIR 1
#define NOTE_PAIR 2

static SCREEN *opened;

/* Ctrl-\ would end the program and leave the terminal as it is. */
static void no_quit_key(void)
{
	struct termios t;

	if (tcgetattr(STDIN_FILENO, &t))
		return;
	t.c_cc[VQUIT] = _POSIX_VDISABLE;
	tcsetattr(STDIN_FILENO, TCSANOW, &t);
	def_prog_mode();
}

static int fail(struct diag *d, const char *why)
{
	diag_set(d, "%s", why);
	diag_hint(d, "'goprobectl latency -i 1s' prints a table every second, to any output");
	return -1;
}

int terminal_check(struct diag *d)
{
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return 0;
	return fail(d, "standard input or output is no terminal");
}

int terminal_open(bool colored, struct diag *d)
{
	/* Whatever the user's locale: all commands write UTF-8. */
	setlocale(LC_CTYPE, "C.UTF-8");
	set_escdelay(KEY_MS);
	opened = newterm(NULL, stdout, stdin);
	if (!opened)
		return fail(d, "ncurses does not know the terminal that TERM names");
	if (!tigetstr("cup")) {
		terminal_close();
		return fail(d, "the terminal that TERM names can't move its cursor");
	}
	cbreak();
	noecho();
	no_quit_key();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	if (colored && has_colors() && start_color() == OK && use_default_colors() == OK) {
		init_pair(HEAD_PAIR, COLOR_CYAN, -1);
		init_pair(NOTE_PAIR, COLOR_YELLOW, -1);
	}
	return 0;
}

void terminal_close(void)
{
	if (!opened)
		return;
	endwin();
	delscreen(opened);
	opened = NULL;
}

bool terminal_is_open(void)
{
	return opened;
}

bool terminal_hung_up(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL);
}

int terminal_key(void)
{
	static const struct {
		int from;
		enum terminal_key to;
	} keys[] = {
		{ ERR, TERMINAL_NONE }, { KEY_UP, TERMINAL_UP }, { KEY_DOWN, TERMINAL_DOWN },
		{ KEY_PPAGE, TERMINAL_PAGE_UP }, { KEY_NPAGE, TERMINAL_PAGE_DOWN },
		{ KEY_HOME, TERMINAL_HOME }, { KEY_END, TERMINAL_END },
		{ KEY_ENTER, TERMINAL_ENTER }, { '\n', TERMINAL_ENTER }, { '\r', TERMINAL_ENTER },
		{ 27, TERMINAL_ESCAPE }, { KEY_RESIZE, TERMINAL_RESIZED },
	};
	int key = wgetch(stdscr);

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].from == key)
			return keys[i].to;
	return key < 128 ? key : TERMINAL_OTHER;
}

void terminal_size(size_t *lines, size_t *columns)
{
	*lines = getmaxy(stdscr);
	*columns = getmaxx(stdscr);
}

void terminal_begin(void)
{
	werase(stdscr);
}

void terminal_end(void)
{
	wrefresh(stdscr);
}

void terminal_line(size_t y, enum terminal_style style, const char *text)
{
	const attr_t attributes[] = {
		[TERMINAL_PLAIN] = A_NORMAL, [TERMINAL_HEAD] = A_BOLD | COLOR_PAIR(HEAD_PAIR),
		[TERMINAL_SELECTED] = A_REVERSE, [TERMINAL_NOTE] = A_BOLD | COLOR_PAIR(NOTE_PAIR),
	};

	wattrset(stdscr, attributes[style]);
	mvwaddstr(stdscr, y, 0, text);
	wattrset(stdscr, A_NORMAL);
}
