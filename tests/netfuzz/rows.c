// SPDX-License-Identifier: GPL-2.0
/* Parser of dumps that trusts nothing. */
#include <string.h>

#include "totals.h"

#define RECORD_MAX	(24U << 10)

/* Chunks behind a frame, to the end of the record. */
static const char *read_chunks(const uint8_t *at, const uint8_t *end)
{
	struct goprobe_chunk chunk;
	uint32_t padded;

	while (at < end) {
		if (end - at < (int)sizeof(chunk))
			return "a chunk's header is torn";
		memcpy(&chunk, at, sizeof(chunk));
		at += sizeof(chunk);
		padded = (chunk.size + 7U) & ~7U;
		if ((uint32_t)(end - at) < padded)
			return "a chunk is torn";
		if (chunk.status >= __GOPROBE_CHUNK_MAX)
			return "a chunk has an unknown status";
		if (chunk.type == GOPROBE_TYPE_MISSED && (chunk.size || !chunk.status))
			return "an item that failed has bytes, or has not failed";
		at += padded;
		atomic_fetch_add(&totals.chunks, 1);
	}
	return NULL;
}

static const char *read_body(const struct model *m, const struct goprobe_record *rec,
			     const uint8_t *at, const uint8_t *end)
{
	uint32_t frame;

	if (rec->flags & GOPROBE_RECORD_F_PENDING) {
		if (end - at < 8)
			return "a held record does not say how old it is";
		at += 8;
	}
	if (rec->flags & GOPROBE_RECORD_F_SPLIT) {
		if ((uint32_t)(end - at) < 8 * m->states)
			return "a record does not say how long the goroutine was in which state";
		at += 8 * m->states;
	}
	if (rec->plan == GOPROBE_NO_PLAN)
		return at == end ? NULL : "a record without a plan has something";
	atomic_fetch_add(&totals.programs, 1);
	if (m->blurred)
		return NULL;
	if (rec->plan >= m->nplans)
		return "a record has a plan that does not exist";
	frame = (m->type_size[m->plan_type[rec->plan]] + 7) & ~7U;
	if ((uint32_t)(end - at) < frame)
		return "a record has less than its frame";
	if (rec->words * 8U > m->plan_bytes[rec->plan] + 8 * (1 + m->states))
		return "a record is larger than its plan allows";
	return read_chunks(at + frame, end);
}

static const char *read_record(const struct model *m, const uint8_t *at, uint32_t len,
			       uint32_t *size)
{
	struct goprobe_record rec;

	if (len < sizeof(rec))
		return "a record's header is torn";
	memcpy(&rec, at, sizeof(rec));
	*size = rec.words * 8;
	if (*size < sizeof(rec) || *size > len || *size > RECORD_MAX)
		return "a record's size can't be";
	if (rec.kind == GOPROBE_RECORD_UNSPEC || rec.kind >= __GOPROBE_RECORD_MAX)
		return "a record has an unknown kind";
	atomic_fetch_add(&totals.records, 1);
	if (rec.kind == GOPROBE_RECORD_LOST)
		return *size == sizeof(rec) + sizeof(struct goprobe_lost) ? NULL :
		       "a record of losses has another size";
	return read_body(m, &rec, at + sizeof(rec), at + *size);
}

void rows_records(const struct model *m, const uint8_t *at, uint32_t len)
{
	const char *why = NULL;
	uint32_t size;

	for (; !why && len; at += size, len -= size) {
		why = read_record(m, at, len, &size);
		if (why) {
			totals_fault("%s", why);
			return;
		}
	}
}

void rows_tallies(const uint8_t *at, uint32_t len, bool keyed)
{
	struct goprobe_key_stats row = { 0 };
	uint32_t head = keyed ? sizeof(row) : sizeof(row.tally), size;

	for (; len; at += size, len -= size) {
		if (len < head) {
			totals_fault("a row of numbers is torn");
			return;
		}
		memcpy(&row, at, head);
		size = head + row.key_bytes + (row.tally.nbuckets + row.tally.nstates) * 8;
		if (row.tally.nstates > GOPROBE_STATES_MAX || row.key_bytes > 768 ||
		    row.key_bytes % 8 || size > len ||
		    row.tally.first + row.tally.nbuckets > GOPROBE_BUCKETS) {
			totals_fault("a row of numbers can't be");
			return;
		}
		atomic_fetch_add(&totals.tallies, 1);
	}
}

void rows_open(const struct model *m, const uint8_t *at, uint32_t len)
{
	struct goprobe_open_call row;
	const char *why = NULL;
	uint32_t size;

	for (; len; at += row.record_bytes, len -= row.record_bytes) {
		if (len < sizeof(row)) {
			totals_fault("a row of open calls is torn");
			return;
		}
		memcpy(&row, at, sizeof(row));
		at += sizeof(row);
		len -= sizeof(row);
		if (row.record_bytes)
			why = read_record(m, at, len, &size);
		if (why || (row.record_bytes && size != row.record_bytes)) {
			totals_fault("an open call: %s", why ?: "its record has another size");
			return;
		}
		atomic_fetch_add(&totals.open, 1);
	}
}
