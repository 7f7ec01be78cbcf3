// SPDX-License-Identifier: GPL-2.0
/*
 * Table of counts and times by key.
 *
 * A hash table that never grows. The client sets the number of different keys: a hit allocates
 * nothing, and a key that does not fit is counted. A key is in the slot of its hash, or up to
 * GP_KEYS_STEPS behind it. Keys are never removed, so a caller may keep a key's number.
 *
 * Locking: none. A hit claims an empty slot with one instruction, writes the key with preemption
 * off, and publishes it. Other hits that need the slot meanwhile wait for that long.
 *
 * Each CPU has numbers of its own for the first keys that it meets, which are those that are hit
 * often. Other keys' numbers are shared: CPUs change them with one instruction each. A reader adds
 * up both.
 */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gfp.h"
#include "stats/keys.h"
#include "stats/tally.h"

#define GP_KEYS_STEPS	64

/* Keys with numbers of each CPU's own: 256 bytes, and 32 KiB if keys are timed. */
#define GP_KEYS_OWN		16
#define GP_KEYS_OWN_STEPS	8

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
 * struct gp_keys_own - one CPU's share of the numbers of some keys
 * @number: the keys' numbers; 0: not used yet. Never changed again
 * @hits: counted, by key
 * @times: durations, by key; NULL: nothing is timed
 *
 * Written by that CPU only, with preemption off.
 */
struct gp_keys_own {
	u32 number[GP_KEYS_OWN];
	u64 hits[GP_KEYS_OWN];
	struct gp_keys_times *times;
} ____cacheline_aligned_in_smp;

