/* SPDX-License-Identifier: GPL-2.0 */
/* A hash table from 64-bit keys to pointers. */
#ifndef GOPROBE_BASE_HMAP_H
#define GOPROBE_BASE_HMAP_H

#include <stddef.h>
#include <stdint.h>

struct hmap_slot;

/* Open addressing, linear probing. A zeroed map is empty and usable. Values are never NULL. */
struct hmap {
	struct hmap_slot *slots;	/* 2^n slots, or NULL */
	size_t cap;			/* their number */
	size_t n;			/* how many are taken */
};

void hmap_fini(struct hmap *m);

/* The value of @key, or NULL. */
void *hmap_get(const struct hmap *m, uint64_t key);
/* Set @key's value (not NULL). Returns 0, or -1 if there is no memory. */
int hmap_put(struct hmap *m, uint64_t key, void *value);

/* A hash of @len bytes, to be used as a key or to be mixed on from @seed. */
uint64_t hmap_hash(uint64_t seed, const void *data, size_t len);

#endif
