// SPDX-License-Identifier: GPL-2.0
/* Heads of HTTP messages, URLs and addresses: what the parsers accept has one meaning only. */
#include "fuzz.h"

#include "net/address.h"
#include "net/http.h"

/* It lies in the head, and has no line's end. */
static void check_text(const struct http_text *t, const char *head, size_t n)
{
	if (!t->n)
		return;
	FUZZ_HOLDS(t->p >= head && t->n <= n && (size_t)(t->p - head) <= n - t->n);
	for (size_t i = 0; i < t->n; i++)
		FUZZ_HOLDS((unsigned char)t->p[i] >= ' ' || t->p[i] == '\t');
}

static void heads(const char *p, size_t n)
{
	struct http_response answer;
	struct http_request r;

	FUZZ_HOLDS(http_head_end(p, n) <= n);
	if (!http_request_parse(p, n, &r)) {
		check_text(&r.method, p, n);
		check_text(&r.path, p, n);
		check_text(&r.host, p, n);
		FUZZ_HOLDS(r.method.n && r.path.n && *r.path.p == '/');
		FUZZ_HOLDS(!memchr(r.path.p, '?', r.path.n));
		/* The end that a server finds is the one that it parses to. */
		FUZZ_HOLDS(http_head_end(p, n));
	}
	if (!http_response_parse(p, n, &answer))
		FUZZ_HOLDS(answer.status >= 100 && answer.status <= 599 && http_head_end(p, n));
}

static void texts(const char *text)
{
	char back[NET_ADDRESS_TEXT];
	union net_address a, again;
	struct diag d = { 0 };
	struct http_url url;

	if (!http_url_parse(text, "/", &url, &d)) {
		FUZZ_HOLDS(http_is_url(text) && *url.host && url.port && *url.path == '/');
		for (const char *c = text; *c; c++)
			FUZZ_HOLDS(*c > ' ' && *c < 0x7f);
		http_url_fini(&url);
	}
	if (!net_address_parse(text, &a, &d)) {
		net_address_text(&a, back);
		FUZZ_HOLDS(!net_address_parse(back, &again, &d));
		FUZZ_HOLDS(!memcmp(&a, &again, sizeof(a)));
	}
	diag_fini(&d);
}

int fuzz_http(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	uint8_t *p;
	char *line;
	size_t n;

	line = feed_line(&feed);
	texts(line);
	free(line);
	/* Without the NUL behind it, so that a read behind the end is found. */
	p = malloc(feed.n ? feed.n : 1);
	if (!p)
		abort();
	n = feed.n;
	feed_bytes(&feed, p, n);
	heads((const char *)p, n);
	free(p);
	return 0;
}
