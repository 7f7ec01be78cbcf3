// SPDX-License-Identifier: GPL-2.0
/*
 * OTLP traces on their way to collectors on loopback that accept, refuse, are slow, or send what is
 * no answer: each span is sent or counted as dropped, and the trace never waits.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "export/otlp_post.h"
#include "export/span.h"
#include "rows.h"

#define MS 1000000ULL
/* A flush that waits for a collector takes at least the time of a request. */
#define REQUEST_MS 1500
#define FLUSH_MS 1000

/* --- a collector ----------------------------------------------------- */

#define HTTP_OK "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
#define REJECTED(n) "HTTP/1.1 200 OK\r\n\r\n" \
	"{\"partialSuccess\":{\"rejectedSpans\":" n ",\"errorMessage\":\"x\"}}"

#define NOON "Sun, 06 Nov 1994 12:00"
#define BUSY(head) "HTTP/1.1 503 No\r\n" head "\r\n\r\n"

/* What it does instead of an answer, or with it. */
#define SILENT "!"	/* nothing, until the client closes */
#define ENDLESS "&"	/* it sends bytes without an end */
#define KEEP "+"	/* prefix: it does not close */
#define EARLY "<"	/* prefix: it answers before it has read the request */
#define LATE "~"	/* prefix: it takes a second */
#define LAST ">"	/* prefix: nobody listens any more */

#define ANSWERS 4

/**
 * struct collector - a collector
 * @fd: socket that listens
 * @url: where
 * @answers: to its requests; the last one repeats
 * @thread: runs it
 * @requests: how many requests it has read
 * @at: when, of the first two, CLOCK_MONOTONIC, ns
 * @head: of the last one, with its body
 * @body: of those that it has answered with success
 */
struct collector {
	int fd;
	char url[64];
	const char *const *answers;
	pthread_t thread;
	unsigned int requests;
	uint64_t at[2];
	struct buf head;
	struct buf body;
};

/* Read a request, whose body begins at *@body: false: the client has closed. */
static bool read_request(int fd, struct buf *b, size_t *body)
{
	const char *end, *length;
	char part[65536];
	ssize_t n;

	while ((n = recv(fd, part, sizeof(part), 0)) > 0) {
		buf_mem(b, part, (size_t)n);
		buf_char(b, 0);
		b->len--;
		end = strstr(b->p, "\r\n\r\n");
		length = strstr(b->p, "Content-Length: ");
		*body = end ? (size_t)(end - b->p) + 4 : 0;
		if (end && b->len - *body >= (size_t)atol(length + strlen("Content-Length: ")))
			return true;
	}
	return false;
}

static void wait_for_close(int fd)
{
	char part[4096];

	while (recv(fd, part, sizeof(part), 0) > 0)
		;
}

static void send_all(int fd, const char *text)
{
	size_t n = strlen(text);

	while (n) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent < 0)
			return;
		text += sent;
		n -= (size_t)sent;
	}
}

static void answer(struct collector *c, int fd, const char *text)
{
	struct buf b = { 0 };
	size_t body;

	if (*text == *EARLY) {
		char first;

		if (recv(fd, &first, 1, 0) == 1) {
			c->requests++;
			send_all(fd, text + 1);
		}
		return;
	}
	if (read_request(fd, &b, &body)) {
		if (c->requests < N(c->at))
			c->at[c->requests] = clock_now(CLOCK_MONOTONIC);
		c->requests++;
		if (*text == *LAST)
			shutdown(c->fd, SHUT_RDWR);
		while (*text == *ENDLESS && send(fd, "A: b\r\n", 6, MSG_NOSIGNAL) > 0)
			;
		if (*text == *LATE)
			sleep(1);
		if (*text && *text != *SILENT && *text != *ENDLESS)
			send_all(fd, text + !!strchr(KEEP LATE LAST, *text));
		if (strstr(text, " 20"))
			buf_mem(&c->body, b.p + body, b.len - body);
		if (*text == *SILENT || *text == *KEEP)
			wait_for_close(fd);
	}
	if (b.len) {
		buf_fini(&c->head);
		c->head = b;
	}
}

