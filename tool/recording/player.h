/* SPDX-License-Identifier: GPL-2.0 */
/* Reading a recording (recording/format.h) from its file, one entry after the other. */
#ifndef GOPROBE_RECORDING_PLAYER_H
#define GOPROBE_RECORDING_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "recording/format.h"

/* A recording being read. */
struct player {
	const char *path;	/* of the file, for messages */
	int fd;			/* it, or -1 */
	uint8_t *buf;		/* what was read */
	size_t at;		/* its first byte that was not handed out */
	size_t end;		/* end of its bytes */
	bool eof;		/* there are no more in the file */
};

/* Open the file and look at its head. @p is all zero; player_fini() in any case. */
int player_open(struct player *p, const char *path, struct diag *d);
void player_fini(struct player *p);
/*
 * The next entry, good until the next call: 1; 0: there is no other whole one; -1: it
 * is malformed or can't be read.
 */
int player_next(struct player *p, struct recording_entry *ret, struct diag *d);

#endif
