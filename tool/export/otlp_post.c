// SPDX-License-Identifier: GPL-2.0
/*
 * OTLP traces on their way to a collector: lines of graph_otlp wait in a queue of bounded size, and
 * requests have several of them. https://opentelemetry.io/docs/specs/otlp/#otlphttp says which
 * answers allow another try, and .../otel/protocol/exporter/ which variables an exporter reads.
 */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/library.h"
#include "base/printable.h"
#include "export/otlp_post.h"
#include "export/span.h"
#include "version.h"

#define MS 1000000ULL
/* Bytes of an answer's body that are read, about. */
#define ANSWER_MAX 65536

/* libcurl, and a function of it, which is loaded only to send. */
static void *library;
#define CALL(name) ((__typeof__(curl_ ## name) *)dlsym(library, "curl_" #name))

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
 * @easy: the request, for libcurl, which knows it from when it is posted
 * @multi: what runs it there
 * @headers: of requests
 * @answer: the body of the answer so far
 * @trouble: why a request has failed
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
 * @why: what was wrong with the first of them
 * @last: the same about the last request, if it is tried again
 * @over: the collector has not answered for so long that all is dropped
 */
struct otlppost {
	struct out_taker taker;
	const struct otlppost_limits *limits;
	char *text;
	CURL *easy;
	CURLM *multi;
	struct curl_slist *headers;
	struct buf answer;
	char trouble[CURL_ERROR_SIZE];
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
	char why[CURL_ERROR_SIZE + 32];
	char last[CURL_ERROR_SIZE];
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

__attribute__((format(printf, 3, 4)))
static void drop(struct otlppost *p, uint64_t spans, const char *fmt, ...)
{
	va_list ap;

	p->dropped += spans;
	if (*p->why || !spans)
		return;
	va_start(ap, fmt);
	vsnprintf(p->why, sizeof(p->why), fmt, ap);
	va_end(ap);
}

/* Drop @n bytes of lines: the collector has not accepted others in time. */
static void drop_late(struct otlppost *p, const char *lines, size_t n)
{
	drop(p, count_spans(lines, n), "%s", *p->last ? p->last : "it has not answered");
}

/* --- requests -------------------------------------------------------- */

/* The request is over: its lines leave the queue. */
static void end_batch(struct otlppost *p)
{
	p->at += p->batch;
	p->batch = 0;
	p->tries = 0;
	*p->last = 0;
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
	drop(p, p->spans, "out of memory");
	end_batch(p);
}

/* {"partialSuccess":{"rejectedSpans":"3"}}; a 64-bit number can be a string. */
static uint64_t rejected(struct buf *body)
{
	static const char key[] = "\"rejectedSpans\":";
	const char *at;

	buf_char(body, 0);
	at = body->failed ? NULL : strstr(body->p, key);
	at = at ? at + strlen(key) : "";
	return strtoull(at + strspn(at, " \""), NULL, 10);
}

/* Try again later, at least @least_ms from now, if there was no error but one of the moment. */
static void retry(struct otlppost *p, uint64_t least_ms, const char *what)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC), ms = p->limits->backoff_ms;

	snprintf(p->last, sizeof(p->last), "%s", what);
	if (++p->tries >= p->limits->tries) {
		drop(p, p->spans, "%s, %u times", what, p->tries);
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

static void take_answer(struct otlppost *p, long status)
{
	uint64_t no = rejected(&p->answer);
	curl_off_t retry_s = 0;
	char what[32];

	snprintf(what, sizeof(what), "HTTP status %ld", status);
	if (status == 429 || (status >= 502 && status <= 504)) {
		CALL(easy_getinfo)(p->easy, CURLINFO_RETRY_AFTER, &retry_s);
		retry(p, (uint64_t)retry_s * 1000, what);
		return;
	}
	if (status / 100 == 2) {
		no = no < p->spans ? no : p->spans;
		drop(p, no, "it has rejected them");
		p->sent += p->spans - no;
	} else {
		drop(p, p->spans, "%s", what);
	}
	end_batch(p);
}

static size_t take_body(char *p, size_t size, size_t n, void *ctx)
{
	struct buf *b = ctx;

	buf_mem(b, p, size * n);
	return b->failed || b->len > ANSWER_MAX ? 0 : size * n;
}

static void post(struct otlppost *p)
{
	buf_fini(&p->answer);
	*p->trouble = 0;
	CALL(easy_setopt)(p->easy, CURLOPT_POSTFIELDS, p->body.p);
	CALL(easy_setopt)(p->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)p->body.len);
	CALL(multi_add_handle)(p->multi, p->easy);
	p->posted = true;
}

