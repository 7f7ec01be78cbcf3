/* SPDX-License-Identifier: GPL-2.0 */
/* How long an HTTP server asks its clients to wait: RFC 9110, 10.2.3. */
#ifndef GOPROBE_EXPORT_RETRY_AFTER_H
#define GOPROBE_EXPORT_RETRY_AFTER_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Seconds; a server that asks for more is understood as asking for this. */
#define RETRYAFTER_MOST 1000000000ULL

/* What the head of an answer says of time. */
struct retryafter {
	char value[64];	/* of Retry-After, cut if it is longer */
	char date[64];	/* of Date, cut too: when the server has answered, by its clock */
};

/* Take a line of a head, of @n bytes. A status line begins another head. */
void retryafter_line(struct retryafter *r, const char *line, size_t n);
/*
 * The seconds to wait since the answer, 0 if it does not ask for any. @parse: curl_getdate(). A
 * date is compared with the server's own clock, if the server sends that.
 */
uint64_t retryafter_s(const struct retryafter *r, time_t (*parse)(const char *, const time_t *));

#endif
