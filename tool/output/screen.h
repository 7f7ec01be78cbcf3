/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout of text output: the width of lines, colours, times, the length of paths and
 * stacks. All zero, as in libgoprobe and in files: lines of any width, no colour, local time.
 */
#ifndef GOPROBE_OUTPUT_SCREEN_H
#define GOPROBE_OUTPUT_SCREEN_H

#include "base/buf.h"

enum screen_time {
	SCREEN_LOCAL,		/* 15:04:05.123456 */
	SCREEN_UTC,		/* 15:04:05.123456Z */
	SCREEN_ISO,		/* 2006-01-02T15:04:05.123456+01:00 */
	SCREEN_RELATIVE,	/* seconds since the first line */
	SCREEN_DELTA,		/* seconds since the line before */
	SCREEN_EPOCH,		/* seconds since 1970 */
	SCREEN_TIMES,
};

enum screen_color {
	SCREEN_AUTO,		/* on a terminal, unless NO_COLOR is set */
	SCREEN_ALWAYS,
	SCREEN_NEVER,
	SCREEN_COLORS,
};

enum screen_style {
	STYLE_PLAIN,		/* ends another style */
	STYLE_DIM,
	STYLE_BOLD,
	STYLE_BAD,
	STYLE_TIME,
};

/* How text looks. */
struct screen {
	bool wide;			/* the user wants whole lines on a terminal, too */
	bool full;			/* and whole paths and stacks there */
	enum screen_color color;	/* when the user wants colours */
	enum screen_time time;		/* how times look */
	int fd;				/* the terminal, if there are @columns */
	unsigned int columns;		/* a line of text has at most; 0: any number */
	bool colored;			/* styles are written */
	bool brief;			/* paths and stacks are shortened */
	uint64_t first;			/* the time of the first line, ns; 0: none yet */
	uint64_t before;		/* the time of the line before */
};

extern struct screen screen;
/* Their names, as the user writes them; NULL is behind the last. */
extern const char *const screen_times[SCREEN_TIMES + 1];
extern const char *const screen_colors[SCREEN_COLORS + 1];

/* The output goes to @fd: find out about it, by the user's wishes in @screen. */
void screen_open(int fd);
/* The terminal may have another width since lines were written. */
void screen_follow(void);
/* From now on, or until STYLE_PLAIN, text looks so. Nothing without colours. */
void screen_style(struct buf *b, enum screen_style style);
/* Columns of a time with @digits digits of a second. */
unsigned int screen_time_width(unsigned int digits);
/* @real, ns since 1970, of the line that is being written. */
void screen_time(struct buf *b, uint64_t real, unsigned int digits);

/* A piece of a line that can be shortened. */
struct screen_piece {
	size_t at;	/* where it begins in the buffer */
	size_t len;	/* bytes */
	bool yields;	/* it is shortened before others */
};

/*
 * If the line from @start on, which has no end yet, is too wide: shorten its pieces, which come one
 * behind the other: those that yield, the last one first, then others from the longest on. What is
 * too wide even then is cut at the end.
 */
void screen_fit(struct buf *b, size_t start, const struct screen_piece *pieces, size_t n);
/* Shorten what begins at @at to @columns at most; a bracket or quote at its end stays. */
void screen_shorten(struct buf *b, size_t at, size_t columns);
/*
 * Shorten the name with the @n bytes at @at to @columns at most, in its middle: "v3…r).Put".
 * It stays whole where others have been shortened to the same. Returns by how many bytes the rest
 * of the buffer moves back.
 */
size_t screen_shorten_name(struct buf *b, size_t at, size_t n, size_t columns);
/* Is the line from @start on wider than the terminal? */
bool screen_is_too_wide(const struct buf *b, size_t start);
/* If the line from @start on is too wide: shorten its end; and the name, if that is too wide. */
void screen_fit_name(struct buf *b, size_t start, size_t at, size_t n);
/*
 * What a row of a tree begins with: "├─ " before the @node, "│  " in each column on the left;
 * "└─ " and blanks if no @more nodes follow there.
 */
void screen_branch(struct buf *b, bool node, bool more);
/* "shop/cart.go" of "/src/shop/cart.go": the last two names, if paths are shortened. */
const char *screen_path(const char *path);

#endif
