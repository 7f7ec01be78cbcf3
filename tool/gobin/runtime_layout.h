/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout of the Go runtime's own structures, by version: maps, channels,
 * goroutines. Pure. A unit test compares the table with the debug information
 * of each toolchain at hand.
 */
#ifndef GOPROBE_GOBIN_RUNTIME_LAYOUT_H
#define GOPROBE_GOBIN_RUNTIME_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* runtime.hchan (src/runtime/chan.go): offsets. */
struct runtime_layout_chan {
	uint32_t qcount;	/* uint: elements in the buffer */
	uint32_t dataqsiz;	/* uint: its capacity */
	uint32_t buf;		/* pointer to dataqsiz elements */
	uint32_t closed;	/* uint32 */
	uint32_t timer;		/* pointer; 0: absent, before 1.23 */
	uint32_t sendx;		/* uint */
	uint32_t recvx;		/* uint: index of the oldest element */
	uint32_t recvq;		/* waitq {first, last *sudog} */
	uint32_t sendq;
	uint32_t size;		/* of what is needed: all of the above */
};

/* runtime.sudog: a waiting goroutine. */
struct runtime_layout_sudog {
	uint32_t g;
	uint32_t next;
	uint32_t size;		/* of what is needed */
};

/* runtime.hmap, up to 1.23 (src/runtime/map.go). */
struct runtime_layout_hmap {
	uint32_t count;		/* int */
	uint32_t flags;		/* uint8 */
	uint32_t b;		/* uint8, behind flags: log2 of the number of buckets */
	uint32_t buckets;
	uint32_t oldbuckets;
	uint32_t size;
};

/* internal/runtime/maps.Map and .table, since 1.24. */
struct runtime_layout_swiss {
	uint32_t used;		/* uint64 */
	uint32_t dir_ptr;	/* one group, or dir_len pointers to tables */
	uint32_t dir_len;	/* int; 0: dir_ptr is a group */
	uint32_t size;
	uint32_t table_groups;	/* pointer */
	uint32_t table_mask;	/* uint64: number of groups - 1 */
	uint32_t table_size;
};

/* internal/sync.entry and .indirect of any and any, since 1.24: the nodes of a sync.Map. */
struct runtime_layout_trie {
	uint32_t is_entry;	/* bool; of both: which of the two it is */
	uint32_t overflow;	/* pointer to an entry whose key has the same hash */
	uint32_t key;
	uint32_t value;
	uint32_t children;	/* pointers to nodes */
	uint32_t nchildren;
	uint32_t size;		/* of the larger one */
};

/* Fields of runtime.g that the module does not need (struct goprobe_runtime has the others). */
struct runtime_layout_g {
	uint32_t gopc;		/* behind the call of the go statement that made it */
	uint32_t parent;	/* id of the goroutine that did; 0: not kept (before 1.21) */
	uint32_t panic;		/* pointer to the _panic at work */
	/* SP of the frame that has recovered: one of the two, the other is 0. */
	uint32_t sigcode0;	/* to 1.21, in g */
	uint32_t panic_sp;	/* since 1.22, in _panic */
	uint32_t coroarg;	/* since 1.23: pointer to its coro, of which the other g is first */
	uint32_t status;	/* atomicstatus: 4 bytes */
	uint32_t reason;	/* waitreason: a byte */
	uint32_t since;		/* waitsince: int64, when the collector first saw it wait, or 0 */
	uint32_t sp;		/* of sched: where it goes on */
	uint32_t pc;
	uint32_t labels;	/* pointer to what runtime/pprof made of its labels */
};

struct runtime_layout {
	int minor;
	struct runtime_layout_g g;
	struct runtime_layout_chan chan;
	struct runtime_layout_sudog sudog;
	struct runtime_layout_hmap hmap;	/* minor <= 23 */
	struct runtime_layout_swiss swiss;	/* minor >= 24 */
	struct runtime_layout_trie trie;	/* minor >= 24 */
};

/**
 * runtime_layout_get() - layouts of Go 1.@minor
 *
 * Return: never NULL: versions that are too new get the newest known.
 */
const struct runtime_layout *runtime_layout_get(int minor);

/*
 * runtime/map.go: a map with this bit in hmap.flags grows into as many buckets as it has. The
 * kernel looks at it, too: GOPROBE_COUNT_FLAG_FULL.
 */
#define RUNTIME_LAYOUT_SAME_SIZE_GROW	8
/* Hash bytes of buckets: below it the slot is free, or its entry has moved to the new buckets. */
#define RUNTIME_LAYOUT_TOPHASH_TAKEN	5
/* Control bytes of groups (internal/runtime/maps): empty and deleted slots have this bit. */
#define RUNTIME_LAYOUT_CONTROL_FREE	0x80

/*
 * How many buckets the map has that it grows out of; @p: the bytes of its header,
 * whose B is below 64. Half as many as it has now, but as many if overflow buckets
 * are all that it is to get rid of.
 */
uint64_t runtime_layout_oldbuckets(const struct runtime_layout_hmap *l, const uint8_t *p);

#endif