static void hang_up(struct otlppost *p)
{
	CALL(multi_remove_handle)(p->multi, p->easy);
	p->posted = false;
}

/* Write what was wrong with @request to @p->trouble, where the library may have done that. */
static void explain(struct otlppost *p, CURL *request, CURLcode result)
{
	long err = 0;

	CALL(easy_getinfo)(request, CURLINFO_OS_ERRNO, &err);
	if (result == CURLE_COULDNT_CONNECT && err)
		snprintf(p->trouble, sizeof(p->trouble), "%s", strerror((int)err));
	else if (!*p->trouble)
		snprintf(p->trouble, sizeof(p->trouble), "%s", CALL(easy_strerror)(result));
}

/* Go on with the request that is under way. */
static void step_request(struct otlppost *p)
{
	int running = 0, left;
	long status = 0;
	CURLMsg *over;

	if (!CALL(multi_perform)(p->multi, &running) && running)
		return;
	over = CALL(multi_info_read)(p->multi, &left);
	CALL(easy_getinfo)(p->easy, CURLINFO_RESPONSE_CODE, &status);
	explain(p, p->easy, over ? over->data.result : CURLE_FAILED_INIT);
	hang_up(p);
	/* What a server has sent before it broke the connection is an answer, too. */
	if (status >= 200)
		take_answer(p, status);
	else
		retry(p, 0, p->trouble);
}

/* Do what is possible without waiting. @all: small requests, too. */
static void step(struct otlppost *p, bool all)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);

	if (p->posted)
		step_request(p);
	if (p->posted || !waiting(p))
		return;
	if (!p->batch && (all || now >= p->next || waiting(p) >= p->limits->batch)) {
		make_batch(p);
		p->next = 0;
	}
	if (p->batch && now >= p->next)
		post(p);
}

