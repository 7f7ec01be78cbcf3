// SPDX-License-Identifier: GPL-2.0
/* How long HTTP servers ask their clients to wait, by heads of their answers. */
#include <curl/curl.h>
#include <dlfcn.h>
#include <string.h>

#include "base/library.h"
#include "export/retry_after.h"
#include "rows.h"

#define DIGITS "11111111111111111111"
#define DATE "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

static const struct head_case {
	const char *claim;
	const char *head;
	uint64_t s;
} heads[] = {
	{ "nothing", "Content-Length: 2\r\n", 0 },
	{ "seconds", "Retry-After: 120\r\n", 120 },
	{ "a name in other letters, and spaces", "retry-after:\t 7 \r\n", 7 },
	{ "no value", "Retry-After:\r\n", 0 },
	{ "0", "Retry-After: 0\r\n", 0 },
	{ "eight digits, which are no date", "Retry-After: 20200101\r\n", 20200101 },
	{ "less than nothing", "Retry-After: -3\r\n", 0 },
	{ "no number and no date", "Retry-After: 3 Eons\r\n", 0 },
	{ "more than 64 bits", "Retry-After: 99999999999999999999\r\n", RETRYAFTER_MOST },
	{ "digits without an end", "Retry-After: " DIGITS DIGITS DIGITS DIGITS "\r\n",
	  RETRYAFTER_MOST },
	{ "a date", DATE "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\n", 30 },
	{ "a date before Date", "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\n" DATE, 30 },
	{ "a date as RFC 850 has it", DATE "Retry-After: Sunday, 06-Nov-94 08:50:07 GMT\r\n", 30 },
	{ "a date as asctime() has it", DATE "Retry-After: Sun Nov  6 08:50:07 1994\r\n", 30 },
	{ "a date in another time zone",
	  DATE "Retry-After: Sun, 06 Nov 1994 09:50:07 +0100\r\n", 30 },
	{ "a date that has passed",
	  DATE "Retry-After: Sun, 06 Nov 1994 08:49:36 GMT\r\n", 0 },
	{ "a date that has passed by our clock",
	  "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\n", 0 },
	{ "a date that no clock of ours reaches",
	  DATE "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n", RETRYAFTER_MOST },
	{ "a date, and no time of the server",
	  "Date: now\r\nRetry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\n", 0 },
	{ "another header that begins the same", "Retry-After-All: 5\r\n", 0 },
	{ "an answer that continues", "Retry-After: 5\r\n\r\nHTTP/1.1 503 No\r\n", 0 },
	{ "the header twice", "Retry-After: 5\r\nRetry-After: 6\r\n", 6 },
};

static time_t (*parse)(const char *date, const time_t *unused);

/* As libcurl passes a head: line by line, without a terminating 0. */
ROWS(test_head, heads)
{
	const struct head_case *c = *state;
	struct retryafter r = { 0 };

	retryafter_line(&r, "HTTP/1.1 503 No\r\n", 17);
	for (const char *line = c->head, *end; *line; line = end) {
		char exact[200];

		end = strchr(line, '\n') + 1;
		memcpy(exact, line, (size_t)(end - line));
		retryafter_line(&r, exact, (size_t)(end - line));
	}
	assert_int_equal(retryafter_s(&r, parse), c->s);
}

static int set_up(void **state)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4", NULL };
	struct diag d = { 0 };

	(void)state;
	parse = dlsym(library_load(names, "libcurl", &d), "curl_getdate");
	return 0;
}

AROUND_ALL(set_up, NULL)
