// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP server of one page. A connection carries one request: the server reads its head, writes the
 * answer, and throws away what else the client sends until that closes, or its time is over.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/address.h"
#include "net/http.h"
#include "net/http_server.h"

#define MS 1000000ULL
/* Bytes that are thrown away of a client in one step. */
#define WASTE 16384
/* Bytes that a client gets in one step, about. */
#define BURST (1U << 20)
/* After the system has refused a connection: it has no descriptors, or no memory. */
#define PAUSE (1000 * MS)

/**
 * struct text - the page as it was once
 * @refs: connections that send it, and the server
 * @b: it
 */
struct text {
	unsigned int refs;
	struct buf b;
};

/* What a connection waits for. */
enum phase { UNUSED, READING, WRITING, CLOSING };

/**
 * struct client - a connection
 * @phase: what it waits for
 * @fd: its socket
 * @until: when it is closed at the latest, CLOCK_MONOTONIC, ns
 * @in: its request so far
 * @nin: bytes of it
 * @head: the answer's head, perhaps with a short text
 * @body: the page, or NULL
 * @sent: bytes that were sent of both
 */
struct client {
	enum phase phase;
	int fd;
	uint64_t until;
	char in[HTTP_HEAD_MAX];
	size_t nin;
	struct buf head;
	struct text *body;
	size_t sent;
};

/**
 * struct httpserver - the server
 * @page: what is served
 * @fd: socket that listens
 * @local: only this machine can reach it
 * @url: see httpserver_url()
 * @text: the page as it was last, or NULL
 * @made: when, CLOCK_MONOTONIC, ns
 * @pause: no connection is accepted until then
 * @clients: connections
 */
struct httpserver {
	struct httpserver_page page;
	int fd;
	bool local;
	char *url;
	struct text *text;
	uint64_t made;
	uint64_t pause;
	struct client clients[HTTPSERVER_CLIENTS];
};

/* --- the page -------------------------------------------------------- */

static void text_put(struct text *t)
{
	if (!t || --t->refs)
		return;
	buf_fini(&t->b);
	free(t);
}

/* Make the page, unless it is fresh. */
static int renew(struct httpserver *s, struct diag *d)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);
	struct text *t;

	if (s->text && now - s->made < s->page.fresh_ms * MS)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return diag_set(d, "out of memory");
	t->refs = 1;
	if (s->page.put(s->page.ctx, &t->b, d) ||
	    (t->b.failed && diag_set(d, "out of memory"))) {
		text_put(t);
		return -1;
	}
	text_put(s->text);
	s->text = t;
	s->made = now;
	return 0;
}

/* --- answers --------------------------------------------------------- */

/* Begin an answer of @length bytes, which follow. */
static void put_head(struct client *c, const char *status, const char *type, size_t length)
{
	struct buf *b = &c->head;

	buf_str(b, "HTTP/1.1 ");
	buf_str(b, status);
	buf_str(b, "\r\nContent-Type: ");
	buf_str(b, type);
	buf_number(b, "\r\nContent-Length: ", length);
	/* A browser keeps nothing, and takes the text for nothing else. */
	buf_str(b, "\r\nConnection: close\r\nCache-Control: no-store\r\n"
		   "X-Content-Type-Options: nosniff\r\n");
	if (!strncmp(status, "405", 3))
		buf_str(b, "Allow: GET, HEAD\r\n");
	buf_str(b, "\r\n");
	c->phase = WRITING;
}

/* Answer with @status, whose text @detail follows. */
static void refuse(struct client *c, const char *status, const char *detail)
{
	put_head(c, status, "text/plain; charset=utf-8", strlen(detail));
	buf_str(&c->head, detail);
}

/*
 * A page in a browser can have its own name lead to this machine, and would then read ours. It
 * sends that name.
 */
static bool is_for_us(const struct httpserver *s, const struct http_request *r)
{
	return !s->local || !r->host.n || http_text_is(&r->host, "localhost") ||
	       net_address_is_numeric(r->host.p, r->host.n);
}

