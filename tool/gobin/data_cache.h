/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small reads of a file's data at link-time addresses, through a cache of a
 * fixed size: tables that are walked by pointer need not be in memory.
 */
#ifndef GOPROBE_GOBIN_DATA_CACHE_H
#define GOPROBE_GOBIN_DATA_CACHE_H

#include "elf/elffile.h"

struct datawin;

struct datawin *datawin_new(const struct elffile *ef);
void datawin_free(struct datawin *w);

/* Exactly @len bytes at link-time address @vaddr; 0, or -1. */
int datawin_read(struct datawin *w, uint64_t vaddr, void *buf, size_t len);

#endif
