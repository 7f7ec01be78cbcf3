// SPDX-License-Identifier: GPL-2.0
/* Heads of HTTP/1.1 messages, and URLs. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/argument.h"
#include "net/http.h"

bool http_text_is(const struct http_text *t, const char *s)
{
	return t->n == strlen(s) && !memcmp(t->p, s, t->n);
}

static bool is_field(const struct http_text *t, const char *name)
{
	return t->n == strlen(name) && !strncasecmp(t->p, name, t->n);
}

size_t http_head_end(const char *p, size_t n)
{
	const char *end = memmem(p, n, "\r\n\r\n", 4);

	return end ? (size_t)(end - p) + 4 : 0;
}

/* --- lines ----------------------------------------------------------- */

/* Move the first line of @rest, which ends with CR LF, to @line. */
static bool take_line(struct http_text *rest, struct http_text *line)
{
	const char *end = memmem(rest->p, rest->n, "\r\n", 2);

	if (!end)
		return false;
	*line = (struct http_text){ rest->p, (size_t)(end - rest->p) };
	rest->p += line->n + 2;
	rest->n -= line->n + 2;
	return true;
}

/* Move what is before the first blank of @line to @word. */
static bool take_word(struct http_text *line, struct http_text *word)
{
	const char *end = memchr(line->p, ' ', line->n);

	if (!end || end == line->p)
		return false;
	*word = (struct http_text){ line->p, (size_t)(end - line->p) };
	line->p += word->n + 1;
	line->n -= word->n + 1;
	return true;
}

static void trim(struct http_text *t)
{
	for (; t->n && (*t->p == ' ' || *t->p == '\t'); t->n--)
		t->p++;
	while (t->n && (t->p[t->n - 1] == ' ' || t->p[t->n - 1] == '\t'))
		t->n--;
}

/* No head has control characters but tabs: some programs take CR for the end of a line. */
static bool is_legible(const struct http_text *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (((unsigned char)t->p[i] < ' ' && t->p[i] != '\t') || t->p[i] == 0x7f)
			return false;
	return true;
}

/* The next field of @rest: 1, 0: there is no other, or -1: it is malformed. */
static int take_field(struct http_text *rest, struct http_text *name, struct http_text *value)
{
	struct http_text line;
	const char *colon;

	if (!take_line(rest, &line) || !is_legible(&line))
		return -1;
	if (!line.n)
		return 0;
	colon = memchr(line.p, ':', line.n);
	/* A blank before the colon, or at the start of a line, makes readers disagree. */
	if (!colon || colon == line.p || memchr(line.p, ' ', (size_t)(colon - line.p)) ||
	    *line.p == '\t')
		return -1;
	*name = (struct http_text){ line.p, (size_t)(colon - line.p) };
	*value = (struct http_text){ colon + 1, line.n - name->n - 1 };
	trim(value);
	return 1;
}

static bool read_number(const struct http_text *t, uint64_t *ret)
{
	char digits[20];

	if (!t->n || t->n >= sizeof(digits))
		return false;
	memcpy(digits, t->p, t->n);
	digits[t->n] = 0;
	return argument_number(digits, 0, UINT64_MAX, ret);
}

/* --- requests -------------------------------------------------------- */

/* "[::1]:80" and "localhost:80" without brackets and port */
static struct http_text host_of(struct http_text t)
{
	const char *end;

	if (t.n && *t.p == '[') {
		end = memchr(t.p, ']', t.n);
		return end ? (struct http_text){ t.p + 1, (size_t)(end - t.p) - 1 } : t;
	}
	end = memchr(t.p, ':', t.n);
	t.n = end ? (size_t)(end - t.p) : t.n;
	return t;
}

unsigned int http_request_parse(const char *p, size_t n, struct http_request *ret)
{
	struct http_text rest = { p, n }, line, name, value;
	const char *query;
	bool hosts = false;
	int got;

	*ret = (struct http_request){ 0 };
	if (!take_line(&rest, &line) || !is_legible(&line) || !take_word(&line, &ret->method) ||
	    !take_word(&line, &ret->path) || *ret->path.p != '/')
		return 400;
	if (!http_text_is(&line, "HTTP/1.1") && !http_text_is(&line, "HTTP/1.0"))
		return line.n > 5 && !memcmp(line.p, "HTTP/", 5) ? 505 : 400;
	query = memchr(ret->path.p, '?', ret->path.n);
	if (query)
		ret->path.n = (size_t)(query - ret->path.p);
	while ((got = take_field(&rest, &name, &value)) > 0) {
		if (!is_field(&name, "host"))
			continue;
		if (hosts)
			return 400;
		hosts = true;
		ret->host = host_of(value);
	}
	return got ? 400 : 0;
}

