// SPDX-License-Identifier: GPL-2.0
/* Layout of text output on terminals and elsewhere. */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hmap.h"
#include "base/plain.h"
#include "output/screen.h"

/* Narrower lines show nothing. */
#define COLUMNS_MIN 40
/* A piece is not made shorter than this. */
#define PIECE_MIN 12
/* One that yields keeps the name of its value. */
#define YIELD_MIN 6
/* The least that is shown behind a name: "(…)". */
#define BEHIND_MIN 3
/* A name is not made shorter than this. */
#define NAME_MIN 8

#define MORE "…"

struct screen screen;

const char *const screen_times[SCREEN_TIMES + 1] = {
	[SCREEN_LOCAL] = "local", [SCREEN_UTC] = "utc", [SCREEN_ISO] = "iso",
	[SCREEN_RELATIVE] = "relative", [SCREEN_DELTA] = "delta", [SCREEN_EPOCH] = "epoch",
};

const char *const screen_colors[SCREEN_COLORS + 1] = {
	[SCREEN_AUTO] = "auto", [SCREEN_ALWAYS] = "always", [SCREEN_NEVER] = "never",
};

static unsigned int width_of(int fd)
{
	struct winsize w;

	if (ioctl(fd, TIOCGWINSZ, &w) || !w.ws_col)
		return 0;
	return w.ws_col > COLUMNS_MIN ? w.ws_col : COLUMNS_MIN;
}

static bool shows_colors(void)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");

	return !(none && *none) && term && strcmp(term, "dumb") != 0;
}

void screen_open(int fd)
{
	bool terminal = isatty(fd);

	screen.fd = fd;
	screen.columns = terminal && !screen.wide ? width_of(fd) : 0;
	screen.colored = screen.color == SCREEN_ALWAYS ||
			 (screen.color == SCREEN_AUTO && terminal && shows_colors());
	screen.brief = terminal && !screen.full;
}

void screen_follow(void)
{
	unsigned int now = screen.columns ? width_of(screen.fd) : 0;

	if (now)
		screen.columns = now;
}

void screen_style(struct buf *b, enum screen_style style)
{
	static const char *const codes[] = {
		[STYLE_PLAIN] = "\033[m", [STYLE_DIM] = "\033[2m", [STYLE_BOLD] = "\033[1m",
		[STYLE_BAD] = "\033[31m", [STYLE_TIME] = "\033[36m",
	};

	if (screen.colored)
		buf_str(b, codes[style]);
}

/* --- times ------------------------------------------------------------------- */

static bool is_clock(void)
{
	return screen.time <= SCREEN_ISO;
}

/* "15:04:05" */
static const char *const clocks[] = {
	[SCREEN_LOCAL] = "%H:%M:%S", [SCREEN_UTC] = "%H:%M:%S", [SCREEN_ISO] = "%Y-%m-%dT%H:%M:%S",
};

/* "Z" or "+01:00" behind the digits of a second. */
static void put_zone(struct buf *b, const struct tm *tm)
{
	long minutes = tm->tm_gmtoff / 60;

	if (screen.time == SCREEN_UTC)
		buf_char(b, 'Z');
	if (screen.time != SCREEN_ISO)
		return;
	buf_char(b, minutes < 0 ? '-' : '+');
	minutes = labs(minutes);
	buf_digits(b, minutes / 60, 2);
	buf_char(b, ':');
	buf_digits(b, minutes % 60, 2);
}

static void put_digits(struct buf *b, uint64_t ns, unsigned int digits)
{
	uint64_t unit = CLOCK_SECOND;

	for (unsigned int i = 0; i < digits; i++)
		unit /= 10;
	buf_char(b, '.');
	buf_digits(b, ns % CLOCK_SECOND / unit, digits);
}

static void put_clock(struct buf *b, uint64_t real, unsigned int digits)
{
	time_t t = real / CLOCK_SECOND;
	char text[32];
	struct tm tm;

	if (screen.time == SCREEN_UTC)
		gmtime_r(&t, &tm);
	else
		localtime_r(&t, &tm);
	strftime(text, sizeof(text), clocks[screen.time], &tm);
	buf_str(b, text);
	put_digits(b, real, digits);
	put_zone(b, &tm);
}