static int answer_page(struct httpserver *s, struct client *c, bool head_only, struct diag *d)
{
	if (renew(s, d))
		return -1;
	put_head(c, "200 OK", s->page.type, s->text->b.len);
	if (head_only)
		return 0;
	c->body = s->text;
	c->body->refs++;
	return 0;
}

/* The request has @n bytes. */
static int answer(struct httpserver *s, struct client *c, size_t n, struct diag *d)
{
	struct http_request r;
	unsigned int status = http_request_parse(c->in, n, &r);
	bool head;

	if (status) {
		refuse(c, status == 505 ? "505 HTTP Version Not Supported" : "400 Bad Request",
		       "this is no request of HTTP/1.1\n");
		return 0;
	}
	head = http_text_is(&r.method, "HEAD");
	if (!head && !http_text_is(&r.method, "GET"))
		refuse(c, "405 Method Not Allowed", "this page can only be read\n");
	else if (!is_for_us(s, &r))
		refuse(c, "403 Forbidden", "ask for localhost, or for an address\n");
	else if (!http_text_is(&r.path, s->page.path))
		refuse(c, "404 Not Found", "there is no such page\n");
	else
		return answer_page(s, c, head, d);
	return 0;
}

/* --- connections ----------------------------------------------------- */

/* Was that an error, and not that nothing can be done now? */
static bool has_failed(ssize_t n)
{
	return n < 0 && errno != EAGAIN && errno != EINTR;
}

static void end_client(struct client *c)
{
	if (c->phase == UNUSED)
		return;
	close(c->fd);
	buf_fini(&c->head);
	text_put(c->body);
	c->phase = UNUSED;
	c->body = NULL;
	c->nin = 0;
	c->sent = 0;
}

/* An unused connection. If all are used, the oldest one that gets no answer ends. */
static struct client *find_client(struct httpserver *s)
{
	struct client *oldest = NULL;

	for (size_t i = 0; i < HTTPSERVER_CLIENTS; i++) {
		struct client *c = &s->clients[i];

		if (c->phase == UNUSED)
			return c;
		if (c->phase != WRITING && (!oldest || c->until < oldest->until))
			oldest = c;
	}
	if (oldest)
		end_client(oldest);
	return oldest;
}

static bool can_take(const struct httpserver *s)
{
	if (clock_now(CLOCK_MONOTONIC) < s->pause)
		return false;
	for (size_t i = 0; i < HTTPSERVER_CLIENTS; i++)
		if (s->clients[i].phase != WRITING)
			return true;
	return false;
}

/* Accept one connection, so that all have had a step before it can end one. */
static void take_client(struct httpserver *s)
{
	struct client *c;
	int fd;

	if (!can_take(s))
		return;
	fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0) {
		if (has_failed(fd) && errno != ECONNABORTED)
			s->pause = clock_now(CLOCK_MONOTONIC) + PAUSE;
		return;
	}
	c = find_client(s);
	c->fd = fd;
	c->phase = READING;
	c->until = clock_now(CLOCK_MONOTONIC) + s->page.client_ms * MS;
}

static int read_request(struct httpserver *s, struct client *c, struct diag *d)
{
	ssize_t n = recv(c->fd, c->in + c->nin, sizeof(c->in) - c->nin, 0);
	size_t end;

	if (!n || has_failed(n)) {
		end_client(c);
		return 0;
	}
	c->nin += n > 0 ? (size_t)n : 0;
	end = http_head_end(c->in, c->nin);
	if (end)
		return answer(s, c, end, d);
	if (c->nin == sizeof(c->in))
		refuse(c, "431 Request Header Fields Too Large", "the request is too long\n");
	return 0;
}

