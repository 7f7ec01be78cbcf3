// SPDX-License-Identifier: GPL-2.0
/* Any bytes for a recording: its head, its entries, and the records in them. */
#include "fuzz.h"

#include "event/merge.h"
#include "recording/format.h"

/* An entry without its last bytes, however few, is not an entry. */
static void check_cut(const uint8_t *data, size_t n)
{
	struct recording_entry e;
	const char *why;
	uint8_t *part = malloc(n);

	if (!part)
		abort();
	memcpy(part, data, n - 1);
	FUZZ_HOLDS(recording_parse(part, n - 1, &e, &why) == 0);
	free(part);
}

static void take(struct merge *m, const struct recording_entry *e)
{
	const uint8_t *p;
	size_t len;

	if (e->kind == RECORDING_RECORDS) {
		int64_t dropped = merge_add(m, e->cpu % 8, e->p, e->size);

		FUZZ_HOLDS(dropped >= 0 && (size_t)dropped <= e->size);
	} else if (e->kind == RECORDING_PASS) {
		struct recording_pass pass;

		FUZZ_HOLDS(e->size == sizeof(pass));
		memcpy(&pass, e->p, sizeof(pass));
		while ((p = merge_next(m, pass.time, &len)))
			FUZZ_HOLDS(len >= sizeof(struct goprobe_record));
	} else if (e->kind == RECORDING_END || e->kind == RECORDING_END_4) {
		struct recording_summary sum;

		recording_summary(e, &sum);
		for (size_t i = 0; i < __GOPROBE_STAT_MAX; i++)
			FUZZ_HOLDS(!(sum.unknown >> i & 1) || !sum.stats[i]);
	}
}

int fuzz_recording(const uint8_t *data, size_t size)
{
	struct merge *m = merge_new();
	struct recording_entry e;
	const char *why = NULL;
	unsigned int cuts = 0;
	int64_t n;

	if (!m)
		abort();
	/* The entries are looked at whatever the head says: that would be a short day. */
	if (recording_check_head(data, size) && size < sizeof(struct recording_head))
		size = 0;
	if (size) {
		data += sizeof(struct recording_head);
		size -= sizeof(struct recording_head);
	}
	while ((n = recording_parse(data, size, &e, &why)) > 0) {
		FUZZ_HOLDS((size_t)n <= size && n % 8 == 0);
		FUZZ_HOLDS(e.kind > RECORDING_UNSPEC && e.kind < __RECORDING_MAX);
		FUZZ_HOLDS(e.p == data + sizeof(struct recording_mark));
		FUZZ_HOLDS(e.size <= (size_t)n - sizeof(struct recording_mark));
		if (cuts++ < 16)
			check_cut(data, n);
		take(m, &e);
		data += n;
		size -= n;
	}
	FUZZ_HOLDS(!n == !why);
	merge_free(m);
	return 0;
}
