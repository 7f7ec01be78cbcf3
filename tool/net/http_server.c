// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP server of one page, by libmicrohttpd. A connection carries one request. The library would
 * wait for as long as a client sends a byte now and then, and let others wait for that.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argument.h"
#include "base/clock.h"
#include "base/library.h"
#include "net/http_server.h"

/* Bytes of a request's head, and of the answer's, together. */
#define HEADS_MAX 8192

/* libmicrohttpd, and a function of it, which is loaded only to serve. */
static void *library;
#define MHD(name) ((__typeof__(MHD_ ## name) *)dlsym(library, "MHD_" #name))

/* A connection. */
struct client {
	struct MHD_Connection *of;	/* it, or NULL */
	uint64_t until;	/* when it is closed at the latest, CLOCK_MONOTONIC, ns */
};

/* The server. */
struct httpserver {
	struct httpserver_page page;	/* what is served */
	struct MHD_Daemon *daemon;	/* serves it */
	int fd;	/* what to wait for */
	uint64_t pause;	/* nothing is waited for until then */
	bool local;	/* only this machine can reach it */
	char *url;	/* see httpserver_url() */
	struct MHD_Response *text;	/* the page as it was last, or NULL */
	uint64_t made;	/* when, CLOCK_MONOTONIC, ns */
	/* connections, of which @clients[@n % HTTPSERVER_CLIENTS] is the oldest */
	struct client clients[HTTPSERVER_CLIENTS];
	size_t n;	/* connections so far */
	struct MHD_Connection *sent;	/* the last one that has all of the page */
	bool fetched;	/* see httpserver_fetched() */
	struct diag *d;	/* why the page could not be made */
	bool failed;	/* it could not */
};

/* --- answers --------------------------------------------------------- */

static struct MHD_Response *make_answer(const char *type, const char *p, size_t n)
{
	struct MHD_Response *r = MHD(create_response_from_buffer)(n, (void *)p,
								 MHD_RESPMEM_MUST_COPY);

	if (!r)
		return NULL;
	MHD(add_response_header)(r, "Content-Type", type);
	MHD(add_response_header)(r, "Connection", "close");
	/* A browser keeps nothing, and takes the text for nothing else. */
	MHD(add_response_header)(r, "Cache-Control", "no-store");
	MHD(add_response_header)(r, "X-Content-Type-Options", "nosniff");
	/* A page has all that it needs. */
	MHD(add_response_header)(r, "Content-Security-Policy",
				 "default-src 'none'; style-src 'unsafe-inline'; "
				 "script-src 'unsafe-inline'");
	return r;
}

static enum MHD_Result refuse(struct MHD_Connection *to, unsigned int status, const char *detail)
{
	struct MHD_Response *r = make_answer("text/plain; charset=utf-8", detail, strlen(detail));
	enum MHD_Result result;

	if (r && status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD(add_response_header)(r, "Allow", "GET, HEAD");
	result = MHD(queue_response)(to, status, r);
	MHD(destroy_response)(r);
	return result;
}

/* Make the page, unless it is fresh. */
static int renew(struct httpserver *s)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);
	struct MHD_Response *r;
	struct buf b = { 0 };
	int err;

	if (s->text && now - s->made < s->page.fresh_ms * CLOCK_MS)
		return 0;
	err = s->page.put(s->page.ctx, &b, s->d);
	r = err || b.failed ? NULL : make_answer(s->page.type, b.p, b.len);
	buf_fini(&b);
	if (!r)
		return err ?: diag_set(s->d, "out of memory");
	if (s->text)
		MHD(destroy_response)(s->text);
	s->text = r;
	s->made = now;
	return 0;
}

/*
 * A page in a browser can have its own name lead to this machine, and would then read ours. It
 * sends that name.
 */
