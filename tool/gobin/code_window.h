/* SPDX-License-Identifier: GPL-2.0 */
/* A window onto a file's code, so that not all of it has to be in memory. */
#ifndef GOPROBE_GOBIN_CODE_WINDOW_H
#define GOPROBE_GOBIN_CODE_WINDOW_H

#include "elf/elffile.h"

struct code_window;

struct code_window *code_window_new(const struct elffile *ef);
void code_window_free(struct code_window *w);

/*
 * Bytes of code at link-time address @vaddr; NULL unless all @len are in an
 * executable segment. Good until the next call.
 */
const uint8_t *code_window_get(struct code_window *w, uint64_t vaddr, size_t len);

#endif
