// SPDX-License-Identifier: GPL-2.0
/* Complete writes to descriptors that may be shared, slow, or full. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/writing.h"

void writing_await(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	poll(&p, 1, -1);
}

/* All of it, however long it takes. 0 or -errno. */
static int writing_all(int fd, const void *p, size_t n)
{
	const char *at = p;

	while (n) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno == EAGAIN) {
			writing_await(fd);
		} else if (done < 0 && errno != EINTR) {
			return -errno;
		} else if (done > 0) {
			at += done;
			n -= done;
		}
	}
	return 0;
}

int writing_buf(int fd, const struct buf *b, struct diag *d)
{
	int err;

	if (b->failed)
		return diag_set(d, "out of memory");
	err = writing_all(fd, b->p, b->len);
	if (err == -EPIPE)
		return 1;
	return err ? diag_errno(d, -err, "can't write the output") : 0;
}

int writing_print(struct buf *b, struct diag *d)
{
	int ret = writing_buf(STDOUT_FILENO, b, d);

	b->len = 0;
	return ret < 0 ? -1 : 0;
}

int writing_close(int fd)
{
	return close(fd) ? -errno : 0;
}
