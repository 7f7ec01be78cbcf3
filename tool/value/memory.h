/* SPDX-License-Identifier: GPL-2.0 */
/* A record's chunks as memory: the bytes at an address. Pure. */
#ifndef GOPROBE_VALUE_MEMORY_H
#define GOPROBE_VALUE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/record.h"

/**
 * struct value_span - a chunk, in the order of addresses
 * @address: where it begins
 * @end: where the chunk @far ends
 * @chunk: its index in the record
 * @far: index of the chunk that, of this one and all before, ends last
 */
struct value_span {
	uint64_t address;
	uint64_t end;
	uint16_t chunk;
	uint16_t far;
};

_Static_assert(RECORD_CHUNKS_MAX <= UINT16_MAX, "struct value_span counts chunks in 16 bits");

/**
 * struct value_mem - a record's chunks
 * @rec: the record
 * @spans: an index of them; made when it is first needed
 * @nspans: its length
 * @indexed: it has been made
 * @ordered: their bytes are one after the other, as records have them
 */
struct value_mem {
	const struct record *rec;
	bool indexed;
	bool ordered;
	size_t nspans;
	struct value_span spans[RECORD_CHUNKS_MAX];
};

static inline void value_mem_start(struct value_mem *m, const struct record *rec)
{
	m->rec = rec;
	m->indexed = false;
}

/*
 * The bytes at @address, whatever they were captured as: of all chunks over it,
 * those of the one that goes on longest. *@have: how many; NULL if there are none.
 */
const uint8_t *value_mem_at(struct value_mem *m, uint64_t address, uint64_t *have);
/* Is there a chunk that begins at @address? *@why: what its status says, or NULL. */
bool value_mem_tried(struct value_mem *m, uint64_t address, const char **why);
/* The chunk that has the byte at @p, or NULL. */
const struct record_chunk *value_mem_holder(struct value_mem *m, const uint8_t *p);
/* Why the bytes at @address end too early; NULL: a limit, or an unknown reason. */
const char *value_mem_cut(struct value_mem *m, uint64_t address);
/* What a chunk's status says, or NULL. */
const char *value_mem_status(uint32_t status);

#endif