static bool is_for_us(const struct httpserver *s, const char *host)
{
	char name[INET6_ADDRSTRLEN];
	struct in6_addr any;
	bool v6;

	if (!s->local || !host)
		return true;
	/* "[::1]:80" and "localhost:80" without brackets and port */
	v6 = *host == '[';
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(host + v6, v6 ? "]" : ":"), host + v6);
	return !strcmp(name, "localhost") || inet_pton(AF_INET, name, &any) == 1 ||
	       inet_pton(AF_INET6, name, &any) == 1;
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *to, const char *path,
			      const char *method, const char *version, const char *data,
			      size_t *ndata, void **request)
{
	struct httpserver *s = ctx;
	char text[128];

	(void)version, (void)data, (void)ndata;
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return refuse(to, MHD_HTTP_METHOD_NOT_ALLOWED, "this page can only be read\n");
	if (!is_for_us(s, MHD(lookup_connection_value)(to, MHD_HEADER_KIND, "Host")))
		return refuse(to, MHD_HTTP_FORBIDDEN, "ask for localhost, or for an address\n");
	if (strcmp(path, s->page.path)) {
		snprintf(text, sizeof(text), s->page.secret ? "there is no such page\n" :
			 "there is no such page: the only one is %s\n", s->page.path);
		return refuse(to, MHD_HTTP_NOT_FOUND, text);
	}
	s->failed |= renew(s);
	*request = strcmp(method, "GET") ? NULL : s;
	return s->failed ? MHD_NO : MHD(queue_response)(to, MHD_HTTP_OK, s->text);
}

/* --- connections ----------------------------------------------------- */

/* The library finds that, and ends the connection. */
static void end_client(const struct client *c)
{
	if (c->of)
		shutdown(MHD(get_connection_info)(c->of, MHD_CONNECTION_INFO_CONNECTION_FD)
				 ->connect_fd, SHUT_RDWR);
}

static void notify(void *ctx, struct MHD_Connection *of, void **client,
		   enum MHD_ConnectionNotificationCode what)
{
	struct httpserver *s = ctx;
	struct client *c = *client;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		c = &s->clients[s->n++ % HTTPSERVER_CLIENTS];
		end_client(c);
		c->of = of;
		c->until = clock_now(CLOCK_MONOTONIC) + s->page.client_ms * CLOCK_MS;
		*client = c;
	} else if (c->of == of) {
		c->of = NULL;
	}
	s->fetched |= what == MHD_CONNECTION_NOTIFY_CLOSED && s->sent == of;
}

/* An answer is over: @request is the server if it was the page. */
static void complete(void *ctx, struct MHD_Connection *of, void **request,
		     enum MHD_RequestTerminationCode how)
{
	struct httpserver *s = ctx;

	if (*request && how == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		s->sent = of;
}

bool httpserver_fetched(const struct httpserver *s)
{
	return s->fetched;
}

void httpserver_poll(const struct httpserver *s, struct pollfd *fd)
{
	*fd = (struct pollfd){
		.fd = clock_now(CLOCK_MONOTONIC) < s->pause ? -1 : s->fd, .events = POLLIN,
	};
}

int httpserver_step(struct httpserver *s, struct diag *d)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };
	size_t begun = s->n;
	unsigned int turns = 1000;
	MHD_UNSIGNED_LONG_LONG more;

	if (now < s->pause)
		return 0;
	s->d = d;
	for (size_t i = 0; i < HTTPSERVER_CLIENTS; i++)
		if (now >= s->clients[i].until)
			end_client(&s->clients[i]);
	/* Some work has no descriptor that can be waited for. */
	do {
		MHD(run)(s->daemon);
	} while (!s->failed && --turns && MHD(get_timeout)(s->daemon, &more) == MHD_YES && !more);
	/* Without descriptors the library would try at once to accept a client again. */
	if (s->n == begun && !MHD(get_daemon_info)(s->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)
					->num_connections && poll(&fd, 1, 0) == 1)
		s->pause = now + CLOCK_SECOND;
	return s->failed ? -1 : 0;
}

