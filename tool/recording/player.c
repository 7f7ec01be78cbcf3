// SPDX-License-Identifier: GPL-2.0
/* Reading a recording from its file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/player.h"

/* Space for the largest entry, and for reading well ahead. */
#define BUFFER_BYTES (2U * RECORDING_ENTRY_MAX)

/* Have more bytes behind those that are there. 0 or -1. */
static int fill(struct player *p, struct diag *d)
{
	ssize_t n;

	memmove(p->buf, p->buf + p->at, p->end - p->at);
	p->end -= p->at;
	p->at = 0;
	do {
		n = read(p->fd, p->buf + p->end, BUFFER_BYTES - p->end);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return diag_errno(d, errno, "can't read %s", p->path);
	p->end += n;
	p->eof = !n;
	return 0;
}

int player_open(struct player *p, const char *path, struct diag *d)
{
	const char *why;

	p->path = path;
	p->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (p->fd < 0)
		return diag_errno(d, errno, "can't open %s", path);
	p->buf = malloc(BUFFER_BYTES);
	if (!p->buf)
		return diag_set(d, "out of memory");
	while (!p->eof && p->end < sizeof(struct recording_head))
		if (fill(p, d))
			return -1;
	why = recording_check_head(p->buf, p->end);
	if (why)
		return diag_set(d, "%s can't be replayed: %s", path, why);
	p->at = sizeof(struct recording_head);
	return 0;
}

void player_fini(struct player *p)
{
	if (p->path && p->fd >= 0)
		close(p->fd);
	free(p->buf);
	memset(p, 0, sizeof(*p));
}

int player_next(struct player *p, struct recording_entry *ret, struct diag *d)
{
	const char *why;

	for (;;) {
		int64_t n = recording_parse(p->buf + p->at, p->end - p->at, ret, &why);

		if (n > 0) {
			p->at += n;
			return 1;
		}
		if (n < 0)
			return diag_set(d, "%s is damaged: %s", p->path, why);
		if (p->eof)
			return 0;
		if (fill(p, d))
			return -1;
	}
}