static void *collect(void *arg)
{
	struct collector *c = arg;
	int fd;

	while ((fd = accept(c->fd, NULL, NULL)) >= 0) {
		unsigned int i = 0;

		while (i < c->requests && i + 1 < ANSWERS && c->answers[i + 1])
			i++;
		answer(c, fd, c->answers[i]);
		close(fd);
	}
	return NULL;
}

static void open_collector(struct collector *c, const char *const *answers)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(at);

	*c = (struct collector){ .fd = socket(AF_INET, SOCK_STREAM, 0), .answers = answers };
	assert_int_equal(bind(c->fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(c->fd, 8), 0);
	assert_int_equal(getsockname(c->fd, (struct sockaddr *)&at, &len), 0);
	snprintf(c->url, sizeof(c->url), "http://127.0.0.1:%u", ntohs(at.sin_port));
	assert_int_equal(pthread_create(&c->thread, NULL, collect, c), 0);
}

/* After that nobody listens there. Its numbers and @body are those of all requests. */
static void stop_collector(struct collector *c)
{
	shutdown(c->fd, SHUT_RDWR);
	pthread_join(c->thread, NULL);
	close(c->fd);
}

/* --- cases ----------------------------------------------------------- */

/**
 * struct post_case - trees on their way to a collector
 * @claim: what it shows
 * @answers: of the collector
 * @requests: how many it gets
 * @dropped: how many spans are, of the six of three trees; the others are sent
 * @why: of the message, behind the URL
 * @pad: bytes of each tree besides
 * @queue: limit of the queue, in bytes
 * @tries: of a request, or 0: 3
 * @wait: flushes may wait
 * @cut: the end does not wait for all tries
 * @apart_ms: between the first two requests, at least
 * @ctrl_c: a signal comes while the end waits
 */
