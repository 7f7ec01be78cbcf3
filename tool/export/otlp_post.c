// SPDX-License-Identifier: GPL-2.0
/*
 * OTLP traces on their way to a collector: lines of graph_otlp wait in a queue of bounded size, and
 * requests have several of them. https://opentelemetry.io/docs/specs/otlp/#otlphttp says which
 * answers allow another try.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/printable.h"
#include "export/otlp_post.h"
#include "export/span.h"
#include "net/http_client.h"

#define MS 1000000ULL
/* Time of the first connection, which only shows that somebody listens. */
#define CONNECT_MS 3000

/* The queue holds a minute of a busy trace; collectors take 20 MiB in a request. */
const struct otlppost_limits otlppost_limits = {
	.queue = 64U << 20, .batch = 1U << 20, .gather_ms = 1000, .request_ms = 10000, .tries = 8,
	.backoff_ms = 500, .backoff_most_ms = 8000, .idle_ms = 10000, .finish_ms = 60000,
};

/**
 * struct otlppost - the way
 * @taker: what the output sees of it; first
 * @limits: its limits
 * @text: the URL, as the user wrote it
 * @url: it
 * @client: where requests go
 * @queue: lines, of which the first @at bytes have been sent or dropped
 * @at: see @queue
 * @batch: of these, bytes of the request that is tried, or 0
 * @spans: in the request
 * @body: of the request
 * @posted: the request is under way
 * @tries: of the request so far
 * @next: when it is tried again, or a new one is made, CLOCK_MONOTONIC, ns
 * @sent: spans that the collector has accepted
 * @dropped: spans that it will not get
 * @err: errno about the first of them
 * @why: what was wrong then
 * @last_err: the same about the last request, if it is tried again
 * @last: see @last_err
 * @over: the collector has not answered for so long that all is dropped
 */
struct otlppost {
	struct out_taker taker;
	const struct otlppost_limits *limits;
	char *text;
	struct http_url url;
	struct httpclient client;
	struct buf queue;
	size_t at;
	size_t batch;
	uint64_t spans;
	struct buf body;
	bool posted;
	unsigned int tries;
	uint64_t next;
	uint64_t sent;
	uint64_t dropped;
	int err;
	char why[80];
	int last_err;
	char last[64];
	bool over;
};

static size_t waiting(const struct otlppost *p)
{
	return p->queue.len - p->at;
}

/* A quote in a value has a backslash before it, so this is no value. */
static uint64_t count_spans(const char *p, size_t n)
{
	static const char key[] = "\"spanId\":\"";
	const char *end = p + n;
	uint64_t spans = 0;

	while (n && (p = memmem(p, (size_t)(end - p), key, strlen(key)))) {
		p += strlen(key);
		spans++;
	}
	return spans;
}

__attribute__((format(printf, 4, 5)))
static void drop(struct otlppost *p, uint64_t spans, int err, const char *fmt, ...)
{
	va_list ap;

	p->dropped += spans;
	if (p->err || !spans)
		return;
	p->err = err;
	va_start(ap, fmt);
	vsnprintf(p->why, sizeof(p->why), fmt, ap);
	va_end(ap);
}

/* Drop @n bytes of lines: the collector has not accepted others in time. */
static void drop_late(struct otlppost *p, const char *lines, size_t n)
{
	drop(p, count_spans(lines, n), p->last_err ?: ETIMEDOUT, "%s",
	     p->last_err ? p->last : "it has not answered");
}

/* --- requests -------------------------------------------------------- */

/* The request is over: its lines leave the queue. */
static void end_batch(struct otlppost *p)
{
	p->at += p->batch;
	p->batch = 0;
	p->tries = 0;
	p->last_err = 0;
	p->next = 0;
	/* Free the beginning rather than let the queue grow. */
	if (p->at == p->queue.len || p->at > p->queue.cap / 2) {
		p->queue.len -= p->at;
		memmove(p->queue.p, p->queue.p + p->at, p->queue.len);
		p->at = 0;
	}
}

