/* SPDX-License-Identifier: GPL-2.0 */
/* The whole terminal, line by line, with keys: all that commands need of ncurses. */
#ifndef GOPROBE_CMD_TERMINAL_H
#define GOPROBE_CMD_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

enum terminal_style { TERMINAL_PLAIN, TERMINAL_HEAD, TERMINAL_SELECTED, TERMINAL_NOTE };

/* Keys that are no character. */
enum terminal_key {
	TERMINAL_NONE = -1,
	TERMINAL_UP = 0x100000,
	TERMINAL_DOWN,
	TERMINAL_PAGE_UP,
	TERMINAL_PAGE_DOWN,
	TERMINAL_HOME,
	TERMINAL_END,
	TERMINAL_ENTER,
	TERMINAL_ESCAPE,
	TERMINAL_RESIZED,
	TERMINAL_OTHER,
};

/* Are standard input and output a terminal? -1 with @d set. */
int terminal_check(struct diag *d);
/* Take that terminal, if it can show pages. -1 with @d set. */
int terminal_open(bool colored, struct diag *d);
/* The terminal is as it was. Without terminal_open() nothing happens. */
void terminal_close(void);
bool terminal_is_open(void);
/* The terminal was closed by its other side. */
bool terminal_hung_up(void);
/* A key that waits, or TERMINAL_NONE. */
int terminal_key(void);
void terminal_size(size_t *lines, size_t *columns);
/* Lines are written between these two; those that are not written are empty. */
void terminal_begin(void);
void terminal_end(void);
/* @text, which is no wider than the terminal, in line @y. */
void terminal_line(size_t y, enum terminal_style style, const char *text);

#endif
