/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small reads of a file's data at link-time addresses, through a cache of a
 * fixed size: tables that are walked by pointer need not be in memory.
 */
#ifndef GOPROBE_GOBIN_DATA_CACHE_H
#define GOPROBE_GOBIN_DATA_CACHE_H

#include "elf/elffile.h"

struct data_cache;

struct data_cache *data_cache_new(const struct elffile *ef);
void data_cache_free(struct data_cache *w);

/* Exactly @len bytes at link-time address @vaddr; 0, or -1. */
int data_cache_read(struct data_cache *w, uint64_t vaddr, void *buf, size_t len);

#endif
