// SPDX-License-Identifier: GPL-2.0
/* Pictures that --open shows. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/picture.h"
#include "net/http_server.h"

/* Bytes of the address that nobody can guess. */
#define SECRET_BYTES 16

static const struct kind {
	const char *name;	/* of the file, for a browser that saves it */
	const char *type;	/* its media type */
} kinds[] = {
	[OPTION_FLAMEGRAPH] = { "flamegraph.svg", "image/svg+xml" },
	[OPTION_TIMELINE] = { "timeline.html", "text/html; charset=utf-8" },
};

static bool is_picture(enum option_format format)
{
	return format == OPTION_FLAMEGRAPH || format == OPTION_TIMELINE;
}

int picture_check(struct options *o, struct diag *d)
{
	bool calls = o->command == COMMAND_STACK || o->command == COMMAND_GRAPH;

	if (!o->open || is_picture(o->format))
		return CMD_DONE;
	if (!option_given(o, option_find(o->command, "format"))) {
		o->format = calls ? OPTION_FLAMEGRAPH : OPTION_TIMELINE;
		return CMD_DONE;
	}
	diag_set(d, "--open shows pictures, and -o asks for something else");
	diag_hint(d, "%s", o->command == COMMAND_STACK ? "-o flamegraph is one" :
		     o->command == COMMAND_ATTACH ? "-o timeline is one" :
		     "-o flamegraph and -o timeline are");
	return CMD_USAGE;
}

/* --- serving ---------------------------------------------------------------- */

/* A httpserver_page.put */
static int put(void *ctx, struct buf *b, struct diag *d)
{
	const struct buf *content = ctx;

	(void)d;
	buf_mem(b, content->p, content->len);
	return 0;
}

/* "/0f3c.../timeline.html": other users of this machine do not know it. */
static int put_path(struct buf *b, const char *name, struct diag *d)
{
	uint8_t secret[SECRET_BYTES];

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return diag_errno(d, errno, "can't make an address that is secret");
	buf_char(b, '/');
	for (size_t i = 0; i < sizeof(secret); i++)
		buf_hex_byte(b, secret[i]);
	buf_char(b, '/');
	buf_str(b, name);
	buf_char(b, 0);
	return b->failed ? diag_set(d, "out of memory") : 0;
}

/* Until a client has all of it. */
static int serve(struct httpserver *s, unsigned int wait_ms, struct diag *d)
{
	uint64_t until = clock_now(CLOCK_MONOTONIC) + wait_ms * CLOCK_MS;
	struct pollfd fd;

	while (!httpserver_fetched(s)) {
		if (clock_now(CLOCK_MONOTONIC) >= until) {
			diag_set(d, "no browser fetched the picture within %u s", wait_ms / 1000);
			diag_hint(d, "--output FILE keeps it in a file");
			return -1;
		}
		httpserver_poll(s, &fd);
		poll(&fd, 1, 100);
		if (httpserver_step(s, d))
			return -1;
	}
	return 0;
}

int picture_serve(const struct buf *content, enum option_format format, unsigned int wait_ms,
		  struct diag *d)
{
	struct httpserver_page page = {
		.type = kinds[format].type, .put = put, .ctx = (void *)content, .secret = true,
		.fresh_ms = 1000 * wait_ms, .client_ms = wait_ms,
	};
	struct buf path = { 0 };
	struct httpserver *s = NULL;
	int err = put_path(&path, kinds[format].name, d);

	page.path = path.p;
	if (!err)
		s = httpserver_open("0", &page, d);
	if (s)
		fprintf(stderr, "open %s in a browser: it is served once, within %u s\n",
			httpserver_url(s), wait_ms / 1000);
	err = s ? serve(s, wait_ms, d) : -1;
	httpserver_free(s);
	buf_fini(&path);
	return err;
}

/* --- running ---------------------------------------------------------------- */

/* All that is in the file. */
static int read_file(int fd, const char *path, struct buf *b, struct diag *d)
{
	char part[65536];
	ssize_t n;
	off_t at = 0;

	while ((n = pread(fd, part, sizeof(part), at)) > 0) {
		buf_mem(b, part, (size_t)n);
		at += n;
	}
	if (n < 0)
		return diag_errno(d, errno, "can't read %s", path);
	return b->failed ? diag_set(d, "out of memory") : 0;
}

static int show(const struct options *o, int fd, struct diag *d)
{
	struct buf content = { 0 };
	int err = read_file(fd, o->output, &content, d);

	if (!err)
		err = picture_serve(&content, o->format, PICTURE_WAIT_MS, d);
	buf_fini(&content);
	return err;
}

/* The file that the command writes to: the user's, or one in memory. -1 with @d set. */
static int open_file(struct options *o, struct diag *d)
{
	static char path[40];
	struct stat st;
	int fd;

	if (o->output) {
		fd = open(o->output, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0)
			return diag_errno(d, errno, "can't write %s", o->output);
		if (!fstat(fd, &st) && S_ISREG(st.st_mode))
			return fd;
		close(fd);
		diag_set(d, "--open reads the picture from %s, which is no regular file",
			 o->output);
		return -1;
	}
	fd = memfd_create("goprobectl", MFD_CLOEXEC);
	if (fd < 0)
		return diag_errno(d, errno, "can't make a file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o->output = path;
	return fd;
}

/* Without the library nothing need be traced. */
static int check_server(struct diag *d)
{
	const struct httpserver_page none = { .path = "/", .type = "", .put = put };
	struct httpserver *s = httpserver_open("0", &none, d);

	httpserver_free(s);
	return s ? 0 : -1;
}

int picture_run(const struct cmd *cmd, struct options *o, struct diag *d)
{
	int fd = check_server(d) ? -1 : 0, code;
	sigset_t mask;

	if (!fd)
		fd = open_file(o, d);
	if (fd < 0)
		return CMD_FAILED;
	sigprocmask(SIG_BLOCK, NULL, &mask);
	code = cmd->run(o, d);
	/* Ctrl-C ends the waiting; a client that hangs up does not. */
	sigaddset(&mask, SIGPIPE);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (!d->message && show(o, fd, d))
		code = code ? code : CMD_FAILED;
	close(fd);
	return code;
}
