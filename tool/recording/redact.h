/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values under redacted keys of maps and contexts: cleared in records on their way into a
 * recording. The module does not know keys, so it has copied these values. Pure.
 */
#ifndef GOPROBE_RECORDING_REDACT_H
#define GOPROBE_RECORDING_REDACT_H

#include "event/record.h"
#include "plan/plan.h"

/**
 * struct redactor - what clears values
 * @plan: what the records are of; it can grow
 * @seen: types of the plan that were looked at
 * @keys: one of them is a map whose keys can be strings, or a context with a value
 * @rec: the record at hand
 * @at: its chunks, where they can be changed
 * @cleared: of each chunk: it is cleared, or is going to be
 * @todo: chunks that are going to be cleared
 * @ntodo: their number
 */
struct redactor {
	const struct plan *plan;
	size_t seen;
	bool keys;
	struct record rec;
	uint8_t *at[RECORD_CHUNKS_MAX];
	bool cleared[RECORD_CHUNKS_MAX];
	uint16_t todo[RECORD_CHUNKS_MAX];
	size_t ntodo;
};

/*
 * Clear what is redacted in the @len bytes of records of @plan at @p: bytes of strings become "*",
 * all others 0. Records that can't be decoded stay as they are.
 */
void redactor_records(struct redactor *r, const struct plan *plan, uint8_t *p, size_t len);

#endif
