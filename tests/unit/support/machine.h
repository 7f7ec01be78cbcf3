/* SPDX-License-Identifier: GPL-2.0 */
/* A traced thread that tests make up, on which the programs of plans are run. */
#ifndef GOPROBE_TEST_MACHINE_H
#define GOPROBE_TEST_MACHINE_H

#include "lang/expr_parse.h"
#include "plan/plan.h"

#define MACHINE_REGS 33
/* Of a list, of an edit, and what is hidden behind them. */
#define MACHINE_ITEMS (EXPR_LIST_MAX * 2)

struct machine_word {
	uint64_t at;
	uint64_t value;
};

/* The target of an edit: DWARF number of a register, or address. */
struct machine_edit {
	uint8_t code;
	uint64_t to;
	uint64_t value;
	uint32_t size;
};

/**
 * struct machine - a traced thread
 * @regs: by DWARF number; what is not set is odd, so that its use shows
 * @sp: at function entry
 * @words: memory: nothing else is readable
 * @nwords: their number
 * @fill: not 0: everything else is readable as well, and made of this number
 * @frame: what a record would hold
 * @failed: status of the item that failed
 * @may_end: what fails in no item ends the program, as the module has it; else it fails the test
 * @task: by enum goprobe_task
 * @duration: of the call, ns
 * @number: how often the filter evaluated its number
 * @counter: and to its other one
 * @taken: hits that reached a quota; and one of a period
 * @root: enum goprobe_root
 * @muted: what was rejected is to be remembered
 * @key: what the filter has made
 * @nkey: its words
 * @value: the value that it has made
 * @is_signed: ... with a sign
 * @bucket: ... and its bucket; GOPROBE_BUCKETS: none
 * @edits: what an edit has set or written
 * @nedits: their number
 * @delay: ns
 * @under: bit @i: a call of the function with id i is open
 * @member: bit @i: goroutine i is in the set
 */
struct machine {
	uint64_t regs[MACHINE_REGS];
	uint64_t sp;
	struct machine_word words[192];
	size_t nwords;
	uint64_t fill;
	uint8_t frame[PLAN_FRAME_MAX];
	int failed[MACHINE_ITEMS];
	bool may_end;
	uint64_t task[__GOPROBE_TASK_MAX];
	uint64_t duration;
	uint64_t number;
	uint64_t counter;
	uint64_t taken[2];
	uint64_t root;
	bool muted;
	uint64_t under;
	uint64_t member;
	uint64_t key[96];
	size_t nkey;
	uint64_t value;
	bool is_signed;
	uint64_t bucket;
	struct machine_edit edits[32];
	size_t nedits;
	uint64_t delay;
};

/*
 * Begin: "ax=1 bx=20000 @20010=7 goid=5 took=3e8"; all numbers are hexadecimal. What is no
 * register: goid, tid, pid, g (address of runtime.g), took (the duration), n (hits so far),
 * under, root, member.
 */
void machine_set(struct machine *m, const char *setup);
/* One more word of memory. */
void machine_put(struct machine *m, uint64_t at, uint64_t value);
/* Fill the frame as @c says; fails the test where the module would refuse @c. */
void machine_run(struct machine *m, const struct plan_capture *c);

enum machine_verdict {
	MACHINE_PASSES, MACHINE_REJECTED, MACHINE_UNDECIDED, MACHINE_LIMITED, MACHINE_SAMPLED,
};

/* Run a filter; fails the test where the module would refuse it. */
enum machine_verdict machine_filter(struct machine *m, const struct goprobe_op *ops, size_t n);

#endif