static const struct post_case {
	const char *claim;
	const char *answers[ANSWERS];
	unsigned int requests;
	unsigned int dropped;
	const char *why;
	size_t pad;
	size_t queue;
	unsigned int tries;
	bool wait;
	bool cut;
	unsigned int apart_ms;
	bool ctrl_c;
} cases[] = {
	{ "trees are sent, several in a request", { HTTP_OK }, 1 },
	{ "an answer with another status of success", { "HTTP/1.1 202 \r\n\r\n" }, 1 },
	{ "the connection stays open, and the length says where the answer ends",
	  { KEEP HTTP_OK }, 1 },
	{ "the connection stays open, and a chunk says where the answer ends",
	  { KEEP "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" }, 1 },
	{ "a collector that is too busy is asked again",
	  { BUSY("Retry-After: 1"), "HTTP/1.1 429 No\r\n\r\n", HTTP_OK }, 3, .apart_ms = 1000 },
	{ "a collector that asks for patience gets it, even at the end",
	  { BUSY("Retry-After: 2"), HTTP_OK }, 2, .cut = true, .apart_ms = 2000 },
	{ "it asks by a date of its own clock",
	  { BUSY("Date: " NOON ":37 GMT\r\nRetry-After: " NOON ":39 GMT"), HTTP_OK }, 2,
	  .cut = true, .apart_ms = 2000 },
	{ "it asks for patience with a final error, which holds for the next request",
	  { "HTTP/1.1 400 No\r\nRetry-After: 2\r\n\r\n", HTTP_OK }, 3, 2,
	  "HTTP status 400, Retry-After 2 s", .pad = 2000, .queue = 9000, .apart_ms = 2000 },
	{ "it asks again and again", { BUSY("Retry-After: 1") }, 2, 6,
	  "HTTP status 503, Retry-After 1 s, 2 times", .tries = 2, .apart_ms = 1000 },
	{ "it asks for more than the end waits for", { BUSY("Retry-After: 61"), HTTP_OK }, 1, 6,
	  "HTTP status 503, Retry-After 61 s" },
	{ "it asks for more than a clock can count",
	  { BUSY("Retry-After: 99999999999999999999999999999999"), HTTP_OK }, 1, 6,
	  "HTTP status 503, Retry-After 1000000000 s" },
	{ "it asks for a time that has passed",
	  { BUSY("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT"), HTTP_OK }, 2 },
	{ "it asks for less than nothing", { BUSY("Retry-After: -30"), HTTP_OK }, 2 },
	{ "it asks for nonsense", { BUSY("Retry-After: soon"), HTTP_OK }, 2 },
	{ "Ctrl-C ends the end", { BUSY("Retry-After: 50"), HTTP_OK }, 1, 6,
	  "HTTP status 503, Retry-After 50 s", .ctrl_c = true },
	{ "a collector that stays too busy", { "HTTP/1.1 503 No\r\n\r\n" }, 3, 6,
	  "HTTP status 503, 3 times" },
	{ "a connection that ends without an answer is no success", { "", HTTP_OK }, 2 },
	{ "no connection has an answer", { "" }, 3, 6, "Empty reply from server, 3 times" },
	{ "nobody listens any more", { LAST "HTTP/1.1 502 No\r\n\r\n" }, 1, 6,
	  "Connection refused, 3 times" },
	{ "an error of the request is final", { "HTTP/1.1 400 No\r\n\r\n" }, 1, 6,
	  "HTTP status 400" },
	{ "a redirect is not followed", { "HTTP/1.1 307 No\r\nLocation: http://192.0.2.1/\r\n\r\n" },
	  1, 6, "HTTP status 307" },
	{ "some spans are rejected", { REJECTED("\"2\"") }, 1, 2, "it has rejected them" },
	{ "a number of rejected spans without quotes", { REJECTED("1") }, 1, 1,
	  "it has rejected them" },
	{ "more spans are rejected than were sent",
	  { REJECTED("\"99999999999999999999999\"") }, 1, 6, "it has rejected them" },
	{ "no span is rejected", { REJECTED("\"0\"") }, 1 },
	{ "a number without digits", { REJECTED("") }, 1 },
	{ "no answer within the time of a request", { SILENT, HTTP_OK }, 2 },
	{ "a head without an end", { ENDLESS }, 3, 6,
	  "Received HTTP/0.9 when not allowed, 3 times" },
	{ "another protocol", { "SSH-2.0-OpenSSH_9.2\r\n\r\n" }, 3, 6,
	  "Received HTTP/0.9 when not allowed, 3 times" },
	{ "an answer before the request was read, which is large",
	  { EARLY "HTTP/1.1 413 No\r\n\r\n" }, 3, 6, "HTTP status 413",
	  .pad = 8U << 20, .queue = 64U << 20 },
	{ "large trees have requests of their own", { HTTP_OK }, 3, .pad = 2000, .queue = 9000 },
	{ "a tree that is larger than the queue", { HTTP_OK }, 0, 6, "a tree has more than 0 MB",
	  .pad = 5000 },
	{ "a full queue drops trees", { SILENT, HTTP_OK }, 2, 4, "0 MB were waiting for it",
	  .pad = 2000, .queue = 3000 },
	{ "a flush that may wait drops nothing", { SILENT, HTTP_OK }, 4, .pad = 2000,
	  .queue = 3000, .wait = true },
	{ "the end does not wait forever", { "HTTP/1.1 503 No\r\n\r\n" }, 0, 6,
	  "HTTP status 503", .tries = 1000, .cut = true },
	{ "an answer after the end", { LATE HTTP_OK }, 1, 6, "it has not answered",
	  .cut = true },
};

static void put_line(struct buf *b, size_t pad)
{
	buf_str(b, OTLP_OPEN "{\"spans\":[{\"spanId\":\"1\",\"name\":\"\\\"spanId\\\":\\\"");
	buf_fill(b, '.', pad);
	buf_str(b, "\"},{\"parentSpanId\":\"1\",\"spanId\":\"2\"}]}" OTLP_CLOSE "\n");
}