static int poll_for(const struct out_taker *t, struct pollfd *fd)
{
	const struct otlppost *p = (const struct otlppost *)t;
	uint64_t now = clock_now(CLOCK_MONOTONIC);
	fd_set in = { 0 }, out = in, other = in;
	long ms = -1;

	*fd = (struct pollfd){ .fd = -1 };
	if (!p->posted)
		return !waiting(p) ? -1 :
		       p->next > now ? (int)((p->next - now + MS - 1) / MS) : 0;
	CALL(multi_fdset)(p->multi, &in, &out, &other, &fd->fd);
	CALL(multi_timeout)(p->multi, &ms);
	/* The library recommends 100 ms if it has nothing that can be waited for. */
	if (fd->fd < 0)
		return ms < 0 || ms > 100 ? 100 : (int)ms;
	fd->events = (FD_ISSET(fd->fd, &in) ? POLLIN : 0) | (FD_ISSET(fd->fd, &out) ? POLLOUT : 0);
	return (int)ms;
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
		drop(p, count_spans(line, n), n > most ?
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
		hang_up(p);
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
	return p->dropped ? -EIO : 0;
}

/* --- opening --------------------------------------------------------- */

bool otlppost_is_url(const char *text)
{
	return !strncasecmp(text, "http://", 7) || !strncasecmp(text, "https://", 8);
}

static void fini(struct out_taker *t)
{
	struct otlppost *p = (struct otlppost *)t;

	if (p->multi)
		hang_up(p);
	if (p->easy)
		CALL(easy_cleanup)(p->easy);
	if (p->multi)
		CALL(multi_cleanup)(p->multi);
	if (p->headers)
		CALL(slist_free_all)(p->headers);
	buf_fini(&p->answer);
	buf_fini(&p->queue);
	buf_fini(&p->body);
	free(p->text);
	free(p);
}

/* "name=value,name=value", percent-encoded; the values may be secrets, which no message shows. */
static bool add_headers(struct otlppost *p, const char *list)
{
	char *copy = strdup(list), *rest = copy, *pair;
	struct curl_slist *more = p->headers;

	while ((pair = strsep(&rest, ",")) && (more || !p->headers)) {
		char *plain = CALL(easy_unescape)(p->easy, pair + strspn(pair, " "), 0, NULL);
		char *value = plain ? strchr(plain, '=') : NULL, *line = NULL;

		more = NULL;
		if (value && !strpbrk(plain, "\r\n") &&
		    asprintf(&line, "%.*s: %s", (int)(value - plain), plain, value + 1) > 0)
			more = CALL(slist_append)(p->headers, line);
		p->headers = more ?: p->headers;
		CALL(free)(plain);
		free(line);
	}
	free(copy);
	return copy && more;
}

static int set_up(struct otlppost *p, const char *given, struct diag *d)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4", NULL };
	const char *host = strstr(given, "://") + 3, *path = host + strcspn(host, "/?");
	const char *headers = getenv("OTEL_EXPORTER_OTLP_HEADERS");
	const char *ca = getenv("OTEL_EXPORTER_OTLP_CERTIFICATE");
	char *url = NULL;

	library = library_load(names, "libcurl3-gnutls (Debian, Ubuntu) or libcurl (Fedora)", d);
	if (!library)
		return -1;
	p->text = strdup(given);
	p->multi = CALL(multi_init)();
	p->easy = CALL(easy_init)();
	if (!p->text || !p->multi || !p->easy ||
	    asprintf(&url, "%s%s", given, !*path ? OTLPPOST_PATH :
		     !strcmp(path, "/") ? OTLPPOST_PATH + 1 : "") < 0)
		return diag_set(d, "out of memory");
	CALL(easy_setopt)(p->easy, CURLOPT_URL, url);
	free(url);
	if (!add_headers(p, "Content-Type=application/json") ||
	    (headers && *headers && !add_headers(p, headers))) {
		diag_set(d, "OTEL_EXPORTER_OTLP_HEADERS is no list of headers");
		diag_hint(d, "it is NAME=VALUE,NAME=VALUE, with %%2C for a comma in a value");
		return -1;
	}
	if (ca)
		CALL(easy_setopt)(p->easy, CURLOPT_CAINFO, ca);
	CALL(easy_setopt)(p->easy, CURLOPT_HTTPHEADER, p->headers);
	CALL(easy_setopt)(p->easy, CURLOPT_USERAGENT, "goprobe/" GOPROBECTL_VERSION);
	CALL(easy_setopt)(p->easy, CURLOPT_WRITEFUNCTION, take_body);
	CALL(easy_setopt)(p->easy, CURLOPT_WRITEDATA, &p->answer);
	CALL(easy_setopt)(p->easy, CURLOPT_ERRORBUFFER, p->trouble);
	CALL(easy_setopt)(p->easy, CURLOPT_TIMEOUT_MS, (long)p->limits->request_ms);
	return 0;
}

/* Connect, and close at once: collectors need not wait for what that connection sends. */
static int try(struct otlppost *p, struct diag *d)
{
	CURL *request = CALL(easy_duphandle)(p->easy);
	CURLcode result;

	CALL(easy_setopt)(request, CURLOPT_CONNECT_ONLY, 1L);
	result = CALL(easy_perform)(request);
	if (result) {
		explain(p, request, result);
		diag_set(d, "no collector at %s: %s", p->text, p->trouble);
		diag_hint(d, "start one that receives OTLP over HTTP, or write a file: --output FILE");
	}
	CALL(easy_cleanup)(request);
	return result ? -1 : 0;
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
	if (set_up(p, url, d) || try(p, d)) {
		fini(&p->taker);
		return -1;
	}
	o->taker = &p->taker;
	return 0;
}
