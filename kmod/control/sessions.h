/* SPDX-License-Identifier: GPL-2.0 */
/* Table and lifetime of sessions. */
#ifndef GP_SESSIONS_H
#define GP_SESSIONS_H

#include <linux/types.h>
#include <goprobe.h>

struct file;
struct gp_request;
struct gp_session;
struct sock;

/* See struct goprobe_limits. */
#define GP_SESSIONS_MAX	256
#define GP_POINTS_MAX	(256U << 10)
#define GP_PLANS_MAX	(64U << 10)
#define GP_PIDS_MAX	1024
#define GP_BATCH_MAX	1024

struct netlink_ext_ack;

struct gp_session *gp_session_new(struct sock *sk, u32 portid,
				  const struct gp_request *r,
				  struct netlink_ext_ack *extack);
int gp_session_open_fd(struct gp_session *s, struct file **file);
struct gp_session *gp_session_get(const struct sock *sk);
struct gp_session *gp_session_get_from(u32 id);
void gp_session_put(struct gp_session *s);
void gp_session_finish(struct gp_session *s);
void gp_session_socket_closed(u32 portid);

int gp_session_init(void);
void gp_session_fini(void);

#endif