/* What the collector should have of @trees, in one request. */
static void check_body(const struct buf *got, size_t trees)
{
	struct buf want = { 0 }, line = { 0 };
	size_t open = strlen(OTLP_OPEN), close = strlen(OTLP_CLOSE "\n");

	put_line(&line, 0);
	buf_str(&want, OTLP_OPEN);
	for (size_t i = 0; i < trees; i++) {
		if (i)
			buf_char(&want, ',');
		buf_mem(&want, line.p + open, line.len - open - close);
	}
	buf_str(&want, OTLP_CLOSE);
	assert_int_equal(got->len, want.len);
	assert_memory_equal(got->p, want.p, want.len);
	buf_fini(&want);
	buf_fini(&line);
}

static void check_talk(const struct post_case *c, const struct collector *at, struct buf *talk)
{
	char want[200];

	if (c->dropped)
		snprintf(want, sizeof(want), "warning: %u of 6 spans were dropped, not sent to %s: %s",
			 c->dropped, at->url, c->why ?: "");
	else
		snprintf(want, sizeof(want), "sent 6 spans to %s\n", at->url);
	buf_char(talk, 0);
	if (strncmp(talk->p, want, strlen(want)) != 0)
		fail_msg("%s", talk->p);
}

/* The end of the trace: @talk is its message. A long wait is announced. */
static int finish(const struct post_case *c, struct output *o, const struct collector *at,
		  struct buf *talk)
{
	char want[200];
	int err;

	err = o->taker->finish(o->taker, false, talk);
	assert_true(err == -EAGAIN || !c->ctrl_c);
	if (err != -EAGAIN)
		return err;
	assert_true(c->apart_ms || c->ctrl_c);
	buf_char(talk, 0);
	snprintf(want, sizeof(want), "waiting for %s, which asks for it: HTTP status ", at->url);
	if (strncmp(talk->p, want, strlen(want)) != 0 || !strstr(talk->p, " s; Ctrl-C ends that\n"))
		fail_msg("%s", talk->p);
	buf_fini(talk);
	if (c->ctrl_c)
		raise(SIGINT);
	return o->taker->finish(o->taker, false, talk);
}

