// SPDX-License-Identifier: GPL-2.0
/* Heads of HTTP messages, URLs and addresses: what is accepted, and what hostile peers send. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/address.h"
#include "net/http.h"
#include "rows.h"

/* A head is copied to memory of just its size, so that a read behind it is found. */
static char *copy(const char *text, size_t n)
{
	char *p = malloc(n ? n : 1);

	assert_non_null(p);
	memcpy(p, text, n);
	return p;
}

#define HOST "Host: a\r\n\r\n"

static const struct request_case {
	const char *claim;
	const char *head;
	unsigned int status;
	const char *method;
	const char *path;
	const char *host;
} requests[] = {
	{ "a request of Prometheus",
	  "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9464\r\nAccept: */*\r\n\r\n",
	  0, "GET", "/metrics", "127.0.0.1" },
	{ "a query is no part of the path",
	  "GET /metrics?x=/a HTTP/1.1\r\n" HOST, 0, "GET", "/metrics", "a" },
	{ "HTTP/1.0 needs no host", "HEAD / HTTP/1.0\r\n\r\n", 0, "HEAD", "/", "" },
	{ "an address of IPv6",
	  "GET / HTTP/1.1\r\nhOST:\t[::1]:80 \r\n\r\n", 0, "GET", "/", "::1" },
	{ "a bracket that is never closed",
	  "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 0, "GET", "/", "[::1" },
	{ "no host in the field", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 0, "GET", "/", "" },
	{ "two hosts", "GET / HTTP/1.1\r\nHost: a\r\n" HOST, 400 },
	{ "another version", "GET / HTTP/2.0\r\n" HOST, 505 },
	{ "no version", "GET /\r\n" HOST, 400 },
	{ "no number of a version", "GET / HTTP/\r\n" HOST, 400 },
	{ "no path", "GET  HTTP/1.1\r\n" HOST, 400 },
	{ "a path that is a URL, as for a proxy", "GET http://a/ HTTP/1.1\r\n" HOST, 400 },
	{ "no method", " / HTTP/1.1\r\n" HOST, 400 },
	{ "an empty line alone", "\r\n\r\n", 400 },
	{ "TLS", "\x16\x03\x01\x02\x01\r\n\r\n", 400 },
	{ "a field without a colon", "GET / HTTP/1.1\r\nHost\r\n\r\n", 400 },
	{ "a field without a name", "GET / HTTP/1.1\r\n: a\r\n\r\n", 400 },
	{ "a blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400 },
	{ "a line that continues another", "GET / HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n", 400 },
	{ "a line that continues another, with a tab",
	  "GET / HTTP/1.1\r\nA: b\r\n\tc: d\r\n\r\n", 400 },
	{ "CR in a field", "GET / HTTP/1.1\r\nA: b\rHost: c\r\n\r\n", 400 },
	{ "LF in a field", "GET / HTTP/1.1\r\nA: b\nHost: c\r\n\r\n", 400 },
	{ "a control character in the path", "GET /\x1b HTTP/1.1\r\n" HOST, 400 },
};

static void test_request(void **state)
{
	const struct request_case *c = *state;
	size_t n = strlen(c->head);
	struct http_request r;
	char *p = copy(c->head, n);

	assert_int_equal(http_head_end(p, n), n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(http_head_end(p, i), 0);
	assert_int_equal(http_request_parse(p, n, &r), c->status);
	if (!c->status) {
		assert_true(http_text_is(&r.method, c->method));
		assert_true(http_text_is(&r.path, c->path));
		assert_int_equal(r.host.n, strlen(c->host));
		assert_memory_equal(r.host.p ?: "", c->host, r.host.n);
	}
	/* Of a part nothing is accepted. */
	for (size_t i = 0; i < n; i++) {
		char *part = copy(c->head, i);

		assert_int_not_equal(http_request_parse(part, i, &r), 0);
		free(part);
	}
	free(p);
}

static const struct response_case {
	const char *claim;
	const char *head;
	unsigned int status;	/* 0: it is no response */
	uint64_t length;
	bool chunked;
	uint64_t retry_s;
} responses[] = {
	{ "a response of a collector",
	  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 21\r\n\r\n",
	  200, 21 },
	{ "a body that ends with the connection",
	  "HTTP/1.0 400 Bad Request\r\n\r\n", 400, UINT64_MAX },
	{ "chunks",
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n", 200, UINT64_MAX, true },
	{ "a time to wait",
	  "HTTP/1.1 503 No\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n", 503, 0, false, 7 },
	{ "a date to wait for",
	  "HTTP/1.1 503 No\r\nRetry-After: Fri, 07 Nov 2025 23:59:59 GMT\r\n\r\n",
	  503, UINT64_MAX },
	{ "no text behind the status", "HTTP/1.1 204\r\n\r\n", 204, UINT64_MAX },
	{ "a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n" },
	{ "a status that is too large", "HTTP/1.1 600 OK\r\n\r\n" },
	{ "no status", "HTTP/1.1 \r\n\r\n" },
	{ "a status with a sign", "HTTP/1.1 +20 OK\r\n\r\n" },
	{ "a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" },
	{ "a length that does not fit",
	  "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n" },
	{ "two lengths in one", "HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n" },
	{ "another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n" },
	{ "another version", "HTTP/2 200 OK\r\n\r\n" },
	{ "an empty line alone", "\r\n\r\n" },
};

static void test_response(void **state)
{
	const struct response_case *c = *state;
	size_t n = strlen(c->head);
	struct http_response r;
	char *p = copy(c->head, n);

	assert_int_equal(http_response_parse(p, n, &r), c->status ? 0 : -1);
	if (c->status) {
		assert_int_equal(r.status, c->status);
		assert_int_equal(r.length, c->length);
		assert_int_equal(r.chunked, c->chunked);
		assert_int_equal(r.retry_s, c->retry_s);
	}
	for (size_t i = 0; i < n; i++) {
		char *part = copy(c->head, i);

		assert_int_equal(http_response_parse(part, i, &r), -1);
		free(part);
	}
	free(p);
}

static const struct url_case {
	const char *claim;
	const char *url;
	const char *host;
	uint16_t port;
	const char *path;
	const char *message;
} urls[] = {
	{ "no path", "http://localhost:4318", "localhost", 4318, "/v1/traces" },
	{ "an empty path", "http://localhost:4318/", "localhost", 4318, "/v1/traces" },
	{ "a path of its own",
	  "http://10.1.2.3:80/otlp?tenant=7", "10.1.2.3", 80, "/otlp?tenant=7" },
	{ "an address of IPv6", "HTTP://[::1]:65535", "::1", 65535, "/v1/traces" },
	{ "TLS", "https://a:4318", .message = "needs TLS" },
	{ "no port", "http://a", .message = "no port" },
	{ "no port before the path", "http://a/b:80", .message = "no port" },
	{ "an empty port", "http://a:/", .message = "no port" },
	{ "port 0", "http://a:0", .message = "no port" },
	{ "a port that does not fit", "http://a:65536", .message = "no port" },
	{ "a port of many digits", "http://a:00000000000000000000080", .message = "no port" },
	{ "something behind the port", "http://a:80b", .message = "no port" },
	{ "an address of IPv6 without brackets", "http://::1:80", .message = "no port" },
	{ "something behind the brackets", "http://[::1]b:80", .message = "no port" },
	{ "no host", "http://:80", .message = "no host" },
	{ "an empty address", "http://[]:80", .message = "no host" },
	{ "a query without a path", "http://a:80?b", .message = "a query" },
	{ "a password", "http://a:b@c:80", .message = "user name" },
	{ "a line of its own in the request",
	  "http://a:80/\r\nX: y", .message = "http://HOST:PORT" },
	{ "a blank", "http://a:80/ b", .message = "http://HOST:PORT" },
	{ "a fragment", "http://a:80/#b", .message = "http://HOST:PORT" },
	{ "another protocol", "ftp://a:80", .message = "http://HOST:PORT" },
};

static void test_url(void **state)
{
	const struct url_case *c = *state;
	struct diag d = { 0 };
	struct http_url url;
	int err = http_url_parse(c->url, "/v1/traces", &url, &d);

	assert_int_equal(err, c->message ? -1 : 0);
	if (c->message) {
		if (!strstr(d.message, c->message))
			fail_msg("%s", d.message);
		assert_non_null(d.hint);
	} else {
		assert_string_equal(url.host, c->host);
		assert_int_equal(url.port, c->port);
		assert_string_equal(url.path, c->path);
		http_url_fini(&url);
	}
	diag_fini(&d);
}

static const struct address_case {
	const char *claim;
	const char *text;
	const char *want;	/* NULL: it is refused */
	bool local;
} addresses[] = {
	{ "a port alone is for this machine", "9464", "127.0.0.1:9464", true },
	{ "any free port", "0", "127.0.0.1:0", true },
	{ "all addresses", "0.0.0.0:9464", "0.0.0.0:9464" },
	{ "another address of this machine", "127.1.2.3:1", "127.1.2.3:1", true },
	{ "IPv6", "[::1]:9464", "[::1]:9464", true },
	{ "all addresses of IPv6", "[::]:9464", "[::]:9464" },
	{ "a name", "localhost:9464" },
	{ "IPv6 without brackets", "::1:9464" },
	{ "IPv4 in brackets", "[127.0.0.1]:9464" },
	{ "no port", "127.0.0.1:" },
	{ "no port and no colon", "127.0.0.1" },
	{ "no address", ":9464" },
	{ "nothing", "" },
	{ "a port that does not fit", "65536" },
	{ "brackets alone", "[]:1" },
	{ "a bracket alone", "[:1" },
	{ "a long text", "11111111111111111111111111111111111111111111111111111111:1" },
};

static void test_address(void **state)
{
	const struct address_case *c = *state;
	char text[NET_ADDRESS_TEXT];
	struct diag d = { 0 };
	union net_address a;
	int err = net_address_parse(c->text, &a, &d);

	assert_int_equal(err, c->want ? 0 : -1);
	if (c->want) {
		net_address_text(&a, text);
		assert_string_equal(text, c->want);
		assert_int_equal(net_address_is_local(&a), c->local);
	} else {
		assert_non_null(d.hint);
	}
	diag_fini(&d);
}

int main(void)
{
	struct CMUnitTest tests[N(requests) + N(responses) + N(urls) + N(addresses)], *t = tests;

	t = ROWS(t, requests, test_request);
	t = ROWS(t, responses, test_response);
	t = ROWS(t, urls, test_url);
	ROWS(t, addresses, test_address);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
