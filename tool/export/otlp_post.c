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
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/library.h"
#include "base/plain.h"
#include "export/otlp_post.h"
#include "export/retry_after.h"
#include "export/span.h"
#include "version.h"

/* Bytes of an answer's body that are read, about. */
#define ANSWER_MAX 65536
/* A longer wait at the end is announced. */
#define ANNOUNCED_MS 1000

/* libcurl, and a function of it, which is loaded only to send. */
static void *library;
#define CALL(name) ((__typeof__(curl_ ## name) *)dlsym(library, "curl_" #name))

/* The queue holds a minute of a busy trace; collectors take 20 MiB in a request. */
const struct otlppost_limits otlppost_limits = {
	.queue = 64U << 20, .batch = 1U << 20, .gather_ms = 1000, .request_ms = 10000, .tries = 8,
	.backoff_ms = 500, .backoff_most_ms = 8000, .idle_ms = 10000, .finish_ms = 60000,
};

/* The way. */
struct otlppost {
	struct output_taker taker;	/* what the output sees of it; first */
	const struct otlppost_limits *limits;	/* its limits */
	char *text;	/* the URL, as the user wrote it */
	CURL *easy;	/* the request, for libcurl, which knows it from when it is posted */
	CURLM *multi;	/* what runs it there */
	struct curl_slist *headers;	/* of requests */
	struct retryafter head;	/* what the head of the answer says so far */
	struct buf answer;	/* the body of the answer so far */
	char trouble[CURL_ERROR_SIZE];	/* why a request has failed */
	struct buf queue;	/* lines, of which the first @at bytes have been sent or dropped */
	size_t at;	/* see @queue */
	size_t batch;	/* of these, bytes of the request that is tried, or 0 */
	uint64_t spans;	/* in the request */
	struct buf body;	/* of the request */
	bool posted;	/* the request is under way */
	unsigned int tries;	/* of the request so far */
	uint64_t next;	/* when it is tried again, or a new one is made, CLOCK_MONOTONIC, ns */
	uint64_t asked;	/* the collector has asked for no request before, as @next */
	char asks[64];	/* how it has asked */
	uint64_t sent;	/* spans that the collector has accepted */
	uint64_t dropped;	/* spans that it will not get */
	char why[CURL_ERROR_SIZE + 32];	/* what was wrong with the first of them */
	char last[CURL_ERROR_SIZE];	/* the same about the last request, if it is tried again */
	uint64_t ending;	/* when the end began, or 0, like @next */
	bool announced;	/* the user knows that the end waits */
	bool over;	/* the collector has not answered for so long that all is dropped */
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
	bool asked = p->asked > clock_now(CLOCK_MONOTONIC);

	drop(p, count_spans(lines, n), "%s",
	     *p->last ? p->last : asked ? p->asks : "it has not answered");
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

/* Try again later: there was no error but one of the moment. */
static void retry(struct otlppost *p, const char *what)
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
	ms = ms < p->limits->backoff_most_ms ? ms : p->limits->backoff_most_ms;
	/* Clients that have failed together do not return together. */
	p->next = now + ms * CLOCK_MS + now % (ms * CLOCK_MS / 4 + 1);
}

/* Write to @what how the answer begins. The patience that it asks for holds for all requests. */
static void read_head(struct otlppost *p, long status, char what[64])
{
	uint64_t s = retryafter_s(&p->head, CALL(getdate)), now = clock_now(CLOCK_MONOTONIC);
	int n = snprintf(what, 64, "HTTP status %ld", status);

	if (!s || status / 100 == 2)
		return;
	snprintf(what + n, 64 - (size_t)n, ", Retry-After %llu s", (unsigned long long)s);
	p->asked = now + s * CLOCK_SECOND + now % CLOCK_SECOND;
	memcpy(p->asks, what, 64);
}

