/* SPDX-License-Identifier: GPL-2.0 */
/* Making of seeds: seeds.c and what it calls. */
#ifndef GOPROBE_FUZZ_SEED_H
#define GOPROBE_FUZZ_SEED_H

#include <stddef.h>

/* One more seed of a fuzzer. */
void seed_save(const char *fuzzer, unsigned int number, const void *p, size_t n);

void seed_types(void);
void seed_dwarf(void);

#endif