/* Lines are not always in order of time: some stand right before what they led to. */
static void put_since(struct buf *b, uint64_t since, uint64_t real, unsigned int digits)
{
	size_t at = b->len;
	uint64_t ns = real > since ? real - since : since - real;

	if (real < since)
		buf_char(b, '-');
	buf_u64(b, ns / CLOCK_SECOND);
	put_digits(b, ns, digits);
	if (screen.time != SCREEN_EPOCH)
		plain_pad_left(b, at, screen_time_width(digits));
}

unsigned int screen_time_width(unsigned int digits)
{
	static const unsigned int widths[SCREEN_TIMES] = {
		[SCREEN_LOCAL] = 8, [SCREEN_UTC] = 9, [SCREEN_ISO] = 25, [SCREEN_RELATIVE] = 5,
		[SCREEN_DELTA] = 5, [SCREEN_EPOCH] = 10,
	};

	return widths[screen.time] + 1 + digits;
}

void screen_time(struct buf *b, uint64_t real, unsigned int digits)
{
	if (!screen.first) {
		screen.first = real;
		screen.before = real;
	}
	if (is_clock())
		put_clock(b, real, digits);
	else
		put_since(b, screen.time == SCREEN_EPOCH ? 0 :
			  screen.time == SCREEN_DELTA ? screen.before : screen.first, real, digits);
	screen.before = real;
}

/* --- widths ------------------------------------------------------------------ */

void screen_shorten(struct buf *b, size_t at, size_t columns)
{
	size_t n = b->len - at, mark = sizeof(MORE) - 1, to;
	char last[2] = "";

	if (b->failed || plain_columns(b->p + at, n) <= columns)
		return;
	/* What closes a value stays, so that it can be seen where it ends. */
	if (n && columns >= PIECE_MIN && strchr("\"})]>", b->p[b->len - 1]))
		last[0] = b->p[b->len - 1];
	to = at + plain_prefix(b->p + at, n, columns - 1 - !!last[0]);
	b->len = to;
	buf_mem(b, MORE, mark);
	buf_str(b, last);
}

/* Put @text in place of @n bytes, which are no fewer. Returns by how many the rest moves back. */
static size_t replace(struct buf *b, size_t at, size_t n, const struct buf *text)
{
	size_t end = at + n, less = n - text->len;

	memcpy(b->p + at, text->p, text->len);
	memmove(b->p + end - less, b->p + end, b->len - end);
	b->len -= less;
	return less;
}

/* Names that have been shortened, by what they became; forgotten if there are too many. */
static struct hmap shortened;
#define SHORTENED_MOST (1U << 20)

/* Is @text what no other name has become? */
static bool is_only(const struct buf *text, const char *name, size_t n)
{
	uint64_t key = hmap_hash(0, text->p, text->len), whole = hmap_hash(1, name, n) | 1;
	const void *before = hmap_get(&shortened, key);

	if (before)
		return (uintptr_t)before == whole;
	if (shortened.n >= SHORTENED_MOST)
		hmap_fini(&shortened);
	return !hmap_put(&shortened, key, (void *)(uintptr_t)whole);
}

/* The first and the last characters of a name of @width columns. */
static void ends(const char *name, size_t n, size_t width, size_t first, size_t last,
		 struct buf *text)
{
	size_t from = plain_prefix(name, n, width - last);

	text->len = 0;
	buf_mem(text, name, plain_prefix(name, n, first));
	buf_str(text, MORE);
	buf_mem(text, name + from, n - from);
}

size_t screen_shorten_name(struct buf *b, size_t at, size_t n, size_t columns)
{
	/* Parts of the columns for the end: a method's name is there; others differ elsewhere. */
	static const unsigned int sixths[] = { 4, 3, 5, 2, 1 };
	size_t width = b->failed ? 0 : plain_columns(b->p + at, n), less = 0;
	struct buf text = { 0 };

	if (width <= columns || columns < NAME_MIN)
		return 0;
	/* The mark has more bytes than columns, and the text is to replace the name. */
	if (width - columns < sizeof(MORE) - 2)
		columns = width - (sizeof(MORE) - 2);
	for (size_t i = 0; i < sizeof(sixths) / sizeof(*sixths); i++) {
		size_t last = (columns - 1) * sixths[i] / 6;

		ends(b->p + at, n, width, columns - 1 - last, last, &text);
		if (text.failed || text.len > n || plain_columns(text.p, text.len) > columns)
			continue;
		if (is_only(&text, b->p + at, n)) {
			less = replace(b, at, n, &text);
			break;
		}
	}
	buf_fini(&text);
	return less;
}

