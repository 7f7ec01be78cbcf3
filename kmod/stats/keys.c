// SPDX-License-Identifier: GPL-2.0
/*
 * What is counted and timed by key.
 *
 * A hash table that never grows, with room for as many different keys as the client has asked
 * for: a hit allocates nothing, and what finds no room is counted. A key is at the place
 * that its hash tells, or up to GP_KEYS_STEPS behind it. It is never taken out, so who has
 * found one may keep its number.
 *
 * Locking: none. Who comes to an empty place claims it with one instruction, writes the key
 * with preemption off, and publishes it; who wants that place meanwhile waits for that long.
 * Numbers are changed with one instruction each, by all CPUs alike: there are too many
 * keys for numbers of each CPU.
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

/* States of a place; any other number is the hash of the key that is there. */
#define GP_KEYS_EMPTY	0
#define GP_KEYS_CLAIMED	1

/**
 * struct gp_keys_times - how long calls with one key took
 * @sum: ns
 * @min: ns, its complement, so that 0 is none
 * @max: ns
 * @bucket: how many took how long
 */
struct gp_keys_times {
	atomic64_t sum;
	atomic64_t min;
	atomic64_t max;
	atomic64_t bucket[GOPROBE_BUCKETS];
};

/**
 * struct gp_keys_place - one place of the table
 * @state: see above
 * @hits: counted
 * @id: whose hits
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
 * @shift: of a hash to get a place
 * @n: number of places
 * @words: of the longest key
 * @places: each with room for such a key
 * @times: by place; NULL if nothing is timed
 * @nstates: the session's states
 * @states: ns by state of what is timed, by place; NULL if there are none
 * @left: keys that may still be added; written by each hit with a new key, while all hits read
 *	the rest: so it has a cache line of its own
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
 * gp_keys_new() - make room for keys
 * @n: how many
 * @bytes: of the longest
 *
 * The memory is charged to the caller's control group. Context: may sleep.
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
 * Make room for durations, and for how they divide among @nstates states. Context: before the
 * first handler that times.
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

/* No handler can run for the session. */
void gp_keys_free(struct gp_keys *keys)
{
	if (!keys)
		return;
	kvfree(keys->states);
	kvfree(keys->times);
	kvfree(keys->places);
	kfree(keys);
}

/* Words that a key may have. */
u32 gp_keys_words(const struct gp_keys *keys)
{
	return keys->words;
}

/* Places, used or not. */
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

/* Once no more keys may be added, that stays so. What is looked at next is seen after it. */
static bool gp_keys_is_full(const struct gp_keys *keys)
{
	return !atomic_read_acquire(&keys->left);
}

/*
 * Take an empty place. A key is counted only by who has a place for it: so there is room until
 * the last one is there, or claimed. Return: false if somebody else has taken it, or no more
 * keys are allowed.
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
	/* The key is seen by whoever sees its hash. */
	smp_store_release(&place->state, ours ? hash : GP_KEYS_EMPTY);
out:
	preempt_enable();
	return ours;
}

/* What is there, once it is known. */
static u64 gp_keys_state(const struct gp_keys_place *place)
{
	u64 state;

	/* Before the key is looked at. */
	while ((state = smp_load_acquire(&place->state)) == GP_KEYS_CLAIMED)
		cpu_relax();
	return state;
}

/**
 * gp_keys_find() - the number of a key, which is added if it is new
 * @keys: the session's
 * @id: whose hits
 * @key: the key
 *
 * Context: a handler.
 *
 * Return: its number, from 1, or 0: there is no room.
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
		/* The last one may just have been put here: perhaps the same key. */
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

/* A call with that key took so long. */
void gp_keys_return(struct gp_keys *keys, u32 number, u64 ns)
{
	struct gp_keys_times *times = &keys->times[number - 1];

	atomic64_inc(&times->bucket[gp_tally_bucket(ns)]);
	atomic64_add(ns, &times->sum);
	gp_keys_raise(&times->min, ~ns);
	gp_keys_raise(&times->max, ns);
}

/* A call with that key was so long in each of @n states. */
void gp_keys_split(struct gp_keys *keys, u32 number, u32 n, const u64 *ns)
{
	atomic64_t *states = keys->states + (size_t)(number - 1) * keys->nstates;
	u32 i;

	for (i = 0; i < n; i++)
		atomic64_add(ns[i], &states[i]);
}

/* Of a key that gp_keys_read() has found. */
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
 * gp_keys_read() - what is known of a key
 * @keys: the session's
 * @number: which place, from 1
 * @ret: gets it, ready for the wire
 * @bucket: gets the buckets; @ret says which of them matter
 *
 * Return: the key, or NULL if none is there.
 */
const u64 *gp_keys_read(const struct gp_keys *keys, u32 number, struct goprobe_keyed *ret,
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
