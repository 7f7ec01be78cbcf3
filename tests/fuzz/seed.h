/* SPDX-License-Identifier: GPL-2.0 */
/* Making of seeds: seeds.c and what it calls. */
#ifndef GOPROBE_FUZZ_SEED_H
#define GOPROBE_FUZZ_SEED_H

#include <stddef.h>
#include <stdint.h>

struct synth_bytes;

/* One more seed of a fuzzer. */
void seed_save(const char *fuzzer, unsigned int number, const void *p, size_t n);

void seed_requests(void);
void seed_types(void);
void seed_dwarf(void);

/**
 * struct seed_tables - where debug information's tables are, in their sections
 * @line: a line table
 * @locations: lists of locations, of code from SEED_CODE on: registers, then the stack; pieces
 * @ranges: a list of ranges
 */
struct seed_tables {
	uint32_t line;
	uint32_t locations[2];
	uint32_t ranges;
};

/* Four functions of 16 bytes. */
#define SEED_CODE 0x401000

/* Make those of a version of DWARF; @sections: by enum in sections.h. */
void seed_tables(unsigned int version, struct synth_bytes *sections, struct seed_tables *ret);

#endif
