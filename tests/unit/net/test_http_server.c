// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP server on loopback, with clients that are slow, that send too much, that hang up, or that
 * are many. Each case also shows that one step never waits for a client.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/http_server.h"
#include "rows.h"

#define MS 1000000ULL
/* A connection's time. */
#define CLIENT_MS 1000
/* A step that waits for a client takes at least its time; under load a step can take some. */
#define STEP_MS 250

/* A page that no socket's buffers hold. */
#define LARGE (8U << 20)

/**
 * struct site - a server and what it serves
 * @s: the server
 * @port: its port
 * @size: bytes that the page has at least
 * @made: how often the page was made
 * @fails: the page can't be made
 */
struct site {
	struct httpserver *s;
	uint16_t port;
	size_t size;
	unsigned int made;
	bool fails;
};

static int put(void *ctx, struct buf *b, struct diag *d)
{
	struct site *site = ctx;

	if (site->fails)
		return diag_set(d, "no module");
	buf_number(b, "page ", ++site->made);
	if (site->size)
		buf_fill(b, '.', site->size);
	buf_str(b, "# EOF\n");
	return 0;
}

static void page_site(struct site *site, struct httpserver_page page)
{
	struct diag d = { 0 };

	page.ctx = site;
	site->s = httpserver_open("0", &page, &d);
	assert_non_null(site->s);
	site->port = (uint16_t)atoi(strrchr(httpserver_url(site->s), ':') + 1);
	assert_int_not_equal(site->port, 0);
}

static void open_site(struct site *site, unsigned int fresh_ms)
{
	page_site(site, (struct httpserver_page){
		.path = "/metrics", .type = "text/test", .put = put,
		.fresh_ms = fresh_ms, .client_ms = CLIENT_MS,
	});
}

/* @space: of the client's buffer; 0: the system's default */
static int call(const struct site *site, int space)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(site->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (space)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &space, sizeof(space));
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* One turn of the loop that the server is in. */
static void turn(struct site *site, int timeout_ms)
{
	struct diag d = { 0 };
	struct pollfd fd;
	uint64_t begun;

	httpserver_poll(site->s, &fd);
	poll(&fd, 1, timeout_ms);
	begun = clock_now(CLOCK_MONOTONIC);
	assert_int_equal(httpserver_step(site->s, &d), 0);
	assert_in_range(clock_now(CLOCK_MONOTONIC) - begun, 0, STEP_MS * MS);
}

static void say(int fd, const char *text, size_t n)
{
	assert_int_equal(send(fd, text, n, MSG_NOSIGNAL), n);
}

/* What the server sends until it ends the connection, for at most 10 s; false: it has reset it. */
static bool hear(struct site *site, int fd, struct buf *b)
{
	uint64_t until = clock_now(CLOCK_MONOTONIC) + 10000 * MS;
	char part[65536];
	ssize_t n = -1;

	errno = EAGAIN;
	while (n && clock_now(CLOCK_MONOTONIC) < until) {
		turn(site, 1);
		while ((n = recv(fd, part, sizeof(part), 0)) > 0)
			buf_mem(b, part, (size_t)n);
		if (n < 0 && errno != EAGAIN)
			break;
	}
	buf_char(b, 0);
	return !n;
}

/* A client that behaves is served, whatever others do. */
static void check_served(struct site *site)
{
	static const char request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct buf b = { 0 };
	int fd = call(site, 0);

	say(fd, request, strlen(request));
	assert_true(hear(site, fd, &b));
	assert_non_null(strstr(b.p, "HTTP/1.1 200 OK\r\n"));
	assert_non_null(strstr(b.p, "# EOF\n"));
	close(fd);
	buf_fini(&b);
}

/* --- requests -------------------------------------------------------- */

