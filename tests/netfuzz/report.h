/* SPDX-License-Identifier: GPL-2.0 */
/* Report of sent messages and of claims, for people. */
#ifndef NETFUZZ_REPORT_H
#define NETFUZZ_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/**
 * struct report_run - one run
 * @seed: of its inputs
 * @sockets: how many at once
 * @again: inputs that were carried out first
 * @covered: the kernel reports the code that it executes
 * @began: when
 * @elapsed: when progress was last reported
 * @messages: how many there were then
 */
struct report_run {
	uint64_t seed;
	unsigned int sockets;
	unsigned int again;
	bool covered;
	struct timespec began;
	double elapsed;
	unsigned long messages;
};

void report_begin(struct report_run *r);
double report_elapsed(const struct report_run *r);
/* One line; @runs: of stress. */
void report_progress(struct report_run *r, unsigned long runs);
/* All, each command by its name; with @refusals also each refusal. */
void report_end(const struct report_run *r, unsigned long runs, bool refusals);

/* claims.c: have hits run into all that they are to run into? */
bool claims_hits(void);
/* Check the claims at the end. @wrong: a fault of the programs, or NULL. Return: 0 if all hold. */
int claims(unsigned long runs, const char *wrong);

#endif
