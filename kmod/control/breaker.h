/* SPDX-License-Identifier: GPL-2.0 */
/* Stops a session whose hits take too much of the programs' time. */
#ifndef GP_BREAKER_H
#define GP_BREAKER_H

#include <linux/types.h>
#include <linux/workqueue.h>
#include <goprobe.h>

struct gp_session;

/**
 * struct gp_breaker - a session's breaker
 * @wish: when; @wish.percent is 0 if there is none
 * @work: looks at it now and then
 * @hits: how many there had been when it was last looked at
 * @system: the programs' system time then, ns
 * @time: when that was, ns; 0: not yet
 * @strikes: how often in a row there were too many
 * @broken: hits a second when it stopped the session, or 0
 */
struct gp_breaker {
	struct goprobe_breaker wish;
	struct delayed_work work;
	u64 hits;
	u64 system;
	u64 time;
	u32 strikes;
	u64 broken;
};

void gp_breaker_init(struct gp_breaker *b, const struct goprobe_breaker *wish);
void gp_breaker_start(struct gp_session *s);
void gp_breaker_stop(struct gp_session *s);

#endif
