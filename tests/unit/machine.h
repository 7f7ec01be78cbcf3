/* SPDX-License-Identifier: GPL-2.0 */
/* A traced thread that tests make up, on which the programs of plans are run. */
#ifndef GOPROBE_TEST_MACHINE_H
#define GOPROBE_TEST_MACHINE_H

#include "expr.h"
#include "plan.h"

#define MACHINE_REGS 33

struct machine_word {
	uint64_t at;
	uint64_t value;
};

/**
 * struct machine - a traced thread
 * @regs: by DWARF number; what is not set is odd, so that its use shows
 * @sp: at function entry
 * @words: memory: nothing else is readable
 * @nwords: their number
 * @frame: what a record would hold
 * @failed: status of the item that failed
 */
struct machine {
	uint64_t regs[MACHINE_REGS];
	uint64_t sp;
	struct machine_word words[32];
	size_t nwords;
	uint8_t frame[PLAN_FRAME_MAX];
	int failed[EXPR_LIST_MAX];
};

/* Begin: "ax=1 bx=20000 @20010=7 sp=8000"; all numbers are hexadecimal. */
void machine_set(struct machine *m, const char *setup);
/* One more word of memory. */
void machine_put(struct machine *m, uint64_t at, uint64_t value);
/* Fill the frame as @c says; fails the test where the module would refuse @c. */
void machine_run(struct machine *m, const struct plan_capture *c);

#endif
