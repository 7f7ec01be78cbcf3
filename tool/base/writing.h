/* SPDX-License-Identifier: GPL-2.0 */
/* Complete writes to descriptors that may be shared, slow, or full. */
#ifndef GOPROBE_BASE_WRITING_H
#define GOPROBE_BASE_WRITING_H

#include "base/buf.h"
#include "base/diag.h"

/* Until @fd takes more: who shares it may have switched blocking off. */
void writing_await(int fd);
/* What is in @b. 0, 1 if nobody reads that any more, or -1 with @d set. */
int writing_buf(int fd, const struct buf *b, struct diag *d);
/*
 * What is in @b, to standard output; then it is empty. 0, also if nobody reads that any more,
 * or -1 with @d set.
 */
int writing_print(struct buf *b, struct diag *d);
/* Close @fd. Some file systems report only now that a write failed. 0 or -errno. */
int writing_close(int fd);

#endif
