/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ring of records of one session on one CPU.
 *
 * One producer: a handler with preemption off on the ring's CPU; of a ring for notes the holder of
 * their lock. Handlers run in task context only, so they cannot nest. One consumer at a time: it
 * holds the session's read lock. Positions only grow. The data is mapped twice in a row, so that
 * each record is contiguous, and is written and read in place.
 *
 * A record is stamped between gp_ring_open() and gp_ring_close(). So after gp_ring_settle() has
 * returned, each record with a stamp from before the call is either committed or never will be.
 *
 * The consumer hands records out as copies or lends them: a message then refers to the ring's
 * pages. The pages are free again when nobody refers to them any more, which gp_ring_take_back()
 * detects. Until then nothing else is lent, and nothing behind these pages is free. At most a
 * quarter of the ring is lent, so that handlers have space while a message is on its way.
 *
 * Ordering: a reader of the new head sees all that precedes gp_ring_commit() (release/acquire).
 * The consumer has read the records before the producer sees their space as free (release of
 * tail/acquire in gp_ring_space()).
 */
#ifndef GP_RING_H
#define GP_RING_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <goprobe.h>

struct gp_clock;
struct page;
struct sk_buff;

#define GP_RING_MIN	SZ_64K
#define GP_RING_MAX	SZ_64M
#define GP_RING_DEFAULT	SZ_1M

/**
 * struct gp_ring - one CPU's ring
 * @data: @size bytes, mapped twice in a row
 * @size: a power of two
 * @cpu: the producing CPU
 * @number: for readers: @cpu; of a ring for records of notes nr_cpu_ids more
 * @open: a record is being written; only the producer uses it
 * @head: bytes ever committed; written by the producer
 * @pending: losses by cause that have no record in the ring yet; only the producer uses it
 * @stat: counters, enum goprobe_stat; written by the producer, read by anyone
 * @pages: the pages that @data maps
 * @order: log2 of the pages of a contiguous block
 * @tail: bytes ever consumed; written by the consumer
 * @quarter: @tail plus a quarter of the ring: the reader is notified at once when the head
 *	reaches it; written by the consumer
 * @handed_out: bytes ever handed out, more than @tail while pages are lent; only the consumer uses
 *	it
 * @lent: first lent block in @pages, or NULL; only the consumer uses it
 * @nlent: ... number of lent blocks
 */
struct gp_ring {
	u8 *data;
	u32 size;
	u32 cpu;
	u32 number;
	bool open;
	unsigned long head;
	u64 pending[__GOPROBE_LOST_MAX];
	u64 stat[__GOPROBE_STAT_MAX];
	struct page **pages;
	u32 order;
	unsigned long tail ____cacheline_aligned_in_smp;
	unsigned long quarter;
	unsigned long handed_out;
	struct page **lent;
	u32 nlent;
};

struct gp_ring *gp_ring_new(u32 size, u32 cpu);
void gp_ring_free(struct gp_ring *ring);
bool gp_ring_report_losses(struct gp_ring *ring, const struct gp_clock *clock);
u32 gp_ring_put_losses(struct gp_ring *ring, void *to, u32 space, u64 time);

static inline u32 gp_ring_used(const struct gp_ring *ring)
{
	/* The consumer has read the records before their space is used again. */
	return ring->head - smp_load_acquire(&ring->tail);
}

/* Whether a quarter is full. For the producer, which may see a new tail late. */
static inline bool gp_ring_is_quarter_full(const struct gp_ring *ring)
{
	return (long)(ring->head - READ_ONCE(ring->quarter)) >= 0;
}

static inline u32 gp_ring_space(const struct gp_ring *ring)
{
	return ring->size - gp_ring_used(ring);
}

/* The caller is about to stamp a record. Pairs with gp_ring_settle(). */
static inline void gp_ring_open(struct gp_ring *ring)
{
	WRITE_ONCE(ring->open, true);
	/* The ring is seen as open before the clock is read. */
	smp_mb();
}

static inline void gp_ring_close(struct gp_ring *ring)
{
	/* The new head is seen before the ring is seen as closed. */
	smp_store_release(&ring->open, false);
}

/* Start of the next record; valid for gp_ring_space() bytes. */
static inline u8 *gp_ring_next(const struct gp_ring *ring)
{
	return ring->data + (ring->head & (ring->size - 1));
}

static inline void gp_ring_commit(struct gp_ring *ring, unsigned long size)
{
	/* The record is seen before the head. */
	smp_store_release(&ring->head, ring->head + size);
}

/* Count a record that could not be written. */
static inline void gp_ring_lose(struct gp_ring *ring,
				enum goprobe_lost_cause cause,
				enum goprobe_stat stat)
{
	ring->pending[cause]++;
	ring->stat[stat]++;
}

static inline bool gp_ring_has_losses(const struct gp_ring *ring)
{
	return ring->pending[GOPROBE_LOST_RING_FULL];
}

/* For the consumer: the end of the committed records, as a position. */
static inline unsigned long gp_ring_end(const struct gp_ring *ring)
{
	/* The records are read after the head. */
	return smp_load_acquire(&ring->head);
}

void gp_ring_settle(const struct gp_ring *ring);

/* Bytes that have not been handed out yet. */
static inline u32 gp_ring_unread(const struct gp_ring *ring)
{
	return gp_ring_end(ring) - ring->handed_out;
}

/* The first record that has not been handed out; the consumer may change it. */
static inline u8 *gp_ring_first(const struct gp_ring *ring)
{
	return ring->data + (ring->handed_out & (ring->size - 1));
}

/* Free what has been handed out, except lent pages and everything behind them. */
static inline bool gp_ring_free_read(struct gp_ring *ring)
{
	if (unlikely(ring->lent))
		return false;
	/* The records have been read before the producer sees the space. */
	smp_store_release(&ring->tail, ring->handed_out);
	WRITE_ONCE(ring->quarter, ring->handed_out + ring->size / 4);
	return true;
}

/* Return: whether there is more space. */
static inline bool gp_ring_consume(struct gp_ring *ring, u32 size)
{
	ring->handed_out += size;
	return gp_ring_free_read(ring);
}

u32 gp_ring_lendable(const struct gp_ring *ring);
void gp_ring_lend(struct gp_ring *ring, struct sk_buff *skb, u32 size);
bool gp_ring_take_back(struct gp_ring *ring);

#endif