#define A1000 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct answer_case {
	const char *claim;
	const char *pieces[4];
	const char *status;
	const char *body;
} answers[] = {
	{ "the page",
	  { "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n" }, "200 OK", "page 1# EOF\n" },
	{ "a request in pieces",
	  { "GET /met",
	  "rics HTTP/1.1\r\nHo", "st: [::1]\r\n\r", "\n" }, "200 OK", "page 1# EOF\n" },
	{ "a client of HTTP/1.0", { "GET /metrics HTTP/1.0\r\n\r\n" }, "200 OK", "page 1# EOF\n" },
	{ "a query",
	  { "GET /metrics?a HTTP/1.1\r\nHost: localhost\r\n\r\n" }, "200 OK", "page 1# EOF\n" },
	{ "the head alone", { "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" }, "200 OK", "" },
	{ "two requests at once: the first is answered",
	  { "GET /metrics HTTP/1.0\r\n\r\nGET /a HTTP/1.0\r\n\r\n" }, "200 OK", "page 1# EOF\n" },
	{ "another page",
	  { "GET / HTTP/1.0\r\n\r\n" }, "404 Not Found",
	  "there is no such page: the only one is /metrics\n" },
	{ "a page whose name is longer",
	  { "GET /metrics/ HTTP/1.0\r\n\r\n" }, "404 Not Found",
	  "there is no such page: the only one is /metrics\n" },
	{ "another method", { "POST /metrics HTTP/1.0\r\nContent-Length: 5\r\n\r\nabcde" },
	  "405 Method Not Allowed", "this page can only be read\n" },
	{ "a browser whose page has led its own name to this machine",
	  { "GET /metrics HTTP/1.1\r\nHost: evil.example:9464\r\n\r\n" },
	  "403 Forbidden", "ask for localhost, or for an address\n" },
};

ROWS(test_answer, answers)
{
	const struct answer_case *c = *state;
	struct site site = { 0 };
	struct buf b = { 0 };
	char length[40];
	int fd;

	open_site(&site, 1000);
	fd = call(&site, 0);
	for (size_t i = 0; i < 4 && c->pieces[i]; i++) {
		say(fd, c->pieces[i], strlen(c->pieces[i]));
		turn(&site, 100);
	}
	assert_true(hear(&site, fd, &b));
	assert_int_equal(strncmp(b.p, "HTTP/1.1 ", 9), 0);
	assert_int_equal(strncmp(b.p + 9, c->status, strlen(c->status)), 0);
	assert_string_equal(strstr(b.p, "\r\n\r\n") + 4, c->body);
	snprintf(length, sizeof(length), "Content-Length: %zu\r\n",
		 *c->body ? strlen(c->body) : strlen("page 1# EOF\n"));
	assert_non_null(strstr(b.p, length));
	assert_int_equal(!!strstr(b.p, "Allow: GET, HEAD\r\n"), !strncmp(c->status, "405", 3));
	close(fd);
	check_served(&site);
	httpserver_free(site.s);
	buf_fini(&b);
}

/* --- clients that do not behave -------------------------------------- */

static void huge_head(struct site *site)
{
	struct buf b = { 0 };
	int fd = call(site, 0);

	say(fd, "GET /metrics HTTP/1.1\r\nA: ", 25);
	for (size_t i = 0; i < 100; i++) {
		if (send(fd, A1000, strlen(A1000), MSG_NOSIGNAL) < 0)
			break;
		turn(site, 10);
	}
	hear(site, fd, &b);
	assert_null(strstr(b.p, " 200 OK"));
	close(fd);
	buf_fini(&b);
}

static void no_request(struct site *site)
{
	static const char greeting[] = "SSH-2.0-OpenSSH_9.2\r\n\r\n";
	struct buf b = { 0 };
	int fd = call(site, 0);

	say(fd, greeting, strlen(greeting));
	hear(site, fd, &b);
	assert_null(strstr(b.p, " 200 OK"));
	close(fd);
	buf_fini(&b);
}

/* Most clients are slower than their time, and one that behaves does not have to wait for that. */
static void slow_heads(struct site *site)
{
	int fds[4 * HTTPSERVER_CLIENTS];
	struct buf b = { 0 };

	for (size_t i = 0; i < N(fds); i++) {
		fds[i] = call(site, 0);
		say(fds[i], "G", 1);
		turn(site, 10);
	}
	check_served(site);
	/* A byte now and then wins no time. */
	for (size_t i = 0; i < 10; i++) {
		send(fds[N(fds) - 1], "E", 1, MSG_NOSIGNAL);
		turn(site, CLIENT_MS / 5);
		usleep(CLIENT_MS * 1000 / 5);
	}
	assert_int_not_equal(send(fds[N(fds) - 1], "T", 1, MSG_NOSIGNAL), 1);
	for (size_t i = 0; i < N(fds); i++)
		close(fds[i]);
	buf_fini(&b);
}

