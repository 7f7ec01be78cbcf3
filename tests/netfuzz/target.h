/* SPDX-License-Identifier: GPL-2.0 */
/* Programs that are probed: they must not notice. */
#ifndef NETFUZZ_TARGET_H
#define NETFUZZ_TARGET_H

#include <stdatomic.h>
#include <stdbool.h>

/**
 * struct target - programs at work
 * @stress: path; is run again and again, and always prints the same for the same seed
 * @load: path; runs all the time, and ends if anything it computes is wrong
 * @pids: the running ones; [0] is @load's
 * @runs: of @stress, whose output was right
 * @rest: factor of the rest after a run, relative to the run; meanwhile @load rests, too
 * @over: no more runs
 * @ended: there are none any more
 */
struct target {
	const char *stress;
	const char *load;
	atomic_int pids[2];
	atomic_ulong runs;
	unsigned int rest;
	atomic_bool over;
	atomic_bool ended;
	int to_load;
	int from_load;
};

/* Both, without a probe: what they print then is right. NULL, or what is wrong. */
const char *target_begin(struct target *t);
/* Runs until @t->over. */
void *target_run(void *t);
/* Until they have run for once. */
void target_wait(struct target *t);
/* Is all as it should be, with no probe any more? NULL, or what is wrong. */
const char *target_end(struct target *t);

#endif
