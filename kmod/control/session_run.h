/* SPDX-License-Identifier: GPL-2.0 */
/* Start and stop of a session. */
#ifndef GP_SESSION_RUN_H
#define GP_SESSION_RUN_H

struct gp_session;
struct netlink_ext_ack;

int gp_session_start(struct gp_session *s, struct netlink_ext_ack *extack);
void gp_session_stop(struct gp_session *s);

#endif
