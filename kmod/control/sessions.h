/* SPDX-License-Identifier: GPL-2.0 */
/* Table and lifetime of sessions. */
#ifndef GP_SESSIONS_H
#define GP_SESSIONS_H

#include <linux/types.h>
#include <goprobe.h>

struct file;
struct gp_session;
struct sock;

/* See struct goprobe_limits. */
#define GP_SESSIONS_MAX	256
#define GP_POINTS_MAX	(256U << 10)
#define GP_PLANS_MAX	(64U << 10)
#define GP_PIDS_MAX	1024
#define GP_BATCH_MAX	1024

struct netlink_ext_ack;

/**
 * struct gp_session_wish - a client's parameters of its session
 * @ring_bytes: size of each CPU's ring; rounded up
 * @flags: GOPROBE_SESSION_F_*
 * @ncalls: calls that can be open at once
 * @hold: number and size of pending records
 * @keys: number and size of keys
 * @breaker: limits of the overload breaker
 * @nstates: number of states of goroutines
 * @nmembers: capacity of the set of goroutines
 * @pids: processes to trace, as the caller sees them
 * @npids: their number; 0: every process
 */
struct gp_session_wish {
	u32 ring_bytes;
	u32 flags;
	u32 ncalls;
	struct goprobe_pending_limit hold;
	struct goprobe_key_limit keys;
	struct goprobe_breaker breaker;
	u32 nstates;
	u32 nmembers;
	const s32 *pids;
	u32 npids;
};

struct gp_session *gp_session_new(struct sock *sk, u32 portid,
				  const struct gp_session_wish *wish,
				  struct netlink_ext_ack *extack);
int gp_session_open_fd(struct gp_session *s, struct file **file);
struct gp_session *gp_session_get(const struct sock *sk);
struct gp_session *gp_session_get_from(u32 id);
void gp_session_put(struct gp_session *s);
void gp_session_finish(struct gp_session *s);
void gp_session_socket_closed(u32 portid);

int gp_session_refuse_stopped(const struct gp_session *s, struct netlink_ext_ack *extack);
int gp_session_start(struct gp_session *s, struct netlink_ext_ack *extack);
void gp_session_stop(struct gp_session *s);
u64 gp_session_hits(struct gp_session *s);
void gp_session_stats(struct gp_session *s, u64 stats[__GOPROBE_STAT_MAX]);

int gp_session_init(void);
void gp_session_fini(void);

#endif
