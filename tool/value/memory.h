/* SPDX-License-Identifier: GPL-2.0 */
/* A record's chunks as memory: the bytes at an address. Pure. */
#ifndef GOPROBE_VALUE_MEMORY_H
#define GOPROBE_VALUE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/record.h"

/* A chunk, in the order of addresses. */
struct value_span {
	uint64_t address;	/* where it begins */
	uint64_t end;		/* where the chunk @far ends */
	uint16_t chunk;		/* its index in the record */
	uint16_t far;		/* index of the chunk that, of this one and all before, ends last */
};

_Static_assert(RECORD_CHUNKS_MAX <= UINT16_MAX, "struct value_span counts chunks in 16 bits");

/* A record's chunks. */
struct value_mem {
	const struct record *rec;	/* the record */
	bool indexed;	/* it has been made */
	bool ordered;	/* their bytes are one after the other, as records have them */
	size_t nspans;	/* its length */
	/* An index of them; made when it is first needed. */
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
