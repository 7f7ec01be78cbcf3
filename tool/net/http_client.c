// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP client that posts. It follows no redirects, and knows no proxies: the request goes where the
 * user said, or nowhere. Of a response it reads a bounded part.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/http_client.h"
#include "version.h"

#define MS 1000000ULL
/* Bytes that the server gets in one step, about. */
#define BURST (1U << 20)

void httpclient_init(struct httpclient *c, const union net_address *to)
{
	*c = (struct httpclient){ .to = *to, .fd = -1 };
}

/* 0, or errno. */
static int begin_connection(const union net_address *to, int *fd)
{
	*fd = socket(to->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return errno;
	return connect(*fd, &to->any, net_address_len(to)) && errno != EINPROGRESS ? errno : 0;
}

/* Has the connection failed? A socket reports that once. */
static int failure(int fd)
{
	socklen_t len = sizeof(int);
	int err = 0;

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) ? errno : err;
}

int httpclient_try(const union net_address *to, int timeout_ms)
{
	struct pollfd fd = { .events = POLLOUT };
	int err = begin_connection(to, &fd.fd);

	if (!err)
		err = poll(&fd, 1, timeout_ms) == 1 ? failure(fd.fd) : ETIMEDOUT;
	if (fd.fd >= 0)
		close(fd.fd);
	return err;
}

void httpclient_hang_up(struct httpclient *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

void httpclient_fini(struct httpclient *c)
{
	httpclient_hang_up(c);
	buf_fini(&c->out);
	buf_fini(&c->in);
}

static void put_request(struct httpclient *c, const struct http_url *url, const char *type,
			const struct buf *body)
{
	bool v6 = strchr(url->host, ':');
	struct buf *b = &c->out;

	b->len = 0;
	buf_str(b, "POST ");
	buf_str(b, url->path);
	buf_str(b, v6 ? " HTTP/1.1\r\nHost: [" : " HTTP/1.1\r\nHost: ");
	buf_str(b, url->host);
	buf_number(b, v6 ? "]:" : ":", url->port);
	buf_str(b, "\r\nUser-Agent: goprobe/" GOPROBECTL_VERSION "\r\nContent-Type: ");
	buf_str(b, type);
	buf_str(b, "\r\nAccept: ");
	buf_str(b, type);
	buf_number(b, "\r\nContent-Length: ", body->len);
	buf_str(b, "\r\nConnection: close\r\n\r\n");
	buf_mem(b, body->p, body->len);
}

void httpclient_post(struct httpclient *c, const struct http_url *url, const char *type,
		     const struct buf *body, unsigned int timeout_ms)
{
	put_request(c, url, type, body);
	c->sent = 0;
	c->in.len = 0;
	c->err = 0;
	c->until = clock_now(CLOCK_MONOTONIC) + timeout_ms * MS;
	if (c->out.failed) {
		buf_fini(&c->out);
		c->err = ENOMEM;
		return;
	}
	c->err = begin_connection(&c->to, &c->fd);
	if (c->err)
		httpclient_hang_up(c);
}

void httpclient_poll(const struct httpclient *c, struct pollfd *fd)
{
	*fd = (struct pollfd){
		.fd = c->fd, .events = c->sent < c->out.len ? POLLIN | POLLOUT : POLLIN,
	};
}

static bool can_wait(int err)
{
	return err == EAGAIN || err == EINTR || err == ENOTCONN;
}

/* 0, or errno. */
static int send_more(struct httpclient *c)
{
	for (size_t begun = c->sent; c->sent < c->out.len && c->sent - begun < BURST;) {
		size_t left = c->out.len - c->sent;
		ssize_t n = send(c->fd, c->out.p + c->sent, left < BURST ? left : BURST,
				 MSG_NOSIGNAL);

		/* A server may answer, and close, before it has read all. */
		if (n < 0)
			return can_wait(errno) || errno == EPIPE ? 0 : errno;
		c->sent += (size_t)n;
	}
	return 0;
}

/* 1: the response has ended; 0, or -errno. */
static int receive(struct httpclient *c)
{
	char part[4096];
	ssize_t n;

	do {
		n = recv(c->fd, part, sizeof(part), 0);
		if (n > 0)
			buf_mem(&c->in, part, (size_t)n);
	} while (n > 0 && c->in.len < HTTPCLIENT_RESPONSE_MAX);
	if (c->in.failed)
		return -ENOMEM;
	return n >= 0 ? 1 : can_wait(errno) ? 0 : -errno;
}

/*
 * Is the response whole? 1, 0, or -1: this is no response. @ended: the server sends no more, or it
 * has sent as much as is read.
 */
static int parse(struct httpclient *c, bool ended)
{
	static const char last[] = "\r\n0\r\n\r\n";
	size_t head = http_head_end(c->in.p, c->in.len), n = strlen(last);

	if (!head || head > HTTP_HEAD_MAX)
		return ended || c->in.len > HTTP_HEAD_MAX ? -1 : 0;
	if (http_response_parse(c->in.p, head, &c->response))
		return -1;
	c->body = (struct http_text){ c->in.p + head, c->in.len - head };
	/* Most servers close, but some do not. */
	return ended || c->body.n >= c->response.length ||
	       (c->response.chunked && c->body.n >= n &&
		!memcmp(c->body.p + c->body.n - n, last, n));
}

static enum httpclient_state fail(struct httpclient *c, int err)
{
	httpclient_hang_up(c);
	c->err = err;
	return HTTPCLIENT_FAILED;
}

enum httpclient_state httpclient_step(struct httpclient *c)
{
	int err, got;

	if (c->fd < 0)
		return HTTPCLIENT_FAILED;
	err = failure(c->fd);
	err = err ? err : send_more(c);
	got = receive(c);
	/* What a server has sent before it reset the connection is an answer, too. */
	if (c->in.len) {
		int whole = parse(c, got != 0 || err);

		if (whole < 0)
			return fail(c, EPROTO);
		if (whole) {
			httpclient_hang_up(c);
			return HTTPCLIENT_ANSWERED;
		}
	}
	if (err || got < 0)
		return fail(c, err ? err : -got);
	if (got > 0)
		return fail(c, ECONNRESET);
	return clock_now(CLOCK_MONOTONIC) < c->until ? HTTPCLIENT_WAITS : fail(c, ETIMEDOUT);
}
