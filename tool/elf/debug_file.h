/* SPDX-License-Identifier: GPL-2.0 */
/* Separate files with the debug information of an ELF file. */
#ifndef GOPROBE_ELF_DEBUG_FILE_H
#define GOPROBE_ELF_DEBUG_FILE_H

#include <sys/types.h>

#include "elf/elffile.h"

/**
 * debugfile_open() - find and open the separate debug information of a file
 * @ef: the file
 * @path: its path; the folder is searched
 * @pid: a process that runs it, whose file system is searched before ours; 0: none
 *
 * Searched, in the order of gdb and perf: /usr/lib/debug/.build-id by the GNU build id; the name
 * in .gnu_debuglink beside @path, in .debug beside it, and below /usr/lib/debug. Last comes
 * libdebuginfod, if DEBUGINFOD_URLS is set and the library is installed: it may download the
 * file. A file counts if it has the same build id, or the checksum of .gnu_debuglink.
 *
 * Return: 0, and ef->debug and ef->debug_path are set, which elffile_fini() frees; or -1.
 */
int debugfile_open(struct elffile *ef, const char *path, pid_t pid);
/* The same, without libdebuginfod. */
int debugfile_open_local(struct elffile *ef, const char *path, pid_t pid);

#endif