static void early_close(struct site *site)
{
	static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
	const struct linger reset = { .l_onoff = 1 };

	for (size_t i = 0; i < 40; i++) {
		int fd = call(site, 0);

		if (i % 4)
			say(fd, request, i % 4 == 1 ? 5 : strlen(request));
		if (i & 1)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		if (i & 2)
			turn(site, 10);
		close(fd);
		turn(site, 10);
	}
}

/* It asks for a large page, and does not read. */
static void slow_reader(struct site *site)
{
	static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
	uint64_t until = clock_now(CLOCK_MONOTONIC) + 10000 * MS;
	int fds[HTTPSERVER_CLIENTS - 1];
	char part[65536];
	size_t got = 0;
	ssize_t n;

	site->size = LARGE;
	for (size_t i = 0; i < N(fds); i++) {
		fds[i] = call(site, 4096);
		say(fds[i], request, strlen(request));
		turn(site, 10);
	}
	check_served(site);
	/* One text is sent to all of them. */
	assert_int_equal(site->made, 1);
	usleep(CLIENT_MS * 1000);
	turn(site, 0);
	do {
		n = recv(fds[0], part, sizeof(part), 0);
		got += n > 0 ? (size_t)n : 0;
		if (n < 0 && errno == EAGAIN)
			turn(site, 10);
	} while ((n > 0 || (n < 0 && errno == EAGAIN)) && clock_now(CLOCK_MONOTONIC) < until);
	assert_true(clock_now(CLOCK_MONOTONIC) < until);
	assert_in_range(got, 1, site->size - 1);
	for (size_t i = 0; i < N(fds); i++)
		close(fds[i]);
}

/* All connections are taken by clients that do not read: others get theirs when those lose them. */
static void slow_readers(struct site *site)
{
	static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
	int fds[HTTPSERVER_CLIENTS];

	site->size = LARGE;
	for (size_t i = 0; i < N(fds); i++) {
		fds[i] = call(site, 4096);
		say(fds[i], request, strlen(request));
		turn(site, 10);
		turn(site, 10);
	}
	check_served(site);
	for (size_t i = 0; i < N(fds); i++)
		close(fds[i]);
}

/* There are no descriptors left: nothing is accepted for a while, and the loop does not spin. */
static void no_descriptors(struct site *site)
{
	struct rlimit before, limit;
	struct pollfd wait;
	int fd = call(site, 0);

	getrlimit(RLIMIT_NOFILE, &before);
	limit = before;
	limit.rlim_cur = (rlim_t)fd + 1;
	setrlimit(RLIMIT_NOFILE, &limit);
	turn(site, 10);
	httpserver_poll(site->s, &wait);
	assert_int_equal(wait.fd, -1);
	setrlimit(RLIMIT_NOFILE, &before);
	close(fd);
}

static const struct abuse_case {
	const char *claim;
	void (*abuse)(struct site *site);
} abuses[] = {
	{ "a head without an end is refused", huge_head },
	{ "a client of another protocol", no_request },
	{ "clients that send a byte now and then lose their connections", slow_heads },
	{ "clients that hang up", early_close },
	{ "a client that does not read loses its connection", slow_reader },
	{ "as many clients as there can be do not read", slow_readers },
	{ "the process has no descriptors", no_descriptors },
};

ROWS(test_abuse, abuses)
{
	const struct abuse_case *c = *state;
	struct site site = { 0 };

	open_site(&site, 1000);
	c->abuse(&site);
	check_served(&site);
	httpserver_free(site.s);
}

/* --- the server ------------------------------------------------------ */

TEST(test_fresh, "a page is made once for all who ask at the same time")
{
	struct site site = { 0 };

	open_site(&site, 60000);
	for (size_t i = 0; i < 20; i++)
		check_served(&site);
	assert_int_equal(site.made, 1);
	httpserver_free(site.s);
	site.made = 0;
	open_site(&site, 0);
	for (size_t i = 0; i < 5; i++)
		check_served(&site);
	assert_int_equal(site.made, 5);
	httpserver_free(site.s);
}

