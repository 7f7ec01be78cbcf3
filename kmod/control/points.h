/* SPDX-License-Identifier: GPL-2.0 */
/* Points of a session. Context: gp_points_add() reads the file and takes the session's turn. */
#ifndef GP_POINTS_H
#define GP_POINTS_H

struct gp_request;
struct gp_session;
struct netlink_ext_ack;

int gp_points_add(struct gp_session *s, const struct gp_request *r, struct netlink_ext_ack *extack);

#endif