/* --- opening --------------------------------------------------------- */

/* Numeric, IPv6 in brackets: without them nobody knows where such an address ends. */
static struct addrinfo *find_address(const char *where, struct diag *d)
{
	const char *colon = strrchr(where, ':'), *port = colon ? colon + 1 : where;
	bool v6 = *where == '[' && colon && colon[-1] == ']';
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM,
		.ai_family = v6 ? AF_INET6 : AF_INET,
	};
	char *host = colon ? strndup(where + v6, (size_t)(colon - where) - 2 * v6) :
			     strdup("127.0.0.1");
	struct addrinfo *found = NULL;
	uint64_t n;

	if (!host || !argument_number(port, 0, UINT16_MAX, &n) ||
	    getaddrinfo(host, port, &hints, &found)) {
		diag_set(d, "--listen '%s' is no [ADDRESS:]PORT", where);
		diag_hint(d, "an address is numeric: 9464, 0.0.0.0:9464, [::1]:9464");
	}
	free(host);
	return found;
}

/* A socket, or -1. */
static int listen_at(struct httpserver *s, const char *where, struct diag *d)
{
	struct addrinfo *a = find_address(where, d);
	char host[INET6_ADDRSTRLEN] = "", port[8] = "";
	int on = 1, fd, err = 0;

	if (!a)
		return -1;
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	/* Connections that have ended do not keep the port. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, HTTPSERVER_CLIENTS) ||
	    getsockname(fd, a->ai_addr, &a->ai_addrlen)) {
		err = errno;
		diag_errno(d, err, "can't listen at %s", where);
		if (fd >= 0)
			close(fd);
	}
	if (err == EADDRINUSE)
		diag_hint(d, "another program has the port ('ss -ltnp' shows which): --listen with another one, or 0 for a free one");
	getnameinfo(a->ai_addr, a->ai_addrlen, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV);
	s->local = !strncmp(host, "127.", 4) || !strcmp(host, "::1");
	if (asprintf(&s->url, a->ai_family == AF_INET6 ? "http://[%s]:%s%s" : "http://%s:%s%s",
		     host, port, s->page.path) < 0)
		s->url = NULL;
	freeaddrinfo(a);
	return err ? -1 : fd;
}

static int start(struct httpserver *s, const char *where, struct diag *d)
{
	static const char *const names[] = { "libmicrohttpd.so.12", NULL };
	int fd;

	library = library_load(names, "libmicrohttpd12 (Debian, Ubuntu) or libmicrohttpd (Fedora)",
			       d);
	fd = library ? listen_at(s, where, d) : -1;
	if (fd < 0)
		return -1;
	if (s->url)
		s->daemon = MHD(start_daemon)(MHD_USE_EPOLL, 0, NULL, NULL, answer, s,
					      MHD_OPTION_LISTEN_SOCKET, fd,
					      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADS_MAX,
					      MHD_OPTION_NOTIFY_CONNECTION, notify, s,
					      MHD_OPTION_NOTIFY_COMPLETED, complete, s,
					      MHD_OPTION_END);
	if (!s->daemon) {
		close(fd);
		return diag_set(d, "out of memory");
	}
	s->fd = MHD(get_daemon_info)(s->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	return 0;
}

struct httpserver *httpserver_open(const char *where, const struct httpserver_page *page,
				   struct diag *d)
{
	struct httpserver *s = calloc(1, sizeof(*s));

	if (!s) {
		diag_set(d, "out of memory");
		return NULL;
	}
	s->page = *page;
	if (!start(s, where, d))
		return s;
	httpserver_free(s);
	return NULL;
}

void httpserver_free(struct httpserver *s)
{
	if (!s)
		return;
	if (s->daemon)
		MHD(stop_daemon)(s->daemon);
	if (s->text)
		MHD(destroy_response)(s->text);
	free(s->url);
	free(s);
}

const char *httpserver_url(const struct httpserver *s)
{
	return s->url;
}