static void write_answer(struct client *c)
{
	const struct buf *body = c->body ? &c->body->b : NULL;
	size_t head = c->head.len, all = head + (body ? body->len : 0);
	ssize_t n = 0;

	if (c->head.failed) {
		end_client(c);
		return;
	}
	for (size_t begun = c->sent; c->sent < all && n >= 0 && c->sent - begun < BURST;) {
		if (c->sent < head)
			n = send(c->fd, c->head.p + c->sent, head - c->sent,
				 MSG_NOSIGNAL | (body ? MSG_MORE : 0));
		else
			n = send(c->fd, body->p + c->sent - head,
				 all - c->sent < BURST ? all - c->sent : BURST, MSG_NOSIGNAL);
		c->sent += n > 0 ? (size_t)n : 0;
	}
	if (has_failed(n)) {
		end_client(c);
	} else if (c->sent == all) {
		/* To close while there is something to read would reset the connection. */
		shutdown(c->fd, SHUT_WR);
		c->phase = CLOSING;
	}
}

static void read_rest(struct client *c)
{
	char waste[WASTE];
	ssize_t n = recv(c->fd, waste, sizeof(waste), 0);

	if (!n || has_failed(n))
		end_client(c);
}

static int step_client(struct httpserver *s, struct client *c, struct diag *d)
{
	if (c->phase == READING && read_request(s, c, d))
		return -1;
	if (c->phase == WRITING)
		write_answer(c);
	if (c->phase == CLOSING)
		read_rest(c);
	return 0;
}

int httpserver_step(struct httpserver *s, struct diag *d)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);

	take_client(s);
	for (size_t i = 0; i < HTTPSERVER_CLIENTS; i++) {
		struct client *c = &s->clients[i];

		if (c->phase != UNUSED && now >= c->until)
			end_client(c);
		if (step_client(s, c, d))
			return -1;
	}
	return 0;
}

size_t httpserver_poll(const struct httpserver *s, struct pollfd *fds)
{
	size_t n = 0;

	if (can_take(s))
		fds[n++] = (struct pollfd){ .fd = s->fd, .events = POLLIN };
	for (size_t i = 0; i < HTTPSERVER_CLIENTS; i++) {
		const struct client *c = &s->clients[i];

		if (c->phase != UNUSED)
			fds[n++] = (struct pollfd){
				.fd = c->fd, .events = c->phase == WRITING ? POLLOUT : POLLIN,
			};
	}
	return n;
}

/* --- opening --------------------------------------------------------- */

static int listen_at(struct httpserver *s, union net_address *a, struct diag *d)
{
	socklen_t len = net_address_len(a);
	char text[NET_ADDRESS_TEXT];
	int on = 1;

	net_address_text(a, text);
	s->local = net_address_is_local(a);
	s->fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		return diag_errno(d, errno, "can't listen at %s", text);
	/* Connections that have ended do not keep the port. */
	setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (a->any.sa_family == AF_INET6)
		setsockopt(s->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(s->fd, &a->any, len) || listen(s->fd, HTTPSERVER_CLIENTS) ||
	    getsockname(s->fd, &a->any, &len)) {
		int err = errno;

		diag_errno(d, err, "can't listen at %s", text);
		if (err == EADDRINUSE)
			diag_hint(d, "another program has the port ('ss -ltnp' shows which): --listen with another one, or 0 for a free one");
		return -1;
	}
	net_address_text(a, text);
	if (asprintf(&s->url, "http://%s%s", text, s->page.path) < 0) {
		s->url = NULL;
		return diag_set(d, "out of memory");
	}
	return 0;
}

struct httpserver *httpserver_open(const char *where, const struct httpserver_page *page,
				   struct diag *d)
{
	union net_address address;
	struct httpserver *s;

	if (net_address_parse(where, &address, d))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s) {
		diag_set(d, "out of memory");
		return NULL;
	}
	s->page = *page;
	s->fd = -1;
	if (!listen_at(s, &address, d))
		return s;
	httpserver_free(s);
	return NULL;
}

void httpserver_free(struct httpserver *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < HTTPSERVER_CLIENTS; i++)
		end_client(&s->clients[i]);
	if (s->fd >= 0)
		close(s->fd);
	text_put(s->text);
	free(s->url);
	free(s);
}

const char *httpserver_url(const struct httpserver *s)
{
	return s->url;
}
