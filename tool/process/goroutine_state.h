/* SPDX-License-Identifier: GPL-2.0 */
/* State of a goroutine of a running process, in words, and its stack. */
#ifndef GOPROBE_PROCESS_GOROUTINE_STATE_H
#define GOPROBE_PROCESS_GOROUTINE_STATE_H

#include "process/goroutine.h"

/* Functions of a stack. */
#define GOROUTINE_STATE_FRAMES 64

/* What it does. */
struct goroutine_state {
	const char *status;	/* "waiting", or NULL: unknown */
	char reason[64];	/* what it waits for, "chan receive"; "" if that is not known */
	/* Link-time addresses where its functions go on, innermost first. */
	uint64_t pcs[GOROUTINE_STATE_FRAMES];
	size_t npcs;		/* their number; 0 if it is running: its place is unknown */
	bool cut;		/* there are more */
	/* Where the go statement that made it returns to, link-time; 0: nobody's. */
	uint64_t creator;
};

/* Its status in words, "waiting", or NULL: unknown. */
const char *goroutine_state_status(const struct goroutine *gr);
/* What number @reason of goroutine.reason means, to @to, which has @size bytes; "": unknown. */
void goroutine_state_reason(struct goroutine_reader *r, uint8_t reason, char *to, size_t size);
/* The one that has been read as @gr. */
void goroutine_state_of(struct goroutine_reader *r, const struct goroutine *gr,
			struct goroutine_state *ret);
/* The goroutine whose runtime.g is at @g. */
void goroutine_state_read(struct goroutine_reader *r, uint64_t g, struct goroutine_state *ret);

#endif
