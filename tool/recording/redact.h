/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values under redacted keys of maps, contexts and attributes: cleared in records on their way
 * into a recording. The module does not know keys, so it has copied these values. Pure.
 */
#ifndef GOPROBE_RECORDING_REDACT_H
#define GOPROBE_RECORDING_REDACT_H

#include "event/record.h"
#include "plan/plan.h"

/* What clears values. */
struct redactor {
	const struct plan *plan;		/* what the records are of; it can grow */
	size_t seen;				/* types of the plan that were looked at */
	size_t funcs;				/* functions of the plan that were looked at */
	/* One of them has a map whose keys can be strings, or a struct secret_pair. */
	bool keys;
	struct record rec;			/* the record at hand */
	uint8_t *at[RECORD_CHUNKS_MAX];		/* its chunks, where they can be changed */
	/* Of each chunk: it is cleared, or is going to be. */
	bool cleared[RECORD_CHUNKS_MAX];
	uint16_t todo[RECORD_CHUNKS_MAX];	/* chunks that are going to be cleared */
	size_t ntodo;				/* their number */
};

/*
 * Clear what is redacted in the @len bytes of records of @plan at @p: bytes of strings become "*",
 * all others 0. Records that can't be decoded stay as they are.
 */
void redact_records(struct redactor *r, const struct plan *plan, uint8_t *p, size_t len);

#endif
