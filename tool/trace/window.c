// SPDX-License-Identifier: GPL-2.0
/* A time in a recording, as people write it. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/argument.h"
#include "base/clock.h"
#include "trace/window.h"

/* Seconds of a day. */
#define DAY 86400LL

/* "1m30s": durations one after the other. */
static bool sum(const char *text, uint64_t *ret)
{
	*ret = 0;
	while (*text) {
		size_t n = strspn(text, "0123456789.");
		char piece[32];
		uint64_t ns;

		n += strcspn(text + n, "0123456789.");
		if (n >= sizeof(piece))
			return false;
		memcpy(piece, text, n);
		piece[n] = 0;
		text += n;
		/* argument_duration() takes no 0. */
		if (piece[strspn(piece, "0.")] && !strpbrk(piece, "123456789") &&
		    isdigit((unsigned char)piece[0]))
			continue;
		if (!argument_duration(piece, &ns) || __builtin_add_overflow(*ret, ns, ret))
			return false;
	}
	return true;
}

/* Two digits at *@at, below @most; *@at moves behind them. */
static bool two_digits(const char **at, int most, int *ret)
{
	const char *p = *at;

	if (!isdigit((unsigned char)p[0]) || !isdigit((unsigned char)p[1]))
		return false;
	*ret = (p[0] - '0') * 10 + p[1] - '0';
	*at += 2;
	return *ret < most;
}

/* ".25": *@ns; nothing is 0. */
static bool fraction(const char *at, uint64_t *ns)
{
	uint64_t unit = CLOCK_SECOND;

	*ns = 0;
	if (!*at)
		return true;
	if (*at++ != '.' || !*at)
		return false;
	for (; isdigit((unsigned char)*at); at++) {
		unit /= 10;
		*ns += (uint64_t)(*at - '0') * unit;
	}
	return !*at;
}

/* "14:03:20.5": the time of day that is nearest to @real, ns since 1970. */
static bool time_of_day(const char *text, uint64_t real, bool utc, int64_t *ret)
{
	time_t begin = (time_t)(real / CLOCK_SECOND), t;
	int hour, minute, second = 0;
	struct tm tm;
	uint64_t ns;

	if (!two_digits(&text, 24, &hour) || *text++ != ':' || !two_digits(&text, 60, &minute))
		return false;
	if (*text == ':' && (text++, !two_digits(&text, 60, &second)))
		return false;
	if (!fraction(text, &ns) || !(utc ? gmtime_r(&begin, &tm) : localtime_r(&begin, &tm)))
		return false;
	tm.tm_hour = hour;
	tm.tm_min = minute;
	tm.tm_sec = second;
	tm.tm_isdst = -1;
	t = utc ? timegm(&tm) : mktime(&tm);
	if (t < begin - DAY / 2)
		t += DAY;
	else if (t > begin + DAY / 2)
		t -= DAY;
	*ret = (int64_t)t * (int64_t)CLOCK_SECOND + (int64_t)ns;
	return true;
}

bool window_time(const char *text, uint64_t started, uint64_t epoch, bool utc, uint64_t *ret)
{
	uint64_t ns;
	int64_t real;

	if (!*text)
		return false;
	if (strchr(text, ':')) {
		if (!time_of_day(text, started + epoch, utc, &real))
			return false;
		/* Before the system was started is before the recording. */
		*ret = real > (int64_t)epoch ? (uint64_t)real - epoch : 0;
		return true;
	}
	return (!strcmp(text, "0") && (*ret = started, true)) ||
	       (sum(text, &ns) && !__builtin_add_overflow(started, ns, ret));
}
