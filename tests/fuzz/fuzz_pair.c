// SPDX-License-Identifier: GPL-2.0
/* Calls and returns in any order, from any goroutine, at any depth. */
#include "fuzz.h"

#include <string.h>

#include "event/pair.h"

#define LIMIT 32

/* A call that has ended: what is said of it can be read. */
static void ended(const struct pair_call *c)
{
	FUZZ_HOLDS(!c->panic || (c->end == CALLEND_PANIC && !strcmp(c->panic, "panic")));
}

int fuzz_pair(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	struct pair *p = pair_new(LIMIT);
	uint64_t time = 0, calls = 0, over = 0;

	if (!p)
		abort();
	while (feed.n) {
		uint8_t kind = feed_u8(&feed), where = feed_u8(&feed);
		struct goprobe_record h = {
			.kind = kind % 3 ? kind % 3 == 1 ? GOPROBE_RECORD_CALL :
				GOPROBE_RECORD_RETURN : GOPROBE_RECORD_TAIL,
			.flags = kind >> 4, .id = where & 3, .tgid = where >> 2 & 1,
			.tid = where >> 3 & 3, .goid = where >> 5,
			.depth = feed_u8(&feed), .time = ++time,
		};
		struct pair_call c;

		if (kind == 0xff) {
			pair_losses(p, feed_u8(&feed));
			continue;
		}
		if ((kind & 0xfc) == 0xf8) {
			enum callend end = kind & 1 ? CALLEND_PANIC : CALLEND_GOEXIT;

			for (; pair_abandon(p, &h, h.depth, end, &c); over++)
				ended(&c);
			continue;
		}
		for (; pair_unwind(p, &h, &c); over++)
			ended(&c);
		if ((kind & 0xfc) == 0xf4) {
			pair_panic(p, &h, kind & 1 ? strdup("panic") : NULL);
			continue;
		}
		if (h.kind == GOPROBE_RECORD_CALL) {
			FUZZ_HOLDS(pair_enter(p, &h));
			calls++;
		} else if (pair_leave(p, &h, &c)) {
			over++;
			FUZZ_HOLDS(c.id == h.id && c.time < h.time);
		}
		FUZZ_HOLDS(pair_open(p) <= LIMIT);
		/* No call is lost or ends twice. */
		FUZZ_HOLDS(calls == over + pair_open(p) + pair_evicted(p));
	}
	pair_free(p);
	return 0;
}
