// SPDX-License-Identifier: GPL-2.0
/* Write errors that only close() reports, as on NFS or beyond a quota. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bins.h"
#include "cmd/counting.h"
#include "cmd/cmd.h"
#include "recording/recorder.h"
#include "rows.h"
#include "trace/sink.h"

static ino_t full;

/* In place of the C library's. */
int close(int fd)
{
	struct stat st;
	bool fails = full && !fstat(fd, &st) && st.st_ino == full;

	if (syscall(SYS_close, fd))
		return -1;
	errno = EDQUOT;
	return fails ? -1 : 0;
}

/* Its name, to be freed; remove_file() removes it. */
static char *make_file(void)
{
	char *path = strdup("/tmp/goprobe-writing-XXXXXX");
	struct stat st;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	full = st.st_ino;
	return path;
}

static void remove_file(char *path)
{
	full = 0;
	unlink(path);
	free(path);
}

TEST(of_an_output)
{
	char *path = make_file();
	struct options options = { .output = path };
	struct sink_opt opt = { .options = &options, .format = &out_text };
	struct plan plan = { .o = &plan_defaults };
	struct diag d = { 0 };
	struct stream s;
	struct output o;

	assert_int_equal(sink_open(&o, &s, &plan, &opt, &d), 0);
	assert_int_equal(output_close(&o), -EDQUOT);
	stream_fini(&s);
	output_fini(&o);
	remove_file(path);
}

/* A summary that does not fit into the file. */
TEST(what_failed_before_is_known_at_the_end)
{
	struct output o;

	output_init(&o, &out_text, open("/dev/full", O_WRONLY));
	o.owned = true;
	buf_str(&o.buf, "text");
	assert_int_equal(output_flush(&o, true), -ENOSPC);
	assert_int_equal(output_close(&o), -ENOSPC);
	output_fini(&o);
}

TEST(of_a_recording)
{
	static const struct output_summary sum;
	char *path = make_file(), *want = NULL;
	struct recorder r = { .fd = -1 };
	struct diag d = { 0 };

	assert_int_equal(recorder_open(&r, path, &d), 0);
	assert_int_equal(recorder_end(&r, &sum, NULL, &d), -1);
	assert_true(asprintf(&want, "can't write %s: Disk quota exceeded", path) > 0);
	assert_string_equal(d.message, want);
	recorder_fini(&r);
	free(want);
	diag_fini(&d);
	remove_file(path);
}

/* The output file of a session that counts; a command that is started does not inherit it. */
TEST(of_what_is_counted)
{
	char *path = make_file(), *want = NULL, got[8];
	struct options o = { .output = path };
	struct counting c = { .o = &o };
	struct buf b = { 0 };
	struct diag d = { 0 };
	int fd;

	assert_int_equal(counting_open(&c, &d), 0);
	assert_int_not_equal(c.fd, STDOUT_FILENO);
	assert_true(fcntl(c.fd, F_GETFD) & FD_CLOEXEC);
	buf_str(&b, "text");
	assert_int_equal(counting_write(&c, &b, &d), 0);
	assert_int_equal(counting_close(&c, &d), -1);
	assert_true(asprintf(&want, "can't write to %s: Disk quota exceeded", path) > 0);
	assert_string_equal(d.message, want);
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, got, sizeof(got)), 4);
	close(fd);
	counting_fini(&c);
	buf_fini(&b);
	free(want);
	diag_fini(&d);
	remove_file(path);
}

/* `goprobectl list -b BINARY` with standard output @to, which is used up. */
static int list_to(int to, struct diag *d)
{
	static char words[3][16] = { "list", "-b", "main.main" };
	struct bins_each e = BINS("shapes", "");
	char *argv[5] = { words[0], words[1], NULL, words[2] };
	int saved = dup(STDOUT_FILENO), code;

	assert_true(bins_next_path(&e));
	argv[2] = (char *)(uintptr_t)e.path;
	dup2(to, STDOUT_FILENO);
	close(to);
	code = cmd_execute(&cmd_list, N(argv) - 1, argv, d);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	return code;
}

TEST(of_standard_output)
{
	struct diag d = { 0 };
	int fds[2];

	fflush(stdout);
	assert_int_equal(list_to(open("/dev/full", O_WRONLY), &d), CMD_FAILED);
	assert_string_equal(d.message, "can't write the output: No space left on device");
	diag_fini(&d);
	assert_int_equal(list_to(open("/", O_RDONLY), &d), CMD_FAILED);
	assert_string_equal(d.message, "can't write the output: Bad file descriptor");
	diag_fini(&d);
	/* The reader has closed it. */
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	assert_int_equal(list_to(fds[1], &d), CMD_DONE);
	assert_null(d.message);
}
