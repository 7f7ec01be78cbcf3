/* SPDX-License-Identifier: GPL-2.0 */
/* Table of counts, times and values by key: values of the program, or stacks. */
#ifndef GP_KEYS_H
#define GP_KEYS_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <goprobe.h>

struct gp_tally;
struct gp_value;

/* See struct goprobe_limits. */
#define GP_KEYS_MAX		(256U << 10)
#define GP_KEY_BYTES_MAX	768U

#define GP_KEY_WORDS	(GP_KEY_BYTES_MAX / 8)

/**
 * struct gp_key - a key under construction
 * @n: number of words so far
 * @space: capacity in words
 * @bucket: of @value, or U32_MAX: the value decides
 * @value: the hit's value, if its filter makes one
 * @word: the words
 */
struct gp_key {
	u32 n;
	u32 space;
	u32 bucket;
	u64 value;
	u64 word[GP_KEY_WORDS];
};

struct gp_keys;

struct gp_keys *gp_keys_new(u32 n, u32 bytes);
void gp_keys_free(struct gp_keys *keys);
u32 gp_keys_words(const struct gp_keys *keys);
int gp_keys_add_times(struct gp_keys *keys, u32 nstates);
u32 gp_keys_find(struct gp_keys *keys, u32 id, const struct gp_key *key);
void gp_keys_hit(struct gp_keys *keys, u32 number);
void gp_keys_value(struct gp_keys *keys, u32 number, struct gp_value v);
const u64 *gp_keys_read(const struct gp_keys *keys, u32 number, struct goprobe_key_stats *ret,
			u64 bucket[GOPROBE_BUCKETS]);
void gp_keys_split(struct gp_keys *keys, u32 number, u32 n, const u64 *ns);
void gp_keys_read_states(const struct gp_keys *keys, u32 number, u64 *ns);
u32 gp_keys_number(const struct gp_keys *keys);

#endif
