/* SPDX-License-Identifier: GPL-2.0 */
/* What a session has counted and timed, handed out. */
#ifndef GP_SUMMARY_H
#define GP_SUMMARY_H

struct netlink_callback;
struct sk_buff;

struct gp_session;

void gp_summary_open(struct gp_session *s);
void gp_summary_close(struct gp_session *s);
void gp_summary_reap(struct gp_session *s);
void gp_summary_want_reap(struct gp_session *s);
int gp_summary_start(struct netlink_callback *cb);
int gp_summary_dump(struct sk_buff *skb, struct netlink_callback *cb);
int gp_summary_dump_keys(struct sk_buff *skb, struct netlink_callback *cb);
int gp_summary_dump_open(struct sk_buff *skb, struct netlink_callback *cb);

#endif