/* --- responses ------------------------------------------------------- */

int http_response_parse(const char *p, size_t n, struct http_response *ret)
{
	struct http_text rest = { p, n }, line, version, name, value;
	uint64_t status = 0;
	int got;

	*ret = (struct http_response){ .length = UINT64_MAX };
	if (!take_line(&rest, &line) || !is_legible(&line) || !take_word(&line, &version) ||
	    version.n != 8 || memcmp(version.p, "HTTP/1.", 7) != 0)
		return -1;
	/* The text behind the status can be absent. */
	value = (struct http_text){ line.p, line.n < 3 ? line.n : 3 };
	if (!read_number(&value, &status) || status < 100 || status > 599 ||
	    (line.n > 3 && line.p[3] != ' '))
		return -1;
	ret->status = (unsigned int)status;
	while ((got = take_field(&rest, &name, &value)) > 0) {
		if (is_field(&name, "content-length") && !read_number(&value, &ret->length))
			return -1;
		if (is_field(&name, "transfer-encoding"))
			ret->chunked = is_field(&value, "chunked");
		/* It can also be a date, which nobody needs here. */
		if (is_field(&name, "retry-after"))
			read_number(&value, &ret->retry_s);
	}
	return got;
}

/* --- URLs ------------------------------------------------------------ */

#define HTTP "http://"
#define HTTPS "https://"

bool http_is_url(const char *text)
{
	return !strncasecmp(text, HTTP, strlen(HTTP)) || !strncasecmp(text, HTTPS, strlen(HTTPS));
}

/* Does it have only characters of a URL, and none that is no part of the request? */
static bool is_printable(const char *s)
{
	for (; *s; s++)
		if (*s <= ' ' || *s >= 0x7f || *s == '#' || *s == '"')
			return false;
	return true;
}

static int refuse(const char *text, const char *why, struct diag *d)
{
	diag_set(d, "'%s' is no URL that can be used: %s", text, why);
	diag_hint(d, "a collector has one like http://127.0.0.1:4318");
	return -1;
}

int http_url_parse(const char *text, const char *path, struct http_url *ret, struct diag *d)
{
	const char *host = text + strlen(HTTP), *slash, *colon, *close = NULL;
	char digits[8] = "";
	uint64_t port;

	*ret = (struct http_url){ 0 };
	if (!strncasecmp(text, HTTPS, strlen(HTTPS))) {
		diag_set(d, "'%s' needs TLS, which goprobectl does not have", text);
		diag_hint(d, "send to a collector on this machine, http://127.0.0.1:4318, and let that one send it on by https");
		return -1;
	}
	if (strncasecmp(text, HTTP, strlen(HTTP)) != 0 || !is_printable(text))
		return refuse(text, "it is not http://HOST:PORT", d);
	slash = host + strcspn(host, "/?");
	if (memchr(host, '@', (size_t)(slash - host)))
		return refuse(text, "it has a user name", d);
	if (*host == '[')
		close = memchr(host, ']', (size_t)(slash - host));
	colon = close ? close + 1 : host + strcspn(host, ":/?");
	if (*colon == ':' && (size_t)(slash - colon) <= sizeof(digits))
		memcpy(digits, colon + 1, (size_t)(slash - colon) - 1);
	if (!argument_number(digits, 1, UINT16_MAX, &port))
		return refuse(text, "it has no port, or none from 1 to 65535", d);
	ret->port = (uint16_t)port;
	ret->host = close ? strndup(host + 1, (size_t)(close - host) - 1) :
			    strndup(host, (size_t)(colon - host));
	ret->path = strdup(*slash && strcmp(slash, "/") != 0 ? slash : path);
	if (!ret->host || !ret->path) {
		http_url_fini(ret);
		return diag_set(d, "out of memory");
	}
	if (*ret->host && *ret->path == '/')
		return 0;
	http_url_fini(ret);
	return refuse(text, "it has no host, or a query without a path", d);
}

void http_url_fini(struct http_url *url)
{
	free(url->host);
	free(url->path);
	*url = (struct http_url){ 0 };
}
