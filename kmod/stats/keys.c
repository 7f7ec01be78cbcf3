// SPDX-License-Identifier: GPL-2.0
/*
 * Table of counts and times by key.
 *
 * A hash table that never grows. The client sets the number of different keys: a hit allocates
 * nothing, and a key that does not fit is counted. A key is in the slot of its hash, or up to
 * GP_KEYS_STEPS behind it. Keys are never removed, so a caller may keep a key's number.
 *
 * Locking: none. A hit claims an empty slot with one instruction, writes the key with preemption
 * off, and publishes it. Other hits that need the slot meanwhile wait for that long. Each number
 * is changed with one instruction, by all CPUs alike: there are too many keys for per-CPU numbers.
 */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gfp.h"
#include "stats/keys.h"
#include "stats/tally.h"

#define GP_KEYS_STEPS	64

#define GP_KEYS_GFP	(GP_GFP_CHARGED | __GFP_ZERO)

/* States of a slot; any other number is the hash of its key. */
#define GP_KEYS_EMPTY	0
#define GP_KEYS_CLAIMED	1

/**
 * struct gp_keys_times - durations of the calls, or values of the hits, with one key
 * @sum: of them
 * @min: as complement, so that 0 means none
 * @max: the largest
 * @bucket: how many
 */
struct gp_keys_times {
	atomic64_t sum;
	atomic64_t min;
	atomic64_t max;
	atomic64_t bucket[GOPROBE_BUCKETS];
};

/**
 * struct gp_keys_place - a slot of the table
 * @state: see GP_KEYS_EMPTY
 * @hits: counted
 * @id: of the points
 * @n: words of the key
 * @word: the key
 */
struct gp_keys_place {
	u64 state;
	atomic64_t hits;
	u32 id;
	u32 n;
	u64 word[];
};

/**
 * struct gp_keys - the table
 * @shift: converts a hash to a slot
 * @n: number of slots
 * @words: of the longest key
 * @places: slots, each with space for the longest key
 * @times: by slot; NULL: nothing is timed or has values
 * @nstates: the session's states
 * @states: ns by state of timed calls, by slot; NULL: no states
 * @left: keys that may still be added. In a cache line of its own: hits with a new key write it,
 *	all hits read the rest
 */
struct gp_keys {
	u32 shift;
	u32 n;
	u32 words;
	u8 *places;
	struct gp_keys_times *times;
	u32 nstates;
	atomic64_t *states;
	atomic_t left ____cacheline_aligned_in_smp;
};

static struct gp_keys_place *gp_keys_at(const struct gp_keys *keys, u32 place)
{
	return (void *)(keys->places +
			(size_t)place * (sizeof(struct gp_keys_place) + keys->words * 8));
}

/**
 * gp_keys_new() - allocate a table of keys
 * @n: capacity in keys
 * @bytes: of the longest key
 *
 * The memory is charged to the caller's memory cgroup. Context: may sleep.
 *
 * Return: the table, or NULL if there is no memory.
 */
struct gp_keys *gp_keys_new(u32 n, u32 bytes)
{
	struct gp_keys *keys = kzalloc(sizeof(*keys), GP_KEYS_GFP);
	u32 home = roundup_pow_of_two(n) * 2;

	if (!keys)
		return NULL;
	keys->shift = 64 - ilog2(home);
	keys->n = home + GP_KEYS_STEPS;
	keys->words = DIV_ROUND_UP(bytes, 8);
	atomic_set(&keys->left, n);
	keys->places = kvmalloc_array(keys->n,
				      sizeof(struct gp_keys_place) + keys->words * 8,
				      GP_KEYS_GFP);
	if (!keys->places) {
		kfree(keys);
		return NULL;
	}
	return keys;
}

/*
 * Allocate durations, also by state if @nstates is not 0. Context: before the first handler that
 * times.
 */
int gp_keys_add_times(struct gp_keys *keys, u32 nstates)
{
	if (!keys->times)
		keys->times = kvmalloc_array(keys->n, sizeof(*keys->times), GP_KEYS_GFP);
	if (nstates && !keys->states)
		keys->states = kvmalloc_array(keys->n, nstates * sizeof(*keys->states),
					      GP_KEYS_GFP);
	if (!keys->times || (nstates && !keys->states))
		return -ENOMEM;
	keys->nstates = nstates;
	return 0;
}

/* Context: no handler can run for the session. */
void gp_keys_free(struct gp_keys *keys)
{
	if (!keys)
		return;
	kvfree(keys->states);
	kvfree(keys->times);
	kvfree(keys->places);
	kfree(keys);
}

/* Maximum number of words of a key. */
u32 gp_keys_words(const struct gp_keys *keys)
{
	return keys->words;
}

/* Number of slots, used or not. */
u32 gp_keys_number(const struct gp_keys *keys)
{
	return keys->n;
}

static u64 gp_keys_hash(u32 id, const struct gp_key *key)
{
	u64 hash = id;
	u32 i;

	for (i = 0; i < key->n; i++)
		hash = (hash << 23 | hash >> 41) * GOLDEN_RATIO_64 ^ key->word[i];
	hash *= GOLDEN_RATIO_64;
	return hash <= GP_KEYS_CLAIMED ? hash + 2 : hash;
}

static bool gp_keys_is(const struct gp_keys_place *place, u32 id, const struct gp_key *key)
{
	return place->id == id && place->n == key->n &&
	       !memcmp(place->word, key->word, key->n * 8);
}

/* Once the table is full, it stays so. Slots that are read next are read after this. */
static bool gp_keys_is_full(const struct gp_keys *keys)
{
	return !atomic_read_acquire(&keys->left);
}

