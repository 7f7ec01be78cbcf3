/* SPDX-License-Identifier: GPL-2.0 */
/* What a goroutine of a running process does, by its runtime.g, while it runs. */
#ifndef GOPROBE_GOSTATE_H
#define GOPROBE_GOSTATE_H

#include "procmem.h"

/* Functions of a stack. */
#define GOSTATE_FRAMES 64

/**
 * struct gostate - what it does
 * @status: "waiting", or NULL: it can't be told
 * @reason: what it waits for, "chan receive"; "" if that is not known
 * @pcs: link-time addresses where its functions go on, innermost first
 * @npcs: their number; 0 if it is running: nothing tells where
 * @cut: there are more
 */
struct gostate {
	const char *status;
	char reason[64];
	uint64_t pcs[GOSTATE_FRAMES];
	size_t npcs;
	bool cut;
};

/* The goroutine whose runtime.g is at @g, of @bin. */
void gostate_read(const struct procmem *m, struct gobin *bin, uint64_t g, struct gostate *ret);

#endif
