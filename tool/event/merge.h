/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The merge of the records of all CPUs by time. Pure: bytes in, records out.
 *
 * Records of one GOPROBE_A_CPU come in order and keep it. A record may be shown once it
 * is not younger than a pass's A_TIME (see GOPROBE_CMD_READ): then no record
 * that could have influenced it can still be on its way.
 */
#ifndef GOPROBE_EVENT_MERGE_H
#define GOPROBE_EVENT_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge;

struct merge *merge_new(void);
void merge_free(struct merge *m);

/*
 * Take over (by copy) whole records of one GOPROBE_A_CPU. Returns how many bytes at the
 * end were not understood and are dropped: 0 unless the kernel sent nonsense;
 * -1 if memory ran out.
 */
int64_t merge_add(struct merge *m, uint32_t cpu, const uint8_t *p, size_t len);

/*
 * The next record with time <= @until, in order of time; NULL if there is no such record
 * yet. It is 8-aligned and valid until the next merge_add().
 */
const uint8_t *merge_next(struct merge *m, uint64_t until, size_t *len);

/* Does merge_next() have one? */
bool merge_ready(const struct merge *m, uint64_t until);

/* Bytes held back. */
size_t merge_pending(const struct merge *m);

#endif
