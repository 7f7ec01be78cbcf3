/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Removal of a session's points. Context: waits for handlers; the caller has the session's turn,
 * not its lock.
 */
#ifndef GP_POINTS_DEL_H
#define GP_POINTS_DEL_H

struct gp_request;
struct gp_session;
struct netlink_ext_ack;

int gp_points_del(struct gp_session *s, const struct gp_request *r, struct netlink_ext_ack *extack);
void gp_points_del_all(struct gp_session *s);

#endif
