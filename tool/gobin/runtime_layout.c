// SPDX-License-Identifier: GPL-2.0
/* Layout of the Go runtime's own structures. */
#include <limits.h>
#include <stddef.h>

#include "gobin/runtime_layout.h"

/* 1.23 put a pointer to a timer before elemtype. */
#define CHAN_22 { \
	.qcount = 0x00, .dataqsiz = 0x08, .buf = 0x10, .closed = 0x1c, \
	.sendx = 0x28, .recvx = 0x30, .recvq = 0x38, .sendq = 0x48, \
	.size = 0x58, \
}

#define CHAN_23 { \
	.qcount = 0x00, .dataqsiz = 0x08, .buf = 0x10, .closed = 0x1c, .timer = 0x20, \
	.sendx = 0x30, .recvx = 0x38, .recvq = 0x40, .sendq = 0x50, \
	.size = 0x60, \
}

/* 1.15 moved isSelect from between the two to the end. */
#define SUDOG_14 { .g = 0x00, .next = 0x10, .size = 0x18 }
#define SUDOG_15 { .g = 0x00, .next = 0x08, .size = 0x10 }

#define HMAP { \
	.count = 0x00, .flags = 0x08, .b = 0x09, .buckets = 0x10, \
	.oldbuckets = 0x18, .size = 0x20, \
}

#define SWISS { \
	.used = 0x00, .dir_ptr = 0x10, .dir_len = 0x18, .size = 0x20, \
	.table_groups = 0x10, .table_mask = 0x18, .table_size = 0x20, \
}

#define TRIE { \
	.is_entry = 0x00, .overflow = 0x08, .key = 0x10, .value = 0x20, \
	.children = 0x18, .nchildren = 16, .size = 0x98, \
}

/*
 * 1.17 measures how long goroutines wait; 1.21 keeps parents; see release_runtime(). What
 * goroutines do is 8 bytes before their id and 24 behind it, sched at 0x38.
 */
#define STATE_22 .status = 0x90, .since = 0xa8, .reason = 0xb0, .sp = 0x38, .pc = 0x40
#define STATE_24 .status = 0x98, .since = 0xb0, .reason = 0xb8, .sp = 0x38, .pc = 0x40
#define G_16 { .gopc = 0x118, .panic = 0x20, .sigcode0 = 0x100, \
	      .labels = 0x158, STATE_22 }
#define G_20 { .gopc = 0x128, .panic = 0x20, .sigcode0 = 0x110, \
	      .labels = 0x168, STATE_22 }
#define G_21 { .gopc = 0x118, .parent = 0x110, .panic = 0x20, .sigcode0 = 0xf8, \
	      .labels = 0x158, STATE_22 }
#define G_22 { .gopc = 0x118, .parent = 0x110, .panic = 0x20, .panic_sp = 0x30, \
	      .labels = 0x158, STATE_22 }
#define G_24 { .gopc = 0x120, .parent = 0x118, .panic = 0x20, .panic_sp = 0x30, \
	      .coroarg = 0x180, .labels = 0x160, STATE_24 }
#define G_25 { .gopc = 0x118, .parent = 0x110, .panic = 0x20, .panic_sp = 0x30, \
	      .coroarg = 0x178, .labels = 0x158, STATE_22 }
#define G_26 { .gopc = 0x120, .parent = 0x118, .panic = 0x20, .panic_sp = 0x28, \
	      .coroarg = 0x180, .labels = 0x160, STATE_22 }
#define G_27 { .gopc = 0x120, .parent = 0x118, .panic = 0x20, .panic_sp = 0x30, \
	      .coroarg = 0x180, .labels = 0x160, STATE_22 }

/* Up to and including @minor. 1.24 and 1.25 can be built with old maps. */
static const struct runtime_layout layouts[] = {
	{ .minor = 14, .g = G_16, .chan = CHAN_22, .sudog = SUDOG_14, .hmap = HMAP },
	{ .minor = 16, .g = G_16, .chan = CHAN_22, .sudog = SUDOG_15, .hmap = HMAP },
	{ .minor = 19, .g = G_20, .chan = CHAN_22, .sudog = SUDOG_15, .hmap = HMAP },
	{ .minor = 20, .g = G_20, .chan = CHAN_22, .sudog = SUDOG_15, .hmap = HMAP },
	{ .minor = 21, .g = G_21, .chan = CHAN_22, .sudog = SUDOG_15, .hmap = HMAP },
	{ .minor = 22, .g = G_22, .chan = CHAN_22, .sudog = SUDOG_15, .hmap = HMAP },
	{ .minor = 23, .g = G_24, .chan = CHAN_23, .sudog = SUDOG_15, .hmap = HMAP },
	{ .minor = 24, .g = G_24, .chan = CHAN_23, .sudog = SUDOG_15, .hmap = HMAP,
	  .swiss = SWISS, .trie = TRIE },
	{ .minor = 25, .g = G_25, .chan = CHAN_23, .sudog = SUDOG_15, .hmap = HMAP,
	  .swiss = SWISS, .trie = TRIE },
	{ .minor = 26, .g = G_26, .chan = CHAN_23, .sudog = SUDOG_15,
	  .swiss = SWISS, .trie = TRIE },
	{ .minor = INT_MAX, .g = G_27, .chan = CHAN_23, .sudog = SUDOG_15,
	  .swiss = SWISS, .trie = TRIE },
};

uint64_t runtime_layout_oldbuckets(const struct runtime_layout_hmap *l, const uint8_t *p)
{
	unsigned int b = p[l->b];

	if (b && !(p[l->flags] & RUNTIME_LAYOUT_SAME_SIZE_GROW))
		b--;
	return 1ULL << b;
}

const struct runtime_layout *runtime_layout_get(int minor)
{
	size_t i = 0;

	while (minor > layouts[i].minor)
		i++;
	return &layouts[i];
}