/* Put lines together: a request has one object, and each line is a whole one. */
static void make_batch(struct otlppost *p)
{
	const char *from = p->queue.p + p->at;
	size_t open = strlen(OTLP_OPEN), close = strlen(OTLP_CLOSE "\n");

	p->body.len = 0;
	buf_str(&p->body, OTLP_OPEN);
	while (p->batch < waiting(p)) {
		const char *line = from + p->batch;
		size_t n = (size_t)((const char *)memchr(line, '\n', waiting(p) - p->batch) -
				    line) + 1;

		if (p->batch && p->batch + n > p->limits->batch)
			break;
		if (p->batch)
			buf_char(&p->body, ',');
		buf_mem(&p->body, line + open, n - open - close);
		p->batch += n;
	}
	buf_str(&p->body, OTLP_CLOSE);
	p->spans = count_spans(from, p->batch);
	if (!p->body.failed)
		return;
	buf_fini(&p->body);
	drop(p, p->spans, ENOMEM, "out of memory");
	end_batch(p);
}

/* {"partialSuccess":{"rejectedSpans":"3"}}; a 64-bit number can be a string. */
static uint64_t rejected(const struct http_text *body)
{
	static const char key[] = "\"rejectedSpans\":";
	const char *at = memmem(body->p, body->n, key, strlen(key)), *end = body->p + body->n;
	uint64_t n = 0;

	for (at = at ? at + strlen(key) : end; at < end && (*at == ' ' || *at == '"');)
		at++;
	for (; at < end && *at >= '0' && *at <= '9' && n < UINT32_MAX; at++)
		n = n * 10 + (uint64_t)(*at - '0');
	return n;
}

/* Try again later, at least @least_ms from now, if there was no error but one of the moment. */
static void retry(struct otlppost *p, uint64_t least_ms, int err, const char *what)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC), ms = p->limits->backoff_ms;

	p->last_err = err;
	snprintf(p->last, sizeof(p->last), "%s", what);
	if (++p->tries >= p->limits->tries) {
		drop(p, p->spans, err, "%s, %u times", what, p->tries);
		end_batch(p);
		return;
	}
	for (unsigned int i = 1; i < p->tries && ms < p->limits->backoff_most_ms; i++)
		ms *= 2;
	ms = ms > least_ms ? ms : least_ms;
	ms = ms < p->limits->backoff_most_ms ? ms : p->limits->backoff_most_ms;
	/* Clients that have failed together do not return together. */
	p->next = now + ms * MS - now % (ms * MS / 4 + 1);
}

static void take_answer(struct otlppost *p)
{
	const struct http_response *r = &p->client.response;
	uint64_t no = rejected(&p->client.body);
	char what[32];

	snprintf(what, sizeof(what), "HTTP status %u", r->status);
	if (r->status == 429 || (r->status >= 502 && r->status <= 504)) {
		retry(p, r->retry_s < 3600 ? r->retry_s * 1000 : 3600000, EPROTO, what);
		return;
	}
	if (r->status / 100 == 2) {
		no = no < p->spans ? no : p->spans;
		drop(p, no, EREMOTEIO, "it has rejected them");
		p->sent += p->spans - no;
	} else {
		drop(p, p->spans, EPROTO, "%s", what);
	}
	end_batch(p);
}

static void post(struct otlppost *p)
{
	httpclient_post(&p->client, &p->url, "application/json", &p->body, p->limits->request_ms);
	p->posted = true;
}

/* Do what is possible without waiting. @all: small requests, too. */
static void step(struct otlppost *p, bool all)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);
	enum httpclient_state state = HTTPCLIENT_WAITS;

	if (p->posted)
		state = httpclient_step(&p->client);
	p->posted &= state == HTTPCLIENT_WAITS;
	if (state == HTTPCLIENT_ANSWERED)
		take_answer(p);
	if (state == HTTPCLIENT_FAILED)
		retry(p, 0, p->client.err, strerror(p->client.err));
	if (p->posted || !waiting(p))
		return;
	if (p->batch) {
		if (now >= p->next)
			post(p);
	} else if (all || now >= p->next || waiting(p) >= p->limits->batch) {
		make_batch(p);
		if (p->batch)
			post(p);
	}
}

static int poll_for(const struct out_taker *t, struct pollfd *fd)
{
	const struct otlppost *p = (const struct otlppost *)t;
	uint64_t now = clock_now(CLOCK_MONOTONIC), until = p->posted ? p->client.until : p->next;

	*fd = (struct pollfd){ .fd = -1 };
	if (p->posted)
		httpclient_poll(&p->client, fd);
	if (!waiting(p))
		return -1;
	/* A request can fail before there is something to wait for. */
	if (p->posted && fd->fd < 0)
		return 0;
	return until > now ? (int)((until - now + MS - 1) / MS) : 0;
}

/* --- the queue ------------------------------------------------------- */

