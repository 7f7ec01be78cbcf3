/* SPDX-License-Identifier: GPL-2.0 */
/* Safe opening of files at untrusted paths. */
#ifndef GOPROBE_BASE_SAFE_OPEN_H
#define GOPROBE_BASE_SAFE_OPEN_H

/*
 * A descriptor to read the file at @path, if it is a regular file of a file system that holds
 * files. Nothing else is opened, even if somebody replaces the file meanwhile. Else -1, and errno:
 * EISDIR for a directory, EINVAL for anything else that is no such file.
 */
int safe_open(const char *path);

#endif
