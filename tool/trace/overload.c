// SPDX-License-Identifier: GPL-2.0
/* The limit of the programs' time that tracing may take. */
#include "base/json.h"
#include <libgoprobe.h>

#include "trace/overload.h"

struct goprobe_breaker overload_breaker(uint64_t max_load, uint64_t hit_ns,
					unsigned int processors)
{
	struct goprobe_breaker b = { .percent = (uint32_t)max_load };

	if (max_load == GOPROBE_LOAD_ANY || !hit_ns)
		return (struct goprobe_breaker){ 0 };
	if (!b.percent)
		b.percent = OVERLOAD_DEFAULT * (processors ? processors : 1);
	b.hit_ns = hit_ns < UINT32_MAX ? (uint32_t)hit_ns : UINT32_MAX;
	return b;
}

uint64_t overload_percent(const struct goprobe_breaker *b, uint64_t hits)
{
	return (uint64_t)((double)hits * b->hit_ns / 1e7 + 0.5);
}

void overload_say(const struct goprobe_breaker *b, uint64_t hits, struct buf *to)
{
	uint64_t percent = overload_percent(b, hits);

	buf_str(to, "ended by --max-load: ");
	buf_u64(to, hits);
	buf_str(to, " hits a second ");
	/* If not by their number, it is by the programs' system time: see the uapi header. */
	if (percent > b->percent) {
		buf_str(to, "take ");
		buf_u64(to, percent);
		buf_str(to, " % of a processor's time, more than ");
	} else {
		buf_str(to, "wait for each other: the programs spend more of a processor's time in the kernel than ");
	}
	buf_u64(to, b->percent);
	buf_str(to, " %; the breakpoints were removed and the program goes on; trace functions that are called less often, or allow more");
}

void overload_json(const struct goprobe_breaker *b, uint64_t hits, struct buf *to)
{
	struct buf text = { 0 };

	overload_say(b, hits, &text);
	buf_char(&text, 0);
	json_line(to, "broken");
	json_u64(to, "hits_per_second", hits);
	json_u64(to, "percent", overload_percent(b, hits));
	json_u64(to, "max_percent", b->percent);
	json_u64(to, "hit_ns", b->hit_ns);
	json_str(to, "text", text.failed ? "" : text.p);
	json_end_line(to);
	buf_fini(&text);
}
