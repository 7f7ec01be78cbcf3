// SPDX-License-Identifier: GPL-2.0
/*
 * Client and server of goprobectl's without a trace: "peer send URL FILE" sends the spans of a file
 * in lines of OTLP, and "peer serve FILE" serves a file as metrics, and prints where, until its
 * standard input ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "export/otlp_post.h"
#include "export/span.h"
#include "net/http_server.h"

static int read_file(const char *path, struct buf *b, struct diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char part[65536];
	ssize_t n;

	if (fd < 0)
		return diag_errno(d, errno, "can't read %s", path);
	while ((n = read(fd, part, sizeof(part))) > 0)
		buf_mem(b, part, (size_t)n);
	close(fd);
	return n ? diag_errno(d, errno, "can't read %s", path) : 0;
}

static int send_spans(const char *url, const char *path, struct diag *d)
{
	struct buf talk = { 0 };
	struct out o;
	int err;

	out_init(&o, &graph_otlp.out, -1);
	err = read_file(path, &o.buf, d) || otlppost_open(&o, url, &otlppost_limits, d);
	if (!err) {
		out_flush(&o, true);
		while ((err = o.taker->finish(o.taker, false, &talk)) == -EAGAIN)
			;
		printf("%.*s", (int)talk.len, talk.p);
		if (err)
			diag_errno(d, -err, "not all spans were sent");
	}
	buf_fini(&talk);
	out_fini(&o);
	return err ? -1 : 0;
}

static int put(void *ctx, struct buf *b, struct diag *d)
{
	return read_file(ctx, b, d);
}

static int serve(char *path, struct diag *d)
{
	const struct httpserver_page page = {
		.path = "/metrics", .put = put, .ctx = path, .fresh_ms = 1000, .client_ms = 10000,
		.type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	};
	struct pollfd fds[2] = { { .fd = STDIN_FILENO, .events = POLLIN } };
	struct httpserver *s = httpserver_open("0", &page, d);
	int err = s ? 0 : -1;

	if (s)
		printf("%s\n", httpserver_url(s));
	fflush(stdout);
	while (!err && !fds[0].revents) {
		httpserver_poll(s, &fds[1]);
		poll(fds, 2, 1000);
		err = httpserver_step(s, d);
	}
	httpserver_free(s);
	return err;
}

int main(int argc, char **argv)
{
	struct diag d = { 0 };
	int err = -1;

	if (argc == 4 && !strcmp(argv[1], "send"))
		err = send_spans(argv[2], argv[3], &d);
	else if (argc == 3 && !strcmp(argv[1], "serve"))
		err = serve(argv[2], &d);
	else
		diag_set(&d, "usage: peer send URL FILE, or peer serve FILE");
	if (err)
		diag_print(&d, "peer", stderr);
	diag_fini(&d);
	return err ? 1 : 0;
}
