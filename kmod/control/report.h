/* SPDX-License-Identifier: GPL-2.0 */
/* Reports of a session's counts, times and open calls. */
#ifndef GP_REPORT_H
#define GP_REPORT_H

struct netlink_callback;
struct sk_buff;

int gp_report_start(struct netlink_callback *cb);
int gp_report_dump(struct sk_buff *skb, struct netlink_callback *cb);
int gp_report_dump_keys(struct sk_buff *skb, struct netlink_callback *cb);
int gp_report_dump_open(struct sk_buff *skb, struct netlink_callback *cb);

#endif