bool screen_is_too_wide(const struct buf *b, size_t start)
{
	return screen.columns && !b->failed && b->len - start > screen.columns &&
	       plain_columns(b->p + start, b->len - start) > screen.columns;
}

void screen_fit_name(struct buf *b, size_t start, size_t at, size_t n)
{
	size_t width, name, rest;

	if (!screen.columns || b->failed)
		return;
	width = plain_columns(b->p + start, b->len - start);
	name = plain_columns(b->p + at, n);
	if (width <= screen.columns)
		return;
	/* What stands before it stays; what follows is cut if the name has no columns left. */
	rest = plain_columns(b->p + start, at - start);
	if (rest + name > screen.columns)
		n -= screen_shorten_name(b, at, n,
					 screen.columns > rest ? screen.columns - rest : 0);
	width = plain_columns(b->p + start, at + n - start);
	if (width + BEHIND_MIN > screen.columns)
		b->len = at + n;
	else
		screen_fit(b, start, NULL, 0);
}

/* Shorten a piece in the middle of the line. Returns by how many bytes the rest moves back. */
static size_t shorten_piece(struct buf *b, const struct screen_piece *p, size_t columns)
{
	struct buf piece = { 0 };
	size_t less = 0;

	buf_mem(&piece, b->p + p->at, p->len);
	screen_shorten(&piece, 0, columns);
	/* MORE can have more bytes than the columns that it replaces. */
	if (piece.len && !piece.failed && piece.len <= p->len)
		less = replace(b, p->at, p->len, &piece);
	buf_fini(&piece);
	return less;
}

/* The most columns of a piece so that all together have @columns; PIECE_MIN if that can't be. */
static size_t most_of(const size_t *widths, size_t n, size_t columns)
{
	size_t most = PIECE_MIN, sum;

	for (;; most++) {
		sum = 0;
		for (size_t i = 0; i < n; i++)
			sum += widths[i] < most + 1 ? widths[i] : most + 1;
		if (sum > columns || most >= columns)
			return most;
	}
}

/* The widths that pieces are to have, @excess columns less in all. */
static void share(size_t *widths, const struct screen_piece *pieces, size_t n, size_t excess)
{
	size_t sum = 0, most, less, *others = calloc(n + 1, sizeof(*others)), nothers = 0;

	for (size_t i = n; i--;) {
		if (!pieces[i].yields || widths[i] <= PIECE_MIN)
			continue;
		less = widths[i] - YIELD_MIN;
		less = less < excess ? less : excess;
		widths[i] -= less;
		excess -= less;
	}
	for (size_t i = 0; others && i < n; i++) {
		if (pieces[i].yields)
			continue;
		others[nothers++] = widths[i];
		sum += widths[i];
	}
	most = excess ? most_of(others, nothers, sum > excess ? sum - excess : 0) : 0;
	for (size_t i = 0; others && excess && i < n; i++)
		if (!pieces[i].yields && widths[i] > most)
			widths[i] = most;
	free(others);
}

void screen_fit(struct buf *b, size_t start, const struct screen_piece *pieces, size_t n)
{
	size_t width, moved = 0, *widths;

	if (!screen.columns || b->failed || b->len - start <= screen.columns)
		return;
	width = plain_columns(b->p + start, b->len - start);
	if (width <= screen.columns)
		return;
	widths = calloc(n + 1, sizeof(*widths));
	for (size_t i = 0; widths && i < n; i++)
		widths[i] = plain_columns(b->p + pieces[i].at, pieces[i].len);
	if (widths)
		share(widths, pieces, n, width - screen.columns);
	for (size_t i = 0; widths && i < n; i++) {
		struct screen_piece p = { pieces[i].at - moved, pieces[i].len, false };

		moved += shorten_piece(b, &p, widths[i]);
	}
	free(widths);
	if (plain_columns(b->p + start, b->len - start) <= screen.columns)
		return;
	screen_shorten(b, start, screen.columns);
	screen_style(b, STYLE_PLAIN);
}

const char *screen_path(const char *path)
{
	const char *name = strrchr(path, '/');

	if (!screen.brief || !name)
		return path;
	while (name > path && name[-1] != '/')
		name--;
	return name;
}

void screen_branch(struct buf *b, bool node, bool more)
{
	if (node)
		buf_str(b, more ? "├─ " : "└─ ");
	else
		buf_str(b, more ? "│  " : "   ");
}
