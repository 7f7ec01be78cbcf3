/* SPDX-License-Identifier: GPL-2.0 */
/* Heads of HTTP/1.1 messages (RFC 9112), from peers that nobody trusts. Pure. */
#ifndef GOPROBE_NET_HTTP_H
#define GOPROBE_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Bytes of a head, at most. */
#define HTTP_HEAD_MAX 8192

/**
 * struct http_text - a part of a head
 * @p: its first byte; not terminated
 * @n: bytes
 */
struct http_text {
	const char *p;
	size_t n;
};

/**
 * struct http_request - what a server needs of a request
 * @method: "GET"
 * @path: "/metrics", without the query
 * @host: of the Host field, without the port; @n is 0 without such a field
 */
struct http_request {
	struct http_text method;
	struct http_text path;
	struct http_text host;
};

/**
 * struct http_response - what a client needs of a response
 * @status: 100 to 599
 * @length: bytes of the body; UINT64_MAX: it ends with the connection
 * @chunked: the body has the chunked coding
 * @retry_s: seconds of Retry-After, or 0
 */
struct http_response {
	unsigned int status;
	uint64_t length;
	bool chunked;
	uint64_t retry_s;
};

/**
 * struct http_url - an http:// URL
 * @host: a name or an address, without brackets
 * @port: its port
 * @path: begins with a slash, and may have a query
 *
 * http_url_fini() frees the texts.
 */
struct http_url {
	char *host;
	uint16_t port;
	char *path;
};

/* Bytes of the head at @p, with the empty line that ends it; 0: the head has not ended. */
size_t http_head_end(const char *p, size_t n);
/* Parse a request's head of @n bytes. 0, or the status of the answer: 400 or 505. */
unsigned int http_request_parse(const char *p, size_t n, struct http_request *ret);
/* Parse a response's head of @n bytes. 0, or -1: it is no head of HTTP/1. */
int http_response_parse(const char *p, size_t n, struct http_response *ret);
/* Is it @s? Case matters. */
bool http_text_is(const struct http_text *t, const char *s);

/* Does @text begin as a URL of http or https? */
bool http_is_url(const char *text);
/* Parse http://HOST:PORT[/PATH]; @path stands for an absent or empty path. 0, or -1 with @d set. */
int http_url_parse(const char *text, const char *path, struct http_url *ret, struct diag *d);
void http_url_fini(struct http_url *url);

#endif
