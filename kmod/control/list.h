/* SPDX-License-Identifier: GPL-2.0 */
/* GOPROBE_CMD_LIST: what is probed on this host, and by whom. */
#ifndef GP_LISTING_H
#define GP_LISTING_H

struct netlink_callback;
struct sk_buff;

int gp_listing_start(struct netlink_callback *cb);
int gp_listing_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif
