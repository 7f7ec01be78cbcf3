// SPDX-License-Identifier: GPL-2.0
/* The ring of records of one session on one CPU: memory, losses, reading. */
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

/* A message refers to what is contiguous at once: larger is cheaper to read. */
#define GP_RING_ORDER	3

/*
 * The first @n of the ring's pages, whole blocks. Not __free_pages(): a message may still refer to
 * one, and older kernels look at it once more when they have given up their own reference; if the
 * message goes just then, they free parts of it that are free already.
 */
static void gp_ring_free_pages(struct gp_ring *ring, u32 n)
{
	u32 i;

	for (i = 0; i < n; i += 1U << ring->order)
		put_page(ring->pages[i]);
}

/* Return: whether there were @n pages in blocks of @order. */
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
 * @cpu: whose it will be; decides the memory's node
 *
 * The memory is charged to the caller's control group.
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
 * gp_ring_free() - free a ring that nobody writes or reads any more
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
 * @ring: the ring; the caller is its producer, or none can run any more
 * @to: where to
 * @space: bytes there
 * @time: what they are stamped with
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
 * gp_ring_report_losses() - put pending losses into the stream, where they fell
 * @ring: the ring; the caller is its producer
 * @clock: of the session's records
 *
 * Return: false if there is no room for it yet.
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
 * gp_ring_settle() - wait until a record that is being written is there
 * @ring: the ring; the caller is its consumer, and has read the clock before
 *
 * The producer has preemption off and a bounded number of bytes to copy, so the
 * wait is short; it is not shortened by making the producer wait for anything.
 * Context: may sleep.
 */
void gp_ring_settle(const struct gp_ring *ring)
{
	/* The clock was read before; pairs with gp_ring_open(). */
	smp_mb();
	/* The head is read after it is seen as closed. */
	while (smp_load_acquire(&ring->open)) {
		cpu_relax();
		cond_resched();
	}
}

/* Bytes from the first that has not been handed out that one message can refer to. */
u32 gp_ring_lendable(const struct gp_ring *ring)
{
	unsigned long block = PAGE_SIZE << ring->order;

	if (ring->lent)
		return 0;
	return min_t(unsigned long, ring->size / 4,
		     MAX_SKB_FRAGS * block - (ring->handed_out & (block - 1)));
}

/**
 * gp_ring_lend() - have a message go on with the next records, where they are
 * @ring: the ring; nothing of it is lent
 * @skb: the message, all of it linear
 * @size: bytes of the records, gp_ring_lendable() at most
 *
 * The message's truesize stays that of its own memory: what it refers to is the ring's, and paid
 * for by whoever made that. If it counted against the reader's receive buffer, one message could
 * be more than such a buffer has, and the next GOPROBE_CMD_READY would give the reader ENOBUFS.
 * Who taps netlink holds no more of it than one message of each ring, as nothing else is lent
 * meanwhile.
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
 * gp_ring_take_back() - see if what was lent has been read
 * @ring: the ring
 *
 * As long as a message is not read, or a tap on netlink keeps it, what it refers to and all that
 * comes after stays taken. All of it is looked at: a tap that wants less of each message gives
 * back the end of its own, and keeps the beginning.
 *
 * Return: whether there is more room than before.
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
	/* Whoever has read them has done so before the pages were given back. */
	smp_mb();
	gp_ring_free_read(ring);
	return true;
}
