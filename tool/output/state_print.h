/* SPDX-License-Identifier: GPL-2.0 */
/* Times of calls by the states of their goroutines, as text and as JSON. */
#ifndef GOPROBE_OUTPUT_STATE_PRINT_H
#define GOPROBE_OUTPUT_STATE_PRINT_H

#include "base/buf.h"
#include "gobin/sched_state.h"

/* "chan 80.1 % 8.01ms, running 19.9 % 1.99ms": most first; what is 0 is left out. */
void state_print_text(const uint64_t ns[__GOSTATES_MAX], struct buf *b);
/* The member "split":{"running_ns":1990000,...}: all of them. */
void state_print_json(const uint64_t ns[__GOSTATES_MAX], struct buf *b);

#endif
