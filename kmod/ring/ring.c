// SPDX-License-Identifier: GPL-2.0
/* Ring of records of one session on one CPU: memory, losses, reading. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "gfp.h"
#include "ring/clock.h"
#include "ring/ring.h"

#define GP_RING_LOST_SIZE \
	(sizeof(struct goprobe_record) + sizeof(struct goprobe_lost))

/* Order of the blocks of pages: larger contiguous parts of a message are cheaper to read. */
#define GP_RING_ORDER	3

/*
 * Free the first @n of the ring's pages, whole blocks. This does not use __free_pages(): a message
 * may still refer to a block. Older kernels look at the block once more after they have released
 * their own reference. If the message goes away just then, they free parts of it twice.
 */
static void gp_ring_free_pages(struct gp_ring *ring, u32 n)
{
	u32 i;

	for (i = 0; i < n; i += 1U << ring->order)
		put_page(ring->pages[i]);
}

/* Allocate @n pages in blocks of @order. Return: success. */
static bool gp_ring_get_pages(struct gp_ring *ring, u32 n, u32 order)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN |
		    (order ? __GFP_COMP | __GFP_NORETRY : __GFP_RETRY_MAYFAIL);
	u32 each = 1U << order, i, k;
	struct page *block;

	ring->order = order;
	for (i = 0; i < n; i += each) {
		block = alloc_pages_node(cpu_to_node(ring->cpu), gfp, order);
		if (!block) {
			gp_ring_free_pages(ring, i);
			return false;
		}
		for (k = i; k < i + each; k++) {
			ring->pages[k] = block + (k - i);
			ring->pages[n + k] = ring->pages[k];
		}
	}
	return true;
}

/**
 * gp_ring_new() - make a ring
 * @size: bytes; a power of two, GP_RING_MIN to GP_RING_MAX
 * @cpu: the producing CPU; selects the memory's node
 *
 * The memory is charged to the caller's memory cgroup.
 *
 * Return: the ring, or NULL if there is no memory.
 */
struct gp_ring *gp_ring_new(u32 size, u32 cpu)
{
	u32 n = size >> PAGE_SHIFT;
	struct gp_ring *ring;

	ring = kzalloc_node(sizeof(*ring), GP_GFP_CHARGED, cpu_to_node(cpu));
	if (!ring)
		return NULL;
	ring->size = size;
	ring->quarter = size / 4;
	ring->cpu = cpu;
	ring->number = cpu;
	ring->pages = kvmalloc_array(2 * n, sizeof(*ring->pages), GP_GFP_CHARGED);
	if (!ring->pages)
		goto err_ring;
	if (!gp_ring_get_pages(ring, n, GP_RING_ORDER) && !gp_ring_get_pages(ring, n, 0))
		goto err_pages;
	ring->data = vmap(ring->pages, 2 * n, VM_MAP, PAGE_KERNEL);
	if (ring->data)
		return ring;
	gp_ring_free_pages(ring, n);
err_pages:
	kvfree(ring->pages);
err_ring:
	kfree(ring);
	return NULL;
}

/**
 * gp_ring_free() - free a ring that has no more producer or reader
 * @ring: the ring, or NULL
 */
void gp_ring_free(struct gp_ring *ring)
{
	if (!ring)
		return;
	vunmap(ring->data);
	gp_ring_free_pages(ring, ring->size >> PAGE_SHIFT);
	kvfree(ring->pages);
	kfree(ring);
}

/**
 * gp_ring_put_losses() - write a LOST record for each cause that has losses
 * @ring: the ring; the caller is its producer, or the producer cannot run any more
 * @to: destination
 * @space: bytes available at @to
 * @time: timestamp of the records
 *
 * A cause whose record does not fit keeps its losses.
 *
 * Return: bytes written.
 */
