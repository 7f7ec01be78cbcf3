/* SPDX-License-Identifier: GPL-2.0 */
/* A hash table from 64-bit keys to pointers. */
#ifndef GOPROBE_BASE_HMAP_H
#define GOPROBE_BASE_HMAP_H

#include <stddef.h>
#include <stdint.h>

struct hmap_slot;

/**
 * struct hmap - open addressing, linear probing
 * @slots: 2^n slots, or NULL
 * @cap: their number
 * @n: how many are taken
 *
 * A zeroed map is empty and usable. Values are never NULL.
 */
struct hmap {
	struct hmap_slot *slots;
	size_t cap;
	size_t n;
};

void hmap_fini(struct hmap *m);

/* The value of @key, or NULL. */
void *hmap_get(const struct hmap *m, uint64_t key);
/* Set @key's value (not NULL). Returns 0, or -1 if there is no memory. */
int hmap_put(struct hmap *m, uint64_t key, void *value);

/* A hash of @len bytes, to be used as a key or to be mixed on from @seed. */
uint64_t hmap_hash(uint64_t seed, const void *data, size_t len);

#endif
