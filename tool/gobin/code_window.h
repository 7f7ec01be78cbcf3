/* SPDX-License-Identifier: GPL-2.0 */
/* A window onto a file's code, so that not all of it has to be in memory. */
#ifndef GOPROBE_GOBIN_CODE_WINDOW_H
#define GOPROBE_GOBIN_CODE_WINDOW_H

#include "elf/elffile.h"

struct codewin;

struct codewin *codewin_new(const struct elffile *ef);
void codewin_free(struct codewin *w);

/*
 * Bytes of code at link-time address @vaddr; NULL unless all @len are in an
 * executable segment. Good until the next call.
 */
const uint8_t *codewin_get(struct codewin *w, uint64_t vaddr, size_t len);

#endif
