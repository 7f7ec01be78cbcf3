/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks and what was counted of each, as places in code: equal ones are one. What shows
 * them (folded.c, pprof.c, stack_print.c) needs no more than this. Pure, but for symbols_at().
 *
 * A command that counts stacks opens its binaries, gives each a struct symbols, adds what
 * the kernel has counted, and shows the sum:
 *
 *	stacks_init(&s, &calls, 1);
 *	for each stack of the kernel:
 *		for each address: pcs[i] = { its file's symbols, address less load bias };
 *		stacks_add(&s, &sample);
 *	stacks_sort(&s);
 *	stack_print_text(&s, &how, &buf);    or stack_print_json(), folded_put(), pprof_put()
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
#include "gobin/symbols.h"

/* What is counted of a stack at most. */
#define STACKS_VALUES 3U
/* What stands for the calls that are missing where a stack was cut. */
#define STACKS_CUT "[truncated]"
/* Behind this stands who has started a goroutine, as in Go's own tracebacks. */
#define STACKS_CREATED "created by "

/* Something that is counted. */
enum stacks_value {
	STACKS_CALLS,
	STACKS_GOROUTINES,
	STACKS_GROWN,	/* how many more of these there are than at first */
	STACKS_TIME,	/* ns of calls */
	STACKS_WAIT,	/* ns of their waits */
	STACKS_SUM,	/* of an expression's values: stacks.summed */
	__STACKS_MAX
};

/* What it is called. */
struct stacks_words {
	const char *key;	/* in JSON: "count", "sum_ns" */
	/* In profiles and text: "calls", "time"; a plural with an s, unless of time or a sum. */
	const char *type;
	const char *unit;	/* in profiles: "count", "nanoseconds" */
	bool is_time;		/* ns */
};

/* Something else that is known of a stack. */
struct stacks_label {
	const char *key;	/* "pid", "goid", "func" */
	const char *text;	/* its text, or NULL: it is a number */
	int64_t number;		/* see @text */
	const char *unit;	/* of @number ("nanoseconds"), or NULL */
};

/* An address on a stack. */
struct stacks_pc {
	struct symbols *of;	/* the places of its file; NULL: no file is known */
	uint64_t pc;		/* link-time address; as it is if no file is known */
};

/* A stack that was counted. Nothing of it is needed after stacks_add(). */
struct stacks_sample {
	/* Its addresses, innermost first; all but the first are return addresses. */
	const struct stacks_pc *pcs;
	size_t npcs;				/* their number */
	bool first_returns;			/* the first is one, too */
	bool cut;				/* it was deeper than that */
	/* Where the go statement that started its goroutine returns to; 0: not known. */
	struct stacks_pc creator;
	uint64_t values[STACKS_VALUES];		/* what was counted, by struct stacks.types */
	const uint64_t *split;			/* ns in each state (enum sched_state), or NULL */
	/* What else is known, in an order that is always the same. */
	const struct stacks_label *labels;
	size_t nlabels;				/* their number */
};

/* Stacks that are equal, and so are their labels. */
struct stack {
	/* Innermost first; of those whose n is 0 nothing is shown. */
	const struct symbol **places;
	size_t n;			/* their number */
	bool cut;			/* as in struct stacks_sample */
	uint64_t values[STACKS_VALUES];	/* sums */
	const struct stacks_label *labels;	/* as in struct stacks_sample */
	size_t nlabels;			/* their number */
	const struct symbol *creator;	/* the go statement that started its goroutine, or NULL */
	bool is_split;			/* how the time of its calls divides is known */
	uint64_t split[__GOSTATES_MAX];	/* ns in each state (enum sched_state) */
};

/* All of them. The rest is for output/stacks.c. */
struct stacks {
	const enum stacks_value *types;	/* what is counted */
	size_t ntypes;	/* how many of them */
	const char *summed;	/* the expression of STACKS_SUM */
	bool summed_time;	/* it is a duration, in ns */
	bool keyed; /* labels are parts of a key: their texts are what key_print_part() appends */
	/* Stacks of different addresses are different ones, though they read the same. */
	bool by_address;
	struct stack **v;	/* the stacks */
	size_t n;	/* their number */

	size_t cap;
	const struct symbol **looked_up;
	size_t looked_up_cap;
	struct arena mem;
	struct hmap by_key;
	struct symbols nowhere;
};

/* @types, 1 to STACKS_VALUES of them, outlive @s. */
void stacks_init(struct stacks *s, const enum stacks_value *types, size_t ntypes);
/* What value @which of a stack is called. */
struct stacks_words stacks_words(const struct stacks *s, size_t which);
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