u32 gp_ring_put_losses(struct gp_ring *ring, void *to, u32 space, u64 time)
{
	struct goprobe_record *rec;
	struct goprobe_lost *lost;
	u32 cause, size = 0;

	for (cause = 1; cause < __GOPROBE_LOST_MAX; cause++) {
		if (!ring->pending[cause])
			continue;
		if (space - size < GP_RING_LOST_SIZE)
			break;
		rec = to + size;
		memset(rec, 0, sizeof(*rec));
		rec->words = GP_RING_LOST_SIZE / 8;
		rec->kind = GOPROBE_RECORD_LOST;
		rec->plan = GOPROBE_NO_PLAN;
		rec->time = time;
		lost = (void *)(rec + 1);
		lost->cpu = ring->cpu;
		lost->cause = cause;
		lost->count = ring->pending[cause];
		ring->pending[cause] = 0;
		size += GP_RING_LOST_SIZE;
	}
	return size;
}

/**
 * gp_ring_report_losses() - put pending losses into the stream, where they occurred
 * @ring: the ring; the caller is its producer
 * @clock: of the session's records
 *
 * Return: false if the ring has no space for them yet.
 */
bool gp_ring_report_losses(struct gp_ring *ring, const struct gp_clock *clock)
{
	u32 size;

	gp_ring_open(ring);
	size = gp_ring_put_losses(ring, gp_ring_next(ring), gp_ring_space(ring),
				  gp_clock_read(clock));
	gp_ring_commit(ring, size);
	gp_ring_close(ring);
	return !gp_ring_has_losses(ring);
}

/**
 * gp_ring_settle() - wait until the current record is complete
 * @ring: the ring; the caller is its consumer, and has read the clock before
 *
 * The producer has preemption off and copies a bounded number of bytes, so the wait is short. The
 * producer never waits for the consumer.
 * Context: may sleep.
 */
void gp_ring_settle(const struct gp_ring *ring)
{
	/* The clock was read before this point; pairs with gp_ring_open(). */
	smp_mb();
	/* The head is read after it is seen as closed. */
	while (smp_load_acquire(&ring->open)) {
		cpu_relax();
		cond_resched();
	}
}

/* Bytes to which one message can refer, from the first one that has not been handed out. */
u32 gp_ring_lendable(const struct gp_ring *ring)
{
	unsigned long block = PAGE_SIZE << ring->order;

	if (ring->lent)
		return 0;
	return min_t(unsigned long, ring->size / 4,
		     MAX_SKB_FRAGS * block - (ring->handed_out & (block - 1)));
}

/**
 * gp_ring_lend() - append the next records to a message, by reference
 * @ring: the ring; nothing of it is lent
 * @skb: the message, all of it linear
 * @size: bytes of the records, gp_ring_lendable() at most
 *
 * The message's truesize stays that of its own memory: the referenced pages are the ring's, whose
 * creator is charged for them. If the pages counted against the reader's receive buffer, one
 * message could exceed the buffer, and the next GOPROBE_CMD_READY would give the reader ENOBUFS.
 * A tap on netlink holds at most one message of each ring, because nothing else is lent meanwhile.
 */
void gp_ring_lend(struct gp_ring *ring, struct sk_buff *skb, u32 size)
{
	u32 block = PAGE_SIZE << ring->order, offset = ring->handed_out & (block - 1), part, i;
	unsigned long at = (ring->handed_out & (ring->size - 1)) - offset;
	struct page **page = ring->pages + (at >> PAGE_SHIFT);

	ring->lent = page;
	ring->handed_out += size;
	skb->len += size;
	skb->data_len += size;
	for (i = 0; size; i++, page += 1U << ring->order) {
		part = min(size, block - offset);
		get_page(*page);
		skb_fill_page_desc(skb, i, *page, offset, part);
		size -= part;
		offset = 0;
	}
	ring->nlent = i;
}

/**
 * gp_ring_take_back() - check whether the lent pages have been read
 * @ring: the ring
 *
 * While a message is unread, or a tap on netlink keeps it, its pages and everything behind them
 * stay in use. All blocks are checked: a tap that wants only the beginning of each message releases
 * the end of its copy and keeps the beginning.
 *
 * Return: whether the ring has more space than before.
 */
bool gp_ring_take_back(struct gp_ring *ring)
{
	u32 i;

	if (!ring->lent)
		return false;
	for (i = 0; i < ring->nlent; i++)
		if (page_count(ring->lent[i << ring->order]) > 1)
			return false;
	ring->lent = NULL;
	/* Readers have read the pages before they released them. */
	smp_mb();
	gp_ring_free_read(ring);
	return true;
}
