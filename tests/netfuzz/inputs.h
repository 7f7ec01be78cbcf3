/* SPDX-License-Identifier: GPL-2.0 */
/* Inputs as files: those at work, in case the kernel ends; those of faults; and back again. */
#ifndef NETFUZZ_INPUTS_H
#define NETFUZZ_INPUTS_H

#include <stdbool.h>

#include "kept.h"

#define SOCKETS_MAX	16

/* Where they are left, which may be shared with the host; NULL: nowhere. */
void inputs_open(const char *dir, unsigned int sockets);
/* This thread, which is the socket's, goes to work on it; NULL: on none any more. */
void inputs_begin(unsigned int socket, const struct input *in);
/* A claim does not hold. Of no socket's thread: whatever is at work. */
void inputs_fault(void);
/* False: it can't be read. */
bool inputs_read(struct input *in, const char *path);

#endif