/*
 * Claim an empty slot. A hit counts its key only when it has a slot for it, so the table has space
 * until the last key is there or claimed. Return: false if another hit claimed the slot, or the
 * table is full.
 */
static bool gp_keys_claim(struct gp_keys *keys, struct gp_keys_place *place, u64 hash, u32 id,
			  const struct gp_key *key)
{
	bool ours = false;

	preempt_disable();
	if (cmpxchg(&place->state, GP_KEYS_EMPTY, GP_KEYS_CLAIMED) != GP_KEYS_EMPTY)
		goto out;
	ours = atomic_dec_if_positive(&keys->left) >= 0;
	if (ours) {
		place->id = id;
		place->n = key->n;
		memcpy(place->word, key->word, key->n * 8);
	}
	/* Readers of the hash see the key. */
	smp_store_release(&place->state, ours ? hash : GP_KEYS_EMPTY);
out:
	preempt_enable();
	return ours;
}

/* A slot's state, once it is not claimed. */
static u64 gp_keys_state(const struct gp_keys_place *place)
{
	u64 state;

	/* Read before the key. */
	while ((state = smp_load_acquire(&place->state)) == GP_KEYS_CLAIMED)
		cpu_relax();
	return state;
}

/**
 * gp_keys_find() - find a key, or add it
 * @keys: the session's
 * @id: of the points
 * @key: the key
 *
 * Context: a handler.
 *
 * Return: its number, from 1; 0: the table is full.
 */
u32 gp_keys_find(struct gp_keys *keys, u32 id, const struct gp_key *key)
{
	u64 hash = gp_keys_hash(id, key), state;
	u32 at = hash >> keys->shift, end = at + GP_KEYS_STEPS;

	while (at < end) {
		struct gp_keys_place *place = gp_keys_at(keys, at);

		state = gp_keys_state(place);
		if (state == hash && gp_keys_is(place, id, key))
			return at + 1;
		if (state != GP_KEYS_EMPTY) {
			at++;
			continue;
		}
		/* The last key may just have been put here: perhaps the same key. */
		if (gp_keys_is_full(keys) && gp_keys_state(place) == GP_KEYS_EMPTY)
			return 0;
		if (gp_keys_claim(keys, place, hash, id, key))
			return at + 1;
	}
	return 0;
}

void gp_keys_hit(struct gp_keys *keys, u32 number)
{
	atomic64_inc(&gp_keys_at(keys, number - 1)->hits);
}

static void gp_keys_raise(atomic64_t *to, u64 value)
{
	s64 was = atomic64_read(to);

	while ((u64)was < value && !atomic64_try_cmpxchg(to, &was, value))
		;
}

/* Count a call with that key by its duration, or a hit by its value. */
void gp_keys_value(struct gp_keys *keys, u32 number, struct gp_value v)
{
	struct gp_keys_times *times = &keys->times[number - 1];

	atomic64_inc(&times->bucket[v.bucket]);
	atomic64_add(v.n, &times->sum);
	gp_keys_raise(&times->min, ~v.rank);
	gp_keys_raise(&times->max, v.rank);
}

/* Count a call with that key that spent @ns in each of @n states. */
void gp_keys_split(struct gp_keys *keys, u32 number, u32 n, const u64 *ns)
{
	atomic64_t *states = keys->states + (size_t)(number - 1) * keys->nstates;
	u32 i;

	for (i = 0; i < n; i++)
		atomic64_add(ns[i], &states[i]);
}

/* For a key that gp_keys_read() has found. */
void gp_keys_read_states(const struct gp_keys *keys, u32 number, u64 *ns)
{
	const atomic64_t *states = keys->states + (size_t)(number - 1) * keys->nstates;
	u32 i;

	for (i = 0; i < keys->nstates; i++)
		ns[i] = atomic64_read(&states[i]);
}

static void gp_keys_read_times(const struct gp_keys_times *times, struct goprobe_tally *ret,
			       u64 bucket[GOPROBE_BUCKETS])
{
	u32 last = GOPROBE_BUCKETS, i;

	for (i = 0; i < GOPROBE_BUCKETS; i++)
		bucket[i] = atomic64_read(&times->bucket[i]);
	while (last && !bucket[last - 1])
		last--;
	while (ret->first < last && !bucket[ret->first])
		ret->first++;
	ret->nbuckets = last - ret->first;
	for (i = ret->first; i < last; i++)
		ret->calls += bucket[i];
	ret->sum = atomic64_read(&times->sum);
	ret->min = ~atomic64_read(&times->min);
	ret->max = atomic64_read(&times->max);
}

/**
 * gp_keys_read() - read a key and its numbers
 * @keys: the session's
 * @number: of the slot, from 1
 * @ret: set to the numbers, in the protocol's form
 * @bucket: set to the buckets; @ret names those in use
 *
 * Return: the key; NULL: the slot is empty.
 */
const u64 *gp_keys_read(const struct gp_keys *keys, u32 number, struct goprobe_key_stats *ret,
			u64 bucket[GOPROBE_BUCKETS])
{
	const struct gp_keys_place *place = gp_keys_at(keys, number - 1);

	if (gp_keys_state(place) == GP_KEYS_EMPTY)
		return NULL;
	memset(ret, 0, sizeof(*ret));
	ret->tally.id = place->id;
	ret->tally.hits = atomic64_read(&place->hits);
	ret->key_bytes = place->n * 8;
	if (keys->times)
		gp_keys_read_times(&keys->times[number - 1], &ret->tally, bucket);
	if (keys->states)
		ret->tally.nstates = keys->nstates;
	return place->word;
}
