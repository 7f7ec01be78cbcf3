/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Points of a session. Context: gp_points_add() reads the file and takes the session's turn; the
 * others wait for handlers, and the caller has the turn, not the lock.
 */
#ifndef GP_POINTS_H
#define GP_POINTS_H

#include <linux/types.h>

struct gp_request;
struct gp_session;
struct netlink_ext_ack;

int gp_points_add(struct gp_session *s, const struct gp_request *r, struct netlink_ext_ack *extack);
int gp_points_del(struct gp_session *s, const struct gp_request *r, struct netlink_ext_ack *extack);
void gp_points_del_all(struct gp_session *s);

#endif