TEST(test_failure, "a page that can't be made ends the trace")
{
	static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
	struct site site = { .fails = true };
	struct diag d = { 0 };
	int fd, err = 0;

	open_site(&site, 0);
	fd = call(&site, 0);
	say(fd, request, strlen(request));
	for (size_t i = 0; !err && i < 1000; i++) {
		usleep(1000);
		err = httpserver_step(site.s, &d);
	}
	assert_int_equal(err, -1);
	assert_string_equal(d.message, "no module");
	diag_fini(&d);
	httpserver_free(site.s);
	close(fd);
}

/* What comes back for @request, and whether the server takes the page for fetched then. */
static bool fetches(struct site *site, const char *request, const char *want)
{
	struct buf b = { 0 };
	int fd = call(site, 0);

	say(fd, request, strlen(request));
	assert_true(hear(site, fd, &b));
	assert_non_null(strstr(b.p, want));
	close(fd);
	buf_fini(&b);
	turn(site, 100);
	return httpserver_fetched(site->s);
}

TEST(test_fetched, "a page is fetched when a client has all of it; no answer has a secret path")
{
	const struct httpserver_page page = {
		.path = "/secret", .type = "text/test", .put = put, .secret = true,
		.fresh_ms = 60000, .client_ms = 60000,
	};
	static const char get[] = "GET /secret HTTP/1.0\r\n\r\n";
	struct site site = { .size = LARGE };
	int fd;

	page_site(&site, page);
	assert_false(fetches(&site, "GET / HTTP/1.0\r\n\r\n",
			     "\r\n\r\nthere is no such page\n"));
	assert_false(fetches(&site, "HEAD /secret HTTP/1.0\r\n\r\n", "200 OK"));
	assert_false(fetches(&site, "POST /secret HTTP/1.0\r\n\r\n", "405"));
	fd = call(&site, 4096);
	say(fd, get, strlen(get));
	for (size_t i = 0; i < 10; i++)
		turn(&site, 10);
	close(fd);
	turn(&site, 100);
	assert_false(httpserver_fetched(site.s));
	assert_true(fetches(&site, get, "# EOF\n"));
	httpserver_free(site.s);
}

TEST(test_taken, "a port that is taken, and an address of another machine")
{
	const struct httpserver_page page = { .path = "/metrics", .put = put };
	struct site site = { 0 };
	struct diag d = { 0 };
	char where[32], message[80];

	open_site(&site, 0);
	snprintf(where, sizeof(where), "127.0.0.1:%u", site.port);
	snprintf(message, sizeof(message), "can't listen at %s: Address already in use", where);
	assert_null(httpserver_open(where, &page, &d));
	assert_string_equal(d.message, message);
	assert_non_null(strstr(d.hint, "another program has the port"));
	assert_null(httpserver_open("192.0.2.1:9", &page, &d));
	assert_non_null(strstr(d.message, "can't listen at 192.0.2.1:9: "));
	diag_fini(&d);
	httpserver_free(site.s);
}

static const struct address_case {
	const char *claim;
	const char *text;
	const char *want;	/* how the URL begins; NULL: it is refused */
} addresses[] = {
	{ "a port alone is for this machine", "0", "http://127.0.0.1:" },
	{ "all addresses", "0.0.0.0:0", "http://0.0.0.0:" },
	{ "another address of this machine", "127.1.2.3:0", "http://127.1.2.3:" },
	{ "IPv6", "[::1]:0", "http://[::1]:" },
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

ROWS(test_address, addresses)
{
	const struct httpserver_page page = { .path = "/metrics", .put = put };
	const struct address_case *c = *state;
	struct diag d = { 0 };
	struct httpserver *s = httpserver_open(c->text, &page, &d);

	if (c->want) {
		assert_non_null(s);
		assert_int_equal(strncmp(httpserver_url(s), c->want, strlen(c->want)), 0);
	} else {
		assert_null(s);
		assert_non_null(strstr(d.message, "is no [ADDRESS:]PORT"));
		assert_non_null(d.hint);
	}
	httpserver_free(s);
	diag_fini(&d);
}
