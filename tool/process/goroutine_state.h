/* SPDX-License-Identifier: GPL-2.0 */
/* State of a goroutine of a running process, in words, and its stack. */
#ifndef GOPROBE_PROCESS_GOROUTINE_STATE_H
#define GOPROBE_PROCESS_GOROUTINE_STATE_H

#include "process/goroutine.h"

/* Functions of a stack. */
#define GOSTATE_FRAMES 64

/* What it does. */
struct gostate {
	const char *status;	/* "waiting", or NULL: unknown */
	char reason[64];	/* what it waits for, "chan receive"; "" if that is not known */
	/* Link-time addresses where its functions go on, innermost first. */
	uint64_t pcs[GOSTATE_FRAMES];
	size_t npcs;		/* their number; 0 if it is running: its place is unknown */
	bool cut;		/* there are more */
	/* Where the go statement that made it returns to, link-time; 0: nobody's. */
	uint64_t creator;
};

/* Its status in words, "waiting", or NULL: unknown. */
const char *gostate_status(const struct goroutine *gr);
/* What number @reason of goroutine.reason means, to @to, which has @size bytes; "": unknown. */
void gostate_reason(struct goreader *r, uint8_t reason, char *to, size_t size);
/* The one that has been read as @gr. */
void gostate_of(struct goreader *r, const struct goroutine *gr, struct gostate *ret);
/* The goroutine whose runtime.g is at @g. */
void gostate_read(struct goreader *r, uint64_t g, struct gostate *ret);

#endif
