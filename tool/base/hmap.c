// SPDX-License-Identifier: GPL-2.0
/* A hash table from 64-bit keys to pointers. */
#include <stdlib.h>
#include <string.h>

#include "base/hmap.h"

struct hmap_slot {
	uint64_t key;
	void *value;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9e3779b97f4a7c15ULL;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ULL;
	return x ^ (x >> 32);
}

static struct hmap_slot *slot_of(const struct hmap *m, uint64_t key)
{
	size_t i = mix(key) & (m->cap - 1);

	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

static int grow(struct hmap *m)
{
	struct hmap bigger = { .cap = m->cap ? m->cap * 2 : 64, .n = m->n };

	bigger.slots = calloc(bigger.cap, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -1;
	for (size_t i = 0; i < m->cap; i++) {
		if (m->slots[i].value)
			*slot_of(&bigger, m->slots[i].key) = m->slots[i];
	}
	free(m->slots);
	*m = bigger;
	return 0;
}

void hmap_fini(struct hmap *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}

void *hmap_get(const struct hmap *m, uint64_t key)
{
	return m->cap ? slot_of(m, key)->value : NULL;
}

int hmap_put(struct hmap *m, uint64_t key, void *value)
{
	struct hmap_slot *s;

	if (m->n * 4 >= m->cap * 3 && grow(m))
		return -1;
	s = slot_of(m, key);
	if (!s->value)
		m->n++;
	s->key = key;
	s->value = value;
	return 0;
}

uint64_t hmap_hash(uint64_t seed, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = mix(seed + len + 1);

	for (; len >= 8; len -= 8, p += 8) {
		uint64_t w;

		memcpy(&w, p, 8);
		h = mix(h ^ w);
	}
	for (; len; len--)
		h = (h ^ *p++) * 0x100000001b3ULL;
	return mix(h);
}
