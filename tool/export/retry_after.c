// SPDX-License-Identifier: GPL-2.0
/* How long an HTTP server asks its clients to wait. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "export/retry_after.h"

#define SPACE " \t\r\n"

/* Copy the value of the header @name to @to, if @line is that header. */
static void copy(char to[64], const char *name, const char *line, size_t n)
{
	size_t len = strlen(name);

	if (n < len || strncasecmp(line, name, len) != 0)
		return;
	line += len;
	n -= len;
	while (n && strchr(SPACE, *line)) {
		line++;
		n--;
	}
	while (n && strchr(SPACE, line[n - 1]))
		n--;
	n = n < 63 ? n : 63;
	memcpy(to, line, n);
	to[n] = 0;
}

void retryafter_line(struct retryafter *r, const char *line, size_t n)
{
	if (n >= 5 && !memcmp(line, "HTTP/", 5))
		*r = (struct retryafter){ 0 };
	copy(r->value, "Retry-After:", line, n);
	copy(r->date, "Date:", line, n);
}

uint64_t retryafter_s(const struct retryafter *r, time_t (*parse)(const char *, const time_t *))
{
	unsigned long long s = 0;
	time_t then, now;

	if (!*r->value)
		return 0;
	if (!r->value[strspn(r->value, "0123456789")]) {
		s = strtoull(r->value, NULL, 10);
	} else {
		then = parse(r->value, NULL);
		now = *r->date ? parse(r->date, NULL) : -1;
		now = now < 0 ? time(NULL) : now;
		s = then > now ? (unsigned long long)(then - now) : 0;
	}
	return s < RETRYAFTER_MOST ? s : RETRYAFTER_MOST;
}
