// SPDX-License-Identifier: GPL-2.0
/* Times as package time writes them, always in UTC. */
#include "base/clock.h"
#include "value/std.h"

/* Seconds from year 1 to 1885 and to 1970 (src/time/time.go). */
#define TO_1885		59453308800
#define TO_1970		62135596800

#define MINUTE		(60 * CLOCK_SECOND)
#define HOUR		(60 * MINUTE)

/* The date of a day counted from 1970-01-01, in the proleptic Gregorian calendar. */
static void date(struct buf *b, int64_t day)
{
	/* Years begin in March here, so that leap days are the last of theirs. */
	int64_t shifted = day + 719468;
	int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
	unsigned int of_era = shifted - era * 146097;
	unsigned int y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	unsigned int of_year = of_era - (365 * y + y / 4 - y / 100);
	unsigned int m = (5 * of_year + 2) / 153;
	unsigned int month = m < 10 ? m + 3 : m - 9;
	int64_t year = era * 400 + y + (month <= 2);

	if (year < 0)
		buf_char(b, '-');
	if (year < 0 ? year > -10000 : year < 10000)
		buf_digits(b, year < 0 ? -year : year, 4);
	else
		buf_u64(b, year < 0 ? -year : year);
	buf_char(b, '-');
	buf_digits(b, month, 2);
	buf_char(b, '-');
	buf_digits(b, of_year - (153 * m + 2) / 5 + 1, 2);
}

/* ".104881": without zeros at the end; nothing if it is 0. */
static void fraction(struct buf *b, uint64_t v, unsigned int digits)
{
	if (!v)
		return;
	while (v % 10 == 0) {
		v /= 10;
		digits--;
	}
	buf_char(b, '.');
	buf_digits(b, v, digits);
}

/* As time.RFC3339Nano. @unix_s fits: what it is made from is the sum of 63 bits and less. */
static void rfc3339(struct buf *b, int64_t unix_s, uint32_t ns)
{
	int64_t day = unix_s / 86400, s = unix_s % 86400;

	if (s < 0) {
		s += 86400;
		day--;
	}
	date(b, day);
	buf_char(b, 'T');
	buf_digits(b, s / 3600, 2);
	buf_char(b, ':');
	buf_digits(b, s / 60 % 60, 2);
	buf_char(b, ':');
	buf_digits(b, s % 60, 2);
	fraction(b, ns, 9);
	buf_char(b, 'Z');
}

void value_time_unix(struct buf *b, int64_t ns)
{
	int64_t s = ns / (int64_t)CLOCK_SECOND, rest = ns % (int64_t)CLOCK_SECOND;

	if (rest < 0) {
		rest += (int64_t)CLOCK_SECOND;
		s--;
	}
	rfc3339(b, s, (uint32_t)rest);
}

/* A time.Time in UTC. */
struct moment {
	bool zero;	/* it is the zero value */
	int64_t unix_s;	/* seconds since 1970 */
	uint32_t ns;	/* and nanoseconds */
};

/* The time.Time of type @t at @p; false if that makes no sense. */
static bool read_time(const struct gotype *t, const uint8_t *p, struct moment *ret)
{
	const struct gofield *f_wall = value_known_field(t, "wall", GOTYPE_UINT, 8);
	const struct gofield *f_ext = value_known_field(t, "ext", GOTYPE_INT, 8);
	uint64_t wall, ext;

	if (!f_wall || !f_ext)
		return false;
	wall = value_word(p + f_wall->offset);
	ext = value_word(p + f_ext->offset);
	ret->zero = !wall && !ext;
	/* With a monotonic reading: 33 bits of seconds since 1885, and ext is the reading. */
	if (wall >> 63)
		ret->unix_s = (int64_t)(wall << 1 >> 31) + TO_1885 - TO_1970;
	else if (__builtin_sub_overflow((int64_t)ext, TO_1970, &ret->unix_s))
		return false;
	ret->ns = wall & ((1U << 30) - 1);
	return ret->ns < CLOCK_SECOND;
}

bool value_time(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	struct moment m;
	bool convert;

	(void)v;
	if (!read_time(w->t, w->p, &m))
		return false;
	if (m.zero) {
		buf_str(b, "time.Time{}");
		return true;
	}
	convert = value_convert(b, w);
	rfc3339(b, m.unix_s, m.ns);
	if (convert)
		buf_char(b, ')');
	return true;
}

/* As time.Duration's String(). */
static void duration(struct buf *b, int64_t d)
{
	uint64_t u = d < 0 ? -(uint64_t)d : (uint64_t)d;

	if (d < 0)
		buf_char(b, '-');
	if (!u) {
		buf_str(b, "0s");
	} else if (u < 1000) {
		buf_u64(b, u);
		buf_str(b, "ns");
	} else if (u < 1000000) {
		buf_u64(b, u / 1000);
		fraction(b, u % 1000, 3);
		buf_str(b, "\u00b5s");
	} else if (u < CLOCK_SECOND) {
		buf_u64(b, u / 1000000);
		fraction(b, u % 1000000, 6);
		buf_str(b, "ms");
	} else {
		if (u >= HOUR) {
			buf_u64(b, u / HOUR);
			buf_char(b, 'h');
		}
		if (u >= MINUTE) {
			buf_u64(b, u % HOUR / MINUTE);
			buf_char(b, 'm');
		}
		buf_u64(b, u % MINUTE / CLOCK_SECOND);
		fraction(b, u % CLOCK_SECOND, 9);
		buf_char(b, 's');
	}
}

/* Nearer times are shown as what is left until then. */
#define NEAR_S 86400
#define TENTH (CLOCK_SECOND / 10)

bool value_time_left(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p)
{
	struct moment m;
	int64_t s, left;

	if (!v->now || !read_time(t, p, &m) || m.zero)
		return false;
	s = m.unix_s - (int64_t)(v->now / CLOCK_SECOND);
	if (s <= -NEAR_S || s >= NEAR_S)
		return false;
	left = s * (int64_t)CLOCK_SECOND + m.ns - (int64_t)(v->now % CLOCK_SECOND);
	/* As exact as somebody reads it. */
	if (left <= -(int64_t)CLOCK_SECOND || left >= (int64_t)CLOCK_SECOND)
		left -= left % (int64_t)TENTH;
	else
		left -= left % 1000000;
	duration(b, left);
	return true;
}

static bool show_duration(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	bool convert;

	(void)v;
	if (w->t->size != 8)
		return false;
	convert = value_convert(b, w);
	duration(b, (int64_t)value_word(w->p));
	if (convert)
		buf_char(b, ')');
	return true;
}

static bool constant(struct buf *b, const struct value_what *w, int64_t first,
		     const char *const *names, int64_t n)
{
	int64_t i = 0;

	value_integer(w->t, w->p, &i);
	if (i < first || i - first >= n)
		return false;
	buf_str(b, "time.");
	buf_str(b, names[i - first]);
	return true;
}

static bool show_month(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	static const char *const names[] = {
		"January", "February", "March", "April", "May", "June", "July", "August",
		"September", "October", "November", "December",
	};

	(void)v;
	return constant(b, w, 1, names, 12);
}

static bool show_weekday(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	static const char *const names[] = {
		"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
	};

	(void)v;
	return constant(b, w, 0, names, 7);
}

const struct value_known value_known_time[] = {
	JSON("time.Time", GOTYPE_STRUCT, value_time),
	JSON("time.Duration", GOTYPE_INT, show_duration),
	JSON("time.Month", GOTYPE_INT, show_month),
	JSON("time.Weekday", GOTYPE_INT, show_weekday),
	{ 0 },
};
