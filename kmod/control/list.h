/* SPDX-License-Identifier: GPL-2.0 */
/* GOPROBE_CMD_LIST: the sessions on this host and their points. */
#ifndef GP_LIST_H
#define GP_LIST_H

struct netlink_callback;
struct sk_buff;

int gp_list_start(struct netlink_callback *cb);
int gp_list_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif
