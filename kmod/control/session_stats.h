/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of a session: its statistics, and how many hits have cost time. */
#ifndef GP_SESSION_STATS_H
#define GP_SESSION_STATS_H

#include <linux/types.h>
#include <goprobe.h>

struct gp_session;

u64 gp_session_hits(struct gp_session *s);
/* Context: the session's turn and its lock. */
void gp_session_stats(struct gp_session *s, u64 stats[__GOPROBE_STAT_MAX]);

#endif
