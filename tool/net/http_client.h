/* SPDX-License-Identifier: GPL-2.0 */
/*
 * HTTP client that posts to one server, inside of a loop that has other work: it never waits. A
 * request has a connection of its own.
 */
#ifndef GOPROBE_NET_HTTP_CLIENT_H
#define GOPROBE_NET_HTTP_CLIENT_H

#include <poll.h>

#include "base/buf.h"
#include "net/address.h"
#include "net/http.h"

/* Bytes of a response that are read, at most. */
#define HTTPCLIENT_RESPONSE_MAX 65536

/**
 * struct httpclient - a client
 * @to: where the server is
 * @fd: socket of a request that is under way, or -1
 * @until: when the request has failed, CLOCK_MONOTONIC, ns
 * @out: the request
 * @sent: bytes of it that were sent
 * @in: the response so far
 * @response: its head, once a request is over
 * @body: its body, in @in, then; not decoded if it is chunked
 * @err: errno of a request that has failed
 */
struct httpclient {
	union net_address to;
	int fd;
	uint64_t until;
	struct buf out;
	size_t sent;
	struct buf in;
	struct http_response response;
	struct http_text body;
	int err;
};

/* What has become of a request. */
enum httpclient_state { HTTPCLIENT_WAITS, HTTPCLIENT_ANSWERED, HTTPCLIENT_FAILED };

/* Connect to @to, and close at once: 0, or errno. Waits for @timeout_ms at most. */
int httpclient_try(const union net_address *to, int timeout_ms);
void httpclient_init(struct httpclient *c, const union net_address *to);
void httpclient_fini(struct httpclient *c);
/*
 * Begin to post @body of media type @type to @url, whose host @c->to is. All of it has @timeout_ms.
 * No other request can be under way.
 */
void httpclient_post(struct httpclient *c, const struct http_url *url, const char *type,
		     const struct buf *body, unsigned int timeout_ms);
/* Give up the request that is under way, if there is one. */
void httpclient_hang_up(struct httpclient *c);
/* What to wait for; @fd->fd is -1 if no request is under way. */
void httpclient_poll(const struct httpclient *c, struct pollfd *fd);
/* Do what is possible without waiting. */
enum httpclient_state httpclient_step(struct httpclient *c);

#endif
