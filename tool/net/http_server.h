/* SPDX-License-Identifier: GPL-2.0 */
/*
 * HTTP server of one page, by libmicrohttpd, inside of a loop that has other work: it never waits
 * for a client. Its clients are few, their requests are short, and each has its time.
 */
#ifndef GOPROBE_NET_HTTP_SERVER_H
#define GOPROBE_NET_HTTP_SERVER_H

#include <poll.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/diag.h"

/* Connections at once. With another one, the oldest ends. */
#define HTTPSERVER_CLIENTS 32

/* The page. */
struct httpserver_page {
	const char *path;	/* "/metrics" */
	const char *type;	/* its media type */
	/* append what it is now to @b; 0, or -1 with @d set */
	int (*put)(void *ctx, struct buf *b, struct diag *d);
	void *ctx;	/* first argument of @put */
	bool secret;	/* only those who know the path get it */
	unsigned int fresh_ms;	/* clients get the same text for so long */
	unsigned int client_ms;	/* a connection is closed after so long, whatever its client does */
};

struct httpserver;

/* Listen at [ADDR:]PORT. @page is copied; its texts stay. NULL with @d set. */
struct httpserver *httpserver_open(const char *where, const struct httpserver_page *page,
				   struct diag *d);
void httpserver_free(struct httpserver *s);
/* "http://127.0.0.1:9464/metrics" */
const char *httpserver_url(const struct httpserver *s);
/* Has a client got the whole page? Its connection has ended, too. */
bool httpserver_fetched(const struct httpserver *s);
/* Fill in what to wait for. */
void httpserver_poll(const struct httpserver *s, struct pollfd *fd);
/*
 * Serve clients as far as that is possible without waiting; at least once a second, so that slow
 * clients lose their connections. 0; or -1 with @d set: the page could not be made.
 */
int httpserver_step(struct httpserver *s, struct diag *d);

#endif