/* Have SIGINT wait, as goprobectl has it, or forget one that waits. */
static void block(bool yes)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	signal(SIGINT, yes ? SIG_DFL : SIG_IGN);
	sigprocmask(yes ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

ROWS(test_post, cases)
{
	const struct post_case *c = *state;
	const struct otlppost_limits limits = {
		.queue = c->queue ?: 4500, .batch = 1000, .gather_ms = 100,
		.request_ms = REQUEST_MS, .tries = c->tries ?: 3, .backoff_ms = 10,
		.backoff_most_ms = 50, .finish_ms = 60000,
		.idle_ms = !c->cut ? 20000 : c->apart_ms ? 1500 : 500,
	};
	struct collector at;
	struct buf talk = { 0 };
	struct diag d = { 0 };
	struct output o;
	int err;

	open_collector(&at, c->answers);
	output_init(&o, &graph_otlp.out, -1);
	assert_int_equal(otlppost_open(&o, at.url, &limits, &d), 0);
	for (size_t i = 0; i < 3; i++) {
		uint64_t begun;

		put_line(&o.buf, c->pad);
		begun = clock_now(CLOCK_MONOTONIC);
		assert_int_equal(output_flush(&o, c->wait), 0);
		if (!c->wait)
			assert_in_range(clock_now(CLOCK_MONOTONIC) - begun, 0, FLUSH_MS * MS);
		assert_int_equal(output_pending(&o), 0);
	}
	block(true);
	err = finish(c, &o, &at, &talk);
	block(false);
	/* Closing the output flushes it once more, and an answer may be there by then. */
	if (c->cut)
		sleep(1);
	assert_int_equal(output_flush(&o, true), 0);
	output_fini(&o);
	stop_collector(&at);
	assert_int_equal(err, c->dropped ? -EIO : 0);
	check_talk(c, &at, &talk);
	if (c->requests)
		assert_int_equal(at.requests, c->requests);
	if (c->apart_ms)
		assert_in_range(at.at[1] - at.at[0], c->apart_ms * MS, UINT64_MAX);
	if (!c->dropped && !c->pad && c->requests == 1)
		check_body(&at.body, 3);
	buf_fini(&at.head);
	buf_fini(&at.body);
	buf_fini(&talk);
	diag_fini(&d);
}

/* --- requests -------------------------------------------------------- */

static const struct request_case {
	const char *claim;
	const char *path;	/* of the URL */
	const char *headers;	/* OTEL_EXPORTER_OTLP_HEADERS, or NULL */
	const char *want;	/* in the request; NULL: the headers are refused */
} requests[] = {
	{ "no path", "", NULL, "POST /v1/traces HTTP/1.1\r\n" },
	{ "an empty path", "/", NULL, "POST /v1/traces HTTP/1.1\r\n" },
	{ "a path of its own", "/otlp?tenant=7", NULL, "POST /otlp?tenant=7 HTTP/1.1\r\n" },
	{ "the media type", "", NULL, "\r\nContent-Type: application/json\r\n" },
	{ "no headers", "", "", "\r\nContent-Type: application/json\r\n" },
	{ "headers", "", "key=a%20b, x=1%2C2=3", "\r\nkey: a b\r\nx: 1,2=3\r\n" },
	{ "a header without a value", "", "a=b,c" },
	{ "a line of its own in a header", "", "a=b%0d%0aX: y" },
};

ROWS(test_request, requests)
{
	static const char *const answers[ANSWERS] = { HTTP_OK };
	const struct request_case *c = *state;
	struct buf talk = { 0 };
	struct diag d = { 0 };
	struct collector at;
	char url[128];
	struct output o;

	open_collector(&at, answers);
	snprintf(url, sizeof(url), "%s%s", at.url, c->path);
	if (c->headers)
		setenv("OTEL_EXPORTER_OTLP_HEADERS", c->headers, 1);
	output_init(&o, &graph_otlp.out, -1);
	assert_int_equal(otlppost_open(&o, url, &otlppost_limits, &d), c->want ? 0 : -1);
	unsetenv("OTEL_EXPORTER_OTLP_HEADERS");
	if (c->want) {
		put_line(&o.buf, 0);
		assert_int_equal(output_flush(&o, true), 0);
		assert_int_equal(o.taker->finish(o.taker, true, &talk), 0);
	} else {
		assert_string_equal(d.message, "OTEL_EXPORTER_OTLP_HEADERS is no list of headers");
		assert_non_null(strstr(d.hint, "NAME=VALUE"));
	}
	output_fini(&o);
	stop_collector(&at);
	buf_char(&at.head, 0);
	if (c->want && !strstr(at.head.p, c->want))
		fail_msg("%s", at.head.p);
	buf_fini(&at.head);
	buf_fini(&at.body);
	diag_fini(&d);
}

/* --- opening --------------------------------------------------------- */

static const struct open_case {
	const char *claim;
	const char *url;	/* NULL: where nobody listens */
	const char *message;
	const char *hint;
} opens[] = {
	{ "nobody listens", NULL, "no collector at http://127.0.0.1:", "write a file" },
	{ "a name that nobody has", "http://nobody.invalid:4318",
	  "no collector at http://nobody.invalid:4318: Could not resolve host: nobody.invalid" },
	{ "a port that does not fit", "http://127.0.0.1:65536", "no collector at " },
};

ROWS(test_open, opens)
{
	const struct open_case *c = *state;
	struct diag d = { 0 };
	struct collector at;
	struct output o;

	open_collector(&at, cases[0].answers);
	stop_collector(&at);
	output_init(&o, &graph_otlp.out, -1);
	assert_int_equal(otlppost_open(&o, c->url ?: at.url, &otlppost_limits, &d), -1);
	assert_null(o.taker);
	if (!strstr(d.message, c->message))
		fail_msg("%s", d.message);
	assert_true(!c->hint || strstr(d.hint, c->hint));
	output_fini(&o);
	diag_fini(&d);
}

/* Collectors on loopback are not behind a proxy. */
static int set_up(void **state)
{
	(void)state;
	return setenv("no_proxy", "*", 1);
}

AROUND_ALL(set_up, NULL)
