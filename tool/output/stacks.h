/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks and what was counted of each, as places in code: equal ones are one. What shows
 * them (folded, pprof, stackshow) needs no more than this. Pure, but for symbols_at().
 *
 * A command that counts stacks opens its binaries, gives each a struct symbols, adds what
 * the kernel has counted, and shows the sum:
 *
 *	stacks_init(&s, &calls, 1);
 *	for each stack of the kernel:
 *		for each address: pcs[i] = { its file's symbols, address less load bias };
 *		stacks_add(&s, &sample);
 *	stacks_sort(&s);
 *	stackshow_text(&s, &how, &buf);    or stackshow_json(), folded_put(), pprof_put()
 *	stacks_fini(&s), then symbols_fini() of each file
 */
#ifndef GOPROBE_OUTPUT_STACKS_H
#define GOPROBE_OUTPUT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hmap.h"
#include "gobin/sched_state.h"
#include "gobin/symbolize.h"

/* What is counted of a stack at most. */
#define STACKS_VALUES 3U
/* What stands for the calls that are missing where a stack was cut. */
#define STACKS_CUT "[truncated]"
/* Behind this stands who has started a goroutine, as in Go's own tracebacks. */
#define STACKS_CREATED "created by "

/**
 * struct stacks_value - something that is counted
 * @key: in JSON: "count", "sum_ns"
 * @type: in profiles and text: "calls", "time"; a plural with an s, unless of time
 * @unit: in profiles: "count", "nanoseconds"
 *
 * Static strings.
 */
struct stacks_value {
	const char *key;
	const char *type;
	const char *unit;
};

/**
 * struct stacks_label - something else that is known of a stack
 * @key: "pid", "goid", "func"
 * @text: its text, or NULL: it is a number
 * @number: see @text
 * @unit: of @number ("nanoseconds"), or NULL
 */
struct stacks_label {
	const char *key;
	const char *text;
	int64_t number;
	const char *unit;
};

/**
 * struct stacks_pc - an address on a stack
 * @of: the places of its file; NULL: no file is known
 * @pc: link-time address; as it is if no file is known
 */
struct stacks_pc {
	struct symbols *of;
	uint64_t pc;
};

/**
 * struct stacks_sample - a stack that was counted
 * @pcs: its addresses, innermost first; all but the first are return addresses
 * @npcs: their number
 * @first_returns: the first is one, too
 * @cut: it was deeper than that
 * @creator: where the go statement that started its goroutine returns to; 0: not known
 * @values: what was counted, by struct stacks.types
 * @split: ns in each state (enum gostates), or NULL
 * @labels: what else is known, in an order that is always the same
 * @nlabels: their number
 *
 * Nothing of it is needed after stacks_add().
 */
struct stacks_sample {
	const struct stacks_pc *pcs;
	size_t npcs;
	bool first_returns;
	bool cut;
	struct stacks_pc creator;
	uint64_t values[STACKS_VALUES];
	const uint64_t *split;
	const struct stacks_label *labels;
	size_t nlabels;
};

/**
 * struct stack - stacks that are equal, and so are their labels
 * @places: innermost first; of those whose n is 0 nothing is shown
 * @n: their number
 * @cut: as in struct stacks_sample
 * @values: sums
 * @labels: as in struct stacks_sample
 * @nlabels: their number
 * @creator: the go statement that started its goroutine, or NULL
 * @is_split: how the time of its calls divides is known
 * @split: ns in each state (enum gostates)
 */
struct stack {
	const struct symbol **places;
	size_t n;
	bool cut;
	uint64_t values[STACKS_VALUES];
	const struct stacks_label *labels;
	size_t nlabels;
	const struct symbol *creator;
	bool is_split;
	uint64_t split[__GOSTATES_MAX];
};

/**
 * struct stacks - all of them
 * @types: what is counted
 * @ntypes: how many of them
 * @keyed: labels are parts of a key: their texts are what keyshow_part() appends
 * @by_address: stacks of different addresses are different ones, though they read the same
 * @v: the stacks
 * @n: their number
 *
 * The rest is for output/stacks.c.
 */
struct stacks {
	const struct stacks_value *types;
	size_t ntypes;
	bool keyed;
	bool by_address;
	struct stack **v;
	size_t n;

	size_t cap;
	const struct symbol **looked_up;
	size_t looked_up_cap;
	struct arena mem;
	struct hmap by_key;
	struct symbols nowhere;
};

/* @types, 1 to STACKS_VALUES of them, outlive @s. */
void stacks_init(struct stacks *s, const struct stacks_value *types, size_t ntypes);
void stacks_fini(struct stacks *s);

/*
 * Count @sample: the stack that it is one of, good until stacks_fini(); NULL without memory. The
 * symbols in @sample outlive @s.
 */
struct stack *stacks_count(struct stacks *s, const struct stacks_sample *sample);
/* The same. 0, or -1 without memory. */
int stacks_add(struct stacks *s, const struct stacks_sample *sample);

/*
 * Set all values to 0, before a caller whose samples are sums adds all of them again. Symbols that
 * were looked up stay, so memory does not grow with each round.
 */
void stacks_zero(struct stacks *s);

/* The largest first value comes first; of equals, the one that is first by its names. */
void stacks_sort(struct stacks *s);

/* A sum; at most UINT64_MAX. */
static inline uint64_t stacks_plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/*
 * The function that has the go statement, which may have been inlined where it is; only if there
 * is a creator.
 */
static inline const struct gobin_frame *stack_creator(const struct stack *k)
{
	return &k->creator->frames[0];
}

/* The sum of all values @which; at most UINT64_MAX. */
uint64_t stacks_sum(const struct stacks *s, size_t which);

/* Append the name of @f, a call at @place: what stands for it if it has none. */
void stacks_put_name(struct buf *b, const struct symbol *place, const struct gobin_frame *f);

#endif
