/* SPDX-License-Identifier: GPL-2.0 */
/* Entries of maps and elements of channels, as far as a record has them. Pure. */
#ifndef GOPROBE_VALUE_MAP_H
#define GOPROBE_VALUE_MAP_H

#include "value/decode.h"

/*
 * The entries of the map of type @t whose bytes are at @p (not nil); NULL without
 * memory. Give it back with value_map_put().
 */
struct value_entries *value_map_get(struct value_ctx *v, const struct gotype *t,
				    const uint8_t *p);
/*
 * The entries of the sync.Map whose bytes are at @p, as those of a map of type value_sync_map_type;
 * NULL without memory, and if it is not as it has been since Go 1.24. Their number is not kept:
 * @len is UINT64_MAX unless all are there.
 */
struct value_entries *value_map_get_sync(struct value_ctx *v, const struct gotype *t,
					 const uint8_t *p);
extern const struct gotype value_sync_map_type;
void value_map_put(struct value_ctx *v, struct value_entries *e);
/* Is the value of the entry redacted, because of its key? @t: of the map. */
bool value_redacts_entry(struct value_ctx *v, const struct gotype *t, const struct value_entry *e);
/* In the order of their keys, so that the same map always reads the same. */
void value_map_sort(struct value_ctx *v, const struct gotype *t, struct value_entries *e);

/* A channel. */
struct value_chan {
	uint64_t len;	/* elements in its buffer */
	uint64_t cap;	/* capacity of its buffer */
	/* elements that are available, from the one that will be received next on */
	uint64_t have;
	bool closed;	/* it is closed */
	unsigned int receivers;	/* goroutines that wait to receive */
	unsigned int senders;	/* goroutines that wait to send */
	bool more_receivers;	/* there are more than that */
	bool more_senders;	/* there are more than that */
	const char *unavailable;	/* why nothing is known, or NULL */
	/* For value_chan_element(). */
	const uint8_t *data;
	uint64_t first;
	uint64_t slots;
};

/* The channel of type @t whose bytes are at @p (not nil). */
void value_chan(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		struct value_chan *ret);
/* Bytes of element @i < c->have. */
const uint8_t *value_chan_element(const struct value_chan *c, const struct gotype *t, uint64_t i);

#endif