/* Wait until at most @left bytes wait, or there is no hope of that: false. */
static bool await(struct otlppost *p, size_t left)
{
	uint64_t begun = clock_now(CLOCK_MONOTONIC), now = begun, last = begun, sent = p->sent;

	while (waiting(p) > left && !p->over) {
		struct pollfd fd;
		int ms;

		step(p, true);
		now = clock_now(CLOCK_MONOTONIC);
		last = p->sent > sent ? now : last;
		sent = p->sent;
		p->over = now - last > p->limits->idle_ms * MS ||
			  now - begun > p->limits->finish_ms * MS;
		ms = poll_for(&p->taker, &fd);
		if (waiting(p) > left && !p->over)
			poll(&fd, 1, ms < 0 || ms > 100 ? 100 : ms);
	}
	return waiting(p) <= left;
}

static void add_line(struct otlppost *p, const char *line, size_t n, bool wait)
{
	size_t most = p->limits->queue;
	bool fits = n <= most && waiting(p) <= most - n;

	if (!fits && wait && n <= most)
		fits = await(p, most - n);
	if (p->over) {
		drop_late(p, line, n);
		return;
	}
	if (!fits || !buf_room(&p->queue, n)) {
		p->queue.failed = false;
		drop(p, count_spans(line, n), ENOBUFS, n > most ?
		     "a tree has more than %zu MB" : "%zu MB were waiting for it", most >> 20);
		return;
	}
	if (!waiting(p))
		p->next = clock_now(CLOCK_MONOTONIC) + p->limits->gather_ms * MS;
	buf_mem(&p->queue, line, n);
}

static void take(struct out_taker *t, const char *lines, size_t n, bool wait)
{
	struct otlppost *p = (struct otlppost *)t;

	while (n) {
		const char *end = memchr(lines, '\n', n);
		size_t len = end ? (size_t)(end - lines) + 1 : n;

		if (end)
			add_line(p, lines, len, wait);
		lines += len;
		n -= len;
	}
	step(p, false);
}

static int finish(struct out_taker *t, bool quiet, struct buf *talk)
{
	struct otlppost *p = (struct otlppost *)t;

	if (!await(p, 0)) {
		drop_late(p, p->queue.p + p->at, waiting(p));
		p->queue.len = p->at;
		/* A later answer would be about lines that are counted as dropped. */
		httpclient_hang_up(&p->client);
		p->posted = false;
		p->batch = 0;
	}
	if (p->dropped) {
		buf_number(talk, "warning: ", p->dropped);
		buf_number(talk, " of ", p->dropped + p->sent);
		buf_str(talk, " spans were dropped, not sent to ");
		buf_plain(talk, p->text);
		buf_str(talk, ": ");
		buf_str(talk, p->why);
		buf_char(talk, '\n');
	} else if (!quiet) {
		buf_number(talk, "sent ", p->sent);
		buf_str(talk, p->sent == 1 ? " span to " : " spans to ");
		buf_plain(talk, p->text);
		buf_char(talk, '\n');
	}
	return -p->err;
}

/* --- opening --------------------------------------------------------- */

static void fini(struct out_taker *t)
{
	struct otlppost *p = (struct otlppost *)t;

	httpclient_fini(&p->client);
	http_url_fini(&p->url);
	buf_fini(&p->queue);
	buf_fini(&p->body);
	free(p->text);
	free(p);
}

static int open_way(struct otlppost *p, const char *url, struct diag *d)
{
	union net_address to;
	int err;

	if (http_url_parse(url, OTLPPOST_PATH, &p->url, d) ||
	    net_address_find(p->url.host, p->url.port, &to, d))
		return -1;
	p->text = strdup(url);
	if (!p->text)
		return diag_set(d, "out of memory");
	httpclient_init(&p->client, &to);
	err = httpclient_try(&to, CONNECT_MS);
	if (err) {
		diag_errno(d, err, "no collector at %s", url);
		diag_hint(d, "start one that receives OTLP over HTTP, or write a file: --output FILE");
	}
	return err ? -1 : 0;
}

int otlppost_open(struct out *o, const char *url, const struct otlppost_limits *limits,
		  struct diag *d)
{
	struct otlppost *p = calloc(1, sizeof(*p));

	if (!p)
		return diag_set(d, "out of memory");
	p->taker = (struct out_taker){
		.take = take, .poll = poll_for, .finish = finish, .fini = fini,
	};
	p->limits = limits;
	p->client.fd = -1;
	if (open_way(p, url, d)) {
		fini(&p->taker);
		return -1;
	}
	o->taker = &p->taker;
	return 0;
}