/**
 * struct gp_keys_place - a slot of the table
 * @state: see GP_KEYS_EMPTY
 * @hits: counted, except by CPUs that have the key in @own
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
 * @own: each CPU's own numbers
 * @times: by slot, as @hits of a slot; NULL: nothing is timed or has values
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
	struct gp_keys_own __percpu *own;
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
	keys->own = alloc_percpu_gfp(struct gp_keys_own, GP_GFP_CHARGED);
	if (!keys->places || !keys->own) {
		gp_keys_free(keys);
		return NULL;
	}
	return keys;
}

static int gp_keys_add_own_times(struct gp_keys *keys)
{
	struct gp_keys_own *own;
	int cpu;

	for_each_possible_cpu(cpu) {
		own = per_cpu_ptr(keys->own, cpu);
		if (!own->times)
			own->times = kvmalloc_array(GP_KEYS_OWN, sizeof(*own->times), GP_KEYS_GFP);
		if (!own->times)
			return -ENOMEM;
	}
	return 0;
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
	if (!keys->times || (nstates && !keys->states) || gp_keys_add_own_times(keys))
		return -ENOMEM;
	keys->nstates = nstates;
	return 0;
}

/* Context: no handler can run for the session. */
void gp_keys_free(struct gp_keys *keys)
{
	int cpu;

	if (!keys)
		return;
	if (keys->own)
		for_each_possible_cpu(cpu)
			kvfree(per_cpu_ptr(keys->own, cpu)->times);
	free_percpu(keys->own);
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

/* Where a CPU's own numbers for a key are, or -1. */
static int gp_keys_own_find(const struct gp_keys_own *own, u32 number)
{
	u32 i, at;

	for (i = 0; i < GP_KEYS_OWN_STEPS; i++) {
		at = (number + i) % GP_KEYS_OWN;
		if (READ_ONCE(own->number[at]) == number)
			return at;
	}
	return -1;
}

/* As gp_keys_own_find(), of this CPU. A new key is added, if there is space. */
static int gp_keys_own_claim(struct gp_keys_own *own, u32 number)
{
	u32 i, at;

	for (i = 0; i < GP_KEYS_OWN_STEPS; i++) {
		at = (number + i) % GP_KEYS_OWN;
		if (!own->number[at])
			WRITE_ONCE(own->number[at], number);
		if (own->number[at] == number)
			return at;
	}
	return -1;
}

void gp_keys_hit(struct gp_keys *keys, u32 number)
{
	struct gp_keys_own *own = get_cpu_ptr(keys->own);
	int at = gp_keys_own_claim(own, number);

	if (at >= 0)
		WRITE_ONCE(own->hits[at], own->hits[at] + 1);
	else
		atomic64_inc(&gp_keys_at(keys, number - 1)->hits);
	put_cpu_ptr(keys->own);
}

static void gp_keys_raise(atomic64_t *to, u64 value)
{
	s64 was = atomic64_read(to);

	while ((u64)was < value && !atomic64_try_cmpxchg(to, &was, value))
		;
}

/* Add to a number that only this CPU writes. */
static void gp_keys_own_add(atomic64_t *to, u64 n)
{
	atomic64_set(to, atomic64_read(to) + n);
}

static void gp_keys_own_value(struct gp_keys_times *times, struct gp_value v)
{
	gp_keys_own_add(&times->bucket[v.bucket], 1);
	gp_keys_own_add(&times->sum, v.n);
	atomic64_set(&times->min, max_t(u64, atomic64_read(&times->min), ~v.rank));
	atomic64_set(&times->max, max_t(u64, atomic64_read(&times->max), v.rank));
}

static void gp_keys_shared_value(struct gp_keys_times *times, struct gp_value v)
{
	atomic64_inc(&times->bucket[v.bucket]);
	atomic64_add(v.n, &times->sum);
	gp_keys_raise(&times->min, ~v.rank);
	gp_keys_raise(&times->max, v.rank);
}

/* Count a call with that key by its duration, or a hit by its value. */
void gp_keys_value(struct gp_keys *keys, u32 number, struct gp_value v)
{
	struct gp_keys_own *own = get_cpu_ptr(keys->own);
	int at = gp_keys_own_claim(own, number);

	if (at >= 0)
		gp_keys_own_value(&own->times[at], v);
	else
		gp_keys_shared_value(&keys->times[number - 1], v);
	put_cpu_ptr(keys->own);
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

/* Add durations to @ret, whose minimum is a complement meanwhile, and @bucket. */
static void gp_keys_add_up(const struct gp_keys_times *times, struct goprobe_tally *ret,
			   u64 bucket[GOPROBE_BUCKETS])
{
	u32 i;

	for (i = 0; i < GOPROBE_BUCKETS; i++)
		bucket[i] += atomic64_read(&times->bucket[i]);
	ret->sum += atomic64_read(&times->sum);
	ret->min = max_t(u64, ret->min, atomic64_read(&times->min));
	ret->max = max_t(u64, ret->max, atomic64_read(&times->max));
}

static void gp_keys_read_times(const struct gp_keys *keys, u32 number, struct goprobe_tally *ret,
			       u64 bucket[GOPROBE_BUCKETS])
{
	u32 last = GOPROBE_BUCKETS, i;
	int cpu, at;

	memset(bucket, 0, GOPROBE_BUCKETS * sizeof(*bucket));
	gp_keys_add_up(&keys->times[number - 1], ret, bucket);
	for_each_possible_cpu(cpu) {
		at = gp_keys_own_find(per_cpu_ptr(keys->own, cpu), number);
		if (at >= 0)
			gp_keys_add_up(&per_cpu_ptr(keys->own, cpu)->times[at], ret, bucket);
	}
	ret->min = ~ret->min;
	while (last && !bucket[last - 1])
		last--;
	while (ret->first < last && !bucket[ret->first])
		ret->first++;
	ret->nbuckets = last - ret->first;
	for (i = ret->first; i < last; i++)
		ret->calls += bucket[i];
}

static u64 gp_keys_read_hits(const struct gp_keys *keys, u32 number)
{
	u64 hits = atomic64_read(&gp_keys_at(keys, number - 1)->hits);
	const struct gp_keys_own *own;
	int cpu, at;

	for_each_possible_cpu(cpu) {
		own = per_cpu_ptr(keys->own, cpu);
		at = gp_keys_own_find(own, number);
		if (at >= 0)
			hits += READ_ONCE(own->hits[at]);
	}
	return hits;
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
	ret->tally.hits = gp_keys_read_hits(keys, number);
	ret->key_bytes = place->n * 8;
	if (keys->times)
		gp_keys_read_times(keys, number, &ret->tally, bucket);
	if (keys->states)
		ret->tally.nstates = keys->nstates;
	return place->word;
}