static void take_answer(struct otlppost *p, long status)
{
	uint64_t no = rejected(&p->answer);
	char what[64];

	read_head(p, status, what);
	if (status == 429 || (status >= 502 && status <= 504)) {
		retry(p, what);
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

static size_t take_head(char *p, size_t size, size_t n, void *ctx)
{
	retryafter_line(ctx, p, size * n);
	return size * n;
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
	p->head = (struct retryafter){ 0 };
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
		retry(p, p->trouble);
}

/* When a request may be sent. */
static uint64_t due(const struct otlppost *p)
{
	return p->next > p->asked ? p->next : p->asked;
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
	if (p->batch && now >= due(p))
		post(p);
}

static int poll_for(const struct output_taker *t, struct pollfd *fd)
{
	const struct otlppost *p = (const struct otlppost *)t;
	uint64_t now = clock_now(CLOCK_MONOTONIC);
	uint64_t left = due(p) > now ? (due(p) - now + CLOCK_MS - 1) / CLOCK_MS : 0;
	fd_set in = { 0 }, out = in, other = in;
	long ms = -1;

	*fd = (struct pollfd){ .fd = -1 };
	if (!p->posted)
		return !waiting(p) ? -1 : left < INT_MAX ? (int)left : INT_MAX;
	CALL(multi_fdset)(p->multi, &in, &out, &other, &fd->fd);
	CALL(multi_timeout)(p->multi, &ms);
	/* The library recommends 100 ms if it has nothing that can be waited for. */
	if (fd->fd < 0)
		return ms < 0 || ms > 100 ? 100 : (int)ms;
	fd->events = (FD_ISSET(fd->fd, &in) ? POLLIN : 0) | (FD_ISSET(fd->fd, &out) ? POLLOUT : 0);
	return (int)ms;
}

/* --- the queue ------------------------------------------------------- */

/* Does a signal wait that is to end goprobectl, which has blocked it? */
static bool interrupted(void)
{
	sigset_t set;

	return !sigpending(&set) && (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
				     sigismember(&set, SIGHUP));
}

/*
 * Is there no hope after a wait since @begun, with the last success at @last? The collector need
 * not answer while it has asked for patience.
 */
static bool hopeless(const struct otlppost *p, uint64_t begun, uint64_t last, uint64_t now)
{
	uint64_t end = begun + p->limits->finish_ms * CLOCK_MS;

	last = last > p->asked ? last : p->asked;
	return now > end || p->asked > end || now > last + p->limits->idle_ms * CLOCK_MS;
}

/*
 * Wait, since @begun, until at most @left bytes wait: true. False: there is no hope of that, or
 * @announce, and the collector asks for a long wait.
 */
static bool await(struct otlppost *p, size_t left, uint64_t begun, bool announce)
{
	uint64_t now = begun, last = begun, sent = p->sent;

	while (waiting(p) > left && !p->over) {
		struct pollfd fd;
		int ms;

		step(p, true);
		now = clock_now(CLOCK_MONOTONIC);
		last = p->sent > sent ? now : last;
		sent = p->sent;
		p->over = hopeless(p, begun, last, now) || interrupted();
		ms = poll_for(&p->taker, &fd);
		if (waiting(p) <= left || p->over)
			continue;
		if (announce && p->asked > now + ANNOUNCED_MS * CLOCK_MS)
			return false;
		poll(&fd, 1, ms < 0 || ms > 100 ? 100 : ms);
	}
	return waiting(p) <= left;
}

static void add_line(struct otlppost *p, const char *line, size_t n, bool wait)
{
	size_t most = p->limits->queue;
	bool fits = n <= most && waiting(p) <= most - n;

	if (!fits && wait && n <= most)
		fits = await(p, most - n, clock_now(CLOCK_MONOTONIC), false);
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
		p->next = clock_now(CLOCK_MONOTONIC) + p->limits->gather_ms * CLOCK_MS;
	buf_mem(&p->queue, line, n);
}

static void take(struct output_taker *t, const char *lines, size_t n, bool wait)
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

static int finish(struct output_taker *t, bool quiet, struct buf *talk)
{
	struct otlppost *p = (struct otlppost *)t;
	bool sent;

	p->ending = p->ending ?: clock_now(CLOCK_MONOTONIC);
	sent = await(p, 0, p->ending, !quiet && !p->announced);
	if (!sent && !p->over) {
		buf_str(talk, "waiting for ");
		plain_add(talk, p->text);
		buf_str(talk, ", which asks for it: ");
		buf_str(talk, p->asks);
		buf_str(talk, "; Ctrl-C ends that\n");
		p->announced = true;
		return -EAGAIN;
	}
	if (!sent) {
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
		plain_add(talk, p->text);
		buf_str(talk, ": ");
		buf_str(talk, p->why);
		buf_char(talk, '\n');
	} else if (!quiet) {
		buf_number(talk, "sent ", p->sent);
		buf_str(talk, p->sent == 1 ? " span to " : " spans to ");
		plain_add(talk, p->text);
		buf_char(talk, '\n');
	}
	return p->dropped ? -EIO : 0;
}

/* --- opening --------------------------------------------------------- */

bool otlppost_is_url(const char *text)
{
	return !strncasecmp(text, "http://", 7) || !strncasecmp(text, "https://", 8);
}

static void fini(struct output_taker *t)
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
	CALL(easy_setopt)(p->easy, CURLOPT_HEADERFUNCTION, take_head);
	CALL(easy_setopt)(p->easy, CURLOPT_HEADERDATA, &p->head);
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

int otlppost_open(struct output *o, const char *url, const struct otlppost_limits *limits,
		  struct diag *d)
{
	struct otlppost *p = calloc(1, sizeof(*p));

	if (!p)
		return diag_set(d, "out of memory");
	p->taker = (struct output_taker){
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
