// SPDX-License-Identifier: GPL-2.0
/* Records of several processors in one order of time; any bytes for records. */
#include "fuzz.h"

#include "event/merge.h"
#include "event/record.h"

static void take(struct merge *m, uint64_t until)
{
	const uint8_t *p;
	size_t len;

	while ((p = merge_next(m, until, &len))) {
		uint64_t time;
		size_t size;

		FUZZ_HOLDS((uintptr_t)p % 8 == 0);
		FUZZ_HOLDS(record_peek(p, len, &size, &time) && size == len);
		FUZZ_HOLDS(time <= until);
	}
}

int fuzz_merge(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	struct merge *m = merge_new();
	uint64_t until = 0;

	if (!m)
		abort();
	while (feed.n) {
		uint32_t cpu = feed_u8(&feed) % 24;
		size_t len;
		uint8_t *p = feed_copy(&feed, feed_u16(&feed), &len);
		int64_t dropped = merge_add(m, cpu, p, len);

		free(p);
		FUZZ_HOLDS(dropped >= 0 && (size_t)dropped <= len);
		until += feed_u8(&feed);
		take(m, until);
	}
	take(m, UINT64_MAX);
	FUZZ_HOLDS(!merge_pending(m));
	merge_free(m);
	return 0;
}
