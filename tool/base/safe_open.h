/* SPDX-License-Identifier: GPL-2.0 */
/* Opening files that somebody else has named, or put there. */
#ifndef GOPROBE_BASE_SAFE_OPEN_H
#define GOPROBE_BASE_SAFE_OPEN_H

/*
 * A descriptor to read the file at @path, if it is a regular one of a file system that holds
 * files: nothing else is opened, whoever changes meanwhile what is at @path. Else -1, and errno:
 * EISDIR for a directory, EINVAL for what is no such file.
 */
int regular_open(const char *path);

#endif
