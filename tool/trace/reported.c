// SPDX-License-Identifier: GPL-2.0
/* Open calls that were reported: each is reported once while it is open. */
#include <stdbool.h>

#include "trace/reported.h"

/* A call that is not found in this many passes has ended. */
#define LOOKS_OVER 4
/* Calls that are remembered at least. */
#define LEAST 16

/* A call that has been shown. */
struct reported_call {
	uint64_t latest;		/* it was made then or before */
	uint64_t look;			/* the last look that found it open */
	uint64_t key;			/* of who made it */
	struct reported_call *next;	/* another one */
};

static struct reported_call *remember(struct reported *s, const struct reported_call *call)
{
	struct reported_call *copy = arena_alloc(&s->mem, sizeof(*copy));

	if (!copy || hmap_put(&s->calls, call->key, copy))
		return NULL;
	*copy = *call;
	copy->next = s->all;
	s->all = copy;
	return copy;
}

int reported_add(struct reported *s, const struct goprobe_open_call *o, uint64_t asked,
		 uint64_t since)
{
	const uint64_t who[] = { (uint64_t)o->id << 32 | o->tgid, o->goid, o->g, o->depth };
	uint64_t key = hmap_hash(0, who, sizeof(who));
	struct reported_call *call = hmap_get(&s->calls, key);
	/*
	 * Another call of the same goroutine was made when that one had ended. When it was made
	 * is known if the report is immediate, and as well as the processor's counter, which
	 * ages are of, agrees with the clock, which NTP makes up to 0.05 % faster; if it may be
	 * the same, it is.
	 */
	uint64_t earliest = asked > o->age ? asked - o->age : 0;
	bool known = call && earliest <= call->latest + o->age / 1000;

	if (!call)
		call = remember(s, &(struct reported_call){ .key = key });
	if (!call)
		return -1;
	call->look = s->looks;
	if (!known || since < call->latest)
		call->latest = since;
	return !known;
}

int reported_looked(struct reported *s, uint64_t n)
{
	struct reported left = { .looks = s->looks + 1 };
	uint64_t look = s->looks++;
	int err = 0;

	if (s->calls.n < 2 * n + LEAST)
		return 0;
	for (const struct reported_call *call = s->all; call && !err; call = call->next)
		if (call->look + LOOKS_OVER >= look && !remember(&left, call))
			err = -1;
	reported_fini(s);
	*s = left;
	return err;
}

void reported_fini(struct reported *s)
{
	hmap_fini(&s->calls);
	arena_fini(&s->mem);
	s->all = NULL;
}
