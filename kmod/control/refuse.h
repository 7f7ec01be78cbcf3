/* SPDX-License-Identifier: GPL-2.0 */
/* Refusals of commands: an error and a message with the reason. */
#ifndef GP_REFUSE_H
#define GP_REFUSE_H

struct gp_session;
struct netlink_ext_ack;
struct sk_buff;

#define GP_REFUSE_NO_SESSION "this socket has no session"

int gp_refuse(struct netlink_ext_ack *extack, int err, const char *why);
int gp_refuse_unprivileged(struct sk_buff *skb, struct netlink_ext_ack *extack);
int gp_refuse_stopped(const struct gp_session *s, struct netlink_ext_ack *extack);

#endif
