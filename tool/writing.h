/* SPDX-License-Identifier: GPL-2.0 */
/* Writing to what may be shared, slow, or full. */
#ifndef GOPROBE_WRITING_H
#define GOPROBE_WRITING_H

#include <stddef.h>

/* Until @fd takes more: who shares it may have switched blocking off. */
void writing_await(int fd);
/* All of it, however long it takes. 0 or -errno. */
int writing_all(int fd, const void *p, size_t n);
/* Some file systems tell only now that what was written is not there. 0 or -errno. */
int writing_close(int fd);

#endif
